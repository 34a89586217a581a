# The action lines of a stream-json log.
{readToolCall: "Read file", editToolCall: "Edited file", deleteToolCall: "Deleted file",
 shellToolCall: "Ran terminal command", grepToolCall: "Searched file contents",
 globToolCall: "Searched file names", mcpToolCall: "Used MCP tool"} as $phrases
| select(.type == "tool_call" and .subtype == "completed")
| .tool_call | to_entries[0]
| ($phrases[.key] // "Used tool \(.key)")
  + (if .value.result.success then "" else " (error)" end)
