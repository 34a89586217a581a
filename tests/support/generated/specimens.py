"""An event of each kind that golden logs hold, and every member of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from support.golden import cases

# Larger events have no other members, and are slow.
_LARGEST = 3000
# A kind has so many examples at most.
_MOST = 4
_DEEPEST = 8

Path = tuple[str | int, ...]


class Member(NamedTuple):
    """A member of a kind of event: where one of its examples has it."""

    kind: str
    index: int
    path: Path

    @property
    def name(self) -> str:
        """The kind and the path, without the numbers of items."""
        keys = (key for key in self.path if isinstance(key, str))
        return f"{self.kind}: {'.'.join(keys)}"


@functools.cache
def kinds() -> tuple[str, ...]:
    """Return the kinds, such as `tool_call/completed readToolCall success`."""
    return tuple(sorted(_examples()))


def specimen(kind: str, index: int) -> Any:
    """Return a new copy of an example of a kind."""
    texts = _examples()[kind]
    return json.loads(texts[index % len(texts)])


def specimen_of(beginning: str, index: int) -> Any:
    """Return a new copy of an example of those kinds that begin in this way."""
    chosen = _kinds_of(beginning)
    return specimen(chosen[index % len(chosen)], index)


@functools.cache
def _kinds_of(beginning: str) -> tuple[str, ...]:
    return tuple(kind for kind in kinds() if kind.startswith(beginning))


@functools.cache
def members() -> tuple[Member, ...]:
    """Return every member of every kind, the first example of each."""
    found: dict[str, Member] = {}
    for kind, texts in _examples().items():
        for index, text in enumerate(texts):
            for path in _paths(json.loads(text)):
                member = Member(kind, index, path)
                found.setdefault(member.name, member)
    return tuple(found[name] for name in sorted(found))


@functools.cache
def _examples() -> dict[str, list[str]]:
    """Return the examples of each kind as JSON: those with members of their own."""
    known: dict[str, set[str]] = {}
    found: dict[str, list[str]] = {}
    for event in _golden_events():
        kind = kind_of(event)
        paths = {str(path) for path in _paths(event)}
        if len(found.get(kind, ())) < _MOST and paths - known.get(kind, set()):
            known.setdefault(kind, set()).update(paths)
            found.setdefault(kind, []).append(json.dumps(event))
    return found


def _golden_events() -> Iterator[dict[str, Any]]:
    for case in cases():
        for path in case.inputs:
            for line in path.read_bytes().splitlines():
                if line.startswith(b"{") and len(line) <= _LARGEST:
                    event = _event(line)
                    if event is not None:
                        yield event


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
        json.dumps(value).encode()
    except (ValueError, RecursionError):
        return None
    is_event = isinstance(value, dict) and isinstance(value.get("type"), str)
    return value if is_event else None


def kind_of(event: dict[str, Any]) -> str:
    """Return the type and subtype of an event, its tool and how that ended."""
    subtype = event.get("subtype")
    kind = f"{event['type']}/{subtype}" if isinstance(subtype, str) else event["type"]
    call = event.get("tool_call")
    for tool, body in call.items() if isinstance(call, dict) else ():
        if isinstance(body, dict):
            result = body.get("result")
            arms = result if isinstance(result, dict) else {}
            return " ".join(
                [kind, tool, *(arm for arm in arms if arm != "isBackground")]
            )
    return str(kind)


def _paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """Yield the path of each member within a value, of lists the first two items."""
    if len(above) > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*above, key)
            yield from _paths(inner, (*above, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value[:2]):
            yield (*above, at)
            yield from _paths(inner, (*above, at))
