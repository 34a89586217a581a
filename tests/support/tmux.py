"""A terminal to run commands in: a pane of tmux, on a server of its own."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.shell import SCRIPTS
from support.systems import make_pipe

needs_tmux = pytest.mark.skipif(
    shutil.which("tmux") is None,
    reason="needs tmux, which scripts/setup --tmux installs",
)
# In seconds; a terminal that takes longer will not show the expected text.
_DEADLINE = 30
_ENDED = "exit status"


class Terminal:
    """A pane in which a command runs."""

    def __init__(self, folder: str) -> None:
        self._tmux = ["tmux", "-u", "-f", os.devnull, "-S", f"{folder}/s"]
        self._written = f"{folder}/written"
        make_pipe(self._written)
        # Open on both sides: it never ends.
        self._changes = os.open(self._written, os.O_RDWR)

    def start(
        self, command: str, folder: Path, size: tuple[int, int], **environment: str
    ) -> None:
        """Run a command of a shell in a new pane of this size."""
        columns, rows = size
        usual = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        usual["TERM"] = "screen-256color"
        words = [f"{name}={value}" for name, value in (usual | environment).items()]
        words += ["sh", "-c", f'trap : INT; {command}; echo "{_ENDED} $?"; exec cat']
        window = ["-d", "-x", str(columns), "-y", str(rows), "-c", str(folder)]
        self.run("new-session", *window, "env", "-i", *words)
        self.run("pipe-pane", f"exec cat > {self._written}")

    def run(self, *words: str) -> str:
        """Run a command of tmux; return its output."""
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, check=True, timeout=_DEADLINE
        )
        return done.stdout.decode()

    def shown(self, *, scrolled: bool = False) -> str:
        """Return the text of the screen, and of the lines above it if asked."""
        above = ["-S", "-"] if scrolled else []
        return self.run("capture-pane", "-p", *above).rstrip("\n")

    def coloured(self) -> str:
        """Return the text of the screen with the sequences for its colours."""
        return self.run("capture-pane", "-p", "-e", "-S", "-").rstrip("\n")

    def wait_for(self, is_so: Callable[[str], object] | str) -> str:
        """Return the text of the screen as soon as it is so, or has this in it."""
        if isinstance(is_so, str):
            expected = is_so
            return self.wait_for(lambda shown: expected in shown)
        deadline = time.monotonic() + _DEADLINE
        while not is_so(shown := self.shown()):
            left = max(0, deadline - time.monotonic())
            # Output that is written after the screen was captured is still to be read.
            if not select.select([self._changes], [], [], left)[0]:
                raise AssertionError(f"never shown:\n{shown}")
            os.read(self._changes, 1 << 16)
        return shown

    def wait_for_end(self) -> int:
        """Return the exit status of the command."""
        shown = self.wait_for(_ENDED)
        return int(shown.rpartition(_ENDED)[2].split()[0])

    def press(self, *keys: str) -> None:
        """Press keys, by the names that tmux has for them."""
        self.run("send-keys", *keys)

    def close(self) -> None:
        """End whatever still runs."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("kill-server")
        os.close(self._changes)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal larger or smaller."""
        self.run("resize-window", "-x", str(columns), "-y", str(rows))


@contextlib.contextmanager
def terminal() -> Iterator[Terminal]:
    """Yield a terminal, which is gone after the block."""
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="tmux-") as folder:
        made = Terminal(folder)
        try:
            yield made
        finally:
            made.close()
