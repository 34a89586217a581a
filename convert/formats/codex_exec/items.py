"""The calls that an item of a log stands for, and how they ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Raw, Struct

from convert.agents.codex.outputs import failure, is_failure
from convert.agents.tools import NativeCall, call_of, mcp_call
from convert.formats.codex_exec.wire import Item, plain, text_in
from convert.model.events import OK, Outcome

# The statuses of an item that did not end well.
_DECLINED, _FAILED = "declined", "failed"


class Done(Struct):
    """A call of an item, and how it ended if the item has."""

    call: NativeCall
    outcome: Outcome = OK
    output: Any = None
    is_new_file: bool = False


# Any command that ended well, where its arguments and its output are not needed.
_COMMAND = call_of("command_execution")
_RAN = [Done(_COMMAND)]


def calls_of(item: Item) -> list[Done]:
    """Return the calls of an item of one of these types."""
    return CALLS[item.kind](item)


def facts_of(item: Item) -> list[Any]:
    """Return what a call is told by from another one with its id."""
    return [
        *(item.kind, item.command, item.changes, item.server, item.tool),
        *(item.arguments, item.query, item.action, item.items, item.text, item.prompt),
    ]


def _command(item: Item) -> list[Done]:
    if isinstance(item.command, Raw):
        outcome = _outcome(item, item.aggregated_output)
        return _RAN if outcome is OK else [Done(_COMMAND, outcome)]
    call = call_of(item.kind, {"command": plain(item.command) or ""})
    outcome = _outcome(item, item.aggregated_output)
    if outcome.message:
        return [Done(call, outcome)]
    output = {
        "interleavedOutput": plain(item.aggregated_output),
        "exitCode": item.exit_code,
    }
    recorded = {name: value for name, value in output.items() if value is not None}
    return [Done(call, outcome, recorded)]


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


def _file_change(item: Item) -> list[Done]:
    """Return a call for each file, of which the log has paths and kinds alone."""
    outcome = _outcome_by_status(item)
    return [_change(change, item.kind, outcome) for change in item.changes or [{}]]


def _change(change: Any, native: str, outcome: Outcome) -> Done:
    match change:
        case {"path": str(path), "kind": "delete"}:
            call = NativeCall("delete", native=native, arguments={"path": path})
            return Done(call, outcome)
        case {"path": str(path), **rest}:
            call = call_of(native, {"path": path})
            return Done(call, outcome, is_new_file=rest.get("kind") == "add")
    return Done(call_of(native, {}), outcome)


def _mcp(item: Item) -> list[Done]:
    arguments = plain(item.arguments)
    if arguments is not None and not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    call = mcp_call(item.server or "", item.tool or "", arguments or {})
    match item.error:
        case {"message": str(message)} | str(message):
            return [Done(call, failure(message).outcome)]
        case None if item.status != _FAILED:
            return [Done(call, OK, _mcp_output(plain(item.result)))]
    return [Done(call, Outcome("error"), _mcp_output(plain(item.result)))]


def _mcp_output(result: Any) -> Any:
    match result:
        case {"content": content, **rest}:
            structured = rest.get("structured_content")
            more = {} if structured is None else {"structuredContent": structured}
            return {"content": content, **more}
    return None if result is None else {"content": result}


def _web_search(item: Item) -> list[Done]:
    outcome = _outcome_by_status(item)
    match item.action:
        case {"url": str(url), **action}:
            pattern = {"pattern": action["pattern"]} if "pattern" in action else {}
            call = NativeCall("webFetch", native=item.kind)
            call.arguments = {"url": url, **pattern}
            return [Done(call, outcome)]
        case {"query": str(query)} if not item.query:
            return [Done(call_of(item.kind, {"query": query}), outcome)]
    return [Done(call_of(item.kind, {"query": item.query or ""}), outcome)]


def _todo_list(item: Item) -> list[Done]:
    items = plain(item.items)
    return [Done(call_of(item.kind, {"items": items if items else []}))]


def _plan(item: Item) -> list[Done]:
    plan = NativeCall("createPlan", native=item.kind)
    plan.arguments = {"plan": item.text or ""}
    return [Done(plan)]


def _collaboration(item: Item) -> list[Done]:
    """Return the call that begins another thread, or that deals with one."""
    threads = plain(item.receiver_thread_ids)
    arguments = {"prompt": item.prompt, "receiver_thread_ids": threads}
    call = call_of(
        item.tool or item.kind,
        {name: value for name, value in arguments.items() if value},
    )
    states = plain(item.agents_states)
    outcome = _outcome_by_status(item)
    return [Done(call, outcome, {"agents_states": states} if states else None)]


CALLS: dict[str, Callable[[Item], list[Done]]] = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "web_search": _web_search,
    "todo_list": _todo_list,
    "plan": _plan,
    "collab_tool_call": _collaboration,
}
