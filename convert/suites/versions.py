"""From the folders of versions to a suite: the work of the commands and of Python."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.logs import bytes_of
from convert.cli.messages import Messages, failure_in_words
from convert.diff import read_side
from convert.errors import RunconvError, UsageError
from convert.options import Reading
from convert.options.settings import SuiteSettings
from convert.pipeline import with_known
from convert.scale.engines import DIED
from convert.suites.case_comparison import (
    CaseOutcome,
    Comparing,
    compare_case,
    in_trouble,
)
from convert.suites.grouping import Grouped, cases_of, check_found
from convert.suites.grouping.logs import Folder, Prompts, first_prompt, redacted_prompt
from convert.suites.suite_result import Suite
from convert.suites.verdict import judged
from convert.wording.escapes import spelled

if TYPE_CHECKING:
    from convert.cli.messages import Told
    from convert.diff import Side
    from convert.options.settings import Settings
    from convert.pipeline import Log
    from convert.suites.grouping import Case

# Called with the path of a log, and then as `Warn`.
WarnOf = Callable[[str, int | None, str, str], None]


class Comparison(Struct, frozen=True):
    """How the logs of cases are read and compared, the same for each of them."""

    how: Comparing
    reading: Reading
    sources: tuple[str, ...]
    """The formats of the logs of each version."""

    run: int | None
    is_strict: bool
    directories: tuple[str, ...]
    """The directories of the runs of each version, for logs that record none."""

    warn: WarnOf | None = None
    """Takes the warnings of a caller in Python, which prints nothing."""

    @contextlib.contextmanager
    def opened(self, path: str) -> Iterator[Log]:
        """Yield a log for the block, as a command opens it unless Python does."""
        if self.warn is not None:
            yield path
            return
        with contextlib.closing(bytes_of(path)) as pieces:
            yield pieces


class OfPrompt(Struct, frozen=True):
    """Logs whose prompt is asked for, which is the same, and their formats."""

    paths: tuple[str, ...]
    sources: tuple[str, ...]


class Compared(Struct):
    """The result of a case, and what there is to tell about its logs."""

    outcome: CaseOutcome
    told: list[tuple[str, Told]] = []
    has_died: bool = False
    """The process that compared it has died, which has been printed."""


def compare(comparison: Comparison, case: Case) -> Compared:
    """Compare one case; one that fails does not stop the others."""
    try:
        return compared(comparison, case)
    except Exception as error:
        return _failed(case, failure_in_words(error))


def died(case: Case) -> Compared:
    """Return the result of a case whose process has died."""
    failure = _failed(case, DIED)
    return Compared(failure.outcome, has_died=True)


def _failed(case: Case, why: str) -> Compared:
    names = ", ".join(map(spelled, case.paths))
    outcome = in_trouble(case, [f"{names}: {why}"])
    if outcome.result is not None:
        outcome.result.has_crashed = True
    return Compared(outcome)


def compared(comparison: Comparison, case: Case) -> Compared:
    """Compare one case."""
    told: list[tuple[str, Told]] = []
    sources: dict[str, str] = {}
    directories: dict[str, str] = {}
    for paths, source, directory in zip(
        case.sides, comparison.sources, comparison.directories, strict=True
    ):
        sources |= dict.fromkeys(paths, source)
        directories |= dict.fromkeys(paths, directory)
    reading = comparison.reading.replace(is_found=True)
    # Secrets of a log must not show in another of its case.
    for path, source in sources.items() if reading.redact else ():
        with comparison.opened(path) as log:
            reading = with_known(log, source, reading)

    def read(path: str, settings: Settings) -> Side:
        messages = Messages(path, is_quiet=True, is_strict=comparison.is_strict)
        warn = messages.warn
        if comparison.warn is not None:
            warn = functools.partial(comparison.warn, path)
        with comparison.opened(path) as log:
            how = comparison.run, reading, settings, warn, directories[path]
            side = read_side(log, sources[path], *how)
        messages.end(side.lines, side.unknown, "not compared", side.redacted)
        if messages.told is not None:
            told.append((path, messages.told))
        return side

    outcome = compare_case(case, read, comparison.how)
    # A log may have been read again with the settings that another brings.
    return Compared(outcome, [*dict(told).items()])


# Does work on some jobs: that of an engine, or `map` in Python.
Do = Callable[
    [Callable[[OfPrompt], str | None], Sequence[OfPrompt]], Iterable[str | None]
]


def cases_in(
    folders: Sequence[Folder], comparison: Comparison, suite: SuiteSettings, do: Do
) -> Grouped:
    """Return the cases that the logs of all versions make."""
    sources = {
        path: source
        for folder, source in zip(folders, comparison.sources, strict=True)
        for path in folder.logs
    }

    def prompts(
        work: Callable[[Comparison, OfPrompt], str | None],
        groups: Iterable[tuple[str, ...]],
    ) -> list[str | None]:
        jobs = [
            OfPrompt(group, tuple(sources[path] for path in group)) for group in groups
        ]
        return [*do(functools.partial(work, comparison), jobs)]

    def of(paths: list[str]) -> dict[str, str | None]:
        found = prompts(_prompt, ((path,) for path in paths))
        return dict(zip(paths, found, strict=True))

    is_redacted = comparison.reading.redact
    redacted = functools.partial(prompts, _redacted_prompt) if is_redacted else None
    return cases_of(folders, suite.pair_by, suite.repeat, Prompts(of, redacted))


def _prompt(comparison: Comparison, logs: OfPrompt) -> str | None:
    """Return the prompt of a log; None if it cannot be read, which shows later."""
    [path], [source] = logs.paths, logs.sources
    reading = comparison.reading.replace(is_found=True)
    try:
        with comparison.opened(path) as log:
            return first_prompt(log, source, reading, comparison.how.settings)
    except RunconvError:
        return None


def _redacted_prompt(comparison: Comparison, logs: OfPrompt) -> str | None:
    """Return the prompt of some logs as it is shown; None if one cannot be read."""
    reading = comparison.reading.replace(is_found=True)
    open_log = str if comparison.warn is not None else bytes_of
    opened = [
        (functools.partial(open_log, path), source)
        for path, source in zip(logs.paths, logs.sources, strict=True)
    ]
    try:
        return redacted_prompt(opened, reading, comparison.how.settings)
    except RunconvError:
        return None


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
