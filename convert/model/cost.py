"""The cost of a run in US dollars, as its log records it; none is estimated.

It is a decimal number, so that sums and differences have no binary fractions.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

# More dollars than any run costs.
_BEYOND_BELIEF = 10**9
# A program that adds up binary fractions records 0.30000000000000004.
_DIGITS = 12
_FRACTION = Decimal(1).scaleb(-_DIGITS)
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
