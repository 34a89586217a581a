"""The command `show`: a run in the terminal, when it has ended or while it lasts."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.cli.commands import Given
from convert.cli.destination import (
    escape_for_runner,
    is_coloured,
    standard_output,
    width,
)
from convert.cli.logs import check_logs, open_log, title_of
from convert.cli.messages import Messages, notice_running, say, use_colours
from convert.cli.pager import show_in_pager
from convert.cli.report_options import ShowOptions
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, UsageError
from convert.model.events import EVERYTHING, End, EndOfLog, Event, Start, ToolCall
from convert.options.conversion import Options, Reading
from convert.pages.picture_builder import run_pictures
from convert.pipeline import check_source, events_of, only
from convert.show.run import log_view
from convert.show.text import painted
from convert.wording.paths import is_url, shown

if TYPE_CHECKING:
    from convert.show.text import Text


class Request:
    """The request that a command line makes."""

    def __init__(self, given: Given) -> None:
        self.logs = given.logs
        self.command = given.of(ShowOptions)
        self._given = given.values(Reading)

    @functools.cached_property
    def reading(self) -> Reading:
        """How logs are read, according to the command line or a settings file."""
        return reading_with_settings(self._given, "show", self.command.config)

    @property
    def log(self) -> str:
        """The log, standard input if none is named."""
        return self.logs[0] if self.logs else "-"


def main(given: Given) -> int:
    """Show a run that has ended, or follow one; return the exit status."""
    asked = Request(given)
    _check(asked)
    if os.path.isdir(asked.log):
        from convert.cli.listed_runs import newest_in

        asked.logs = [newest_in(asked.log)]
    use_colours(asked.command.color)
    if asked.command.follow:
        from convert.cli.live_area import follow

        read = functools.partial(_events, asked)
        return follow(
            asked.log, asked.command, read, Painter(asked.command.color).painted
        )
    return _show(asked)


def _check(asked: Request) -> None:
    """Raise UsageError for a command line that cannot be meant."""
    if len(asked.logs) > 1:
        raise UsageError("show takes one log; see runconv show --help")
    if not asked.logs and os.isatty(0):
        raise UsageError(
            "show needs a log; runconv show @1 shows the newest run, and runconv list"
            " all of them"
        )
    if asked.log == "-" and os.isatty(0) and not asked.command.quiet:
        say("notice: reading from the terminal, up to Ctrl-D", None)
    check_logs([asked.log])
    check_source(asked.command.source)
    if asked.command.follow and is_url(asked.log):
        raise UsageError(
            f"--follow reads a file or a pipe, and {shown(asked.log)} is a URL, which"
            " does not grow; remove --follow"
        )
    if asked.command.follow and (asked.command.run or 0) < 0:
        raise UsageError("--follow counts no runs from the end; name a positive --run")


def _show(asked: Request) -> int:
    """Show the runs of a log that has ended."""
    command = asked.command
    options = Options(thinking=command.thinking)
    with open_log(
        asked.log, is_quiet=command.quiet, is_strict=command.strict
    ) as opened:
        events = _events(asked, opened.pieces, opened.messages)
        runs = sorted(run_pictures(events, options), key=lambda run: run.number)
    if opened.error is not None:
        return opened.error.exit_status

    painter = Painter(command.color)
    lines = log_view(runs, title_of(asked.log), width())
    view = [painter.painted(line) for line in lines]
    if not show_in_pager(view):
        with standard_output(escape_for_runner("text", 1)) as output:
            output.write(b"".join(view))
    return ExitStatus.CONVERTED


def _events(
    asked: Request, pieces: Iterable[bytes], messages: Messages
) -> Iterator[Event]:
    """Yield the events of the runs that are asked for; print the counts at the end."""
    source, run = asked.command.source, asked.command.run
    events = events_of(pieces, source, EVERYTHING, asked.reading, messages.warn)
    may_be_prose = False
    last: End | None = None
    level = ""
    for event in only(events, run):
        match event:
            case Start():
                # A run of text may be any text, without a call or a known end.
                level = event.level
                may_be_prose = level == "text"
            case ToolCall():
                may_be_prose = False
            case End(state=None) if may_be_prose:
                action = "all of it is shown as the answer of a run"
                messages.warn(None, "no action lines", action)
            case End() if level == "calls" and (not last or event.run > last.run):
                last = event
            case EndOfLog():
                messages.end(event, "not shown", counts_stderr=True)
                if not asked.command.follow:
                    notice_running(messages, asked.log, last, run)
        yield event


# Our signs, and their replacements where the encoding lacks them.
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
        text = painted(line) if self.is_coloured else line.plain
        return f"{text.translate(self._signs)}\n".encode(self._encoding, "replace")

    def _has(self, sign: str) -> bool:
        try:
            sign.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True
