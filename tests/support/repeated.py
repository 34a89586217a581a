"""Repeated runs of one task, made up, and what a comparison of them shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from convert.diff import Settings, Side, read_side
from convert.diff.reports.appearance import Look
from convert.options import Reading
from convert.suite.repeated_pairs import RepeatedRun
from convert.suite.repeated_runs import RepeatedComparison, compare_repeated
from convert.suite.reports.repeated_words import headline, rows
from convert.suite.results import CaseResult
from support.runs import Made, Noise, one_by_one, tell

CALLS = (Made("read", "a.py"), Made("edit", "a.py"), Made("shell", "a.py"))


class Told(NamedTuple):
    """One run, as a log tells it."""

    calls: Sequence[Made] = CALLS
    state: str = "success"
    """`success`, `error` or `cut`."""

    duration_ms: int = 20_000
    tokens: int | None = None
    text: str = "Done."


def log_of(told: Told, seed: int = 0) -> bytes:
    """Return the log of a run; the seed makes its ids."""
    lines = tell(one_by_one([*told.calls]), Noise(seed), told.text).splitlines()
    *others, result = map(json.loads, lines)
    for event in others:
        # The times that are made up for calls do not fit to one another.
        event.pop("timestamp_ms", None)
    if told.state == "cut":
        return b"".join(json.dumps(event).encode() + b"\n" for event in others)
    result |= {"duration_ms": told.duration_ms}
    if told.state == "error":
        result |= {"subtype": "error", "is_error": True}
    if told.tokens is not None:
        result["usage"] = {"inputTokens": told.tokens, "outputTokens": 0}
    return b"".join(json.dumps(event).encode() + b"\n" for event in [*others, result])


def side_of_log(log: bytes, settings: Settings | None = None) -> Side:
    """Read a log as one side of a comparison."""
    return read_side(
        [log], "auto", None, Reading(), settings or Settings(), lambda *_: None
    )


def runs_of(
    folder: str, told: Iterable[Told], settings: Settings | None = None
) -> list[RepeatedRun]:
    """Return runs as a comparison takes them, each with ids of its own."""
    return [
        RepeatedRun(
            f"{folder}/{number:02}.ndjson",
            side_of_log(log_of(each, hash_of(folder, number)), settings),
        )
        for number, each in enumerate(told, 1)
    ]


def hash_of(folder: str, number: int) -> int:
    """Return a number of its own for each run."""
    return number * 256 + sum(folder.encode()) % 256


def compared(a: Iterable[Told], b: Iterable[Told], **knobs: Any) -> RepeatedComparison:
    """Compare the runs of a baseline with those of a candidate."""
    settings = Settings(**knobs)
    sides = runs_of("a", a, settings), runs_of("b", b, settings)
    return compare_repeated(*sides, settings, Look())


def result_of(found: RepeatedComparison) -> CaseResult:
    """Return the result of a case, as far as words on repeated runs need it."""
    return CaseResult(
        name="case",
        fate=found.fate,
        severity=found.severity,
        is_different=found.is_different,
        findings=found.findings,
        repeated=found.repeated,
    )


def words_of(found: RepeatedComparison) -> list[str]:
    """Return what reports say of repeated runs, the headline first."""
    lines = [f"{heading}: {line}" for heading, line in rows(found.repeated)]
    return [headline(result_of(found), found.comparison.settings), *lines]
