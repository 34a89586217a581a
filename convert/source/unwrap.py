"""JSON that is spread over lines or wrapped in an array, put on lines.

`jq .` prints events over several lines, `jq -s .` wraps them in an array.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator

from convert.source.lines import Gap, in_blocks
from convert.source.ndjson import members_of

_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"?'
_TOKEN = re.compile(_STRING + rb"|[{}\[\]]")
_WHITE = re.compile(rb"(" + _STRING + rb")|\s+")
# A bracket on a line of its own, or an array around the first value.
_WRAPPING = rb"(?:\{[ \t\r]*$|\[[ \t\r]*(?:\{|$))"
_WRAPPED = re.compile(rb"[ \t]*" + _WRAPPING, re.MULTILINE)
# A log may hold a million such lines, and each would begin a value anew.
_LONE = b"{\n"
_LONE_LINES = re.compile(rb"^(?:\{\n){8,}", re.MULTILINE)
_OPENING = re.compile(_WRAPPING, re.MULTILINE)


def is_wrapped(line: bytes) -> bool:
    """Return True if a line begins JSON over several lines, or an array of events."""
    return _WRAPPED.match(line) is not None


def unwrap(
    blocks: Iterable[bytes], longest: int, own_member: str = ""
) -> Iterator[bytes]:
    """Put pretty-printed or array-wrapped JSON on lines: one value, one line.

    A value on one line keeps its bytes; a value of several lines loses the white space
    between its tokens. Empty lines follow for the lines it took, so that every value
    keeps the number of its first line. The lines of a value of more than `longest`
    bytes are yielded as they are. `own_member` distinguishes an
    event from an object inside of one (see `ndjson.Decoding`).
    """
    unwrapping = _Unwrapping(longest, own_member)
    for block in blocks:
        if isinstance(block, Gap):
            unwrapping.skip(block)
            yield from unwrapping.out()
            continue
        at = 0
        for lone in _LONE_LINES.finditer(block) if _LONE * 2 in block else ():
            unwrapping.take_lines(block[at : lone.start()])
            unwrapping.take_lone(lone[0])
            at = lone.end()
        unwrapping.take_lines(block[at:])
        yield from unwrapping.out()
    unwrapping.end()
    yield from unwrapping.out()


class _Unwrapping:
    """Finds where values begin and end, line by line.

    `base` is 1 inside an array around the values, else 0; a value opens at that depth.
    Text between values that is no comma is kept as a line of its own, for the reader to
    report.
    """

    def __init__(self, longest: int, own_member: str) -> None:
        self.longest = longest
        self.own_member = own_member and f'"{own_member}"'
        self.lines = 0
        self.depth = self.base = 0
        self.value: list[bytes] = []
        self.held = 0
        self.first_line = self.column = 0
        self.ready: list[bytes] = []
        self.ready_lines = 0

    def take_lines(self, lines: bytes) -> None:
        """Read some lines, each with its line feed; the last one may lack it."""
        for line in io.BytesIO(lines):
            self.take(line)

    def take(self, line: bytes) -> None:
        """Read one line, with its line feed if it has one."""
        self.lines += 1
        if self.value and self._begins_anew(line):
            self._release_as_it_is()
        at = 0
        for token in _TOKEN.finditer(line):
            if token[0] in b"{[":
                if self.depth == self.base:
                    begin = self._begin(line, at, token)
                    if begin is None:
                        break
                    at = begin
                self.depth += 1
            elif token[0] in b"}]" and self.depth:
                self.depth -= 1
                if self.depth < self.base:
                    at, self.base = token.end(), 0
                elif self.depth == self.base:
                    self._give([*self.value, line[at : token.end()]], self.first_line)
                    self.value, at = [], token.end()
        if self.depth > self.base:
            self._hold(line[at:])
        else:
            self._between(line[at:])

    def take_lone(self, lines: bytes) -> None:
        """Read many lines of a bracket, as `take` would, all but the last at once."""
        self.take(_LONE)
        count = len(lines) // len(_LONE) - 1
        if self.value != [_LONE] or self.column:
            for _ in range(count):
                self.take(_LONE)
            return
        self._fill(self.first_line)
        self.ready.append(_LONE * count)
        self.ready_lines += count
        self.lines += count
        self.first_line = self.lines

    def skip(self, line: Gap) -> None:
        """Read a line that is skipped; it damages the value that it is part of."""
        if self.value:
            self._release_as_it_is()
        self.lines += 1
        self._fill(self.lines)
        self.ready.append(line)
        self.ready_lines += 1

    def end(self) -> None:
        """Release the lines of a value that never ended; the last one is incomplete."""
        if self.value:
            self._release_as_it_is()
            self.ready.append(self.ready.pop().removesuffix(b"\n"))

    def out(self) -> Iterator[bytes]:
        """Yield the lines that are ready."""
        ready, self.ready = self.ready, []
        return in_blocks(ready)

    def _hold(self, line: bytes) -> None:
        """Keep a line of a value that continues."""
        self.held = self.held + len(line) if self.value else len(line)
        self.value.append(line)
        if self.held > self.longest:
            self._release_as_it_is()

    def _begin(self, line: bytes, at: int, token: re.Match[bytes]) -> int | None:
        """Return where a value begins: at a bracket, or after it if that wraps values.

        Returns None in noise, where brackets open nothing.
        """
        between = line[at : token.start()]
        if not self.base:
            if between.strip(b" \t,"):
                return None
            if token[0] == b"[":
                self.base = int(bool(_OPENING.match(line, token.start())))
                return token.end() if self.base else None
        self._between(between)
        self.first_line, self.column = self.lines, token.start()
        return token.start()

    def _begins_anew(self, line: bytes) -> bool:
        """Return True if a value starts on a line although the last one never ended.

        The members of a value are indented deeper than the value. If nothing is
        indented, a value only continues after a bracket, a comma or a colon, and a
        whole event on a line is no member.
        """
        column = len(line) - len(line.lstrip(b" \t"))
        if line[column : column + 1] != b"{":
            return False
        # No object inside an event has this member.
        has_own = bool(self.own_member) and self.own_member.encode() in line
        is_outside = column <= self.column or has_own
        if is_outside and _is_event(line):
            return True
        if column != self.column:
            return False
        is_indented = len(self.value) > 1 and not self.value[1][: column + 1].strip()
        return is_indented or self.value[-1].rstrip()[-1:] not in (b",", b":", b"[")

    def _release_as_it_is(self) -> None:
        """Release the lines of a value that never ended as they are."""
        for number, line in enumerate(self.value, self.first_line):
            if line.strip():
                self._give([line], number)
        self.value, self.depth = [], self.base

    def _between(self, rest: bytes) -> None:
        """Keep the text between values, except for commas and white space."""
        if rest.strip(b" \t\r\n,"):
            self._give([rest], self.lines)

    def _give(self, value: list[bytes], first_line: int) -> None:
        joined = value[0].strip()
        if len(value) > 1:
            # Line by line, because no string continues on the next one.
            joined = b"".join(_WHITE.sub(rb"\1", line) for line in value)
        self._fill(first_line)
        self.ready.append(joined + b"\n")
        self.ready_lines += 1

    def _fill(self, line: int) -> None:
        """Add empty lines for those that were taken before a line."""
        missing = max(0, line - 1 - self.ready_lines)
        self.ready.append(b"\n" * missing)
        self.ready_lines += missing


def _is_event(line: bytes) -> bool:
    """Return True if a line is a whole event, perhaps within an array."""
    if b'"' not in line or b"}" not in line:
        # A log may hold a million brackets on lines of their own.
        return False
    members = members_of(line.strip().removesuffix(b","))
    return isinstance(members.get("type"), str)
