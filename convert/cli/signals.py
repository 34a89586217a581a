"""Signals that end the command politely: no half file is left behind."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

_POLITE = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
]
# What a worker does with them while it converts.
_handlers: dict[int, Any] = {}


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


def wait_undisturbed() -> None:
    """Let no signal break a worker off while it waits for work.

    It may hold what the other workers need to go on; the command ends them all.
    """
    unwind_on_signals()
    for number in _POLITE:
        _handlers[number] = signal.signal(number, _stay)


@contextlib.contextmanager
def disturbed() -> Iterator[None]:
    """Let signals end what a worker does meanwhile."""
    for number, handler in _handlers.items():
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in _handlers:
            signal.signal(number, _stay)
