"""The files in the end: what both runs did to each, and where its contents differ."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.changes import RunComparison
from convert.diff.net_files import NO_DIFFERENCE, Change, FileComparison
from convert.diff.reports.appearance import Look
from convert.diff.reports.file_words import (
    done_in_words,
    file_words,
    in_order,
    may_have_changed,
    other_commands,
)
from convert.diff.reports.html.marked import Marked, marked_contents
from convert.diff.reports.html.rows import lines_in_words
from convert.diff.trajectory import Trajectory
from convert.facts.edits import text_of
from convert.facts.net_changes import NetChange

MOST_FILES = 12
"""So many files stand in sight, with the lines that differ."""

_SAME = (
    "Same: the file holds the same in the end, or the runs began with other contents"
    " and changed the same in them."
)


class FileRow(Struct, frozen=True):
    """A file, and what both runs did to it in the end."""

    path: str
    a: str
    b: str
    words: str
    contents: Marked | None
    """Where the contents in the end differ; None where that is not known."""


def file_rows(run: RunComparison, look: Look) -> Iterator[FileRow]:
    """Yield the files that a run changed, those that differ first."""
    for place, file in enumerate(in_order(run.files)):
        has_room = place < MOST_FILES or look.is_full
        contents = _contents(file, run, look) if has_room else None
        yield FileRow(
            file.path, _done(file.a), _done(file.b), _words(file, has_room), contents
        )


def file_notes(run: RunComparison, look: Look) -> Iterator[str]:
    """Yield how files are compared, and which commands may have changed others."""
    if any(file.status in ("same", "differs") for file in run.files):
        yield _SAME
    if run.level != "calls":
        return
    # Asked once: a parser examines each command.
    commands = run.commands
    if (run.files and any(commands)) or other_commands(commands):
        words = may_have_changed(commands, look.is_full)
        yield f"{words[:1].upper()}{words[1:]}."


def _words(file: FileComparison, has_room: bool) -> str:
    """Return how the changes of a file compare, and where the logs tell."""
    differs = file.status not in NO_DIFFERENCE
    where = lines_in_words(*file.lines) if differs else ""
    words = ", ".join(filter(None, (file_words(file), where)))
    if not has_room and file.status == "differs":
        words += "; --full shows the lines"
    return words


def _done(change: Change | None) -> str:
    """Return what a run did to a file, with the numbers of lines."""
    if change is None:
        return ""
    counts = change.counts
    lines = f" +{counts[0]:,} −{counts[1]:,}" if counts else ""
    return f"{done_in_words(change)}{lines}"


def _contents(file: FileComparison, run: RunComparison, look: Look) -> Marked | None:
    """Return where the contents differ of a file that both runs changed."""
    if file.status != "differs":
        return None
    one, other = _text(file.a, run.a), _text(file.b, run.b)
    if one is None or other is None:
        return None
    return marked_contents(file.path, one, other, look)


def _text(change: Change | None, run: Trajectory | None) -> str | None:
    """Return what a file holds in the end, after the rules for contents."""
    if not isinstance(change, NetChange):
        return None
    text = text_of(change.after)
    return None if text is None or run is None else run.normaliser.content(text)
