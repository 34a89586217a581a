"""`show --follow`: a run while it goes on, from a pipe or from a file that grows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from convert.cli.painting import Painter
from convert.cli.terminal import has_width, width
from convert.errors import ExitStatus

if TYPE_CHECKING:
    from convert.cli.live_area import LiveArea
    from convert.cli.plain_lines import PlainLines
    from convert.cli.show import Asked
    from convert.show.followed_log import FollowedLog

_NOTICES = {
    "truncated": "the file was emptied; what follows is another log",
    "replaced": "another file has taken the name; what follows is another log",
    "gone": "the file is gone",
}


def follow(asked: Asked) -> int:
    """Show a log while it grows; return the exit status."""
    from convert.source.lines import is_regular

    follower = _Follower(asked)
    if asked.log == "-" or not is_regular(asked.log):
        return follower.follow_pipe()
    return follower.follow_file()


class _Follower:
    """Reads a log as it arrives, and shows it on a terminal or prints it."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._painter = Painter(asked.command.color)
        self._view = self._new_view()
        self._screen = _screen()
        # When the bytes that are read now were written.
        self._arrived: Callable[[], float] = time.time

    def _new_view(self) -> FollowedLog:
        from convert.cli.show import title_of_log
        from convert.options import Options
        from convert.show.followed_log import FollowedLog

        options = Options(thinking=self._asked.command.thinking)
        return FollowedLog(options, title_of_log(self._asked.log), is_cut=has_width())

    def follow_pipe(self) -> int:
        """Follow standard input or a named pipe."""
        from convert.cli.logs import open_advice
        from convert.source.growing import pipe_pieces

        return self._follow(pipe_pieces(self._asked.log, self._wait, open_advice))

    def follow_file(self) -> int:
        """Follow a file, and the logs that take its place."""
        from convert.cli.logs import open_advice
        from convert.source.growing import GrowingFile

        file = GrowingFile(
            self._asked.log, self._wait, lambda: self._view.is_complete, open_advice
        )
        self._arrived = lambda: file.written
        worst = 0
        while True:
            status = self._follow(self._noticed(file.pieces(), lambda: file.ending))
            worst = max(worst, status)
            if file.ending not in ("truncated", "replaced"):
                return worst
            self._view = self._new_view()

    def _noticed(
        self, pieces: Generator[bytes, None, None], ending: Callable[[], str | None]
    ) -> Generator[bytes, None, None]:
        """Yield pieces, and say what became of the file that they are from."""
        from convert.cli.messages import say

        yield from pieces
        notice = _NOTICES.get(ending() or "")
        if notice and not self._asked.command.quiet:
            self._screen.clear()
            say(f"{self._asked.log}: notice: {notice}", None)

    def _follow(self, pieces: Generator[bytes, None, None]) -> int:
        """Follow one log until it ends."""
        from convert.cli.logs import open_pieces
        from convert.cli.show import events_of_runs

        command = self._asked.command
        with open_pieces(
            self._asked.log,
            pieces,
            is_quiet=command.quiet,
            is_strict=command.strict,
            flush=self._screen.clear,
        ) as opened:
            for event in events_of_runs(opened.pieces, self._asked, opened.messages):
                lines = self._view.add(event, width(), self._arrived())
                self._screen.print([*map(self._painter.painted, lines)])
        self._screen.clear()
        return (
            ExitStatus.CONVERTED if opened.error is None else opened.error.exit_status
        )

    def _wait(self) -> None:
        """Show what is going on, while there is nothing to read."""
        lines = self._view.area(width(), time.time())
        self._screen.draw([*map(self._painter.painted, lines)])


def _screen() -> LiveArea | PlainLines:
    """Return what shows the lines: only a terminal has an area that is redrawn."""
    if os.isatty(1) and os.environ.get("TERM") != "dumb":
        from convert.cli.live_area import LiveArea

        return LiveArea()
    from convert.cli.plain_lines import PlainLines

    return PlainLines()
