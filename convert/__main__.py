"""`python -m convert` and the command `runconv`."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from convert.errors import ExitStatus


def command() -> NoReturn:
    """Run the command line and end at once.

    Nothing is buffered by then. To clear up what ends with the process would take 5 ms,
    a tenth of a short conversion.
    """
    os._exit(main())


def main() -> int:
    """Run the command line; an interrupt ends it quietly, wherever it is."""
    _open_what_is_closed()
    _leave_line_feeds_alone()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception would unwind half an import; there is nothing to clean up.
        signal.signal(signal.SIGINT, lambda *_: os._exit(ExitStatus.INTERRUPTED))
    from convert.cli import run

    try:
        return run(sys.argv[1:])
    except BrokenPipeError:
        return ExitStatus.PIPE_CLOSED


def _open_what_is_closed() -> None:
    """Let no file that is opened later take the place of a standard stream.

    What is closed cannot be written to, so writing to it still fails.
    """
    for file in range(3):
        try:
            os.fstat(file)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _leave_line_feeds_alone() -> None:
    """Let Windows translate no line feed on the standard streams."""
    if sys.platform == "win32":
        import msvcrt

        for file in range(3):
            msvcrt.setmode(file, os.O_BINARY)


if __name__ == "__main__":
    command()
