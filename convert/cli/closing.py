"""The line that ends the work on many logs, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convert.errors import ExitStatus

if TYPE_CHECKING:
    from convert.cli.folders import Named
    from convert.cli.log_conversion import LogResult

_NAMED = 3


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
    from convert.cli.messages import say

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
    from convert.wording.numbers import count

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
    from convert.cli.unread_logs import agents_of_unread, unread_in_words

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
    from convert.cli.display import shown_path
    from convert.wording.numbers import count

    names = ", ".join(map(shown_path, paths[:_NAMED]))
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return f"; {count(len(paths), what)} left out: {names}{more}"


def _in_output(files: int) -> str:
    """Return how many files are left out because of where they are."""
    if not files:
        return ""
    from convert.wording.numbers import count

    return f"; {count(files, 'file')} in the output folder left out"
