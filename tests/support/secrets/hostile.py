"""Texts that repeat and mix the words of the rules, and hold next to no secrets."""

from __future__ import annotations

import random
from collections.abc import Iterator

from convert.redact import Rule, every_rule
from support.secrets import filled

# Literals are bare, in quotes, and before the beginnings of values.
_AROUND = (
    *("{}", "{} ", " {} ", '"{}" ', "'{}'", '{}="', "{}='", "{}: ", "{}=", "{}a"),
    *("{}a1", "{}A1b2C3d4 ", "{}\\n", "{}://", "{}.", "{}-", "{}_"),
)
_BETWEEN = ("", " ", "  ", " x ")


def units() -> list[str]:
    """Return all that a hostile text may repeat, in order."""
    return sorted({unit for rule in every_rule() for unit in _units_of(rule)} - {""})


def _units_of(rule: Rule) -> Iterator[str]:
    for literal in rule.begins:
        for around in _AROUND:
            yield around.format(literal)
        for word in rule.starts + rule.after:
            for between in _BETWEEN:
                yield f"{word}{between}{literal}"
                yield f"{word}{between}{literal} "
    before, _, rest = rule.example.partition("«")
    secret, _, after = rest.partition("»")
    for text in (before, before + after, f"{before}$X{after}", f"{before}aaaa{after}"):
        yield text
        yield f"{text} "
    yield filled(f"{before}{secret}{after} ")
    # A token that lacks its end.
    yield filled(secret)[:-1]


def repeated(unit: str, size: int) -> str:
    """Return a text of so many characters that repeats a unit."""
    return (unit * (size // len(unit) + 1))[:size]


def mixed(seed: int, size: int) -> str:
    """Return a text of so many characters that mixes some units by chance."""
    dice = random.Random(seed)
    chosen = dice.choices(units(), k=40)
    text = ""
    while len(text) < size:
        text += dice.choice(chosen) + dice.choice(("", " ", "\n", '"', "x"))
    return text[:size]
