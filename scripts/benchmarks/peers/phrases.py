"""The phrases of action lines, by the keys of tool calls."""

PHRASES = {
    "readToolCall": "Read file",
    "editToolCall": "Edited file",
    "deleteToolCall": "Deleted file",
    "shellToolCall": "Ran terminal command",
    "grepToolCall": "Searched file contents",
    "globToolCall": "Searched file names",
    "mcpToolCall": "Used MCP tool",
}
