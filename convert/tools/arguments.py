"""The arguments that each kind of tool is known to take, to tell a mistyped name.

They are those of the agent's own protocol in November 2026, and those of older logs. A
kind may have more by now: a name that a log holds is right as well.
"""

from __future__ import annotations

from convert.tools.every_tool import FOREIGN, NOISE
from convert.tools.table import TOOLS, tool_of

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
        *(path.partition(".")[0] for path in _noise(kind)),
        *(subject.words + subject.paths if subject else ()),
    }


def noise_members(kind: str) -> set[str]:
    """Return the last names of what is left out of the arguments of a kind."""
    return {path.rpartition(".")[2] for path in _noise(kind)}


def _noise(kind: str) -> tuple[str, ...]:
    noise = tool_of(kind).noise
    return NOISE.arguments + (noise.arguments if noise else ())
