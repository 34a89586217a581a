"""The changes of files that a tool of opencode made, as the members of an edit."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from convert.agents.diffs import headers, unified_diff
from convert.formats.opencode.wire import SaidInFull
from convert.wording.hunks import changed_lines, without_headers

_PATCHES = ("apply_patch", "patch")


class PatchedFile(NamedTuple):
    """One file of a patch."""

    kind: str
    """`edit` or `delete`."""

    path: str
    output: dict[str, Any]
    is_new: bool


def patched_files(tool: str, files: Any) -> list[PatchedFile]:
    """Return the files that a patch changed; none for any other tool."""
    if tool not in _PATCHES or not isinstance(files, list):
        return []
    return [
        _patched(file, path)
        for file in files
        if isinstance(file, dict) and (path := _text(file, "movePath", "filePath"))
    ]


def _patched(file: dict[str, Any], path: str) -> PatchedFile:
    before, after = file.get("before"), file.get("after")
    change = file.get("type")
    is_new = change == "add"
    if change == "delete":
        return PatchedFile("delete", path, {}, False)
    diff = _text(file, "patch", "diff")
    if not diff and isinstance(before, str) and isinstance(after, str):
        diff = unified_diff(None if is_new else before, after, path)
    members = _members(diff, path, is_new)
    if is_new and file.get("additions") == 0:
        members["afterFullFileContent"] = ""
    return PatchedFile("edit", path, members, is_new)


def is_new_file(said: SaidInFull) -> bool:
    """Return True if a tool says that the file which it wrote was not there."""
    return said.exists is False


def change_of(arguments: dict[str, Any], said: SaidInFull, text: str) -> dict[str, Any]:
    """Return what an edit changed, as far as the log records it."""
    path = _text(arguments, "filePath", "path")
    found = said.filediff if isinstance(said.filediff, dict) else {}
    match found:
        case {"before": str(before), "after": str(after)}:
            return {
                "message": text,
                "beforeFullFileContent": before,
                "afterFullFileContent": after,
                **_members(unified_diff(before, after, path), path),
            }
    diff = said.diff if isinstance(said.diff, str) else _text(found, "patch")
    written = arguments.get("content")
    if not diff and is_new_file(said) and isinstance(written, str):
        diff = unified_diff(None, written, path)
    members = _members(_indented(diff, arguments), path, is_new_file(said))
    if isinstance(written, str):
        members["afterFullFileContent"] = written
    return {"message": text, **members}


def _members(diff: str, path: str, is_new: bool = False) -> dict[str, Any]:
    """Return a diff with headers, and how many lines it adds and removes."""
    hunks = without_headers(diff)
    if not hunks.startswith("@@"):
        return {}
    added, removed = changed_lines(hunks)
    return {
        "diffString": headers(path, is_new) + hunks,
        "linesAdded": added,
        "linesRemoved": removed,
    }


def _indented(diff: str, arguments: dict[str, Any]) -> str:
    """Return a diff with the indentation that its lines have in common.

    opencode leaves it out; the texts that were passed to the tool show it, if they
    begin at the head of a line.
    """
    given = [arguments.get("oldString"), arguments.get("newString")]
    lines = [line for text in given if isinstance(text, str) for line in _lines(text)]
    changed = re.findall(r"^[-+](?![-+]{2} )(.*\S.*)$", diff, re.MULTILINE)
    indent = _indent(changed, lines)
    return re.sub(r"^([-+ ](?![-+]{2} ))(?=.*\S)", rf"\1{indent}", diff, flags=re.M)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _indent(changed: Iterable[str], lines: list[str]) -> str:
    """Return the white space that a text has before a changed line, and a diff not."""
    for line, whole in itertools.product(changed, lines):
        indent = whole.removesuffix(line)
        if indent and indent != whole and not indent.strip():
            return indent
    return ""


def _text(members: dict[str, Any], *names: str) -> str:
    """Return the first of these members that is a non-empty text."""
    for name in names:
        value = members.get(name)
        if isinstance(value, str) and value:
            return value
    return ""
