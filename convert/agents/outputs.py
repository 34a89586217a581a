"""Texts that tools return, as members of outputs of their kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from convert.tools.table import tool_of
from convert.wording import compiled
from convert.wording.diffs import hunks_of
from convert.wording.paths import has_drive, is_absolute, place_of, without_alias


def output_of_text(kind: str, text: str) -> Any:
    """Return the output of a call whose log records only a text.

    A tool of the agent's own has no members, and its output is the text.
    """
    if kind == "function":
        return text
    return {tool_of(kind).text_member or "content": text}


def first_text(members: dict[str, Any], *names: str) -> str:
    """Return the first of these members that is a non-empty text; "" without any."""
    values = (members.get(name) for name in names)
    return next((text for text in values if isinstance(text, str) and text), "")


# Claude Code writes `     1→` or, since 2.1, `1` and a tab.
_NUMBERED_LINE = r"(?s) *(\d{1,9})(?:→|\t)(.*)"


def content_without_numbers(
    text: str, numbered: str = _NUMBERED_LINE
) -> dict[str, Any]:
    """Return a content without numbers of lines, and the range of its lines.

    A text stays as it is unless all lines have numbers, one after the other. The groups
    of `numbered` are the number of a line and the line.
    """
    # Below the content, the agent reminds the model of something, without numbers.
    shown = text.partition("\n<system-reminder>")[0].rstrip("\n")
    found = [*map(compiled(numbered).fullmatch, shown.split("\n"))]
    numbers = [int(each[1]) for each in found if each]
    if not numbers or len(numbers) < len(found):
        return {"content": text}
    first, last = numbers[0], numbers[-1]
    if numbers != list(range(first, last + 1)):
        return {"content": text}
    lines = [each[2] for each in found if each]
    place = {"startLine": first, "endLine": last}
    return {"content": "\n".join(lines), "readRange": place}


# `--- a//home/ada/shop/src/cart.py` shows that the path is absolute, so that a
# comparison of runs in two directories finds the directory in it.
def headers(path: str, is_new: bool = False) -> str:
    """Return the two lines that name a file above its hunks."""
    old = "/dev/null" if is_new else f"a/{path}"
    return f"--- {old}\n+++ b/{path}\n"


def unified_diff(before: str | None, after: str, path: str) -> str:
    """Diff two contents of a file; empty if they are equal, None for no file."""
    diff = "".join(map(str, hunks_of(before or "", after)))
    return diff and headers(path, before is None) + diff


# In a match, Claude Code names the file below the directory of the run; in the lines
# around it, by the whole path: `/home/ada/shop/src/cart.py-12-text`.
Members = dict[str, Any]
# A match has colons, a line around it has hyphens. A drive is part of a path.
_PATH = r"(?:[A-Za-z]:[\\/])?+[^:\n]*?"
_NUMBERED_MATCH = rf"({_PATH}):(\d{{1,9}}):(.*)"
_NAMED = rf"({_PATH}):(.*)"
_AROUND = r"-(?:(\d{1,9})-)?(.*)"
_ALONE = r"(\d{1,9})([:-])(.*)"
_IN_NO_PATH = frozenset(" \t\"'(){}<>=,;")
# The most characters of a path, and the most folders.
_LONGEST = 4096
_DEEPEST = 64


def matches_in(content: str, place: str = "", directory: str = "") -> list[Members]:
    """Return the matches by file, as Cursor's search has them.

    `place` is the file or the folder that was searched; lines do not name a single
    file. `directory` is the directory of the run.
    """
    lines = [line for line in content.split("\n") if line and line != "--"]
    if _is_of_one_file(lines, place, directory):
        alone = [_line_without_path(line) for line in lines]
        return [{"file": place, "matches": alone}] if alone else []
    found = [_match(line) for line in lines]
    if any("lineNumber" in match for _, match in filter(None, found)):
        # Then all matches have numbers, and a line without is one around them.
        found = [each if each and "lineNumber" in each[1] else None for each in found]
    named = _NamedFiles(directory, [path for path, _ in filter(None, found)])
    files: dict[str, list[Members]] = {}
    for line, each in zip(lines, found, strict=True):
        match = each if each and each[0] in named.paths else named.around(line)
        path, members = match or (place, _line_without_path(line))
        files.setdefault(path, []).append(members)
    return [{"file": path, "matches": matches} for path, matches in files.items()]


def _is_of_one_file(lines: list[str], place: str, directory: str) -> bool:
    """Return True if the lines are of the file that was searched.

    The name of the place does not show if it is a folder. The lines of a folder begin
    with a path below the directory, which is a tail of the place.
    """
    if not place:
        return False
    places = [place_of(path, directory).key for path in (place, directory)]
    if f"{places[1]}/".startswith(f"{places[0]}/"):
        return False
    found = map(compiled(_ALONE).fullmatch, lines)
    marks = {each[2] if each else "" for each in found}
    if marks in ({":"}, {":", "-"}):
        return True
    *_, name = parts = _comparable(place).lower().split("/")[-_DEEPEST:]
    below = tuple("/".join(parts[at:]) + "/" for at in range(len(parts)))
    is_named = any(
        line.startswith(place) or _comparable(line[:_LONGEST]).lower().startswith(below)
        for line in lines
    )
    return _has_suffix(name) and not is_named


def _match(line: str) -> tuple[str, Members] | None:
    """Return the file of a line that may match, and the line; None for any other."""
    if (found := compiled(_NUMBERED_MATCH).fullmatch(line)) and found[1]:
        return found[1], {"lineNumber": int(found[2]), "content": found[3]}
    found = compiled(_NAMED).fullmatch(line)
    if found and found[1] and _IN_NO_PATH.isdisjoint(found[1]):
        return found[1], {"content": found[2]}
    return None


class _NamedFiles:
    """The files that matches name, to find the files of the lines around them."""

    def __init__(self, directory: str, found: list[str]) -> None:
        self._directory = directory
        # The files by each spelling of their paths.
        self._spellings: dict[str, str] = {}
        self.paths: set[str] = set()
        for path in sorted({*found}, key=len):
            # A line around a match can look like a match: `a.py-12-see b.py:3: …`.
            match self._next_to_match(path):
                case file, number, _ if number or _has_suffix(file):
                    continue
            self.paths.add(path)
            for spelling in (without_alias(path), place_of(path, directory).key):
                self._spellings.setdefault(_comparable(spelling), path)

    def around(self, line: str) -> tuple[str, Members] | None:
        """Return the file of a line next to a match, and the line."""
        found = self._next_to_match(line) or self._without_match(line)
        if found is None:
            return None
        path, number, text = found
        members: Members = {"lineNumber": int(number)} if number else {}
        return path, {**members, "content": text, "isContextLine": True}

    def _next_to_match(self, line: str) -> tuple[str, str, str] | None:
        if line.startswith("/private"):
            line = without_alias(line)
        spelled = _comparable(line[:_LONGEST])
        for at in _hyphens(spelled):
            named = self._spellings.get(spelled[:at])
            if named and (found := compiled(_AROUND).fullmatch(line, at)):
                return named, found[1] or "", found[2]
        return None

    def _without_match(self, line: str) -> tuple[str, str, str] | None:
        """Return the parts of a line of a file whose match the log does not have."""
        if not is_absolute(line):
            return None
        for at in _hyphens(line[:_LONGEST]):
            found = compiled(_AROUND).fullmatch(line, at)
            if found and found[1] and _has_suffix(line[:at]):
                inside = place_of(line[:at], self._directory).name
                return inside or line[:at], found[1], found[2]
        return None


def _hyphens(line: str) -> Iterator[int]:
    """Yield the places where the path of a line may end."""
    return (found.start() for found in re.finditer("-", line))


def _comparable(path: str) -> str:
    """Return a path for comparisons: on Windows, case and slashes do not matter."""
    path = path.replace("\\", "/")
    if not has_drive(path):
        return path
    low = path.lower()
    # Places in the path must stay the same: some letters get longer in lower case.
    return low if len(low) == len(path) else path


def _has_suffix(path: str) -> bool:
    return "." in re.split(r"[\\/]", path)[-1].strip(".")


def _line_without_path(line: str) -> Members:
    """Return a line that does not name its file."""
    found = compiled(_ALONE).fullmatch(line)
    if found is None:
        return {"content": line}
    match: Members = {"lineNumber": int(found[1]), "content": found[3]}
    return match if found[2] == ":" else {**match, "isContextLine": True}
