"""The first prompt of a log, by which cases are told apart."""

from __future__ import annotations

from convert.diff.normalise import Normaliser
from convert.errors import ignore
from convert.model.events import Prompt, Start
from convert.model.needs import Needs
from convert.options import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, events_of

_NEEDS = Needs(text=True, figures=True)


def first_prompt(log: Log, format: str, reading: Reading, settings: Settings) -> str:
    """Return the first prompt of a log after the rules for noise; "" for none.

    A log is read up to there. Raises RunconvError for one that cannot be read.
    """
    directory = ""
    for event in events_of(log, format, _NEEDS, reading, ignore):
        if isinstance(event, Start) and event.directory:
            directory = event.directory
        if isinstance(event, Prompt) and event.text.strip():
            return Normaliser(settings, directory).prose(event.text)
    return ""
