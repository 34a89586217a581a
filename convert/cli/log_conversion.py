"""The conversion of one log: its output, its messages and its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from convert.cli.logs import NamedLog, name_of, open_log
from convert.cli.messages import Messages
from convert.cli.terminal import shown_path
from convert.cursor import AGENT
from convert.errors import ExitStatus, NoResultError
from convert.formats import LOSSLESS
from convert.model.events import End, EndOfLog, Event, Start
from convert.pipeline import Conversion, convert_log, find_writer
from convert.wording.escapes import escape_controls, one_line
from convert.wording.urls import base_name

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.options import ConvertOptions


class LogResult(Struct, frozen=True):
    """How the conversion of a log ended."""

    status: int
    """The exit status that it asks for."""

    has_warnings: bool = False
    is_log: bool = True
    """False for a file that was found in a folder and is no log."""


FAILED = LogResult(ExitStatus.TROUBLE)
"""The result of a log whose process has died."""


def convert_log_to(
    destination: Destination,
    log: NamedLog,
    conversion: Conversion,
    command: ConvertOptions,
    is_headed: bool = False,
) -> LogResult:
    """Convert one log; an error in it is printed and does not stop the others."""
    destination.header = b""
    if is_headed:
        has_colours = conversion.options.colours
        destination.header = _header(log.path, destination.is_empty, has_colours)
    conversion = _for_log(log, conversion, not (destination.is_empty or is_headed))
    with open_log(
        log.path,
        is_quiet=command.quiet,
        is_strict=command.strict,
        flush=destination.flush,
        may_be_other=log.is_found,
    ) as opened:
        watcher = Watcher(opened.messages, command.exit_status, conversion.target)
        warn = opened.messages.warn
        pieces = convert_log(opened.pieces, conversion, warn, watcher.watch)
        if not _has_written(pieces, destination):
            watcher.end_empty(conversion)
            destination.write(b"")
    has_warnings = opened.messages.has_warned
    if (error := opened.error) is not None:
        if isinstance(error, NoResultError) and not destination.is_empty:
            destination.is_wanted = True
        return LogResult(error.exit_status, has_warnings, opened.is_log)
    destination.is_wanted = True
    status = ExitStatus.RUN_FAILED if watcher.has_failed else ExitStatus.CONVERTED
    return LogResult(status, has_warnings)


def _for_log(log: NamedLog, conversion: Conversion, follows: bool) -> Conversion:
    """Return the conversion with what depends on the log."""
    name = "" if log.path == "-" else base_name(log.path)
    reading = conversion.reading
    if reading.is_found != log.is_found:
        reading = reading.replace(is_found=log.is_found)
    options = conversion.options.replace(follows=follows, log_name=name)
    return replace(conversion, options=options, reading=reading)


def _has_written(pieces: Iterable[bytes], destination: Destination) -> bool:
    """Write pieces as they come; return True unless all are empty."""
    has_written = False
    for piece in pieces:
        destination.write(piece)
        has_written = has_written or bool(piece)
    return has_written


def _header(log: str, is_first: bool, has_colours: bool) -> bytes:
    """Return the line above the output of a log, in the form of `head`."""
    from convert.wording.styles import painted

    name = escape_controls(one_line(shown_path(name_of(log))))
    above = "" if is_first else "\n"
    head = f"==> {name} <=="
    if has_colours:
        head = painted(head, "bold")
    return f"{above}{head}\n".encode(errors="replace")


class Watcher:
    """Watches how runs end, for `--exit-status`, and prints the counts at the end."""

    def __init__(self, messages: Messages, counts_failures: bool, target: str) -> None:
        self._messages = messages
        self._counts_failures = counts_failures
        self._target = target
        self._records_calls = False
        self._has_answer = False
        # The events of other agents are not written again.
        self._keeps_events = True
        self.has_failed = False

    def watch(self, event: Event) -> None:
        """Take the start or the end of a run, or the end of the log."""
        if isinstance(event, EndOfLog):
            is_kept = self._keeps_events and self._target == LOSSLESS
            fate = f"kept in {LOSSLESS}" if is_kept else "not read"
            self._messages.end(event.line, event.unknown, fate, event.redacted)
        elif isinstance(event, Start):
            self._records_calls = self._records_calls or event.level == "calls"
            self._keeps_events = event.agent in ("", AGENT)
        elif isinstance(event, End):
            self._has_answer = self._has_answer or event.state in ("success", "error")
            if self._counts_failures:
                self._count(event)

    def _count(self, end: End) -> None:
        self.has_failed = self.has_failed or end.state != "success"
        if end.state not in (None, "success"):
            from convert.cursor.run_ends import run_end_line

            self._messages.notice(end.line, run_end_line(end))
        if end.state is None:
            self._messages.warn(
                None,
                "the log does not record whether the run succeeded",
                "counted as a failure",
            )

    def end_empty(self, conversion: Conversion) -> None:
        """Print where to find the answer of a log from which nothing was written.

        A format that records no tool calls says so itself.
        """
        notice = find_writer(conversion.target).if_empty
        is_asked = conversion.options.answer
        if notice and self._records_calls and self._has_answer and not is_asked:
            self._messages.notice(None, notice)
