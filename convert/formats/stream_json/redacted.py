"""Lines of stream-json without secrets: only strings change, all else keeps its bytes.

A secret may be cut over two deltas. So the deltas of a text are held until it closes;
where a secret stands in two of them, the first gets the whole text without it and the
others are emptied.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.formats.stream_json.decode import Lines, decode_again
from convert.formats.stream_json.wire import Line, Wire, text_of, wire
from convert.model import Needs
from convert.redact import Redactor, Secret
from convert.redact.members import as_member, may_name_secret
from convert.redact.rules import Rule

# A string, and the colon behind it if it is the name of a member.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<colon>\s*+:)?', re.DOTALL)
# With these, a literal may stand in JSON without being seen.
_ESCAPED = (b"\\u", b"\\/")
# How many sessions are kept apart.
_MOST_SESSIONS = 4096
# Members that hold what the agent says.
_SAID = {"text", "content", "message"}


class _Waiting(Struct):
    """A line in its place; `is_ready` once nothing behind it can change it."""

    event: Line
    number: int
    raw: bytes
    text: str = ""
    is_ready: bool = False


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

    def take(self, line: _Waiting) -> None:
        """Read a line; what it closes is settled, and it is unless it is a delta.

        What closes a text or a thought is what does so in `runs`.
        """
        self._queue.append(line)
        session = self._session(line.event.session_id)
        match line.event.type:
            case "assistant":
                self._close(session.thought)
                words = decode_again(line.raw, self._words)
                if _is_delta(words, session):
                    line.text = text_of(words.message)
                    session.said.append(line)
                    return
                self._close(session.said)
            case "thinking":
                words = decode_again(line.raw, self._words)
                if words.subtype != "completed":
                    line.text = words.text
                    session.thought.append(line)
                    return
                self._close(session.thought)
            case "connection" | "retry":
                if _is_recap(session.said):
                    self._close(session.said)
            case "user" | "tool_call" | "interaction_query" | "result":
                self._close(session.thought)
                self._close(session.said)
            case "system" if line.event.subtype == "init":
                self._close(session.thought)
                self._close(session.said)
        self._rewrite(line)

    def end(self) -> None:
        """Settle what is open when the log has ended."""
        for session in self._sessions.values():
            self._close(session.thought)
            self._close(session.said)

    def _session(self, name: str) -> _Session:
        """The session of a name; a line without a name belongs to the latest."""
        name = name or self._latest
        if name not in self._sessions:
            nameless = self._sessions.pop("", None)
            self._sessions[name] = nameless or _Session()
            if len(self._sessions) > _MOST_SESSIONS:
                oldest = self._sessions.pop(next(iter(self._sessions)))
                self._close(oldest.thought)
                self._close(oldest.said)
        self._latest = name
        return self._sessions[name]

    def ready(self, last: int) -> Lines:
        """The lines in front of the first that is not ready."""
        lines: list[_Waiting] = []
        while self._queue and self._queue[0].is_ready:
            lines.append(self._queue.popleft())
        return Lines(
            [line.event for line in lines],
            [line.number for line in lines],
            last,
            [line.raw for line in lines],
        )

    def _close(self, deltas: list[_Waiting]) -> None:
        """Settle the deltas of a text that is complete."""
        if _is_recap(deltas):
            self._settle(deltas[:-1])
            self._settle(deltas[-1:])
        else:
            self._settle(deltas)
        deltas.clear()

    def _settle(self, deltas: list[_Waiting]) -> None:
        """Redact deltas each alone, or as one if that would miss a secret."""
        whole = "".join([line.text for line in deltas])
        rules = self._redactor.suspected(whole)
        alone: list[Secret] = []
        at = 0
        for line in deltas:
            for secret in self._redactor.find(line.text, rules):
                moved = secret._replace(begin=secret.begin + at, end=secret.end + at)
                alone.append(moved)
            at += len(line.text)
        secrets = self._redactor.find(whole, rules)
        said = None
        if secrets != alone:
            said = self._redactor.replace(whole, secrets)
        for line in deltas:
            self._rewrite(line, said)
            said = said and ""

    def _rewrite(self, line: _Waiting, said: str | None = None) -> None:
        """Redact the strings of a line; `said` takes the place of what it says."""
        rewriting = _Rewriting(self._redactor, line.event.type == "result", said)
        raw = rewriting.line(line.raw)
        if raw != line.raw:
            line.raw, line.event = raw, decode_again(raw, self._wire)
        line.is_ready = True


def _is_delta(words: Line, session: _Session) -> bool:
    """Whether a line may go on with the text in front of it; see `segments`."""
    is_stamped = words.timestamp_ms is not None
    session.is_stamped = session.is_stamped or is_stamped
    return not words.model_call_id and is_stamped == session.is_stamped


def _is_recap(deltas: list[_Waiting]) -> bool:
    """Whether the last repeats all before it, as it does in front of a query."""
    *before, last = [line.text for line in deltas] or [""]
    return bool(before) and "".join(before) == last


class _Rewriting:
    """Redacts the strings of one line of JSON, with the names of their members."""

    def __init__(self, redactor: Redactor, is_result: bool, said: str | None) -> None:
        self._redactor = redactor
        self._is_result = is_result
        self._said = said
        self._member = ""

    def line(self, raw: bytes) -> bytes:
        """The line with its strings redacted; the same where nothing is found."""
        text = raw.decode("latin-1")
        self._rules: Iterable[Rule] = self._redactor.suspected(text)
        if any(escape in raw for escape in _ESCAPED):
            self._rules = self._redactor.rules
        is_plain = not (self._rules or self._is_result or may_name_secret(text))
        return raw if is_plain and self._said is None else self._strings(raw)

    def _strings(self, raw: bytes) -> bytes:
        return _STRING.sub(self._string, raw)

    def _string(self, match: re.Match[bytes]) -> bytes:
        colon = match["colon"] or b""
        token = match[0].removesuffix(colon)
        try:
            text = json.loads(token.decode(errors="replace"), strict=False)
        except ValueError:
            # Not of this line: text inside it that looks like JSON.
            return match[0]
        if colon:
            self._member = text
        changed = self._changed(text, is_name=bool(colon))
        return match[0] if changed == text else _quoted(changed) + colon

    def _changed(self, text: str, is_name: bool) -> str:
        if self._said is not None and not is_name and self._member in _SAID:
            said, self._said = self._said, ""
            return said
        redactor = self._redactor
        if not is_name and (secrets := as_member(self._member, text)):
            return redactor.replace(text, secrets)
        if text[:1] in ("{", "[") and '"' in text and may_name_secret(text):
            # The arguments of a function are JSON in a string, files may be.
            member = self._member
            inner = self._strings(text.encode(errors="surrogatepass"))
            text, self._member = inner.decode(errors="surrogatepass"), member
        is_repeated = self._is_result and self._member == "result"
        return redactor.text(text, self._rules, is_repeated=is_repeated)


def _quoted(text: str) -> bytes:
    """A string in JSON; half an emoji, which UTF-8 cannot hold, as an escape."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()
