"""Names of arguments and outputs that mean the same in every tool."""

from __future__ import annotations

from convert.model.events import State
from convert.tools.row import Noise

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

# Members that hold what the agent writes into files, where an id is its own choice.
CONTENTS = {
    *("streamContent", "fileText", "contents", "content", "oldText", "newText"),
    *("old_string", "new_string", "patchContent", "patch", "chars"),
}
# Those of them that hold what an edit replaces.
REPLACED = {"oldText", "old_string"}

# Arguments that are compared by words, whatever their length.
IN_WORDS = ("command", "prompt")

# Tools by which an agent keeps its books: kinds, and names of functions.
BOOKKEEPING = {
    *("updateTodos", "readTodos", "reflect", "communicateUpdate", "sendFinalSummary"),
    *("getMcpTools", "ToolSearch", "report_intent", "update_topic"),
}


def end_a_run(tools: set[str], state: State | None) -> bool:
    """Return True if a run ends in calls of these tools, which no text follows.

    Where its log says how it ended, the message may be in front of a call by which the
    agent keeps its books.
    """
    return bool(tools) if state is None else not tools <= BOOKKEEPING


# Members of outputs that hold the number of a process that the call started.
PROCESSES = ("pid", "shellId")
