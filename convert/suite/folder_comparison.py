"""Comparing two folders one case after the other, for callers in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from convert.diff import Side, read_side
from convert.diff.reports.appearance import Look
from convert.errors import InputError, RunconvError
from convert.options import Reading
from convert.options.settings import Settings
from convert.options.suite import SuiteSettings
from convert.pipeline import with_known
from convert.source.globs import Globs
from convert.storage import is_folder
from convert.suite.blocks import rooms_for
from convert.suite.case_results import Comparing
from convert.suite.cases import Case
from convert.suite.collecting import suite_of
from convert.suite.comparing import Outcome, compare_case
from convert.suite.folders import Folder, folder_of
from convert.suite.pairing import cases_of, check_found
from convert.suite.prompts import Group, Prompts, first_prompt, redacted_prompt
from convert.suite.reports import REPORTS
from convert.suite.suite import Suite
from convert.wording.paths import spelled

# Called with the path of a log, and then as `Warn`.
WarnOf = Callable[[str, int | None, str, str], None]


class Asked(Struct, frozen=True):
    """How the logs of both folders are read and compared."""

    format: str
    run: int | None
    settings: Settings
    suite: SuiteSettings
    reading: Reading
    warn: WarnOf


def compare(
    a: str, b: str, globs: tuple[str, ...], reports: Iterable[str], asked: Asked
) -> Suite:
    """Compare two folders; see `convert.suite.compare_folders`."""
    chosen = Globs(globs)
    folders = _folder(a, b, chosen), _folder(b, a, chosen)
    suite = asked.suite
    how = Comparing(
        asked.settings,
        Look(spelled(a), spelled(b)),
        rooms_for(map(REPORTS.__getitem__, reports)),
        (a, b),
        suite.loss_p,
        suite.min_success,
    )

    cases = cases_of(*folders, suite.pair_by, suite.repeat, _prompts(asked))
    outcomes = [_compared(case, how, asked) for case in cases]
    made = suite_of(outcomes, how, suite)
    others = [path for each in outcomes for path in each.others]
    check_found(made, folders, others, suite.pair_by)
    return made


def _folder(path: str, other: str, globs: Globs) -> Folder:
    if not is_folder(path):
        raise InputError(f"{path!r} is no folder; check the path")
    return folder_of(path, other, globs)


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


def _compared(case: Case, how: Comparing, asked: Asked) -> Outcome:
    reading = asked.reading.replace(is_found=True)
    for path in case.paths if reading.redact else ():
        reading = with_known(path, asked.format, reading)

    def read(path: str, settings: Settings) -> Side:
        def warn(line: int | None, reason: str, action: str) -> None:
            asked.warn(path, line, reason, action)

        return read_side(path, asked.format, asked.run, reading, settings, warn)

    return compare_case(case, read, how)
