"""Ids of calls as the interface of a model takes them, each once in a run."""

from __future__ import annotations

import re

from convert.agents.remembered import Remembered
from convert.model.events import ToolCall

# Those of Cursor hold line feeds.
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


class CallIds:
    """The ids of the open calls of a run, by the numbers of the calls."""

    def __init__(self) -> None:
        self._open: dict[int, str] = {}
        self._taken = Remembered()
        # The last open call that has an id in the log.
        self._own: dict[str, str] = {}

    def has(self, call: ToolCall) -> bool:
        """Return True if a call is open."""
        return call.number in self._open

    def begin(self, call: ToolCall) -> str:
        """Return the id of a call that begins: its own, unless that is taken."""
        own = _OTHER.sub("_", call.id)
        id = own if own and self._taken.add(own) else f"call-{call.number}"
        self._open[call.number] = id
        if call.id:
            self._own[call.id] = id
        return id

    def of(self, call: ToolCall) -> str:
        """Return the id of an open call."""
        return self._open[call.number]

    def named(self, id: str) -> str:
        """Return the id of the open call that has an id in the log, else that id."""
        return self._own.get(id) or _OTHER.sub("_", id)

    def end(self, call: ToolCall) -> None:
        """Forget a call that has ended."""
        id = self._open.pop(call.number, "")
        if self._own.get(call.id) == id:
            del self._own[call.id]
