"""For redaction: which lines of stream-json hold parts of one text.

The deltas of a segment or of a block of reasoning are one text. A segment ends here as
it does for the reader of runs: `messages` defines deltas, recaps, flushes and
boundaries for both, and `runs` the runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from convert.cursor.messages import PAUSES, is_boundary, is_delta, is_recap
from convert.cursor.runs import OpenRun, Runs, begins_run
from convert.cursor.wire import WireEvent, delta_texts, texts_of, wire
from convert.model.events import Needs
from convert.redact.ndjson import HeldLines, Shape
from convert.source.damaged_lines import decode_again
from convert.source.ndjson import Decoding, decode_block

_KEYWORDS = frozenset({"type", "subtype", "role", "query_type"})
_Lines = HeldLines[WireEvent]
_Group = list[_Lines]


def _is_in_message(depth: int, member: str) -> bool:
    """Return True if a string is part of a message, by its place in the line."""
    if depth == 1:
        return member == "message"
    return member in ("text", "content")


_WITH_TEXTS = frozenset({"assistant", "thinking", "user"})
_PLAIN = Shape(_KEYWORDS)
_SHAPES = {
    "user": Shape(_KEYWORDS, _is_in_message),
    "assistant": Shape(_KEYWORDS, _is_in_message),
    "thinking": Shape(_KEYWORDS, lambda depth, member: depth == 1 and member == "text"),
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
        self._open: defaultdict[int, _Open] = defaultdict(_Open)

    def parts(self, lines: _Lines) -> Iterator[_Lines]:
        """Yield the deltas of a text together, but the last, which may be a recap."""
        lines.wholes = self._decoded(lines)
        for begin, end in _spans(lines.wholes):
            if end - begin > 2 and (
                texts := _texts_of_each(lines.wholes[begin : end - 1])
            ):
                deltas = lines.part(begin, end - 1)
                deltas.texts = texts
                yield deltas
                begin = end - 1
            for index in range(begin, end):
                yield lines.part(index, index + 1)

    def _decoded(self, lines: _Lines) -> list[WireEvent | None]:
        """Decode the lines with texts together, which takes a fifth of the time."""
        events = enumerate(lines.events)
        texts = [index for index, event in events if event.type in _WITH_TEXTS]
        block = b"\n".join([lines.raws[index] for index in texts])
        found = decode_block(block, 1, self._in_block) if texts else None
        wholes: list[WireEvent | None] = [None] * len(lines.events)
        for index, event in zip(texts, found.events if found else (), strict=False):
            wholes[index] = event
        return wholes

    def take(self, lines: _Lines) -> Iterator[_Group]:
        """Read lines and yield the groups that are complete with them."""
        event, run = lines.events[0], self._runs.current
        if (
            not run.is_under_way
            or event.session_id != run.session
            or event.type == "system"
        ):
            yield from self._enter(event)
            run = self._runs.current
        lines.holder = run
        lines.shape = _SHAPES.get(event.type, _PLAIN)
        event = self._whole(lines, run)
        if is_boundary(event):
            yield from self._close(run)
        if event.type == "result" and not run.has_ended:
            self._runs.end(run)
        if event.type in PAUSES and _ends_in_recap(self._open[run.number].segment):
            yield from _closed(self._open[run.number].segment)
        yield from self._add(lines, event, run)

    def _whole(self, lines: _Lines, run: OpenRun) -> WireEvent:
        """Return the first of some lines, and note in its run if one has a timestamp.

        An event as decoded for the target may lack the texts and the timestamp.
        """
        event, wholes = lines.events[0], [*filter(None, lines.wholes)]
        if wholes:
            event = wholes[0]
        elif not run.is_stamped or event.type in _WITH_TEXTS:
            event = decode_again(lines.raws[0], self._with_texts) or event
            wholes = [event]
        if not run.is_stamped:
            run.is_stamped = any(whole.timestamp_ms is not None for whole in wholes)
        return event

    def release(self, lines: _Lines) -> Iterator[_Group]:
        """Yield the open groups of the run of some lines."""
        yield from self._close(lines.holder)

    def end(self) -> Iterator[_Group]:
        """Yield the groups that are open when the log ends."""
        for texts in self._open.values():
            yield from _closed(texts.thought)
            yield from _closed(texts.segment)

    def _enter(self, event: WireEvent) -> Iterator[_Group]:
        """Enter the run of a line, and yield the groups of the runs that it ends."""
        if (other := self._runs.enter(event)) is not None:
            self._runs.end(other)
            yield from self._close(other)
        run = self._runs.current
        starts = begins_run(event) and not run.has_started
        if starts and (silent := self._runs.start(run)) is not None:
            self._runs.end(silent)
            yield from self._close(silent)

    def _add(self, lines: _Lines, event: WireEvent, run: OpenRun) -> Iterator[_Group]:
        """Add lines to an open group, or yield a single one unless it is a delta."""
        if event.type == "thinking":
            lines.texts = lines.texts or [event.text]
            thought = self._open[run.number].thought
            if event.subtype != "completed":
                lines.speaker = f"thinking {event.session_id}"
                thought.append(lines)
                return
            yield from _closed(thought)
        elif event.type == "user":
            lines.texts = texts_of(event.message)
        elif event.type == "assistant":
            lines.texts = lines.texts or texts_of(event.message)
            texts = self._open[run.number]
            if texts.thought:
                yield from _closed(texts.thought)
            if is_delta(event, run.is_stamped):
                lines.speaker = f"text {event.session_id}"
                texts.segment.append(lines)
                return
            yield from _closed(texts.segment)
        yield [lines]

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
    *before, last = ["".join(lines.texts) for lines in deltas] or [""]
    return is_recap(before, last)


def _spans(wholes: Sequence[WireEvent | None]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of lines that continue one text, or of a single line."""
    begin = 0
    text: tuple[str, str] | None = None
    for index, whole in enumerate(wholes):
        last, text = text, None
        if whole is not None and (
            whole.timestamp_ms is not None and not whole.model_call_id
            if whole.type == "assistant"
            else whole.type == "thinking" and whole.subtype != "completed"
        ):
            text = whole.type, whole.session_id
        if index and (text is None or text != last):
            yield begin, index
            begin = index
    if wholes:
        yield begin, len(wholes)


def _texts_of_each(wholes: Sequence[Any]) -> list[str] | None:
    """Return the texts of deltas; None unless each has one."""
    if wholes[0].type == "thinking":
        return [whole.text for whole in wholes]
    return delta_texts([*wholes])
