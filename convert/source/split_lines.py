"""Lines that were split on their way into a log, made whole again.

Docker and Kubernetes split lines at 16 KiB, and mark all parts but the last. A
terminal breaks lines at its width and marks nothing: there, JSON ends where it closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from convert.errors import Notice, Warn
from convert.source.lines import (
    REFUSED,
    ROW,
    WIDEST,
    Gap,
    gap,
    in_blocks,
    is_whole,
    lines_of,
)

# A runtime of containers writes this before each line or part of one.
_CRI = re.compile(rb"\d{4}-\d\d-\d\dT\S+ (stdout|stderr) ([FP])(?::\S*)?(?: |$)")
_DOCKER = re.compile(rb'\s*\{\s*"log"\s*:')
# After so many full rows, the width of a log's rows is known.
_SURE = 4
_TOKEN = re.compile(rb'["{}\[\]]')
_IN_STRING = re.compile(rb'(?:[^"\\]|\\.)*+')
_CUT = "\ufffd"


def joined(
    line: bytes, blocks: Iterator[bytes], first: int, longest: int, warn: Warn
) -> Iterator[bytes]:
    """Yield blocks in which each line that was split is one again.

    The blocks begin with such a line, `line`, number `first` of the log. Empty lines
    replace the other parts of a line, so that all lines keep their numbers. A line of
    more than `longest` bytes becomes a gap.
    """
    how: type[_Containers | _Docker | _Rows] = (
        _Containers if _CRI.match(line) else _Docker if _DOCKER.match(line) else _Rows
    )
    joining = how(first, longest, warn)
    for block in blocks:
        if isinstance(block, Gap):
            joining.give(block)
            # The end of a try is no line.
            joining.number += bool(block)
        else:
            for each in lines_of(block):
                joining.take(each)
                joining.number += 1
        yield from joining.out()
        if joining.is_done:
            yield from blocks
            return
    joining.end()
    yield from joining.out()


class _Joiner:
    """Takes lines (`take`), and holds their parts until they are complete.

    At the `end`, it gives those that it holds; the last line may be incomplete.
    """

    def __init__(self, first: int, longest: int, warn: Warn) -> None:
        self.number = first
        self.is_done = False
        self._longest = longest
        self._warn = warn
        self._ready: list[bytes] = []
        # How many parts were taken for which no line has been given.
        self._missing = 0

    def give(self, line: bytes) -> None:
        """Add a line that was not split, after empty ones for parts that are held."""
        self._fill()
        self._ready.append(line)

    def out(self) -> Iterator[bytes]:
        """Yield the lines that are ready."""
        ready, self._ready = self._ready, []
        return in_blocks(ready)

    def _fill(self) -> None:
        if self._missing:
            self._ready.append(b"\n" * self._missing)
            self._missing = 0


class _Parts(_Joiner):
    """Joins the parts of a line, which their recorder has marked.

    The parts of a stream may have lines of the other one between them.
    """

    def __init__(self, first: int, longest: int, warn: Warn) -> None:
        super().__init__(first, longest, warn)
        # The parts by stream, how many bytes they have, and if these are too many.
        self._held: dict[str, list[bytes]] = {}
        self._sizes: dict[str, int] = {}

    def end(self) -> None:
        """Give the lines whose last parts are missing."""
        held = [self._taken(stream) for stream in [*self._held]]
        if len(held) > self._missing and held:
            # A line of the other stream was the last one.
            held.pop(0)
            self._warn(self.number - 1, "incomplete last line skipped", "")
        self._missing -= len(held)
        self._fill()
        self._ready.append(b"\n".join(held))

    def _hold(self, stream: str, part: bytes) -> None:
        """Hold a part with others to come, unless the line is too long."""
        size = self._sizes.get(stream, 0) + len(part)
        self._sizes[stream] = size
        parts = self._held.setdefault(stream, [])
        parts.append(part)
        if size > self._longest:
            parts.clear()

    def _finish(self, stream: str, part: bytes) -> None:
        """Give the line of a stream whose last part this is."""
        self._hold(stream, part)
        line = self._taken(stream)
        self._ready.append(line if isinstance(line, Gap) else line + b"\n")
        self._fill()

    def _taken(self, stream: str) -> bytes:
        """Return the held parts of a stream, and hold them no longer."""
        is_too_long = self._sizes.pop(stream) > self._longest
        parts = self._held.pop(stream)
        return gap(self._longest, b"\n") if is_too_long else b"".join(parts)


class _Containers(_Parts):
    """Joins the lines of a runtime of containers, in which `P` marks a part.

    A joined line keeps the prefix of its first part.
    """

    def take(self, line: bytes) -> None:
        """Take a line; one without a prefix is given as it is."""
        found = _CRI.match(line)
        if found is None:
            self.give(line)
            return
        stream = found[1].decode()
        is_part = found[2] == b"P"
        is_held = stream in self._held
        if not (is_part or is_held):
            self.give(line)
            return
        part = line[found.end() :] if is_held else line
        part = part.removesuffix(b"\n").removesuffix(b"\r")
        if is_part:
            self._hold(stream, part)
            self._missing += 1
        else:
            self._finish(stream, part)


class _Entry(Struct, gc=False):
    """A line of Docker's, or a part of one: then it has no line feed."""

    log: str
    stream: str | None = ""


_ENTRY = msgspec.json.Decoder(_Entry)


class _Docker(_Parts):
    """Joins the texts of objects in which Docker records a line, or a part of one."""

    def take(self, line: bytes) -> None:
        """Take a line; one that holds none of Docker's is given as it is."""
        try:
            entry = _ENTRY.decode(line)
        except REFUSED:
            self.give(line)
            return
        stream = "stderr" if entry.stream == "stderr" else "stdout"
        text = entry.log.removesuffix("\n")
        if "\n" in text or "\r" in text.removesuffix("\r"):
            self.give(line)
            return
        part = text.encode()
        is_part = entry.log == text
        if stream in self._held:
            if not is_part and text.startswith("{") and is_whole(part):
                # The process before this one ended within a line.
                self._missing -= 1
                self._fill()
                self._ready.append(self._taken(stream) + b"\n")
                self.give(line)
                return
            parts = self._held[stream]
            if text.startswith(_CUT) and parts and parts[-1].endswith(_CUT.encode()):
                cut = "a character that Docker has cut in two"
                self._warn(self.number, cut, "shown as replaced")
        elif not is_part:
            self.give(line)
            return
        if is_part:
            self._hold(stream, part)
            self._missing += 1
        else:
            self._finish(stream, part)


class _Rows(_Joiner):
    """Joins the rows of a terminal that broke lines at its width.

    An event continues in the next row while it is not closed and each row is full. A
    row that is not full has lost the blanks at its end. Rows that make no JSON stay as
    they are: they may be an event that breaks off.
    """

    def __init__(self, first: int, longest: int, warn: Warn) -> None:
        super().__init__(first, longest, warn)
        # The rows that are held, and the blanks that are missing at the ends of some.
        self._rows: list[bytes] = []
        self._blanks: dict[int, int] = {}
        # How many bytes they have, and how many of them are full or lack blanks.
        self._size = self._full = self._short = 0
        # How wide a full row of this event may be, and one of the log if that is known:
        # several numbers, since bytes, letters or columns may have been counted.
        self._widths: set[int] = set()
        self._known: set[int] = set()
        # The number of full rows with this width.
        self._sure = 0
        self._depth = 0
        self._in_string = self._is_escaped = self._has_filled = False
        self._is_ended = True

    def take(self, line: bytes) -> None:
        """Take a row; one that continues no other and opens nothing stays as it is."""
        row = line.rstrip(b"\r\n")
        self._is_ended = line.endswith(b"\n")
        if self._rows and not self._goes_on(row):
            self._give_up()
        if not self._rows:
            self._begin(line, row)
            return
        self._rows.append(row)
        self._size += len(row)
        self._scan(row)
        if self._depth == 0:
            self._close()
        elif self._size > self._longest:
            self._give_up()

    def end(self) -> None:
        """Give the rows of an event that is not closed."""
        if self._rows:
            self._give_up()
            if not self._is_ended:
                self._ready[-1] = self._ready[-1].removesuffix(b"\n")

    def give(self, line: bytes) -> None:
        """Add a line as it is; it ends the rows before it."""
        if self._rows:
            self._give_up()
        super().give(line)

    def _begin(self, line: bytes, row: bytes) -> None:
        """Hold a row if an event begins in it and is not closed."""
        self._depth = self._size = self._full = self._short = 0
        self._in_string = self._is_escaped = False
        if row.startswith(ROW) and len(row) <= WIDEST and not is_whole(row):
            self._scan(row)
            if self._depth and line.endswith(b"\n"):
                self._rows = [row]
                self._blanks = {}
                self._size = len(row)
                self._widths = set(self._known)
                return
        # A log whose lines are wider than its rows has no rows.
        self.is_done = len(row) > WIDEST and not self._known
        super().give(line)

    def _goes_on(self, row: bytes) -> bool:
        """Return True if the held rows may continue in this one."""
        last = self._rows[-1]
        widths = _widths(last, row)
        is_wider = len(self._rows) == 1 and max(widths) > max(self._widths, default=0)
        # The rows before may have been too few to know the width.
        is_first = is_wider and self._sure < _SURE
        common = widths if is_first else self._widths & widths
        if common:
            self._widths = common
            self._full += 1
        elif row.startswith(ROW) or last.endswith(b" "):
            return False
        elif max(widths) < min(self._widths):
            self._short += 1
            self._blanks[len(self._rows) - 1] = min(self._widths) - max(widths)
            # Text that is broken between words has hardly any full row.
            if 2 * self._short > self._full + 2 * bool(self._known):
                return False
        else:
            return False
        return not (row.startswith(ROW) and row.endswith(b"}") and is_whole(row))

    def _scan(self, row: bytes) -> None:
        """Count the brackets that a row opens and closes."""
        at = int(self._is_escaped)
        self._is_escaped = False
        while at < len(row):
            if self._in_string:
                found = _IN_STRING.match(row, at)
                at = found.end() if found else at
                self._is_escaped = row[at : at + 1] == b"\\"
                self._in_string = row[at : at + 1] != b'"'
                at += 1
            elif token := _TOKEN.search(row, at):
                at = token.end()
                self._in_string = token[0] == b'"'
                self._depth += (token[0] in b"{[") - (token[0] in b"}]")
                if self._depth <= 0:
                    self._depth = 0
                    return
            else:
                return

    def _close(self) -> None:
        """Give the rows of an event that is closed as one line."""
        rows = self._rows
        line = b"".join(
            row + b" " * self._blanks.get(index, 0) for index, row in enumerate(rows)
        )
        if max(_widths(rows[-1], b"")) > max(self._widths) or not is_whole(line):
            self._give_up()
            return
        self._warn_of_rows(self.number - len(rows) + 1)
        self._sure = self._full + self._sure * (self._known == self._widths)
        self._known = self._widths
        self._rows = []
        self._ready.append(line + b"\n" * len(rows))

    def _warn_of_rows(self, first: int) -> None:
        """Warn once that rows are joined, and of possible errors in their texts."""
        columns = max(self._widths)
        broken = f"lines are broken at {columns} columns, as by a terminal"
        if not self._known:
            self._warn(first, Notice(f"{broken}; joined until their JSON closes"), "")
        elif not self._known & self._widths:
            action = "blanks may be missing in those before"
            self._warn(first, f"{broken}, and not at {max(self._known)}", action)
        if self._short and not self._has_filled:
            self._has_filled = True
            missing = "blanks are missing where lines are broken"
            self._warn(first, Notice(f"{missing}; filled up to the width"), "")

    def _give_up(self) -> None:
        """Give the rows that are held as they are."""
        self._ready += [row + b"\n" for row in self._rows]
        self._rows = []


def _widths(row: bytes, following: bytes) -> set[int]:
    """Return how wide a row is in bytes, letters and columns.

    A wide letter that found no room at the end of a row is the first of the next.
    """
    found = {len(row)}
    if row.isascii() and following[:1].isascii():
        return found
    from convert.wording.styles_and_columns import columns

    text = row.decode(errors="replace")
    wide = columns(text)
    found |= {len(text), wide}
    if columns(following[:4].decode(errors="ignore")[:1]) == 2:
        found.add(wide + 1)
    return found
