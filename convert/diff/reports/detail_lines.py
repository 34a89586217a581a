"""The changes inside a call, as lines of text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from convert.diff.changes import RunComparison
from convert.diff.details import Detail, ValueChange
from convert.diff.reports.appearance import LineStyle, ReportLine, shown
from convert.diff.text_changes import Hunk, LineChange, Span, WordChange, words_changed
from convert.wording.numbers import count
from convert.wording.sanitise import escape_controls, truncate

_MARKS = {"same": " ", "removed": "-", "added": "+"}
_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_REPLACED = ("removed", "added")
_MOST_VALUES = 20
_MOST_SPANS = 40
_LONGEST = 160


def detail_lines(details: list[Detail], is_full: bool = False) -> Iterator[ReportLine]:
    """Yield the lines of a call's details, with the paths in a column.

    Shows the first changes of a text that has many, or all if `is_full`.
    """
    paths = [truncate(shown(detail.path), _LONGEST) for detail in details]
    width = max(map(len, paths), default=0)
    for path, detail in zip(paths[:_MOST_VALUES], details, strict=False):
        name = f"    {path:<{width}}  "
        match detail:
            case ValueChange():
                yield ReportLine(name + value(detail))
            case WordChange():
                yield ReportLine(name + (words(detail) if is_full else _first(detail)))
            case LineChange():
                yield ReportLine(name + extent(detail))
                yield from _indented_hunks(detail)
    if len(details) > _MOST_VALUES:
        yield ReportLine(f"    … {count(len(details) - _MOST_VALUES, 'more change')}")


def _indented_hunks(change: LineChange) -> Iterator[ReportLine]:
    for line in itertools.chain.from_iterable(map(hunk_lines, change.hunks)):
        yield line._replace(text=f"      {line.text}")
    if change.omitted:
        more = count(change.omitted, "more changed line")
        yield ReportLine(f"      … {more}")


def value(change: ValueChange) -> str:
    """Return two values as `10 -> 20`; a missing one is `(absent)`."""
    if change.old is None or change.new is None:
        old, new = (
            "(absent)" if side is None else truncate(shown(side), _LONGEST)
            for side in (change.old, change.new)
        )
    else:
        old, new = map(shown, around(change.old, change.new))
    return f"{old} -> {new}"


def around(old: str, new: str) -> tuple[str, str]:
    """Return two texts, long ones from shortly before they begin to differ."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    differs = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    begin = max(differs - _LONGEST // 4, 0)
    ones = (f"…{text[begin:]}" if begin else text for text in (old, new))
    one, other = (
        f"{text[:_LONGEST]}…" if len(text) > _LONGEST + 1 else text for text in ones
    )
    return one, other


def _first(change: WordChange) -> str:
    """Return the first changes of a text, and how many more there are."""
    changed = [at for at, span in enumerate(change.spans) if span.kind != "same"]
    if len(changed) <= _MOST_SPANS:
        return words(change)
    spans = change.spans[: changed[_MOST_SPANS]]
    more = count(len(changed) - _MOST_SPANS, "more change")
    return f"{words(change._replace(spans=spans))} … {more}"


def words(change: WordChange) -> str:
    """Return a text with its changes: `same [-old-]{+new+}`."""
    line, before = "", Span("same", "")
    for place, span in enumerate(change.spans):
        follower = change.spans[place + 1] if place + 1 < len(change.spans) else before
        text, gap = shown(_span(span, before, follower)), ""
        if _only_in_space(span, follower) or _only_in_space(before, span):
            text = truncate(escape_controls(repr(span.text)[1:-1]), _LONGEST)
        elif span.text[:1].isspace() and (before.kind, span.kind) != _REPLACED:
            gap = " "
        opening, closing = _BRACKETS[span.kind]
        line += f"{gap}{opening}{text}{closing}"
        before = span
    return line.strip()


def _span(span: Span, before: Span, follower: Span) -> str:
    """Return the text of a span; a long one is cut around what differs."""
    if span.kind == "same":
        long = len(span.text) > 4 * _LONGEST
        return f"{span.text[:_LONGEST]}…{span.text[-_LONGEST:]}" if long else span.text
    if (span.kind, follower.kind) == _REPLACED:
        return around(span.text, follower.text)[0]
    if (before.kind, span.kind) == _REPLACED:
        return around(before.text, span.text)[1]
    return truncate(span.text, _LONGEST)


def _only_in_space(one: Span, other: Span) -> bool:
    """Return True if one text replaces another that differs in white space only."""
    is_replaced = (one.kind, other.kind) == _REPLACED
    return is_replaced and one.text.split() == other.text.split()


def extent(change: LineChange) -> str:
    """Return how many lines of a text changed."""
    return f"{change.changed:,} of {count(change.total, 'line')}"


def result_change(run: RunComparison) -> WordChange | None:
    """Return how the final texts differ; None if they do not."""
    if run.text is None or run.text.is_equal:
        return None
    return words_changed("text", run.text.a, run.text.b)


def hunk_lines(hunk: Hunk) -> Iterator[ReportLine]:
    """Yield the lines of a hunk, long ones cut around what differs."""
    yield ReportLine(f"@@ line {hunk.line} @@", "head")
    changed = [line.text for line in hunk.lines if line.kind != "same"]
    kinds = [line.kind for line in hunk.lines if line.kind != "same"]
    if kinds == ["removed", "added"]:
        old, new = around(*changed)
        texts = {"removed": old, "added": new}
    else:
        texts = {}
    for kind, text in hunk.lines:
        style: LineStyle = "" if kind == "same" else kind
        line = escape_controls(truncate(texts.get(kind, text), _LONGEST + 2))
        yield ReportLine(f"{_MARKS[kind]}{line}", style)
