"""NDJSON without its secrets: only strings change, all else keeps its bytes."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from convert.redact.finding import Cuts, broken_off, continued, outermost
from convert.redact.redactor import Redactor
from convert.redact.rule import Secret
from convert.redact.suspicion import (
    is_escaped,
    may_name_secret,
    secret_in_field,
    secret_in_member,
)
from convert.source.damaged_lines import decode_again
from convert.source.ndjson import Decoding, E, EventBlock
from convert.source.nesting import is_json

# How many lines, and bytes, wait for a text that does not end.
_MOST_WAITING = 10_000
_MOST_BYTES = 16 << 20
_T = TypeVar("_T", bound=Struct)


class Shape(Struct, frozen=True):
    """The meaning of the strings of a line, which only its format knows."""

    keywords: frozenset[str] = frozenset()
    """Members whose values are words of the format: no pattern of the user applies."""

    is_text: Callable[[int, str], bool] = lambda depth, member: False
    """Returns by its depth, from 1, and its member if a string is a piece of a text."""


class HeldLines(Struct, Generic[E], gc=False):
    """Lines that follow each other until nothing after them can change them.

    They are the pieces of one text, or a single line.
    """

    events: list[E]
    """The decoded lines."""

    numbers: Sequence[int]
    """The number of each line, from 1."""

    raws: list[bytes]
    """The bytes of each event."""

    suspected: Sequence[int]
    """For each line: may a string of it hold a secret?"""

    wholes: Sequence[E | None] = ()
    """The lines decoded with their texts, where they are; set by `Groups`."""

    texts: list[str] = []
    """The strings of the lines that are pieces of a text, in order; set by `Groups`."""

    shape: Shape = Shape()
    """The places of those strings in a line; set by `Groups`."""

    speaker: str = ""
    """Names those whose texts may go on in the next one; set by `Groups`."""

    size: int = 0
    """The bytes of all events."""

    holder: Any = None
    """A mark that `Groups` may set to find the group of the lines again."""

    is_ready: bool = False
    """True once the lines have been redacted."""

    def part(self, begin: int, end: int) -> HeldLines[E]:
        """Return some of the lines."""
        raws = self.raws[begin:end]
        return HeldLines(
            self.events[begin:end],
            self.numbers[begin:end],
            raws,
            self.suspected[begin:end],
            self.wholes[begin:end],
            size=sum(map(len, raws)),
        )

    def alone(self) -> Iterator[HeldLines[E]]:
        """Yield each line by itself."""
        for index in range(len(self.raws)):
            yield self.part(index, index + 1)


class Groups(Protocol[_T]):
    """The part of redaction that a format knows: which lines hold pieces of one text.

    Each line is yielded exactly once, in a list with the lines that belong to it.
    """

    def parts(self, lines: HeldLines[_T]) -> Iterable[HeldLines[_T]]:
        """Yield the lines of a block, together where they only go on with a text."""

    def take(self, lines: HeldLines[_T]) -> Iterable[list[HeldLines[_T]]]:
        """Read such lines and yield the groups that are complete with them."""

    def release(self, lines: HeldLines[_T]) -> Iterable[list[HeldLines[_T]]]:
        """Yield the groups that are open and hold back lines, which wait too long."""

    def end(self) -> Iterable[list[HeldLines[_T]]]:
        """Yield the groups that are open when the log ends."""


def redacted(
    blocks: Iterable[EventBlock[E]],
    decoding: Decoding[E],
    groups: Groups[E],
    redactor: Redactor,
) -> Iterator[EventBlock[E]]:
    """Yield the events of a log without their secrets, in order."""
    redaction = _Redaction(decoding, groups, redactor)
    last = 0
    for block in blocks:
        last = block.last
        raws = [*map(bytes.strip, map(block.line, range(len(block.events))))]
        suspected = redactor.suspected(raws)
        redaction.take(HeldLines(block.events, block.numbers, raws, suspected))
        yield redaction.ready(last)
    redaction.end()
    yield redaction.ready(last)


class _Redaction(Generic[E]):
    """The lines from the first one that is not ready to the last one read."""

    def __init__(
        self, decoding: Decoding[E], groups: Groups[E], redactor: Redactor
    ) -> None:
        self._decoding = decoding
        self._groups = groups
        self._redactor = redactor
        self._cuts = Cuts()
        self._queue: deque[HeldLines[E]] = deque()
        self._lines = self._bytes = 0

    def take(self, lines: HeldLines[E]) -> None:
        """Read the lines of a block, and redact the groups that they complete."""
        groups: list[list[HeldLines[E]]] = []
        for part in self._groups.parts(lines):
            if not self._waits_too_long(len(part.raws), part.size):
                groups += self._taken(part)
                continue
            self._settle(groups)
            groups = []
            for alone in part.alone():
                self._settle([*self._taken(alone)])
                if self._waits_too_long():
                    self._settle([*self._groups.release(self._queue[0])])
        self._settle(groups)

    def _taken(self, lines: HeldLines[E]) -> Iterable[list[HeldLines[E]]]:
        """Take lines and return the groups that are complete with them."""
        self._queue.append(lines)
        self._lines += len(lines.raws)
        self._bytes += lines.size
        return self._groups.take(lines)

    def _waits_too_long(self, lines: int = 0, size: int = 0) -> bool:
        """Return True if too much waits, or would with so much more."""
        return self._lines + lines > _MOST_WAITING or self._bytes + size > _MOST_BYTES

    def end(self) -> None:
        """Redact the open groups when the log has ended."""
        self._settle([*self._groups.end()])
        self._settle([[lines] for lines in self._queue if not lines.is_ready])

    def ready(self, last: int) -> EventBlock[E]:
        """Return the lines before the first one that is not ready."""
        events: list[E] = []
        numbers: list[int] = []
        raws: list[bytes] = []
        while self._queue and self._queue[0].is_ready:
            lines = self._queue.popleft()
            events += lines.events
            numbers += lines.numbers
            raws += lines.raws
        self._lines -= len(raws)
        self._bytes -= sum(map(len, raws))
        significant = self._decoding.significant(events)
        return EventBlock(events, numbers, last, significant, raws=raws)

    def _settle(self, groups: list[list[HeldLines[E]]]) -> None:
        """Redact the lines of groups, whose texts are searched together."""
        texts = [*map(self._text_of, groups)]
        suspected = self._redactor.suspected_texts(
            [before + text for before, text in texts]
        )
        for group, (before, text), is_suspect in zip(
            groups, texts, suspected, strict=True
        ):
            pieces = self._pieces(group, before, text, is_suspect) if text else None
            for lines in group:
                self._rewrite(lines, pieces)

    def _text_of(self, group: list[HeldLines[E]]) -> tuple[str, str]:
        """Return the text of a group, after the end of the one that it may go on with.

        Most other texts are whole, and those are searched with their line.
        """
        speaker = group[0].speaker
        if not speaker and len(group[0].texts) < 2:
            return "", ""
        text = "".join([text for lines in group for text in lines.texts])
        return self._cuts.turn(speaker, text) if speaker else "", text

    def _pieces(
        self, group: list[HeldLines[E]], before: str, text: str, is_suspect: int
    ) -> list[str] | None:
        """Return the replacement of the texts of a group; None to redact each alone.

        That would miss a secret in the joined texts, or one that begins before them.
        """
        texts = [text for lines in group for text in lines.texts]
        cuts = broken_off(text) if group[0].speaker else []
        if is_suspect:
            cuts = [*continued(before, text), *cuts]
        if not cuts and len(texts) < 2:
            return None
        redactor = self._redactor
        find = redactor.find if is_suspect else redactor.known.find
        secrets = outermost(find(text))
        alone = self._find_alone(texts) if secrets or cuts else []
        if not cuts and secrets == alone:
            return None
        # A secret at the end of a text may be none with the next one.
        for text_alone in texts:
            redactor.learn(text_alone)
        return [redactor.replace(text, outermost([*secrets, *alone, *cuts]))]

    def _find_alone(self, texts: list[str]) -> list[Secret]:
        """Find the secrets in each of some texts; their offsets are those in all."""
        found = []
        at = 0
        for text in texts:
            for secret in self._redactor.find(text):
                begin, end = secret.begin + at, secret.end + at
                found.append(secret._replace(begin=begin, end=end))
            at += len(text)
        return found

    def _rewrite(self, lines: HeldLines[E], pieces: list[str] | None) -> None:
        """Redact the strings of lines; `pieces` replace their texts unless None."""
        lines.is_ready = True
        if pieces is None and not any(lines.suspected):
            # They are searched together, which takes less time.
            known = self._redactor.known
            if known.is_empty or not known.is_in(b"\n".join(lines.raws)):
                return
        for index in range(len(lines.raws)):
            self._rewrite_line(lines, index, pieces)

    def _rewrite_line(
        self, lines: HeldLines[E], index: int, pieces: list[str] | None
    ) -> None:
        """Redact the strings of a line and decode it again if that changes it."""
        before = lines.raws[index]
        known = self._redactor.known
        if pieces is None:
            is_suspect = lines.suspected[index]
            if known.is_clean(before) if is_suspect else not known.is_in(before):
                return
        raw = rewrite(before, self._redactor, lines.shape, pieces)
        if raw != before:
            self._bytes += len(raw) - len(before)
            lines.raws[index] = raw
            event = decode_again(raw, self._decoding)
            lines.events[index] = event or lines.events[index]
        elif pieces is None:
            known.add_clean(raw)


# A string, with the colon after it if it is the name of a member, or a bracket.
_TOKEN = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<colon>\s*+:)?|[\[\]{}]', re.DOTALL
)
# The value of the one is the name of the value of the other.
_NAMING, _VALUES = {"name", "key", "Name", "Key"}, {"value", "Value"}
# A field of a page, and the text typed into it.
_FIELDS, _TYPED = {"selector", "element", "label", "field"}, {"text", "value"}


def rewrite(
    raw: bytes, redactor: Redactor, shape: Shape, pieces: list[str] | None
) -> bytes:
    """Return a line of JSON without its secrets; the same bytes if it holds none.

    Unless `pieces` is None, they replace the pieces of a text in the line.
    """
    return _Rewriting(redactor, shape, pieces).json(raw)


class _Rewriting:
    """Redacts the strings of one JSON value, with the names of their members."""

    def __init__(
        self, redactor: Redactor, shape: Shape, pieces: list[str] | None
    ) -> None:
        self._redactor = redactor
        self._shape = shape
        self._pieces = pieces
        # The name of the next value, and for each open list that of its values.
        self._member = ""
        self._open: list[str] = []
        self._named = self._field = ""

    def json(self, raw: bytes) -> bytes:
        """Return JSON with its strings redacted."""
        return _TOKEN.sub(self._token, raw)

    def _token(self, match: re.Match[bytes]) -> bytes:
        token = match[0]
        if token[:1] != b'"':
            self._bracket(token)
            return token
        colon = match["colon"] or b""
        token = token.removesuffix(colon)
        text = _unquoted(token)
        if colon:
            self._member = text
            found = self._redactor.find_issued(text) if len(text) > 3 else []
            changed = self._redactor.replace(text, found) if found else text
        else:
            changed = self._value(text)
            self._member = self._open[-1] if self._open else ""
        return match[0] if changed == text else _quoted(changed) + colon

    def _bracket(self, bracket: bytes) -> None:
        """Keep the name for the values of an open list; those of an object have own."""
        if bracket == b"{":
            # An object may have the name of a secret, and a member for its value.
            self._named, self._field = self._member, ""
        if bracket in b"[{":
            self._open.append(self._member if bracket == b"[" else "")
        elif self._open:
            self._open.pop()
        self._member = self._open[-1] if self._open else ""

    def _value(self, text: str) -> str:
        member, redactor = self._member, self._redactor
        if self._pieces is not None and self._shape.is_text(len(self._open), member):
            return self._pieces.pop(0) if self._pieces else ""
        if member in _NAMING:
            self._named = text
        name = self._named if member in _VALUES else member
        if secrets := secret_in_member(name, text):
            return redactor.replace(text, secrets)
        if member in _FIELDS:
            self._field = text
        elif member in _TYPED and (secrets := secret_in_field(self._field, text)):
            return redactor.replace(text, secrets)
        may_be_json = text.lstrip()[:1] in ("{", "[") and '"' in text
        may_hold_secret = may_be_json and (may_name_secret(text) or is_escaped(text))
        if may_hold_secret and is_json(text):
            # The arguments of a function are JSON in a string, files may be.
            inner = _Rewriting(redactor, Shape(self._shape.keywords), None)
            raw = inner.json(text.encode(errors="surrogatepass"))
            text = raw.decode(errors="surrogatepass")
        if member in self._shape.keywords:
            return redactor.replace(text, redactor.find_issued(text))
        return redactor.text(text)


def _unquoted(token: bytes) -> str:
    """Return the value of a string in JSON; most have no escapes."""
    if b"\\" not in token:
        return token[1:-1].decode(errors="replace")
    text: str = json.loads(token.decode(errors="replace"), strict=False)
    return text


def _quoted(text: str) -> bytes:
    """Return a string in JSON; half an emoji, which is not UTF-8, becomes an escape."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()
