"""The logs of one case, opened and compared, with the messages about them kept."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.failures import failure_in_words
from convert.cli.logs import bytes_of
from convert.cli.messages import Messages
from convert.diff import read_side
from convert.errors import RunconvError
from convert.options import Reading
from convert.pipeline import with_known
from convert.scale.engines import DIED
from convert.suites.case_comparison import compare_case, in_trouble
from convert.suites.logs import first_prompt, redacted_prompt
from convert.wording.escapes import spelled

if TYPE_CHECKING:
    from convert.cli.messages import Told
    from convert.diff import Side
    from convert.options.settings import Settings
    from convert.suites.case_comparison import CaseOutcome, Comparing
    from convert.suites.grouping import Case
    from convert.suites.logs import SamePrompt


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


class Prompted(Struct, frozen=True):
    """A log whose prompt is asked for."""

    path: str
    source: str

    @property
    def paths(self) -> tuple[str, ...]:
        """Its path alone."""
        return (self.path,)


class Grouped(Struct, frozen=True):
    """The logs that have one prompt, which is asked for as it is shown."""

    paths: SamePrompt
    sources: tuple[str, ...]
    """The formats of the logs."""


class Compared(Struct):
    """The result of a case, and what there is to tell about its logs."""

    outcome: CaseOutcome
    told: list[tuple[str, Told]] = []
    has_died: bool = False
    """The process that compared it has died, which has been printed."""


def compare(comparison: Comparison, case: Case) -> Compared:
    """Compare one case; one that fails does not stop the others."""
    try:
        return _compared_case(comparison, case)
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


def _compared_case(comparison: Comparison, case: Case) -> Compared:

    told: list[tuple[str, Told]] = []
    sources: dict[str, str] = {}
    directories: dict[str, str] = {}
    for paths, source, directory in zip(
        case.sides, comparison.sources, comparison.directories, strict=True
    ):
        sources |= dict.fromkeys(paths, source)
        directories |= dict.fromkeys(paths, directory)
    reading = comparison.reading.replace(is_found=True)
    if reading.redact:
        reading = _with_known(sources, reading)

    def read(path: str, settings: Settings) -> Side:
        of = sources[path], directories[path]
        return _read(path, *of, reading, settings, comparison, told)

    outcome = compare_case(case, read, comparison.how)
    # A log may have been read again with the settings that another brings.
    return Compared(outcome, [*dict(told).items()])


def _with_known(sources: dict[str, str], reading: Reading) -> Reading:
    """Read the logs of a case for their secrets, so that none shows in another."""

    for path, source in sources.items():
        reading = with_known(bytes_of(path), source, reading)
    return reading


def _read(
    path: str,
    source: str,
    directory: str,
    reading: Reading,
    settings: Settings,
    comparison: Comparison,
    told: list[tuple[str, Told]],
) -> Side:
    """Read one log; what there is to tell about it is told of all logs in sum."""

    messages = Messages(path, is_quiet=True, is_strict=comparison.is_strict)
    with contextlib.closing(bytes_of(path)) as pieces:
        side = read_side(
            pieces, source, comparison.run, reading, settings, messages.warn, directory
        )
    messages.end(side.lines, side.unknown, "not compared", side.redacted)
    if messages.told is not None:
        told.append((path, messages.told))
    return side


def prompt_of(comparison: Comparison, log: Prompted) -> str | None:
    """Return the prompt of a log; None if it cannot be read, which shows later."""

    reading = comparison.reading.replace(is_found=True)
    try:
        with contextlib.closing(bytes_of(log.path)) as pieces:
            return first_prompt(pieces, log.source, reading, comparison.how.settings)
    except RunconvError:
        return None


def redacted_prompt_of(comparison: Comparison, logs: Grouped) -> str | None:
    """Return the prompt of some logs as it is shown; None if one cannot be read."""

    reading = comparison.reading.replace(is_found=True)
    opened = [
        (functools.partial(bytes_of, path), source)
        for path, source in zip(logs.paths, logs.sources, strict=True)
    ]
    try:
        return redacted_prompt(opened, reading, comparison.how.settings)
    except RunconvError:
        return None
