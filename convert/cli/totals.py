"""The last lines on many logs: how many were done, skipped and warned about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from convert.cli.destination import shown_path
from convert.cli.folders import first_error
from convert.cli.logs import LogResult, Named, name_of
from convert.cli.messages import LogNotes, redacted_words, say, unknown_words
from convert.errors import ExitStatus, NotALogError, warning
from convert.wording.numbers import count
from convert.wording.paths import may_be_log

_MOST_NAMED = 3


def end(
    named: Named,
    results: list[LogResult],
    is_quiet: bool,
    done: str = "converted",
    where: str = "the folder, --glob and the list",
) -> int:
    """Print how the work on many logs ended; return the exit status.

    `done` says what happened to those that did not fail, and `where` names the place
    to check if there were none.
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
    if named.left_out:
        out += f"; {count(named.left_out, 'file')} in the output folder skipped"
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
        say(f"notice: {words}, {_in(len(unknown))}", None)
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
