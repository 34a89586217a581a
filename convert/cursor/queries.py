"""Interaction queries: questions that the agent asks before a call, and the answers.

A query holds the arguments of its call, and the answer tells if the call may be made.
Some calls have no other lines: a plan, or a command that is refused.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from convert.cursor.tool_calls import Frame, decides, read_frame
from convert.cursor.wire import Wire
from convert.errors import Warn
from convert.source.lines import REFUSED
from convert.source.ndjson import Decoding, coerce

# The name of a query is that of its tool with one of these.
_SUFFIXES = ("RequestQuery", "InteractionQuery", "Query", "Args")


class QueryLine(Struct):
    """The members of a line of a query besides its session; queries are rare.

    If each line were decoded with these members, reading would take 2 % longer.
    """

    query: dict[str, Any] | None = None
    response: dict[str, Any] | None = None

    @property
    def id(self) -> int | str | None:
        """The id that a query and its answer share; None if there is none."""
        value = (self.query or self.response or {}).get("id")
        return value if isinstance(value, int | str) else None


_DECODER = msgspec.json.Decoder(QueryLine)


def read_query_line(raw: bytes) -> QueryLine:
    """Decode the bytes of a line."""
    try:
        return _DECODER.decode(raw)
    except REFUSED:
        from convert.source.damaged import decode_again

        return decode_again(raw, Decoding(QueryLine, _DECODER)) or QueryLine()


class Query(Struct, frozen=True):
    """A query, by the call that it asks about."""

    key: str
    """The name that the tool has in lines of calls, such as `shellToolCall`."""

    call_id: str
    """The id of the call; "" if the query has none."""

    arguments: dict[str, Any]
    """The arguments of the call."""


def read_query(query: dict[str, Any]) -> Query | None:
    """Read the `query` of a line; None if it asks about no call."""
    name, body = _named_body(query)
    if body is None:
        return None
    arguments = body.get("args", body)
    if not isinstance(arguments, dict):
        return None
    call_id = arguments.get("toolCallId", body.get("toolCallId"))
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return Query(
        f"{name}ToolCall", call_id if isinstance(call_id, str) else "", arguments
    )


def read_answer(
    key: str, response: dict[str, Any], wire: Wire, number: int, warn: Warn
) -> Frame | None:
    """Read the `response` of a line as the last line of its call.

    Returns None if it does not say how the call ended: an approved call may not have
    been made.
    """
    _, body = _named_body(response)
    result = (body or {}).get("result", body)
    if not isinstance(result, dict) or not decides(result):
        return None
    beside = {k: v for k, v in (body or {}).items() if k != "result"}
    recorded = {"result": beside | result}
    return read_frame(
        {key: coerce(recorded, wire.body, number, warn)}, wire, number, warn
    )


def _named_body(members: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return the member that is an object, and its name, which is that of the query."""
    for name, body in members.items():
        if isinstance(body, dict):
            return name, body
    return "", None
