"""Hundreds of literals that are searched for in a text at once.

With `ahocorasick_rs`, which the extra `redact` installs, an automaton reads each text
once. Without it, each literal has a search of its own, unless the text holds none of a
few words; each literal holds one of them. No other module knows which search is used.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence


def search_for(
    literals: Sequence[bytes], reads_all: bool = False
) -> _AtOnce | _OneByOne:
    """Return a search for literals, which are numbered from 0.

    One that `reads_all` of a log may take a megabyte to be fast.
    """
    try:
        return _AtOnce(literals, reads_all)
    except ImportError:
        return _OneByOne(literals)


# Each literal of a place holds one of these. They are few, because without the library
# the search for them takes most of the time.
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

# The automaton returns its finds in so many bytes as a list.
_SEARCHED_AT_ONCE = 1 << 16
# In bytes: twice the need of the library while it makes an automaton.
_TO_BUILD = 2 << 20


class _AtOnce:
    """Searches for all literals at once."""

    def __init__(self, literals: Sequence[bytes], reads_all: bool) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # Without memory, the library ends the process; Python raises MemoryError.
        bytearray(_TO_BUILD)
        # As a DFA it reads twice as fast, and takes five times the memory.
        kind = Implementation.DFA if reads_all else Implementation.ContiguousNFA
        self._automaton = BytesAhoCorasick(literals, implementation=kind)
        self._overlap = max(map(len, literals), default=1) - 1

    def numbers(self, text: bytes) -> Iterable[int]:
        """Return the number of each literal in a text, in any order."""
        return {number for _, found in self._pieces(text) for number, _, _ in found}

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield the number of each literal in a text, and where it begins."""
        for first, found in self._pieces(text):
            for number, begin, _ in found:
                if begin < _SEARCHED_AT_ONCE:
                    yield number, first + begin

    def _pieces(self, text: bytes) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """Yield the finds in each piece of a text, and in the start of the next."""
        find = self._automaton.find_matches_as_indexes
        for first in range(0, len(text), _SEARCHED_AT_ONCE):
            piece = text[first : first + _SEARCHED_AT_ONCE + self._overlap]
            yield first, find(piece, overlapping=True)


class _OneByOne:
    """Searches for one literal after the other.

    It skips those whose gate, or a sign of that, is not in the text.

    To find a sign takes a twentieth of the time of a word.
    """

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._gated: dict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
        for number, literal in enumerate(literals):
            gate = gate_of(literal.decode()).encode()
            self._gated[gate].append((number, literal))
        self._signs: dict[bytes, list[bytes]] = defaultdict(list)
        for gate in self._gated:
            # A byte of the gate that is rarer than letters of ASCII, or nothing.
            signs = [bytes([code]) for code in gate if code > 127]
            signs += [sign.encode() for sign in _SIGNS if sign.encode() in gate]
            self._signs[next(iter(signs), b"")].append(gate)

    def numbers(self, text: bytes) -> Iterable[int]:
        """Return the number of each literal in a text, in any order."""
        for gate in self._gates_in(text):
            for number, literal in self._gated[gate]:
                if literal in text:
                    yield number

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield the number of each literal in a text, and where it begins."""
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


# In characters: a longer text is searched in pieces.
_FOLDED_AT_ONCE = 1 << 18


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
        for at in range(0, len(text), _FOLDED_AT_ONCE):
            piece = text[at : at + _FOLDED_AT_ONCE + self._longest]
            low = folded(piece.encode(errors="surrogatepass"))
            found.update(self._numbers[each] for each in self._search.numbers(low))
        return found

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield where the words may be in a folded text, each with its number."""
        for spelling, at in self._search.places(text):
            yield self._numbers[spelling], at


_EMOJI = re.compile("[\U00010000-\U0010ffff]")
_LOWERED_AT_ONCE = 1 << 18
# The letters beyond ASCII whose small letters are in it.
_BEYOND_ASCII = (("\u212a".encode(), b"k"), ("\u0130".encode(), b"i"))
# The capitals of a letter that `str.upper` does not know.
_OTHER_CAPITALS = {"ω": "\u2126"}
# So many letters beyond ASCII distinguish a word from most others.
_TELLING = 2


def lowered(text: str) -> str:
    """Return a text in small letters, as long as it was, and without emoji.

    With them, Python needs 16 bytes for each character, and three times as long.
    """
    if text.isascii():
        return text.lower()
    return "".join(
        _EMOJI.sub("?", text[at : at + _LOWERED_AT_ONCE]).replace("\u0130", "I").lower()
        for at in range(0, len(text), _LOWERED_AT_ONCE)
    )


def folded(text: bytes) -> bytes:
    """Return UTF-8 with its letters of ASCII in small letters.

    That takes a tenth of the time of `lowered` if there are others. Where that finds a
    literal, one of its `spellings` is in these bytes.
    """
    low = text.lower()
    for letter, small in _BEYOND_ASCII:
        # A byte is found ten times as fast as three, and not there in most texts.
        if letter[-1:] in low:
            low = low.replace(letter, small)
    return low


def spellings(literal: str) -> set[bytes]:
    """Return the spellings of a literal in a folded text; such a text has one of them.

    Others may hold them as well if the literal is not in ASCII or begins with a `?`,
    which may be an emoji.
    """
    literal = literal.removeprefix("?")
    others = [at for at, letter in enumerate(literal) if not letter.isascii()]
    beginning = (
        literal[: others[_TELLING - 1] + 1] if len(others) >= _TELLING else literal
    )
    cases = [
        {letter, letter.upper(), *_OTHER_CAPITALS.get(letter, "")}
        if not letter.isascii()
        else {letter}
        for letter in beginning
    ]
    return {"".join(letters).encode() for letters in itertools.product(*cases)}


# So many characters distinguish a text from most others.
_HEAD = 12
# A pattern takes as long to compile as it takes to search so many characters for each
# of its texts, and the start of a search takes as long as so many more characters.
_COMPILING = 30_000
_BEGINNING = 800


class Literals:
    """Texts that are searched for in others.

    New ones are searched for one by one. Once that has taken as long as a pattern takes
    to compile, a pattern of all their heads finds where they may be: among 1,000 texts
    in a short string, it is 300 times faster.
    """

    def __init__(self) -> None:
        self._all: set[str] = set()
        self._new: list[str] = []
        self._by_head: dict[str, list[str]] = {}
        self._pattern: re.Pattern[str] | None = None
        self._work = 0

    def add(self, literal: str) -> None:
        """Search for one more text from now on."""
        if literal not in self._all:
            self._all.add(literal)
            self._new.append(literal)

    def is_in(self, text: str) -> bool:
        """Return True if one of the texts is in another."""
        return bool(self._all) and any(True for _ in self.find(text))

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the texts in another, with the offset of each, in any order."""
        self._work += len(self._new) * (len(text) + _BEGINNING)
        if self._work > len(self._all) * _COMPILING:
            self._compile()
        for literal in self._new:
            at = text.find(literal)
            while at >= 0:
                yield at, literal
                at = text.find(literal, at + len(literal))
        if self._pattern is not None:
            yield from self._compiled(text, self._pattern)

    def _compiled(self, text: str, heads: re.Pattern[str]) -> Iterator[tuple[int, str]]:
        passed: dict[str, int] = {}
        head = heads.search(text)
        while head:
            at = head.start()
            for literal in self._by_head[head[0]]:
                if passed.get(literal, 0) <= at and text.startswith(literal, at):
                    passed[literal] = at + len(literal)
                    yield at, literal
            head = heads.search(text, at + 1)

    def _compile(self) -> None:
        self._by_head = _by_head(self._all)
        self._pattern = re.compile(_either(self._by_head))
        self._new = []
        self._work = 0


def _by_head(literals: Iterable[str]) -> dict[str, list[str]]:
    """Return texts by their heads, also those whose head begins with another one."""
    heads: dict[str, list[str]] = defaultdict(list)
    for literal in literals:
        heads[literal[:_HEAD]].append(literal)
    return {
        head: [
            literal
            for length in range(1, len(head) + 1)
            for literal in heads.get(head[:length], ())
        ]
        for head in heads
    }


def _either(heads: Iterable[str]) -> str:
    """Return the pattern of some texts, the longest first, by their first letters."""
    tree: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for head in sorted(heads, key=len, reverse=True):
        tree[head[0]][head[1:2]].append(head[2:])
    groups = defaultdict(list)
    for first, seconds in tree.items():
        for second, rests in seconds.items():
            either = "|".join(map(re.escape, rests))
            groups[first].append(f"{re.escape(second)}(?:{either})")
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(group)})" for first, group in groups.items()
    )
