"""Lines of stream-json without secrets: only strings change, all else keeps its bytes.

A secret may be cut over two deltas. So the deltas of a text are held until it closes;
where a secret stands in two of them, the first gets the whole text without it and the
others are emptied.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.formats.stream_json.open_runs import OpenRun, Runs, begins_run
from convert.formats.stream_json.segments import (
    PAUSES,
    is_boundary,
    is_delta,
    is_recap,
)
from convert.formats.stream_json.wire import WireEvent, texts_of, wire
from convert.model import Needs
from convert.redact import Redactor, Secret
from convert.redact.rewriting import Rewriting
from convert.redact.rules import Rule
from convert.source.damaged import decode_again
from convert.source.ndjson import Decoding, EventBlock

# How many lines, and bytes, wait for a text that does not end.
_MOST_WAITING = 10_000
_MOST_BYTES = 16 << 20


class _Waiting(Struct):
    """A line in its place; `is_ready` once nothing behind it can change it.

    `texts` are those that the agent or the user says in it, by the parts of a message.
    """

    event: WireEvent
    number: int
    raw: bytes
    run: OpenRun | None = None
    texts: list[str] = []
    is_ready: bool = False

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Texts(Struct):
    """The deltas of a run that make one segment, and one block of reasoning."""

    segment: list[_Waiting] = []
    thought: list[_Waiting] = []


def redacted(
    blocks: Iterable[EventBlock[WireEvent]],
    decoding: Decoding[WireEvent],
    redactor: Redactor,
) -> Iterator[EventBlock[WireEvent]]:
    """Give each line without its secrets, in order."""
    redaction = _Redaction(decoding, redactor)
    last = 0
    for lines in blocks:
        last = lines.last
        for index, event in enumerate(lines.events):
            redaction.take(_Waiting(event, lines.numbers[index], lines.raw(index)))
        yield redaction.ready(last)
    redaction.end()
    yield redaction.ready(last)


class _Redaction:
    """The lines from the first that is not ready to the last that was read."""

    def __init__(self, decoding: Decoding[WireEvent], redactor: Redactor) -> None:
        self._decoding = decoding
        words = wire(Needs(text=True, thinking=True))
        self._words = Decoding(words.event, words.decoder, lambda events: ())
        self._redactor = redactor
        self._runs = Runs()
        self._texts: dict[int, _Texts] = {}
        self._queue: deque[_Waiting] = deque()
        self._bytes = 0

    def take(self, line: _Waiting) -> None:
        """Read a line and settle what it closes, and the line unless it is a delta."""
        self._queue.append(line)
        self._bytes += len(line.raw)
        run = line.run = self._enter(line.event)
        words = line.event
        if not run.is_stamped or words.type in ("assistant", "thinking", "user"):
            words = decode_again(line.raw, self._words) or words
            run.is_stamped = run.is_stamped or words.timestamp_ms is not None
        if is_boundary(words):
            self._close_all(run)
        if words.type == "result" and not run.has_ended:
            self._runs.end(run)
        elif words.type in PAUSES:
            self._close_recap(run)
        if not self._is_kept(line, words, run):
            self._settle([line])
        if len(self._queue) > _MOST_WAITING or self._bytes > _MOST_BYTES:
            self._close_all(self._queue[0].run or run)

    def _enter(self, event: WireEvent) -> OpenRun:
        """Return the run of a line."""
        ended = self._runs.enter(event)
        if ended is not None:
            self._close_all(ended)
            self._runs.end(ended)
        run = self._runs.current
        if begins_run(event) and not run.has_started:
            self._runs.start(run)
        return run

    def _is_kept(self, line: _Waiting, words: WireEvent, run: OpenRun) -> bool:
        """Read the texts of a line; a delta is kept with those before it."""
        if words.type == "thinking":
            line.texts = [words.text]
            if words.subtype != "completed":
                self._texts_of(run).thought.append(line)
                return True
            self._close(self._texts_of(run).thought)
        elif words.type == "user":
            line.texts = texts_of(words.message)
        elif words.type == "assistant":
            line.texts = texts_of(words.message)
            texts = self._texts_of(run)
            self._close(texts.thought)
            if is_delta(words, run.is_stamped):
                texts.segment.append(line)
                return True
            self._close(texts.segment)
        return False

    def _texts_of(self, run: OpenRun) -> _Texts:
        return self._texts.setdefault(run.number, _Texts())

    def end(self) -> None:
        """Settle what is open when the log has ended."""
        for texts in self._texts.values():
            self._close(texts.thought)
            self._close(texts.segment)

    def ready(self, last: int) -> EventBlock[WireEvent]:
        """The lines in front of the first that is not ready."""
        lines: list[_Waiting] = []
        while self._queue and self._queue[0].is_ready:
            lines.append(self._queue.popleft())
            self._bytes -= len(lines[-1].raw)
        return EventBlock(
            [line.event for line in lines],
            [line.number for line in lines],
            last,
            range(len(lines)),
            raws=[line.raw for line in lines],
        )

    def _close_all(self, run: OpenRun) -> None:
        texts = self._texts.pop(run.number, None)
        if texts is not None:
            self._close(texts.thought)
            self._close(texts.segment)

    def _close_recap(self, run: OpenRun) -> None:
        """Settle the segment in front of a pause if its last delta is a recap."""
        texts = self._texts_of(run)
        if _ends_in_recap(texts.segment):
            self._close(texts.segment)

    def _close(self, deltas: list[_Waiting]) -> None:
        """Settle the deltas of a text that is complete."""
        if _ends_in_recap(deltas):
            self._settle(deltas[:-1])
            self._settle(deltas[-1:])
        else:
            self._settle(deltas)
        deltas.clear()

    def _settle(self, lines: list[_Waiting]) -> None:
        """Redact lines each alone, or as one text if that would miss a secret."""
        texts = [text for line in lines for text in line.texts]
        said = None
        if len(texts) > 1:
            whole = "".join(texts)
            rules = self._redactor.suspected(whole)
            secrets = self._redactor.find(whole, rules)
            if secrets and secrets != self._alone(texts, rules):
                said = self._redactor.replace(whole, secrets)
        for line in lines:
            self._rewrite(line, said)
            said = said and ""

    def _alone(self, texts: list[str], rules: list[Rule]) -> list[Secret]:
        """What is found in each of some texts, by its place in all of them."""
        found = []
        at = 0
        for text in texts:
            for secret in self._redactor.find(text, rules):
                begin, end, name = secret
                found.append(Secret(begin + at, end + at, name))
            at += len(text)
        return found

    def _rewrite(self, line: _Waiting, said: str | None) -> None:
        """Redact the strings of a line; `said` takes the place of what it says."""
        raw = Rewriting(self._redactor, line.event.type, said).line(line.raw)
        if raw != line.raw:
            self._bytes += len(raw) - len(line.raw)
            line.raw = raw
            line.event = decode_again(raw, self._decoding) or line.event
        line.is_ready = True


def _ends_in_recap(deltas: list[_Waiting]) -> bool:
    *before, last = [line.text for line in deltas] or [""]
    return is_recap(before, last)
