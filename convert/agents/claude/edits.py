"""The objects of tools of Claude Code that change files, as members of `edit`.

`structuredPatch` is a unified diff but for its headers; it is empty for a new file. The
content before an edit is recorded by most builds, so that the one after follows.
"""

from __future__ import annotations

from typing import Any

from convert.agents.diffs import headers, unified_diff
from convert.wording.hunks import changed_lines
from convert.wording.sanitise import repair_surrogates

Members = dict[str, Any]


def edit_of(details: Members) -> Members | None:
    """Return the members of an edit; None for an object that is of no edit."""
    path = _text(details, "filePath")
    if path is None or not details.keys() & {"structuredPatch", "content", "newString"}:
        return None
    path = repair_surrogates(path)
    before = _text(details, "originalFile", "originalFileContents")
    after = _after(details, before)
    diff = _diff_of_patch(details.get("structuredPatch"), path)
    if not diff and details.get("type") == "create" and after is not None:
        diff = unified_diff(None, after, path)
    members: Members = {"path": path, "diffString": diff or None}
    members |= {"beforeFullFileContent": before, "afterFullFileContent": after}
    if diff:
        members["linesAdded"], members["linesRemoved"] = changed_lines(diff)
    return {name: value for name, value in members.items() if value is not None}


def _after(details: Members, before: str | None) -> str | None:
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
