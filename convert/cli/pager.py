"""The pager, which shows lines that are longer than the screen."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

from convert.cli.destination import height, is_ci
from convert.wording import split_command

_USUAL = "less -RFX"
# Lets a `less` that PAGER names show colours, and end on a short text, as git does. On
# Windows, no locale says that the text is UTF-8.
_SETTINGS = {"LESS": "RFX"} | ({"LESSCHARSET": "utf-8"} if os.name == "nt" else {})


def show_in_pager(lines: list[bytes]) -> bool:
    """Show lines in a pager, and return True; return False if they are to be printed.

    They are to be printed without a terminal, in CI, if they fit on the screen, and
    without a pager.
    """
    if not os.isatty(1) or is_ci() or len(lines) < height():
        return False
    words = _words_of_pager()
    if not words:
        return False
    environment = {**_SETTINGS, **os.environ}
    # An interrupt is for the pager; one that ends it leaves the terminal as it was.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    # Windows starts a script such as `less.cmd` by its whole path only.
    words[0] = shutil.which(words[0]) or words[0]
    try:
        pager = subprocess.Popen(words, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    else:
        # It does not matter if the user leaves the pager before the end.
        pager.communicate(b"".join(lines))
        return True
    finally:
        signal.signal(signal.SIGINT, before)


def _words_of_pager() -> list[str]:
    """Return the words of the pager; none if there is no such program."""
    named = os.environ.get("PAGER")
    try:
        words = split_command(_USUAL if named is None else named)
    except ValueError:
        return []
    return words if words and shutil.which(words[0]) else []
