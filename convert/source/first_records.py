"""The first JSON objects of a log, found line by line in time linear in its size."""

from __future__ import annotations

import re

from convert.source.embedded import EVENT, begin_of_event, wrapped_event
from convert.source.nesting import BRACKET, LENIENT, raw_decode
from convert.source.sniff import Record

MOST_RECORDS = 60
# A longer value is not waited for: all that is read of the log would be held.
_LONGEST = 16 << 20
# Values over several lines that are damaged are read again from within. All tries
# together read no more than a few times the log.
_MOST_READ = 4
_PIECE = 1 << 20

# Between values: white space, and what wraps them in an array.
_BETWEEN = re.compile(r"[\s,\[\]]*")
_TORN = re.compile(r'\{\s*(?:"|\Z)')
# A bracket before another one, or before the end: there may be a million of them.
_LONE = re.compile(r"\{[ \t\r\n]*(\{|\Z)")


class FirstRecords:
    """The first objects of a log, and what is between them."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        # "json" or "noise"; "" if there is nothing.
        self.begins_with = ""
        # How many lines are neither an event nor a damaged one.
        self.noise = 0
        # The text ends within an event.
        self.is_torn = False
        # A value over several lines that has not ended, its size when it was last
        # tried, and how many brackets are open in it.
        self._held: list[str] = []
        self._size = self._tried = self._depth = 0
        self._taken = self._read = 0

    @property
    def is_cut(self) -> bool:
        """More text may complete a value."""
        return bool(self._held)

    def take(self, line: str) -> bool:
        """Read one more line; return True if it completes an object with a type."""
        known = len(self.records)
        self._taken += len(line)
        if line == "{\n" and self._held == [line]:
            # The held line was no value, and this one may be.
            self.noise += 1
        elif self._held:
            self._hold(line)
        elif known < MOST_RECORDS and "{" in line:
            self._find(line)
        elif known < MOST_RECORDS and not line.isspace():
            self._note_noise(line)
        has_more = len(self.records) > known
        return has_more and any("type" in record for record in self.records[known:])

    def end(self) -> None:
        """Look at a value that has not ended for the last time."""
        if self._held:
            self._find("".join(self._held))

    def _note_noise(self, line: str) -> None:
        """Read a line without an object; there may be a million of them."""
        self.is_torn = False
        if _skip(line, 0) < len(line):
            self.noise += 1
            self.begins_with = self.begins_with or "noise"

    def _hold(self, line: str) -> None:
        """Read a line of a value that has begun before it.

        The value is tried when its brackets are closed. It may be damaged, so it is
        also tried whenever its size has doubled.
        """
        self._held.append(line)
        self._size += len(line)
        self._depth += _depth(line)
        if self._depth <= 0 or self._size >= 2 * self._tried:
            self._find("".join(self._held))

    def _find(self, text: str) -> None:
        """Find the objects of some lines, the last ones that were read."""
        self._held = []
        length = len(text.rstrip())
        if length:
            self.is_torn = False
        at = _skip(text, 0)
        while at < length and len(self.records) < MOST_RECORDS and not self._held:
            at = _skip(text, self._find_one(text, at, length))

    def _find_one(self, text: str, at: int, length: int) -> int:
        """Find one object; return where to look for the next one."""
        line_end = text.find("\n", at)
        end = line_end if line_end >= 0 else len(text)
        prefix = None if text[at] == "{" else _prefix(text, at, end)
        is_prefixed = prefix is not None
        begin = at + (prefix or 0)
        is_noise = True
        if text[begin] == "{":
            found = self._decode(text, begin, end, length)
            if self._held:
                self.begins_with = self.begins_with or "json"
                return end
            if found is not None:
                end = found
                is_noise = is_prefixed
        # A damaged event is not prose.
        is_prose = is_noise and not (is_prefixed or EVENT.match(text, begin))
        self.noise += is_prose
        begins_with = "noise" if is_prose or is_prefixed else "json"
        self.begins_with = self.begins_with or begins_with
        return end

    def _decode(self, text: str, begin: int, end: int, length: int) -> int | None:
        """Decode an object that begins on the line up to `end`.

        Returns the offset of its end; None if it is damaged, or is held because it may
        go on after the text, which is `length` characters without the blanks at its
        end.
        """
        # Only a bracket alone on its line begins a value of several lines.
        is_spread = not text[begin + 1 : end].strip()
        if is_spread and (lone := _LONE.match(text, begin)):
            self._note_lone(text[begin:], is_last=not lone[1])
            return None
        if is_spread and not self._may_read(len(text) - begin):
            return None
        # A long text is not copied for each of its values, nor a long line.
        is_whole = is_spread or end >= len(text) - 1
        value, offset = (text, 0) if is_whole else (text[begin:end], begin)
        try:
            record, after, _ = raw_decode(LENIENT, value, begin - offset)
        except ValueError as error:
            at = getattr(error, "pos", begin - offset) + offset
            is_last = text.find("\n", at, length) < 0
            self.is_torn = is_last and bool(_TORN.match(value, begin - offset))
            if is_spread and is_last and len(text) - begin < _LONGEST:
                self._wait_for(text[begin:])
            return None
        self.records.append(_inner(record))
        return after + offset

    def _note_lone(self, text: str, is_last: bool) -> None:
        """Read a bracket without a member, as `_decode` would after a try."""
        self.is_torn = is_last
        if not is_last:
            self.begins_with = self.begins_with or "json"
        elif len(text) < _LONGEST:
            self._wait_for(text)

    def _may_read(self, size: int) -> bool:
        """Count a try to decode a value over several lines, if one is left."""
        may_read = self._read + size <= _MOST_READ * self._taken + _PIECE
        self._read += size * may_read
        return may_read

    def _wait_for(self, value: str) -> None:
        """Hold a value that may go on."""
        self._held = [value]
        self._size = self._tried = len(value)
        self._depth = _depth(value)


def _prefix(text: str, at: int, end: int) -> int | None:
    """Return how long the prefix is before the event on a line; None without one."""
    if '{"' not in text[at:end]:
        match = EVENT.search(text, at, end)
        return match.start() - at if match else None
    # The offset in bytes is that of the text up to the event.
    line = text[at:end].encode(errors="surrogatepass")
    begin = begin_of_event(line)
    return None if begin is None else len(line[:begin].decode(errors="surrogatepass"))


def _depth(text: str) -> int:
    """Return how many brackets a text opens and does not close."""
    tokens = [token[0] for token in BRACKET.finditer(text)]
    opening = tokens.count("{") + tokens.count("[")
    return opening - tokens.count("}") - tokens.count("]")


def _inner(record: Record) -> Record:
    """Return the record that a recorder has wrapped in this one, else this one."""
    inner = wrapped_event(record)
    try:
        return record if inner is None else raw_decode(LENIENT, inner, 0)[0]
    except ValueError:
        return record


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
