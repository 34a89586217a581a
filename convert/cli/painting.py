"""Lines of styled text as bytes: with the colours and the signs that can be shown."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from convert.cli.terminal import is_coloured

if TYPE_CHECKING:
    from rich.text import Text

# Signs of ours, and what stands for them where the encoding has none of them.
_PLAIN = {
    **dict.fromkeys("▁▂▃▄▅▆▇█", "#"),
    **dict.fromkeys("▌│┆", "|"),
    **dict.fromkeys("─–−", "-"),
    **dict.fromkeys("•·⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "*"),
    "…": "~",
}


class Painter:
    """Makes bytes of lines, as standard output can show them.

    Files and pipes get UTF-8; a terminal may have another encoding.
    """

    def __init__(self, choice: str) -> None:
        self.is_coloured = is_coloured(choice, 1)
        encoding = sys.stdout.encoding if os.isatty(1) and sys.stdout else "utf-8"
        self._encoding = encoding
        self._signs = str.maketrans(
            {sign: plain for sign, plain in _PLAIN.items() if not self._has(sign)}
        )

    def painted(self, line: Text) -> bytes:
        """Return a line with its line feed."""
        from convert.show.cells import painted

        text = painted(line) if self.is_coloured else line.plain
        return f"{text.translate(self._signs)}\n".encode(self._encoding, "replace")

    def _has(self, sign: str) -> bool:
        try:
            sign.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True
