"""The lines of `codex exec --json` as structs, and the calls of their items."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.agents.codex.outputs import failure, is_failure
from convert.agents.codex.tokens import Usage
from convert.agents.tools import NativeCall, call_of, mcp_call
from convert.model.events import OK, Outcome
from convert.model.needs import CallDetail, Needs
from convert.source.lines import REFUSED
from convert.source.ndjson import Decoding

# Values that a target does not need stay JSON.
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
    """Return how lines are decoded for the needs of a target."""
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


# The statuses of an item that did not end well.
_DECLINED, _FAILED = "declined", "failed"


class ItemCall(Struct):
    """A call of an item, and how it ended if the item has."""

    call: NativeCall
    outcome: Outcome = OK
    output: Any = None
    is_new_file: bool = False


# Any command that ended well, where its arguments and its output are not needed.
_COMMAND = call_of("command_execution")
_RAN = [ItemCall(_COMMAND)]


def facts_of(item: Item) -> list[Any]:
    """Return the facts that tell calls with the same id apart."""
    return [
        *(item.kind, item.command, item.changes, item.server, item.tool),
        *(item.arguments, item.query, item.action, item.items, item.text, item.prompt),
    ]


def _command(item: Item) -> list[ItemCall]:
    if isinstance(item.command, Raw):
        outcome = _outcome(item, item.aggregated_output)
        return _RAN if outcome is OK else [ItemCall(_COMMAND, outcome)]
    call = call_of(item.kind, {"command": plain(item.command) or ""})
    outcome = _outcome(item, item.aggregated_output)
    if outcome.message:
        return [ItemCall(call, outcome)]
    output = {
        "interleavedOutput": plain(item.aggregated_output),
        "exitCode": item.exit_code,
    }
    recorded = {name: value for name, value in output.items() if value is not None}
    return [ItemCall(call, outcome, recorded)]


def _outcome(item: Item, text: Any) -> Outcome:
    """Return how a command ended; one that was never run has -1 as its exit code."""
    if item.exit_code == 0 and item.status not in (_FAILED, _DECLINED):
        return OK
    may_be_refused = item.status == _DECLINED or item.exit_code in (None, -1)
    if item.status == _DECLINED or (item.status == _FAILED and may_be_refused):
        words = text_in(text)
        if item.status == _DECLINED:
            return Outcome("rejected", message=words.strip())
        if is_failure(words):
            return failure(words).outcome
    if item.exit_code:
        return Outcome("error", exit_code=item.exit_code)
    return Outcome("error") if item.status == _FAILED else OK


def _outcome_by_status(item: Item) -> Outcome:
    match item.status:
        case "failed":
            return Outcome("error")
        case "declined":
            return Outcome("rejected")
    return OK


def _file_change(item: Item) -> list[ItemCall]:
    """Return a call for each file; the log has only paths and kinds."""
    outcome = _outcome_by_status(item)
    return [_change(change, item.kind, outcome) for change in item.changes or [{}]]


def _change(change: Any, native: str, outcome: Outcome) -> ItemCall:
    match change:
        case {"path": str(path), "kind": "delete"}:
            call = NativeCall("delete", native=native, arguments={"path": path})
            return ItemCall(call, outcome)
        case {"path": str(path), **rest}:
            call = call_of(native, {"path": path})
            return ItemCall(call, outcome, is_new_file=rest.get("kind") == "add")
    return ItemCall(call_of(native, {}), outcome)


def _mcp(item: Item) -> list[ItemCall]:
    arguments = plain(item.arguments)
    if arguments is not None and not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    call = mcp_call(item.server or "", item.tool or "", arguments or {})
    match item.error:
        case {"message": str(message)} | str(message):
            return [ItemCall(call, failure(message).outcome)]
        case None if item.status != _FAILED:
            return [ItemCall(call, OK, _mcp_output(plain(item.result)))]
    return [ItemCall(call, Outcome("error"), _mcp_output(plain(item.result)))]


def _mcp_output(result: Any) -> Any:
    match result:
        case {"content": content, **rest}:
            structured = rest.get("structured_content")
            more = {} if structured is None else {"structuredContent": structured}
            return {"content": content, **more}
    return None if result is None else {"content": result}


def _web_search(item: Item) -> list[ItemCall]:
    outcome = _outcome_by_status(item)
    match item.action:
        case {"url": str(url), **action}:
            pattern = {"pattern": action["pattern"]} if "pattern" in action else {}
            call = NativeCall("webFetch", native=item.kind)
            call.arguments = {"url": url, **pattern}
            return [ItemCall(call, outcome)]
        case {"query": str(query)} if not item.query:
            return [ItemCall(call_of(item.kind, {"query": query}), outcome)]
    return [ItemCall(call_of(item.kind, {"query": item.query or ""}), outcome)]


def _todo_list(item: Item) -> list[ItemCall]:
    items = plain(item.items)
    return [ItemCall(call_of(item.kind, {"items": items if items else []}))]


def _plan(item: Item) -> list[ItemCall]:
    plan = NativeCall("createPlan", native=item.kind)
    plan.arguments = {"plan": item.text or ""}
    return [ItemCall(plan)]


def _collaboration(item: Item) -> list[ItemCall]:
    """Return the call that begins another thread, or that deals with one."""
    threads = plain(item.receiver_thread_ids)
    arguments = {"prompt": item.prompt, "receiver_thread_ids": threads}
    call = call_of(
        item.tool or item.kind,
        {name: value for name, value in arguments.items() if value},
    )
    states = plain(item.agents_states)
    outcome = _outcome_by_status(item)
    return [ItemCall(call, outcome, {"agents_states": states} if states else None)]


CALLS: dict[str, Callable[[Item], list[ItemCall]]] = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "web_search": _web_search,
    "todo_list": _todo_list,
    "plan": _plan,
    "collab_tool_call": _collaboration,
}
