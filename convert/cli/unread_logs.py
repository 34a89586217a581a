"""The logs in folders of agents that are not read, counted by their agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from convert.cli.logs import bytes_of
from convert.errors import NotALogError, RunconvError, ignore
from convert.source.names import may_be_log

_NAMED = 5


def agents_of_unread(paths: Iterable[str]) -> dict[str, str]:
    """Return the agent of each log among files that were left out, by their paths.

    Only files that are named like logs are looked into once more, for few others are.
    """
    found = ((path, _agent_of(path)) for path in filter(may_be_log, paths))
    return {path: agent for path, agent in found if agent}


def unread_in_words(agents: Iterable[str]) -> str:
    """Return how many logs are left out because their agents are not read."""
    from convert.wording.numbers import count

    counts = Counter(sorted(agents)).most_common()
    if not counts:
        return ""
    named = [f"{agent} {number:,}" for agent, number in counts[:_NAMED]]
    if more := sum(number for _, number in counts[_NAMED:]):
        named.append(f"others {more:,}")
    logs = count(sum(number for _, number in counts), "log")
    return f"; {logs} of agents that are not read left out: {', '.join(named)}"


def _agent_of(path: str) -> str:
    """Return the agent that wrote a log; "" if none is known, or if it is gone."""
    from convert.model.needs import Needs
    from convert.options import Reading
    from convert.pipeline import events_of

    reading = Reading(is_found=True)
    try:
        next(iter(events_of(bytes_of(path), "auto", Needs(), reading, ignore)), None)
    except NotALogError as error:
        return error.agent
    except RunconvError:
        return ""
    return ""
