// Renders Markdown with parsers in JavaScript: a text as JSON comes in on each line, and
// an object of pages by the names of the parsers goes out. Raw HTML and every address
// are let through, so that what the text does itself can be seen.
import readline from "node:readline";
import { HtmlRenderer, Parser } from "commonmark";
import katex from "katex";
import MarkdownIt from "markdown-it";
import abbreviations from "markdown-it-abbr";
import attributes from "markdown-it-attrs";
import definitions from "markdown-it-deflist";
import footnotes from "markdown-it-footnote";
import formulasInMarkdownIt from "markdown-it-texmath";
import { marked } from "marked";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { math, mathHtml } from "micromark-extension-math";
import rehypeRaw from "rehype-raw";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const formulas = { throwOnError: false, output: "html", strict: "ignore" };
const remark = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeStringify, { allowDangerousHtml: true });
const markdownIt = MarkdownIt({ html: true, linkify: true });
markdownIt.validateLink = () => true;
const plugins = MarkdownIt({ html: true, linkify: true })
  .use(abbreviations)
  .use(attributes)
  .use(definitions)
  .use(footnotes)
  .use(formulasInMarkdownIt, {
    engine: katex,
    delimiters: "dollars",
    katexOptions: formulas,
  });
plugins.validateLink = () => true;

const renderers = {
  commonmark: (text) => new HtmlRenderer().render(new Parser().parse(text)),
  "markdown-it": (text) => markdownIt.render(text),
  "markdown-it, plugins": (text) => plugins.render(text, {}),
  marked: (text) => marked.parse(text, { gfm: true }),
  micromark: (text) =>
    micromark(text, {
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
      extensions: [gfm(), math()],
      htmlExtensions: [gfmHtml(), mathHtml(formulas)],
    }),
  remark: (text) => String(remark.processSync(text)),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const pages = Object.entries(renderers).map(([name, render]) => [name, render(text)]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(pages))}\n`);
}
