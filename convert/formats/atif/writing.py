"""The steps of a run, put together from its events.

A step is one response of the model: reasoning, text, and the calls that it made. What
begins when the calls of a step have ended is the next step, unless it is known to be of
the same response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from convert.errors import Warn
from convert.formats.atif.agents import UNKNOWN, name_in_document
from convert.formats.atif.calls import call_in_document, came_back
from convert.formats.atif.document import (
    NONE,
    VERSION,
    Agent,
    Document,
    FinalMetrics,
    Observation,
    Step,
    raw,
)
from convert.formats.atif.facts import (
    IncidentFacts,
    PictureFacts,
    ResultFacts,
    RunFacts,
    StepFacts,
    extra_of_run,
    extra_of_step,
)
from convert.formats.json_lines import json_line
from convert.model.events import (
    End,
    Event,
    Incident,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    Tokens,
    ToolCall,
)
from convert.model.run import updated


def documents(events: Iterable[Event], warn: Warn) -> Iterator[bytes]:
    """Yield a document for each run, when it ends."""
    runs: dict[int, _Run] = {}
    for event in events:
        match event:
            case Start():
                runs[event.run] = _Run(event)
            case End():
                run = runs.pop(event.run)
                if run.steps.is_empty:
                    reason = "a run of which no step is recorded, and ATIF needs one"
                    warn(event.line, reason, "an empty step added")
                yield json_line(run.document(event))
            case _ if event.run in runs:
                runs[event.run].take(event)


class _OpenStep:
    """A step while its calls go on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.facts = StepFacts()
        self.message = ""
        self.has_message = False
        self.reasoning: str | None = None
        self.timestamp: str | None = None
        # The calls by their numbers, in the order in which they began and ended.
        self.calls: dict[int, ToolCall] = {}
        self.ended: dict[int, None] = {}

    @property
    def is_over(self) -> bool:
        """All of its calls have ended; False without any."""
        return 0 < len(self.calls) == len(self.ended)

    def is_of(self, call: ToolCall) -> bool:
        """Return True if the response that made a call made the others as well."""
        if not self.calls:
            return True
        ids = {other.response_id for other in self.calls.values()}
        if call.response_id and ids != {""}:
            return call.response_id in ids
        return not self.is_over


class _Steps:
    """The steps of a run, or of a subagent in it."""

    def __init__(self, started_ms: int | None = None) -> None:
        self.started_ms = started_ms
        self._steps: list[_OpenStep] = []
        # The step of each call, by its number.
        self._places: dict[int, _OpenStep] = {}

    @property
    def is_empty(self) -> bool:
        """Nothing happened."""
        return not self._steps

    def take(self, event: Event) -> None:
        """Add what happened."""
        match event:
            case Prompt():
                step = self._begin("user")
                step.message = event.text
                step.facts.pictures = [
                    PictureFacts(image.media_type, image.size) for image in event.images
                ] or None
            case Incident():
                step = self._begin("system")
                step.message = event.message
                step.facts.incident = _incident(event)
            case Thinking():
                step = self._begin("agent")
                step.reasoning = event.text
                step.facts.thinking_started_ms = event.started_ms
                step.facts.thinking_ended_ms = event.ended_ms
                if event.started_ms is not None and self.started_ms is not None:
                    step.timestamp = _timestamp(self.started_ms + event.started_ms)
            case Segment():
                step = self._current()
                if step.has_message or step.calls:
                    step = self._begin("agent")
                step.message, step.has_message = event.text, True
                step.facts.is_halved = event.is_halved
            case ToolCall():
                self._call(event)

    def say(self, text: str) -> None:
        """Add a text that is known from the result alone."""
        step = self._begin("agent")
        step.message = text
        step.facts.is_result = True

    def _begin(self, source: str) -> _OpenStep:
        step = _OpenStep(source)
        self._steps.append(step)
        return step

    def _current(self) -> _OpenStep:
        """Return the last step if it is the agent's, else a new one."""
        if self._steps and self._steps[-1].source == "agent":
            return self._steps[-1]
        return self._begin("agent")

    def _call(self, call: ToolCall) -> None:
        step = self._places.get(call.number)
        if step is None:
            step = self._current()
            if not step.is_of(call):
                step = self._begin("agent")
            if step.timestamp is None and call.started_ms is not None:
                step.timestamp = _timestamp(call.started_ms)
            self._places[call.number] = step
        known = step.calls.get(call.number)
        is_again = call.is_repeated and known is not None
        step.calls[call.number] = updated(known, call) if is_again and known else call
        if call.outcome is not None:
            step.ended[call.number] = None

    def written(
        self, agent: Agent, ended_ms: int | None = None
    ) -> tuple[list[Step], list[Document]]:
        """Return the steps, and the trajectories of subagents in them.

        A request at the beginning has the first timestamp of the run, and a text at the
        end the last one.
        """
        if not self._steps:
            self._begin("system").facts.is_filler = True
        first, last = self._steps[0], self._steps[-1]
        if first.source == "user" and self.started_ms is not None:
            first.timestamp = _timestamp(self.started_ms)
        if last.has_message and last.timestamp is None and ended_ms is not None:
            last.timestamp = _timestamp(ended_ms)
        writing = _Writing(agent)
        steps = [
            writing.step(number, step) for number, step in enumerate(self._steps, 1)
        ]
        return steps, writing.subagents


class _Writing:
    """Makes the steps of a document."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._ids: set[str] = set()
        self.subagents: list[Document] = []

    def step(self, number: int, step: _OpenStep) -> Step:
        """Return a step as it stands in a document."""
        ids = {call.number: self._id(call) for call in step.calls.values()}
        subagents = {
            number: self._subagent(step.calls[number], id)
            for number, id in ids.items()
            if step.calls[number].steps
        }
        results = [
            came_back(step.calls[number], ids[number], subagents.get(number, ""))
            for number in step.ended
        ]
        found = [result for result in results if result is not None]
        return Step(
            number,
            step.source,
            timestamp=step.timestamp,
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
        steps = _Steps()
        for event in call.steps or ():
            steps.take(event)
        written, subagents = steps.written(self._agent)
        document = Document(
            VERSION,
            self._agent,
            trajectory_id=id,
            steps=written,
            subagent_trajectories=subagents or None,
        )
        self.subagents.append(document)
        return id


class _Run:
    """A run while its events come."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._texts: list[str] = []
        self._result: Result | None = None
        self.steps = _Steps(start.started_ms)

    def take(self, event: Event) -> None:
        """Add what happened."""
        match event:
            case Result():
                self._result = event
                if self._start.level == "result" and event.text:
                    self.steps.say(event.text)
                return
            case Segment():
                self._texts.append(event.text)
        self.steps.take(event)

    def document(self, end: End) -> Document:
        """Return the run as a document."""
        start = self._start
        if self.steps.started_ms is None:
            self.steps.started_ms = end.started_ms
        agent = Agent(
            name_in_document(start.agent),
            start.agent_version or UNKNOWN,
            start.model or None,
        )
        steps, subagents = self.steps.written(agent, end.ended_ms)
        facts = RunFacts(
            directory=start.directory,
            permission_mode=start.permission_mode,
            level=start.level,
            has_outputs=start.has_outputs,
            state=end.state,
            reason=end.reason,
            interrupted=end.interrupted,
            request_id=end.request_id,
            started_ms=end.started_ms,
            ended_ms=end.ended_ms,
            span_ms=end.span_ms,
            result=self._result_facts(),
        )
        tokens = self._result.tokens if self._result else None
        return Document(
            VERSION,
            agent,
            session_id=start.session or None,
            steps=steps,
            final_metrics=_metrics(tokens, len(steps)),
            extra=extra_of_run(facts),
            subagent_trajectories=subagents or None,
        )

    def _result_facts(self) -> ResultFacts | None:
        result = self._result
        if result is None:
            return None
        is_all_text = bool(self._texts) and result.text == "".join(self._texts)
        is_said = self._start.level == "result" and bool(result.text)
        return ResultFacts(
            text=None if is_all_text or is_said else result.text,
            is_all_text=is_all_text,
            is_error=result.is_error,
            duration_ms=result.duration_ms,
            tokens=result.tokens,
        )


def _metrics(tokens: Tokens | None, steps: int) -> FinalMetrics:
    """Return the tokens of a run; its prompt tokens are those of a cache as well."""
    metrics = FinalMetrics(total_steps=steps)
    if tokens is not None:
        if tokens.input is not None:
            cached = (tokens.cache_read or 0) + (tokens.cache_write or 0)
            metrics.total_prompt_tokens = tokens.input + cached
        metrics.total_completion_tokens = tokens.output
        metrics.total_cached_tokens = tokens.cache_read
    return metrics


def _incident(incident: Incident) -> IncidentFacts:
    return IncidentFacts(
        kind=incident.kind,
        status=incident.status,
        attempt=incident.attempt,
        endpoint=incident.endpoint,
        is_resume=incident.is_resume,
        checkpoint_turn=incident.checkpoint_turn,
        details=raw(incident.details) if incident.details else NONE,
        earlier=incident.earlier,
    )


def _timestamp(milliseconds: int) -> str | None:
    """Return a time as ISO 8601; None for one that no calendar has."""
    try:
        at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
