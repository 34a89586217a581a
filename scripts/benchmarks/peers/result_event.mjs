// The result event of a stream-json log.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const lines = createInterface({ input: createReadStream(null, { fd: 0 }) });
for await (const line of lines) {
  if (JSON.parse(line).type === "result") process.stdout.write(`${line}\n`);
}
