"""Runs as documents: their steps, the calls in them, and facts in `extra`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convert.agents.atif.document import (
    NONE,
    UNKNOWN,
    VERSION,
    Agent,
    Call,
    CallFacts,
    Document,
    FinalMetrics,
    IncidentFacts,
    Observation,
    ObservationResult,
    OutputFacts,
    PictureFacts,
    Reference,
    ResultFacts,
    RunFacts,
    Step,
    StepFacts,
    Trajectory,
    extra_of,
    name_in_document,
    raw,
)
from convert.agents.outputs import output_of_text
from convert.agents.writing import text_of_output, timestamp, warn_of_prompts
from convert.errors import Warn
from convert.model.events import (
    UNFINISHED,
    End,
    Event,
    Incident,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.model.json_lines import json_line
from convert.model.run import json_number, updated
from convert.options.conversion import Options
from convert.tools.phrases_and_outcomes import reason_of


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each run as a document on a line, when it ends."""
    runs: dict[int, tuple[Start, list[Event]]] = {}
    without_prompt = 0
    for event in events:
        match event:
            case Start():
                runs[event.run] = event, []
            case End():
                start, of_run = runs.pop(event.run)
                yield json_line(_document(start, of_run, event, warn))
                without_prompt += not any(isinstance(each, Prompt) for each in of_run)
            case _ if event.run in runs:
                runs[event.run][1].append(event)
    warn_of_prompts(without_prompt, "document", "step", warn)


def _document(start: Start, events: list[Event], end: End, warn: Warn) -> Document:
    """Return a run as a document."""
    results = [event for event in events if isinstance(event, Result)]
    result = results[-1] if results else None
    said = (result.text if result and start.level == "result" else None) or ""
    agent = Agent(
        name_in_document(start.agent),
        start.agent_version or UNKNOWN,
        start.model or None,
    )
    begin = end.started_ms if start.started_ms is None else start.started_ms
    writer = _StepWriter(agent, begin, events)
    if said:
        writer.begin("agent", said).facts.is_result = True
    if not writer.open_steps:
        reason = "a run without a recorded step, and ATIF needs one"
        warn(end.line, reason, "an empty step added")
    steps = writer.steps(end.ended_ms)
    ended = None
    if result:
        texts = [event.text for event in events if isinstance(event, Segment)]
        is_all_text = bool(texts) and result.text == "".join(texts)
        ended = ResultFacts(
            text=None if is_all_text or said else result.text,
            is_all_text=is_all_text,
            is_error=result.is_error,
            duration_ms=result.duration_ms,
            tokens=result.tokens,
            turns=result.turns,
            cost_by=result.cost_by,
        )
    facts = RunFacts(
        directory=start.directory,
        permission_mode=start.permission_mode,
        level=start.level,
        has_outputs=start.has_outputs,
        state=end.state,
        reason=end.reason,
        last_words=end.last_words,
        reason_kind=end.reason_kind,
        interrupted=end.interrupted,
        request_id=end.request_id,
        started_ms=end.started_ms,
        ended_ms=end.ended_ms,
        span_ms=end.span_ms,
        result=ended,
    )
    return Document(
        schema_version=VERSION,
        session_id=start.session or None,
        agent=agent,
        steps=steps,
        final_metrics=_metrics(result, len(steps)),
        extra=raw({"runconv": facts}),
        subagent_trajectories=writer.subagents or None,
    )


def _metrics(result: Result | None, steps: int) -> FinalMetrics:
    """Return the tokens and the cost of a run.

    Its prompt tokens are those of a cache as well.
    """
    metrics = FinalMetrics(total_steps=steps)
    if result and result.cost_usd is not None:
        metrics.total_cost_usd = json_number(result.cost_usd)
    if result and (tokens := result.tokens):
        if tokens.input is not None:
            cached = (tokens.cache_read or 0) + (tokens.cache_write or 0)
            metrics.total_prompt_tokens = tokens.input + cached
        metrics.total_completion_tokens = tokens.output
        metrics.total_cached_tokens = tokens.cache_read
        if tokens.is_least:
            # The other members have no place for it.
            metrics.extra = raw({"completion_tokens_are_final": False})
    return metrics


# An event after the calls of a step have ended begins the next step, unless it is known
# to be of the same response.
class _OpenStep:
    """A step while its calls go on: a request, a response or an incident."""

    def __init__(self, source: str, message: str) -> None:
        self.source = source
        self.facts = StepFacts()
        self.message = message
        self.has_message = False
        self.reasoning: str | None = None
        # The calls by their numbers, in the order in which they began and ended.
        self.calls: dict[int, ToolCall] = {}
        self.ended: dict[int, None] = {}
        # The ids of the responses that made them, "" where the log names none.
        self.responses: set[str] = set()
        # The numbers of calls as they began and, negative, as they ended during it.
        self.order: list[int] = []

    def is_of(self, response: str) -> bool:
        """Return True if the response that made a call made the others as well."""
        if response and not self.responses <= {""}:
            return response in self.responses
        return not self.calls or len(self.ended) < len(self.calls)


class _StepWriter:
    """The steps of a run, or of a subagent in it."""

    def __init__(
        self, agent: Agent, started_ms: int | None, events: list[Event]
    ) -> None:
        self._agent = agent
        self._started_ms = started_ms
        self._ids: set[str] = set()
        self.open_steps: list[_OpenStep] = []
        self.subagents: list[Trajectory] = []
        # The step of each call, by its number.
        self._places: dict[int, _OpenStep] = {}
        # The response that made each call; a log may name it only when the call ends.
        self._responses = {
            event.number: event.response_id
            for event in events
            if isinstance(event, ToolCall) and event.response_id
        }
        for event in events:
            self._take(event)

    def begin(self, source: str, message: str = "") -> _OpenStep:
        """Begin a step."""
        step = _OpenStep(source, message)
        self.open_steps.append(step)
        return step

    def steps(self, ended_ms: int | None = None) -> list[Step]:
        """Return all steps, at least one, each with the time when it began.

        A request at the beginning has the first timestamp of the run, and a text at the
        end the last one.
        """
        if not self.open_steps:
            self.begin("system").facts.is_filler = True
        times = [self._began_ms(step) for step in self.open_steps]
        if self.open_steps[0].source == "user":
            times[0] = self._started_ms
        if self.open_steps[-1].has_message and times[-1] is None:
            times[-1] = ended_ms
        return [
            self._step(number, step, began)
            for number, (step, began) in enumerate(
                zip(self.open_steps, times, strict=True), 1
            )
        ]

    def _take(self, event: Event) -> None:
        match event:
            case Prompt():
                self.begin("user", event.text).facts.pictures = [
                    PictureFacts(image.media_type, image.size) for image in event.images
                ] or None
            case Incident():
                step = self.begin("system", event.message)
                step.facts.incident = IncidentFacts(
                    kind=event.kind,
                    status=event.status,
                    attempt=event.attempt,
                    endpoint=event.endpoint,
                    is_resume=event.is_resume,
                    checkpoint_turn=event.checkpoint_turn,
                    details=raw(event.details) if event.details else NONE,
                    earlier=event.earlier,
                )
            case Thinking():
                step = self.begin("agent")
                step.reasoning = event.text
                step.facts.thinking_started_ms = event.started_ms
                step.facts.thinking_ended_ms = event.ended_ms
            case Segment():
                step = self._current()
                if step.has_message or step.calls:
                    step = self.begin("agent")
                step.message, step.has_message = event.text, True
                step.facts.is_halved = event.is_halved
            case ToolCall():
                self._add_call(event)

    def _current(self) -> _OpenStep:
        """Return the last step if it is the agent's, else a new one."""
        if self.open_steps and self.open_steps[-1].source == "agent":
            return self.open_steps[-1]
        return self.begin("agent")

    def _add_call(self, call: ToolCall) -> None:
        step = self._places.get(call.number)
        if step is None:
            step = self._current()
            response = self._responses.get(call.number, "")
            if not step.is_of(response):
                step = self.begin("agent")
            step.responses.add(response)
            self._places[call.number] = step
        known = step.calls.get(call.number)
        if known is None:
            step.order.append(call.number)
        is_again = call.is_repeated and known is not None
        step.calls[call.number] = updated(known, call) if is_again and known else call
        if call.outcome is not None and call.number not in step.ended:
            step.ended[call.number] = None
            # It may belong to an earlier step.
            self.open_steps[-1].order.append(-call.number)

    def _began_ms(self, step: _OpenStep) -> int | None:
        """Return when the reasoning of a step began, or else its first call."""
        since_start = step.facts.thinking_started_ms
        if since_start is not None and self._started_ms is not None:
            return self._started_ms + since_start
        calls = (call.started_ms for call in step.calls.values())
        return next((began for began in calls if began is not None), None)

    def _step(self, number: int, step: _OpenStep, began_ms: int | None) -> Step:
        """Return a step as it is in the document."""
        usual = [*step.calls, *(-number for number in step.ended)]
        step.facts.order = None if step.order == usual else step.order
        ids = {call.number: self._id(call) for call in step.calls.values()}
        subagents = {
            number: self._subagent(call, ids[number])
            for number, call in step.calls.items()
            if call.steps
        }
        results = [
            _result(step.calls[number], ids[number], subagents.get(number, ""))
            for number in step.ended
        ]
        found = [result for result in results if result is not None]
        calls = [_call(call, ids[number]) for number, call in step.calls.items()]
        return Step(
            number,
            step.source,
            timestamp=timestamp(began_ms),
            message=raw(step.message),
            reasoning_content=step.reasoning,
            tool_calls=calls or None,
            observation=Observation(found) if found else None,
            extra=extra_of(step.facts),
        )

    def _id(self, call: ToolCall) -> str:
        """Return an id that no other call of the document has."""
        id, number = call.id, call.number
        while not id or id in self._ids:
            id = f"call-{number}"
            number += 1
        self._ids.add(id)
        return id

    def _subagent(self, call: ToolCall, id: str) -> str:
        """Add the trajectory of the subagent that a call ran, and return its id."""
        writer = _StepWriter(self._agent, None, call.steps or [])
        trajectory = Trajectory(
            schema_version=VERSION,
            trajectory_id=id,
            agent=self._agent,
            steps=writer.steps(),
            subagent_trajectories=writer.subagents or None,
        )
        self.subagents.append(trajectory)
        return id


def _call(call: ToolCall, id: str) -> Call:
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


def _result(call: ToolCall, id: str, subagent: str) -> ObservationResult | None:
    """Return the result of a call; None if it did not end.

    `subagent` is the id of the trajectory of the subagent that it ran, if any.
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
    # A shorter text may occur twice.
    if not isinstance(output, dict) or len(text) < 40:
        return OutputFacts(raw(output))
    same = [name for name, value in output.items() if value == text]
    # Their places among the members are kept.
    return OutputFacts(raw(output | dict.fromkeys(same)), same or None)
