"""How large a terminal is, and whether colours are wanted."""

from __future__ import annotations

import os

from convert.cli.options import NARROWEST

_USUAL_WIDTH = 100
_USUAL_HEIGHT = 24
_FORCED = ("CLICOLOR_FORCE", "FORCE_COLOR")


def width() -> int:
    """Return the columns of the terminal, of COLUMNS, or else a fixed number."""
    columns = _columns()
    return max(columns, NARROWEST) if columns else _USUAL_WIDTH


def has_width() -> bool:
    """Tell whether a terminal or COLUMNS limits how wide lines are."""
    return bool(_columns())


def _columns() -> int:
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
    """Tell whether standard output can show blocks, which only UTF-8 has here.

    If it is no terminal, it gets UTF-8 in any case.
    """
    if not os.isatty(1):
        return True
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next(filter(None, map(os.environ.get, names)), "")
    return os.name == "nt" or "utf" in locale.lower()


def is_coloured(choice: str, file: int) -> bool:
    """Tell whether colours are wanted on standard output (1) or standard error (2).

    For `auto`, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR decide in this order, and
    without them, whether the file is a terminal.
    """
    if choice != "auto":
        return choice == "always"
    setting = os.environ.get
    if setting("NO_COLOR"):
        return False
    if any(setting(name, "0") not in ("", "0") for name in _FORCED):
        return True
    return os.isatty(file) and setting("TERM") != "dumb"


def is_ci() -> bool:
    """Tell if nobody is at the desk: the runners of CI set this variable."""
    return os.environ.get("CI", "").lower() in ("true", "1")
