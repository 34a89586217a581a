"""The changes inside calls, in marked lines and words, as far as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from convert.diff.call_contents import Value
from convert.diff.changes import Finding
from convert.diff.comparison import Comparison
from convert.diff.details import Detail, ValueChange, details_of
from convert.diff.reports.appearance import Look, shown
from convert.diff.reports.detail_lines import (
    EVERYTHING,
    Bounds,
    extent,
    first_hunks,
)
from convert.diff.reports.selection import left_out, select, with_details
from convert.diff.reports.wordings import around, elided, first_changes
from convert.diff.text_changes import (
    Contents,
    LineChange,
    Rewording,
    Span,
    WordChange,
    text_lines_changed,
)
from convert.wording.numbers import count
from convert.wording.sanitise import truncate

# The most that a page shows of each detail, and of all of them in characters.
_BOUNDS = Bounds(values=40, lines=60, changes=80, longest=400, command=2000)
_MOST = 1_500_000
# The markup of a line takes about this much.
_MARKUP = 60


class MarkedLine(Struct, frozen=True):
    """A line of a text, or a line that both sides have in another wording."""

    kind: Literal["same", "removed", "added", "head", "reworded"]
    spans: list[Span]
    """Its parts; one, unless it is reworded."""


class Marked(Struct, frozen=True, kw_only=True):
    """A member of a call, with what only one side has of it."""

    path: str
    old: str | None = None
    new: str | None = None
    """Two values; None for a side without one."""

    words: list[Span] = []
    """Two wordings as one."""

    lines: list[MarkedLine] = []
    note: str = ""
    """How much of it changed; empty if that is in sight."""

    left_out: str = ""
    """How much of it is left out; empty if nothing is."""


def marked_details(
    compared: Comparison, look: Look
) -> tuple[dict[int, list[Marked]], str]:
    """Return what changed inside calls, by the identity of their comparisons.

    The most severe come first; the second value says how many have no room.
    """
    bounds = EVERYTHING if look.is_full else _BOUNDS

    def show(finding: Finding) -> list[Marked]:
        assert finding.comparison is not None
        details = details_of(finding.comparison, compared.settings)
        return list(_marked(details, bounds))

    found = [each for each in with_details(compared) if each.comparison is not None]
    selected = select(found, show, _size, None if look.is_full else _MOST)
    shown_of = {id(finding.comparison): marked for finding, marked in selected.shown}
    return shown_of, left_out(selected, "details ")


def marked_contents(path: str, a: str, b: str, look: Look) -> Marked:
    """Return the lines in which two contents of a file differ."""
    most = EVERYTHING if look.is_full else _BOUNDS
    return _hunks(path, text_lines_changed(path, a, b), most)


def _size(details: list[Marked]) -> int:
    """Return about how many characters details take on a page."""
    size = 0
    for marked in details:
        spans = [*marked.words, *(span for line in marked.lines for span in line.spans)]
        texts = [marked.path, marked.old or "", marked.new or ""]
        size += sum(map(len, texts)) + sum(len(span.text) for span in spans)
        size += _MARKUP * (2 + len(spans))
    return size


def _marked(details: list[Detail], most: Bounds) -> Iterator[Marked]:
    """Yield the first details of a call, and how many more there are."""
    for detail in details[: most.values]:
        path = truncate(shown(detail.path), most.longest)
        match detail:
            case ValueChange():
                yield _values(path, detail, most)
            case Value():
                yield Marked(path=path, new=truncate(shown(detail.value), most.command))
            case WordChange():
                words, more = _words(detail.spans, most)
                yield Marked(path=path, words=words, left_out=more)
            case LineChange():
                yield _hunks(path, detail, most)
            case Contents():
                yield _contents(path, detail, most)
    if len(details) > most.values:
        more = f"… {count(len(details) - most.values, 'more change')}"
        yield Marked(path="", left_out=more)


def _values(path: str, change: ValueChange, most: Bounds) -> Marked:
    if change.old is not None and change.new is not None:
        old, new = map(shown, around(change.old, change.new, most.longest))
        return Marked(path=path, old=old, new=new)
    old_or_none, new_or_none = (
        None if side is None else truncate(shown(side), most.longest)
        for side in (change.old, change.new)
    )
    return Marked(path=path, old=old_or_none, new=new_or_none, note="absent")


def _words(spans: list[Span], most: Bounds) -> tuple[list[Span], str]:
    """Return the first changes of a wording, and how many more there are."""
    if most is EVERYTHING:
        return spans, ""
    first, more = first_changes(list(elided(spans)), most.changes)
    cut = [span._replace(text=_ends_of(span.text, most.longest)) for span in first]
    return cut, f"… {count(more, 'more change')}" if more else ""


def _ends_of(text: str, longest: int) -> str:
    """Return the start and the end of a long text."""
    if len(text) <= 4 * longest:
        return text
    return f"{text[: 2 * longest]} … {text[-2 * longest :]}"


def _hunks(path: str, change: LineChange, most: Bounds) -> Marked:
    hunks, more = first_hunks(change, most)
    lines = []
    for hunk in hunks:
        lines.append(MarkedLine("head", [Span("same", f"@@ line {hunk.line} @@")]))
        lines += [_line(line, most) for line in hunk.lines]
    return Marked(path=path, lines=lines, note=extent(change), left_out=more)


def _line(line: Span | Rewording, most: Bounds) -> MarkedLine:
    if isinstance(line, Rewording):
        return MarkedLine("reworded", _words(line.spans, most)[0])
    return MarkedLine(
        line.kind, [line._replace(text=truncate(line.text, most.longest))]
    )


def _contents(path: str, contents: Contents, most: Bounds) -> Marked:
    lines = [_line(line, most) for line in contents.lines[: most.lines]]
    more = len(contents.lines) - len(lines)
    return Marked(
        path=path,
        lines=lines,
        note=count(len(contents.lines), "line"),
        left_out=f"… {count(more, 'more line')}" if more else "",
    )
