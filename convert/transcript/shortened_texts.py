"""Parts of texts that are too long: their ends, or the most informative lines.

The output of a failed call keeps the lines that name an error, with some lines around
them, and its end; the beginning takes the rest of the room. A diff loses context first,
then the middle of long runs of changes. The header of a hunk stays with its lines.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from convert.wording import compiled
from convert.wording.numbers import byte_count, count, line_count, size

# A smaller omission is not worth its note, which takes about as much room. The bytes
# are those of a piece of a line, and of each whole line.
_FEW_LINES = 3
_FEW_BYTES = 160
_FEW_BYTES_OF_LINE = 240
_FENCE = r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$"


class Clip(Struct, frozen=True):
    """A text, or its head and its tail."""

    head: str
    """The beginning, or the whole text if nothing is omitted."""

    lines: int
    """Number of lines in head and tail."""

    bytes: int
    """Number of bytes of UTF-8 in head and tail."""

    tail: str = ""
    """The end; empty if nothing is omitted."""

    omitted_lines: int = 0
    """Number of line feeds between head and tail."""

    omitted_bytes: int = 0
    """Number of bytes of UTF-8 between head and tail."""

    opener: str = ""
    """The line that opens a code fence around the start of the tail, if there is one.

    Only Markdown has it.
    """

    @property
    def note(self) -> str:
        """The note that replaces the middle; empty if nothing is omitted."""
        return omission(self.omitted_lines, self.omitted_bytes)

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield the parts shown, each with a note on an omission before it."""
        yield "", self.head
        yield self.note, self.tail


def omission(lines: int, bytes_: int) -> str:
    """Say how much of a text is omitted; empty if nothing is."""
    if not bytes_:
        return ""
    omitted = size(bytes_)
    if lines:
        omitted = f"{count(lines, 'line')} ({omitted})"
    return f"… {omitted} omitted from this page …"


def is_small(lines: int, bytes_: int) -> bool:
    """Return True for an omission that is not worth a note."""
    few_bytes = lines * _FEW_BYTES_OF_LINE or _FEW_BYTES
    return lines <= _FEW_LINES and bytes_ <= few_bytes


def whole(text: str) -> Clip:
    """Measure a text and omit nothing.

    Call it once for each text: to measure a long one takes longer than to write it.
    """
    length = len(text) if text.isascii() else byte_count(text)
    return Clip(text, line_count(text), length)


def clip(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Keep as much as fits, half of it from the head and half from the tail.

    The cut is between lines unless a line takes more than half of the room. A text
    stays whole if next to nothing of it would go. Clipping twice is the same as
    clipping once to the smaller size.
    """
    is_whole = not text.omitted_bytes
    if is_whole and text.bytes <= most_bytes and text.lines <= most_lines:
        return text
    head, head_feeds = _head(text.head, most_lines - most_lines // 2, most_bytes // 2)
    ending = text.head if is_whole else text.tail
    tail, tail_feeds = _tail(ending, most_lines // 2, most_bytes // 2)
    kept_feeds = head_feeds + tail_feeds
    kept_bytes = byte_count(head) + byte_count(tail)
    # Both ends of a line that is cut count as lines, but it has one line feed.
    omitted_lines = text.lines - _open_ends(text.head, text.tail) - kept_feeds
    omitted_bytes = text.bytes - kept_bytes
    if is_whole and is_small(omitted_lines, omitted_bytes):
        return text
    return Clip(
        head,
        kept_feeds + _open_ends(head, tail),
        kept_bytes,
        tail,
        text.omitted_lines + omitted_lines,
        text.omitted_bytes + omitted_bytes,
        text.opener,
    )


def _open_ends(head: str, tail: str) -> int:
    """Count which of two texts end without a line feed: neither, one or both."""
    return (head[-1:] not in ("", "\n")) + (tail[-1:] not in ("", "\n"))


def clip_markdown(text: Clip, most_lines: int, most_bytes: int) -> Clip:
    """Clip Markdown, where the tail may begin inside a code fence."""
    clipped = clip(text, most_lines, most_bytes)
    if clipped.omitted_bytes == text.omitted_bytes:
        return clipped
    ending = text.tail if text.omitted_bytes else text.head
    skipped = ending[: len(ending) - len(clipped.tail)]
    return replace(clipped, opener=_open_fence(f"{text.opener}\n{skipped}"))


def _open_fence(text: str) -> str:
    """Return the line that opens the code fence still open at the end of a text."""
    opener = mark = ""
    for match in compiled(_FENCE, re.MULTILINE).finditer(text):
        if not opener:
            if match["mark"][0] == "~" or "`" not in match["info"]:
                opener, mark = match[0].strip(), match["mark"]
        elif match["mark"].startswith(mark) and not match["info"].strip():
            opener = ""
    return opener


def _head(text: str, most_lines: int, most_bytes: int) -> tuple[str, int]:
    """Return the beginning of a text that fits, and its number of line feeds.

    To count them takes longer than to split the lines.
    """
    head = text[:most_bytes]
    if not head.isascii():
        head = head.encode(errors="replace")[:most_bytes].decode(errors="ignore")
    *lines, rest = head.split("\n", most_lines)
    if len(lines) == most_lines:
        return head[: len(head) - len(rest)], most_lines
    if len(head) < len(text):
        kept = head[: len(head) - len(rest)]
        if 2 * byte_count(kept) >= most_bytes:
            head = kept
    return head, len(lines)


def _tail(text: str, most_lines: int, most_bytes: int) -> tuple[str, int]:
    """Return the end of a text that fits, and its number of line feeds."""
    if not most_bytes or not most_lines:
        return "", 0
    tail = text[-most_bytes:]
    if not tail.isascii():
        tail = tail.encode(errors="replace")[-most_bytes:].decode(errors="ignore")
    ends = tail.endswith("\n")
    rest, *lines = tail.removesuffix("\n").rsplit("\n", most_lines)
    if len(lines) == most_lines:
        return tail[len(rest) + 1 :], most_lines - 1 + ends
    if lines and len(tail) < len(text) and text[-len(tail) - 1] != "\n":
        kept = tail[len(rest) + 1 :]
        if 2 * byte_count(kept) >= most_bytes:
            return kept, len(lines) - 1 + ends
    return tail, len(lines) + ends


class Excerpt(Struct, frozen=True):
    """Consecutive lines of a text."""

    text: str
    """The lines, with their line feeds."""

    omitted_lines: int
    """The number of lines omitted before them."""

    omitted_bytes: int
    """The number of their bytes."""


class Excerpts(Struct, frozen=True):
    """Some lines of a text."""

    excerpts: list[Excerpt]
    """The lines that are shown; the last one may be empty, after an omission."""

    lines: int
    """The number of lines shown."""

    bytes: int
    """The number of their bytes."""

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield the parts shown, each with a note on an omission before it."""
        for excerpt in self.excerpts:
            yield omission(excerpt.omitted_lines, excerpt.omitted_bytes), excerpt.text


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
    return joined(lines, _kept([line.text for line in lines], most_lines, most_bytes))


def lines_of(text: Clip | Excerpts) -> list[Excerpt]:
    """Return the lines that are shown, each with the omission before it."""
    if isinstance(text, Clip):
        return [Excerpt(line, 0, 0) for line in _split(text.head)]
    lines = []
    for excerpt in text.excerpts:
        first, *others = _split(excerpt.text) or [""]
        lines.append(replace(excerpt, text=first))
        lines += [Excerpt(line, 0, 0) for line in others]
    return lines


def _split(text: str) -> list[str]:
    """Split a text after each line feed, and at no other sign."""
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
    """The lines of a diff: headers, context and runs of changes."""

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
        for rank in range((max(map(len, self._runs), default=0) + 1) // 2):
            for run in self._runs:
                if rank < (len(run) + 1) // 2:
                    yield from {run[rank], run[-1 - rank]}
        yield from self._file_header
        for distance, run in itertools.product(range(1, _MOST_CONTEXT + 1), self._runs):
            for place in (run.start - distance, run.stop - 1 + distance):
                if 0 <= place < len(self._lines) and self._lines[place][:1] == " ":
                    yield place
