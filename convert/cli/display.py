"""Escapes that make output harmless where a terminal or a runner's log displays it."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Callable

from convert.wording import sanitise
from convert.wording.paths import BYTES, spelled
from convert.wording.sanitise import ShownAs

Escape = Callable[[str], str]


def escape_for_display(shown_as: ShownAs, file: int) -> Escape | None:
    """Return what has to be done to output in an open file; None for nothing."""
    escapes = [escape_for_terminal(shown_as)] if os.isatty(file) else []
    if (for_runner := escape_for_runner(shown_as, file)) is not None:
        escapes.append(for_runner)
    if not escapes:
        return None
    return lambda text: functools.reduce(
        lambda done, escape: escape(done), escapes, text
    )


def escape_for_terminal(shown_as: ShownAs) -> Escape:
    """Return what escapes the characters that control a terminal."""
    if shown_as == "json":
        return sanitise.escape_controls_in_json
    return sanitise.escape_controls


def escape_for_runner(shown_as: ShownAs, file: int) -> Escape | None:
    """Return what escapes the commands of a runner; None unless it reads the output.

    It reads a pipe. A regular file is for other programs, which need its bytes.
    """
    if not _is_in_runner() or shown_as == "bytes" or _is_regular(file):
        return None
    if shown_as == "json":
        return sanitise.escape_runner_commands_in_json
    return sanitise.escape_runner_commands


def escape_message(message: str) -> str:
    """Return a message that is harmless wherever it is shown."""
    message = sanitise.escape_controls(message.translate(BYTES))
    return sanitise.escape_runner_commands(message) if _is_in_runner() else message


def shown_path(path: str) -> str:
    """Return a path for a message: on one line, and with a sign for each character."""
    shown = spelled(path)
    return shown if shown.strip() else f"'{shown}'"


def _is_in_runner() -> bool:
    """Return True in a step of a GitHub runner."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _is_regular(file: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file).st_mode)
    except OSError:
        return False
