"""Comparing the folders of versions one case after the other, for callers in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from convert.diff import Side, read_side
from convert.diff.reports.appearance import Look
from convert.errors import InputError, RunconvError, UsageError
from convert.options import Reading
from convert.options.settings import Settings
from convert.options.suite import SuiteSettings
from convert.pipeline import with_known
from convert.source.globs import Globs
from convert.storage import is_folder
from convert.suite.blocks import rooms_for
from convert.suite.comparing import CaseOutcome, Comparing, compare_case
from convert.suite.folders import Folder, folder_of
from convert.suite.grouping import Case, Grouped, cases_of, check_found
from convert.suite.judging import judged
from convert.suite.model import Suite
from convert.suite.prompts import Group, Prompts, first_prompt, redacted_prompt
from convert.suite.reports import REPORTS

# Called with the path of a log, and then as `Warn`.
WarnOf = Callable[[str, int | None, str, str], None]


class Asked(Struct, frozen=True):
    """How the logs of all folders are read and compared."""

    format: str
    run: int | None
    settings: Settings
    suite: SuiteSettings
    reading: Reading
    warn: WarnOf
    fails_on_findings: bool = False


def compare(
    paths: Sequence[str],
    names: Sequence[str],
    globs: tuple[str, ...],
    reports: Iterable[str],
    asked: Asked,
) -> Suite:
    """Compare the folders of two versions or more."""
    chosen = Globs(globs)
    folders = [_folder(path, paths, chosen) for path in paths]
    suite = asked.suite
    how = Comparing(
        settings=asked.settings,
        look=Look(names[0], names[-1]),
        names=tuple(names),
        folders=tuple(paths),
        rooms=rooms_for(map(REPORTS.__getitem__, reports)),
        fails_on_findings=asked.fails_on_findings,
        min_success=suite.min_success,
    )
    grouped = cases_of(folders, suite.pair_by, suite.repeat, _prompts(asked))
    outcomes = [_compared(case, how, asked) for case in grouped.cases]
    return judged_suite(outcomes, how, suite, folders, grouped)


def judged_suite(
    outcomes: Sequence[CaseOutcome],
    how: Comparing,
    settings: SuiteSettings,
    folders: Sequence[Folder],
    grouped: Grouped,
) -> Suite:
    """Return the suite of all cases, with the reports that there is room for.

    Raises UsageError if no log of any case knows a name in the settings, and InputError
    if nothing can be compared because the folders do not belong together.
    """
    names = [each.misnamed for each in outcomes if each.is_compared]
    if names and all(names):
        raise UsageError(names[0])
    results = [each.result for each in outcomes if each.result]
    made = judged(how.names, results, how.settings, settings, grouped.note)
    for name, room in how.rooms.items():
        with_block = [case for case in made.cases if name in case.blocks]
        for case in with_block[room.most :] if room.most is not None else ():
            del case.blocks[name]
    others = [path for each in outcomes for path in each.others]
    check_found(made, folders, others, settings.pair_by)
    return made


def _folder(path: str, paths: Sequence[str], globs: Globs) -> Folder:
    if not is_folder(path):
        raise InputError(f"{path!r} is no folder; check the path")
    # A folder inside the other counts for its own side only.
    others = [other for other in paths if other != path]
    return folder_of(path, others[0] if len(paths) == 2 and others else "", globs)


def _prompts(asked: Asked) -> Prompts:
    def of(paths: list[str]) -> Mapping[str, str | None]:
        return {path: _prompt(path, asked) for path in paths}

    def redacted(groups: list[Group]) -> list[str | None]:
        return [_redacted_prompt(group, asked) for group in groups]

    return Prompts(of, redacted if asked.reading.redact else None)


def _prompt(path: str, asked: Asked) -> str | None:
    """Return the prompt of a log; None if it cannot be read, which shows later."""
    reading = asked.reading.replace(is_found=True)
    try:
        return first_prompt(path, asked.format, reading, asked.settings)
    except RunconvError:
        return None


def _redacted_prompt(group: Group, asked: Asked) -> str | None:
    """Return the prompt of some logs as it is shown; None if one cannot be read."""
    logs = [(functools.partial(str, path), asked.format) for path in group]
    reading = asked.reading.replace(is_found=True)
    try:
        return redacted_prompt(logs, reading, asked.settings)
    except RunconvError:
        return None


def _compared(case: Case, how: Comparing, asked: Asked) -> CaseOutcome:
    reading = asked.reading.replace(is_found=True)
    for path in case.paths if reading.redact else ():
        reading = with_known(path, asked.format, reading)

    def read(path: str, settings: Settings) -> Side:
        def warn(line: int | None, reason: str, action: str) -> None:
            asked.warn(path, line, reason, action)

        return read_side(path, asked.format, asked.run, reading, settings, warn)

    return compare_case(case, read, how)
