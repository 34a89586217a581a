"""Two wordings of a text on one line: `same [-old-]{+new+}`."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.reports.appearance import shown
from convert.diff.text_changes import Span, split_words
from convert.wording.sanitise import escape_controls, truncate

_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_REPLACED = ("removed", "added")
# The number of equal words shown on either side of a change.
_AROUND = 6


def bracketed(spans: list[Span], longest: int) -> str:
    """Return spans on one line, with what only one side has in brackets."""
    line, before = "", Span("same", "")
    for place, span in enumerate(spans):
        follower = spans[place + 1] if place + 1 < len(spans) else before
        text, gap = shown(_cut(span, before, follower, longest)), ""
        if _only_in_space(span, follower) or _only_in_space(before, span):
            text = truncate(escape_controls(repr(span.text)[1:-1]), longest)
        elif not text:
            # A change of white space alone.
            text = repr(span.text)[1:-1] if span.kind != "same" else ""
        elif (before.kind, span.kind) != _REPLACED and _is_apart(before, span):
            gap = " "
        opening, closing = _BRACKETS[span.kind]
        line += f"{gap}{opening}{text}{closing}"
        before = span
    return line.strip()


def elided(spans: list[Span]) -> Iterator[Span]:
    """Yield spans, of long equal ones only the words next to a change."""
    for place, span in enumerate(spans):
        words = split_words(span.text) if span.kind == "same" else []
        before = 0 if place == 0 else _AROUND
        after = 0 if place == len(spans) - 1 else _AROUND
        if len(words) <= before + after + 1:
            yield span
            continue
        first = "".join(words[:before])
        last = "".join(words[len(words) - after :])
        yield Span("same", f"{first} …{last}")


def first_changes(spans: list[Span], most: int) -> tuple[list[Span], int]:
    """Return the spans up to so many changes, and how many more there are."""
    changed = [at for at, span in enumerate(spans) if span.kind != "same"]
    if len(changed) <= most:
        return spans, 0
    return spans[: changed[most]], len(changed) - most


def around(old: str, new: str, longest: int) -> tuple[str, str]:
    """Return two texts, long ones from shortly before they begin to differ."""
    if max(len(old), len(new)) <= longest:
        return old, new
    differs = first_difference(old, new)
    begin = max(differs - longest // 4, 0)
    ones = (f"…{text[begin:]}" if begin else text for text in (old, new))
    one, other = (
        f"{text[:longest]}…" if len(text) > longest + 1 else text for text in ones
    )
    return one, other


def first_difference(old: str, new: str) -> int:
    """Return the place where two texts begin to differ; the end of the shorter one."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))


def _cut(span: Span, before: Span, follower: Span, longest: int) -> str:
    """Return the text of a span; a long one is cut around what differs."""
    if span.kind == "same":
        long = len(span.text) > 4 * longest
        return f"{span.text[:longest]}…{span.text[-longest:]}" if long else span.text
    if (span.kind, follower.kind) == _REPLACED:
        return around(span.text, follower.text, longest)[0]
    if (before.kind, span.kind) == _REPLACED:
        return around(before.text, span.text, longest)[1]
    return truncate(span.text, longest)


def _is_apart(before: Span, span: Span) -> bool:
    """Return True if there is white space between two spans."""
    return before.text[-1:].isspace() or span.text[:1].isspace()


def _only_in_space(one: Span, other: Span) -> bool:
    """Return True if one text replaces another that differs in white space only."""
    is_replaced = (one.kind, other.kind) == _REPLACED
    return is_replaced and one.text.split() == other.text.split()
