"""Tests that go through lists, such as every kind of damage with every log.

Setting up and reporting a test takes longer than most checks of one value, so many
values are one test. A failure names its values, and all others that fail.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from support.golden import identify

# Set once, before the tests are imported.
is_exhaustive = False

# As many values of a list are one test.
_MANY = 50
_LONGEST_NAME = 200
# As many combinations are tried with `-m exhaustive`, next to the diagonal.
_MOST = 100
# The share of the values of a test that it may reject.
_MOST_REJECTED = 0.75

Test = Callable[..., None]
Cell = dict[str, Any]


def each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with each of these values, or of these tuples for several names."""
    if isinstance(names, str):
        return _in_groups([{names: value} for value in values])
    return _in_groups([dict(zip(names, row, strict=True)) for row in values])


def part(values: Iterable[Any], of: int, of_more: int = 1) -> list[Any]:
    """Return every so-many-th value; with `pytest -m exhaustive` more, mostly all."""
    return [*values][:: of_more if is_exhaustive else of]


def matrix(
    times: int = 1,
    indirect: Collection[str] = (),
    **axes: Collection[Any],
) -> Callable[[Test], Test]:
    """Run a test with combinations of these values.

    By default they form a diagonal, in which each value of each axis occurs; `times`
    makes it longer. With `pytest -m exhaustive` they are all combinations, or about
    `_MOST` of them spread evenly where there are more. Fixtures get the values of
    `indirect`.
    """
    sizes = [len(axis) for axis in axes.values()]
    if is_exhaustive:
        # The diagonal has each value, and a step that divides no axis all pairs.
        all_places = itertools.product(*map(range, sizes))
        step = _step(sizes)
        places = sorted(
            {*_diagonal(sizes, times), *itertools.islice(all_places, 0, None, step)}
        )
    else:
        places = sorted(set(_diagonal(sizes, times)))
    lists = {name: list(axis) for name, axis in axes.items()}
    cells = [
        {name: lists[name][at] for name, at in zip(axes, place, strict=True)}
        for place in places
    ]
    return _in_groups(cells, tuple(indirect), (pytest.mark.exhaustive,))


def _step(sizes: list[int]) -> int:
    """Return the least step that leaves `_MOST` combinations and divides no axis."""
    combinations = math.prod(sizes)
    step = max(1, math.ceil(combinations / _MOST))
    while math.gcd(step, combinations) > 1:
        step += 1
    return step


class _RejectedError(Exception):
    """A value that a test is not about."""


def reject() -> NoReturn:
    """Skip a value that the test is not about; of its list, some must be left."""
    raise _RejectedError


def _diagonal(sizes: list[int], times: int) -> Iterator[tuple[int, ...]]:
    """Walk along the longest axis, and count through the others meanwhile."""
    longest = max(sizes)
    main = sizes.index(longest)
    for step in range(times * longest):
        count = step + step // longest
        place = []
        for axis, size in enumerate(sizes):
            if axis == main:
                place.append(step % longest)
            else:
                place.append(count % size)
                count //= size
        yield tuple(place)


def _in_groups(
    cells: list[Cell],
    indirect: tuple[str, ...] = (),
    marks: tuple[pytest.MarkDecorator, ...] = (),
) -> Callable[[Test], Test]:
    """Parametrise a test with groups of cells that have their fixtures in common."""
    alike = defaultdict(list)
    for cell in cells:
        alike[tuple(cell.pop(name) for name in indirect)].append(cell)
    groups = [
        pytest.param(group, *common, marks=marks)
        for common, those in alike.items()
        for group in _samples(those)
    ]
    parametrised = pytest.mark.parametrize(
        ("cells", *indirect), groups, indirect=[*indirect]
    )
    return lambda test: parametrised(_together(test, set(cells[0])))


def _samples(cells: list[Cell]) -> list[list[Cell]]:
    """Return groups that each have something of all parts of a list."""
    number = -(-len(cells) // _MANY)
    return [cells[at::number] for at in range(number)]


def _together(test: Test, names: set[str]) -> Test:
    """Return a test of a group of cells that is made of a test of one cell."""

    @functools.wraps(test)
    def run(cells: list[Cell], **fixtures: Any) -> None:
        failed = {}
        rejected = 0
        for cell in cells:
            try:
                test(**cell, **fixtures)
            except _RejectedError:
                rejected += 1
            except (Exception, pytest.fail.Exception) as error:
                failed[_name(cell)] = error
        if failed:
            first, *others = failed
            failed[first].add_note("\n".join([f"with {first}", *_also(others)]))
            raise failed[first]
        assert rejected <= _MOST_REJECTED * len(cells), f"rejects {rejected} values"

    signature = inspect.signature(test)
    fixtures = [it for name, it in signature.parameters.items() if name not in names]
    cells = inspect.Parameter("cells", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__signature__ = signature.replace(parameters=[cells, *fixtures])  # type: ignore[attr-defined]
    return run


def _also(names: list[str]) -> list[str]:
    return [f"fails as well with {name}" for name in names]


def _name(cell: Cell) -> str:
    return ", ".join(_shown(value) for value in cell.values())


def _shown(value: Any) -> str:
    if type(value) is tuple:
        return ", ".join(map(_shown, value))
    return identify(value) if isinstance(value, Path) else f"{value}"[:_LONGEST_NAME]
