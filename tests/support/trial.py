"""One thing to do with a log, and what is wrong if that goes wrong."""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import convert

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_PACKAGE = Path(convert.__file__).parent


class BrokenError(Exception):
    """A promise that was not kept."""


class HangError(BaseException):
    """The time is over; nothing that is tried catches this by accident."""


class Trial(NamedTuple):
    """One thing to do with a log; `other` is the log that it is compared with."""

    what: str
    run: Callable[[bytes], None]
    other: bytes | None = None


class Bug(NamedTuple):
    """What went wrong, in the same words whenever it does, and where."""

    what: str
    details: str


def symptom(trial: Trial, log: bytes, limit: float) -> Bug | None:
    """What goes wrong in a trial with a log, if anything does."""
    try:
        with _alarm(limit):
            trial.run(log)
    except convert.RunconvError:
        return None
    except (Exception, HangError) as error:
        return Bug(_place(error), traceback.format_exc(limit=-30))
    return None


def _place(error: BaseException) -> str:
    """An error, and the last place in the package that it comes from."""
    if isinstance(error, BrokenError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f" in {Path(frame.filename).relative_to(_PACKAGE)}, {frame.name}"
        for frame in frames
        if _PACKAGE in Path(frame.filename).parents
    ]
    # A hang is wherever the alarm finds it.
    name = type(error).__name__
    return name if isinstance(error, HangError) else name + (places or [""])[-1]


@contextmanager
def _alarm(limit: float) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise HangError(f"longer than {limit:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
