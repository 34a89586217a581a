"""The steps from the folders of versions to a suite, for commands and for Python."""

from __future__ import annotations

import filecmp
import functools
import os
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from convert.cli.messages import LogNotes, Messages, failure_in_words
from convert.diff import Side, read_side
from convert.errors import RunconvError, UsageError
from convert.options.conversion import Reading
from convert.options.settings import Settings
from convert.pipeline import with_known
from convert.scale.engines.run_jobs import DIED
from convert.suites.case_comparison import (
    CaseOutcome,
    Comparing,
    compare_case,
    in_trouble,
)
from convert.suites.case_logs import LogError
from convert.suites.grouping import Case, Grouped, cases_of, check_found
from convert.suites.logs import Folder, Prompts, first_prompt
from convert.suites.suite_result import Suite
from convert.suites.verdict.judging import judged
from convert.wording.paths import spelled


class OfPrompt(Struct, frozen=True):
    """Logs whose prompt is asked for, which is the same, and their formats."""

    paths: tuple[str, ...]
    sources: tuple[str, ...]


# Does work on some jobs: that of an engine, or `map` in Python.
Do = Callable[
    [Callable[[OfPrompt], str | None], Sequence[OfPrompt]], Iterable[str | None]
]


def cases_in(folders: Sequence[Folder], how: Comparing, do: Do) -> Grouped:
    """Return the cases that the logs of all versions make."""
    sources = {
        path: source
        for folder, source in zip(folders, how.sources, strict=True)
        for path in folder.logs
    }

    def prompts(
        groups: Iterable[tuple[str, ...]], *, is_redacted: bool = True
    ) -> list[str | None]:
        jobs = [
            OfPrompt(group, tuple(sources[path] for path in group)) for group in groups
        ]
        return [*do(functools.partial(_prompt, how, is_redacted=is_redacted), jobs)]

    def of(paths: list[str]) -> dict[str, str | None]:
        found = prompts(((path,) for path in paths), is_redacted=False)
        return dict(zip(paths, found, strict=True))

    known = Prompts(of, prompts if how.reading.redact else None)
    suite = how.suite
    return cases_of(folders, suite.pair_by, suite.repeat, known, how.path_option)


def _prompt(how: Comparing, logs: OfPrompt, *, is_redacted: bool) -> str | None:
    """Return the prompt of some logs; None if one cannot be read, which shows later.

    It is redacted only where it is shown: other secrets make other prompts.
    """
    pairs = zip(logs.paths, logs.sources, strict=True)
    try:
        reading = _with_known(how, pairs if is_redacted else ())
        if not is_redacted:
            reading = reading.replace(redact=False, redact_patterns=())
        with how.opened(logs.paths[0]) as log:
            return first_prompt(log, logs.sources[0], reading, how.settings)
    except RunconvError:
        return None


def _with_known(how: Comparing, logs: Iterable[tuple[str, str]]) -> Reading:
    """Return how logs are read so that no secret in any of some logs is shown."""
    reading = how.reading.replace(is_found=True)
    for path, source in logs if reading.redact else ():
        with how.opened(path) as log:
            reading = with_known(log, source, reading)
    return reading


def compare(how: Comparing, case: Case) -> CaseOutcome:
    """Compare one case; one that fails does not stop the others."""
    try:
        return compared(how, case)
    except Exception as error:
        return _failed(case, failure_in_words(error))


def died(case: Case) -> CaseOutcome:
    """Return the result of a case whose process has died."""
    outcome = _failed(case, DIED)
    outcome.has_died = True
    return outcome


def _failed(case: Case, why: str) -> CaseOutcome:
    names = [*map(spelled, case.paths)]
    log = names[0] if names else ""
    outcome = in_trouble(case, [LogError(log, f"{', '.join(names)}: {why}")])
    if outcome.result is not None:
        outcome.result.has_crashed = True
    return outcome


def compared(how: Comparing, case: Case) -> CaseOutcome:
    """Compare one case."""
    notes: dict[str, LogNotes] = {}
    places = {
        path: (source, directory)
        for paths, source, directory in zip(
            case.sides, how.sources, how.directories, strict=True
        )
        for path in paths
    }
    # Secrets of a log must not show in another of its case.
    reading = _with_known(how, ((path, source) for path, (source, _) in places.items()))

    def read(path: str, settings: Settings) -> Side:
        messages = Messages(path, is_quiet=True, is_strict=how.is_strict)
        warn = functools.partial(how.warn, path) if how.warn else messages.warn
        source, directory = places[path]
        with how.opened(path) as log:
            limits = how.run, reading, settings, warn, directory
            side = read_side(log, source, *limits)
        messages.end(side.log, "not compared")
        if messages.notes is not None:
            # A log may be read again with the settings that another brings.
            notes[path] = messages.notes
        return side

    outcome = compare_case(case, read, how)
    outcome.notes = [*notes.items()]
    return outcome


def judged_suite(
    outcomes: Sequence[CaseOutcome],
    how: Comparing,
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
    suite = how.suite
    made = judged(how.names, results, how.settings, suite, grouped.note)
    for name, room in how.rooms.items():
        with_block = [case for case in made.cases if name in case.blocks]
        for case in with_block[room.most :] if room.most is not None else ():
            del case.blocks[name]
    others = [path for each in outcomes for path in each.others]
    check_found(made, folders, others, suite.pair_by)
    made.has_same_logs = _are_same(folders[0], folders[-1])
    return made


def _are_same(one: Folder, other: Folder) -> bool:
    """Return True if two folders hold the same logs, byte for byte."""
    a, b = (
        {inside: path for path, inside in each.logs.items()} for each in (one, other)
    )
    if a.keys() != b.keys():
        return False
    pairs = [(a[inside], b[inside]) for inside in a if a[inside] != b[inside]]
    try:
        # Few other versions have files of the same sizes, so that bytes are not read.
        return all(os.stat(x).st_size == os.stat(y).st_size for x, y in pairs) and all(
            filecmp.cmp(x, y, shallow=False) for x, y in pairs
        )
    except OSError:
        return False
