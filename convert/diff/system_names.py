"""Numbers for what the system made, where a run has several: `<tmp 1>`, `<tmp 2>`.

Calls are compared with marks that are all alike, so a number only shows which value a
mark stands for. Values that belong together have one number in both runs.
"""

from __future__ import annotations

import itertools
import marshal
import re
from collections.abc import Iterable, Iterator, Set
from typing import Any

from convert.diff.run_made import with_strings
from convert.diff.trajectory import Trajectory
from convert.diff.value_pairs import ValuePairs
from convert.diff.values import SYSTEM_SHAPES, Shape, Value
from convert.wording.compiled import compiled

# The marks of the values that go by one, in either run.
Marks = dict[Value, str]

NUMBERED = rf"<({'|'.join(sorted(SYSTEM_SHAPES))}) [1-9][0-9]*>"
_MARK = "|".join(f"<{shape}>" for shape in sorted(SYSTEM_SHAPES))


def number_values(a: Trajectory, b: Trajectory, pairs: ValuePairs) -> None:
    """Number what the system made in the arguments that reports show."""
    made = [list(dict.fromkeys(_values(run))) for run in (a, b)]
    for shape in sorted(SYSTEM_SHAPES):
        ones, others = (
            [value for value in run if value.shape == shape] for run in made
        )
        if max(len(ones), len(others)) > 1:
            partners = {pair.b: pair.a for pair in pairs.pairs if pair.rule == shape}
            a.marks |= _numbered(ones, {})
            marks = {one.text: mark for one, mark in a.marks.items()}
            known = {
                other: marks[partner]
                for other in others
                if (partner := partners.get(other.text, other.text)) in marks
            }
            b.marks |= _numbered(others, known)
    for run in (a, b):
        if run.marks:
            _show(run)


def _numbered(values: list[Value], known: Marks) -> Marks:
    """Return a mark for each value: the known one, or the first that is free."""
    numbers = itertools.count(1)
    taken = set(known.values())
    marks: Marks = {}
    for value in values:
        free = (f"<{value.shape} {number}>" for number in numbers)
        marks[value] = known.get(value) or next(m for m in free if m not in taken)
    return marks


def _show(run: Trajectory) -> None:
    for call in run.all_calls:
        if call.system_values:
            shown = with_marks(call.arguments, call.system_values, run.marks)
            call.show(marshal.dumps(shown, 2))


def _values(run: Trajectory) -> Iterator[Value]:
    for call in run.all_calls:
        yield from call.system_values


def without_system_marks(text: str, known: Set[str]) -> tuple[str, list[Value]]:
    """Return a text whose known marks have no numbers, and what they stand for."""
    values: list[Value] = []

    def bare(match: re.Match[str]) -> str:
        if match[0] not in known:
            return match[0]
        values.append(_value(match))
        return f"<{match[1]}>"

    return compiled(NUMBERED).sub(bare, text), values


def _value(match: re.Match[str]) -> Value:
    shape: Shape = match[1]  # type: ignore[assignment]
    return Value(shape, match[0])


def with_marks(value: Any, values: Iterable[Value], marks: Marks) -> Any:
    """Return a value of JSON whose marks have numbers, in the order of `values`.

    A text that holds what looks like a mark stays as it is.
    """
    waiting = list(values)
    count = 0

    def counted(text: str) -> str:
        nonlocal count
        count += len(compiled(_MARK).findall(text))
        return text

    def numbered(match: re.Match[str]) -> str:
        return marks.get(waiting.pop(0), match[0])

    with_strings(value, counted)
    if count != len(waiting):
        return value
    return with_strings(value, lambda text: compiled(_MARK).sub(numbered, text))
