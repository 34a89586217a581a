"""Where the secrets of a text are, by all rules.

A rule is tried only where one of its literals is, since a pattern takes 50 times longer
to search than a literal.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from convert.redact.layouts import find_below
from convert.redact.leads import Lead, follow, lead_to, leads
from convert.redact.rule import Rule, Secret
from convert.redact.rules import MAIL, PLACES, TOKENS
from convert.redact.rules.issuers import LONG_WORD

# Each literal of a place holds one of these. They are few, because looking for them in
# all that is read takes most of the time.
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


def find(text: str) -> list[Secret]:
    """Return the secrets in a text from left to right; none overlaps another."""
    # Most of the strings of a log are short, and are there many times.
    return [*(_find_again(text) if len(text) <= _SHORT else _find(text))]


def _find(text: str) -> list[Secret]:
    return outermost([*_tokens(text), *_placed(text)])


_SHORT = 40
_find_again = functools.lru_cache(maxsize=2000)(_find)


def gates_in(text: str) -> list[str]:
    """Return the words, one of which is in each part of a text with a placed secret."""
    return _gates(lowered(text))


def _gates(low: str) -> list[str]:
    found = [
        gate
        for sign, gates in _gates_by_sign()
        if sign in low
        for gate in gates
        if gate in low
    ]
    # Of rules for one place, the first names the secret.
    gates = sorted(found, key=_places().__getitem__) if found else found
    if not low.isascii() and _foreign_letters().search(low):
        gates += [gate for gate in _gated() if not gate.isascii() and gate in low]
    return gates


def suspected(lines: list[str]) -> Iterator[bool]:
    """Yield for each of some lines of JSON if it may hold a secret.

    They are looked through together first, which takes a third of the time.
    """
    # Each for itself, since small letters of one with others take 10 times as long.
    lows = [*map(lowered, lines)]
    gates = _gates("\n".join(lows))
    has_tokens = any(True for _ in _tokens("\n".join(lines)))
    for line, low in zip(lines, lows, strict=True):
        yield _is_placed(low, gates) or (
            has_tokens and any(True for _ in _tokens(line))
        )


def _is_placed(low: str, gates: list[str]) -> bool:
    return any(
        gate in low and any(literal in low for literal in _gated()[gate])
        for gate in gates
    )


def token_starts(text: str, begin: int, end: int) -> Iterator[tuple[int, str, str]]:
    """Yield where tokens may begin in a part of a text, with literal and name."""
    for start in _starts().finditer(text, begin, end):
        for literal, rule in _by_letter()[text[start.start()]]:
            if text.startswith(literal, start.start()):
                yield start.start(), literal, rule.name


def lowered(text: str) -> str:
    """Return a text in small letters, as long as it was, and without emoji.

    With them, Python needs 16 bytes for each character, and three times as long.
    """
    if text.isascii():
        return text.lower()
    return "".join(
        _EMOJI.sub("?", text[at : at + _PIECE]).replace("\u0130", "I").lower()
        for at in range(0, len(text), _PIECE)
    )


_EMOJI = re.compile("[\U00010000-\U0010ffff]")
_PIECE = 1 << 18
_RUN = re.compile(rf"[A-Za-z0-9_.-]{{{LONG_WORD},}}")
# The end of an escape, or of a sequence of the terminal, in front of a word.
_ESCAPE = re.compile(
    r"(?<=\\)(?:[nrtbf]|x[0-9A-Fa-f]{2}|u00[0-9A-Fa-f]{2})|(?<=%)[0-9A-Fa-f]{2}"
    r"|(?<==)3[Dd]|(?<=[\[;])\d{0,3}[mK]|(?<=\()B"
)


def _tokens(text: str) -> Iterator[Secret]:
    """Yield the tokens among the long words of a text."""
    starts = _starts()
    for run in _RUN.finditer(text):
        passed, last = run.span()
        if escape := _ESCAPE.match(text, passed):
            found, passed = _token_at(text, escape.end())
            if found:
                yield found
        for start in starts.finditer(text, run.start(), last):
            if start.start() >= passed:
                found, passed = _token_at(text, start.start())
                if found:
                    yield found


def _token_at(text: str, at: int) -> tuple[Secret | None, int]:
    """Return the longest token at an offset, and the end of what was looked at."""
    longest = None
    passed = at
    for literal, rule in _by_letter()[text[at : at + 1]]:
        if text.startswith(literal, at) and (match := rule.match(text, at)):
            begin, end, last = match
            passed = max(passed, last)
            if begin < end and (longest is None or end > longest.end):
                longest = Secret(begin, end, rule.name)
    return longest, passed


def _placed(text: str) -> Iterator[Secret]:
    """Yield the secrets that what is around them gives away."""
    low = lowered(text)
    for gate in _gates(low):
        for lead in _gated()[gate].values():
            yield from follow(lead, text, low)
    yield from find_below(text, low)


@functools.cache
def _starts() -> re.Pattern[str]:
    """The literals of tokens, grouped by their first letters."""
    rests: dict[str, set[str]] = defaultdict(set)
    for rule in TOKENS:
        for literal in rule.begins if not rule.reach else ():
            rests[literal].add(rule.follows)
    heads: dict[str, list[str]] = defaultdict(list)
    for literal, follows in sorted(rests.items()):
        rest = f"(?={'|'.join(sorted(follows))})" if "" not in follows else ""
        heads[literal[0]].append(re.escape(literal[1:]) + rest)
    either = "|".join(
        f"{letter}(?:{'|'.join(literals)})" for letter, literals in heads.items()
    )
    inside = "|".join(
        re.escape(literal) for rule in TOKENS if rule.reach for literal in rule.begins
    )
    return re.compile(f"(?<![A-Za-z0-9_])(?:{either})|{inside}")


@functools.cache
def _by_letter() -> dict[str, list[tuple[str, Rule]]]:
    letters: dict[str, list[tuple[str, Rule]]] = defaultdict(list)
    for rule in TOKENS:
        for literal in rule.begins:
            letters[literal[0]].append((literal, rule))
    return letters


@functools.cache
def _gated() -> dict[str, dict[str, Lead]]:
    """Return the literals of places with what they lead to, by the gate in each."""
    gated: dict[str, dict[str, Lead]] = defaultdict(dict)
    for literal, rules in leads(PLACES).items():
        gates = (gate for gate in GATES if gate in literal)
        gated[next(gates, literal)][literal] = lead_to(literal, rules)
    return gated


@functools.cache
def _gates_by_sign() -> list[tuple[str, list[str]]]:
    """Group the gates by a sign in each: one that is missing rules out its group.

    To look for a sign takes a twentieth of the time of a word.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for gate in filter(str.isascii, _gated()):
        groups[next((sign for sign in _SIGNS if sign in gate), "")].append(gate)
    return [*groups.items()]


@functools.cache
def _places() -> dict[str, int]:
    return {gate: place for place, gate in enumerate(_gated())}


@functools.cache
def _foreign_letters() -> re.Pattern[str]:
    """Match a letter of the other gates: to look for all of them takes much longer."""
    gates = filter(_is_foreign, _gated())
    letters = {next(filter(_is_foreign, gate)) for gate in gates}
    return re.compile(f"[{''.join(sorted(letters))}]")


def _is_foreign(text: str) -> bool:
    return not text.isascii()


def outermost(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort secrets and merge those that overlap into one, named as the first."""
    kept: list[Secret] = []
    ordered = sorted(secrets, key=lambda secret: (secret.begin, secret.name == MAIL))
    for secret in ordered:
        if kept and secret.begin < kept[-1].end:
            if secret.name == MAIL:
                # In https://bot:password@host, the part around @ is no address.
                continue
            end = max(kept[-1].end, secret.end)
            kept[-1] = kept[-1]._replace(end=end)
        else:
            kept.append(secret)
    return kept
