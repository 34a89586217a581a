"""Names of tools, of their arguments and of the members of their outputs."""

from __future__ import annotations

from convert.model.events import ToolCall
from convert.tools.table import Noise, tool_of, tools
from convert.wording.escapes import one_line


def full_name(call: ToolCall) -> str:
    """Return the kind of a call, followed by the name of a foreign tool."""
    if call.kind in FOREIGN and call.name:
        return f"{call.kind}:{call.name}"
    return call.kind


def kind_in(full_name: str) -> str:
    """Return the kind in the full name of a tool."""
    kind, colon, _ = full_name.partition(":")
    return kind if colon and kind in FOREIGN else full_name


def short_name(full_name: str) -> str:
    """Return a tool's full name on one line, as reports show it."""
    return one_line(full_name.removeprefix("function:")) or "unknown"


# Kinds whose arguments another program defines: none of them is noise or a default.
FOREIGN = {"mcp", "function"}

# No two runs have these in common. Outputs are ignored at any depth.
NOISE = Noise(
    arguments=(
        "conversationId",
        "hookAdditionalContexts",
        "hookApprovalRequirement",
        "requestId",
        "requestedSandboxPolicy",
        "sandboxPolicy",
        "skipApproval",
        "smartModeApproval",
        "smartModeApprovalOnly",
        "toolCallId",
    ),
    outputs=(
        "agentId",
        "createdAt",
        "duration",
        "durationMs",
        "executionTime",
        "localExecutionTimeMs",
        "msToWait",
        "pid",
        "runtimeMs",
        "shellId",
        "terminalsFolder",
        "timestamp",
        "timestamp_ms",
        "transcriptPath",
        "updatedAt",
    ),
)

# Arguments that hold a path, or a list of paths, which can be spelled in several ways.
PATHS = {"path", "filePath", "targetDirectory", "workingDirectory", "downloadPath"}
LISTS_OF_PATHS = {"paths", "targetDirectories", "filePaths"}

# Members with the text that the agent writes into files, where it chooses each id.
CONTENTS = {
    *("streamContent", "fileText", "contents", "content", "oldText", "newText"),
    *("old_string", "new_string", "patchContent", "patch", "chars"),
}


def known_arguments(kind: str) -> set[str]:
    """Return the names of the arguments that a kind is known to take.

    Empty for a kind that is not in the table, or whose tools are not the agent's own.
    """
    tool = tools().get(kind)
    if kind in FOREIGN or tool is None:
        return set()
    return {
        *tool.arguments,
        *(path.partition(".")[0] for path in NOISE.arguments + tool.noise.arguments),
        *(tool.subject.words + tool.subject.paths if tool.subject else ()),
    }


def noise_members(kind: str) -> set[str]:
    """Return the last names of the arguments of a kind that `diff` ignores."""
    paths = NOISE.arguments + tool_of(kind).noise.arguments
    return {path.rpartition(".")[2] for path in paths}
