"""The first prompt of a log, by which cases are told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from convert.diff.normalise import Normaliser
from convert.errors import ignore
from convert.model.events import Prompt, Start
from convert.model.needs import Needs
from convert.options import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, events_of, with_known
from convert.suite.environment import without_times

# Logs that have one prompt, by their paths.
Group = tuple[str, ...]


class Prompts(Struct, frozen=True):
    """How to get the prompts of logs."""

    of: Callable[[list[str]], Mapping[str, str | None]]
    """Returns the prompts of logs by their paths, as they are.

    None is for one that cannot be read, which shows when it is compared.
    """

    redacted: Callable[[list[Group]], list[str | None]] | None
    """Returns the prompt of each group of logs as it is shown; None to show all."""


_NEEDS = Needs(text=True, figures=True)


def first_prompt(log: Log, format: str, reading: Reading, settings: Settings) -> str:
    """Return the first prompt of a log after the rules for noise; "" for none.

    It is not redacted: other secrets make other prompts. A log is read up to there.
    Raises RunconvError for one that cannot be read.
    """
    unredacted = reading.replace(redact=False, redact_patterns=())
    return _first_prompt(log, format, unredacted, settings)


def redacted_prompt(
    logs: Iterable[tuple[Callable[[], Log], str]], reading: Reading, settings: Settings
) -> str:
    """Return the prompt that logs have in common, without what any tells is secret.

    Each log is opened anew for each reading, and has its format. Raises RunconvError if
    the first cannot be read.
    """
    opened = [*logs]
    for open_log, format in opened:
        reading = with_known(open_log(), format, reading)
    first, format = opened[0]
    return _first_prompt(first(), format, reading, settings)


def _first_prompt(log: Log, format: str, reading: Reading, settings: Settings) -> str:
    directory = ""
    for event in events_of(log, format, _NEEDS, reading, ignore):
        if isinstance(event, Start) and event.directory:
            directory = event.directory
        if isinstance(event, Prompt) and event.text.strip():
            text = Normaliser(settings, directory).prose(event.text)
            return text if settings.raw else without_times(text)
    return ""
