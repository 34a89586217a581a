"""Runs that make values, such as ids and ports, and use them in later calls."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from hypothesis import strategies as st

from support.runs import Made, Noise, one_by_one, tell


class Use(NamedTuple):
    """A call that has a value in its arguments."""

    tool: str
    value: int


class Errand(NamedTuple):
    """A run that makes some values and then uses them, by their numbers."""

    shapes: tuple[str, ...]
    """The shape of each value."""

    uses: tuple[Use, ...]
    told: tuple[int, ...]
    """The values that the answer names."""


def _uuid(dice: random.Random) -> str:
    return str(UUID(int=dice.getrandbits(128), version=4))


def _short_hash(dice: random.Random) -> str:
    return f"{dice.choice('abcdef')}{dice.randrange(10)}{dice.getrandbits(20):05x}"


def _hash(dice: random.Random) -> str:
    return f"a1{dice.getrandbits(152):038x}"


def _address(dice: random.Random) -> str:
    return f"http://localhost:{dice.randrange(2000, 65536)}/"


def _time(dice: random.Random) -> str:
    then = datetime.fromtimestamp(dice.randrange(10**9, 2 * 10**9), UTC)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


SHAPES: dict[str, Callable[[random.Random], str]] = {
    "uuid": _uuid,
    "short hash": _short_hash,
    "hash": _hash,
    "address": _address,
    "time": _time,
}


@st.composite
def errands(draw: st.DrawFn) -> Errand:
    shapes = draw(st.lists(st.sampled_from(sorted(SHAPES)), min_size=1, max_size=5))
    values = st.integers(0, len(shapes) - 1)
    uses = st.builds(Use, st.sampled_from(["shell", "mint"]), values)
    return Errand(
        tuple(shapes),
        tuple(draw(st.lists(uses, max_size=6))),
        tuple(draw(st.lists(values, max_size=3))),
    )


def names(errand: Errand, seed: int) -> list[str]:
    """Give each value of an errand a text of its own, which the seed decides."""
    dice = random.Random(seed)
    made: list[str] = []
    for shape in errand.shapes:
        name = SHAPES[shape](dice)
        while name in made:
            name = SHAPES[shape](dice)
        made.append(name)
    return made


def tell_errand(errand: Errand, made: list[str], used: list[str], seed: int) -> bytes:
    """Write the log of an errand: outputs show `made`, the agent writes `used`."""
    return tell_calls(errand, [*making(made), *using(errand, used)], used, seed)


def tell_calls(errand: Errand, calls: list[Made], told: list[str], seed: int) -> bytes:
    """Write the log of some calls of an errand, with the answer at the end."""
    answer = " and ".join(["Done", *(told[value] for value in errand.told)])
    return tell(one_by_one(calls), Noise(seed=seed), f"{answer}.")


def making(made: list[str]) -> list[Made]:
    """Return calls whose outputs show these values."""
    return [
        Made("shell", f"item {number}", success={"stdout": f"made {name} now\n"})
        for number, name in enumerate(made)
    ]


def using(errand: Errand, used: list[str]) -> list[Made]:
    """Return the calls of an errand that have values in their arguments."""
    return [Made(use.tool, f"use {used[use.value]} now") for use in errand.uses]
