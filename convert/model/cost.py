"""The cost of a run in US dollars, as its log records it; none is estimated.

It is a decimal number, so that sums and differences have no binary fractions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

# More dollars than any run costs.
_BEYOND_BELIEF = 10**9
# A program that adds up binary fractions records 0.30000000000000004.
_DIGITS = 12
_FRACTION = Decimal(1).scaleb(-_DIGITS)
# How many sessions are told apart: memory must not grow with the log.
_MOST_SESSIONS = 1000
# A smaller cost has two digits that count.
_SHOWN_IN_CENTS = Decimal("0.1")


def recorded_cost(value: Any) -> Decimal | None:
    """Return a number of dollars; None if it is none, negative or beyond belief."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value < _BEYOND_BELIEF:
        return None
    return Decimal(repr(value)).quantize(_FRACTION).normalize()


def total_cost(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Return the sum of the costs that are recorded; None if none is."""
    recorded = [cost for cost in costs if cost is not None]
    return sum(recorded, Decimal()) if recorded else None


class _Sums(Struct, frozen=True):
    """The cost of a process so far, in total and by model."""

    total: Decimal
    by_model: Mapping[str, Decimal]


class ProcessCosts:
    """The costs of single runs, from sums that go on over the runs of a process.

    A new session begins again, and so does a sum that is smaller than the one before.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, _Sums] = OrderedDict()

    def of_run(
        self, session: str, total: Decimal | None, by_model: Mapping[str, Decimal]
    ) -> Decimal | None:
        """Return the cost of a run that ends with these sums.

        Without a total, it is that of all models. None if neither is recorded.
        """
        if total is None:
            total = total_cost(by_model.values())
        if total is None:
            return None
        sums = _Sums(total, by_model)
        before = self._replace(session, sums)
        if before is None or _begins_again(before, sums):
            return total
        return total - before.total

    def so_far(self, session: str, cost: Decimal) -> Decimal:
        """Return the sum of a process with a run of this cost, to be written."""
        before = self._last.get(session)
        total = cost + before.total if before else cost
        self._replace(session, _Sums(total, {}))
        return total

    def _replace(self, session: str, sums: _Sums) -> _Sums | None:
        """Keep the sums of a session; return those before."""
        before = self._last.pop(session, None)
        self._last[session] = sums
        if len(self._last) > _MOST_SESSIONS:
            self._last.popitem(last=False)
        return before


def _begins_again(before: _Sums, sums: _Sums) -> bool:
    """Return True if sums are of another process than those before them.

    One of them is smaller, or lacks a model.
    """
    if sums.total < before.total:
        return True
    return bool(sums.by_model) and any(
        sums.by_model.get(model, -1) < cost for model, cost in before.by_model.items()
    )


def json_number(cost: Decimal) -> int | float:
    """Return a cost as a number of JSON."""
    return int(cost) if cost == cost.to_integral_value() else float(cost)


def fractions_of(cost: Decimal) -> int:
    """Return a cost as a whole number of its smallest fractions."""
    return int(cost.scaleb(_DIGITS))


def cost_of_fractions(fractions: int) -> Decimal:
    """Return the cost that so many fractions make."""
    return Decimal(fractions).scaleb(-_DIGITS).normalize()


def dollars(cost: Decimal) -> str:
    """Write a cost for people: `$0.42`, `$1,204.50`, `$0.0036`."""
    if not cost:
        return "$0"
    digits = 2 if abs(cost) >= _SHOWN_IN_CENTS else 1 - cost.adjusted()
    sign = "-" if cost < 0 else ""
    return f"{sign}${abs(cost):,.{digits}f}"


def cost_in_words(cost: Decimal, by: str) -> str:
    """Write a cost and who reports it."""
    return f"{dollars(cost)}, {reporter_in_words(by)}"


def reporter_in_words(by: str) -> str:
    """Write who reports a cost; the log does if it does not say."""
    return f"as {by} reports it" if by else "as the log records it"
