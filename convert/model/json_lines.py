"""Lines of JSON that writers make of events, whatever their format is.

JSON cannot hold all values of a log: not half an emoji, nor lists nested in lists to
any depth. A reader may yield a call before it is clear that a run has begun. And a
format has no place for some facts, which a warning names once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.errors import Warn
from convert.model.events import End, EndOfLog, Event, Recorded, Result, Start
from convert.wording.escapes import repair_surrogates
from convert.wording.numbers import in_words

# The levels that are kept, as many as the stack of the caller leaves room for.
_DEEPEST = (200, 50, 12)
_TOO_DEEP = "(nested deeper, omitted)"


def json_line(value: Any) -> bytes:
    """Return a value as a line."""
    return json_bytes(value) + b"\n"


def json_text(value: Any) -> str:
    """Return a value as the text of a member that holds JSON."""
    return json_bytes(value).decode()


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON on one line."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, RecursionError):
        pass
    for deepest in _DEEPEST:
        try:
            return msgspec.json.encode(_repaired(value, deepest))
        except RecursionError:
            pass
    return msgspec.json.encode(_TOO_DEEP)


def _repaired(value: Any, levels: int) -> Any:
    """Return a value without halves of characters, and with so many levels."""
    match value:
        case dict() | list() if levels == 0:
            return _TOO_DEEP
        case dict():
            return {
                repair_surrogates(name): _repaired(item, levels - 1)
                for name, item in value.items()
            }
        case list():
            return [_repaired(item, levels - 1) for item in value]
        case str():
            return repair_surrogates(value)
        case msgspec.Struct():
            return _repaired(_members(value), levels)
    return value


def _members(value: msgspec.Struct) -> dict[str, Any]:
    """Return the members of a struct as they are written."""
    members = {}
    for field in msgspec.structs.fields(value):
        member = getattr(value, field.name)
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if not (value.__struct_config__.omit_defaults and member == default):
            members[field.encode_name] = member
    return members


def starts_first(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events; those of a run that has not started follow its start."""
    under_way: set[int] = set()
    early: dict[int, list[Event]] = {}
    for event in events:
        if isinstance(event, Start):
            under_way.add(event.run)
            yield event
            yield from early.pop(event.run, ())
        elif event.run in under_way or isinstance(event, EndOfLog | Recorded):
            if isinstance(event, End):
                under_way.discard(event.run)
            yield event
        else:
            early.setdefault(event.run, []).append(event)


class Losses:
    """Collects the facts that a conversion drops, until the log ends."""

    def __init__(self, target: str, warn: Warn) -> None:
        self._target = target
        self._warn = warn
        # In the order in which they were met.
        self._names: dict[str, None] = {}
        self._lacks: dict[str, None] = {}

    def add(self, fact: str) -> None:
        """Note a dropped fact, in words that fit after `drops`."""
        self._names[fact] = None

    def add_figures(self, result: Result, end: End) -> None:
        """Note the figures of a run whose end by the agent is not recorded."""
        which = "whose end is not recorded" if end.state is None else "that was cut off"
        kinds = {"tokens": result.tokens, "cost": result.cost_usd}
        if names := [f"the {kind}" for kind, of in kinds.items() if of is not None]:
            self.add(f"{' and '.join(names)} of a run {which}")

    def add_unrecorded(self, fact: str) -> None:
        """Note a fact that the format has a place for, and the log does not record."""
        self._lacks[fact] = None

    def warn_of_all(self) -> None:
        """Warn of all dropped facts, if there are any."""
        for fact in self._lacks:
            self._warn(None, f"the log does not record {fact}", "skipped")
        if self._names:
            facts = in_words([*self._names])
            reason = f"{self._target} drops {facts}"
            self._warn(None, reason, "for which it has no place")
