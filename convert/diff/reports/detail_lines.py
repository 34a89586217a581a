"""The changes inside calls and texts as lines, cut so that they stay in sight."""

from __future__ import annotations

import itertools
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from convert.diff.comparison import RunComparison
from convert.diff.details import Detail, ValueChange
from convert.diff.reports import LONGEST, LineStyle, ReportLine
from convert.diff.text_changes import (
    Contents,
    Hunk,
    LineChange,
    LoneArgument,
    Rewording,
    Span,
    SubtleChange,
    WordChange,
    prose_changed,
    split_words,
)
from convert.wording.escapes import escape_controls, safe_line, truncate
from convert.wording.numbers import count
from convert.wording.styles_and_columns import columns, cut_middle, cut_start, fit

_MARKS = {"same": " ", "removed": "-", "added": "+"}


class Bounds(NamedTuple):
    """How much of each detail is shown."""

    values: int = 20
    """The number of details of a call."""

    lines: int = 20
    """The number of lines of a text."""

    changes: int = 40
    """The number of changes in a wording."""

    longest: int = 160
    """The number of characters of a value or a line."""

    command: int = LONGEST
    """The number of characters of an argument of a call without a partner."""

    answer: int = 60
    """The number of lines of a final text without a diff."""

    subtle: int = 5
    """The number of changes in a hunk that are named since they are hard to see."""


USUAL = Bounds()
EVERYTHING = Bounds(*(sys.maxsize for _ in Bounds._fields))


def bounds(is_full: bool) -> Bounds:
    """Return how much a report shows of each detail."""
    return EVERYTHING if is_full else USUAL


def detail_lines(details: list[Detail], most: Bounds = USUAL) -> Iterator[ReportLine]:
    """Yield the lines of a call's details, with the paths in a column."""
    paths = [truncate(safe_line(detail.path), most.longest) for detail in details]
    width = max(map(len, paths), default=0)
    for path, detail in zip(paths[: most.values], details, strict=False):
        below: Iterable[ReportLine] = ()
        match detail:
            case ValueChange():
                text = value(detail, most)
            case LoneArgument():
                text = truncate(safe_line(detail.value), most.command)
            case WordChange():
                text = words(detail.spans, most)
            case LineChange():
                text, below = extent(detail), _hunk_lines(detail, most)
            case Contents():
                text = count(len(detail.lines), "line")
                below = content_lines(detail.lines, most)
        yield ReportLine(f"    {path:<{width}}  {text}")
        for line in below:
            yield line._replace(text=f"      {line.text}")
    if len(details) > most.values:
        yield ReportLine(f"    … {count(len(details) - most.values, 'more change')}")


def value(change: ValueChange, most: Bounds) -> str:
    """Return two values as `10 -> 20`; a missing one is `(absent)`.

    An item that only one list has is `added` or `removed`.
    """
    is_item = change.path.endswith("]")
    match change:
        case ValueChange(_, None, str(item)) if is_item:
            return f"added: {truncate(safe_line(item), most.longest)}"
        case ValueChange(_, str(item), None) if is_item:
            return f"removed: {truncate(safe_line(item), most.longest)}"
    if change.old is None or change.new is None:
        old, new = (
            "(absent)" if side is None else truncate(safe_line(side), most.longest)
            for side in (change.old, change.new)
        )
    else:
        old, new = map(safe_line, around(change.old, change.new, most.longest))
    return f"{old} -> {new}"


def words(spans: list[Span], most: Bounds = EVERYTHING) -> str:
    """Return a text with its changes: `same [-old-]{+new+}`."""
    if most is EVERYTHING:
        return bracketed(spans, most.longest)
    first, more = first_changes(list(elided(spans)), most.changes)
    line = bracketed(first, most.longest)
    return f"{line} … {count(more, 'more change')}" if more else line


def extent(change: LineChange) -> str:
    """Return how many lines of a text changed."""
    return f"{change.changed:,} of {count(change.total, 'line')}"


def result_change(run: RunComparison) -> WordChange | LineChange | None:
    """Return how the final texts differ; None if they do not."""
    if run.text is None or run.text.is_equal:
        return None
    return prose_changed("text", run.text.a, run.text.b)


def first_hunks(change: LineChange, most: Bounds) -> tuple[list[Hunk], str]:
    """Return the first hunks, and a line on the changed lines after them.

    The last hunk may be cut. The line is empty if nothing is omitted.
    """
    room, omitted = most.lines, 0
    hunks = []
    for hunk in change.hunks:
        differs = [line_differs(line) for line in hunk.lines]
        if differs.index(True) < room:
            cut = hunk._replace(lines=_first_of_both(hunk.lines, room))
            hunks.append(cut)
            omitted -= sum(map(line_differs, cut.lines))
        omitted += sum(differs)
        room = max(room - len(hunk.lines), 0)
    return hunks, f"… {count(omitted, 'more changed line')}" if omitted else ""


def hunk_lines(hunk: Hunk, most: Bounds = EVERYTHING) -> Iterator[ReportLine]:
    """Yield the lines of a hunk, long ones cut around the difference."""
    yield ReportLine(f"@@ line {hunk.line} @@", "head")
    texts: dict[str, str] = {}
    match [line for line in hunk.lines if line_differs(line)]:
        case [Span("removed", old), Span("added", new)]:
            texts["removed"], texts["added"] = around(old, new, most.longest)
    for line in hunk.lines:
        if isinstance(line, Rewording):
            yield ReportLine(f"~{words(line.spans, most)}", "changed")
        else:
            text = texts.get(line.kind, line.text)
            yield _line(line._replace(text=text), most.longest + 2)
    for note in subtle_notes(hunk, most):
        yield ReportLine(f"! {note}", "changed")


def subtle_notes(hunk: Hunk, most: Bounds = EVERYTHING) -> Iterator[str]:
    """Name the changes of a hunk that are hard to see: `line 3, column 5: …`.

    Lines one after the other that changed alike are named together.
    """
    alike: list[tuple[SubtleChange, int]] = []
    for each in hunk.subtle:
        if alike and alike[-1][1] + 1 == each.line:
            first, _ = alike[-1]
            if first[1:] == each[1:]:
                alike[-1] = first, each.line
                continue
        alike.append((each, each.line))
    for first, last in alike[: most.subtle]:
        yield subtle_words(first, last)
    if alike[most.subtle :]:
        more = count(len(alike) - most.subtle, "more change")
        yield f"… {more} that {'is' if more[0] == '1' else 'are'} hard to see"


def subtle_words(change: SubtleChange, last: int = 0) -> str:
    """Name a change that is hard to see, up to the last line that has the same."""
    lines = f"line {change.line:,}"
    if last > change.line:
        lines = f"lines {change.line:,} to {last:,}"
    place = f"column {change.column:,}" if change.column else "at the end"
    return f"{lines}, {place}: {_named(change.old)} -> {_named(change.new)}"


_NAMES = {" ": "space", "\t": "tab", "\r": "carriage return"}


def _named(text: str) -> str:
    """Name the first characters of a text: `4 spaces`, `"o"`, `U+200B ZERO …`."""
    parts = []
    for char, group in itertools.groupby(text):
        times = sum(1 for _ in group)
        if char in _NAMES:
            parts.append(count(times, _NAMES[char]))
        else:
            parts.append(f"{_name(char)} x{times:,}" if times > 1 else _name(char))
    more = len(parts) - _MOST_NAMED
    listed = ", ".join(parts[:_MOST_NAMED]) or "nothing"
    return f"{listed} and {more:,} more" if more > 0 else listed


def _name(char: str) -> str:
    """Return a character in quotes if it can be seen, with its name unless ASCII."""
    shown = escape_controls(char)
    if char.isascii():
        return f'"{shown}"'
    named = f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()
    can_be_seen = shown == char and unicodedata.category(char)[0] not in "CMZ"
    return f'"{char}" ({named})' if can_be_seen else named


_MOST_NAMED = 4


def _first_of_both(lines: list[Span | Rewording], most: int) -> list[Span | Rewording]:
    """Return the first lines of a hunk; removed ones leave room for added ones."""
    if len(lines) <= most:
        return lines
    kept: list[Span | Rewording] = []
    removed = [isinstance(line, Span) and line.kind == "removed" for line in lines]
    kinds = (removed.count(True), removed.count(False))
    room = dict(zip((True, False), shares(*kinds, most), strict=True))
    for line, is_removed in zip(lines, removed, strict=True):
        if room[is_removed]:
            room[is_removed] -= 1
            kept.append(line)
    return kept


def content_lines(lines: list[Span], most: Bounds = EVERYTHING) -> Iterator[ReportLine]:
    """Yield the first lines that a call without a partner wrote."""
    is_answer = bool(lines) and not any(map(line_differs, lines))
    room = most.answer if is_answer else most.lines
    for line in lines[:room]:
        yield _line(line, most.longest + 2)
    if len(lines) > room:
        yield ReportLine(f"… {count(len(lines) - room, 'more line')}")


def line_differs(line: Span | Rewording) -> bool:
    """Return True if only one side has a line, or each in its own wording."""
    return not isinstance(line, Span) or line.kind != "same"


def _line(line: Span, longest: int) -> ReportLine:
    style: LineStyle = "" if line.kind == "same" else line.kind
    text = escape_controls(truncate(line.text, longest))
    return ReportLine(f"{_MARKS[line.kind]}{text}", style)


def _hunk_lines(change: LineChange, most: Bounds) -> Iterator[ReportLine]:
    """Yield the first hunks; the last one may be cut."""
    hunks, note = first_hunks(change, most)
    for hunk in hunks:
        yield from hunk_lines(hunk, most)
    if note:
        yield ReportLine(note)


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
