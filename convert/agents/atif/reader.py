"""The events of a run, from its document and the steps in it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

import msgspec

from convert.agents.atif.calls import EndedCall, calls_of, lost_results
from convert.agents.atif.document import (
    UNKNOWN,
    Document,
    FinalMetrics,
    ResultFacts,
    RunFacts,
    Step,
    StepFacts,
    facts_of_run,
    facts_of_step,
    member_value,
    name_for_people,
    prompt_of,
    text_of,
)
from convert.agents.lines import milliseconds_of, read_events
from convert.agents.tool_names import call_of
from convert.errors import NoEventsError, Warn
from convert.facts import ends_in_open_call
from convert.facts.run_reasons import set_reason_kind
from convert.model.events import (
    EVERYTHING,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Image,
    Incident,
    Needs,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    Tokens,
    ToolCall,
)
from convert.model.run import recorded_cost, total_cost
from convert.options.conversion import Reading
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import Decoding, EventBlock
from convert.wording.escapes import repair_surrogates


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read documents, over many lines or one to a line, each as a run."""
    return read_events(blocks, _decoding, _follow, needs, reading, warn)


_VERSION = re.compile(r"ATIF-v(\d{1,9})\.(\d{1,9})")


def _decoding(needs: Needs) -> Decoding[Document]:
    """Return how documents are decoded, whatever is needed of them."""
    decoder = msgspec.json.Decoder(Document)
    has_values = bool(needs.calls)
    return Decoding(
        Document, decoder, text_member="schema_version", has_values=has_values
    )


def _follow(
    blocks: Iterable[EventBlock[Document]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of all documents; each is a run."""
    unknown = UnknownTypes()
    last = count = 0
    for block in blocks:
        for document, line in zip(block.events, block.numbers, strict=True):
            version = _VERSION.match(document.schema_version)
            # The newest version that is understood is 1.8.
            if version is None or (int(version[1]), int(version[2])) > (1, 8):
                unknown.add(document.schema_version)
            count += 1
            yield from _run(document, count, line, needs, unknown)
        last = block.last
    if not count:
        raise NoEventsError("no whole document; get the whole log")
    yield EndOfLog(run=0, line=last, unknown=unknown.counts)


def _run(
    document: Document, number: int, line: int, needs: Needs, unknown: UnknownTypes
) -> Iterator[Event]:
    """Yield the events of one run."""
    kept = facts_of_run(document.extra)
    facts = kept or _foreign_facts(document)
    yield _start(document, facts, number, line)
    steps = StepReader(document, number, line, needs, unknown, is_ours=kept is not None)
    steps.first_ms = facts.started_ms
    yield from steps.events()
    if facts.result and (needs.result or needs.text or needs.figures):
        yield _result(facts.result, document, number, line)
    end = End(
        run=number,
        line=line,
        state=facts.state,
        reason=facts.reason,
        last_words=facts.last_words,
        reason_kind=facts.reason_kind,
        interrupted=facts.interrupted,
        request_id=facts.request_id,
        started_ms=facts.started_ms,
        ended_ms=facts.ended_ms,
        span_ms=facts.span_ms,
        ends_in_call=ends_in_open_call(steps.tools_at_end, facts.state),
    )
    yield end if end.reason_kind else set_reason_kind(end)


def _foreign_facts(document: Document) -> RunFacts:
    """Return the facts of a run by another writer, which does not say how it ended."""
    facts = RunFacts()
    match member_value(document.agent.extra):
        # Harbor keeps the directory here.
        case {"cwd": str(directory)} | {"cwds": [str(directory)]}:
            facts.directory = directory
    steps = _steps_of(document)
    times = [milliseconds_of(step.timestamp) for step in steps]
    known = [time for time in times if time is not None]
    if known:
        facts.started_ms, facts.ended_ms = known[0], known[-1]
        facts.span_ms = max(known[-1] - known[0], 0)
    tokens = _tokens(document.final_metrics) or _tokens(_metrics_of_steps(document))
    if tokens is not None or _cost(document) is not None:
        facts.result = ResultFacts(duration_ms=facts.span_ms, tokens=tokens)
    return facts


def _tokens(metrics: FinalMetrics | None) -> Tokens | None:
    """Return the tokens of a run; a cache is part of the prompt in the document."""
    if metrics is None:
        return None
    prompt, cached = metrics.total_prompt_tokens, metrics.total_cached_tokens
    written = None
    match member_value(metrics.extra):
        case {"total_cache_creation_input_tokens": int(count)}:
            written = count
    if prompt is not None:
        rest = prompt - (cached or 0) - (written or 0)
        prompt = rest if rest >= 0 else prompt
    tokens = Tokens(
        *(
            None if count is None else int(count)
            for count in (prompt, metrics.total_completion_tokens, cached, written)
        )
    )
    return None if tokens == Tokens() else tokens


def _metrics_of_steps(document: Document) -> FinalMetrics:
    """Return the tokens of all responses together."""
    each = [step.metrics for step in _steps_of(document) if step.metrics is not None]
    return FinalMetrics(
        total_prompt_tokens=_sum(it.prompt_tokens for it in each),
        total_completion_tokens=_sum(it.completion_tokens for it in each),
        total_cached_tokens=_sum(it.cached_tokens for it in each),
    )


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _cost(document: Document) -> Decimal | None:
    """Return the cost of a run: in total, else that of all its responses."""
    metrics = document.final_metrics
    total = recorded_cost(metrics.total_cost_usd) if metrics else None
    if total is not None:
        return total
    return total_cost(
        recorded_cost(step.metrics.cost_usd)
        for step in _steps_of(document)
        if step.metrics is not None
    )


def _start(document: Document, facts: RunFacts, number: int, line: int) -> Start:
    agent = document.agent
    models = [step.model_name for step in _steps_of(document) if step.model_name]
    version = agent.version
    return Start(
        run=number,
        line=line,
        session=repair_surrogates(document.session_id or document.trajectory_id or ""),
        directory=facts.directory,
        model=agent.model_name or (models[0] if models else ""),
        permission_mode=facts.permission_mode,
        agent=name_for_people(agent.name),
        agent_version="" if version == UNKNOWN else version,
        started_ms=facts.started_ms,
        level=facts.level,
        has_outputs=facts.has_outputs,
    )


def _result(facts: ResultFacts, document: Document, number: int, line: int) -> Result:
    text, steps = facts.text, _steps_of(document)
    if facts.is_all_text:
        text = "".join(
            text_of(each.message) for each in steps if each.source == "agent"
        )
    elif text is None:
        said = (each for each in steps if facts_of_step(each.extra).is_result)
        text = next((text_of(each.message) for each in said), None)
    return Result(
        run=number,
        line=line,
        text=text,
        is_error=facts.is_error,
        duration_ms=facts.duration_ms,
        tokens=facts.tokens,
        turns=facts.turns,
        cost_usd=_cost(document),
        cost_by=facts.cost_by,
    )


def _steps_of(document: Document) -> list[Step]:
    """Return the steps of a run, without those that repeat an earlier run."""
    return [step for step in document.steps or () if not step.is_copied_context]


class StepReader:
    """Reads the steps of a run, or of a subagent, whose events have the run 0."""

    def __init__(
        self,
        document: Document,
        run: int,
        line: int,
        needs: Needs,
        unknown: UnknownTypes,
        *,
        is_ours: bool,
    ) -> None:
        self.first_ms: int | None = None
        # The tools of the calls that no text follows.
        self.tools_at_end: set[str] = set()
        self._document = document
        self._run, self._line = run, line
        self._needs = needs
        self._unknown = unknown
        self._is_ours = is_ours
        self._text: list[str] = []
        self._calls = 0
        self._referred: set[str] = set()
        # The calls that have not ended yet, by their numbers.
        self._open: dict[int, ToolCall] = {}

    def events(self) -> Iterator[Event]:
        """Yield the events of all steps."""
        steps = _steps_of(self._document)
        for step in steps:
            facts = facts_of_step(step.extra)
            match step.source:
                case "user":
                    yield from self._prompt(step, facts)
                    yield from self._step_calls(step, facts, is_last=False)
                case "agent":
                    yield from self._response(step, facts, is_last=step is steps[-1])
                case "system":
                    yield from self._system(step, facts)
                case source:
                    self._unknown.add(f"step/{source}")
        yield from self._segment()
        yield from self._open.values()
        for inner in self._document.subagent_trajectories or ():
            if inner.trajectory_id not in self._referred:
                self._unknown.add("trajectory of no call")

    def _prompt(self, step: Step, facts: StepFacts) -> Iterator[Event]:
        yield from self._segment()
        if self._needs.text:
            text, images = prompt_of(step.message)
            if facts.pictures:
                images = [Image(each.media_type, each.size) for each in facts.pictures]
            yield Prompt(run=self._run, line=self._line, text=text, images=images)

    def _system(self, step: Step, facts: StepFacts) -> Iterator[Event]:
        """Yield the incident of a step; a system prompt is none."""
        if facts.incident is not None:
            yield from self._segment()
            incident = facts.incident
            yield Incident(
                run=self._run,
                line=self._line,
                kind=incident.kind,
                message=text_of(step.message),
                status=incident.status,
                attempt=incident.attempt,
                endpoint=incident.endpoint,
                is_resume=incident.is_resume,
                checkpoint_turn=incident.checkpoint_turn,
                details=member_value(incident.details) or {},
                earlier=incident.earlier,
            )
            yield from self._step_calls(step, facts, is_last=False)
        elif step.results:
            self._unknown.add("result of no call")

    def _response(
        self, step: Step, facts: StepFacts, *, is_last: bool
    ) -> Iterator[Event]:
        if step.reasoning_content:
            yield from self._segment()
            if self._needs.thinking:
                yield Thinking(
                    run=self._run,
                    line=self._line,
                    text=repair_surrogates(step.reasoning_content),
                    started_ms=facts.thinking_started_ms,
                    ended_ms=facts.thinking_ended_ms,
                )
        if not facts.is_result and text_of(step.message).strip():
            self.tools_at_end.clear()
        if self._needs.text and not facts.is_result:
            self._text.append(text_of(step.message))
            if self._is_ours:
                yield from self._segment(is_halved=facts.is_halved)
        if step.tool_calls or facts.order:
            yield from self._segment()
            yield from self._step_calls(step, facts, is_last)
        elif step.results:
            self._unknown.add("result of no call")

    def _segment(self, *, is_halved: bool = False) -> Iterator[Event]:
        """Yield the text since the last call, in which each step is a response."""
        text = "".join(self._text)
        self._text.clear()
        if text:
            segment = Segment(run=self._run, line=self._line, text=text)
            segment.is_halved = is_halved
            yield segment

    def _step_calls(
        self, step: Step, facts: StepFacts, is_last: bool
    ) -> Iterator[Event]:
        """Yield the calls of a step, and those of earlier steps that end during it."""
        if not self._needs.calls:
            natives = [call_of(call.function_name) for call in step.tool_calls or ()]
            self.tools_at_end.update(native.name or native.kind for native in natives)
            return
        agent = self._document.agent.name
        for _ in range(lost_results(step)):
            self._unknown.add("result of no call")
        found = [*calls_of(step, agent, is_last, self._needs)]
        began = milliseconds_of(step.timestamp) if found else None
        calls = [self._call(ended, began) for ended in found]
        is_begun = self._needs.calls == CallDetail.EVERYTHING
        if self._run == 0 or (len(calls) == 1 and facts.order is None and not is_begun):
            yield from calls
            return
        waiting = {call.number: call for call in calls}
        # Usually, all calls of a step begin before one ends.
        ends = sorted(zip(calls, found, strict=True), key=lambda pair: pair[1].place)
        usual = [*(call.number for call in calls), *(-call.number for call, _ in ends)]
        for number in facts.order or usual:
            if call := waiting.pop(number, None):
                yield from self._begun(call)
            elif call := self._open.pop(-number, None):
                yield call
        for call in waiting.values():
            yield from self._begun(call)

    def _begun(self, call: ToolCall) -> Iterator[ToolCall]:
        """Yield a call as it was when it began, if that is needed."""
        self._open[call.number] = call
        if self._needs.calls == CallDetail.EVERYTHING:
            yield msgspec.structs.replace(
                call,
                outcome=None,
                arm="",
                output=None,
                steps=None,
                duration_ms=None,
                is_new_file=False,
            )

    def _call(self, ended: EndedCall, began: int | None) -> ToolCall:
        facts, result = ended.facts, ended.result
        self._calls += 1
        self._referred.update(ended.references)
        call = ToolCall(
            run=self._run,
            line=self._line,
            number=self._calls,
            id=ended.id,
            kind=ended.call.kind,
            name=ended.call.name,
            native=ended.call.native,
            arguments=ended.call.arguments,
            outcome=result.outcome,
            arm=result.arm,
            is_new_file=result.is_new_file,
            about=facts.about,
            started_line=self._line,
        )
        if not facts.parent:
            self.tools_at_end.add(call.name or call.kind)
        call.parent = facts.parent
        if self._needs.calls >= CallDetail.ARGUMENTS:
            call.response_id = facts.response_id
            call.started_ms = facts.started_ms
            call.since_start_ms = facts.since_start_ms
            if facts.status is None and began is not None:
                call.started_ms = began
                call.since_start_ms = max(began - (self.first_ms or began), 0)
        if self._needs.calls == CallDetail.EVERYTHING:
            call.output, call.duration_ms = result.output, result.duration_ms
            call.ended_ms, call.longest_ms = facts.ended_ms, facts.longest_ms
            call.ended_since_start_ms = facts.ended_since_start_ms
            call.steps = [] if facts.has_no_steps else self._subagent(ended)
        return call

    def _subagent(self, ended: EndedCall) -> list[Event] | None:
        """Return the events of the subagent of a call; None for any other call."""
        readers = [
            StepReader(
                document,
                0,
                self._line,
                EVERYTHING,
                self._unknown,
                is_ours=self._is_ours,
            )
            for document in self._document.subagent_trajectories or ()
            if document.trajectory_id and document.trajectory_id in ended.references
        ]
        if not readers:
            return None
        events = itertools.chain.from_iterable(reader.events() for reader in readers)
        return [event for event in events if not isinstance(event, Prompt)]
