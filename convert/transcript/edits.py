"""The diff of an edit: as recorded, or computed from the contents before and after.

A recorded diff may be absent, have no headers (builds of January 2026) or contradict
its own counts (July 2026), as real logs show.
"""

from __future__ import annotations

import itertools
import re

from convert.transcript.fields import Fields
from convert.wording.differences import align, hunks
from convert.wording.sanitise import show_controls

_HEADERS = re.compile(r"--- .*\n\+\+\+ .*\n@@")
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)
_CONTEXT = 3


def diff_of(output: Fields, path: str) -> str:
    """Return the unified diff of an edit of a file; empty if nothing is recorded."""
    recorded = output.text("diffString")
    if "beforeFullFileContent" in output and "afterFullFileContent" in output:
        counts = output.number("linesAdded"), output.number("linesRemoved")
        found = changed_lines(recorded)
        is_contradicted = any(
            count is not None and count != actual
            for count, actual in zip(counts, found, strict=True)
        )
        if not has_headers(recorded) or is_contradicted:
            return _diff_of_contents(output, path)
    return recorded


def has_headers(diff: str) -> bool:
    """Return True if a diff names its files; a removed `-- comment` looks similar."""
    return _HEADERS.match(diff) is not None


def _diff_of_contents(output: Fields, path: str) -> str:
    """Compute the diff of the contents before and after.

    If they differ only in control characters, such as line ends, the diff shows these
    as signs.
    """
    names = "beforeFullFileContent", "afterFullFileContent"
    before, after = map(output.text, names)
    if before == after:
        before, after = (show_controls(str(output.value(name))) for name in names)
    return unified_diff(before, after, path)


def changed_lines(diff: str) -> tuple[int, int]:
    """Count the lines that a diff adds and removes."""
    hunk = _HUNK.search(diff)
    lines = "\n" + diff[hunk.start() if hunk else 0 :]
    return lines.count("\n+"), lines.count("\n-")


def unified_diff(before: str, after: str, path: str) -> str:
    """Diff two contents with three lines of context; empty if they are equal."""
    old, new = _lines(before), _lines(after)
    diff = []
    blocks = align(old, new).blocks
    for hunk in hunks(blocks, len(old), len(new), _CONTEXT):
        first, last = hunk[0], hunk[-1]
        removed = _range(first.old, last.old_end)
        added = _range(first.new, last.new_end)
        diff.append(f"@@ -{removed} +{added} @@\n")
        diff += [_prefixed(" ", line) for line in old[first.old : first.old_end]]
        for block, follower in itertools.pairwise(hunk):
            diff += [_prefixed("-", line) for line in old[block.old_end : follower.old]]
            diff += [_prefixed("+", line) for line in new[block.new_end : follower.new]]
            equal = old[follower.old : follower.old_end]
            diff += [_prefixed(" ", line) for line in equal]
    if not diff:
        return ""
    name = path.replace("\n", " ").lstrip("/")
    return f"--- a/{name}\n+++ b/{name}\n" + "".join(diff)


def _lines(text: str) -> list[str]:
    """Split a text into lines with their line feeds; nothing else ends a line."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _prefixed(mark: str, line: str) -> str:
    if line.endswith("\n"):
        return mark + line
    return f"{mark}{line}\n\\ No newline at end of file\n"


def _range(begin: int, end: int) -> str:
    """Write a range for the header of a hunk: the first line from 1, and a count."""
    if end - begin == 1:
        return str(begin + 1)
    return f"{begin + (end > begin)},{end - begin}"
