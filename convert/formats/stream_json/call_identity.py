"""The identity of a tool call: its tool, its arguments and its response.

An id does not always tell two calls apart. Some models count their calls in each chat,
so that an id comes again, and a call that is tried again may keep the id of the first
attempt.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.formats.stream_json.tool_calls import tool_of
from convert.formats.stream_json.wire import Wire, WireEvent
from convert.source.ndjson import REFUSED

_SAME, _UNKNOWN, _OTHER = 2, 1, 0


class Identity(Struct, frozen=True):
    """The identity of a call by one of its lines, whatever its id is."""

    kind: str
    """The kind of the tool; "" if the line names none."""

    arguments: Any
    """The arguments; None or empty if the line has none."""

    response_id: str
    """The id of the model's response that made the call; "" if the line has none."""


def identity_of(line: WireEvent, wire: Wire) -> Identity:
    """Return what a line says of its call."""
    kind, body = tool_of(line.tool_call or {}, wire)
    arguments = _decoded(body.args, b"{")
    if arguments is None:
        arguments = _decoded(body.arguments, b'{"')
    return Identity(kind, arguments, line.model_call_id)


def inner_id(line: WireEvent, wire: Wire) -> str:
    """Return the id of a call whose line has none of its own; "" if there is none."""
    call_id = (line.tool_call or {}).get("toolCallId")
    if not call_id:
        arguments = identity_of(line, wire).arguments
        call_id = arguments.get("toolCallId") if isinstance(arguments, dict) else ""
    return call_id if isinstance(call_id, str) else ""


def without_block(line: WireEvent, wire: Wire) -> None:
    """Make undecoded arguments of a line its own; else they keep the whole block."""
    for body in (line.tool_call or {}).values():
        if isinstance(body, wire.body):
            body.args = _copied(body.args)
            if body.arguments is not None:
                body.arguments = _copied(body.arguments)
            return


def is_another(call: Identity, line: Identity) -> bool:
    """Return True if a first line with the id of an open call begins another call."""
    return (
        _likeness(call.kind, line.kind) == _OTHER
        or _likeness(call.response_id, line.response_id) == _OTHER
        or _likeness(call.arguments, line.arguments) == _OTHER
    )


def how_likely(call: Identity, line: Identity) -> tuple[int, int] | None:
    """Return how likely a later line belongs to a call; None if it cannot.

    The line may repeat only some of the arguments, or none if the call failed.
    """
    likeness = (
        _likeness(call.response_id, line.response_id),
        _likeness_of_arguments(call.arguments, line.arguments),
    )
    if _OTHER in likeness or _likeness(call.kind, line.kind) == _OTHER:
        return None
    return likeness


def _likeness(one: Any, other: Any) -> int:
    if not one or not other:
        return _UNKNOWN
    try:
        return _SAME if one == other else _OTHER
    except RecursionError:
        return _UNKNOWN


def _likeness_of_arguments(call: Any, line: Any) -> int:
    likeness = _likeness(call, line)
    if likeness != _OTHER or not (isinstance(call, dict) and isinstance(line, dict)):
        return likeness
    common = call.keys() & line.keys()
    same = [name for name in common if _likeness(call[name], line[name]) != _OTHER]
    return _UNKNOWN if same and len(same) == len(common) else _OTHER


def _decoded(arguments: Any, begins: bytes) -> Any:
    """Return arguments as values; those that are nested too deeply stay bytes.

    Undecoded ones that begin in another way have a wrong type, and are none.
    """
    if type(arguments) is not Raw:
        return arguments
    text = bytes(arguments)
    if text[:1] not in begins:
        return None
    try:
        return msgspec.json.decode(text)
    except REFUSED:
        return _decoded_by_library(text)


def _decoded_by_library(text: bytes) -> Any:
    """Return arguments that msgspec refuses, as for half an emoji."""
    import json

    try:
        return json.loads(text.decode(errors="replace"), parse_int=float)
    except (ValueError, RecursionError):
        return text


def _copied(arguments: Any) -> Any:
    return arguments.copy() if type(arguments) is Raw else arguments
