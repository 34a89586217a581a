"""Ids of calls as the interface of a model takes them, each once in a run.

An id that is too long keeps its beginning, with a digest of all of it: so it is the
same wherever it stands, and another one for another call.
"""

from __future__ import annotations

import re

from convert.agents.remembered import Remembered
from convert.model.events import ToolCall
from convert.wording.digests import blake2b

# Those of Cursor hold line feeds.
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


# In hexadecimal digits.
_DIGEST = 12


class CallIds:
    """The ids of the open calls of a run, by the numbers of the calls.

    None has more than `longest` characters; 0 means any number.
    """

    def __init__(self, longest: int = 0) -> None:
        self._longest = longest
        self._open: dict[int, str] = {}
        self._taken = Remembered()
        # The last open call that has an id in the log.
        self._own: dict[str, str] = {}

    def has(self, call: ToolCall) -> bool:
        """Return True if a call is open."""
        return call.number in self._open

    def begin(self, call: ToolCall) -> str:
        """Return the id of a call that begins: its own, unless that is taken."""
        own = self._allowed(call.id)
        id = own if own and self._taken.add(own) else f"call-{call.number}"
        while id != own and not self._taken.add(id):
            id += "_"
        self._open[call.number] = id
        if call.id:
            self._own[call.id] = id
        return id

    def of(self, call: ToolCall) -> str:
        """Return the id of an open call."""
        return self._open[call.number]

    def named(self, id: str) -> str:
        """Return the id of the open call that has an id in the log, else that id."""
        return self._own.get(id) or self._allowed(id)

    def end(self, call: ToolCall) -> None:
        """Forget a call that has ended."""
        id = self._open.pop(call.number, "")
        if self._own.get(call.id) == id:
            del self._own[call.id]

    def _allowed(self, id: str) -> str:
        """Return an id with the characters and of the length that are allowed."""
        own = _OTHER.sub("_", id)
        if not 0 < self._longest < len(own):
            return own
        whole = id.encode(errors="surrogatepass")
        digits = blake2b(whole, digest_size=_DIGEST // 2).hexdigest()
        return f"{own[: self._longest - _DIGEST - 1]}-{digits}"
