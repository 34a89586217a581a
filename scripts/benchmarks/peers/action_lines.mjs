// The action lines of a stream-json log.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const phrases = {
  readToolCall: "Read file",
  editToolCall: "Edited file",
  deleteToolCall: "Deleted file",
  shellToolCall: "Ran terminal command",
  grepToolCall: "Searched file contents",
  globToolCall: "Searched file names",
  mcpToolCall: "Used MCP tool",
};
const lines = createInterface({ input: createReadStream(null, { fd: 0 }) });
let out = [];
for await (const line of lines) {
  const event = JSON.parse(line);
  if (event.type === "tool_call" && event.subtype === "completed") {
    const [key, call] = Object.entries(event.tool_call)[0];
    const note = call.result.success ? "" : " (error)";
    out.push(`${phrases[key] ?? `Used tool ${key}`}${note}\n`);
  }
}
process.stdout.write(out.join(""));
