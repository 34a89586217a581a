"""What a tool call means: one table of kinds, for every writer.

The kinds are those of the agent's own protocol (48 of them in November 2026), plus
`write`, which older logs hold. A kind that is not here is shown by its
name; nothing else depends on knowing it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.model import Outcome, ToolCall
from convert.wording.harmless import one_line


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


def target(call: ToolCall, directory: str) -> str:
    """What a call is about, on one line; empty where nothing is recorded.

    `directory` is the directory of the run: paths inside it are shown relative to it.
    """
    if call.kind == "mcp" and call.name:
        return one_line(call.name)
    if call.arguments is None:
        return one_line(call.about)
    words, paths = subject(call, directory)
    return one_line(" ".join(words + paths))


def subject(call: ToolCall, directory: str) -> tuple[list[str], list[str]]:
    """The words and the paths among the arguments that say what a call is about."""
    words, paths = subject_in(call.kind, call.arguments or {})
    return words, [relative(path, directory) for path in paths]


def subject_in(kind: str, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The words and the paths that say what a call of a kind is about, as recorded."""
    tool = TOOLS.get(kind)
    if tool is None:
        return [], []
    return _subject(arguments, tool.words), _subject(arguments, tool.paths)


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


def outcome_note(outcome: Outcome) -> str:
    """An outcome other than ok as text shows it: `exit 1`, `error: …`, `rejected`."""
    if outcome.exit_code is not None:
        return f"exit {outcome.exit_code}"
    reason = one_line(outcome.message)
    if outcome.status == "error":
        reason = reason or one_line(outcome.arm)
    return f"{outcome.status}: {reason}" if reason else outcome.status


def outcome_name(outcome: Outcome) -> str:
    """An outcome without its message: `ok`, `error(1)`, `error(timeout)`, `rejected`.

    Two outcomes are the same when they have one name.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status


def _subject(arguments: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """The named arguments as words; a oneof such as `subagentType` by its arm."""
    said: list[str] = []
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            if value:
                said.append(value)
        elif value is not None:
            said += _words_in(value)
    return said


def _words_in(value: Any) -> list[str]:
    """The words of an argument that is no text."""
    match value:
        case [*words]:
            return [word for word in words if isinstance(word, str)]
        case {"custom": {"name": str(word)}}:
            return [word]
        case {**arms}:
            return [str(arm) for arm in arms if arm != "unspecified"]
    return []


def relative(path: str, directory: str) -> str:
    """A path as seen from a directory, when it is inside.

    On Windows, which a drive letter tells, `\\` is `/` and case does not count.
    """
    base = directory.rstrip("/\\")
    if base[1:2] == ":":
        is_inside = _folded(path).startswith(_folded(base))
        separators = "/\\"
    else:
        is_inside = base != "" and path.startswith(base)
        separators = "/"
    if not is_inside:
        return path
    rest = path[len(base) :]
    below = rest.lstrip(separators)
    if not below:
        return "."
    return below if len(below) < len(rest) else path


def _folded(path: str) -> str:
    # Not casefold: what is cut off is counted in characters of the path itself.
    return path.replace("\\", "/").lower()
