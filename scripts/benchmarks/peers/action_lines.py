"""The action lines of a stream-json log, by a library that makes dictionaries."""

import importlib
import sys

from phrases import PHRASES

loads = importlib.import_module(sys.argv[1]).loads
write = sys.stdout.write
for line in sys.stdin.buffer:
    event = loads(line)
    if event["type"] == "tool_call" and event["subtype"] == "completed":
        key, call = next(iter(event["tool_call"].items()))
        note = "" if "success" in call["result"] else " (error)"
        write(f"{PHRASES.get(key, f'Used tool {key}')}{note}\n")
