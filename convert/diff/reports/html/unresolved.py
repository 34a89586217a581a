"""The failures of both runs that no later call recovered, beside the answers."""

from __future__ import annotations

from msgspec import Struct

from convert.diff.changes import RunComparison
from convert.diff.failed_calls import FailedCall
from convert.diff.reports.about import few
from convert.diff.reports.appearance import label
from convert.diff.reports.html.listed import Listed, groups
from convert.diff.reports.html.printed import printed_by
from convert.diff.reports.html.rows import PlaceOfRow, lines_in_words
from convert.wording.numbers import numbered
from convert.wording.sanitise import truncate

_LONGEST = 200
_MOST_NUMBERS = 10

Places = dict[int, PlaceOfRow]


class Unresolved(Struct, frozen=True):
    """The unresolved failures of a run."""

    name: str
    """`A` or `B`."""

    total: int
    groups: list[list[Listed]]
    """The failures, the same ones once and the last one first: in sight, and folded."""


def unresolved_of(run: RunComparison, places: Places) -> list[Unresolved]:
    """Return the unresolved failures of both runs; nothing if neither has any.

    `places` are the rows of calls, by the identity of these.
    """
    sides = [
        Unresolved(name, len(failures), groups(_listed(failures, name, places)))
        for name, side in (("A", run.a), ("B", run.b))
        if side is not None and side.figures.unresolved is not None
        for failures in [[each for each in side.failures if not each.resolved_by]]
    ]
    return sides if any(side.total for side in sides) else []


def _listed(failures: list[FailedCall], name: str, places: Places) -> list[Listed]:
    same: dict[tuple[str, str], list[FailedCall]] = {}
    for failure in reversed(failures):
        key = label(failure.call), _ending(failure)
        same.setdefault(key, []).append(failure)
    return [_item(group, name, places) for group in same.values()]


def _ending(failure: FailedCall) -> str:
    return failure.hidden or few(failure.call.outcome)


def _item(failures: list[FailedCall], name: str, places: Places) -> Listed:
    """Return failures that are the same, the last of which comes first."""
    call = failures[0].call
    place = places.get(id(call), PlaceOfRow("", str(call.number)))
    line = (call.line, None) if name == "A" else (None, call.line)
    return Listed(
        anchor=place.anchor,
        number=place.number,
        words=truncate(label(call), _LONGEST),
        ends=_ending(failures[0]),
        fate="worse",
        why=printed_by(call, failures[0].hidden).why,
        note=_times(failures, places),
        where=lines_in_words(*line),
    )


def _times(failures: list[FailedCall], places: Places) -> str:
    """Return how often it happened, and in which calls; empty for once."""
    total = len(failures)
    if total == 1:
        return ""
    named = [
        places[id(each.call)].number for each in failures if id(each.call) in places
    ]
    numbers = named[::-1][:_MOST_NUMBERS]
    return f"×{total:,}: {numbered('call', numbers, total)}"
