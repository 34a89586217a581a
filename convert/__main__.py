"""`python -m convert` and the command `runconv`."""

from __future__ import annotations

# The module signal makes enums of its numbers first, which takes 1.5 % of a short
# conversion.
import _signal as signal  # type: ignore[import-not-found]
import gc
import os
import sys
from typing import NoReturn

from convert.errors import ExitStatus

# Made beforehand: there may be no memory left to make them.
_NO_MEMORY = b"runconv: out of memory\n"


def command() -> NoReturn:
    """Run the command line and end at once.

    Nothing is buffered at the end, and without the interpreter's cleanup a short
    conversion takes 5 ms less, a tenth. Hardly any objects refer to each other in
    circles, so a search for them after every 700 new ones would take several percent.
    """
    gc.set_threshold(50_000, 20)
    page = _console_in_utf_8()
    status = main()
    if page:
        _use_page(page)
    os._exit(status)


def main() -> int:
    """Run the command line; an interrupt ends it without a traceback.

    So does a failure that nothing expects, unless Python runs in its mode for
    developers (`python -X dev -m convert`).
    """
    _open_closed_streams()
    _keep_line_feeds()
    if not sys.flags.dev_mode:
        # Without memory, Python prints a traceback for objects that it cannot clean up.
        sys.unraisablehook = lambda _: None
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception could leave an import half done; nothing needs cleaning up.
        signal.signal(signal.SIGINT, lambda *_: os._exit(ExitStatus.INTERRUPTED))
    try:
        from convert.cli import run

        return run(sys.argv[1:])
    except BrokenPipeError:
        return ExitStatus.PIPE_CLOSED
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        if isinstance(error, MemoryError):
            # This frees all that the failed calls hold.
            error.__traceback__ = error.__context__ = None
        return _fail(error)


def _fail(error: Exception) -> int:
    """Print why the command cannot continue; return the exit status for trouble."""
    try:
        from convert.cli.messages import failure_in_words, say

        say(failure_in_words(error))
    except Exception:
        # The system has no memory or no file left even for the words.
        try:
            os.write(2, _NO_MEMORY)
        except Exception:
            return ExitStatus.TROUBLE
    return ExitStatus.TROUBLE


def _open_closed_streams() -> None:
    """Open closed standard streams, so that no other file gets their numbers.

    They are opened for reading only: writing to them still fails.
    """
    for file in range(3):
        try:
            os.fstat(file)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _keep_line_feeds() -> None:
    """Turn off the translation of line feeds on Windows."""
    if sys.platform == "win32":
        import msvcrt

        for file in range(3):
            msvcrt.setmode(file, os.O_BINARY)


def _console_in_utf_8() -> int:
    """Let a console of Windows read UTF-8 and colours; return its code page, else 0."""
    if sys.platform != "win32" or not (os.isatty(1) or os.isatty(2)):
        return 0
    import ctypes
    import msvcrt

    system = ctypes.windll.kernel32
    before: int = system.GetConsoleOutputCP()
    _use_page(_UTF_8)
    for file in filter(os.isatty, (1, 2)):
        console = ctypes.c_void_p(msvcrt.get_osfhandle(file))
        mode = ctypes.c_uint32()
        if system.GetConsoleMode(console, ctypes.byref(mode)):
            system.SetConsoleMode(console, mode.value | _OBEYS_SEQUENCES)
    return before


def _use_page(page: int) -> None:
    """Let the console of Windows read bytes by this code page."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetConsoleOutputCP(page)


# As Windows numbers them: a code page, and a mode in which a console has colours.
_UTF_8, _OBEYS_SEQUENCES = 65001, 4


if __name__ == "__main__":
    command()
