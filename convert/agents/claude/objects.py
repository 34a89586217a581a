"""The object that a tool of Claude Code records of its result, made of our members.

This is `outputs` and `edits` backwards, for the tools whose object says
more than the text of their result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from convert.agents.output_texts import text_of_output
from convert.facts.edits import ABSENT, FileEdit, edits_of
from convert.model.events import ToolCall
from convert.wording.hunks import hunks_of, without_headers

Members = dict[str, Any]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def object_of(call: ToolCall, name: str, input: Members) -> Members | None:
    """Return the object of a call that ended well; None if no more is known."""
    make = _KINDS.get(call.kind)
    output = call.output
    if make is None or not isinstance(output, dict):
        return None
    return make(call, output, name, input)


def hunks_of_edit(edit: FileEdit) -> list[Members]:
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
