"""The tools of all agents: kinds, and arguments by the model's names.

All agents share one table, since some formats hold logs of many agents and do not name
the agent. The names come from logs and documentation up to November 2026. A tool whose
name is not here has the kind `function`.
"""

from __future__ import annotations

import shlex
from typing import Any

from msgspec import UNSET, Struct

from convert.model.events import OK, Event, Outcome
from convert.wording.escapes import repair_surrogates

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
# The tools that only Cursor has are named for their kinds when its logs are written as
# those of another agent. Claude Code has a `SendMessage` of its own.
_OF_CURSOR = (
    "aiAttribution applyAgentDiff blameByFilePath communicateUpdate computerUse"
    " editPrLabels fetch fetchCloudAgentData generateImage getMcpTools mcpAuth"
    " prManagement readLints recordCiInvestigationFindings recordScreen reflect"
    " replaceEnv reportBug reportBugfixResults semSearch sendFinalSummary"
    " setActiveBranch setupVmEnvironment startGrindExecution startGrindPlanning"
    " truncated updatePrCodeTour writeShellStdin"
)
_KINDS = {
    **{name: kind for kind, names in _NAMES.items() for name in names.split()},
    **{kind[0].upper() + kind[1:]: kind for kind in _OF_CURSOR.split()},
}


Members = dict[str, Any]


class NativeCall(Struct):
    """A tool and its arguments as an agent records them, in the words of the model."""

    kind: str
    """The kind of the tool."""

    name: str = ""
    """The name of a tool of the kind `mcp` or `function`."""

    native: str = ""
    """The agent's own name for a tool of any other kind."""

    arguments: dict[str, Any] | None = None
    """The arguments, by the model's names; None if they are not needed."""


class RecordedCall(Struct):
    """One of the calls that a record makes; a patch makes one for each file."""

    call: NativeCall
    output: Any = None
    """The members of its output; None if none is recorded."""

    is_new_file: bool = False
    """True if an edit created its file."""

    outcome: Outcome = OK
    """How it ended, if it has."""


class CallResult(Struct):
    """The end of a call."""

    outcome: Outcome = OK
    """How it ended."""

    output: Any = None
    """The members of its output; None if none is recorded."""

    arm: str = ""
    """The state of a task in the background; "" for any other call."""

    is_new_file: bool = False
    """True if an edit created its file."""

    duration_ms: int | None = None
    """How long the log says that it took."""


class OpenCall(Struct):
    """A call that has begun: its number from 1, its id, its tool and its arguments."""

    number: int
    id: str
    call: NativeCall
    line: int
    started_ms: int | None
    """When it began, in milliseconds; None if the log does not record it."""

    parent: str
    """The id of the call that made it; "" for a call of the run itself."""

    response_id: str
    """The id of the model's response that made it; "" if not recorded."""

    after_ms: int | None = None
    """The last timestamp before it began; None if there is none."""

    recorded: object = UNSET
    """The log's own words for it, which the line that ends it may repeat."""

    steps: list[Event] | None = None
    """The texts of a subagent that it started."""

    texts_before: int | None = None
    """How many texts of its own subagent come before it."""


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
    return NativeCall("function", repair_surrogates(name), arguments=arguments)


def mcp_call(
    server: str, tool: str, arguments: dict[str, Any] | None = None
) -> NativeCall:
    """Return the call of a server's tool."""
    name = "/".join(part for part in (server, tool) if part)
    return NativeCall("mcp", repair_surrogates(name), arguments=arguments)


def recorded(members: Members) -> Members:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


def known_names() -> dict[str, str]:
    """Return the kinds of all known tools, by the agents' names for them."""
    return dict(_KINDS)


# The names of the model are those of Cursor's tools, which titles, transcripts and
# comparisons know. An argument without a counterpart keeps its own name.

_PATH = {
    "file_path": "path",
    "filePath": "path",
    "absolute_path": "path",
    "AbsolutePath": "path",
    "notebook_path": "path",
    "TargetFile": "path",
    "DirectoryPath": "path",
    "dir_path": "path",
}
_RENAMED: dict[str, dict[str, str]] = {
    "shell": {
        "cmd": "command",
        "CommandLine": "command",
        "workdir": "workingDirectory",
        "cwd": "workingDirectory",
        "Cwd": "workingDirectory",
        "timeout_ms": "timeout",
        "yield_time_ms": "timeout",
        "justification": "description",
    },
    "read": _PATH,
    "edit": {
        **_PATH,
        "content": "streamContent",
        "contents": "streamContent",
        "file_text": "streamContent",
    },
    "delete": _PATH,
    "ls": _PATH,
    "grep": {
        "dir_path": "path",
        "include": "glob",
        "output_mode": "outputMode",
        "-A": "contextAfter",
        "-B": "contextBefore",
        "-C": "context",
        "-i": "caseInsensitive",
        "head_limit": "headLimit",
    },
    "glob": {
        "pattern": "globPattern",
        "path": "targetDirectory",
        "dir_path": "targetDirectory",
    },
    "task": {"subagent_type": "subagentType"},
    "webSearch": {"query": "searchTerm"},
    "webFetch": {"Url": "url"},
    "await": {
        "bash_id": "taskId",
        "task_id": "taskId",
        "shell_id": "taskId",
        "cell_id": "taskId",
        "agentId": "taskId",
    },
    "writeShellStdin": {"session_id": "shellId"},
}
# These arguments say how a call is shown or where it runs.
_DROPPED = {
    "grep": {"-n"},
    "shell": {"env", "max_output_tokens"},
    "await": {"yield_time_ms", "max_output_tokens", "max_tokens"},
    "writeShellStdin": {"yield_time_ms", "max_output_tokens"},
}
# The texts of an edit, as the agents name them.
_OLD = ("old_string", "oldString", "old_str")
_NEW = ("new_string", "newString", "new_str")
_ALL = ("replace_all", "replaceAll")
_PATCH = ("patch", "patchText", "input")
TODO_STATES = {
    "pending": "TODO_STATUS_PENDING",
    "in_progress": "TODO_STATUS_IN_PROGRESS",
    "completed": "TODO_STATUS_COMPLETED",
    "cancelled": "TODO_STATUS_CANCELLED",
}


def renamed(kind: str, arguments: Members) -> Members:
    """Return the arguments of a call by the model's names, in their order."""
    names = _RENAMED.get(kind, {})
    dropped = _DROPPED.get(kind, ())
    known: Members = {}
    for name, value in arguments.items():
        if name in dropped:
            continue
        # If two of the agent's names mean one of ours, both values are kept.
        ours = names.get(name, name)
        known[
            name if ours in known or (ours in arguments and ours != name) else ours
        ] = value
    if kind == "shell":
        command = known.get("command")
        if isinstance(command, list):
            is_command = all(isinstance(word, str) for word in command)
        else:
            is_command = isinstance(command, str)
        if command and is_command:
            known["command"] = unwrapped(command)
        return known
    match kind, known:
        case "read", {"view_range": [int(first), int(last)]} if last >= first:
            rest = _without(known, "view_range")
            return {**rest, "offset": first, "limit": last - first + 1}
        case "edit", _:
            return _edit(known)
        case "updateTodos", _:
            return _todos(known)
        case "askQuestion", {"questions": [*questions]}:
            asked = [
                _question(str(number), each) if isinstance(each, dict) else each
                for number, each in enumerate(questions)
            ]
            return {**known, "questions": asked}
    return known


def _edit(arguments: Members) -> Members:
    """Put the old text and the new one into one member, as Cursor's edits have them."""
    if isinstance(edits := arguments.get("edits"), list):
        pairs = [
            _replacement(edit) if isinstance(edit, dict) else edit for edit in edits
        ]
        return {**_without(arguments, "edits"), "multiStrReplace": {"edits": pairs}}
    if _first(arguments, _OLD) is not None and _first(arguments, _NEW) is not None:
        rest = _without(arguments, *_OLD, *_NEW, *_ALL)
        return {**rest, "strReplace": _replacement(arguments)}
    patch = _first(arguments, _PATCH)
    if isinstance(patch, str):
        rest = _without(arguments, *_PATCH)
        return {**rest, "applyPatch": {"patchContent": patch}}
    return arguments


def _replacement(edit: Members) -> Members:
    pair = {"oldText": _first(edit, _OLD), "newText": _first(edit, _NEW)}
    is_all = _first(edit, _ALL)
    return pair if is_all is None else {**pair, "replaceAll": is_all}


def _todos(arguments: Members) -> Members:
    """Return the items with Cursor's members, whichever tool wrote them."""
    match arguments:
        case {"todos": [*items]} | {"items": [*items]} | {"plan": [*items]}:
            rest = _without(arguments, "todos", "items", "plan")
            return {**rest, "todos": [_todo(item) for item in items]}
        case {"subject": str()} | {"taskId": _} | {"content": str()}:
            return {"todos": [_todo(arguments)]}
    return arguments


def _todo(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    state = item.get("status")
    if state is None and isinstance(done := item.get("completed"), bool):
        state = "completed" if done else "pending"
    if isinstance(state, str):
        state = TODO_STATES.get(state, state)
    contents = ("content", "text", "step", "subject", "description")
    return recorded(
        {
            "id": _first(item, ("id", "taskId")),
            "content": _first(item, contents),
            "status": state,
        }
    )


def _question(id: str, question: Members) -> Members:
    options = question.get("options")
    asked = {"id": question.get("id", id), "prompt": question.get("question")}
    if isinstance(options, list):
        asked["options"] = [
            {"id": option.get("label"), "label": option.get("label")}
            for option in options
            if isinstance(option, dict)
        ]
    return asked


def _first(arguments: Members, names: tuple[str, ...]) -> Any:
    """Return the first of these members that exists; None without any."""
    found = (arguments[name] for name in names if name in arguments)
    return next(found, None)


def _without(arguments: Members, *names: str) -> Members:
    return {name: value for name, value in arguments.items() if name not in names}


_SHELLS = {"bash", "zsh", "sh", "dash", "fish", "ksh"}
_RUNS = {"-c", "-lc", "-ic", "-lic", "-cl"}


def unwrapped(command: str | list[str]) -> str:
    """Return the command that `bash -lc` runs; any other command as it is.

    Codex records all commands with a shell, as a text or as a list of words.
    """
    if isinstance(command, list):
        return _inner(command) or shlex.join(command)
    # Most commands of other agents are not wrapped.
    if " -" not in command:
        return command
    head = command.split(maxsplit=2)
    if len(head) < 3 or not _is_shell(head):
        return command
    if (inner := _in_plain_quotes(head[2].rstrip())) is not None:
        return inner
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    return _inner(words) or command


def _in_plain_quotes(word: str) -> str | None:
    """Return the text in quotes; None if other quotes or backslashes are in it.

    Splitting a command into words takes ten times as long.
    """
    quote = word[:1]
    is_plain = quote in ("'", '"') and word.count(quote) == 2 and word[-1] == quote
    if not is_plain or (quote == '"' and "\\" in word):
        return None
    return word[1:-1] or None


def _inner(words: list[str]) -> str:
    return words[2] if len(words) == 3 and _is_shell(words) else ""


def _is_shell(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] in _SHELLS and words[1] in _RUNS
