"""The output of a run while it goes on: a conversion, or the view of `show -F`."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from convert.cli.destination import (
    Destination,
    escape_for_display,
    escape_for_runner,
    is_coloured,
    width,
)
from convert.cli.logs import Pieces, Watcher, open_log
from convert.errors import RunconvError
from convert.formats import DEFAULT
from convert.model.events import EVERYTHING, EndOfLog, Event, Turn
from convert.options.conversion import Options, Reading
from convert.pipeline import Conversion, convert_log, events_of, find_writer
from convert.runner.commands import RunOptions

if TYPE_CHECKING:
    from convert.cli.messages import Messages
    from convert.show.text import Text

Watch = Callable[[Event], None]


class View(Protocol):
    """Shows the log of each try."""

    is_for_people: bool
    """Commands to the runner of CI may be among its lines."""

    def show(self, pieces: Pieces, watch: Watch) -> RunconvError | None:
        """Show a log as it arrives; return the error that stops that, after a message.

        `watch` gets the events that tell if a run is open.
        """

    def flush(self) -> None:
        """Write out all lines, before a message or a wait."""

    def wait(self) -> float | None:
        """Show that the run goes on; return when to do it again, in seconds."""


def view_of(
    name: str,
    command: RunOptions,
    options: Options,
    reading: Reading,
    write: Callable[[bytes], None],
) -> View:
    """Return the view that a command asks for; `name` is that of the log.

    `write` writes to standard output.
    """
    if command.target is None and os.isatty(1) and os.environ.get("TERM") != "dumb":
        return _Live(name, command, options, reading)
    return _Converted(name, command, options, reading, write)


class _Converted:
    """The run in a format, as a pipe to `runconv` prints it."""

    def __init__(
        self,
        name: str,
        command: RunOptions,
        options: Options,
        reading: Reading,
        write: Callable[[bytes], None],
    ) -> None:
        self._name = name
        self._command = command
        target = find_writer(command.target or DEFAULT, "--to")
        has_colours = target.is_coloured and is_coloured(command.color, 1)
        if has_colours:
            options = options.replace(colours=True)
        self._conversion = Conversion(
            command.source, command.target or DEFAULT, None, reading, options
        )
        escapes = escape_for_runner if has_colours else escape_for_display
        self._output = Destination(
            write, escapes(target.shown_as, 1), is_terminal=os.isatty(1)
        )
        self.is_for_people = target.shown_as == "text"

    def show(self, pieces: Pieces, watch: Watch) -> RunconvError | None:
        """Convert a log as it arrives."""
        follows = not self._output.is_empty
        options = self._conversion.options.replace(follows=follows)
        conversion = replace(self._conversion, options=options)
        with open_log(
            self._name,
            pieces=pieces,
            is_quiet=self._command.quiet,
            is_strict=self._command.strict,
            flush=self._output.flush,
        ) as opened:
            watcher = Watcher(opened.messages, False, conversion.target)

            def watch_both(event: Event) -> None:
                _forget_forwarded(event)
                watcher.watch(event)
                watch(event)

            converted = convert_log(
                opened.pieces,
                conversion,
                opened.messages.warn,
                watch_both,
                has_last_words=True,
                has_turns=True,
            )
            has_written = False
            for piece in converted:
                self._output.write(piece)
                has_written = has_written or bool(piece)
            if not has_written:
                watcher.end_empty(conversion)
        self._output.flush()
        return opened.error

    def flush(self) -> None:
        """Write out all lines."""
        self._output.flush()

    def wait(self) -> None:
        """Write out all lines; they do not change."""
        self._output.flush()


class _Live:
    """The run on a terminal: lines as calls end, and below them those that are open."""

    is_for_people = True

    def __init__(
        self, name: str, command: RunOptions, options: Options, reading: Reading
    ) -> None:
        # Only a terminal needs these.
        from convert.cli.live_area import LiveArea
        from convert.cli.show import Painter
        from convert.show.follow import FollowedLog

        self._name = name
        self._command = command
        self._reading = reading
        self._paint = Painter(command.color).painted
        self._screen = LiveArea()
        self._new_view = functools.partial(FollowedLog, options, "")
        self._view = self._new_view()

    def show(self, pieces: Pieces, watch: Watch) -> RunconvError | None:
        """Show the events of a log as they arrive."""
        self._view = self._new_view()
        with open_log(
            self._name,
            pieces=pieces,
            is_quiet=self._command.quiet,
            is_strict=self._command.strict,
            flush=self.flush,
        ) as opened:
            for event in self._events(opened.pieces, opened.messages, watch):
                lines = self._view.add(event, width(), time.time())
                self._screen.print([*map(self._paint, lines)])
        self.flush()
        return opened.error

    def flush(self) -> None:
        """Remove the lines of the calls that are open."""
        self._screen.clear()

    def wait(self) -> float:
        """Draw the lines of the calls that are open."""
        from convert.cli.live_area import POLL

        lines: list[Text] = self._view.area(width(), time.time())
        self._screen.draw([*map(self._paint, lines)])
        return POLL

    def _events(
        self, pieces: Pieces, messages: Messages, watch: Watch
    ) -> Iterator[Event]:
        needs = replace(EVERYTHING, turns=True)
        source, reading = self._command.source, self._reading
        for event in events_of(pieces, source, needs, reading, messages.warn):
            watch(event)
            _forget_forwarded(event)
            if isinstance(event, EndOfLog):
                messages.end(event, "not shown")
            if not isinstance(event, Turn):
                yield event


def _forget_forwarded(event: Event) -> None:
    """Count no lines of standard error: they have been shown, without their secrets."""
    if isinstance(event, EndOfLog):
        event.stderr_lines = 0
        event.redacted = event.redacted or None
