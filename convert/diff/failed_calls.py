"""The calls of a run that failed, and those that made them good."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.facts.figures import RunFigures


class FailedCall(Struct, frozen=True):
    """A call that failed, or that ended well although tests that it ran failed."""

    call: ComparedCall
    """The call."""

    hidden: str
    """How many tests failed in one that ended well; empty for any other."""

    resolved_by: ComparedCall | None
    """The call that made it good; None if it stays unresolved."""


def set_failures(calls: list[ComparedCall], figures: RunFigures) -> None:
    """Set how each of the calls went wrong, and of the steps inside them."""
    if not (classes := figures.classes):
        return
    for number, call in _by_number(calls):
        call.failure = classes.get(number)


def failed_calls(
    calls: list[ComparedCall], figures: RunFigures
) -> Iterator[FailedCall]:
    """Yield the failures among calls and those inside them, in their order."""
    resolved = figures.resolutions
    numbers = {*figures.unresolved_numbers(), *resolved}
    if not numbers:
        return
    named = dict(_by_number(calls))
    hidden = figures.hidden
    for number in sorted(numbers & named.keys(), key=_place):
        later = named.get(resolved.get(number, ""))
        yield FailedCall(named[number], hidden.get(number, ""), later)


def _by_number(
    calls: list[ComparedCall], above: str = ""
) -> Iterator[tuple[str, ComparedCall]]:
    """Yield calls and those inside them with their numbers: `5`, `5.2`."""
    for call in calls:
        number = f"{above}{call.number}"
        yield number, call
        yield from _by_number(call.children, f"{number}.")


def _place(number: str) -> list[int]:
    return [*map(int, number.split("."))]
