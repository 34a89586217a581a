"""Calls by the names of Claude Code: blocks of messages, inputs, objects of results."""

from __future__ import annotations

import re
from typing import Any

from convert.agents.claude.results import outcome_of_text
from convert.agents.tool_names import TODO_STATES, Members, call_of
from convert.agents.writing import text_of_output, text_of_result
from convert.facts.edits import ABSENT, FileEdit, edits_of
from convert.model.events import ToolCall
from convert.model.json_lines import Losses
from convert.wording.diffs import hunks_of, without_headers

# The most refused calls that are kept: memory must not grow with the log.
_MOST_KEPT = 10_000


class WrittenCalls:
    """The blocks of the calls of a run, and which calls were refused."""

    def __init__(self, losses: Losses) -> None:
        self.denials: list[Members] = []
        self._losses = losses

    def note(self, call: ToolCall) -> None:
        """Note the facts that the blocks of a call have no place for."""
        if call.native and call.native != claude_call(call)[0]:
            self._losses.add("the names of its tools")
        if call.about:
            self._losses.add("the targets of calls")

    def tool_use(self, call: ToolCall, id: str) -> Members:
        """Return the block with which a call begins."""
        name, input = self._named(call)
        return {"type": "tool_use", "id": id, "name": name, "input": input}

    def result(self, call: ToolCall, id: str) -> tuple[Members, Any]:
        """Return the block with which a call ends, and the object of its tool."""
        name, input = self._named(call)
        is_done = call.outcome is not None and call.outcome.status == "ok"
        if is_done and call.kind == "edit" and _CHANGES.isdisjoint(input):
            self._losses.add_unrecorded("the changes of edits")
        block: Members = {"tool_use_id": id, "type": "tool_result"}
        text = _result_text(call, name, input)
        if call.outcome is None or call.outcome.status == "ok":
            details: Any = _object_of(call, name, input)
            return {**block, "content": text, "is_error": False}, details
        if call.outcome.signal:
            self._losses.add("signals")
        if call.outcome.status == "rejected":
            self._deny(name, id, input)
        return {**block, "content": text, "is_error": True}, f"Error: {text}"

    def amend(self, call: ToolCall, id: str) -> None:
        """Note a later line about a call: the end of the run lists refusals."""
        if call.outcome is not None and call.outcome.status == "rejected":
            name, input = self._named(call)
            self._deny(name, id, input)
        else:
            self._losses.add("calls that end twice")

    def _named(self, call: ToolCall) -> tuple[str, Members]:
        is_fragment = call.kind == "edit" and _is_fragment(call)
        name, input = _edit_as_made(call) if is_fragment else claude_call(call)
        fragment = (call.arguments or {}).get("streamContent")
        recorded = (None, input.get("content"), input.get("new_string"))
        if call.kind == "edit" and fragment not in recorded:
            self._losses.add("the fragments of edits")
        return name, input

    def _deny(self, name: str, id: str, input: Members) -> None:
        denial = {"tool_name": name, "tool_use_id": id, "tool_input": input}
        if denial not in self.denials and len(self.denials) < _MOST_KEPT:
            self.denials.append(denial)


def _result_text(call: ToolCall, name: str, input: Members) -> str:
    """Return the text of a result, which shows readers how the call ended."""
    text = text_of_result(call)
    outcome = call.outcome
    if outcome is not None and outcome.status == "rejected":
        if outcome_of_text(call.kind, text, is_error=True).status == "rejected":
            return text
        denied = f"Permission to use {name} has been denied"
        return f"{denied}: {text}" if text else f"{denied}."
    if name == "Write" and call.is_new_file:
        return f"File created successfully at: {input.get('file_path', '')}"
    return text


# The reverse of `outputs`, for the tools whose object says more than their text.
def _object_of(call: ToolCall, name: str, input: Members) -> Members | None:
    """Return the object of a call that ended well; None if no more is known."""
    match call.kind, call.output:
        case "shell", dict(output):
            return _shell(output)
        case (("edit" | "write"), dict()):
            return _edit_object(call, name, input)
        case (
            "read",
            {
                "content": str(content),
                "totalLines": int(total),
                "readRange": {"startLine": int(first), "endLine": int(last)},
            },
        ):
            return _file(input, content, first, last - first + 1, total)
        case "read", {"content": str(content), "totalLines": int(total)}:
            # It is not known which part of a file was read, unless all of it was.
            is_whole = len(content.splitlines()) == total
            return _file(input, content, 1, total, total) if is_whole else None
        case "glob", {"files": [*files], **others}:
            count = others.get("totalFiles", len(files))
            is_cut = others.get("clientTruncated") is True
            return {"filenames": files, "numFiles": count, "truncated": is_cut}
        case "grep", {"workspaceResults": dict(roots)}:
            return _findings([*roots.values()], text_of_output(call))
        case "task", dict(output):
            is_begun = output.get("isBackground") is True
            state = "async_launched" if is_begun else "completed"
            text = {"type": "text", "text": text_of_output(call)}
            id = output.get("agentId")
            known = {"agentId": id} if isinstance(id, str) else {}
            return {"status": state, "content": [text], **known}
        case "webSearch", {"references": [*references]}:
            return {"query": input.get("query", ""), "results": _results(references)}
        case "webFetch", {"markdown": str(page)}:
            return {"url": input.get("url", ""), "result": page}
    return None


def _shell(output: Members) -> Members:
    whole = output.get("interleavedOutput")
    out, errors = output.get("stdout"), output.get("stderr")
    texts = {
        "stdout": out if isinstance(out, str) else "",
        "stderr": errors if isinstance(errors, str) else "",
    }
    if isinstance(whole, str) and not any(texts.values()):
        texts["stdout"] = whole
    # Only Cursor records that it is 0.
    code = output.get("exitCode")
    exits = {"exitCode": code} if isinstance(code, int) else {}
    return {**texts, "interrupted": False, "isImage": False, **exits}


def _edit_object(call: ToolCall, name: str, input: Members) -> Members | None:
    edits = edits_of(call)
    if not edits or (name == "Write" and "content" not in input):
        return None
    edit = edits[0]
    members: Members = {"filePath": edit.path}
    if name == "Write":
        is_new = call.is_new_file or edit.before is ABSENT
        members["type"] = "create" if is_new else "update"
        members["content"] = input["content"]
    elif name == "Edit":
        members["oldString"] = input.get("old_string", "")
        members["newString"] = input.get("new_string", "")
    else:
        members["edits"] = input.get("edits", [])
    before = edit.before if isinstance(edit.before, str) else None
    return members | {"originalFile": before, "structuredPatch": _hunks_of_edit(edit)}


def _file(input: Members, content: str, first: int, count: int, total: int) -> Members:
    """Return the part of a file that was read."""
    file = {"filePath": input.get("file_path", ""), "content": content}
    lines = {"numLines": count, "startLine": first, "totalLines": total}
    return {"type": "text", "file": file | lines}


def _findings(found: list[Any], text: str) -> Members | None:
    """Return findings as the files or as lines of text, by how they were asked for."""
    modes = {mode for each in found if isinstance(each, dict) for mode in each}
    match found:
        case [{"files": {"files": [*files]}}]:
            listed = {"filenames": files, "numFiles": len(files)}
            return {"mode": "files_with_matches", **listed}
        case [_, *_] if modes == {"content"}:
            lines = {"content": text, "numLines": len(text.splitlines())}
            return {"mode": "content", "filenames": [], **lines}
        case [_, *_] if modes == {"count"}:
            return {"mode": "count", "filenames": [], "content": text}
    return None


def _results(references: list[Any]) -> list[Any]:
    """Return the pages that a search found, and texts."""
    known = [each for each in references if isinstance(each, dict)]
    pages = [{k: each.get(k, "") for k in ("title", "url")} for each in known]
    texts = [each["chunk"] for each in known if isinstance(each.get("chunk"), str)]
    return [{"content": [page for page in pages if page["url"]]}, *texts]


_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def _hunks_of_edit(edit: FileEdit) -> list[Members]:
    """Return the hunks of an edit, as `structuredPatch` has them."""
    if isinstance(edit.before, str) and isinstance(edit.after, str):
        diff = "".join(map(str, hunks_of(edit.before, edit.after)))
    else:
        diff = without_headers(edit.diff)
    hunks: list[Members] = []
    for line in diff.rstrip("\n").split("\n"):
        if found := _HUNK.match(line):
            numbers = [
                1 if number is None else int(number) for number in found.groups()
            ]
            places = ("oldStart", "oldLines", "newStart", "newLines")
            hunks.append({**dict(zip(places, numbers, strict=True)), "lines": []})
        elif hunks:
            # Some builds cut the blank that marks an empty line.
            hunks[-1]["lines"].append(line or " ")
    return hunks


# The reverse of `tools`. A kind without a tool of Claude Code becomes a name with a
# capital, and an argument without a counterpart keeps its name.
_NAMES = {
    "shell": "Bash",
    "read": "Read",
    "edit": "Edit",
    "write": "Write",
    "delete": "Delete",
    "grep": "Grep",
    "glob": "Glob",
    "ls": "LS",
    "task": "Agent",
    "webFetch": "WebFetch",
    "webSearch": "WebSearch",
    "updateTodos": "TodoWrite",
    "readTodos": "TodoRead",
    "await": "TaskOutput",
    "askQuestion": "AskUserQuestion",
    "createPlan": "ExitPlanMode",
    "switchMode": "EnterPlanMode",
    "listMcpResources": "ListMcpResourcesTool",
    "readMcpResource": "ReadMcpResourceTool",
}
# Further tools of kinds for which Claude Code has several.
_OTHERS = (
    *("PowerShell", "NotebookRead", "NotebookEdit", "MultiEdit", "Task", "TaskCreate"),
    *("TaskUpdate", "TaskList", "TaskGet", "BashOutput", "AgentOutputTool"),
)
# The arguments with the old and the new text of an edit.
_PASSED = ("strReplace", "multiStrReplace", "applyPatch")
# The arguments of Claude Code that hold a change, and a patch of other agents.
_CHANGES = frozenset({"content", "edits", "new_source", "new_string", "patch"})
_OWN = frozenset({*_NAMES.values(), *_OTHERS})
_RENAMED: dict[str, dict[str, str]] = {
    "read": {"path": "file_path"},
    "edit": {"path": "file_path", "streamContent": "content"},
    "write": {"path": "file_path", "fileText": "content", "contents": "content"},
    "delete": {"path": "file_path"},
    "grep": {
        "outputMode": "output_mode",
        "contextAfter": "-A",
        "contextBefore": "-B",
        "context": "-C",
        "caseInsensitive": "-i",
        "headLimit": "head_limit",
    },
    "glob": {"globPattern": "pattern", "targetDirectory": "path"},
    "task": {"subagentType": "subagent_type"},
    "webSearch": {"searchTerm": "query"},
    "await": {"taskId": "task_id"},
}
_STATES = {ours: theirs for theirs, ours in TODO_STATES.items()}


def claude_call(call: ToolCall) -> tuple[str, Members]:
    """Return the name that Claude Code has for the tool of a call, and its input."""
    arguments = call.arguments or {}
    if call.kind == "function":
        return call.name, arguments
    if call.kind == "mcp":
        return f"mcp__{call.name.replace('/', '__', 1)}", arguments
    name = _NAMES.get(call.kind) or call.kind[:1].upper() + call.kind[1:]
    if call.native in _OWN and call_of(call.native).kind == call.kind:
        name = call.native
    names = _RENAMED.get(call.kind, {})
    renamed: Members = {}
    for ours, value in arguments.items():
        theirs = names.get(ours, ours)
        # If two of our names mean one of theirs, both values are kept.
        is_free = theirs not in renamed and theirs not in arguments
        renamed[theirs if is_free else ours] = value
    match call.kind, renamed:
        case "edit", _:
            return _edit(name, renamed)
        case "webFetch", _:
            return name, {"prompt": "", **renamed}
        case "updateTodos", {"todos": [*items]}:
            return name, {**renamed, "todos": [_todo(item) for item in items]}
        case "askQuestion", {"questions": [*questions]}:
            asked = [_question(question) for question in questions]
            return name, {**renamed, "questions": asked}
        # The type of a subagent is a word.
        case "task", {"subagent_type": {"custom": {"name": str(kind)}}}:
            return name, {**renamed, "subagent_type": kind}
        case "task", {"subagent_type": {**kinds}} if len(kinds) == 1:
            return name, {**renamed, "subagent_type": str(next(iter(kinds)))}
    return name, renamed


def is_passed_in_part(call: ToolCall) -> bool:
    """Return True for a call whose arguments are known only when it has ended.

    That is an edit that does not say where it goes, and a search whose terms follow.
    """
    arguments = call.arguments or {}
    if call.kind == "edit":
        return _is_fragment(call)
    return bool(arguments) and all(value == "" for value in arguments.values())


def _is_fragment(call: ToolCall) -> bool:
    arguments = call.arguments or {}
    is_claude = call.native in ("Edit", "MultiEdit", "Write", "NotebookEdit")
    return not (is_claude or any(name in arguments for name in _PASSED))


def _edit_as_made(call: ToolCall) -> tuple[str, Members]:
    """Return the tool and the input of an edit that was passed as a fragment.

    Its place is known only from its effect: a fragment is the whole of a new file, and
    a part of any other.
    """
    arguments = call.arguments or {}
    fragment = arguments.get("streamContent")
    names = {"path": "file_path", "streamContent": "new_string"}
    asked = {names.get(name, name): value for name, value in arguments.items()}
    rest = {name: value for name, value in asked.items() if name != "new_string"}
    for edit in edits_of(call):
        if call.is_new_file or edit.before is ABSENT:
            content = edit.after if isinstance(edit.after, str) else fragment
            known = {} if content is None else {"content": content}
            return "Write", rest | known
        pairs = [_pair(hunk["lines"]) for hunk in _hunks_of_edit(edit)]
        if made := _replaced(pairs, rest):
            return made
    return "Edit", asked


def _replaced(pairs: list[Members], rest: Members) -> tuple[str, Members] | None:
    """Return the tool and the input that make replacements; None without any."""
    if len(pairs) == 1:
        return "Edit", {**rest, **pairs[0]}
    return ("MultiEdit", {**rest, "edits": pairs}) if pairs else None


def _pair(lines: list[str]) -> Members:
    """Return the old and the new text of a hunk."""
    return {"old_string": _side(lines, " -"), "new_string": _side(lines, " +")}


def _side(lines: list[str], marks: str) -> str:
    kept: list[str] = []
    is_of_side = False
    for line in lines:
        if line.startswith("\\") and is_of_side:
            # The line above is the last one and has no line feed.
            kept[-1] = kept[-1].removesuffix("\n")
        is_of_side = line[:1] in marks
        if is_of_side:
            kept.append(f"{line[1:]}\n")
    return "".join(kept)


def _edit(name: str, arguments: Members) -> tuple[str, Members]:
    """Return the tool that passes an edit as the log does, and its input."""
    rest = {n: v for n, v in arguments.items() if n not in _PASSED}
    match arguments:
        case {"strReplace": {"oldText": _, "newText": _} as edit}:
            return "Edit", {**rest, **_replacement(edit)}
        case {"multiStrReplace": {"edits": [*edits]}}:
            pairs = [_replacement(each) for each in edits]
            return "MultiEdit", {**rest, "edits": pairs}
        case {"applyPatch": {"patchContent": str(patch)}}:
            return _patched(patch, rest) or ("Edit", {**rest, "patch": patch})
        case {"content": str()} if name != "NotebookEdit":
            return "Write", arguments
    return name, arguments


def _patched(patch: str, rest: Members) -> tuple[str, Members] | None:
    """Return the tool and the input that make the change of a patch of one file.

    None for a patch that is damaged, moves a file, or does not say where lines go.
    """
    # Only logs of Codex and opencode have patches.
    from convert.agents.codex.apply_patch import changes_of

    match changes_of(patch):
        case [change] if change.kind == "add":
            return "Write", {**rest, "content": change.content}
        case [change] if change.kind == "update":
            pairs = [_pair(hunk) for hunk in change.hunks]
            if all(pair["old_string"] for pair in pairs):
                return _replaced(pairs, rest)
    return None


def _replacement(edit: Any) -> Any:
    match edit:
        case {"oldText": old, "newText": new, **more}:
            is_all = {"replace_all": more["replaceAll"]} if "replaceAll" in more else {}
            return {"old_string": old, "new_string": new, **is_all}
    return edit


def _todo(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    state = item.get("status")
    state = _STATES.get(state, state) if isinstance(state, str) else state
    return {**item, "status": state, "activeForm": item.get("content", "")}


def _question(question: Any) -> Any:
    match question:
        case {"prompt": prompt, **more}:
            return {"question": prompt, **more}
    return question
