"""What is told of a run besides: how long it took, what it used, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from convert.diff.trajectory import ComparedCall, Trajectory


class Facts(Struct, frozen=True):
    """The facts of some runs, summed up; None where none of them records it.

    `tokens` are input and output without cache, `retries` the calls that were made
    again after they had failed, `tools` the calls of each tool.
    """

    duration_ms: int | None = None
    tokens: int | None = None
    calls: int | None = None
    errors: int | None = None
    retries: int | None = None
    tools: dict[str, int] | None = None


def facts_of(runs: Iterable[Trajectory]) -> Facts:
    """The facts of some runs of a log."""
    runs = list(runs)
    results = [run.run.result for run in runs if run.run.result]
    used = [result.tokens for result in results if result.tokens]
    facts = Facts(
        duration_ms=_sum(result.duration_ms for result in results),
        tokens=_sum(_sum((tokens.input, tokens.output)) for tokens in used),
    )
    recorded = [run for run in runs if run.level == "calls"]
    if not recorded:
        return facts
    calls = [call for run in recorded for call in run.all_calls]
    tools = Counter(call.shown_tool for call in calls)
    return Facts(
        duration_ms=facts.duration_ms,
        tokens=facts.tokens,
        calls=len(calls),
        errors=sum(call.outcome != "ok" for call in calls),
        retries=sum(_retries(run.calls) for run in recorded),
        tools=dict(sorted(tools.items())),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    recorded = [number for number in numbers if number is not None]
    return sum(recorded) if recorded else None


def _retries(calls: list[ComparedCall]) -> int:
    """How many calls are the same as one before that failed at its last try."""
    outcomes: dict[bytes, str] = {}
    retries = 0
    for call in calls:
        retries += outcomes.get(call.keys.arguments, "ok") != "ok"
        outcomes[call.keys.arguments] = call.outcome
        retries += _retries(call.children)
    return retries
