"""A run a line high: when it edited files and ran commands, and when these failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from convert.facts.spans import Span, union
from convert.facts.time_spent import TimedCall, clock_of, span_of

# A run has so many places, and what is in one of them is one mark.
_PLACES = 300


class Strip(Struct, frozen=True, kw_only=True):
    """When calls of a run were open, in milliseconds since its start."""

    edits: list[Span] = []
    commands: list[Span] = []
    failed: list[Span] = []
    """Failed calls, of any kind."""


def strip_of(calls: Sequence[tuple[TimedCall, bool]], length: int | None) -> Strip:
    """Return the strip of a run; each call comes with whether it failed.

    Nothing is on it if a call has no time.
    """
    if not (length and clock_of([call for call, _ in calls])):
        return Strip()
    spans = [
        (call.lane, has_failed, span_of(call, length)) for call, has_failed in calls
    ]
    well = [(lane, span) for lane, has_failed, span in spans if not has_failed]
    return Strip(
        edits=_marks((span for lane, span in well if lane == "edit"), length),
        commands=_marks((span for lane, span in well if lane == "run"), length),
        failed=_marks((span for _, has_failed, span in spans if has_failed), length),
    )


def _marks(spans: Iterable[Span], length: int) -> list[Span]:
    """Return spans with those joined that are in one place or in the next one."""
    place = max(length // _PLACES, 1)
    wide = union((begin, max(end, begin + place)) for begin, end in spans)
    return [(begin, min(end, length)) for begin, end in wide]


def path_of_strip(
    marks: Iterable[Span], longest: int, width: int, top: int, height: int
) -> str:
    """Return marks as the path of an SVG that is `width` wide for the longest run."""
    parts = []
    for begin, end in marks:
        x = width * begin / longest
        wide = max(width * (end - begin) / longest, 1)
        parts.append(f"M{x:.0f} {top}h{wide:.0f}v{height}h-{wide:.0f}z")
    return "".join(parts)
