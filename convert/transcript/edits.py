"""The diff of an edit for people: as recorded, or computed from the contents.

A recorded diff may be absent, have no headers (builds of January 2026) or contradict
its own counts (July 2026), as real logs show.
"""

from __future__ import annotations

from msgspec import Struct

from convert.transcript.fields import Fields
from convert.wording.git_patches import headers, unified_diff
from convert.wording.hunks import changed_lines, has_headers
from convert.wording.sanitise import show_controls

_NOWHERE = "/dev/null"


class Diff(Struct, frozen=True):
    """The unified diff of an edit of a file."""

    text: str
    """The diff; empty if nothing is recorded."""

    added: int
    """The number of lines that are added."""

    removed: int
    """The number of lines that are removed."""


def diff_of(output: Fields, path: str) -> Diff:
    """Return the diff of an edit of a file.

    Its headers name the file by `path`, which is relative to the directory of the run:
    then `git apply` takes it there.
    """
    recorded = output.text("diffString")
    is_headed = has_headers(recorded)
    added, removed = changed_lines(recorded)
    if "beforeFullFileContent" in output and "afterFullFileContent" in output:
        told = output.number("linesAdded"), output.number("linesRemoved")
        is_contradicted = told[0] not in (None, added) or told[1] not in (None, removed)
        if is_contradicted or not is_headed:
            diff = _diff_of_contents(output, path)
            return Diff(diff, *changed_lines(diff))
    if is_headed:
        return Diff(_headed(recorded, path), added, removed)
    if recorded.startswith("@@ "):
        recorded = headers(path) + recorded
    return Diff(recorded, *changed_lines(recorded))


def _headed(diff: str, path: str) -> str:
    """Return a recorded diff below headers of our own instead of its own."""
    old, new, hunks = diff.split("\n", 2)
    is_new, is_deleted = old[4:].strip() == _NOWHERE, new[4:].strip() == _NOWHERE
    return headers(path, is_new, is_deleted) + hunks


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
