"""Glimpses of what a finding is about, in the columns that a line leaves for it.

Both of two values stay in sight, however little room there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from convert.diff.reports.appearance import shown
from convert.diff.reports.columns import shared
from convert.diff.reports.wordings import bracketed
from convert.diff.text_changes import Span, split_words
from convert.wording.columns import columns, cut_from, cut_inside, fitted

# The number of equal words shown on either side of the first change.
_AROUND = 3
_LEAST = 12
# The columns of the least change and of all signs beside it: ` … [--]{++} …`.
_LEAST_CHANGE = _LEAST + 13
_ENDLESS = 1 << 30

# Returns a text in so many columns.
Glimpse = Callable[[int], str]


def alone(text: str) -> Glimpse:
    """Show one text."""
    return lambda most: fitted(text, most)


def command(text: str) -> Glimpse:
    """Show one command, the middle of which makes room for its end."""
    return lambda most: cut_inside(text, most)


def values(name: str, old: str, new: str) -> Glimpse:
    """Show two values behind a name that both have: `read a.py -> b.py`.

    The beginning of a long name makes room for them.
    """

    def show(most: int) -> str:
        used = columns(f"{old} -> {new}") + 1
        head = f"{cut_from(name, max(most - used, most // 2))} " if name else ""
        one, other = shared(old, new, _room(most, f"{head} -> "))
        return f"{head}{one} -> {other}"

    return show


def wording(name: str, spans: list[Span]) -> Glimpse:
    """Show the first change of a text, with as many words around it as there is room.

    `name` stands before the text.
    """
    at = next((at for at, span in enumerate(spans) if span.kind != "same"), 0)
    end = next(
        (to for to in range(at, len(spans)) if spans[to].kind == "same"), len(spans)
    )
    before, after = "".join(s.text for s in spans[:at]), spans[end:]

    def show(most: int) -> str:
        head = cut_from(name, min(most // 2, max(most - _LEAST_CHANGE, 0)))
        line = ""
        for number in range(_AROUND, -1, -1):
            around = [*_last(before, number), *spans[at:end], *_first(after, number)]
            line = f"{head} {bracketed(around, _ENDLESS)}".lstrip()
            if columns(line) <= most:
                return line
        return line.replace(*_cut(spans[at:end], most - columns(line)))

    return show


def _cut(changed: list[Span], missing: int) -> tuple[str, str]:
    """Return how a change is written, and how it is if columns are missing."""
    whole = bracketed(changed, _ENDLESS)
    texts = [shown(span.text) for span in changed]
    used = columns("".join(texts))
    old, new = (*texts, "")[:2]
    one, other = shared(old, new, max(used + missing, _LEAST))
    cut = [
        Span(span.kind, text) for span, text in zip(changed, (one, other), strict=False)
    ]
    return whole, bracketed(cut, _ENDLESS)


def _last(text: str, number: int) -> Iterator[Span]:
    """Yield the last words of a text as one span."""
    words = split_words(text)
    last = "".join(words[max(len(words) - number, 0) :])
    if len(words) > number:
        # The blank in front of a word stands behind the sign.
        last = f"…{last or ' '}"
    if words:
        yield Span("same", last)


def _first(spans: list[Span], number: int) -> Iterator[Span]:
    """Yield the first words after a change as one span."""
    words = split_words(spans[0].text) if spans else []
    first = "".join(words[:number])
    if len(words) > number:
        first += f"{words[number][: -len(words[number].lstrip())]}…"
    elif len(spans) > 1:
        first += " …"
    if words:
        yield Span("same", first)


def _room(most: int, taken: str) -> int:
    return max(most - columns(taken), _LEAST)
