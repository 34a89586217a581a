"""One log as a try at a case, small enough to hold thousands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec import Struct

from convert.model.cost import total_cost
from convert.model.events import ReasonKind, State
from convert.stats.summary import RunSummary
from convert.wording.paths import spelled


class Try(Struct, frozen=True, kw_only=True):
    """One log; a figure is None where the log does not record it."""

    log: str
    """The path of the log, as reports spell it."""

    inside: str
    """The path of the log in the folder of its version."""

    state: State | None = None
    """How its last run ended."""

    reason_kind: ReasonKind = ""
    """The kind of reason why it ended without success."""

    calls: int | None = None
    time_ms: int | None = None
    cost_usd: Decimal | None = None
    title: str = ""
    """Its first prompt, or the first line of it."""

    broken: str = ""
    """The reason why it does not count; "" if it does.

    It cannot be read to its end, or it is not the only log of its case.
    """

    is_copy: bool = False
    """Another log of the case lies beside it, as `tax.ndjson.gz` of `tax.ndjson`."""


def copy_of(made: Try) -> Try:
    """Return a log that is not the only one of its case, and so does not count."""
    reason = "logs of one case lie beside it; remove or rename all but one"
    return Try(log=made.log, inside=made.inside, broken=reason, is_copy=True)


def try_of(
    log: str,
    inside: str,
    runs: Sequence[RunSummary],
    broken: str = "",
    prompt: str = "",
) -> Try:
    """Return the runs of a log as one try; those of a broken log do not count.

    `prompt` is the first one where the runs have it redacted.
    """
    log = spelled(log)
    # A run that was cut ends with the log, after those that began later.
    runs = sorted(runs, key=lambda run: run.number)
    if broken or not runs:
        return Try(log=log, inside=inside, broken=broken or "no run in it")
    return Try(
        log=log,
        inside=inside,
        state=runs[-1].state,
        reason_kind=runs[-1].reason_kind,
        calls=_sum(run.figures.calls for run in runs),
        time_ms=_sum(run.length for run in runs),
        cost_usd=total_cost(run.figures.cost_usd for run in runs),
        title=prompt or runs[0].title,
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return a sum; None if one of the numbers is not recorded."""
    found = [*numbers]
    known = [number for number in found if number is not None]
    return sum(known) if len(known) == len(found) else None
