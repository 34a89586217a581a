"""The lines of `codex exec --json`: a struct declares only the members that are read.

Values that a target does not need stay JSON.
"""

from __future__ import annotations

import functools
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.agents.codex.tokens import Usage
from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import REFUSED, Decoding

_NULL = Raw(b"null")


class Item(Struct, gc=False):
    """One thing that the agent said or did: the members of all types of items.

    Builds of 2025 wrote `item_type`.
    """

    id: str | None = ""
    type: str | None = ""
    item_type: str | None = ""
    text: str | None = ""
    message: str | None = ""
    command: str | list[str] | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    status: str | None = ""
    changes: list[Any] | None = None
    server: str | None = ""
    tool: str | None = ""
    arguments: Any = None
    result: Any = None
    error: Any = None
    query: str | None = ""
    action: Any = None
    items: list[Any] | None = None
    prompt: str | None = None
    receiver_thread_ids: Any = None
    agents_states: Any = None

    @property
    def kind(self) -> str:
        """The type of the item, in either spelling."""
        return self.type or self.item_type or ""


class ShortItem(Item):
    """An item whose output is not needed."""

    result: Raw = _NULL
    agents_states: Raw = _NULL


class ShortestItem(ShortItem):
    """An item whose arguments are not needed either."""

    command: Raw = _NULL  # type: ignore[assignment]
    aggregated_output: Raw = _NULL  # type: ignore[assignment]
    arguments: Raw = _NULL
    items: Raw = _NULL  # type: ignore[assignment]
    receiver_thread_ids: Raw = _NULL


class Failure(Struct, gc=False):
    """The reason why a turn failed."""

    message: str | None = ""


class Line(Struct, gc=False):
    """One line."""

    type: str
    thread_id: str | None = ""
    item: Item | None = None
    usage: Usage | None = None
    error: Failure | str | None = None
    message: str | None = ""


class _ShortLine(Line):
    item: ShortItem | None = None


class _ShortestLine(Line):
    item: ShortestItem | None = None


@functools.cache
def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for what a target needs of them."""
    if needs.calls < CallDetail.ARGUMENTS:
        decoder = msgspec.json.Decoder[Line](_ShortestLine)
        return Decoding(_ShortestLine, decoder, _significant)
    line = Line if needs.calls == CallDetail.EVERYTHING else _ShortLine
    return Decoding(line, msgspec.json.Decoder(line), has_values=True)


def _significant(lines: list[Line]) -> list[int]:
    """Return the indices of the lines without those that begin a command.

    If the next line ends it, that says all: reading a log takes two thirds of the time.
    """
    return [
        index
        for index, (line, after) in enumerate(zip_longest(lines, lines[1:]))
        if line.type != "item.started" or not _is_ended_by(line.item, after)
    ]


def _is_ended_by(item: Item | None, line: Line | None) -> bool:
    """Return True if a line ends a command that the line before it begins."""
    return (
        item is not None
        and item.type == "command_execution"
        and line is not None
        and line.type == "item.completed"
        and line.item is not None
        and line.item.id == item.id
    )


def text_in(member: Any) -> str:
    """Return a text that may have stayed JSON; "" if it is none."""
    if isinstance(member, Raw):
        try:
            member = msgspec.json.decode(member)
        except REFUSED:
            return ""
    return member if isinstance(member, str) else ""


def plain(member: Any) -> Any:
    """Return a value if it is needed; None for one that has stayed JSON."""
    return None if isinstance(member, Raw) else member
