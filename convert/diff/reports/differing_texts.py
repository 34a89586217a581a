"""Texts that differ, cut so that their differences stay in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from convert.diff.text_changes import Span, split_words
from convert.wording.escapes import escape_controls, safe_line, truncate
from convert.wording.styles_and_columns import columns, cut_middle, cut_start, fit

_BRACKETS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_REPLACED = ("removed", "added")
# The number of equal words shown on either side of a change.
_AROUND = 6


def bracketed(spans: list[Span], longest: int) -> str:
    """Return spans on one line, with those of one side in brackets."""
    line, before = "", Span("same", "")
    for place, span in enumerate(spans):
        follower = spans[place + 1] if place + 1 < len(spans) else before
        text, gap = safe_line(_cut(span, before, follower, longest)), ""
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
    """Return the text of a span; a long one is cut around the difference."""
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


def shared(old: str, new: str, most: int) -> tuple[str, str]:
    """Return two texts in the columns for both; a short one leaves room to the other.

    Long ones begin shortly before they begin to differ.
    """
    if columns(old) + columns(new) <= most:
        return old, new
    begin = first_difference(old, new) - min(8, most // 6)
    if begin > 1:
        old, new = f"…{old[begin:]}", f"…{new[begin:]}"
    room, other_room = shares(columns(old), columns(new), most)
    return fit(old, room), fit(new, other_room)


def shares(one: int, other: int, most: int) -> tuple[int, int]:
    """Divide columns between two texts; a short one leaves room to the other."""
    half = most // 2
    return min(one, max(half, most - other)), min(other, max(half, most - one))


_LEAST = 12
# The columns of the least change and of all signs around it: ` … [--]{++} …`.
_LEAST_CHANGE = _LEAST + 13
_ENDLESS = 1 << 30

# Returns a text in so many columns.
Shortened = Callable[[int], str]


def one_text(text: str) -> Shortened:
    """Show one text."""
    return lambda most: fit(text, most)


def one_command(text: str) -> Shortened:
    """Show one command; its middle makes room for its end."""
    return lambda most: cut_middle(text, most)


def two_values(name: str, old: str, new: str) -> Shortened:
    """Show two values after a name that both have: `read a.py -> b.py`.

    The beginning of a long name makes room for them.
    """

    def show(most: int) -> str:
        used = columns(f"{old} -> {new}") + 1
        head = f"{cut_start(name, max(most - used, most // 2))} " if name else ""
        room = max(most - columns(f"{head} -> "), _LEAST)
        one, other = shared(old, new, room)
        return f"{head}{one} -> {other}"

    return show


def changed_words(name: str, spans: list[Span]) -> Shortened:
    """Show the first change of a text, with as many words around it as there is room.

    `name` comes before the text.
    """
    at = next((at for at, span in enumerate(spans) if span.kind != "same"), 0)
    end = next(
        (to for to in range(at, len(spans)) if spans[to].kind == "same"), len(spans)
    )
    before, after = "".join(s.text for s in spans[:at]), spans[end:]

    def show(most: int) -> str:
        head = cut_start(name, min(most // 2, max(most - _LEAST_CHANGE, 0)))
        line = ""
        for number in range(3, -1, -1):
            near = [*_last(before, number), *spans[at:end], *_first(after, number)]
            line = f"{head} {bracketed(near, _ENDLESS)}".lstrip()
            if columns(line) <= most:
                return line
        return line.replace(*_cut_change(spans[at:end], most - columns(line)))

    return show


def _cut_change(changed: list[Span], missing: int) -> tuple[str, str]:
    """Return how a change is written, and how it is if columns are missing."""
    whole = bracketed(changed, _ENDLESS)
    texts = [safe_line(span.text) for span in changed]
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
        # The blank before a word comes after the sign.
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
