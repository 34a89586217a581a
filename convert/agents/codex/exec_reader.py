"""codex-exec: events of the lines that `codex exec --json` prints.

{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Done."}}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.agents.codex.outputs import (
    TokenCounts,
    Usage,
    calls_of_changes,
    failure,
    is_failure,
    web_call,
)
from convert.agents.lines import read_lines
from convert.agents.run import AgentRun
from convert.agents.tool_names import (
    NativeCall,
    RecordedCall,
    call_of,
    mcp_call,
    recorded,
    unwrapped,
)
from convert.errors import Warn
from convert.model.events import (
    OK,
    UNFINISHED,
    CallDetail,
    Event,
    IncidentKind,
    Needs,
    Outcome,
    State,
    Turn,
)
from convert.options.conversion import Reading
from convert.source.lines import REFUSED
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import Decoding, narrow
from convert.wording import compiled


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of `codex exec`."""
    return read_lines(
        blocks, _decoding_for, lambda needs, _: ExecReader(needs), needs, reading, warn
    )


_MESSAGES = ("agent_message", "assistant_message")
_OTHERS = (*_MESSAGES, "reasoning", "error")
# A list of tasks is repeated with each change; a change of files is made at once.
_HELD = ("todo_list", "file_change")
_ATTEMPT = r"(?i)reconnecting\D*(\d{1,6})/\d+"


class ExecReader:
    """The runs of a log while it is read: lines go in, events come out.

    A run is a process of Codex: it begins with `thread.started` and holds one turn or
    several. Its end comes when the next one begins or the log ends, since another turn
    may follow; all other events come with their lines.
    """

    def __init__(self, needs: Needs) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        self._needs = needs
        self._count = 0
        self._last = 0
        self._begin()

    def _begin(self) -> None:
        self._count += 1
        self._run = AgentRun(self._count, self._needs, self.events.append, "Codex")
        self._tokens = TokenCounts()
        # How the last turn ended; None while it is open.
        self._state: State | None = None
        self._reason = ""
        # The texts of messages that have begun and not ended.
        self._open_texts: dict[str, str] = {}
        # Items whose calls begin when the items are over: no other call runs in
        # parallel.
        self._held: dict[str, Item] = {}

    def read(self, line: Line, number: int) -> None:
        """Read a line."""
        item, kind = line.item, line.type
        if kind == "thread.started":
            self.end(self._last)
            self._run.set_facts(session=line.thread_id or "")
        self._last = number
        if not self._run.has_started:
            self._run.begin(number)
        if item and kind in ("item.started", "item.updated", "item.completed"):
            is_known = self._read_item(item, number, kind == "item.completed")
        else:
            is_known = self._read_turn(line, number)
        if not is_known:
            name = _kind_of(item) or "unnamed" if item else ""
            self.unknown.add(f"{kind}/{name}" if name else kind)

    def end(self, last: int) -> None:
        """End the run as its last turn did, or where its log breaks off."""
        run = self._run
        if not run.has_started:
            return
        error = run.last_error
        for text in self._open_texts.values():
            run.say(last, text)
        open_calls = run.open_calls
        for call in open_calls:
            run.end_call(last, call, UNFINISHED)
        for item in self._held.values():
            # A list of tasks is as it was last, and a change may not have been made.
            self._make_calls(item, last, _kind_of(item) == "todo_list")
        if self._state is not None:
            run.close_text(last)
            run.result(
                last,
                text=run.last_text,
                is_error=self._state == "error",
                tokens=self._tokens.tokens,
            )
            run.finish(last, self._state, self._reason)
        elif error is not None:
            run.finish(last, "error", error, has_result=False)
        else:
            is_open = bool(open_calls or run.open_calls)
            run.finish(last, "unfinished" if is_open else "cut", has_result=False)
        self._begin()

    def _read_turn(self, line: Line, number: int) -> bool:
        """Read a line about a turn; return False if its type is not known."""
        match line.type:
            case "turn.started":
                self._state = None
                self._run.forget_ended()
            case "turn.completed":
                self._tokens.add(line.usage)
                self._state, self._reason = "success", ""
            case "turn.failed":
                self._state, self._reason = "error", _message(line)
            case "error":
                self._add_incident("error", _message(line), number)
            case kind:
                # An item has the whole plan when it is completed.
                return kind in ("thread.started", "item.plan.delta")
        if self._needs.turns and line.type != "error":
            is_over = self._state is not None
            self.events.append(Turn(run=self._count, line=number, is_over=is_over))
        return True

    def _read_item(self, item: Item, number: int, is_over: bool) -> bool:
        """Read an item that begins, goes on or is over; return False if not known."""
        id, kind = item.id or "", _kind_of(item)
        if kind == _COMMAND:
            self._run_command(item, id, number, is_over)
        elif kind in _HELD and not is_over:
            self._held[id] = item
        elif kind in _CALLS:
            if kind in _HELD:
                self._held.pop(id, None)
            self._make_calls(item, number, is_over)
        elif kind in _MESSAGES and is_over:
            self._open_texts.pop(id, None)
            self._run.say(number, item.text or "")
        elif kind in _MESSAGES:
            self._open_texts[id] = item.text or ""
        elif kind == "reasoning" and is_over:
            self._run.thinking(number, item.text or "")
        elif kind == "error" and is_over:
            # The agent goes on after it; some of these items are only hints.
            self._add_incident("warning", item.message or item.text or "", number)
        return kind == _COMMAND or kind in _CALLS or kind in _OTHERS

    def _run_command(self, item: Item, id: str, number: int, is_over: bool) -> None:
        """Begin a command unless it has begun; end it if it is over.

        Nearly all calls are commands. The line that ends one repeats the command, which
        is taken apart once.
        """
        run, command = self._run, item.command
        if isinstance(command, Raw):
            command = bytes(command)
        opened = run.call(id)
        if opened is None:
            if not (is_over or id) or run.repeats_call(id, _COMMAND, command):
                return
            opened = run.begin_call(number, id, _call_of_command(command))
        elif opened.recorded != command:
            opened.call = _call_of_command(command)
            run.remember_call(id, _COMMAND, command)
        opened.recorded = command
        if is_over:
            outcome = _outcome(item, item.aggregated_output)
            run.end_call(number, opened, outcome, _output_of_command(item, outcome))

    def _make_calls(self, item: Item, number: int, is_over: bool) -> None:
        """Begin the calls of an item unless they have begun; end them if it is over."""
        run, id, kind = self._run, item.id or "", _kind_of(item)
        calls = _CALLS[kind](item)
        # These facts distinguish calls with the same id.
        facts = [
            *(kind, item.changes, item.server, item.tool, item.arguments),
            *(item.query, item.action, item.items, item.text, item.prompt),
        ]
        for place, call in enumerate(calls):
            name = f"{id}.{place}" if place else id
            opened = run.call(name)
            if opened is None:
                if not (is_over or name) or run.repeats_call(name, *facts):
                    continue
                step = id if len(calls) > 1 else ""
                opened = run.begin_call(number, name, call.call, response_id=step)
            else:
                # The arguments may be known only when the call is over.
                opened.call = call.call
                run.remember_call(name, *facts)
            if is_over:
                new = call.is_new_file
                run.end_call(number, opened, call.outcome, call.output, is_new_file=new)

    def _add_incident(self, kind: IncidentKind, message: str, number: int) -> None:
        """Add a failure that did not end the turn, such as a lost connection."""
        if found := compiled(_ATTEMPT).match(message):
            self._run.incident(number, "retry", message, attempt=int(found[1]))
        else:
            self._run.incident(number, kind, message)


def _kind_of(item: Item) -> str:
    """Return the type of an item; builds of 2025 wrote `item_type`."""
    return item.type or item.item_type or ""


def _message(line: Line) -> str:
    match line.error:
        case Failure(message=str(message)) | str(message):
            return message
    return line.message or ""


class Item(Struct, gc=False):
    """One thing that the agent said or did."""

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


_OUTPUTS = ("result", "agents_states")
_ARGUMENTS = (
    *("command", "aggregated_output", "arguments", "items", "receiver_thread_ids"),
)


@functools.cache
def _decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for the needs of a target."""
    if needs.calls == CallDetail.EVERYTHING:
        return Decoding(Line, msgspec.json.Decoder(Line), has_values=True)
    has_arguments = needs.calls >= CallDetail.ARGUMENTS
    unread = _OUTPUTS if has_arguments else (*_OUTPUTS, *_ARGUMENTS)
    # Values that a target does not need stay JSON.
    item = narrow(Item, set(), dict.fromkeys(unread, Raw))
    line = narrow(Line, set(), {"item": item | None})
    decoder = msgspec.json.Decoder(line)
    if has_arguments:
        return Decoding(line, decoder, has_values=True)
    return Decoding(line, decoder, _significant)


def _significant(lines: list[Line]) -> list[int]:
    """Return the indices of the lines without those that begin a command.

    The line that ends it says all. So a log is read in two thirds of the time.
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


def _text_in(member: Any) -> str:
    """Return a text, which may still be JSON; "" for any other value."""
    if isinstance(member, Raw):
        try:
            member = msgspec.json.decode(member)
        except REFUSED:
            return ""
    return member if isinstance(member, str) else ""


def _plain(member: Any) -> Any:
    """Return a value if it is needed; None for one that is still JSON."""
    return None if isinstance(member, Raw) else member


_DECLINED, _FAILED = "declined", "failed"
_FAILURES = frozenset({_DECLINED, _FAILED})
_COMMAND = "command_execution"
# Any command where its arguments are not needed.
_ANY_COMMAND = call_of(_COMMAND)


def _call_of_command(command: str | list[str] | bytes | None) -> NativeCall:
    """Return the call of a command, which is still JSON if nothing needs it."""
    if isinstance(command, bytes):
        return _ANY_COMMAND
    arguments = {"command": unwrapped(command) if command else ""}
    return NativeCall("shell", native=_COMMAND, arguments=arguments)


def _output_of_command(item: Item, outcome: Outcome) -> dict[str, Any] | None:
    """Return the output of a command; None if the outcome has it, or if not needed."""
    printed = item.aggregated_output
    if outcome.message or isinstance(printed, Raw):
        return None
    return recorded({"interleavedOutput": printed, "exitCode": item.exit_code})


def _outcome(item: Item, text: Any) -> Outcome:
    """Return how a command ended; one that was never run has -1 as its exit code."""
    if item.exit_code == 0 and item.status not in _FAILURES:
        return OK
    if item.status == _DECLINED:
        return Outcome("rejected", message=_text_in(text).strip())
    if item.status == _FAILED and item.exit_code in (None, -1):
        words = _text_in(text)
        if is_failure(words):
            return failure(words).outcome
    if item.exit_code:
        return Outcome("error", exit_code=item.exit_code)
    return Outcome("error") if item.status == _FAILED else OK


def _outcome_by_status(item: Item) -> Outcome:
    if item.status == _DECLINED:
        return Outcome("rejected")
    return Outcome("error") if item.status == _FAILED else OK


def _mcp(item: Item) -> list[RecordedCall]:
    arguments = _plain(item.arguments)
    if arguments is not None and not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    call = mcp_call(item.server or "", item.tool or "", arguments or {})
    match item.error:
        case {"message": str(message)} | str(message):
            return [RecordedCall(call, outcome=failure(message).outcome)]
    has_failed = item.error is not None or item.status == _FAILED
    outcome = Outcome("error") if has_failed else OK
    return [RecordedCall(call, _mcp_output(_plain(item.result)), outcome=outcome)]


def _mcp_output(result: Any) -> Any:
    match result:
        case {"content": content, **rest}:
            more = {"structuredContent": rest.get("structured_content")}
            return {"content": content, **recorded(more)}
    return None if result is None else {"content": result}


def _collaboration(item: Item) -> list[RecordedCall]:
    """Return the call that begins another thread, or that deals with one."""
    threads = _plain(item.receiver_thread_ids)
    arguments = {"prompt": item.prompt, "receiver_thread_ids": threads}
    given = {name: value for name, value in arguments.items() if value}
    call = call_of(item.tool or "collab_tool_call", given)
    states = _plain(item.agents_states)
    outcome = _outcome_by_status(item)
    output = {"agents_states": states} if states else None
    return [RecordedCall(call, output, outcome=outcome)]


_CALLS: dict[str, Callable[[Item], list[RecordedCall]]] = {
    "file_change": lambda item: calls_of_changes(
        item.changes or [{}], "file_change", _outcome_by_status(item)
    ),
    "mcp_tool_call": _mcp,
    "web_search": lambda item: [
        RecordedCall(
            web_call(item.action, item.query or ""), outcome=_outcome_by_status(item)
        )
    ],
    "todo_list": lambda item: [
        RecordedCall(call_of("todo_list", {"items": _plain(item.items) or []}))
    ],
    "plan": lambda item: [
        RecordedCall(NativeCall("createPlan", "", "plan", {"plan": item.text or ""}))
    ],
    "collab_tool_call": _collaboration,
}
