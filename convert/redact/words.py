"""Words that are looked for in texts together, whether these have capitals or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.redact.letters import folded, spellings
from convert.redact.search import search_for

# In characters: a longer text is looked through in pieces.
_PIECE = 1 << 18


class Words:
    """Words in small letters, which are numbered from 0."""

    def __init__(self, words: Sequence[str], reads_all: bool = False) -> None:
        spelled = [
            (spelling, number)
            for number, word in enumerate(words)
            for spelling in sorted(spellings(word))
        ]
        self._search = search_for([spelling for spelling, _ in spelled], reads_all)
        self._numbers = [number for _, number in spelled]
        self._longest = max(map(len, words), default=0)

    def possible(self, text: str) -> set[int]:
        """Return the numbers of words, among them all that a `lowered` text holds."""
        found: set[int] = set()
        # A text may have some MB, and each piece is copied twice.
        for at in range(0, len(text), _PIECE):
            piece = text[at : at + _PIECE + self._longest]
            low = folded(piece.encode(errors="surrogatepass"))
            found.update(self._numbers[each] for each in self._search.numbers(low))
        return found

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield where the words may be in a folded text, each with its number."""
        for spelling, at in self._search.places(text):
            yield self._numbers[spelling], at
