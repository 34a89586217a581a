"""Suites of repeated runs, made up with a known change or none, and what is told of it.

A suite is one case with as many runs on either side. Runs of one version differ among
themselves: one in ten fails, three in ten look at another file first, two in ten run a
test twice, the final text has one of four wordings, and the time varies by a fifth.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from convert.suite.repeated import Repeated
from support.repeated import Told, compared
from support.runs import Made

CALLS = (
    Made("read", "a.py"),
    Made("read", "b.py"),
    Made("edit", "a.py"),
    Made("edit", "b.py"),
    Made("shell", "a.py"),
)
_TEXTS = (
    "Done.",
    "The prices are rounded now.",
    "I rounded the prices, and all tests pass.",
    "Prices have two places. The tests pass.",
)
SIZES = (4, 8, 16)


class Change(NamedTuple):
    """A change of the candidate, and how it is told."""

    words: str
    make: Callable[[Told, random.Random], Told]
    told_by: str
    """The category of the findings that decide then, or the figure that differs.

    Nothing where nothing has changed.
    """


def _less_success(run: Told, dice: random.Random) -> Told:
    """Let 6 of 10 runs succeed instead of 9 of 10."""
    is_lost = run.state == "success" and dice.random() < 1 / 3
    return run._replace(state="error") if is_lost else run


def _one_call_more(run: Told, dice: random.Random) -> Told:
    return run._replace(calls=(*run.calls, Made("shell", "c.py")))


def _other_order(run: Told, dice: random.Random) -> Told:
    at = run.calls.index(CALLS[2])
    before, one, other = run.calls[:at], run.calls[at], run.calls[at + 1]
    return run._replace(calls=(*before, other, one, *run.calls[at + 2 :]))


def _slower_tool(run: Told, dice: random.Random) -> Told:
    """Let a test take 6 s more, which is about 1.5 times the time of a run."""
    return run._replace(duration_ms=run.duration_ms + 10_000)


CHANGES = (
    Change("none", lambda run, dice: run, ""),
    Change("success rate 0.9 to 0.6", _less_success, "status"),
    Change("one call more", _one_call_more, "added"),
    Change("another order", _other_order, "moved"),
    Change("a slower tool", _slower_tool, "duration"),
)


class Verdict(NamedTuple):
    """The verdict on one suite."""

    is_different: bool
    """The command would exit with 1."""

    has_significant: bool
    """Some figure is called significant, or a loss or gain of successes is."""

    is_detected: bool
    """The change that was made is told: it decides, or its figure is significant."""


def simulate(change: Change, size: int, number: int, seed: int) -> Verdict:
    """Make up a suite, compare it, and return what is told."""
    dice = random.Random(f"{seed} {change.words} {size} {number}")
    a = [_run(dice) for _ in range(size)]
    b = [change.make(_run(dice), dice) for _ in range(size)]
    found = compared(a, b)
    significant = _significant(found.repeated)
    # A call that is added may be shown as another one, changed.
    categories = {each.category.replace("args", "added") for each in found.deciding}
    is_detected = change.told_by in {*categories, *significant}
    return Verdict(found.is_different, bool(significant), is_detected)


def counted(verdicts: Iterable[Verdict]) -> Counter[str]:
    """Return how many suites were told how."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        counts.update(name for name, is_so in verdict._asdict().items() if is_so)
    return counts


def _run(dice: random.Random) -> Told:
    calls = list(CALLS)
    if dice.random() < 0.3:
        calls.insert(0, Made("read", "c.py"))
    if dice.random() < 0.2:
        calls.append(CALLS[-1])
    return Told(
        calls=calls,
        state="success" if dice.random() < 0.9 else "error",
        duration_ms=round(20_000 * dice.lognormvariate(0, 0.2)),
        tokens=dice.randrange(900, 1100) * len(calls),
        text=dice.choice(_TEXTS),
    )


def _significant(repeated: Repeated) -> set[str]:
    """Return the names of the tests that are significant."""
    tests = {"success": repeated.success.test}
    tests |= {each.name.removesuffix("_ms"): each.test for each in repeated.measures}
    return {name for name, test in tests.items() if test and test.is_significant}
