"""The lines of a long text that say most, and a measure of all that is omitted.

In the output of a call that failed, lines that name an error come first, with some
lines around them, and the end of the output; the beginning has the room that is left.
In a diff, context goes first, then the middle of long runs of changes. The header of a
hunk stays with the lines of the hunk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from convert.transcript.clips import Clip, Excerpt, Excerpts, clip, is_small
from convert.transcript.pieces import (
    CallSection,
    Code,
    Collapsible,
    Items,
    Omitted,
    Part,
    Prose,
    Step,
    Steps,
)
from convert.wording import compiled
from convert.wording.numbers import byte_count
from convert.wording.styles import Inline

# A line with the reason of a failure, but not `0 errors` or `no failures`.
_REASON = (
    r"(?i)(?<!\b0 )(?<!\bno )(?:\b(?:fail|assert|traceback|panic|fatal|undefined\b)"
    r"|error|exception)"
)
# Lines shown before and after one with a reason.
_BEFORE, _AFTER = 2, 3


def excerpts_of(
    text: Clip | Excerpts, most_lines: int, most_bytes: int
) -> Clip | Excerpts:
    """Keep the lines of the output of a failed call that say most about the failure."""
    if isinstance(text, Clip):
        has_room = text.lines <= most_lines and text.bytes <= most_bytes
        texts = [] if text.omitted_bytes or has_room else _split(text.head)
        if not texts or max(map(len, texts)) > most_bytes // 4:
            return clip(text, most_lines, most_bytes)
    lines = lines_of(text)
    kept = _kept([line.text for line in lines], most_lines, most_bytes)
    return joined(lines, kept)


def lines_of(text: Clip | Excerpts) -> list[Excerpt]:
    """Return the lines that are shown, each with the omission before it."""
    if isinstance(text, Clip):
        return [Excerpt(line, 0, 0) for line in _split(text.head)]
    return [*_lines_of_excerpts(text)]


def _lines_of_excerpts(text: Excerpts) -> Iterator[Excerpt]:
    for excerpt in text.excerpts:
        first, *others = _split(excerpt.text) or [""]
        yield Excerpt(first, excerpt.omitted_lines, excerpt.omitted_bytes)
        for line in others:
            yield Excerpt(line, 0, 0)


def _split(text: str) -> list[str]:
    """Split a text at line feeds alone, which stay."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _kept(lines: list[str], most_lines: int, most_bytes: int) -> set[int]:
    """Return the places of the lines that are kept."""
    kept: set[int] = set()
    for place in _preferred(lines, most_lines):
        if len(kept) == most_lines:
            break
        length = byte_count(lines[place])
        if place not in kept and 0 < length <= most_bytes:
            most_bytes -= length
            kept.add(place)
    return kept


def _preferred(lines: list[str], most_lines: int) -> Iterator[int]:
    """Yield places of lines, the most informative first."""
    last = len(lines)
    yield from range(last - 1, max(last - 1 - most_lines // 4, -1), -1)
    reason = compiled(_REASON)
    reasons = (place for place, line in enumerate(lines) if reason.search(line))
    for place in itertools.islice(reasons, most_lines):
        yield place
        yield from range(max(place - _BEFORE, 0), min(place + _AFTER + 1, last))
    yield from range(last - 1, max(last - 1 - most_lines // 2, -1), -1)
    yield from range(min(most_lines, last))


def joined(lines: list[Excerpt], kept: set[int]) -> Excerpts:
    """Join the lines that are kept, with those of gaps too small for a note."""
    kept = kept | _in_small_gaps(lines, kept)
    joined: list[Excerpt] = []
    run: list[str] = []
    gap_lines = gap_bytes = 0
    shown_bytes = 0
    before = 0, 0
    for place, line in enumerate(lines):
        gap_lines += line.omitted_lines
        gap_bytes += line.omitted_bytes
        if place not in kept:
            gap_lines += line.text != ""
            gap_bytes += byte_count(line.text)
            continue
        if gap_bytes and run:
            joined.append(Excerpt("".join(run), *before))
            run = []
        if not run:
            before = gap_lines, gap_bytes
        gap_lines = gap_bytes = 0
        run.append(line.text)
        shown_bytes += byte_count(line.text)
    if run:
        joined.append(Excerpt("".join(run), *before))
    if gap_bytes:
        joined.append(Excerpt("", gap_lines, gap_bytes))
    return Excerpts(joined, len(kept), shown_bytes)


def _in_small_gaps(lines: list[Excerpt], kept: set[int]) -> set[int]:
    """Return the places in gaps that hold next to nothing."""
    small: set[int] = set()
    for is_kept, group in itertools.groupby(range(len(lines)), kept.__contains__):
        gap = [*group]
        # Text that is gone already gets a note anyway.
        is_open = any(line.omitted_bytes for line in lines[gap[0] : gap[-1] + 2])
        length = sum(byte_count(lines[at].text) for at in gap)
        if not (is_kept or is_open) and is_small(len(gap), length):
            small.update(gap)
    return small


# Lines of context before and after a run of changes that are shown if there is room.
_MOST_CONTEXT = 10


def diff_excerpts(
    text: Clip | Excerpts, most_lines: int, most_bytes: int
) -> Clip | Excerpts:
    """Keep the lines of a diff that say most about the changes."""
    if text.lines <= most_lines and text.bytes <= most_bytes:
        return text
    lines = lines_of(text)
    diff = _Diff([line.text for line in lines])
    return joined(lines, diff.kept(most_lines, most_bytes))


class _Diff:
    """The lines of a diff, by what they are."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        # The header above each line; that of a file has its first line.
        self._above: list[int | None] = []
        self._runs: list[range] = []
        header: int | None = None
        first = next((at for at, line in enumerate(lines) if line[:2] == "@@"), 0)
        self._file_header = range(first)
        for at, line in enumerate(lines):
            if line.startswith("@@"):
                header = at
            self._above.append(0 if at < first else header)
            if at >= first and line[:1] in ("+", "-", "\\"):
                self._add_changed(at)

    def _add_changed(self, at: int) -> None:
        runs = self._runs
        if runs and runs[-1].stop == at:
            runs[-1] = range(runs[-1].start, at + 1)
        elif not self._lines[at].startswith("\\"):
            runs.append(range(at, at + 1))

    def kept(self, most_lines: int, most_bytes: int) -> set[int]:
        """Return the places of the lines that are kept, each with its header."""
        kept: set[int] = set()
        for place in self._preferred():
            above = self._above[place]
            places = {place, place if above is None else above} - kept
            length = sum(byte_count(self._lines[at]) for at in places)
            if len(kept) + len(places) <= most_lines and length <= most_bytes:
                most_bytes -= length
                kept |= places
            if len(kept) >= most_lines or not most_bytes:
                break
        return kept

    def _preferred(self) -> Iterator[int]:
        """Yield changed lines from the ends of their runs, then those around them."""
        longest = max(map(len, self._runs), default=0)
        for rank in range((longest + 1) // 2):
            for run in self._runs:
                if rank < (len(run) + 1) // 2:
                    yield from {run[rank], run[-1 - rank]}
        yield from self._file_header
        for distance, run in itertools.product(range(1, _MOST_CONTEXT + 1), self._runs):
            for place in (run.start - distance, run.stop - 1 + distance):
                if 0 <= place < len(self._lines) and self._lines[place][:1] == " ":
                    yield place


# The name for the output of a kind, if not output.
_OUTPUTS = {
    **dict.fromkeys(["read", "write", "edit", "delete"], "file contents"),
    **dict.fromkeys(["grep", "glob", "semSearch", "webSearch"], "search results"),
    **dict.fromkeys(["webFetch", "fetch"], "web pages"),
    **dict.fromkeys(["updateTodos", "readTodos"], "tasks"),
    "ls": "lists of files",
}


def omitted_of(call: CallSection) -> Omitted:
    """Measure and name all that the parts of a call show, and what they omit."""
    lines, bytes_ = 0, 0
    for part in _inner(call.parts):
        more_lines, more_bytes = _extent(part)
        lines += more_lines
        bytes_ += more_bytes
    return Omitted(lines, bytes_, frozenset(filter(None, _contents(call))))


def _inner(parts: list[Part] | list[Step]) -> Iterator[Part]:
    """Yield all parts that hold no others."""
    for part in parts:
        match part:
            case Steps(steps=steps):
                yield from _inner(steps)
            case Collapsible(parts=inner) | CallSection(parts=inner):
                yield from _inner(inner)
            case _:
                yield part


def _extent(part: Part) -> tuple[int, int]:
    """Count lines and bytes; those of entries that are omitted are not known."""
    match part:
        case Code(text=Clip() as text) | Prose(text=text):
            return text.lines + text.omitted_lines, text.bytes + text.omitted_bytes
        case Code(text=Excerpts() as text):
            gaps = text.excerpts
            lines = text.lines + sum(gap.omitted_lines for gap in gaps)
            return lines, text.bytes + sum(gap.omitted_bytes for gap in gaps)
        case Items():
            return len(part.items) + part.omitted + part.skipped, 0
    return 0, 0


def _contents(call: CallSection) -> Iterator[str]:
    """Name what the parts of a call hold; "" is what its heading shows as well."""
    output = _OUTPUTS.get(call.kind, "output")
    for part in call.parts:
        match part:
            case Code(language="diff"):
                yield "diffs"
            case Code(text=Clip() as text, role="command"):
                is_shown = _is_in(call.title, text.head) and not text.tail
                yield "" if is_shown else "commands"
            case Steps():
                yield "steps of subagents"
            case Prose():
                yield "texts"
            case Code(role=role) | Items(role=role):
                is_list = isinstance(part, Items)
                yield output if role == "output" or is_list else "arguments"


def _is_in(title: Inline, text: str) -> bool:
    return text.strip() in [words.text.strip() for words in title]
