"""The tools of all agents: which kind each is, whatever an agent calls it.

One table for all, since formats that hold the logs of many agents do not say whose
names they use. The names were collected from logs and documentation up to November
2026. A name that is not here is a tool of its own, of the kind `function`.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.agents.arguments import renamed

# The tools of each kind, by their agents: Claude Code and Amp, Qwen Code and Gemini
# CLI, Codex, opencode, Copilot CLI, Antigravity, Cursor.
_NAMES = {
    "shell": "Bash PowerShell run_shell_command"
    " shell shell_command exec_command local_shell_call command_execution"
    " container.exec bash powershell run_command",
    "read": "Read NotebookRead read_file read_many_files view_image read view"
    " view_file",
    "edit": "Edit MultiEdit Write NotebookEdit edit write_file replace"
    " file_change apply_patch write multiedit patch create str_replace"
    " write_to_file replace_file_content create_file edit_file",
    "delete": "Delete delete",
    "grep": "Grep grep_search search_file_content grep rg",
    "glob": "Glob glob find_by_name",
    "ls": "LS list_directory list list_dir ls",
    "task": "Agent Task spawn_agent collab_tool_call task codebase_investigator"
    " delegate_to_agent",
    "webFetch": "WebFetch web_fetch webfetch read_url_content",
    "webSearch": "WebSearch web_search web_search_call websearch google_web_search"
    " search_web",
    "updateTodos": "TodoWrite TaskCreate TaskUpdate todo_list update_plan todowrite"
    " write_todos update_todo todo_write",
    "readTodos": "TodoRead TaskList TaskGet todoread",
    "await": "BashOutput TaskOutput AgentOutputTool wait read_bash",
    "writeShellStdin": "write_stdin write_bash",
    "askQuestion": "AskUserQuestion request_user_input question ask_user",
    "createPlan": "ExitPlanMode exit_plan_mode",
    "switchMode": "EnterPlanMode",
    "listMcpResources": "ListMcpResourcesTool list_mcp_resources",
    "readMcpResource": "ReadMcpResourceTool ReadMcpResource read_mcp_resource",
}
# The tools that Cursor alone has are named for their kinds, where its logs are written
# as those of another agent. Claude Code has a `SendMessage` of its own.
_OF_CURSOR = (
    "aiAttribution applyAgentDiff blameByFilePath communicateUpdate computerUse"
    " editPrLabels fetch fetchCloudAgentData generateImage getMcpTools mcpAuth"
    " prManagement readLints recordCiInvestigationFindings recordScreen reflect"
    " replaceEnv reportBug reportBugfixResults semSearch sendFinalSummary"
    " setActiveBranch setupVmEnvironment startGrindExecution startGrindPlanning"
    " truncated updatePrCodeTour writeShellStdin"
)
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_KINDS |= {kind[0].upper() + kind[1:]: kind for kind in _OF_CURSOR.split()}


class NativeCall(Struct):
    """A tool and its arguments as an agent records them, in the words of the model."""

    kind: str
    """The kind of the tool."""

    name: str = ""
    """The name of a tool whose kind has tools of many names."""

    native: str = ""
    """The agent's own name for a tool of any other kind."""

    arguments: dict[str, Any] | None = None
    """The arguments, by the model's names; None if they are not needed."""


def call_of(name: str, arguments: dict[str, Any] | None = None) -> NativeCall:
    """Return the call of a tool, by the agent's own name for it.

    The arguments of a tool of its own and of a server's tool stay as they are.
    """
    kind = _KINDS.get(name)
    if kind is not None:
        if arguments is not None:
            arguments = renamed(kind, arguments)
        return NativeCall(kind, native=name, arguments=arguments)
    if name.startswith("mcp__"):
        server, _, tool = name[len("mcp__") :].partition("__")
        return mcp_call(server, tool, arguments)
    return NativeCall("function", name, arguments=arguments)


def mcp_call(
    server: str, tool: str, arguments: dict[str, Any] | None = None
) -> NativeCall:
    """Return the call of a tool of a server."""
    name = "/".join(part for part in (server, tool) if part)
    return NativeCall("mcp", name, arguments=arguments)


def known_names() -> dict[str, str]:
    """Return the kind of each tool that an agent has a name for, by that name."""
    return dict(_KINDS)
