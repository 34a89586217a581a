"""Events without their secrets, for formats whose lines are not written again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.model.events import (
    CallDetail,
    End,
    EndOfLog,
    Event,
    Image,
    Incident,
    Needs,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.options.conversion import Reading
from convert.redact.finding import Cuts, outermost
from convert.redact.ndjson import Shape, rewrite
from convert.redact.redactor import Redactor
from convert.source.lines import REFUSED

# The texts of the start of a run.
_OF_START = (
    *("session", "directory", "model", "permission_mode", "agent", "agent_version"),
)
_OF_CALL = "id", "parent", "response_id", "name", "native", "about"
# The values of these members are words of the model.
_SHAPE = Shape(frozenset({"status", "arm", "kind"}))


def redacted(
    events: Iterable[Event], needs: Needs, reading: Reading
) -> Iterator[Event]:
    """Yield the events that are needed, without their secrets."""
    redaction = _Redaction(Redactor(reading.redact_patterns, reading.known))
    for event in events:
        redaction.apply(event)
        if _is_needed(event, needs):
            yield event


def _is_needed(event: Event, needs: Needs) -> bool:
    match event:
        case Prompt() | Segment():
            return needs.text
        case Thinking():
            return needs.thinking
        case ToolCall(outcome=None):
            return needs.calls == CallDetail.EVERYTHING
        case ToolCall():
            return needs.calls > CallDetail.NONE
        case Result():
            return needs.result or needs.text or needs.figures
    return True


class _Redaction:
    """Replaces the secrets of events, each in its place."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._cuts = Cuts()

    def apply(self, event: Event) -> None:
        """Replace the secrets in an event."""
        match event:
            case Start():
                self._texts(event, _OF_START)
            case Prompt() | Segment() | Thinking():
                # A secret may go on in the next text of the same kind.
                cuts = self._cuts.find(type(event).__name__, event.text)
                secrets = outermost([*self._redactor.find(event.text), *cuts])
                event.text = self._redactor.replace(event.text, secrets)
                if isinstance(event, Prompt):
                    event.images = [*map(self._image, event.images)]
            case ToolCall():
                self._call(event)
            case Result():
                event.text = event.text and self._redactor.text(event.text)
            case Incident():
                self._texts(event, ("message", "status", "endpoint"))
                event.details = self._value(event.details)
            case End():
                self._texts(event, ("reason", "last_words", "request_id"))
            case EndOfLog():
                event.redacted = dict(self._redactor.counts)

    def _texts(self, event: Event, names: Iterable[str]) -> None:
        for name in names:
            setattr(event, name, self._redactor.text(getattr(event, name)))

    def _image(self, image: Image) -> Image:
        return Image(self._redactor.text(image.media_type), image.size)

    def _call(self, call: ToolCall) -> None:
        self._texts(call, _OF_CALL)
        if call.arguments:
            call.arguments = self._value(call.arguments)
        if call.output is not None:
            call.output = self._value(call.output)
        if call.outcome is not None and call.outcome.message:
            message = self._redactor.text(call.outcome.message)
            call.outcome = msgspec.structs.replace(call.outcome, message=message)
        for step in call.steps or ():
            self.apply(step)

    def _value(self, value: Any) -> Any:
        """Return plain values without secrets, with the names of their members."""
        try:
            raw = msgspec.json.encode(value)
        except REFUSED:
            return _each_text(value, self._redactor)
        is_suspect = any(self._redactor.suspected([raw]))
        if not is_suspect and not self._redactor.known.is_in(raw):
            return value
        changed = rewrite(raw, self._redactor, _SHAPE, None)
        return value if changed == raw else msgspec.json.decode(changed)


def _each_text(value: Any, redactor: Redactor) -> Any:
    """Return values that JSON cannot hold, such as half an emoji, without secrets."""
    match value:
        case str():
            return redactor.text(value)
        case dict():
            return {
                _each_text(name, redactor): _each_text(each, redactor)
                for name, each in value.items()
            }
        case list():
            return [_each_text(each, redactor) for each in value]
    return value
