// Loads pages in a headless browser: a list of them as JSON comes in on each line; what
// the browser makes of each, as HTML, and all that they do goes out. Nothing has to
// leave the machine: each request but that for the page itself is stopped, and told.
import readline from "node:readline";
import puppeteer from "puppeteer-core";

const ADDRESS = "http://transcript.test/";
// All that would run or load is told, and runs: also a handler that nothing called.
const POLICY = "default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'";
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy-Report-Only": POLICY,
};
const HEAD = "<!doctype html><title>pages</title><link rel=icon href=data:,>";

let document_ = "";
let deeds = [];

function frame(html) {
  const quoted = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe srcdoc="<!doctype html><body>${quoted}"></iframe>`;
}

function answer(request) {
  const wanted = document_;
  document_ = "";
  if (wanted && request.url() === ADDRESS) {
    return request.respond({ status: 200, headers: HEADERS, body: wanted });
  }
  deeds.push(`request ${request.url()}`);
  return request.abort();
}

async function open(browser) {
  const page = await browser.newPage();
  await page.setRequestInterception(true);
  page.on("request", answer);
  page.on("dialog", (dialog) => {
    deeds.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("console", (message) => deeds.push(`message ${message.text()}`));
  page.on("pageerror", (error) => deeds.push(`error ${error.message}`));
  page.on("popup", () => deeds.push("window"));
  const session = await page.createCDPSession();
  await session.send("Debugger.enable");
  session.on("Debugger.scriptParsed", ({ url }) => {
    if (!url.startsWith("pptr:") && !url.startsWith("__puppeteer")) {
      deeds.push(`script ${url}`);
    }
  });
  return page;
}

// Waits until what begins with a page has begun, then returns what became of it.
async function bodies() {
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const frames = [...document.querySelectorAll("iframe")];
  return frames.map((frame) => frame.contentDocument?.body?.innerHTML ?? "");
}

async function load(page, pages) {
  deeds = [];
  document_ = HEAD + pages.map(frame).join("");
  try {
    await page.goto(ADDRESS, { waitUntil: "load" });
    return await page.evaluate(bodies);
  } catch (error) {
    deeds.push(`navigation ${error.message}`);
    return pages.map(() => "");
  }
}

const browser = await puppeteer.launch({
  executablePath: process.argv[2],
  // The system's sandbox needs a user other than root.
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
let page = await open(browser);
for await (const line of readline.createInterface({ input: process.stdin })) {
  const loaded = await load(page, JSON.parse(line));
  process.stdout.write(`${JSON.stringify({ deeds, pages: loaded })}\n`);
  if (deeds.length > 0) {
    // Deeds that come late are not those of the next page.
    await page.close();
    page = await open(browser);
  }
}
await browser.close();
