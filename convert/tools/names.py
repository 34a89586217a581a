"""Names of tools, of their arguments and of the members of their outputs."""

from __future__ import annotations

from convert.model.events import ToolCall
from convert.tools.row import Noise
from convert.tools.table import TOOLS, tool_of
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

# Members that hold what the agent writes into files, where an id is its own choice.
CONTENTS = {
    *("streamContent", "fileText", "contents", "content", "oldText", "newText"),
    *("old_string", "new_string", "patchContent", "patch", "chars"),
}
# Those of them that hold what an edit replaces.
REPLACED = {"oldText", "old_string"}

# Arguments that are compared by words, whatever their length.
IN_WORDS = ("command", "prompt")
# Members of outputs that hold the number of a process that the call started.
PROCESSES = ("pid", "shellId")
# They are those of the agent's own protocol in November 2026, and those of older logs.
# A kind may have more by now: a name that a log holds is right as well.
_ARGUMENTS: dict[str, str] = {
    "read": "offset limit includeLineNumbers",
    "edit": "streamContent strReplace multiStrReplace applyPatch old_string new_string",
    "write": "fileText file_text contents content",
    "delete": "",
    "ls": "ignore timeoutMs",
    "applyAgentDiff": "agentId",
    "blameByFilePath": "startLine endLine",
    "aiAttribution": "filePaths startLine endLine commitHashes outputMode maxCommits"
    " includeLineRanges",
    "grep": "outputMode contextBefore contextAfter context caseInsensitive type"
    " headLimit multiline sort sortAscending offset",
    "glob": "",
    "semSearch": "explanation",
    "readLints": "paths",
    "shell": "workingDirectory isBackground",
    "await": "taskId blockUntilMs regex",
    "writeShellStdin": "shellId chars",
    "setupVmEnvironment": "installCommand startCommand dockerfileContents",
    "replaceEnv": "config mode checkoutRefOverrides",
    "updateTodos": "todos merge",
    "readTodos": "statusFilter idFilter",
    "createPlan": "plan todos overview name isProject phases",
    "switchMode": "targetModeId explanation",
    "startGrindExecution": "explanation",
    "startGrindPlanning": "explanation",
    "reflect": "unexpectedActionOutcomes relevantInstructions scenarioAnalysis"
    " criticalSynthesis nextSteps",
    "task": "resume attachments mode environment",
    "webSearch": "",
    "webFetch": "",
    "fetch": "",
    "listMcpResources": "server",
    "readMcpResource": "downloadPath",
    "getMcpTools": "server toolName pattern",
    "mcpAuth": "serverIdentifier",
    "askQuestion": "title questions runAsync asyncOriginalToolCallId",
    "communicateUpdate": "currentStep finalSummary completedSubtitle",
    "sendFinalSummary": "finalSummary",
    "sendMessage": "text attachment",
    "generateImage": "description filePath referenceImagePaths",
    "recordScreen": "mode saveAsFilename",
    "computerUse": "actions",
    "truncated": "",
    "prManagement": "createPr updatePr",
    "setActiveBranch": "path branchName",
    "updatePrCodeTour": "feedback",
    "editPrLabels": "prUrl addLabels removeLabels",
    "reportBug": "title file startLine endLine description severity category rationale",
    "reportBugfixResults": "summary results",
    "recordCiInvestigationFindings": "findings overall",
    "fetchCloudAgentData": "bcIds sources statuses includeTeamWide includeArchived "
    " limit includeTranscript activeSince",
}


def known_arguments(kind: str) -> set[str]:
    """Return the names of the arguments that a kind is known to take.

    Empty for a kind that is not in the table, or whose tools are not the agent's own.
    """
    if kind in FOREIGN or kind not in TOOLS:
        return set()
    subject = tool_of(kind).subject
    return {
        *_ARGUMENTS.get(kind, "").split(),
        *(path.partition(".")[0] for path in _noise_paths(kind)),
        *(subject.words + subject.paths if subject else ()),
    }


def noise_members(kind: str) -> set[str]:
    """Return the last names of what is left out of the arguments of a kind."""
    return {path.rpartition(".")[2] for path in _noise_paths(kind)}


def _noise_paths(kind: str) -> tuple[str, ...]:
    noise = tool_of(kind).noise
    return NOISE.arguments + (noise.arguments if noise else ())
