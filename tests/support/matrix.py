"""Tests that cross lists, such as every kind of damage with every log."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.golden import identify

# Set once, before the tests are imported.
is_exhaustive = False


def matrix(
    times: int = 1, indirect: Collection[str] = (), **axes: Collection[Any]
) -> pytest.MarkDecorator:
    """Parametrise a test with combinations of these values.

    By default they form a diagonal, in which each value of each axis occurs; `times`
    makes it longer. With `pytest -m exhaustive` they are all combinations.
    """
    sizes = [len(axis) for axis in axes.values()]
    if is_exhaustive:
        cells = list(itertools.product(*map(range, sizes)))
    else:
        cells = sorted(set(_diagonal(sizes, times)))
    lists = [list(axis) for axis in axes.values()]
    parameters = []
    for cell in cells:
        values = [values[at] for values, at in zip(lists, cell, strict=True)]
        name = "-".join(map(_name, values))
        parameters.append(pytest.param(*values, marks=pytest.mark.exhaustive, id=name))
    return pytest.mark.parametrize(list(axes), parameters, indirect=list(indirect))


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


def _name(value: Any) -> str:
    return identify(value) if isinstance(value, Path) else str(value)
