"""For redaction: which lines of stream-json hold parts of one text.

The deltas of a segment or of a block of reasoning are one text. A segment ends as it
does for the reader of runs: `segments` defines deltas, recaps, flushes and boundaries
for both, and `open_runs` the runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.formats.stream_json.open_runs import OpenRun, Runs, begins_run
from convert.formats.stream_json.segments import (
    PAUSES,
    is_boundary,
    is_delta,
    is_recap,
)
from convert.formats.stream_json.wire import WireEvent, texts_of, wire
from convert.model.needs import Needs
from convert.redact.ndjson import HeldLine
from convert.redact.rewriting import Shape
from convert.source.damaged import decode_again
from convert.source.ndjson import Decoding, decode_block

_KEYWORDS = frozenset({"type", "subtype", "role", "query_type"})
_Line = HeldLine[WireEvent]
_Group = list[HeldLine[WireEvent]]


def _is_in_message(depth: int, member: str) -> bool:
    """Return True if a string is part of a message, by its place in the line."""
    if depth == 1:
        return member == "message"
    return member in ("text", "content")


def _is_thought(depth: int, member: str) -> bool:
    """Return True if a string is part of the reasoning, by its place in the line."""
    return depth == 1 and member == "text"


_WITH_TEXTS = frozenset({"assistant", "thinking", "user"})
_PLAIN = Shape(_KEYWORDS)
_SHAPES = {
    "user": Shape(_KEYWORDS, _is_in_message),
    "assistant": Shape(_KEYWORDS, _is_in_message),
    "thinking": Shape(_KEYWORDS, _is_thought),
}


class _Open(Struct):
    """The deltas of a run that make its open segment and block of reasoning."""

    segment: _Group = []
    thought: _Group = []


class TextGroups:
    """The groups of a log; see `redact.ndjson.Groups`."""

    def __init__(self) -> None:
        texts = wire(Needs(text=True, thinking=True))
        self._with_texts = Decoding(texts.event, texts.decoder)
        self._in_block = Decoding(texts.event, texts.decoder, is_raw=True)
        self._runs = Runs()
        self._open: dict[int, _Open] = {}

    def prepare(self, lines: list[_Line]) -> None:
        """Decode the lines with texts together, which takes a fifth of the time."""
        texts = [line for line in lines if line.event.type in _WITH_TEXTS]
        block = b"\n".join([line.raw for line in texts])
        found = decode_block(block, 1, self._in_block) if texts else None
        for line, event in zip(texts, found.events if found else (), strict=False):
            line.whole = event

    def take(self, line: _Line) -> Iterator[_Group]:
        """Read a line and yield the groups that are complete with it."""
        event, run = line.event, self._runs.current
        if (
            not run.is_under_way
            or event.session_id != run.session
            or event.type == "system"
        ):
            run, ended = self._enter(event)
            for other in ended:
                yield from self._close(other)
        line.holder = run
        line.shape = _SHAPES.get(event.type, _PLAIN)
        if line.whole is not None:
            # What is decoded for the target may lack the texts and the timestamp.
            event = line.whole
            run.is_stamped = run.is_stamped or event.timestamp_ms is not None
        elif not run.is_stamped or event.type in _WITH_TEXTS:
            event = decode_again(line.raw, self._with_texts) or event
            run.is_stamped = run.is_stamped or event.timestamp_ms is not None
        if is_boundary(event):
            yield from self._close(run)
        if event.type == "result" and not run.has_ended:
            self._runs.end(run)
        if event.type in PAUSES and _ends_in_recap(self._open_in(run).segment):
            yield from _closed(self._open_in(run).segment)
        yield from self._add(line, event, run)

    def release(self, line: _Line) -> Iterator[_Group]:
        """Yield the open groups of the run of a line."""
        yield from self._close(line.holder)

    def end(self) -> Iterator[_Group]:
        """Yield the groups that are open when the log ends."""
        for texts in self._open.values():
            yield from _closed(texts.thought)
            yield from _closed(texts.segment)

    def _enter(self, event: WireEvent) -> tuple[OpenRun, list[OpenRun]]:
        """Return the run of a line, and those that the line ends."""
        ended = []
        if (other := self._runs.enter(event)) is not None:
            self._runs.end(other)
            ended.append(other)
        run = self._runs.current
        other = None
        if begins_run(event) and not run.has_started:
            other = self._runs.start(run)
        if other is not None:
            self._runs.end(other)
            ended.append(other)
        return run, ended

    def _add(self, line: _Line, event: WireEvent, run: OpenRun) -> Iterator[_Group]:
        """Add a line to an open group, or yield it alone unless it is a delta."""
        if event.type == "thinking":
            line.texts = [event.text]
            thought = self._open_in(run).thought
            if event.subtype != "completed":
                line.voice = f"thinking {event.session_id}"
                thought.append(line)
                return
            yield from _closed(thought)
        elif event.type == "user":
            line.texts = texts_of(event.message)
        elif event.type == "assistant":
            line.texts = texts_of(event.message)
            texts = self._open_in(run)
            if texts.thought:
                yield from _closed(texts.thought)
            if is_delta(event, run.is_stamped):
                line.voice = f"text {event.session_id}"
                texts.segment.append(line)
                return
            yield from _closed(texts.segment)
        yield [line]

    def _open_in(self, run: OpenRun) -> _Open:
        texts = self._open.get(run.number)
        if texts is None:
            texts = self._open[run.number] = _Open()
        return texts

    def _close(self, run: OpenRun) -> Iterator[_Group]:
        texts = self._open.pop(run.number, None)
        if texts is not None:
            yield from _closed(texts.thought)
            yield from _closed(texts.segment)


def _closed(deltas: _Group) -> Iterator[_Group]:
    """Yield the deltas of a text that is complete; a recap is a text of its own."""
    if not deltas:
        return
    group = deltas.copy()
    deltas.clear()
    if _ends_in_recap(group):
        yield group[:-1]
        yield group[-1:]
    else:
        yield group


def _ends_in_recap(deltas: _Group) -> bool:
    *before, last = [line.text for line in deltas] or [""]
    return is_recap(before, last)
