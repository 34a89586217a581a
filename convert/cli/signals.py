"""Signals that end the command raise SystemExit, so no unfinished file remains."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

# Those that ask a command to end.
ENDING = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
]


def exit_on_signals() -> None:
    """Raise SystemExit when a signal asks the command to end."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit)
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _exit_soon


def _exit_soon(unraised: sys.UnraisableHookArgs) -> None:
    """End the command a little later where Python cannot raise SystemExit.

    It cannot in a callback, such as the one with which an import frees its lock; the
    command would go on, and no other signal would end it.
    """
    if isinstance(unraised.exc_value, SystemExit):
        code = unraised.exc_value.code
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(code))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    elif sys.flags.dev_mode:
        sys.__unraisablehook__(unraised)


@contextlib.contextmanager
def held_signals() -> Iterator[None]:
    """Let a block end before a signal ends the command; a second signal does at once.

    An upload that has begun is then known, so that it can be given up.
    """
    came: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if came:
            _exit(number, frame)
        came.append(number)

    held = [number for number in ENDING if signal.getsignal(number) is _exit]
    for number in held:
        signal.signal(number, hold)
    try:
        yield
    finally:
        # After a second signal, none is handled any more.
        if all(signal.getsignal(number) is hold for number in held):
            for number in held:
                signal.signal(number, _exit)
        if came:
            _exit(came[0], None)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the removal of unfinished files.
    for other in ENDING:
        signal.signal(other, _do_nothing)
    raise SystemExit(128 + number)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Replace SIG_IGN: Python prints an error if a signal is pending when it is set."""
