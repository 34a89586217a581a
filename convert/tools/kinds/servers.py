"""MCP servers."""

from __future__ import annotations

from convert.tools.row import SubjectArguments, Tool

ROWS = {
    "mcp": Tool(
        subject=None,
        effect="acts on files",
        lane="other",
        label="mcp",
        noise=None,
        text_member="content",
        transcript="services.mcp",
    ),
    "getMcpTools": Tool(
        subject=None,
        effect="looks",
        lane="look",
        label="mcp",
        noise=None,
        text_member="content",
        transcript="services.get_mcp_tools",
    ),
    "listMcpResources": Tool(
        subject=None,
        effect="looks",
        lane="look",
        label="mcp",
        noise=None,
        text_member=None,
        transcript="services.list_mcp_resources",
    ),
    "readMcpResource": Tool(
        subject=SubjectArguments(verb="Read MCP resource", words=("server", "uri")),
        effect="looks",
        lane="look",
        label="mcp",
        noise=None,
        text_member="text",
        transcript="services.read_mcp_resource",
    ),
    "mcpAuth": Tool(
        subject=None,
        effect="acts",
        lane="other",
        label="mcp",
        noise=None,
        text_member=None,
        transcript="services.as_json",
    ),
}
