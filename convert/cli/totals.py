"""The last lines on many logs: how many were done, skipped and warned about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.logs import bytes_of, name_of
from convert.cli.messages import Told, redacted_words, say, unknown_words
from convert.cli.terminal import shown_path
from convert.errors import ExitStatus, NotALogError, RunconvError, ignore, warning
from convert.model.events import Needs
from convert.options import Reading
from convert.pipeline import events_of
from convert.wording.numbers import count
from convert.wording.urls import may_be_log

if TYPE_CHECKING:
    from convert.cli.logs import LogResult, Named

_MOST_NAMED = 3


def end(
    named: Named,
    results: list[LogResult],
    is_quiet: bool,
    done: str = "converted",
    where: str = "the folder, --glob and the list",
) -> int:
    """Say how the work on many logs ended; return the exit status.

    `done` is what became of those that did not fail, and `where` the place to look at
    if there were none.
    """
    if not named.is_many:
        return max(result.status for result in results)
    others = [
        log.path
        for log, result in zip(named.logs, results, strict=True)
        if not result.is_log
    ]
    logs = [result for result in results if result.is_log]
    out = left_out_in(others, named.links, named.specials, named.reports) + _in_output(
        named.left_out
    )
    if not logs:
        say(f"no logs found{out}; check {where}")
        return ExitStatus.TROUBLE
    if not is_quiet:
        say(f"{_counts(logs, done)}{out}", None)
    statuses = [result.status for result in logs]
    return max([*statuses, ExitStatus.TROUBLE] if named.has_failed else statuses)


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
    """Return how many files in folders are left out, by what they are."""
    agents = agents_of_unread(others)
    others = [path for path in others if path not in agents]
    return (
        unread_in_words(agents.values())
        + left_out("other file", others)
        + left_out("link", links)
        + left_out("special file", specials)
        + left_out("report", reports)
    )


def left_out(what: str, paths: list[str]) -> str:
    """Return how many such files are left out, with the names of a few."""
    if not paths:
        return ""

    names = ", ".join(map(shown_path, paths[:_MOST_NAMED]))
    more = f" and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else ""
    return f"; {count(len(paths), what)} left out: {names}{more}"


def _in_output(files: int) -> str:
    """Return how many files are left out because of where they are."""
    if not files:
        return ""

    return f"; {count(files, 'file')} in the output folder left out"


# How many logs are named for a kind.
_MOST_PLACES = 3


class _Kind(Struct):
    """A kind of warning over several logs."""

    times: int = 0
    places: list[str] = []
    """Each log that has it, with the first line."""

    def __str__(self) -> str:
        """Write how often and where it was: `5 times in 2 logs: a:7, b:1`."""
        named = ", ".join(self.places[:_MOST_PLACES])
        more = len(self.places) - _MOST_PLACES
        rest = f" and {more:,} more" if more > 0 else ""
        return f"{self.times:,} times {_in(len(self.places))}: {named}{rest}"


def say_sums(told: Iterable[tuple[str, Told]], fate: str = "not counted") -> None:
    """Print what was to tell about logs, which are named by their paths.

    `fate` tells what becomes of events of unknown types.
    """
    logs = [*told]
    for (reason, action), found in _kinds(logs).items():
        what = warning(reason, action)
        is_single = found.times == 1
        say(f"{found.places[0]}: {what}" if is_single else f"{what}: {found}", "yellow")
    notices = Counter(what for _, each in logs for what in each.notices)
    for what, number in notices.items():
        say(f"notice: {what}, {_in(number)}", None)
    if unknown := [each.unknown for _, each in logs if each.unknown]:
        words = unknown_words(_total(unknown), fate)
        say(f"notice: {words}, {_in(len(unknown))}", None)
    if redacted := [each.redacted for _, each in logs if each.redacted is not None]:
        words = redacted_words(_total(redacted))
        places = sum(map(bool, redacted))
        say(f"notice: {words}, {_in(places or len(redacted))}", None)


def _kinds(logs: list[tuple[str, Told]]) -> dict[tuple[str, str], _Kind]:
    """Return the warnings by their reason and action."""
    kinds: dict[tuple[str, str], _Kind] = {}
    for path, each in logs:
        for reason, action, times, line in each.warnings:
            found = kinds.setdefault((reason, action), _Kind())
            found.times += times
            found.places.append(f"{name_of(path)}:{line}" if line else name_of(path))
    return kinds


def _total(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def _in(logs: int) -> str:
    return f"in {count(logs, 'log')}"


_MOST_AGENTS = 5


def agents_of_unread(paths: Iterable[str]) -> dict[str, str]:
    """Return the agent of each log among files that were left out, by their paths.

    Only files that are named like logs are looked into once more, for few others are.
    """
    found = ((path, _agent_of(path)) for path in filter(may_be_log, paths))
    return {path: agent for path, agent in found if agent}


def unread_in_words(agents: Iterable[str]) -> str:
    """Return how many logs are left out because their agents are not read."""
    counts = Counter(sorted(agents)).most_common()
    if not counts:
        return ""
    named = [f"{agent} {number:,}" for agent, number in counts[:_MOST_AGENTS]]
    if more := sum(number for _, number in counts[_MOST_AGENTS:]):
        named.append(f"others {more:,}")
    logs = count(sum(number for _, number in counts), "log")
    return f"; {logs} of agents that are not read left out: {', '.join(named)}"


def _agent_of(path: str) -> str:
    """Return the agent that wrote a log; "" if none is known, or if it is gone."""
    reading = Reading(is_found=True)
    try:
        next(iter(events_of(bytes_of(path), "auto", Needs(), reading, ignore)), None)
    except NotALogError as error:
        return error.agent
    except RunconvError:
        return ""
    return ""
