"""Calls as blocks of Claude Code's messages, and the objects of their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from convert.agents.claude.results import outcome_of_text
from convert.agents.claude.written_tools import (
    Members,
    claude_call,
    has_fragment,
    hunks_of_edit,
    input_as_made,
    says_what_changed,
)
from convert.agents.writing import text_of_output, text_of_result
from convert.facts.edits import ABSENT, edits_of
from convert.model.events import ToolCall
from convert.model.json_lines import Losses

# How many refused calls of a run are kept: memory must not grow with the log.
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
        if is_done and not says_what_changed(call, input):
            self._losses.lack("what edits changed")
        block: Members = {"tool_use_id": id, "type": "tool_result"}
        text = _result_text(call, name, input)
        if call.outcome is None or call.outcome.status == "ok":
            details: Any = object_of(call, name, input)
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
        name, input = input_as_made(call)
        if not has_fragment(call, input):
            self._losses.add("the fragments of edits")
        return name, input

    def _deny(self, name: str, id: str, input: Members) -> None:
        denial = {"tool_name": name, "tool_use_id": id, "tool_input": input}
        if denial not in self.denials and len(self.denials) < _MOST_KEPT:
            self.denials.append(denial)


def _result_text(call: ToolCall, name: str, input: Members) -> str:
    """Return the text of a result, from which it is read how the call ended."""
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


# This is `outputs` and `edits` backwards, for the tools whose object says
# more than the text of their result.
def object_of(call: ToolCall, name: str, input: Members) -> Members | None:
    """Return the object of a call that ended well; None if no more is known."""
    make = _KINDS.get(call.kind)
    output = call.output
    if make is None or not isinstance(output, dict):
        return None
    return make(call, output, name, input)


def _shell(call: ToolCall, output: Members, name: str, input: Members) -> Members:
    whole = output.get("interleavedOutput")
    streams = {"stdout": output.get("stdout"), "stderr": output.get("stderr")}
    texts = {
        key: text if isinstance(text, str) else "" for key, text in streams.items()
    }
    if isinstance(whole, str) and not any(texts.values()):
        texts["stdout"] = whole
    # Only Cursor records that it is 0.
    code = output.get("exitCode")
    exits = {"exitCode": code} if isinstance(code, int) else {}
    return {**texts, "interrupted": False, "isImage": False, **exits}


def _edit(call: ToolCall, output: Members, name: str, input: Members) -> Members | None:
    for edit in edits_of(call):
        members: Members = {"filePath": edit.path}
        before = edit.before if isinstance(edit.before, str) else None
        if name == "Write" and "content" not in input:
            return None
        if name == "Write":
            is_new = call.is_new_file or edit.before is ABSENT
            members["type"] = "create" if is_new else "update"
            members["content"] = input["content"]
        elif name == "Edit":
            members["oldString"] = input.get("old_string", "")
            members["newString"] = input.get("new_string", "")
        else:
            members["edits"] = input.get("edits", [])
        members |= {"originalFile": before, "structuredPatch": hunks_of_edit(edit)}
        return members
    return None


def _read(call: ToolCall, output: Members, name: str, input: Members) -> Members | None:
    """Return the part of a file that was read, if it is known which it is."""
    match output:
        case {
            "content": str(content),
            "totalLines": int(total),
            "readRange": {"startLine": int(first), "endLine": int(last)},
        }:
            count = last - first + 1
        case {"content": str(content), "totalLines": int(total)}:
            first, count = 1, len(content.splitlines())
            if count != total:
                return None
        case _:
            return None
    file = {"filePath": input.get("file_path", ""), "content": content}
    lines = {"numLines": count, "startLine": first, "totalLines": total}
    return {"type": "text", "file": file | lines}


def _glob(call: ToolCall, output: Members, name: str, input: Members) -> Members | None:
    match output:
        case {"files": [*files]}:
            total = output.get("totalFiles", len(files))
            is_cut = output.get("clientTruncated") is True
            return {"filenames": files, "numFiles": total, "truncated": is_cut}
    return None


def _web_fetch(
    call: ToolCall, output: Members, name: str, input: Members
) -> Members | None:
    match output:
        case {"markdown": str(page)}:
            return {"url": input.get("url", ""), "result": page}
    return None


def _grep(call: ToolCall, output: Members, name: str, input: Members) -> Members | None:
    """Return findings as the files or as lines of text, by how they were asked for."""
    roots = output.get("workspaceResults")
    found = [*roots.values()] if isinstance(roots, dict) else []
    modes = {mode for each in found if isinstance(each, dict) for mode in each}
    text = text_of_output(call)
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


def _web_search(
    call: ToolCall, output: Members, name: str, input: Members
) -> Members | None:
    references = output.get("references")
    if not isinstance(references, list):
        return None
    known = [each for each in references if isinstance(each, dict)]
    pages = [{k: each.get(k, "") for k in ("title", "url")} for each in known]
    texts = [each["chunk"] for each in known if isinstance(each.get("chunk"), str)]
    listed = [{"content": [page for page in pages if page["url"]]}]
    return {"query": input.get("query", ""), "results": [*listed, *texts]}


def _task(call: ToolCall, output: Members, name: str, input: Members) -> Members | None:
    answer = text_of_output(call)
    is_begun = output.get("isBackground") is True
    state = "async_launched" if is_begun else "completed"
    id = output.get("agentId")
    known = {"agentId": id} if isinstance(id, str) else {}
    return {"status": state, "content": [{"type": "text", "text": answer}], **known}


_KINDS: dict[str, Callable[[ToolCall, Members, str, Members], Members | None]] = {
    "shell": _shell,
    "edit": _edit,
    "write": _edit,
    "read": _read,
    "glob": _glob,
    "grep": _grep,
    "task": _task,
    "webSearch": _web_search,
    "webFetch": _web_fetch,
}
