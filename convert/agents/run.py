"""A run of an agent while its log is read: facts in, events out.

    opened = run.begin_call(line, "item_1", call_of("Bash", {"command": "ls"}))
    run.end_call(line, opened, OK, {"stdout": "a.py"})

The run starts with the first thing that happens in it. Its session, directory and
model must be known by then.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from convert.agents.lines import RecentIds, between, digest
from convert.agents.tool_names import Members, NativeCall, OpenCall, recorded
from convert.facts import ends_in_open_call
from convert.model.events import (
    OK,
    UNFINISHED,
    CallDetail,
    End,
    Event,
    Image,
    Incident,
    IncidentKind,
    Needs,
    Outcome,
    Prompt,
    Result,
    Segment,
    Start,
    State,
    Thinking,
    Tokens,
    ToolCall,
)
from convert.wording.escapes import repair_surrogates

# The most ended calls that are kept: memory must not grow with the log.
_REMEMBERED = 1000


class AgentRun:
    """A run while its log is read.

    `emit` takes its events. Readers may add texts that no target needs; the run drops
    them. With `has_late_model`, the run starts after its prompts, when the model is
    known.
    """

    def __init__(
        self,
        number: int,
        needs: Needs,
        emit: Callable[[Event], None],
        agent: str,
        *,
        has_late_model: bool = False,
    ) -> None:
        self.number = number
        self.has_started = False
        self._needs = needs
        self._has_all = needs.calls == CallDetail.EVERYTHING
        self._has_arguments = needs.calls >= CallDetail.ARGUMENTS
        self._emit = emit
        self.start = Start(run=number, line=0, agent=agent)
        self._prompts: list[Prompt] = []
        self._has_late_model = has_late_model
        self._text: list[str] = []
        self._last_text: str | None = None
        # The tools of the calls that no text follows.
        self._tools_at_end: set[str] = set()
        self._calls = 0
        self._open: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        # The calls that ended last, by id, since a later line may correct them.
        self._ended: dict[str, OpenCall] = {}
        # The calls that were made last: some models give several calls one id.
        self._made = RecentIds()
        self._first_ms: int | None = None
        self._last_ms: int | None = None
        # The last incident, unless the agent went on: it may be why the run ends.
        self.last_incident: Incident | None = None

    @property
    def last_text(self) -> str | None:
        """The text of the last segment, an open one included; None without any."""
        return "".join(self._text) or self._last_text

    @property
    def text_after_calls(self) -> str | None:
        """The text of the last segment; None if a call follows it."""
        is_open = bool("".join(self._text).strip())
        return None if self._tools_at_end and not is_open else self.last_text

    @property
    def open_calls(self) -> list[OpenCall]:
        """The calls that have not ended, in the order in which they began."""
        return list(self._open.values())

    @property
    def last_error(self) -> str | None:
        """The message of the last error, unless the agent went on after it."""
        incident = self.last_incident
        return incident.message if incident and incident.kind == "error" else None

    @property
    def span_ms(self) -> int | None:
        """The milliseconds between the first timestamp and the last."""
        return between(self._first_ms, self._last_ms)

    def set_facts(
        self,
        session: str = "",
        directory: str = "",
        model: str = "",
        permission_mode: str = "",
        version: str = "",
    ) -> None:
        """Keep facts of the run; the first one counts, and none after the start."""
        if self.has_started:
            return
        start = self.start
        start.session = start.session or repair_surrogates(session)
        start.directory = start.directory or repair_surrogates(directory)
        start.model = start.model or repair_surrogates(model)
        start.permission_mode = start.permission_mode or permission_mode
        start.agent_version = start.agent_version or repair_surrogates(version)

    def stamp(self, milliseconds: int | None) -> None:
        """Note the timestamp of a line, in milliseconds since 1970."""
        if milliseconds is not None:
            if self._first_ms is None:
                self._first_ms = milliseconds
            self._last_ms = milliseconds

    def begin(self, line: int) -> None:
        """Start the run unless it has started."""
        if self.has_started:
            return
        self.has_started = True
        self.start.line = self._prompts[0].line if self._prompts else line
        self.start.started_ms = self._first_ms
        self._emit(self.start)
        for prompt in self._prompts:
            self._emit(prompt)
        self._prompts.clear()

    def prompt(self, line: int, text: str, images: list[Image] | None = None) -> None:
        """Add a request of the user."""
        text = repair_surrogates(text)
        prompt = Prompt(run=self.number, line=line, text=text, images=images or [])
        if self._has_late_model and not self.has_started:
            if self._needs.text:
                self._prompts.append(prompt)
            return
        self.begin(line)
        self.close_text(line)
        self.last_incident = None
        if self._needs.text:
            self._emit(prompt)

    def say(self, line: int, text: str) -> None:
        """Add a segment of its own."""
        self.close_text(line)
        self.text(line, text)
        self.close_text(line)

    def text(self, line: int, text: str) -> None:
        """Add a piece of the assistant's text to the open segment."""
        self.begin(line)
        if text:
            self.last_incident = None
            self._text.append(text)

    def close_text(self, line: int) -> None:
        """End the open segment."""
        if not self._text:
            return
        text = repair_surrogates("".join(self._text))
        self._text.clear()
        self._last_text = text
        if not text.isspace():
            self._tools_at_end.clear()
        if self._needs.text:
            self._emit(Segment(run=self.number, line=line, text=text))

    def thinking(self, line: int, text: str, *, started_ms: int | None = None) -> None:
        """Add a block of reasoning; `started_ms` is a timestamp."""
        self.begin(line)
        self.last_incident = None
        if not (self._needs.thinking and text):
            return
        thought = Thinking(run=self.number, line=line, text=repair_surrogates(text))
        if started_ms is not None:
            thought.started_ms = self._since_start(started_ms)
            thought.ended_ms = self._since_start(self._last_ms)
        self._emit(thought)

    def incident(
        self,
        line: int,
        kind: IncidentKind,
        message: object,
        *,
        attempt: object = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        """Add an incident, which disturbed the run.

        A message or an attempt of another type is dropped.
        """
        self.begin(line)
        words = repair_surrogates(message) if isinstance(message, str) else ""
        incident = Incident(run=self.number, line=line, kind=kind, message=words)
        incident.attempt = attempt if isinstance(attempt, int) else None
        incident.details = recorded(details or {})
        if kind in ("retry", "error"):
            self.last_incident = incident
        self._emit(incident)

    def begin_call(
        self,
        line: int,
        id: str,
        call: NativeCall,
        *,
        started_ms: int | None = None,
        parent: str = "",
        response_id: str = "",
    ) -> OpenCall:
        """Begin a call; it ends the open segment, unless a subagent made it."""
        self.begin(line)
        if not parent:
            self.close_text(line)
            self._tools_at_end.add(call.name or call.kind)
        self.last_incident = None
        self._calls += 1
        opened = OpenCall(self._calls, id, call, line, started_ms, parent, response_id)
        opened.after_ms = self._last_ms
        if parent and (around := self._by_id.get(parent)) is not None:
            opened.texts_before = len(around.steps or ())
        self._open[opened.number] = opened
        if id:
            self._by_id[id] = opened
        if self._has_all:
            self._emit(self._event(line, opened))
        return opened

    def call(self, id: str) -> OpenCall | None:
        """Return the open call with an id; None if there is none."""
        return self._by_id.get(id)

    def repeats_call(self, id: str, *facts: Any) -> bool:
        """Return True if a call that begins is open or a recent one; remember it.

        A call whose id has ended is another one if its `facts` differ, such as its name
        and its arguments.
        """
        is_open = id in self._by_id
        return bool(id) and (is_open or not self.remember_call(id, *facts))

    def remember_call(self, id: str, *facts: Any) -> bool:
        """Remember a call by these facts; return False if it is a recent one."""
        return self._made.add(digest((id, *facts)))

    def has_ended_call(self, id: str) -> bool:
        """Return True if a call with this id ended recently."""
        return id in self._ended

    def forget_ended(self) -> None:
        """Treat ids that come again as ids of other calls."""
        self._ended.clear()
        self._made = RecentIds()

    def step(self, line: int, parent: str, text: str, *, thinking: bool) -> None:
        """Add text of a subagent to the open call that started it."""
        opened = self._by_id.get(parent)
        if opened and text and self._has_all:
            kind = Thinking if thinking else Segment
            opened.steps = opened.steps or []
            opened.steps.append(kind(run=0, line=line, text=repair_surrogates(text)))

    def end_call(
        self,
        line: int,
        call: OpenCall,
        outcome: Outcome = OK,
        output: Any = None,
        *,
        arm: str = "",
        ended_ms: int | None = None,
        duration_ms: int | None = None,
        is_new_file: bool = False,
    ) -> None:
        """End a call; `ended_ms` counts if its duration is not recorded."""
        self._open.pop(call.number, None)
        if outcome is not UNFINISHED:
            self.last_incident = None
        if self._needs.calls:
            event = self._event(line, call)
            event.outcome = outcome
            event.arm = arm
            event.is_new_file = is_new_file
            if self._has_all:
                event.output = output
                event.steps = call.steps
                event.duration_ms = duration_ms
                if ended_ms is not None:
                    self._add_end(event, call, ended_ms)
            self._emit(event)
        if call.id:
            if self._by_id.get(call.id) is call:
                del self._by_id[call.id]
            self._remember(call)

    def _add_end(self, event: ToolCall, call: OpenCall, ended_ms: int) -> None:
        """Add how long a call took, if timestamps show it."""
        if event.duration_ms is None:
            event.duration_ms = between(call.started_ms, ended_ms)
        if call.started_ms is None:
            # It began at no known time, but after the last timestamp before it.
            event.ended_ms = ended_ms
            event.ended_since_start_ms = self._since_start(ended_ms)
            if event.duration_ms is None:
                event.longest_ms = between(call.after_ms, ended_ms)

    def amend_call(
        self, line: int, id: str, outcome: Outcome, arguments: Members | None = None
    ) -> bool:
        """Correct the outcome of a call; return False unless it ended recently."""
        ended = self._ended.get(id)
        if ended is not None and self._needs.calls:
            event = self._event(line, ended)
            event.outcome = outcome
            if self._has_arguments:
                event.arguments = event.arguments or arguments
            event.is_repeated = True
            self._emit(event)
        return ended is not None

    def result(
        self,
        line: int,
        *,
        text: str | None,
        is_error: bool = False,
        duration_ms: int | None = None,
        tokens: Tokens | None = None,
        turns: int | None = None,
        cost_usd: Decimal | None = None,
    ) -> None:
        """Add how the run ended, as its log records it."""
        self.begin(line)
        self._close(line)
        if self._needs.result or self._needs.text or self._needs.figures:
            result = Result(run=self.number, line=line, is_error=is_error)
            result.text = None if text is None else repair_surrogates(text)
            result.duration_ms, result.turns = duration_ms, turns
            result.tokens, result.cost_usd = tokens, cost_usd
            result.cost_by = "" if cost_usd is None else self.start.agent
            self._emit(result)

    def finish(
        self,
        line: int,
        state: State | None,
        reason: str = "",
        *,
        names: Iterable[object] = (),
        has_result: bool = True,
    ) -> None:
        """End the run; `has_result` is True if its log records a result.

        `names` are the log's names for the reason, such as an HTTP status.
        """
        self.begin(line)
        self._close(line)
        reason = repair_surrogates(reason)
        end = End(run=self.number, line=line, state=state, reason=reason)
        if self._tools_at_end:
            end.ends_in_call = ends_in_open_call(self._tools_at_end, state)
        if state not in (None, "success"):
            self._name_reason(end, names)
        end.started_ms, end.ended_ms = self._first_ms, self._last_ms
        if not has_result:
            end.span_ms = self.span_ms
        self._emit(end)

    def _name_reason(self, end: End, names: Iterable[object]) -> None:
        """Set the kind of reason of a run that did not succeed.

        A retry at the end of the log is the reason why it was cut off.
        """
        # A run that succeeds needs no reasons.
        from convert.facts.run_reasons import names_in, set_reason_kind

        message: str | None = None
        incident = self.last_incident
        if incident is not None:
            names = [*names, *names_in(incident.details)]
            if end.state != "error" and incident.kind != "error":
                end.interrupted, message = "retry", incident.message
                names.append(message)
        set_reason_kind(end, names, message)

    def _close(self, line: int) -> None:
        """End the open segment and the calls that are open."""
        self.close_text(line)
        for call in self.open_calls:
            self.end_call(line, call, UNFINISHED)

    def _remember(self, call: OpenCall) -> None:
        """Keep a call that ended, without its arguments and its steps."""
        native = call.call
        if native.arguments is not None:
            call.call = NativeCall(native.kind, native.name, native.native)
        call.recorded = call.steps = None
        self._ended[call.id] = call
        if len(self._ended) > 2 * _REMEMBERED:
            self._ended = dict(itertools.islice(self._ended.items(), _REMEMBERED, None))

    def _event(self, line: int, opened: OpenCall) -> ToolCall:
        call = opened.call
        event = ToolCall(
            run=self.number,
            line=line,
            number=opened.number,
            id=opened.id,
            kind=call.kind,
            name=call.name,
            native=call.native,
        )
        if opened.parent:
            event.parent = opened.parent
            event.texts_before = opened.texts_before
        if self._has_arguments:
            event.arguments = call.arguments
            event.response_id = opened.response_id
            event.started_line = opened.line
            if opened.started_ms is not None:
                event.started_ms = opened.started_ms
                event.since_start_ms = self._since_start(opened.started_ms)
        return event

    def _since_start(self, milliseconds: int | None) -> int | None:
        return between(self._first_ms, milliseconds)
