"""The progress of work on many or long logs, and the last lines on them.

All of it goes to standard error. The last lines say how many logs were done, skipped
and warned about.

A terminal shows a bar once work has lasted half a second; elsewhere a line comes every
ten seconds, as long as something is left to read. A bar is removed before a message
is printed, and at the end.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from convert.cli.destination import (
    DEFAULT_WIDTH,
    ERASED,
    is_coloured,
    redrawn,
    shown_path,
)
from convert.cli.logs import LogResult, Named, first_error, name_of, watched_reading
from convert.cli.messages import (
    LogNotes,
    hide_for_messages,
    redacted_words,
    say,
    unknown_words,
    untested_words,
)
from convert.errors import ExitStatus, NotALogError, warning
from convert.source.places import size_of
from convert.wording.numbers import count, duration
from convert.wording.paths import is_url, may_be_log
from convert.wording.styles_and_columns import painted

_EACH_LINE = 10.0
# When the bar shows first, and how often it is drawn again, in seconds.
_WAIT = 0.5
_EACH_BAR = 0.1
# The columns of a bar; where there is no room for the fewest, only its words are shown.
_WIDEST, _NARROWEST = 40, 5


class Progress:
    """How much of the logs has been read, in bytes and in logs.

    `size` is the number of bytes of the logs, and each is read so many `times`.
    """

    def __init__(
        self,
        size: int,
        logs: int,
        shown: Bar | _Lines,
        times: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = size * times
        self.times = times
        self.logs = logs
        self.read = 0
        self.done = 0
        self._shown = shown
        self._clock = clock
        self._started = clock()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self._clock() - self._started

    @property
    def amounts(self) -> str:
        """How much is done: `120 of 2,000 logs, 30.1 of 480.0 MB, 12.0 MB/s`."""
        read, size = self.read / 1e6, self.size / 1e6
        rate = read / self.seconds if self.seconds else 0.0
        logs = f"{self.done:,} of {self.logs:,} logs, " if self.logs > 1 else ""
        return f"{logs}{read:,.1f} of {size:,.1f} MB, {rate:,.1f} MB/s"

    @property
    def left(self) -> str:
        """The time that the rest takes at this rate: `, 1m 12s left`."""
        if not 0 < self.read < self.size:
            return ""
        rest = (self.size - self.read) * self.seconds / self.read
        return f", {duration(round(rest * 1000))} left"

    def add(self, size: int) -> None:
        """Count bytes that have been read."""
        self.read += size
        self.look()

    def reach(self, size: int) -> None:
        """Count logs up to this size as read, unless this process has counted them."""
        self.add(max(size * self.times - self.read, 0))

    def add_logs(self, number: int) -> None:
        """Count logs that are done."""
        self.done += number
        self.look()

    def look(self) -> None:
        """Show the progress of the work, if that is due."""
        if self.seconds >= self._shown.due:
            self._shown.show(self)


@contextlib.contextmanager
def progress_of(
    paths: list[str], *, times: int, is_wanted: bool
) -> Iterator[Progress | None]:
    """Yield the progress of reading logs, each so many times; None if not wanted.

    The size of standard input and of pipes is not known: there is no progress of them.
    """
    sizes = [_size_of(path) for path in paths] if is_wanted else [None]
    if None in sizes:
        yield None
        return
    size = sum(size or 0 for size in sizes)
    has_bar = os.isatty(2) and os.environ.get("TERM") != "dumb"
    shown = Bar() if has_bar else _Lines()
    progress = Progress(size, len(paths), shown, times)
    with hide_for_messages(shown.hide), watched_reading(progress.add):
        try:
            yield progress
        finally:
            shown.hide()


def _size_of(path: str) -> int | None:
    """Return the size of a regular file, 0 if it is missing; None for others."""
    if path == "-":
        return None
    if is_url(path):
        return size_of(path)
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return 0
    return state.st_size if stat.S_ISREG(state.st_mode) else None


class Bar:
    """A bar on a terminal."""

    def __init__(self) -> None:
        self.due = _WAIT
        self._is_visible = False

    def show(self, progress: Progress) -> None:
        """Draw the bar, or draw it again."""
        self.due = progress.seconds + _EACH_BAR
        self._is_visible = True
        width = os.get_terminal_size(2).columns or DEFAULT_WIDTH
        _write(redrawn([_drawn(progress, width).encode()]))

    def hide(self) -> None:
        """Remove the bar from the terminal."""
        if self._is_visible:
            self._is_visible = False
            _write(ERASED)


def _write(data: bytes) -> None:
    """Write to the terminal; it does not matter if that is gone."""
    with contextlib.suppress(OSError):
        os.write(2, data)


def _drawn(progress: Progress, width: int) -> str:
    """Return a bar of at most so many columns, with how much is done in words."""
    share = min(progress.read / max(progress.size, 1), 1.0)
    words = f"{100 * share:3.0f} %  {progress.amounts}{progress.left}"
    room = min(width - len(words) - 1, _WIDEST)
    if room < _NARROWEST:
        return words[:width]
    done = "━" * int(room * share)
    if not is_coloured("auto", 2):
        return f"{done:{room}} {words}"
    rest = "━" * (room - len(done))
    return f"{painted(done, 'blue')}{painted(rest, 'dim')} {words}"


class _Lines:
    """A line now and then, for a log of messages."""

    def __init__(self) -> None:
        self.due = _EACH_LINE

    def show(self, progress: Progress) -> None:
        """Print a line, unless nothing is left to read."""
        if progress.read >= progress.size or progress.done >= progress.logs:
            return
        self.due = progress.seconds + _EACH_LINE
        say(f"{progress.amounts}{progress.left}", None)

    def hide(self) -> None:
        """Leave the lines where they are."""


_MOST_NAMED = 3


def end(
    named: Named,
    results: list[LogResult],
    is_quiet: bool,
    done: str = "converted",
) -> int:
    """Print how the work on many logs ended; return the exit status.

    `done` says what happened to those that did not fail.
    """
    if not named.is_many:
        return max(result.status for result in results)
    others = [
        log.path
        for log, result in zip(named.logs, results, strict=True)
        if not result.is_log
    ]
    logs = [result for result in results if result.is_log]
    out = left_out_in(others, named.links, named.specials, named.reports)
    if named.has_hidden and not logs:
        out += "; hidden files and folders skipped"
    if named.left_out:
        out += f"; {count(named.left_out, 'file')} in the output folder skipped"
    if not logs:
        say_none(named, out)
        return ExitStatus.TROUBLE
    if not is_quiet:
        say(f"{_counts(logs, done)}{out}", None)
    statuses = [result.status for result in logs]
    return max([*statuses, ExitStatus.TROUBLE] if named.has_failed else statuses)


def say_none(named: Named, out: str) -> None:
    """Print that there is no log, unless a folder could not be read at all."""
    if out or not named.has_failed:
        where = ", ".join(named.places)
        say(f"{where}: no logs found{out}; check the path, and --glob if it is used")


def _counts(logs: list[LogResult], done: str) -> str:
    """Return how many logs were done, with warnings, and failed."""
    failed = sum(result.status >= ExitStatus.TROUBLE for result in logs)
    warned = sum(
        result.has_warnings and result.status < ExitStatus.TROUBLE for result in logs
    )
    words = [f"{count(len(logs) - failed, 'log')} {done}"]
    if warned:
        words.append(f"{warned:,} with warnings")
    if failed:
        words.append(f"{failed:,} failed")
    return ", ".join(words)


def left_out_in(
    others: list[str], links: list[str], specials: list[str], reports: list[str]
) -> str:
    """Return how many files in folders are skipped, by kind."""
    # Only files that are named like logs are read once more, for few others are.
    errors = {path: first_error(path) for path in filter(may_be_log, others)}
    agents = {
        path: error.agent
        for path, error in errors.items()
        if isinstance(error, NotALogError) and error.agent
    }
    skipped = {
        "other file": [path for path in others if path not in agents],
        "link": links,
        "special file": specials,
        "report": reports,
    }
    return unread_in_words(agents.values()) + "".join(
        f"; {count(len(paths), what)} skipped: {_first_of([*map(shown_path, paths)])}"
        for what, paths in skipped.items()
        if paths
    )


def _first_of(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def say_sums(notes: Iterable[tuple[str, LogNotes]], fate: str = "not counted") -> None:
    """Print the sums of the messages about logs, which are named by their paths.

    `fate` is that of events of unknown types.
    """
    logs = [*notes]
    for (reason, action), found in _kinds(logs).items():
        what = warning(reason, action)
        times = sum(number for number, _ in found)
        places = [place for _, place in found]
        several = f"{times:,} times {_in(len(places))}: {_first_of(places)}"
        say(f"{places[0]}: {what}" if times == 1 else f"{what}: {several}", "yellow")
    notices = Counter(what for _, each in logs for what in each.notices)
    for what, number in notices.items():
        say(f"notice: {what}, {_in(number)}", None)
    if unknown := [each.unknown for _, each in logs if each.unknown]:
        words = unknown_words(_total(unknown), fate)
        untested = untested_words(each.build for _, each in logs)
        say(f"notice: {words}, {_in(len(unknown))}{untested}", None)
    if redacted := [each.redacted for _, each in logs if each.redacted is not None]:
        words = redacted_words(_total(redacted))
        with_some = sum(map(bool, redacted))
        say(f"notice: {words}, {_in(with_some or len(redacted))}", None)


def _kinds(
    logs: list[tuple[str, LogNotes]],
) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """Return warnings by reason and action: how often each log has it, and where."""
    kinds: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for path, each in logs:
        for reason, action, times, line in each.warnings:
            place = f"{name_of(path)}:{line}" if line else name_of(path)
            kinds.setdefault((reason, action), []).append((times, place))
    return kinds


def _total(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def _in(logs: int) -> str:
    return f"in {count(logs, 'log')}"


_MOST_AGENTS = 5


def unread_in_words(agents: Iterable[str]) -> str:
    """Return how many logs are skipped because their agents are not read."""
    counts = Counter(sorted(agents)).most_common()
    if not counts:
        return ""
    named = [f"{agent} {number:,}" for agent, number in counts[:_MOST_AGENTS]]
    if more := sum(number for _, number in counts[_MOST_AGENTS:]):
        named.append(f"others {more:,}")
    logs = count(sum(number for _, number in counts), "log")
    return f"; {logs} of agents that are not read skipped: {', '.join(named)}"
