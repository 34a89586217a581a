"""Compares the figures of all outputs of a log, and those of the raw log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from checks import outputs
from checks.outputs import Run

# These are counted from the raw log, or in the raw output: no calls is 0 there.
_COUNTED = ("raw log", "atif", "claude-stream", "stream-json")


def disagreements(log: bytes) -> list[str]:
    """Return the figures of a log on which two of its outputs disagree, in words."""
    by_output = outputs.figures_by_output(log)
    found: list[str] = []
    numbers = sorted({number for runs in by_output.values() for number in runs})
    for number in numbers:
        of_run = {it: runs[number] for it, runs in by_output.items() if number in runs}
        found += _unequal(of_run, f" of run {number}")
    totals = {it: _summed([*runs.values()]) for it, runs in by_output.items()}
    if not found or len(numbers) > 1:
        found += _unequal(totals | outputs.totals_by_output(log), "")
    return found


def _unequal(runs: Mapping[str, Run], where: str) -> Iterator[str]:
    """Yield the figures that are not the same in all outputs that have them."""
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    empty = set()
    for output, run in runs.items():
        for figure, value in outputs.with_derived(run).items():
            if output in _COUNTED and not value:
                empty.add(figure)
            else:
                values[figure][_written(value)].append(output)
    for figure, by_value in values.items():
        if figure in empty and not by_value.keys() & {"0", "nothing"}:
            by_value["nothing"] = [it for it in _COUNTED if it in runs]
        if len(by_value) > 1:
            told = [f"{value} in {', '.join(of)}" for value, of in by_value.items()]
            yield f"{figure}{where}: {'; '.join(told)}"


def _written(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, int | float | Decimal):
        return f"{Decimal(str(value)).normalize():f}"
    return str(value)


def _summed(runs: list[Run]) -> Run:
    """Return the sums of the recorded numbers; None if none is recorded."""
    total: Run = {}
    for run in runs:
        for figure, value in run.items():
            if isinstance(value, str):
                continue
            known = total.get(figure)
            number = None if value is None else Decimal(str(value))
            both = [it for it in (known, number) if it is not None]
            total[figure] = sum(both) if both else None
    return total
