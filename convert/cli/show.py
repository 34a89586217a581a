"""The command `show`: a run in the terminal, when it has ended or while it goes on."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.cli.arguments import Parser
from convert.cli.commands import option_sets
from convert.cli.report_options import ShowOptions
from convert.cli.settings import reading_with_settings
from convert.errors import ExitStatus, UsageError
from convert.options import Options, Reading
from convert.storage import base_name, is_url, shown

if TYPE_CHECKING:
    from convert.cli.messages import Messages
    from convert.model.events import Event


class Asked:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        given = Parser("runconv show", *option_sets("show")).given(arguments)
        self.logs = given.logs
        self.command = given.of(ShowOptions)
        self._given = given.values(Reading)

    @functools.cached_property
    def reading(self) -> Reading:
        """How the logs are read: as the command line or a settings file says."""
        return reading_with_settings(self._given, "show", self.command.config)

    @property
    def log(self) -> str:
        """The log, standard input if none is named."""
        return self.logs[0] if self.logs else "-"


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    from convert.cli.messages import use_colours

    asked = Asked(arguments)
    if asked.command.help:
        from convert.cli.destination import print_text
        from convert.cli.help import help_of

        print_text(help_of("show"))
        return ExitStatus.CONVERTED
    _check(asked)
    use_colours(asked.command.color)
    if asked.command.follow:
        from convert.cli.follow import follow

        return follow(asked)
    return _show(asked)


def _check(asked: Asked) -> None:
    """Raise UsageError for a command line that cannot be meant."""
    from convert.cli.logs import check_logs
    from convert.pipeline import find_reader, is_detected

    if len(asked.logs) > 1:
        raise UsageError("show takes one log; see runconv show --help")
    if not asked.logs and os.isatty(0):
        raise UsageError("show needs a log; see runconv show --help")
    check_logs([asked.log])
    if not is_detected(asked.command.source):
        find_reader(asked.command.source, "--from")
    if asked.command.follow and is_url(asked.log):
        raise UsageError(
            f"--follow reads a file or a pipe, and {shown(asked.log)} is a URL, which"
            " does not grow; leave out --follow"
        )
    if asked.command.follow and (asked.command.run or 0) < 0:
        raise UsageError("--follow counts no runs from the end; name a positive --run")


def _show(asked: Asked) -> int:
    """Show the runs of a log that has ended."""
    from convert.cli.logs import open_log
    from convert.cli.painting import Painter
    from convert.cli.terminal import width
    from convert.pictures.run_picture import run_pictures

    command = asked.command
    options = Options(thinking=command.thinking)
    with open_log(
        asked.log, is_quiet=command.quiet, is_strict=command.strict
    ) as opened:
        events = events_of_runs(opened.pieces, asked, opened.messages)
        runs = sorted(run_pictures(events, options), key=lambda run: run.number)
    if opened.error is not None:
        return opened.error.exit_status
    from convert.show.run_view import log_view

    painter = Painter(command.color)
    lines = log_view(runs, title_of_log(asked.log), width())
    _print([painter.painted(line) for line in lines])
    return ExitStatus.CONVERTED


def title_of_log(log: str) -> str:
    """Return the name of a log without its folder; empty for standard input."""
    return "" if log == "-" else base_name(log)


def events_of_runs(
    pieces: Iterable[bytes], asked: Asked, messages: Messages
) -> Iterator[Event]:
    """Yield the events of the runs that are asked for; print the counts at the end."""
    from convert.model.events import End, EndOfLog
    from convert.model.needs import EVERYTHING
    from convert.pipeline import events_of, only

    source, run = asked.command.source, asked.command.run
    events = events_of(pieces, source, EVERYTHING, asked.reading, messages.warn)
    may_be_prose = False
    for event in events if run is None else only(events, run):
        may_be_prose = _may_be_prose(event, may_be_prose)
        if isinstance(event, End) and may_be_prose:
            action = "all of it is shown as the answer of a run"
            messages.warn(None, "no action lines", action)
        elif isinstance(event, EndOfLog):
            messages.end(event.line, event.unknown, "not shown", event.redacted)
        yield event


def _may_be_prose(event: Event, so_far: bool) -> bool:
    """Tell if a run may be any text, since it has neither a call nor a known end."""
    from convert.model.events import End, Start, ToolCall

    match event:
        case Start():
            return event.level == "text"
        case ToolCall():
            return False
        case End():
            return so_far and event.state is None
    return so_far


def _print(lines: list[bytes]) -> None:
    """Print lines, through a pager if the screen has fewer."""
    from convert.cli.destination import standard_output
    from convert.cli.display import escape_for_runner
    from convert.cli.pager import is_paged

    if not is_paged(lines):
        with standard_output(escape_for_runner("text", 1)) as output:
            output.write(b"".join(lines))
