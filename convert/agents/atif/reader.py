"""The events of a run, from its document."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

import msgspec

from convert.agents.atif.document import (
    UNKNOWN,
    Document,
    FinalMetrics,
    ResultFacts,
    RunFacts,
    facts_of_run,
    facts_of_step,
    member_value,
    name_for_people,
    text_of,
)
from convert.agents.atif.steps import StepReader, steps_of
from convert.agents.lines import milliseconds_of, read_events
from convert.errors import InputError, Warn
from convert.facts import ends_in_open_call
from convert.facts.run_reasons import set_reason_kind
from convert.model.cost import recorded_cost, total_cost
from convert.model.events import End, EndOfLog, Event, Result, Start, Tokens
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.ndjson import Decoding, EventBlock
from convert.source.unknown_types import UnknownTypes
from convert.wording.escapes import repair_surrogates


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read documents, over many lines or one to a line, each as a run."""
    return read_events(blocks, decoding, follow, needs, reading, warn)


_DECODER = msgspec.json.Decoder(Document)
_VERSION = re.compile(r"ATIF-v(\d{1,9})\.(\d{1,9})")
# The newest version that is understood.
_NEWEST = (1, 8)


def decoding(needs: Needs) -> Decoding[Document]:
    """Return how documents are decoded, whatever is needed of them."""
    return Decoding(
        Document, _DECODER, text_member="schema_version", has_values=bool(needs.calls)
    )


def follow(
    blocks: Iterable[EventBlock[Document]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of all documents; each is a run."""
    numbers = itertools.count(1)
    unknown = UnknownTypes()
    last = 0
    for block in blocks:
        for document, line in zip(block.events, block.numbers, strict=True):
            version = _VERSION.match(document.schema_version)
            if version is None or (int(version[1]), int(version[2])) > _NEWEST:
                unknown.add(document.schema_version)
            yield from _run(document, next(numbers), line, needs, unknown)
        last = block.last
    if next(numbers) == 1:
        raise InputError("no whole document; get the whole log")
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
    end = End(run=number, line=line, state=facts.state, reason=facts.reason)
    end.reason_kind = facts.reason_kind
    end.interrupted, end.request_id = facts.interrupted, facts.request_id
    end.started_ms, end.ended_ms = facts.started_ms, facts.ended_ms
    end.span_ms = facts.span_ms
    if not end.reason_kind:
        set_reason_kind(end)
    end.ends_in_call = ends_in_open_call(steps.tools_at_end, facts.state)
    yield end


def _foreign_facts(document: Document) -> RunFacts:
    """Return the facts of a run by another writer, which does not say how it ended."""
    facts = RunFacts()
    match member_value(document.agent.extra):
        # Harbor keeps the directory here.
        case {"cwd": str(directory)} | {"cwds": [str(directory)]}:
            facts.directory = directory
    steps = steps_of(document)
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
    each = [step.metrics for step in steps_of(document) if step.metrics is not None]
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
        for step in steps_of(document)
        if step.metrics is not None
    )


def _start(document: Document, facts: RunFacts, number: int, line: int) -> Start:
    agent = document.agent
    models = [step.model_name for step in steps_of(document) if step.model_name]
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
    text = facts.text
    if facts.is_all_text:
        text = "".join(
            text_of(step.message)
            for step in steps_of(document)
            if step.source == "agent"
        )
    if text is None:
        found = (
            text_of(step.message)
            for step in steps_of(document)
            if facts_of_step(step.extra).is_result
        )
        text = next(found, None)
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
