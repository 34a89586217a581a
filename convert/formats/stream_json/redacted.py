"""Lines of stream-json without secrets: only strings change, all else keeps its bytes.

A secret may be cut over two deltas. So the deltas of a text are held until it closes;
where a secret stands in two of them, the first gets the whole text without it and the
others are emptied.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.formats.stream_json.careful import decode_again
from convert.formats.stream_json.decode import Lines
from convert.formats.stream_json.wire import Line, Wire, is_init, texts_of, wire
from convert.model import Needs
from convert.redact import Redactor, Secret
from convert.redact.rewriting import Rewriting
from convert.redact.rules import Rule
from convert.wording.sanitise import repair_surrogates

# How many sessions are kept apart.
_MOST_SESSIONS = 4096
# How many lines, and bytes, wait for a text that does not end.
_MOST_WAITING = 10_000
_MOST_BYTES = 16 << 20
# What closes a text, besides lines that say something; as in `runs`.
_BOUNDARIES = {"tool_call", "interaction_query", "result"}


class _Waiting(Struct):
    """A line in its place; `is_ready` once nothing behind it can change it.

    `texts` are those that the agent or the user says in it, by the parts of a message.
    """

    event: Line
    number: int
    raw: bytes
    session: str = ""
    texts: list[str] = []
    is_ready: bool = False

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Session(Struct):
    """The deltas of a session that make one text, and one thought."""

    said: list[_Waiting] = []
    thought: list[_Waiting] = []
    is_stamped: bool = False


def redacted(
    blocks: Iterable[Lines], wire: Wire, redactor: Redactor
) -> Iterator[Lines]:
    """Give each line without its secrets, in order."""
    redaction = _Redaction(wire, redactor)
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

    def __init__(self, needed: Wire, redactor: Redactor) -> None:
        self._wire = needed
        self._words = wire(Needs(text=True, thinking=True))
        self._redactor = redactor
        self._sessions: dict[str, _Session] = {}
        self._latest = ""
        self._queue: deque[_Waiting] = deque()
        self._bytes = 0

    def take(self, line: _Waiting) -> None:
        """Read a line; what it closes is settled, and it is unless it is a delta.

        What closes a text or a thought is what does so in `runs`.
        """
        self._queue.append(line)
        self._bytes += len(line.raw)
        session = self._session(line)
        is_delta = False
        if line.event.type in ("assistant", "thinking", "user"):
            is_delta = self._is_kept(line, session)
        elif line.event.type in ("connection", "retry"):
            if _is_recap(session.said):
                self._close(session.said)
        elif line.event.type in _BOUNDARIES or is_init(line.event):
            self._close_all(session)
        if not is_delta:
            self._settle([line])
        if len(self._queue) > _MOST_WAITING or self._bytes > _MOST_BYTES:
            self._close_all(self._sessions.get(self._queue[0].session))

    def _is_kept(self, line: _Waiting, session: _Session) -> bool:
        """Read a line that says something; a delta is kept with those before it."""
        words = decode_again(line.raw, self._words) or line.event
        if words.type == "thinking":
            line.texts = [words.text]
            if words.subtype != "completed":
                session.thought.append(line)
                return True
            self._close(session.thought)
            return False
        line.texts = texts_of(words.message)
        self._close(session.thought)
        if words.type == "assistant" and _is_delta(words, session):
            session.said.append(line)
            return True
        self._close(session.said)
        return False

    def end(self) -> None:
        """Settle what is open when the log has ended."""
        for session in self._sessions.values():
            self._close_all(session)

    def _session(self, line: _Waiting) -> _Session:
        """The session of a line; one without a name belongs to the latest."""
        name = line.event.session_id or self._latest
        if name not in self._sessions:
            nameless = self._sessions.pop("", None)
            self._sessions[name] = nameless or _Session()
            for waiting in self._queue if nameless else ():
                waiting.session = waiting.session or name
            if len(self._sessions) > _MOST_SESSIONS:
                self._close_all(self._sessions.pop(next(iter(self._sessions))))
        line.session = self._latest = name
        return self._sessions[name]

    def ready(self, last: int) -> Lines:
        """The lines in front of the first that is not ready."""
        lines: list[_Waiting] = []
        while self._queue and self._queue[0].is_ready:
            lines.append(self._queue.popleft())
            self._bytes -= len(lines[-1].raw)
        return Lines(
            [line.event for line in lines],
            [line.number for line in lines],
            last,
            range(len(lines)),
            raws=[line.raw for line in lines],
        )

    def _close_all(self, session: _Session | None) -> None:
        if session is not None:
            self._close(session.thought)
            self._close(session.said)

    def _close(self, deltas: list[_Waiting]) -> None:
        """Settle the deltas of a text that is complete."""
        if _is_recap(deltas):
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
            line.event = decode_again(raw, self._wire) or line.event
        line.is_ready = True


def _is_delta(words: Line, session: _Session) -> bool:
    """Whether a line may go on with the text in front of it; see `segments`."""
    is_stamped = words.timestamp_ms is not None
    session.is_stamped = session.is_stamped or is_stamped
    return not words.model_call_id and is_stamped == session.is_stamped


def _is_recap(deltas: list[_Waiting]) -> bool:
    """Whether the last repeats all before it, as it does in front of a query."""
    *before, last = [line.text for line in deltas] or [""]
    return bool(before) and repair_surrogates("".join(before)) == repair_surrogates(
        last
    )
