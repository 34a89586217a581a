"""The output of a search, `path:12:text`, as the lines that it found in each file."""

from __future__ import annotations

import re
from typing import Any

Members = dict[str, Any]
# A line that matches has colons, one around it hyphens. A drive is part of a path.
_PATH = r"(?:[A-Za-z]:[\\/])?+[^:\n]*?"
_NUMBERED = re.compile(rf"({_PATH}):(\d{{1,9}}):(.*)")
_NAMED = re.compile(rf"({_PATH}):(.*)")
_AROUND = re.compile(r"-(?:(\d{1,9})-)?(.*)")
_ALONE = re.compile(r"(\d{1,9})([:-])(.*)")
_IN_NO_PATH = frozenset(" \t\"'(){}<>=,;")
_GAP = "--"
# No path is longer, in characters.
_LONGEST = 4096


def matches_in(content: str, place: str = "") -> list[Members]:
    """Return the matches by file, as Cursor's search has them.

    `place` is where was searched: of one file, the lines do not name it.
    """
    lines = [line for line in content.split("\n") if line and line != _GAP]
    if _is_file(place) and not any(line.startswith(place) for line in lines):
        alone = [_alone(line) for line in lines]
        return [{"file": place, "matches": alone}] if alone else []
    files: dict[str, list[Members]] = {}
    found = [_match(line) for line in lines]
    named = {path for path, _ in filter(None, found)}
    for line, each in zip(lines, found, strict=True):
        path, match = each or _around(line, named) or (place, _alone(line))
        files.setdefault(path, []).append(match)
    return [{"file": path, "matches": matches} for path, matches in files.items()]


def _is_file(path: str) -> bool:
    name = re.split(r"[\\/]", path)[-1]
    return "." in name.strip(".")


def _match(line: str) -> tuple[str, Members] | None:
    """Return the file of a line that matches, and the line; None for any other."""
    if (found := _NUMBERED.fullmatch(line)) and found[1]:
        return found[1], {"lineNumber": int(found[2]), "content": found[3]}
    found = _NAMED.fullmatch(line)
    if found and found[1] and _IN_NO_PATH.isdisjoint(found[1]):
        return found[1], {"content": found[2]}
    return None


def _around(line: str, named: set[str]) -> tuple[str, Members] | None:
    """Return the file of a line beside a match, by the files of the matches."""
    for hyphen in re.finditer("-", line[:_LONGEST]):
        path = line[: hyphen.start()]
        if path in named and (found := _AROUND.fullmatch(line, hyphen.start())):
            number = {"lineNumber": int(found[1])} if found[1] else {}
            return path, {**number, "content": found[2], "isContextLine": True}
    return None


def _alone(line: str) -> Members:
    """Return a line that does not name its file."""
    found = _ALONE.fullmatch(line)
    if found is None:
        return {"content": line}
    match: Members = {"lineNumber": int(found[1]), "content": found[3]}
    return match if found[2] == ":" else {**match, "isContextLine": True}
