"""The side of a terminal on which its user is."""

from __future__ import annotations

import os


def read_terminal(terminal: int) -> str:
    """Read a terminal until its other side is closed, then close it."""
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:
        pass  # The other side of a terminal ends with an error on Linux.
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")
