"""The object that a tool of Claude Code records, as members of its kind.

The members are those of Cursor's tools, which transcripts and comparisons know.
"""

from __future__ import annotations

from typing import Any

from convert.agents.outputs import headers, matches_in, unified_diff
from convert.agents.tool_names import Members, NativeCall, recorded, renamed
from convert.wording.diffs import changed_lines
from convert.wording.escapes import repair_surrogates


def output_of(
    call: NativeCall, text: str, details: Members, directory: str = ""
) -> Any:
    """Return the output of a call; None if its object says no more than its text.

    `directory` is that of the run, if it is known.
    """
    match call.kind, details:
        case "edit", _:
            return _edit_of(details)
        case "shell", {"stdout": str()} | {"stderr": str()}:
            return _shell(text, details)
        case "read", {"file": {"content": str(content), **lines}}:
            return {"content": content, **_read_range(lines)}
        case "read", {"file": {"base64": str(data)}}:
            return {"data": data}
        case "grep", {"mode": "content", "content": str(content)}:
            place = _text(call.arguments or {}, "path") or ""
            matches = matches_in(content, place, directory)
            return _findings("content", "matches", matches)
        case "grep", {"mode": "count", "content": str(content)}:
            return _findings("count", "counts", _counts(content))
        case "grep", {"filenames": [*files]}:
            return {"workspaceResults": {"": {"files": _files(files, details)}}}
        case "glob", {"filenames": [*files]}:
            is_cut = details.get("truncated") is True
            cut = {"clientTruncated": True} if is_cut else {}
            return _files(files, details) | cut
        case "webSearch", {"results": [*results]}:
            return {"references": _references(results)}
        case "webFetch", {"result": str(page)}:
            return {"markdown": page}
        case "task", _:
            return _task(text, details)
        case (
            ("updateTodos" | "readTodos"),
            ({"newTodos": [*todos]} | {"tasks": [*todos]}),
        ):
            return renamed("updateTodos", {"todos": todos})
        case "askQuestion", {"answers": dict(answers)}:
            return _answers(call, answers)
        case "await", _:
            task = details.get("task")
            code = (task if isinstance(task, dict) else details).get("exitCode")
            ended = {"exitCode": code} if isinstance(code, int) else {}
            return {"content": text} | ended
    # A tool of its own is shown by its text; some have none.
    return None if text or call.kind in _KINDS else details


# The object of a plan repeats it, and the text has the user's opinion.
_KINDS = frozenset(
    {
        *("shell", "read", "grep", "glob", "webSearch", "webFetch"),
        *("updateTodos", "readTodos", "askQuestion", "createPlan"),
    }
)


def _shell(text: str, details: Members) -> Members:
    streams = _texts(details, "stdout", "stderr")
    code = details.get("exitCode", details.get("exit_code"))
    if isinstance(code, int):
        streams["exitCode"] = code
    if details.get("backgroundTaskId"):
        streams |= {"isBackground": True, "shellId": details["backgroundTaskId"]}
    if details.get("interrupted") is True:
        streams["aborted"] = True
    if details.get("isImage") is True:
        streams["stdout"] = text
    return streams | _texts(details, "returnCodeInterpretation")


def _read_range(place: Any) -> Members:
    """Return which lines of a file were read, and how many it has."""
    match place:
        case {"startLine": int(first), "numLines": int(count), "totalLines": int(all_)}:
            if count:
                read = {"startLine": first, "endLine": first + count - 1}
                return {"totalLines": all_, "readRange": read}
            return {"totalLines": all_}
    return {}


def _findings(mode: str, name: str, found: list[Members]) -> Members:
    return {"workspaceResults": {"": {mode: {name: found}}}}


def _files(files: list[Any], details: Members) -> Members:
    return {"files": files, "totalFiles": details.get("numFiles", len(files))}


def _counts(content: str) -> list[Members]:
    counts = []
    for line in content.split("\n"):
        path, _, number = line.rpartition(":")
        if path and number.isdecimal():
            counts.append({"file": path, "count": int(number)})
    return counts


def _references(results: list[Any]) -> list[Any]:
    """Return the texts and the pages that a search found."""
    references: list[Any] = []
    for result in results:
        match result:
            case str():
                references.append({"chunk": result})
            case {"content": [*pages]}:
                references += pages
    return references


def _task(text: str, details: Members) -> Members:
    is_begun = details.get("status") in ("async_launched", "running")
    took = details.get("totalDurationMs")
    return {
        "content": text,
        **({"isBackground": True} if is_begun else {}),
        **({"durationMs": took} if isinstance(took, int) else {}),
        **_texts(details, "agentId"),
    }


def _answers(call: NativeCall, answers: Members) -> Members | None:
    """Return the answers to the questions of a call."""
    questions = (call.arguments or {}).get("questions")
    if not isinstance(questions, list):
        return None
    given = []
    for question in questions:
        match question:
            case {"id": id, "prompt": str(prompt)}:
                answer = answers.get(prompt)
                if isinstance(answer, str):
                    given.append({"questionId": id} | _answer(answer, question))
    return {"answers": given}


def _answer(answer: str, question: Members) -> Members:
    """Return which options were chosen, or the text that was given instead."""
    options = question.get("options")
    labels = [
        option.get("id")
        for option in (options if isinstance(options, list) else ())
        if isinstance(option, dict)
    ]
    chosen = [answer] if answer in labels else answer.split(", ")
    if all(each in labels for each in chosen):
        return {"selectedOptionIds": chosen}
    return {"freeformText": answer}


def _texts(members: Members, *names: str) -> Members:
    """Return the members of these names that are texts."""
    return {name: members[name] for name in names if isinstance(members.get(name), str)}


# `structuredPatch` is a unified diff without headers, and empty for a new file. Most
# builds record the content before an edit, which shows the content after it.
def _edit_of(details: Members) -> Members | None:
    """Return the members of an edit; None for any other object."""
    path = _text(details, "filePath")
    if path is None or not details.keys() & {"structuredPatch", "content", "newString"}:
        return None
    path = repair_surrogates(path)
    before = _text(details, "originalFile", "originalFileContents")
    after = _content_after(details, before)
    diff = _diff_of_patch(details.get("structuredPatch"), path)
    if not diff and details.get("type") == "create" and after is not None:
        diff = unified_diff(None, after, path)
    members: Members = {"path": path, "diffString": diff or None}
    members |= {"beforeFullFileContent": before, "afterFullFileContent": after}
    if diff:
        members["linesAdded"], members["linesRemoved"] = changed_lines(diff)
    return recorded(members)


def _content_after(details: Members, before: str | None) -> str | None:
    """Return the content after an edit; None if it is not known for certain."""
    if details.get("userModified") is True:
        return None
    if details.get("type") in ("create", "update"):
        return _text(details, "content")
    edits = details.get("edits")
    for edit in edits if isinstance(edits, list) else [details]:
        match edit:
            case {"oldString": str(old), "newString": str(new)} | {
                "old_string": str(old),
                "new_string": str(new),
            }:
                is_all = edit.get("replaceAll", edit.get("replace_all")) is True
                before = _replaced(before, old, new, is_all)
            case _:
                return None
    return before


def _replaced(text: str | None, old: str, new: str, is_all: bool) -> str | None:
    """Return a text with a part replaced; None if that part is not there once."""
    if text is None or (not old and text):
        return None
    count = text.count(old)
    if count == 0 or (count > 1 and not is_all):
        return None
    return text.replace(old, new)


def _diff_of_patch(patch: Any, path: str) -> str:
    """Return a unified diff with its headers; "" if the patch is empty or damaged."""
    hunks = []
    for hunk in patch if isinstance(patch, list) else ():
        match hunk:
            case {
                "oldStart": int(old_start),
                "oldLines": int(old_lines),
                "newStart": int(new_start),
                "newLines": int(new_lines),
                "lines": [*lines],
            } if all(isinstance(line, str) for line in lines):
                old, new = f"{old_start},{old_lines}", f"{new_start},{new_lines}"
                body = "".join(f"{line}\n" for line in lines)
                hunks.append(f"@@ -{old} +{new} @@\n{body}")
            case _:
                return ""
    return headers(path) + "".join(hunks) if hunks else ""


def _text(members: Members, *names: str) -> str | None:
    found = (members[name] for name in names if isinstance(members.get(name), str))
    return next(found, None)
