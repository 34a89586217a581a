"""What changed inside a call, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.changes import RunComparison
from convert.diff.details import (
    Detail,
    Hunk,
    LineChange,
    Span,
    ValueChange,
    WordChange,
    words_changed,
)
from convert.diff.reports.appearance import LineStyle, ReportLine, shown
from convert.wording.numbers import count
from convert.wording.sanitise import escape_controls, truncate

_MARKS = {"same": " ", "removed": "-", "added": "+"}
_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_REPLACED = ("removed", "added")
_MOST_VALUES = 20
_MOST_SPANS = 40
_LONGEST = 160


def detail_lines(details: list[Detail], is_full: bool = False) -> Iterator[ReportLine]:
    """The lines of a call's details, with the paths in a column.

    Of a text that changed in many places the first are shown, if not all are asked for.
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
                for hunk in detail.hunks:
                    for line in hunk_lines(hunk):
                        yield line._replace(text=f"      {line.text}")
                if detail.omitted:
                    left = count(detail.omitted, "more changed line")
                    yield ReportLine(f"      … {left}")
    if len(details) > _MOST_VALUES:
        yield ReportLine(f"    … {count(len(details) - _MOST_VALUES, 'more change')}")


def value(change: ValueChange) -> str:
    """Another value: `10 -> 20`, with a word for one that is not there."""
    if change.old is None or change.new is None:
        old, new = (
            "(absent)" if side is None else truncate(shown(side), _LONGEST)
            for side in (change.old, change.new)
        )
    else:
        old, new = map(shown, around(change.old, change.new))
    return f"{old} -> {new}"


def around(old: str, new: str) -> tuple[str, str]:
    """Two texts, of which long ones are shown from where they begin to differ."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    parted = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    begin = max(parted - _LONGEST // 4, 0)
    ones = (f"…{text[begin:]}" if begin else text for text in (old, new))
    one, other = (
        f"{text[:_LONGEST]}…" if len(text) > _LONGEST + 1 else text for text in ones
    )
    return one, other


def _first(change: WordChange) -> str:
    """The first changes of a text, and how many more there are."""
    changed = [at for at, span in enumerate(change.spans) if span.kind != "same"]
    if len(changed) <= _MOST_SPANS:
        return words(change)
    spans = change.spans[: changed[_MOST_SPANS]]
    left = count(len(changed) - _MOST_SPANS, "more change")
    return f"{words(change._replace(spans=spans))} … {left}"


def words(change: WordChange) -> str:
    """A text with its changes: `same [-old-]{+new+}`."""
    said, before = "", Span("same", "")
    for place, span in enumerate(change.spans):
        follower = change.spans[place + 1] if place + 1 < len(change.spans) else before
        text, gap = shown(_span(span, before, follower)), ""
        if _only_in_blanks(span, follower) or _only_in_blanks(before, span):
            text = truncate(escape_controls(repr(span.text)[1:-1]), _LONGEST)
        elif span.text[:1].isspace() and (before.kind, span.kind) != _REPLACED:
            gap = " "
        opening, closing = _BRACKETS[span.kind]
        said += f"{gap}{opening}{text}{closing}"
        before = span
    return said.strip()


def _span(span: Span, before: Span, follower: Span) -> str:
    """The text of a span; of a long one what differs from that in its place."""
    if span.kind == "same":
        long = len(span.text) > 4 * _LONGEST
        return f"{span.text[:_LONGEST]}…{span.text[-_LONGEST:]}" if long else span.text
    if (span.kind, follower.kind) == _REPLACED:
        return around(span.text, follower.text)[0]
    if (before.kind, span.kind) == _REPLACED:
        return around(before.text, span.text)[1]
    return truncate(span.text, _LONGEST)


def _only_in_blanks(one: Span, other: Span) -> bool:
    """Whether one text takes the place of another with other white space."""
    is_replaced = (one.kind, other.kind) == _REPLACED
    return is_replaced and one.text.split() == other.text.split()


def extent(change: LineChange) -> str:
    """How much of a text changed."""
    return f"{change.changed:,} of {count(change.total, 'line')}"


def result_change(run: RunComparison) -> WordChange | None:
    """How the final texts differ, if they do."""
    if run.text is None or run.text.is_equal:
        return None
    return words_changed("text", run.text.a, run.text.b)


def hunk_lines(hunk: Hunk) -> Iterator[ReportLine]:
    """A hunk with its marks; long lines are shown around what differs."""
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
        said = escape_controls(truncate(texts.get(kind, text), _LONGEST + 2))
        yield ReportLine(f"{_MARKS[kind]}{said}", style)
