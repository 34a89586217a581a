"""Hundreds of literals that are looked for in a text at once.

With `ahocorasick_rs`, which the extra `redact` brings, an automaton reads each text
once. Without it, each literal is looked for alone, unless none of a few words that are
in all of them is in the text. No other module knows which of the two it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

# Each literal of a place holds one of these. They are few, because without the library
# looking for them in all that is read takes most of the time.
GATES = (
    *("pass", "pw", "secret", "token", "key", "cred", "auth", "bearer", "cookie"),
    *("://", "@", "--", " -", "log", "sig", "stdin", "<<<", ":$", "_pat"),
    *("identified", "private", "http-basic", "obscure", "/user:", ":5432:", ":*:"),
    *("kennwort", "senha", "psk", "assw", "getconn", '"kty', "wachtwoord", "heslo"),
    *("parola", "adgangskode", "salasana", "kata sandi", "pdp ", "sqlplus", "wifi:"),
    *("\t/\t", "\\t/\\t"),
)
# The signs of gates, the rarest in a log first.
_SIGNS = '~$+@<\t(\\"_:-/'
# The automaton returns what it finds in so many bytes in a list.
_PIECE = 1 << 16
# In bytes: twice what the library takes while it makes an automaton.
_TO_BUILD = 2 << 20


class Search(Protocol):
    """A search for many literals."""

    def numbers(self, text: bytes) -> Iterable[int]:
        """Return the number of each literal in a text, in any order."""

    def places(self, text: bytes) -> Iterable[tuple[int, int]]:
        """Yield the number of each literal in a text, and where it begins."""


def search_for(literals: Sequence[bytes], reads_all: bool = False) -> Search:
    """Return a search for literals, which are numbered from 0.

    One that `reads_all` of a log may take a megabyte to be fast.
    """
    try:
        return _AtOnce(literals, reads_all)
    except ImportError:
        return _OneByOne(literals)


class _AtOnce:
    """All literals are looked for at once."""

    def __init__(self, literals: Sequence[bytes], reads_all: bool) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # Without memory, the library ends the process; Python raises MemoryError.
        bytearray(_TO_BUILD)
        # As a DFA it reads twice as fast, and takes five times the memory.
        kind = Implementation.DFA if reads_all else Implementation.ContiguousNFA
        self._automaton = BytesAhoCorasick(literals, implementation=kind)
        self._overlap = max(map(len, literals), default=1) - 1

    def numbers(self, text: bytes) -> set[int]:
        return {number for _, found in self._pieces(text) for number, _, _ in found}

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        for first, found in self._pieces(text):
            for number, begin, _ in found:
                if begin < _PIECE:
                    yield number, first + begin

    def _pieces(self, text: bytes) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """Yield what is found in each piece of a text, and in the start of the next."""
        find = self._automaton.find_matches_as_indexes
        for first in range(0, len(text), _PIECE):
            piece = text[first : first + _PIECE + self._overlap]
            yield first, find(piece, overlapping=True)


class _OneByOne:
    """Each literal is looked for alone, if a gate of it and a sign of that is there.

    To look for a sign takes a twentieth of the time of a word.
    """

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._gated: dict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
        for number, literal in enumerate(literals):
            gate = gate_of(literal.decode()).encode()
            self._gated[gate].append((number, literal))
        self._signs: dict[bytes, list[bytes]] = defaultdict(list)
        for gate in self._gated:
            self._signs[_sign_of(gate)].append(gate)

    def numbers(self, text: bytes) -> Iterator[int]:
        for gate in self._gates_in(text):
            for number, literal in self._gated[gate]:
                if literal in text:
                    yield number

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        for gate in self._gates_in(text):
            around = [(*each, each[1].index(gate)) for each in self._gated[gate]]
            at = text.find(gate)
            while at >= 0:
                for number, literal, begin in around:
                    if text.startswith(literal, at - begin) and at >= begin:
                        yield number, at - begin
                at = text.find(gate, at + 1)

    def _gates_in(self, text: bytes) -> Iterator[bytes]:
        for sign, gates in self._signs.items():
            if sign in text:
                yield from (gate for gate in gates if gate in text)


def gate_of(literal: str) -> str:
    """Return the first gate that a literal holds; a literal without any is its own."""
    return next((gate for gate in GATES if gate in literal), literal)


def _sign_of(gate: bytes) -> bytes:
    """Return a byte of a gate that is rarer than letters of ASCII, or nothing."""
    signs = [bytes([code]) for code in gate if code > 127]
    signs += [sign.encode() for sign in _SIGNS if sign.encode() in gate]
    return next(iter(signs), b"")
