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
from convert.display import cut, visible
from convert.figures import count
from convert.report.lines import Line, Style, shown

_MARKS = {"same": " ", "removed": "-", "added": "+"}
_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_REPLACED = ("removed", "added")
_MOST_VALUES = 20
_LONGEST = 160


def inside(details: list[Detail]) -> Iterator[Line]:
    """The lines of a call's details, with the paths in a column."""
    width = max((len(shown(detail.path)) for detail in details), default=0)
    for detail in details[:_MOST_VALUES]:
        name = f"    {shown(detail.path):<{width}}  "
        match detail:
            case ValueChange():
                yield Line(name + value(detail))
            case WordChange():
                yield Line(name + words(detail))
            case LineChange():
                yield Line(name + extent(detail))
                for hunk in detail.hunks:
                    for line in hunk_lines(hunk):
                        yield line._replace(text=f"      {line.text}")
                if detail.omitted:
                    left = count(detail.omitted, "more changed line")
                    yield Line(f"      … {left}")
    if len(details) > _MOST_VALUES:
        yield Line(f"    … {count(len(details) - _MOST_VALUES, 'more change')}")


def value(change: ValueChange) -> str:
    """Another value: `10 -> 20`, with a word for one that is not there."""
    old, new = (
        "(absent)" if side is None else cut(shown(side), _LONGEST)
        for side in (change.old, change.new)
    )
    return f"{old} -> {new}"


def words(change: WordChange) -> str:
    """A text with its changes: `same [-old-]{+new+}`."""
    said, before = "", Span("same", "")
    for place, span in enumerate(change.spans):
        text, gap = shown(span.text), ""
        follower = change.spans[place + 1] if place + 1 < len(change.spans) else before
        if _only_in_blanks(span, follower) or _only_in_blanks(before, span):
            text = repr(span.text)[1:-1]
        elif span.text[:1].isspace() and (before.kind, span.kind) != _REPLACED:
            gap = " "
        opening, closing = _BRACKETS[span.kind]
        said += f"{gap}{opening}{text}{closing}"
        before = span
    return said.strip()


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


def hunk_lines(hunk: Hunk) -> Iterator[Line]:
    """A hunk with its marks; long lines are shown around what differs."""
    yield Line(f"@@ line {hunk.line} @@", "head")
    removed = [line.text for line in hunk.lines if line.kind == "removed"]
    added = [line.text for line in hunk.lines if line.kind == "added"]
    skipped = _common_beginning(removed, added)
    for kind, text in hunk.lines:
        begin = skipped if kind != "same" else 0
        style: Style = "" if kind == "same" else kind
        yield Line(f"{_MARKS[kind]}{_part(text, begin)}", style)


def _common_beginning(removed: list[str], added: list[str]) -> int:
    """How many characters of one long changed line to leave out at its beginning."""
    if len(removed) != 1 or len(added) != 1:
        return 0
    pairs = zip(removed[0], added[0], strict=False)
    same = next((at for at, (a, b) in enumerate(pairs) if a != b), 0)
    return max(same - _LONGEST // 4, 0) if same > _LONGEST // 2 else 0


def _part(text: str, begin: int) -> str:
    """A line, or as much of a long one as is shown."""
    ahead = "…" if begin else ""
    behind = "…" if len(text) > begin + _LONGEST else ""
    return f"{ahead}{visible(text[begin : begin + _LONGEST])}{behind}"
