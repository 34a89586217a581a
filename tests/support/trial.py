"""A trial of one log, and the bug that it may find."""

from __future__ import annotations

import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import convert

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_PACKAGE = Path(convert.__file__).parent


class BrokenError(Exception):
    """A property that does not hold."""


class HangError(BaseException):
    """The time limit is over. A BaseException, so that `except Exception` misses it."""


class Trial(NamedTuple):
    """An action to try on a log; `other` is the log to compare it with."""

    what: str
    run: Callable[[bytes], None]
    other: bytes | None = None


class Bug(NamedTuple):
    """A failure: a description that is stable between runs, and its traceback."""

    what: str
    details: str


def from_deep_stack(frames: int, action: Callable[[], None]) -> None:
    """Do something as a caller does whose own stack has so many more frames."""
    if frames > 0:
        from_deep_stack(frames - 1, action)
    else:
        action()


def stack() -> int:
    """Return the number of frames of the caller."""
    frame = sys._getframe().f_back
    frames = 0
    while frame is not None:
        frames += 1
        frame = frame.f_back
    return frames


def symptom(trial: Trial, log: bytes, limit: float) -> Bug | None:
    """Run a trial with a log; return the bug that it finds."""
    try:
        with _alarm(limit):
            trial.run(log)
    except convert.RunconvError:
        return None
    except (Exception, HangError) as error:
        return Bug(_place(error), traceback.format_exc(limit=-30))
    return None


def _place(error: BaseException) -> str:
    """Name an error and the innermost function of the package that raised it."""
    if isinstance(error, BrokenError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f" in {Path(frame.filename).relative_to(_PACKAGE)}, {frame.name}"
        for frame in frames
        if _PACKAGE in Path(frame.filename).parents
    ]
    # The place of a hang is arbitrary, so it is dropped.
    name = type(error).__name__
    return name if isinstance(error, HangError) else name + (places or [""])[-1]


@contextmanager
def _alarm(limit: float) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise HangError(f"longer than {limit:g} s")

    # Processor time: a busy machine is no hang.
    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
