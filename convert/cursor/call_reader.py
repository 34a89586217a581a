"""Lines of tool calls to calls: how each line changes the open calls of its run.

A line belongs to the open call with its id, or to one without an id that it is like. A
line that starts a call after the call with its id has ended, or with another tool, with
other arguments or in another response, begins a call of its own.

The agent asks before some calls. Such a query holds the arguments of its call, and the
answer allows the call or refuses it. Some calls have no other lines: a plan, or a
command that is refused.
"""

from __future__ import annotations

from typing import Any

from convert.cursor.open_calls import (
    OpenCall,
    identity_of,
    inner_id,
    is_another,
    most_likely,
    without_block,
)
from convert.cursor.runs import OpenRun
from convert.cursor.tool_calls import Frame, decides, read_frame, tool_of
from convert.cursor.wire import Wire, WireEvent
from convert.errors import Warn
from convert.model.events import (
    OK,
    UNFINISHED,
    CallDetail,
    Event,
    Needs,
    Outcome,
    ToolCall,
)
from convert.source.ndjson import coerce

# The last line of a call; one without a subtype is the last if it holds a result.
_LAST = {"completed", "failed"}
_FIRST = "started"


class CallReader:
    """Reads the lines of tool calls, and the queries about them."""

    def __init__(self, needs: Needs, wire: Wire, warn: Warn) -> None:
        self._wire = wire
        self._warn = warn
        self._has_starts = needs.calls == CallDetail.EVERYTHING
        self._has_text = needs.text

    def read(self, run: OpenRun, line: WireEvent, number: int) -> list[Event]:
        """Read a line of a call; return the call if it ends, or if its start counts."""
        if run.has_ended:
            self._warn(
                number, "tool call continues after the end of its run", "ignored"
            )
            return []
        call_id = line.call_id or inner_id(line, self._wire)
        events = self._settled(run, line, call_id, number) if run.answered else []
        is_last = line.subtype in _LAST
        if line.subtype and not (is_last or self._has_starts):
            self._continued(run, line, call_id, number)
            return events
        frame = read_frame(line.tool_call or {}, self._wire, number, self._warn)
        if is_last or (not line.subtype and frame.outcome is not None):
            events.append(self._last(run, line, call_id, number, frame))
            return events
        count = run.call_count
        opened = self._continued(run, line, call_id, number)
        if self._has_starts:
            if opened.is_repeated or run.call_count > count:
                events.append(self._call(run, opened, number, frame, None, line))
            opened.frames = [*opened.frames, frame] if opened.frames else [frame]
        return events

    def read_query(
        self, run: OpenRun, line: WireEvent, members: dict[str, Any], number: int
    ) -> list[Event]:
        """Read a query; it begins the call that it asks about, unless that is open."""
        query = _read_query(_object(members, "query"))
        if query is None:
            return []
        key, call_id, arguments = query
        line.tool_call = {key: self._wire.body(args=arguments)}
        if call_id:
            run.queried_arguments[call_id] = arguments
            opened = run.calls.get(call_id)
        else:
            opened = most_likely(run.latest_calls(), line, self._wire)
        events: list[Event] = []
        if opened is None:
            opened = self._begin(run, line, number, call_id)
            opened.is_only_query = True
            if self._has_starts:
                opened.frames = opened.earlier(self._wire, are_read=False)
                [frame] = opened.frames
                events.append(self._call(run, opened, number, frame, None, line))
        run.queries[_query_id(members)] = opened
        return events

    def _begin(
        self, run: OpenRun, line: WireEvent, number: int, call_id: str
    ) -> OpenCall:
        """Begin a call, and note its tool in case no text follows."""
        if self._has_text:
            tool_call = line.tool_call or {}
            key = next(iter(tool_call), "")
            # Nearly all lines name the tool first.
            is_first = key[-8:] == "ToolCall"
            kind = key[:-8] if is_first else tool_of(tool_call, self._wire)[0]
            run.texts.tools_at_end.add(kind)
        return run.begin_call(line, number, call_id)

    def read_answer(self, run: OpenRun, members: dict[str, Any], number: int) -> None:
        """Read the answer to a query, which counts if no line ends the call."""
        opened = run.queries.pop(_query_id(members), None)
        if opened is not None:
            kind = opened.identify(self._wire).kind
            response = _object(members, "response")
            opened.answer = _read_answer(
                f"{kind}ToolCall", response, self._wire, number, self._warn
            )
            if opened.is_only_query and opened.answer is not None:
                run.answered.append(opened)

    def unfinished(self, run: OpenRun, number: int) -> list[Event]:
        """Return the calls that are open when their run ends."""
        return [self._unended(run, opened, number) for opened in run.open_calls()]

    def _last(
        self, run: OpenRun, line: WireEvent, call_id: str, number: int, frame: Frame
    ) -> ToolCall:
        """Read the last line of a call, and return the call."""
        opened = run.calls.get(call_id)
        if opened is None or opened.is_contested:
            opened = self._ending(run, line, call_id, number, frame.kind)
        outcome = frame.outcome or OK
        if line.subtype == "failed" and outcome == OK:
            outcome = Outcome("error")
        call = self._call(run, opened, number, frame, outcome, line)
        if not opened.is_repeated:
            opened.is_only_query = False
            response_id = line.model_call_id or opened.started.model_call_id
            run.end_call(opened, frame.kind, response_id)
        return call

    def _continued(
        self, run: OpenRun, line: WireEvent, call_id: str, number: int
    ) -> OpenCall:
        """Return the call that a line continues or begins, with the line added."""
        if not self._wire.has_arguments:
            without_block(line, self._wire)
        is_known = call_id in run.calls or run.unnamed
        opened = self._open_call(run, line, call_id) if is_known else None
        if opened is None:
            ended = run.ended.get(call_id)
            if ended is not None and (ended.is_only_query or line.subtype != _FIRST):
                return OpenCall(call_id, ended.number, True, number, line)
            return self._begin(run, line, number, call_id)
        if opened.is_only_query:
            if not opened.id and call_id:
                run.name(opened, call_id)
            opened.begin(line, number)
        else:
            opened.add(line, self._wire, self._has_starts)
        return opened

    def _open_call(
        self, run: OpenRun, line: WireEvent, call_id: str
    ) -> OpenCall | None:
        """Return the open call that a line other than the last belongs to."""
        opened = run.calls.get(call_id)
        if opened is not None:
            if line.subtype != _FIRST or opened.is_only_query:
                return opened
            known = opened.identify(self._wire)
            return None if is_another(known, identity_of(line, self._wire)) else opened
        if not run.unnamed:
            return None
        calls = run.first_unnamed()
        if call_id or line.subtype == _FIRST:
            calls = [call for call in calls if call.is_only_query]
        return most_likely(calls, line, self._wire) if calls else None

    def _ending(
        self, run: OpenRun, line: WireEvent, call_id: str, number: int, kind: str
    ) -> OpenCall:
        """Return the call that a line ends; it may be the only line of its call."""
        opened = run.calls.get(call_id)
        if opened is not None and opened.is_contested:
            opened = most_likely(opened.with_id(), line, self._wire)
        if opened is None and run.unnamed:
            calls = run.first_unnamed()
            if call_id:
                calls = [call for call in calls if call.is_only_query]
            opened = most_likely(calls, line, self._wire) if calls else None
        if opened is not None:
            if not opened.id and call_id:
                run.name(opened, call_id)
            return opened
        ended = run.ended.get(call_id)
        if ended is not None and ended.has(kind, line):
            return OpenCall(call_id, ended.number, True, number, line)
        return self._begin(run, line, number, call_id)

    def _settled(
        self, run: OpenRun, line: WireEvent, call_id: str, number: int
    ) -> list[Event]:
        """Return the calls that have an answer and can have no further line.

        A call is made by the response of the query, or by the one after a pause. So
        it is over when the second response after the answer makes a call.
        """
        response_id = line.model_call_id
        if not response_id:
            return []
        events: list[Event] = []
        waiting = []
        for opened in run.answered:
            opened.next_response_id = opened.next_response_id or response_id
            if not opened.is_only_query or opened.id == call_id:
                continue
            if opened.next_response_id == response_id:
                waiting.append(opened)
            else:
                call = self._unended(run, opened, number)
                run.end_call(opened, call.kind, "")
                events.append(call)
        run.answered = waiting
        return events

    def _unended(self, run: OpenRun, opened: OpenCall, number: int) -> ToolCall:
        """Return a call without a last line; the answer to its query may end it."""
        frame = opened.answer or Frame()
        return self._call(run, opened, number, frame, frame.outcome or UNFINISHED)

    def _call(
        self,
        run: OpenRun,
        opened: OpenCall,
        number: int,
        frame: Frame,
        outcome: Outcome | None,
        last: WireEvent | None = None,
    ) -> ToolCall:
        """Return a call as its lines describe it.

        `frame` holds the facts of its last line; `last` is None if it never ended.
        """
        call = ToolCall(
            run=run.number,
            line=number,
            number=opened.number,
            id=opened.id,
            kind=frame.kind,
            name=frame.name,
            arguments=frame.arguments,
            outcome=outcome,
            arm=frame.arm,
            output=frame.output,
            is_new_file=frame.is_new_file,
            is_repeated=opened.is_repeated,
            started_line=opened.line,
            duration_ms=frame.duration_ms,
        )
        # With more than 15 arguments, Python makes a dictionary of them first, which
        # takes three times as long.
        if frame.parent:
            call.parent = frame.parent
        if frame.steps is not None:
            call.steps = frame.steps
        if self._wire.has_arguments or not frame.name:
            earlier = opened.frames or []
            if not self._has_starts:
                earlier = opened.earlier(self._wire, False, last)
            queried = run.queried_arguments.get(call.id)
            opened.add_details(call, earlier, queried, last)
            run.response_id = call.response_id or run.response_id
            if run.first_ms is not None and call.started_ms is not None:
                call.since_start_ms = call.started_ms - run.first_ms
            elif run.first_ms is not None and call.ended_ms is not None:
                call.ended_since_start_ms = call.ended_ms - run.first_ms
        return call


# The name of a query is that of its tool with one of these.
_SUFFIXES = ("RequestQuery", "InteractionQuery", "Query", "Args")


def _object(members: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a member of a line that is an object; an empty one if it is none."""
    value = members.get(name)
    return value if isinstance(value, dict) else {}


def _query_id(members: dict[str, Any]) -> int | str | None:
    """Return the id that a query and its answer share; None if there is none."""
    value = (_object(members, "query") or _object(members, "response")).get("id")
    return value if isinstance(value, int | str) else None


def _read_query(query: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """Return the key of the tool, the call's id and the arguments that a query names.

    None if it asks about no call. The key is that of lines of calls, as
    `shellToolCall`, and the id "" if the query has none.
    """
    name, body = _named_body(query)
    if body is None:
        return None
    arguments = body.get("args", body)
    if not isinstance(arguments, dict):
        return None
    call_id = arguments.get("toolCallId", body.get("toolCallId"))
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return f"{name}ToolCall", call_id if isinstance(call_id, str) else "", arguments


def _read_answer(
    key: str, response: dict[str, Any], wire: Wire, number: int, warn: Warn
) -> Frame | None:
    """Read the `response` of a line as the last line of its call.

    Returns None if it does not record the end of the call: an approved call may not
    have been made.
    """
    _, body = _named_body(response)
    result = (body or {}).get("result", body)
    if not isinstance(result, dict) or not decides(result):
        return None
    others = {k: v for k, v in (body or {}).items() if k != "result"}
    recorded = {"result": others | result}
    return read_frame(
        {key: coerce(recorded, wire.body, number, warn)}, wire, number, warn
    )


def _named_body(members: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return the member that is an object, and its name, which is that of the query."""
    for name, body in members.items():
        if isinstance(body, dict):
            return name, body
    return "", None
