"""Errors that stop a command, its exit statuses, and the type of a warning.

    RunconvError          exit 2
    ├── UsageError        the caller asks for something impossible
    ├── InputError        a log cannot be read, or holds nothing usable
    │   ├── NotALogError  it is no log of an agent at all
    │   └── NoEventsError it holds no event
    ├── OutputError       the output cannot be written
    ├── EngineError       the machines that do the work are gone
    └── NoResultError     exit 1: a run without a result has no json object

Any other exception is a bug, or the system has no memory, process or file left. The
command prints one line and exits with 2; for Python callers it keeps its traceback.

A message about a mistyped name asks for the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from errno import ENOENT

# Called with the number of a line (None for the log as a whole), the reason of the
# warning, and the action that the reader took ("" for none). The command prints it.
Warn = Callable[[int | None, str, str], None]


class Notice(str):
    """The reason of a warning that is worth knowing and no damage."""


EMPTY_LOG = "the log is empty; check that the agent wrote its output to it"
"""The message of the InputError for a log without anything."""


class ExitStatus:
    """How a command ended; several names of one number are several reasons for it.

    They are plain numbers: Python takes longer to make an enum than to read a log.
    """

    CONVERTED = 0
    SAME = 0
    DIFFERENT = 1
    NO_RESULT = 1
    RUN_FAILED = 1
    TROUBLE = 2
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class RunconvError(Exception):
    """An error with a message for the user: the cause, and a remedy.

    `line` is the number of the line in the log, None for the log as a whole.
    """

    exit_status = ExitStatus.TROUBLE

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class UsageError(RunconvError):
    """The caller asks for something impossible."""


class InputError(RunconvError):
    """A log cannot be read, or holds nothing usable."""


class NotALogError(InputError):
    """A file is no log of an agent whose logs are read.

    `agent` is the agent that wrote it; "" if none is known.
    """

    def __init__(self, message: str, agent: str = "") -> None:
        super().__init__(message)
        self.agent = agent


class NoEventsError(InputError):
    """A log holds no event."""


class OutputError(RunconvError):
    """The output cannot be written."""


class EngineError(RunconvError):
    """The machines that do the work are gone; finished work is kept."""


class NoResultError(RunconvError):
    """A run without a result has no json object."""

    exit_status = ExitStatus.NO_RESULT


def system_reason(error: OSError) -> str:
    """Return the reason of an error as the system gives it, in lower case."""
    return (error.strerror or str(error)).lower()


def temporary_folder_error(error: OSError) -> str:
    """Return the message that the temporary folder is not writable, and a remedy."""
    # The words for a missing folder name all folders that were tried.
    why = "there is none" if error.errno == ENOENT else str(error.strerror).lower()
    return f"cannot write to the temporary folder: {why}; name another in TMPDIR"


def ignore(line: int | None, reason: str, action: str) -> None:
    """Ignore a warning; a `Warn` for callers who do not want any."""


def warning(reason: str, action: str) -> str:
    """Put a warning into words: the reason, a comma and the action."""
    return f"{reason}, {action}" if action else reason


def nearest(word: str, names: Iterable[str], least: float = 0.6) -> str | None:
    """Return the name that is most similar to a word, whatever the case of letters.

    None if none has a similarity of `least`, from 0 to 1.
    """
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in sorted(names)}
    near = get_close_matches(word.casefold(), folded, 1, least)
    return folded[near[0]] if near else None


def did_you_mean(word: str, names: Iterable[str], otherwise: str) -> str:
    """Return a question with the nearest name; `otherwise` if none is near."""
    near = nearest(word, names)
    return f"did you mean {near}?" if near else otherwise


def with_nearest(word: str, names: Iterable[str], advice: str) -> str:
    """Return an advice, after a question with the nearest name if one is near."""
    near = nearest(word, names)
    return f"did you mean {near}? {advice}" if near else advice
