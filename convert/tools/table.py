"""What a tool call means: one table of kinds, for every writer.

The kinds are those of the agent's own protocol (48 of them in November 2026), plus
`write`, which older logs hold. A kind that is not here is shown by its
name; nothing else depends on knowing it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Tool(Struct, frozen=True):
    """One kind of tool: what its call is called in English, and its subject.

    `paths` and `words` name the arguments that say what a call is about; paths are
    shown relative to the directory of the run. `verb` goes before them in a sentence.
    `looks` says that the tool changes nothing.
    """

    phrase: str
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    verb: str = ""
    looks: bool = False


_FILE = ("path", "filePath")

# A phrase belongs to one kind, since action lines are read back by it.
TOOLS: dict[str, Tool] = {
    "read": Tool("Read file", paths=_FILE, verb="Read", looks=True),
    "edit": Tool("Edited file", paths=_FILE, verb="Edited"),
    "write": Tool("Created new file", paths=_FILE, verb="Created"),
    "delete": Tool("Deleted file", paths=_FILE, verb="Deleted"),
    "shell": Tool("Ran terminal command", words=("command",), verb="Ran"),
    "grep": Tool(
        "Searched file contents",
        ("pattern",),
        ("path", "glob"),
        "Searched for",
        looks=True,
    ),
    "glob": Tool(
        "Searched file names",
        ("globPattern",),
        ("targetDirectory",),
        "Searched for files",
        looks=True,
    ),
    "ls": Tool("Listed directory", paths=_FILE, verb="Listed", looks=True),
    "semSearch": Tool(
        "Searched codebase",
        ("query",),
        ("targetDirectories",),
        "Searched codebase for",
        looks=True,
    ),
    "readLints": Tool("Read linter results", looks=True),
    "updateTodos": Tool("Updated to-do list", looks=True),
    "readTodos": Tool("Read to-do list", looks=True),
    "task": Tool("Ran subagent", ("subagentType", "prompt"), verb="Ran subagent"),
    "webSearch": Tool(
        "Searched the web",
        words=("searchTerm",),
        verb="Searched the web for",
        looks=True,
    ),
    "webFetch": Tool("Fetched web page", words=("url",), verb="Fetched", looks=True),
    "fetch": Tool("Fetched URL", words=("url",), verb="Fetched", looks=True),
    "mcp": Tool("Used MCP tool"),
    "getMcpTools": Tool("Listed MCP tools", looks=True),
    "listMcpResources": Tool("Listed MCP resources", looks=True),
    "readMcpResource": Tool(
        "Read MCP resource",
        words=("server", "uri"),
        verb="Read MCP resource",
        looks=True,
    ),
    "mcpAuth": Tool("Signed in to MCP server"),
    "askQuestion": Tool("Asked question"),
    "createPlan": Tool("Created plan"),
    "switchMode": Tool("Switched mode"),
    "await": Tool("Waited for background task", looks=True),
    "writeShellStdin": Tool("Sent terminal input"),
    "generateImage": Tool("Generated image"),
    "recordScreen": Tool("Recorded screen"),
    "computerUse": Tool("Used computer"),
    "reflect": Tool("Reflected on progress", looks=True),
    "applyAgentDiff": Tool("Applied agent changes"),
    "setupVmEnvironment": Tool("Set up environment"),
    "replaceEnv": Tool("Replaced environment"),
    "setActiveBranch": Tool("Set active branch"),
    "blameByFilePath": Tool(
        "Read file history", paths=_FILE, verb="Read history of", looks=True
    ),
    "aiAttribution": Tool("Read AI attribution", looks=True),
    "prManagement": Tool("Managed pull request"),
    "editPrLabels": Tool("Edited pull request labels"),
    "updatePrCodeTour": Tool("Updated pull request tour"),
    "recordCiInvestigationFindings": Tool("Recorded CI findings"),
    "reportBug": Tool("Reported bug"),
    "reportBugfixResults": Tool("Reported bugfix results"),
    "communicateUpdate": Tool("Posted progress update", looks=True),
    "sendFinalSummary": Tool("Sent final summary", looks=True),
    "sendMessage": Tool("Sent message"),
    "fetchCloudAgentData": Tool("Fetched cloud agent data", looks=True),
    "startGrindPlanning": Tool("Started grind planning"),
    "startGrindExecution": Tool("Started grind execution"),
    "truncated": Tool("Made truncated call", looks=True),
}

# Of a kind that is not in the table; the name of the tool takes the place of {}.
NAMED = "Used tool {}"


def acts(kind: str, arguments: dict[str, Any]) -> bool:
    """Whether a call may change something; of what nobody knows that is taken for so.

    A command acts unless it is known only to look.
    """
    if kind == "shell":
        # Its patterns would make every filter wait.
        from convert.tools.commands import only_looks

        command = arguments.get("command")
        return not (isinstance(command, str) and only_looks(command))
    tool = TOOLS.get(kind)
    return tool is None or not tool.looks
