"""The terminal: its size, its colours, and escapes that make output harmless there.

Some escapes are for the log of a CI runner, which obeys commands in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from convert.cli.commands import NARROWEST
from convert.wording.escapes import (
    ShownAs,
    bytes_spelled,
    escape_controls,
    escape_controls_in_json,
    escape_runner_commands,
    escape_runner_commands_in_json,
    spelled,
)

_USUAL_WIDTH = 100
_USUAL_HEIGHT = 24
ERASED = b"\r\x1b[J"
"""The bytes that remove all lines below the cursor, which goes to the beginning."""
# Lines that are too wide are cut, and take one row each.
_NO_WRAP, _WRAP = b"\x1b[?7l", b"\x1b[?7h"


def width() -> int:
    """Return the columns of the terminal, of COLUMNS, or else a fixed number."""
    limit = columns()
    return max(limit, NARROWEST) if limit else _USUAL_WIDTH


def columns() -> int:
    """Return the columns of the terminal, else those of COLUMNS, 0 if unknown.

    A terminal that does not know its size reports 0 columns.
    """
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        named = os.environ.get("COLUMNS", "")
        return int(named) if named.isdecimal() and len(named) < 6 else 0


def height() -> int:
    """Return the rows of the terminal; a fixed number if it does not know them."""
    return os.get_terminal_size(1).lines or _USUAL_HEIGHT


def shows_blocks() -> bool:
    """Return True if standard output can show blocks, which only UTF-8 has here.

    If it is no terminal, it gets UTF-8 in any case.
    """
    if not os.isatty(1):
        return True
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next(filter(None, map(os.environ.get, names)), "")
    return os.name == "nt" or "utf" in locale.lower()


def is_coloured(choice: str, file: int) -> bool:
    """Return True if colours are wanted on standard output (1) or error (2).

    For `auto`, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR decide in this order; without
    them, a terminal has colours.
    """
    if choice != "auto":
        return choice == "always"
    setting = os.environ.get
    if setting("NO_COLOR"):
        return False
    if any(
        setting(name, "0") not in ("", "0")
        for name in ("CLICOLOR_FORCE", "FORCE_COLOR")
    ):
        return True
    return os.isatty(file) and setting("TERM") != "dumb"


def is_ci() -> bool:
    """Return True if nobody watches: the runners of CI set this variable."""
    return os.environ.get("CI", "").lower() in ("true", "1")


Escape = Callable[[str], str]


def escape_for_display(shown_as: ShownAs, file: int) -> Escape | None:
    """Return the function that escapes the output of an open file; None for none."""
    for_terminal = escape_for_terminal(shown_as) if os.isatty(file) else None
    for_runner = escape_for_runner(shown_as, file)
    if for_terminal is None or for_runner is None:
        return for_terminal or for_runner
    return lambda text: for_runner(for_terminal(text))


def escape_for_terminal(shown_as: ShownAs) -> Escape:
    """Return the function that escapes the characters that control a terminal."""
    if shown_as == "json":
        return escape_controls_in_json
    return escape_controls


def escape_for_runner(shown_as: ShownAs, file: int) -> Escape | None:
    """Return the function that escapes commands of a runner; None if it reads nothing.

    It reads a pipe. A regular file is for other programs, which need its bytes.
    """
    if not _is_in_runner() or shown_as == "bytes" or _is_regular(file):
        return None
    if shown_as == "json":
        return escape_runner_commands_in_json
    return escape_runner_commands


def escape_message(message: str) -> str:
    """Return a message that is harmless wherever it is shown."""
    message = escape_controls(message.translate(bytes_spelled()))
    return escape_runner_commands(message) if _is_in_runner() else message


def redrawn(lines: list[bytes]) -> bytes:
    """Return the bytes that write lines below the cursor, which stays where it is."""
    up = len(lines) - 1
    back = b"\x1b[%dA\r" % up if up > 0 else b"\r"
    return b"".join([ERASED, _NO_WRAP, b"\r\n".join(lines), _WRAP, back])


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
