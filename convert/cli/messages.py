"""Messages on standard error: their form, the counts of similar ones, and failures.

A failure that nothing expects ends the command with the status for trouble and one
line, because the status that Python uses for a traceback is that of a verdict.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.destination import (
    Place,
    escape_message,
    is_coloured,
    shown_path,
    writing_to,
)
from convert.errors import InputError, Notice, OutputError, RunconvError, warning
from convert.wording.escapes import one_line
from convert.wording.paths import harmless, is_url

if TYPE_CHECKING:
    from convert.model.events import End, EndOfLog
    from convert.wording.styles_and_columns import Colour

_NAME = "runconv:"
# How many warnings of a kind are printed as they come.
_SHOWN = 3
# How many unknown event types are named.
_NAMED = 10

# The format, the agent and its version, of a log that names the version.
Build = tuple[str, str, str]


class LogNotes(Struct, frozen=True, omit_defaults=True):
    """The warnings and notices about a log that has been read, printed or not."""

    warnings: tuple[tuple[str, str, int, int], ...] = ()
    """The reason and action of each, how often it came, and its first line."""

    unknown: dict[str, int] = {}
    redacted: dict[str, int] | None = None
    notices: tuple[str, ...] = ()
    """Things worth knowing that are no damage."""

    build: Build | None = None
    """The format, the agent and its version, if there are unknown events."""


class Messages:
    """The messages about one log: the first of a kind as they come, then their number.

    `flush` writes out the converted part, so that it appears before the message.
    """

    def __init__(
        self,
        name: str,
        *,
        is_quiet: bool,
        is_strict: bool,
        flush: Callable[[], None] = lambda: None,
    ) -> None:
        self._name = name
        self._flush = flush
        self._is_quiet = is_quiet
        self._is_strict = is_strict
        # How many warnings of each kind there were, and the first lines and the last.
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lines: dict[tuple[str, str], list[int]] = {}
        self._unknown: dict[str, int] = {}
        self._redacted: dict[str, int] | None = None
        self._build: Build | None = None
        self._notices: list[str] = []

    @property
    def has_warned(self) -> bool:
        """There was a warning, printed or not."""
        return bool(self._counts)

    @property
    def notes(self) -> LogNotes | None:
        """Everything but errors; None for most logs, which have nothing."""
        has_any = self._counts or self._unknown or self._notices
        if not has_any and self._redacted is None:
            return None
        warnings = tuple(
            (*kind, count, self._lines[kind][0]) for kind, count in self._counts.items()
        )
        notices = (*self._notices,)
        return LogNotes(warnings, self._unknown, self._redacted, notices, self._build)

    def warn(self, line: int | None, reason: str, action: str) -> None:
        """Print the first warnings of a kind; with `--strict`, raise InputError.

        A notice is printed and is no warning.
        """
        if isinstance(reason, Notice):
            self._notices.append(reason)
            self.notice(line, reason)
            return
        if self._is_strict:
            raise InputError(f"{warning(reason, action)} (--strict)", line)
        kind = reason, action
        self._counts[kind] += 1
        self._lines.setdefault(kind, [])[_SHOWN:] = [line or 0]
        if self._counts[kind] <= _SHOWN:
            self._say(line, warning(reason, action), "yellow")

    def notice(self, line: int | None, message: str) -> None:
        """Print a fact that is worth knowing and no damage."""
        self._say(line, f"notice: {message}")

    def error(self, error: RunconvError) -> None:
        """Print the error that stopped the reading, even with `--quiet`."""
        self._flush()
        say(self._where(error.line) + error.message)

    def end(self, log: EndOfLog, fate: str, *, counts_stderr: bool = False) -> None:
        """Print the counts for a log that has ended.

        `fate` says if events of unknown types are kept, read or shown, and
        `counts_stderr` that lines of standard error are worth a notice.
        """
        for (reason, action), count in self._counts.items():
            if count > _SHOWN:
                gap = " …" if count > _SHOWN + 1 else ""
                *first, last = self._lines[reason, action]
                at = f"{', '.join(map(str, first))},{gap} {last}"
                kind = f"{action} ({reason})" if action else reason
                self._say(None, f"{log.line} lines, {count} {kind}: {at}", "yellow")
        unknown = log.unknown
        if unknown and fate.startswith("not "):
            unknown = self._warn_of_agents(unknown)
        self._unknown, self._redacted = unknown, log.redacted
        if unknown:
            self._build = log.build
            words = unknown_words(unknown, fate) + untested_words([log.build])
            self.notice(None, words)
        if log.stderr_lines and counts_stderr:
            self.notice(None, stderr_words(log.stderr_lines))
        if log.redacted is not None:
            self.notice(None, redacted_words(log.redacted))

    def _warn_of_agents(self, unknown: dict[str, int]) -> dict[str, int]:
        """Warn of events that are those of another agent; return the others."""
        from convert.source.look_alikes import of_agents
        from convert.wording.numbers import count

        found = of_agents(unknown)
        for agent, names in found.items():
            events = sum(names.values())
            look = "looks" if events == 1 else "look"
            reason = f"{count(events, 'event')} {look} like a log of {agent}"
            self.warn(None, reason, "not read; split the log")
        known = set().union(*found.values())
        return {name: times for name, times in unknown.items() if name not in known}

    def _say(
        self, line: int | None, message: str, colour: Colour | None = None
    ) -> None:
        if not self._is_quiet:
            self._flush()
            say(self._where(line) + message, colour)

    def _where(self, line: int | None) -> str:
        return f"{self._name}:{line}: " if line else f"{self._name}: "


def notice_running(
    messages: Messages, log: str, last: End | None, run: int | None
) -> None:
    """Print a notice if the last run of a log may go on, whatever its words say."""
    if last is None or last.state in ("success", "error") or run not in (None, -1):
        return
    if last.reason:
        # Whoever ran the agent says why it ended.
        return
    # Only sessions record no end at all; any other such log may be a whole document.
    is_file = log != "-" and not is_url(log)
    if not is_file or (last.state is None and not log.endswith(".jsonl")):
        return
    from convert.source.sessions import seconds_since_change

    if (seconds := seconds_since_change(log, last.ended_ms)) is not None:
        messages.notice(
            None,
            f"the log changed {seconds} s ago, so the run may go on: runconv show -F"
            f" {shown_path(log)}",
        )


def unknown_words(counts: Mapping[str, int], fate: str) -> str:
    """Return the number of events of each unknown type."""
    names = [f"{name} ({count})" for name, count in counts.items()]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"unknown event types, {fate}: {', '.join(names[:_NAMED])}{more}"


def untested_words(builds: Iterable[Build | None]) -> str:
    """Return that the newest of some builds is not tested; "" if it is, or unknown."""
    found = [build for build in builds if build is not None]
    if not found:
        return ""
    from convert.formats import readers

    format, agent, version = max(found, key=lambda build: _numbers(build[2]))
    tested = readers()[format].tested.get(agent)
    numbers = _numbers(version)
    if not tested or not numbers:
        return ""
    oldest, newest = tested[0], tested[-1]
    if numbers > _numbers(newest):
        how = f"newer than the tested {newest}"
    elif numbers < _numbers(oldest):
        how = f"older than the tested {oldest}"
    else:
        return ""
    named = ".".join(map(str, numbers))
    return f"; {agent} {named} is {how}: see docs/agents.md#unknown-events"


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with, without the name of a preview."""
    found = re.match(r"\d{1,9}(?:\.\d{1,9}){1,3}", version, re.ASCII)
    return tuple(map(int, found[0].split("."))) if found else ()


def stderr_words(lines: int) -> str:
    """Return how many lines of standard error a log holds, which none shows."""
    from convert.wording.numbers import count

    return f"{count(lines, 'line')} of standard error, not shown"


def redacted_words(counts: Mapping[str, int]) -> str:
    """Return the number of secrets of each kind that were replaced."""
    from convert.wording.numbers import count

    kinds = [f"{name} ({count})" for name, count in sorted(counts.items())]
    places = sum(counts.values())
    if not places:
        return "nothing to redact"
    return f"{count(places, 'place')} redacted: {', '.join(kinds)}"


def say(message: str, colour: Colour | None = "red") -> None:
    """Write a message to standard error; it does not matter if that is closed.

    The colour is that of its first word: red for an error, yellow for a
    warning, none for a notice.
    """
    if ":/" in message:
        message = harmless(message)
    text = escape_message(one_line(f"{_NAME} {message}"))
    if colour is not None and prints_colours():
        from convert.wording.styles_and_columns import painted

        text = painted(_NAME, colour) + text.removeprefix(_NAME)
    print_messages([f"{text}\n".encode(errors="replace")])


def use_colours(choice: str) -> None:
    """Choose when messages are coloured: `auto`, `always` or `never`."""
    _choice[0] = choice


def prints_colours() -> bool:
    """Return True if messages are coloured."""
    return is_coloured(_choice[0], 2)


_choice = ["auto"]


def print_messages(lines: list[bytes]) -> None:
    """Write lines that were kept, or keep them again."""
    if _keeping:
        _keeping[-1].extend(lines)
        return
    if lines and _hiding:
        _hiding[-1]()
    for line in lines:
        with contextlib.suppress(OSError, OutputError):
            _write(line)


_write = writing_to(2, Place("to standard error"))


@contextlib.contextmanager
def kept_messages() -> Iterator[list[bytes]]:
    """Keep the messages of a block, for another process to print them."""
    _keeping.append([])
    try:
        yield _keeping[-1]
    finally:
        _keeping.pop()


_keeping: list[list[bytes]] = []


@contextlib.contextmanager
def hide_for_messages(hide: Callable[[], None]) -> Iterator[None]:
    """Call a function before each message of a block, to clear the line for it."""
    _hiding.append(hide)
    try:
        yield
    finally:
        _hiding.pop()


_hiding: list[Callable[[], None]] = []
_NO_MEMORY = "out of memory; convert parts of the log, or allow more memory"
_ADVICE = {
    errno.ENOMEM: _NO_MEMORY,
    errno.EMFILE: "too many open files; allow more, as with ulimit -n",
    errno.ENFILE: "too many open files in the system",
    errno.EAGAIN: "the system allows no more processes or threads",
}
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def failure_in_words(error: Exception) -> str:
    """Return a failure in one line, and the place of a bug; raise it in dev mode."""
    if sys.flags.dev_mode:
        raise error
    match error:
        case RunconvError(message=message):
            return message
        case MemoryError():
            return _NO_MEMORY
        case OSError(errno=number) if number in _ADVICE:
            return _ADVICE[number]
        case RuntimeError() if str(error) == "can't start new thread":
            return _ADVICE[errno.EAGAIN]
        case OSError(strerror=str(reason)):
            name = f"{os.fspath(error.filename)!r}: " if error.filename else ""
            return f"{name}{reason.lower()}"
    kind = type(error).__name__
    message = f"{kind}: {error}" if str(error) else kind
    return (
        f"unexpected failure{_place(error)}: {message}; please report it as an issue,"
        " with the output of python -X dev -m convert"
    )


def _place(error: Exception) -> str:
    """Return the place of a bug, as ` in diff/align.py, line 7`.

    A library or the interpreter may have raised the error, so the last place in this
    package is the more useful one.
    """
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if frame.filename.startswith(_PACKAGE):
            path = frame.filename.removeprefix(_PACKAGE).replace(os.sep, "/")
            return f" in {path}, line {frame.lineno}"
    name = os.path.basename(frames[-1].filename) if frames else ""
    return f" in {name}, line {frames[-1].lineno}" if frames else ""
