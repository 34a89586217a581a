"""trajectory: what a run did, as somebody approved it, to compare later runs with.

It is JSON for people to review: one line for each call, the same bytes for the same
run. Values that the run made stand in it as marks, and outputs, ids, clocks and
directories not at all.

layout   approved runs as bytes
parsing  bytes as approved runs, and the lines of their calls
events   the events of an approved run, for other formats
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.errors import NoResultError, Warn
from convert.model.events import EndOfLog, Event
from convert.model.needs import CallDetail, Needs
from convert.options import Options, Reading

if TYPE_CHECKING:
    from convert.diff.trajectory import Trajectory
    from convert.model.approved import ApprovedRun
    from convert.options.settings import Settings

# Members whose values are words of the format.
_KEYWORDS = frozenset(
    {"after", "around", "before", "call", "fragment", "kind", "level", "outcome"}
    | {"state", "status", "tool", "unit", "until"}
)


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read approved runs, each as the events that it stands for."""
    from convert.formats.trajectory.events import events_of
    from convert.formats.trajectory.parsing import parsed

    if not needs.approved:
        _warn_of_missing(needs, warn)
    data = b"".join(blocks)
    redacted = None
    if reading.redact:
        data, redacted = _redacted(data, reading)
    trajectory = parsed(data)
    for event in events_of(trajectory, needs):
        if isinstance(event, EndOfLog):
            event.redacted = redacted
        yield event


def _redacted(data: bytes, reading: Reading) -> tuple[bytes, dict[str, int]]:
    """Return a trajectory without secrets, and how many of each kind it held."""
    from convert.redact import Redactor
    from convert.redact.rewriting import Shape, rewrite

    shape = Shape(keywords=_KEYWORDS)
    redactor = Redactor(reading.redact_patterns, reading.known)
    # A secret that is found below is one above as well.
    rewrite(data, redactor, shape, None)
    redactor = Redactor(reading.redact_patterns, redactor.known)
    return rewrite(data, redactor, shape, None), dict(redactor.counts)


def _warn_of_missing(needs: Needs, warn: Warn) -> None:
    if needs.raw or needs.calls == CallDetail.EVERYTHING:
        warn(None, "a trajectory records no outputs, ids or times", "left out")
    elif needs.result:
        warn(None, "a trajectory records no ids or durations", "left out")


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write all runs of a log as one document, when it ends.

    Raises NoResultError for a run that did not succeed, unless `partial` asks for it.
    """
    from convert.diff.trajectory import collect
    from convert.options.settings import Settings

    settings = Settings(
        ignore_arg=options.ignore_arg,
        keep_arg=options.keep_arg,
        scrub=options.scrub,
        raw=options.raw,
    )
    runs = sorted(collect(events, settings), key=lambda run: run.run.number)
    yield document(runs, settings, is_partial=options.partial)


def document(
    runs: list[Trajectory], settings: Settings, *, is_partial: bool = False
) -> bytes:
    """Return the runs of a log as one document.

    Raises NoResultError for a run that did not succeed, unless `is_partial`.
    """
    from convert.diff.approved_settings import noise_of
    from convert.diff.approving import approved
    from convert.diff.setting_names import check_names
    from convert.formats.trajectory.layout import laid_out

    check_names(settings, runs)
    made_with = noise_of(settings)
    for run in runs:
        if run.approved is not None:
            made_with = run.approved.settings
    kept = [approved(run, settings) for run in runs]
    if not is_partial:
        _refuse_failures(kept)
    return laid_out(kept, made_with)


def _refuse_failures(runs: list[ApprovedRun]) -> None:
    """Raise NoResultError if a run is no example for others."""
    for number, run in enumerate(runs, 1):
        if run.state in (None, "success"):
            continue
        which = "the run" if len(runs) == 1 else f"run {number}"
        ended = {
            "error": "ended in an error",
            "cut": "breaks off before its result",
            "unfinished": "breaks off during a call",
        }[run.state]
        raise NoResultError(
            f"{which} {ended}, so it is no trajectory to approve;"
            " --partial writes it all the same"
        )
