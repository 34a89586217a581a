"""Comparing two logs by their calls, the files they changed, their ends and texts.

events or run -> trajectory -> alignment -> run_comparison -> findings -> report

noise            the rules for strings, and directories
noise_values     values that differ by chance
calls            tool calls, their arguments, outputs and keys; runs of calls
run_made_values  the values that two runs have made, paired one to one
seen_values      the values that a run has seen
alignment        which calls belong together, and where two runs diverge
files            the files in the end; file_changes: where their contents differ
texts            the final texts; answer_command: a command that judges them
comparison       the result of it all
checked_settings  names in settings, and limits
brief            the few causes that explain most
findings         the severity of each difference, and the options that waive it
claims           answers that contradict the tests of their runs
checks           checks of the last changes, and their tests
run_comparison   two runs to their differences
details          the changes inside a call
text_changes     the changes inside a text
approved         approved runs: reading, writing, and the files that hold them
collect          events to trajectories
run_facts        a run by itself, to be counted with many
reports          table, unified, json and markdown
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from convert.diff.approved.goldens import settings_with
from convert.diff.calls.trajectory import Trajectory
from convert.diff.checked_settings import check_names
from convert.diff.collect import collect, trajectory_of
from convert.diff.comparison import Comparison, Counts, Part, highest_of
from convert.diff.run_comparison import compare_trajectories
from convert.diff.texts import has_final_text
from convert.errors import InputError, Warn, ignore
from convert.model.events import EndOfLog, Event, Level, Start
from convert.model.run import Run
from convert.options.conversion import Options, Reading
from convert.options.settings import Required, Settings
from convert.pipeline import (
    Log,
    format_brings_settings,
    only,
    recognised,
    with_blocks,
    with_known,
)
from convert.registry import exports

if TYPE_CHECKING:
    from convert.model.approved import ApprovedSettings

__all__ = [
    "Comparison",
    "Counts",
    "Part",
    "Settings",
    "Side",
    "brings_settings",
    "compare",
    "compare_as_named",
    "compare_sides",
    "highest_of",
    "read_side",
    "read_sides",
    "settings_for",
    "side_of",
    "unrecorded",
]

_LEVELS: tuple[Level, ...] = ("calls", "result", "text")
_PARTS: dict[Required, tuple[Part, str]] = {
    "calls": ("calls", "tool calls"),
    "result": ("text", "final text"),
    "status": ("status", "state"),
}


class Side(Struct):
    """One of the two logs of a comparison, when it has been read."""

    level: Level
    """How much of a run the log's format records."""

    runs: list[Trajectory]
    """The runs, in the order in which they began."""

    log: EndOfLog = field(default_factory=lambda: EndOfLog(run=0, line=0))
    """The log as its end counts it: lines, unknown events, replaced secrets."""

    noise: tuple[Any, ...] = ()
    """The settings for noise with which it was read."""

    made_with: ApprovedSettings | None = None
    """The settings of an approved run; None for any other log."""


ReadSide = Callable[[Settings], Side]
"""Reads one side of a comparison with these settings."""


def compare(
    a: Log | Run,
    b: Log | Run,
    format: str = "auto",
    *,
    run: int | None = None,
    settings: Settings | None = None,
    directories: tuple[str, str] = ("", ""),
    reading: Reading | None = None,
    warn: Warn = ignore,
) -> Comparison:
    """Compare the runs of two logs, or two runs; see `convert.compare`."""
    settings = Settings.or_default(settings)
    reading = Reading.or_default(reading)
    if run is not None and isinstance(a, Run) and isinstance(b, Run):
        raise TypeError("run picks a run of a log, but both sides are runs already")
    for log in (a, b) if reading.redact else ():
        if not isinstance(log, Run):
            reading = with_known(log, format, reading)

    def side(log: Log | Run, directory: str, settings: Settings) -> Side:
        if isinstance(log, Run):
            return side_of([log], settings, directory)
        return read_side(log, format, run, reading, settings, warn, directory)

    one, other = (
        partial(side, log, directory)
        for log, directory in zip((a, b), directories, strict=True)
    )
    return compare_sides(*read_sides(one, other, settings, brings_settings(b)))


def brings_settings(log: Log | Run, source: str = "auto") -> bool:
    """Return True if a log is known to hold approved runs before it is read."""
    if isinstance(log, Run):
        return log.approved is not None
    return format_brings_settings(log, source)


def read_sides(
    a: ReadSide, b: ReadSide, settings: Settings, is_b_first: bool = False
) -> tuple[Side, Side, Settings]:
    """Read both sides of a comparison, and return them with the settings for it.

    Approved runs bring settings of their own, which hold for the other log as well. So
    they are read first, or the other log is read again.
    """
    first, second = (b, a) if is_b_first else (a, b)
    one = first(settings)
    settings = settings_for(one, settings)
    other = second(settings)
    if (theirs := settings_for(other, settings)) != settings:
        settings = theirs
        one = first(settings)
    return (other, one, settings) if is_b_first else (one, other, settings)


def settings_for(side: Side, settings: Settings) -> Settings:
    """Return settings, and those that a side brings."""
    made_with = side.made_with
    return settings if made_with is None else settings_with(settings, made_with)


def read_side(
    log: Log,
    format: str,
    run: int | None,
    reading: Reading,
    settings: Settings,
    warn: Warn,
    directory: str = "",
) -> Side:
    """Read one side of a comparison; `directory` is for runs that record none."""
    reader, lines, reading = recognised(log, format, reading, warn)
    events = reader.read(lines, with_blocks(reader.compared, format), reading, warn)
    side = Side(reader.level, [])
    placed: set[int] = set()
    events = _watched(only(events, run), side, directory, placed)
    side.runs += collect(events, settings)
    for each in side.runs:
        each.has_named_directory = each.run.number in placed
    return _completed(side, settings)


def _watched(
    events: Iterable[Event], side: Side, directory: str, placed: set[int]
) -> Iterator[Event]:
    """Yield events, and keep the end of the log in the side.

    A run without a directory gets this one, and its number is added to `placed`.
    """
    for event in events:
        if isinstance(event, EndOfLog):
            side.log = event
        if directory and isinstance(event, Start) and not event.directory:
            event = replace(event, directory=directory)
            placed.add(event.run)
        yield event


def _completed(side: Side, settings: Settings) -> Side:
    """Set the facts of a side that follow from its runs, and return it."""
    side.runs.sort(key=lambda run: run.run.number)
    side.level = max(
        (run.level for run in side.runs), default=side.level, key=_LEVELS.index
    )
    approved = (run.approved for run in side.runs if run.approved)
    side.made_with = next((each.settings for each in approved), None)
    side.noise = _noise_of(settings_for(side, settings))
    return side


def _noise_of(settings: Settings) -> tuple[Any, ...]:
    noise = settings.ignore_arg, settings.keep_arg, settings.scrub, settings.raw
    return *noise, settings.rules


def compare_sides(a: Side, b: Side, settings: Settings) -> Comparison:
    """Compare two logs that were read with the settings that hold for both.

    `read_sides` returns these, if one of the logs may be an approved run.
    """
    settings = settings_for(b, settings_for(a, settings))
    if not a.noise == b.noise == _noise_of(settings):
        raise ValueError("a side was read with other settings; see read_sides")
    check_names(settings, [*a.runs, *b.runs])
    return compare_as_named(a, b, settings)


def compare_as_named(a: Side, b: Side, settings: Settings) -> Comparison:
    """Compare two logs that may lack the tools and arguments that settings name."""
    level = max(a.level, b.level, key=_LEVELS.index)
    runs = [
        compare_trajectories(number, level, one, other, settings)
        for number, (one, other) in enumerate(zip_longest(a.runs, b.runs), 1)
    ]
    comparison = Comparison(level, runs, settings)
    _check_judged(comparison)
    for required in settings.require:
        part, what = _PARTS[required]
        sides = (("baseline", a), ("candidate", b))
        lacking = [name for name, side in sides if _lacks(side, part)]
        if part in comparison.not_compared or (part != "calls" and lacking):
            raise InputError(
                f"the {' and the '.join(lacking)}"
                f" {'records' if len(lacking) == 1 else 'record'} no {what}"
                f" (--require {required})"
            )
    return comparison


def unrecorded(side: Side, settings: Settings) -> str:
    """Return the reason why a log lacks a required part; "" if it lacks none."""
    for required in settings.require:
        part, what = _PARTS[required]
        if _lacks(side, part):
            return f"the log records no {what} (--require {required})"
    return ""


def _check_judged(comparison: Comparison) -> None:
    """Raise InputError if the logs record none of the parts to be judged."""
    missing = {*comparison.not_compared}
    if comparison.level != "calls" and comparison.settings.judged == {"files"}:
        # Action lines do not record the changes of an edit.
        missing.add("calls")
    judged = dict(
        _PARTS["calls" if part == "files" else part]
        for part in comparison.settings.judged
    )
    if judged.keys() <= missing:
        parts = ",".join(comparison.settings.judge)
        what = ", ".join(sorted(judged.values()))
        raise InputError(f"the logs do not both record {what} (--judge {parts})")


def side_of(runs: Iterable[Run], settings: Settings, directory: str = "") -> Side:
    """Make one side of a comparison from runs that were read with everything.

    `directory` is for runs that record none.
    """
    side = Side("calls", [])
    for run in runs:
        placed = replace(run, directory=run.directory or directory)
        side.runs.append(trajectory_of(placed, settings))
        side.runs[-1].has_named_directory = placed.directory != run.directory
    return _completed(side, settings)


def _lacks(side: Side, part: Part) -> bool:
    """Return True if a side does not record a part."""
    if part == "text":
        return not all(map(has_final_text, side.runs))
    if part == "status":
        is_failure = any(run.is_failure_message for run in side.runs)
        has_state = all(run.run.state for run in side.runs if run.level == "calls")
        return (side.level == "text" and not is_failure) or not has_state
    return side.level != "calls"


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the runs of a log as approved runs, in one document, when it ends.

    Raises NoResultError for a run that did not succeed, unless `partial` asks for it.
    """
    # Only the format `trajectory` needs it.
    from convert.diff.approved.writing import document

    settings = Settings(
        ignore_arg=options.ignore_arg,
        keep_arg=options.keep_arg,
        scrub=options.scrub,
        raw=options.raw,
    )
    runs = sorted(collect(events, settings), key=lambda run: run.run.number)
    yield document(runs, settings, is_partial=options.partial)


# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "alignment.matching": "Matching match most_alike nearest",
        "alignment.aligned_run": "AlignedRun",
        "alignment.batches": "align_batches",
        "answer_command": "judge",
        "approved.goldens": "further_goldens goldens_beside",
        "calls.recorded_call": "Forms Order RecordedCall batched",
        "calls.aligned_call": "AlignedCall Manner aligned",
        "calls.arguments": "Form respelled",
        "calls.outputs": "digest",
        "calls.two_agents": "file_shown",
        "claims": "claim_in",
        "comparison": "EqualByRules Finding by_severity",
        "details": "ValueChange arguments_changed describe output_changed texts_apart",
        "text_changes": "LineChange Rewording Span WordChange lines_changed "
        "prose_changed text_lines_changed words_changed",
        "files": "FileStatus",
        "noise": "Normaliser RULES",
        "noise_values": "PairedValue Value places_of",
        "reports": "REPORTS ReportLine ReportOptions report",
        "reports.detail_lines": "changed_words two_values words",
        "reports.marks_and_labels": "short_names",
        "reports.verdict": "BETTER_PASSES headline omitted select",
        "checked_settings": "limits",
        "texts": "TextComparison similarity",
    },
)
