"""Signals that end the command politely: no half file is left behind."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

_POLITE = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
]


def unwind_on_signals() -> None:
    """Let a signal end the command as an exception, which clears up."""
    for number in _POLITE:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    # Another signal must not break off what clears up.
    for other in _POLITE:
        signal.signal(other, _stay)
    raise SystemExit(128 + number)


def _stay(number: int, frame: FrameType | None) -> None:
    """Do nothing: Python complains of one that is ignored when it has just come."""
