"""Steps of subagents that a log also records as calls of the run: each counts once."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from convert.model.events import Event, ToolCall


class LinkedCalls:
    """Folds the calls of one run into those that are also steps of another call."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._steps: set[str] = set()

    @property
    def ids(self) -> AbstractSet[str]:
        """The ids of the calls that name the call which made them."""
        return self._ids

    def once(self, call: ToolCall) -> ToolCall | None:
        """Return a call without the steps that have been calls of their own.

        Returns None for a call that has been a step.
        """
        if call.parent and call.id:
            self._ids.add(call.id)
            if call.id in self._steps:
                return None
        if not call.steps:
            return call
        return replace(call, steps=self._new_steps(call.steps))

    def _new_steps(self, steps: list[Event]) -> list[Event]:
        kept = []
        for step in steps:
            if isinstance(step, ToolCall):
                if step.id and step.id in self._ids:
                    continue
                self._steps.add(step.id)
                if step.steps:
                    step = replace(step, steps=self._new_steps(step.steps))
            kept.append(step)
        return kept
