"""Texts that a file holds twice: as an item of the model, and as an event for people.

The event comes first or second, and in files that break off alone.
"""

from __future__ import annotations

from typing import Literal

from convert.wording.digests import blake2b

Source = Literal["item", "event", "turn item"]
# The twin of a text comes with its neighbours.
_MOST = 32
# An item may end with the sources of what it says, which Codex shows to nobody.
_CITATION = "<oai-mem-citation"


class Doubles:
    """Remembers the last texts, and from which kinds of lines they came."""

    def __init__(self) -> None:
        self._last: list[tuple[bytes, set[Source]]] = []

    def is_double(self, source: Source, text: str) -> bool:
        """Take a text; return True if a line of another kind has told it already."""
        key = blake2b(text.strip().encode(errors="replace")).digest()
        for known, sources in reversed(self._last):
            if known == key and source not in sources:
                sources.add(source)
                return True
        self._last.append((key, {source}))
        if len(self._last) > _MOST:
            del self._last[0]
        return False


def without_citation(text: str) -> str:
    """Return a text as people see it."""
    plain, found, _ = text.partition(_CITATION)
    return plain.rstrip() if found else text
