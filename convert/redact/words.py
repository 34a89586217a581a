"""Words that are looked for in texts together, whether these have capitals or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convert.redact.letters import folded, spellings
from convert.redact.search import search_for


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

    def possible(self, text: str) -> set[int]:
        """Return the numbers of words, among them all that a `lowered` text holds."""
        low = folded(text.encode(errors="surrogatepass"))
        return {self._numbers[spelling] for spelling in self._search.numbers(low)}

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield where the words may be in a folded text, each with its number."""
        for spelling, at in self._search.places(text):
            yield self._numbers[spelling], at
