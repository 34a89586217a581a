"""Runs as documents: their steps, the calls in them, and facts in `extra`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from convert.agents.atif.document import (
    UNKNOWN,
    VERSION,
    Agent,
    Call,
    CallFacts,
    Document,
    FinalMetrics,
    Observation,
    ObservationResult,
    OutputFacts,
    Reference,
    ResultFacts,
    RunFacts,
    Step,
    Trajectory,
    bytes_of,
    extra_of,
    extra_of_run,
    extra_of_step,
    name_in_document,
    raw,
)
from convert.agents.atif.written_steps import OpenStep, Steps
from convert.agents.outputs import output_of_text
from convert.agents.writing import text_of_output, warn_of_prompts
from convert.errors import Warn
from convert.model.cost import json_number
from convert.model.events import (
    UNFINISHED,
    End,
    Event,
    Prompt,
    Result,
    Segment,
    Start,
    ToolCall,
)
from convert.options import Options
from convert.tools.phrases import reason_of


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each run as a document on a line, when it ends."""
    runs: dict[int, _Run] = {}
    without_prompt = 0
    for event in events:
        match event:
            case Start():
                runs[event.run] = _Run(event)
            case End():
                run = runs.pop(event.run)
                yield bytes_of(run.document(event, warn)) + b"\n"
                without_prompt += not run.has_prompt
            case _ if event.run in runs:
                runs[event.run].take(event)
    warn_of_prompts(without_prompt, "document", "step", warn)


class _StepWriter:
    """Makes the steps of a document."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._ids: set[str] = set()
        self.subagents: list[Trajectory] = []

    def steps(self, steps: list[OpenStep]) -> list[Step]:
        """Return steps as they are in the document."""
        return [self._step(number, step) for number, step in enumerate(steps, 1)]

    def _step(self, number: int, step: OpenStep) -> Step:
        step.facts.order = step.unusual_order
        ids = {call.number: self._id(call) for call in step.calls.values()}
        subagents = {
            number: self._subagent(step.calls[number], id)
            for number, id in ids.items()
            if step.calls[number].steps
        }
        results = [
            result_in_document(
                step.calls[number], ids[number], subagents.get(number, "")
            )
            for number in step.ended
        ]
        found = [result for result in results if result is not None]
        return Step(
            number,
            step.source,
            timestamp=_timestamp(step.began_ms),
            message=raw(step.message),
            reasoning_content=step.reasoning,
            tool_calls=[
                call_in_document(call, ids[number])
                for number, call in step.calls.items()
            ]
            or None,
            observation=Observation(found) if found else None,
            extra=extra_of_step(step.facts),
        )

    def _id(self, call: ToolCall) -> str:
        """Return an id that no other call of the document has."""
        id = call.id
        number = call.number
        while not id or id in self._ids:
            id = f"call-{number}"
            number += 1
        self._ids.add(id)
        return id

    def _subagent(self, call: ToolCall, id: str) -> str:
        """Add the trajectory of the subagent that a call ran, and return its id."""
        writing = _StepWriter(self._agent)
        trajectory = Trajectory(
            schema_version=VERSION,
            trajectory_id=id,
            agent=self._agent,
            steps=writing.steps(Steps(None, call.steps or []).complete()),
            subagent_trajectories=writing.subagents or None,
        )
        self.subagents.append(trajectory)
        return id


class _Run:
    """A run while its events come."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._events: list[Event] = []
        self._result: Result | None = None
        self.has_prompt = False

    def take(self, event: Event) -> None:
        """Add an event."""
        if isinstance(event, Result):
            self._result = event
        else:
            self.has_prompt = self.has_prompt or isinstance(event, Prompt)
            self._events.append(event)

    def document(self, end: End, warn: Warn) -> Document:
        """Return the run as a document."""
        start = self._start
        begin = end.started_ms if start.started_ms is None else start.started_ms
        of_run = Steps(begin, self._events)
        if start.level == "result" and self._result and self._result.text:
            of_run.say(self._result.text)
        if of_run.is_empty:
            reason = "a run of which no step is recorded, and ATIF needs one"
            warn(end.line, reason, "an empty step added")
        agent = Agent(
            name_in_document(start.agent),
            start.agent_version or UNKNOWN,
            start.model or None,
        )
        writing = _StepWriter(agent)
        steps = writing.steps(of_run.complete(end.ended_ms))
        facts = RunFacts(
            directory=start.directory,
            permission_mode=start.permission_mode,
            level=start.level,
            has_outputs=start.has_outputs,
            state=end.state,
            reason=end.reason,
            reason_kind=end.reason_kind,
            interrupted=end.interrupted,
            request_id=end.request_id,
            started_ms=end.started_ms,
            ended_ms=end.ended_ms,
            span_ms=end.span_ms,
            result=self._result_facts(),
        )
        return Document(
            schema_version=VERSION,
            session_id=start.session or None,
            agent=agent,
            steps=steps,
            final_metrics=_metrics(self._result, len(steps)),
            extra=extra_of_run(facts),
            subagent_trajectories=writing.subagents or None,
        )

    def _result_facts(self) -> ResultFacts | None:
        result = self._result
        if result is None:
            return None
        texts = [event.text for event in self._events if isinstance(event, Segment)]
        is_all_text = bool(texts) and result.text == "".join(texts)
        is_said = self._start.level == "result" and bool(result.text)
        return ResultFacts(
            text=None if is_all_text or is_said else result.text,
            is_all_text=is_all_text,
            is_error=result.is_error,
            duration_ms=result.duration_ms,
            tokens=result.tokens,
            turns=result.turns,
            cost_by=result.cost_by,
        )


def _metrics(result: Result | None, steps: int) -> FinalMetrics:
    """Return the tokens and the cost of a run.

    Its prompt tokens are those of a cache as well.
    """
    metrics = FinalMetrics(total_steps=steps)
    if result is None:
        return metrics
    if result.cost_usd is not None:
        metrics.total_cost_usd = json_number(result.cost_usd)
    tokens = result.tokens
    if tokens is not None:
        if tokens.input is not None:
            cached = (tokens.cache_read or 0) + (tokens.cache_write or 0)
            metrics.total_prompt_tokens = tokens.input + cached
        metrics.total_completion_tokens = tokens.output
        metrics.total_cached_tokens = tokens.cache_read
        if tokens.is_least:
            # The other members have no place for it.
            metrics.extra = raw({"completion_tokens_are_final": False})
    return metrics


def _timestamp(milliseconds: int | None) -> str | None:
    """Return a time as ISO 8601; None for one that no calendar has."""
    if milliseconds is None:
        return None
    try:
        at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# A shorter text may occur twice.
_SHORTEST = 40


def call_in_document(call: ToolCall, id: str) -> Call:
    """Return a call under the id that it has in its document."""
    outcome = call.outcome or UNFINISHED
    name = call.name or call.native or call.kind or "unknown"
    facts = CallFacts(
        kind=call.kind,
        name=None if call.name == name else call.name,
        native=call.native,
        id=None if call.id == id else call.id,
        has_arguments=call.arguments is not None,
        status=outcome.status,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        error=outcome.arm,
        message=outcome.message,
        arm=call.arm,
        is_new_file=call.is_new_file,
        parent=call.parent,
        response_id=call.response_id,
        about=call.about,
        started_ms=call.started_ms,
        since_start_ms=call.since_start_ms,
        duration_ms=call.duration_ms,
        ended_ms=call.ended_ms,
        ended_since_start_ms=call.ended_since_start_ms,
        longest_ms=call.longest_ms,
        has_no_steps=call.steps == [],
    )
    return Call(id, name, raw(call.arguments or {}), extra_of(facts))


def result_in_document(
    call: ToolCall, id: str, subagent: str = ""
) -> ObservationResult | None:
    """Return the result of a call; None if it did not end.

    `subagent` is the id of the trajectory of the subagent that it ran.
    """
    if call.outcome in (None, UNFINISHED) and call.output is None and not subagent:
        return None
    text = text_of_output(call)
    facts = _output_facts(call, text)
    if not text and call.outcome and call.outcome.status != "ok":
        text = call.outcome.message or reason_of(call.outcome)
    reference = [Reference(subagent)] if subagent else None
    return ObservationResult(id, raw(text), reference, extra_of(facts))


def _output_facts(call: ToolCall, text: str) -> OutputFacts:
    output: Any = call.output
    if output is None:
        return OutputFacts(has_output=False)
    if output == output_of_text(call.kind, text):
        return OutputFacts()
    if not isinstance(output, dict) or len(text) < _SHORTEST:
        return OutputFacts(raw(output))
    same = [name for name, value in output.items() if value == text]
    # Their places among the members are kept.
    return OutputFacts(raw(output | dict.fromkeys(same)), same or None)
