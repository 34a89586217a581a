"""The types of events that are not known, counted for a notice when the log ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from convert.wording.escapes import truncate

# How many types are counted by name: memory must not grow with the log.
_MOST_TYPES = 1000
_LONGEST_NAME = 100
_OTHERS = "other types"

# Types that only the logs of one agent hold, of events or of blocks in a message. No
# reader of these logs counts them as unknown.
_AGENTS = {
    "Claude Code": (
        *("assistant/tool_use", "assistant/thinking", "assistant/redacted_thinking"),
        *("user/tool_result", "stream_event", "rate_limit_event", "tool_progress"),
        *("file-history-snapshot", "queue-operation"),
    ),
    "Codex": (
        *("thread.started", "turn.started", "turn.completed", "turn.failed"),
        *("item.started", "item.updated", "item.completed"),
        *("session_meta", "turn_context", "response_item", "event_msg"),
    ),
    "opencode": ("step_start", "step_finish"),
    "Cursor": ("tool_call", "interaction_query"),
    "Claude Code or Cursor": ("assistant", "user"),
}


def of_agents(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the types that are those of other agents, by the names of the agents.

    A log that holds them is several logs in one, and only one is read.
    """
    found = {
        agent: {name: counts[name] for name in names if name in counts}
        for agent, names in _AGENTS.items()
    }
    return {agent: names for agent, names in found.items() if names}


class UnknownTypes:
    """Counts events by their types."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._others = 0

    def add(self, name: str) -> None:
        """Count one event."""
        if len(name) > _LONGEST_NAME:
            name = truncate(name, _LONGEST_NAME)
        if name in self._counts or len(self._counts) < _MOST_TYPES:
            self._counts[name] += 1
        else:
            self._others += 1

    def update(self, names: Iterable[str]) -> None:
        """Count several events."""
        for name in names:
            self.add(name)

    @property
    def counts(self) -> dict[str, int]:
        """How many events there were of each type; those without a name come last."""
        others = {_OTHERS: self._others} if self._others else {}
        return {**self._counts, **others}
