"""The command `diff` of two folders: their logs to a suite and an exit status."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.errors import ExitStatus, UsageError
from convert.options import Reading

if TYPE_CHECKING:
    from convert.cli.diff import Asked
    from convert.cli.folders import Named
    from convert.cli.messages import Told
    from convert.diff import Side
    from convert.diff.reports.appearance import Look
    from convert.options.settings import Settings
    from convert.suite.cases import Case
    from convert.suite.comparing import Comparing, Outcome
    from convert.suite.reports import ReportFormat
    from convert.suite.suite import Suite


class Comparison(Struct, frozen=True):
    """How the logs of cases are read and compared, the same for each of them."""

    how: Comparing
    reading: Reading
    sources: tuple[str, str]
    """The formats of the logs of either side."""

    run: int | None
    is_strict: bool


class Compared(Struct):
    """The result of a case, and what there is to tell about its logs."""

    outcome: Outcome
    told: list[tuple[str, Told]] = []


def compare_folders(asked: Asked) -> int:
    """Compare two folders and print the report; return the exit status."""
    from convert.cli.conflicts import check_together
    from convert.cli.diff import settings_of, sources_of
    from convert.cli.messages import use_colours

    command = asked.command
    use_colours(command.color)
    _check_folders(asked.logs)
    found, settings = settings_of(asked)
    check_together(asked.named, settings)
    sources = sources_of(command)
    sides, cases = _cases(asked)
    row = _report(asked, [path for case in cases for path in case.paths])
    how = _how(asked, settings, row)
    comparison = Comparison(how, asked.reading, sources, command.run, command.strict)
    compared = _compared(comparison, cases, asked)
    suite = _suite(compared, settings, how)
    _say_all(suite, compared, sides, asked)
    if not command.quiet:
        _write(suite, row, found, asked)
    return _status(suite, asked, any(side.has_failed for side in sides))


def _check_folders(paths: list[str]) -> None:
    """Raise UsageError for a folder and a log."""
    if all(map(os.path.isdir, paths)):
        return
    folder, log = sorted(paths, key=os.path.isdir, reverse=True)
    inside = os.path.join(folder, os.path.basename(log) if log != "-" else "NAME")
    raise UsageError(
        f"{folder} is a folder and {'<stdin>' if log == '-' else log} is not; compare"
        f" two folders, or name a log in it, as in {inside}"
    )


def _report(asked: Asked, logs: list[str]) -> ReportFormat:
    """Return the report to write; raises UsageError for one of two logs alone."""
    from convert.cli.report_output import report_for
    from convert.suite.reports import REPORTS

    if asked.format and asked.format not in REPORTS:
        raise UsageError(
            f"--format {asked.format} is for two logs; name a log in each folder, or"
            f" choose from {', '.join(REPORTS)}"
        )
    return report_for(asked.command.output, asked.format, REPORTS, logs)


def _cases(asked: Asked) -> tuple[list[Named], list[Case]]:
    """Return the logs of both folders, and the cases that they make."""
    from convert.cli.folders import logs_of_each
    from convert.suite.cases import paired_by_path

    sides = logs_of_each(asked.logs, asked.command)
    a, b = ({log.path: log.place for log in side.logs} for side in sides)
    return sides, paired_by_path(a, b)


def _how(asked: Asked, settings: Settings, row: ReportFormat) -> Comparing:
    """Return how cases are compared, with the reports that are needed of each."""
    from convert.suite.blocks import Room
    from convert.suite.comparing import Comparing

    look = _look(asked, "")
    most = None if look.is_full else row.most_blocks
    is_shown = row.block and not asked.command.quiet
    rooms = {row.block: Room(most)} if is_shown else {}
    a, b = asked.logs
    return Comparing(settings, look, rooms, (a, b))


def _look(asked: Asked, found: str) -> Look:
    from convert.cli.terminal import width
    from convert.diff.reports.appearance import Look

    command = asked.command
    a, b = asked.logs
    return Look(
        a=command.name_a or a,
        b=command.name_b or b,
        is_full=command.full,
        is_verbose=command.verbose,
        width=command.width or width(),
        name=command.name,
        settings_source=found,
    )


def _compared(
    comparison: Comparison, cases: list[Case], asked: Asked
) -> list[Compared]:
    """Compare all cases, on all processors."""
    from convert.cli.progress import progress_of
    from convert.cli.workers import DIED, results_of

    paths = [path for case in cases for path in case.paths]
    times = 2 if asked.reading.redact else 1
    is_wanted = not asked.command.quiet
    work = functools.partial(compare, comparison)
    with progress_of(paths, times=times, is_wanted=is_wanted) as progress:
        results = [*results_of(work, cases, None, progress)]
    return [
        _failed(case, f"{', '.join(case.paths)}: {DIED}") if result is None else result
        for case, result in zip(cases, results, strict=True)
    ]


def _failed(case: Case, message: str) -> Compared:
    from convert.suite.comparing import Outcome, in_trouble

    return Compared(Outcome(in_trouble(case, message)))


def compare(comparison: Comparison, case: Case) -> Compared | None:
    """Compare one case; one that fails does not stop the others."""
    try:
        return _compared_case(comparison, case)
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        from convert.cli.failures import failure_in_words

        return _failed(case, f"{', '.join(case.paths)}: {failure_in_words(error)}")


def _compared_case(comparison: Comparison, case: Case) -> Compared:
    from convert.suite.comparing import compare_case

    told: list[tuple[str, Told]] = []
    sources = dict.fromkeys(case.a, comparison.sources[0])
    sources |= dict.fromkeys(case.b, comparison.sources[1])
    reading = comparison.reading.replace(is_found=True)
    if reading.redact:
        reading = _with_known(sources, reading)

    def read(path: str) -> Side:
        return _read(path, sources[path], reading, comparison, told)

    return Compared(compare_case(case, read, comparison.how), told)


def _with_known(sources: dict[str, str], reading: Reading) -> Reading:
    """Read the logs of a case for their secrets, so that none shows in another."""
    from convert.cli.logs import bytes_of
    from convert.pipeline import with_known

    for path, source in sources.items():
        reading = with_known(bytes_of(path), source, reading)
    return reading


def _read(
    path: str,
    source: str,
    reading: Reading,
    comparison: Comparison,
    told: list[tuple[str, Told]],
) -> Side:
    """Read one log; what there is to tell about it is told of all logs in sum."""
    from convert.cli.logs import bytes_of
    from convert.cli.messages import Messages
    from convert.diff import read_side

    messages = Messages(path, is_quiet=True, is_strict=comparison.is_strict)
    settings = comparison.how.settings
    with contextlib.closing(bytes_of(path)) as pieces:
        side = read_side(
            pieces, source, comparison.run, reading, settings, messages.warn
        )
    messages.end(side.lines, side.unknown, "not compared", side.redacted)
    told.append((path, messages.told))
    return side


def _suite(compared: list[Compared], settings: Settings, how: Comparing) -> Suite:
    from convert.suite.comparing import suite_of

    return suite_of([each.outcome for each in compared], settings, how)


def _say_all(
    suite: Suite, compared: list[Compared], sides: list[Named], asked: Asked
) -> None:
    """Print what failed, what there is to tell about logs, and the closing line."""
    from convert.cli.messages import say
    from convert.cli.sums import say_sums

    for each in compared:
        result = each.outcome.result
        if result is not None and result.fate == "trouble":
            say(result.headline)
    if not asked.command.quiet:
        say_sums(each for case in compared for each in case.told)
        say_closing(compared, sides)


def say_closing(compared: list[Compared], sides: list[Named]) -> None:
    """Print what was compared, and which files were left out."""
    from convert.cli.closing import left_out
    from convert.cli.messages import say
    from convert.wording.numbers import count

    results = [each.outcome.result for each in compared if each.outcome.result]
    others = [path for each in compared for path in each.outcome.others]
    links = [link for side in sides for link in side.links]
    out = left_out("other file", others) + left_out("link", links)
    say(f"{count(len(results), 'case')} compared{out}", None)


def _write(suite: Suite, row: ReportFormat, found: str, asked: Asked) -> None:
    from convert.cli.report_output import write_report
    from convert.suite.reports import report

    lines = [*report(row.name)(suite, _look(asked, found))]
    write_report(lines, row, asked.command.output, asked.command.color)


def _status(suite: Suite, asked: Asked, has_failed: bool) -> int:
    if suite.has_trouble or has_failed:
        return ExitStatus.TROUBLE
    is_failure = suite.is_different and not asked.command.exit_zero
    return ExitStatus.DIFFERENT if is_failure else ExitStatus.SAME
