"""The calls of a session of Codex from their begin to their end."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from convert.agents.codex.apply_patch import PatchCall
from convert.agents.codex.rollout_calls import (
    Ending,
    calls_of,
    command_call,
    ending_of,
    ending_of_event,
    patches_in,
    tool_of_server,
    web_call,
)
from convert.agents.codex.rollout_lines import Doubles, Payload, text
from convert.agents.lines import RecentIds
from convert.agents.run import AgentRun, OpenCall
from convert.agents.tools import NativeCall
from convert.errors import Warn
from convert.model.events import OK, UNFINISHED
from convert.model.needs import CallDetail, Needs

# An item without an output: the model's own host makes these calls.
_AT_ONCE = ("web_search_call", "image_generation_call")
# How the types of events about a server's tool begin.
_OF_SERVER = "mcp_tool_call"
# The tool whose scripts run commands and tools of their own.
_SCRIPT = "exec"


class _ItemCalls(Struct):
    """The calls that one item makes."""

    line: int
    started_ms: int | None
    calls: list[PatchCall]

    opened: OpenCall | None = None
    """The call, if it is one: those of a patch are made when it is over, one after
    the other, since they are not in parallel."""


class OpenCalls:
    """The calls of one run that have begun and not ended."""

    def __init__(self, run: AgentRun, needs: Needs, warn: Warn) -> None:
        self._run = run
        self._has_arguments = needs.calls >= CallDetail.ARGUMENTS
        self._warn = warn
        self._made: dict[str, _ItemCalls] = {}
        # The events about calls whose output has not come.
        self._events: dict[str, Payload] = {}
        # The calls that only events record.
        self._from_events_alone = RecentIds()
        # An event may come after the output and say that the call failed.
        self._succeeded = RecentIds()
        self._searches = Doubles()

    def begin(self, item: Payload, line: int, at: int | None) -> None:
        """Begin the calls of an item; the same one with the same id is a copy."""
        id = text(item.call_id)
        is_open = bool(id) and id in self._made
        if is_open and self._run.remember_call(id, *_facts(item)):
            self._warn(line, "a call with the id of one that is open", "left out")
        if (
            is_open
            or (id and id in self._from_events_alone)
            or self._run.repeats_call(id, *_facts(item))
        ):
            return
        calls = calls_of(item, has_arguments=self._has_arguments)
        if item.type in _AT_ONCE:
            if not self._searches.is_repeated("item", _searched(calls[0])):
                self._make(calls[0], id, line, at, Ending())
            return
        made = self._made[id] = _ItemCalls(line, at, calls)
        if len(calls) == 1:
            made.opened = self._run.begin_call(line, id, calls[0].call, started_ms=at)

    def end(self, item: Payload, line: int, at: int | None) -> None:
        """End the calls of an item by their output."""
        id = text(item.call_id)
        made = self._made.pop(id, None)
        event = self._events.pop(id, None)
        if made is None:
            if not self._run.has_ended_call(id):
                self._warn(
                    line, "the output of a call that is not recorded", "left out"
                )
            return
        is_search = item.type == "tool_search_output"
        output = {"tools": item.tools} if is_search else item.output
        self._end(made, id, line, at, output, event)

    def add_event(self, event: Payload, line: int, at: int | None) -> None:
        """Keep an event about a call, or make the call that it alone records."""
        id = text(event.call_id) or text(event.id)
        if id in self._made:
            self._events[id] = event
        elif self._run.has_ended_call(id):
            self._correct(event, id, line)
        else:
            self._from_events_alone.add(id)
            for place, call in enumerate(_calls_of_event(event)):
                name = f"{id}.{place}" if place else id
                self._make(call, name, line, at, ending_of_event(event, call))

    def _correct(self, event: Payload, id: str, line: int) -> None:
        """Correct a call whose output sounds well, if an event says that it failed."""
        if id in self._succeeded and id not in self._from_events_alone:
            call = _calls_of_event(event)[:1] or [PatchCall(command_call("", ""), None)]
            outcome = ending_of_event(event, call[0]).outcome
            if outcome != OK:
                self._run.amend_call(line, id, outcome)

    def add_search(self, event: Payload, line: int, at: int | None) -> None:
        """Make the call of a search that no item records."""
        call = PatchCall(web_call(event.action, text(event.query)), None)
        if not self._searches.is_repeated("event", _searched(call)):
            self._make(call, "", line, at, Ending())

    def finish(self, line: int) -> bool:
        """End the calls whose end is not recorded; return True if there are any."""
        open_calls = self._run.open_calls
        for opened in open_calls:
            self._run.end_call(line, opened, UNFINISHED)
        waiting = [made for made in self._made.values() if made.opened is None]
        for made in waiting:
            for call in made.calls:
                self._make(call, "", line, made.started_ms, Ending(UNFINISHED))
        return bool(open_calls or waiting)

    def _end(
        self,
        made: _ItemCalls,
        id: str,
        line: int,
        at: int | None,
        output: object,
        event: Payload | None,
    ) -> None:
        for place, call in enumerate(made.calls):
            ending = ending_of(output, call, event)
            if event is not None and event.invocation is not None:
                # Only the event names the server and the tool apart.
                named = _call_of_server(event.invocation)
                call.call = named if named.name else call.call
            if made.opened is None:
                name = f"{id}.{place}" if place else id
                self._make(call, name, line, made.started_ms, ending, at, id)
            else:
                made.opened.call = call.call
                self._close(made.opened, call, line, ending, at)

    def _make(
        self,
        call: PatchCall,
        id: str,
        line: int,
        started_ms: int | None,
        ending: Ending,
        ended_ms: int | None = None,
        step: str = "",
    ) -> None:
        """Begin a call and end it at once; a script that runs has made it."""
        open_calls = self._run.open_calls
        scripts = (call.id for call in open_calls if call.call.name == _SCRIPT)
        opened = self._run.begin_call(
            line,
            id,
            call.call,
            started_ms=started_ms,
            parent="" if step else next(scripts, ""),
            response_id=step,
        )
        self._close(opened, call, line, ending, ended_ms)

    def _close(
        self,
        opened: OpenCall,
        call: PatchCall,
        line: int,
        ending: Ending,
        at: int | None,
    ) -> None:
        if ending.outcome == OK:
            self._succeeded.add(opened.id)
        self._run.end_call(
            line,
            opened,
            ending.outcome,
            ending.output,
            arm=ending.arm,
            ended_ms=at,
            duration_ms=ending.duration_ms,
            is_new_file=call.is_new_file,
        )


def _facts(item: Payload) -> list[Any]:
    """Return the facts that tell calls with the same id apart."""
    return [item.name, item.namespace, item.arguments, item.input, item.action]


def _calls_of_event(event: Payload) -> list[PatchCall]:
    """Return the calls that an event records, if no item does."""
    if event.invocation is not None or text(event.type).startswith(_OF_SERVER):
        return [PatchCall(_call_of_server(event.invocation), None)]
    if event.changes is not None:
        return patches_in(event.changes)
    return [PatchCall(command_call(event.command, event.cwd), None)]


def _call_of_server(invocation: Any) -> NativeCall:
    """Return the call of a server's tool by the names in the event."""
    members = invocation if isinstance(invocation, dict) else {}
    server, tool = text(members.get("server")), text(members.get("tool"))
    return tool_of_server(server, tool, members.get("arguments"))


def _searched(call: PatchCall) -> str:
    """Return the text by which searches are the same."""
    arguments = call.call.arguments or {}
    return str(arguments.get("url") or arguments.get("searchTerm") or call.call.name)
