"""The action lines of a stream-json log, by orjson."""

import sys

import orjson

PHRASES = {
    "readToolCall": "Read file",
    "editToolCall": "Edited file",
    "deleteToolCall": "Deleted file",
    "shellToolCall": "Ran terminal command",
    "grepToolCall": "Searched file contents",
    "globToolCall": "Searched file names",
    "mcpToolCall": "Used MCP tool",
}
for line in sys.stdin.buffer:
    event = orjson.loads(line)
    if event["type"] == "tool_call" and event["subtype"] == "completed":
        key, call = next(iter(event["tool_call"].items()))
        note = "" if "success" in call["result"] else " (error)"
        sys.stdout.write(f"{PHRASES.get(key, f'Used tool {key}')}{note}\n")
