"""Secrets that what is around them gives away, by the literals of their places."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator

from convert.redact.layouts import find_below
from convert.redact.leads import Lead, follow, lead_to, leads
from convert.redact.letters import lowered
from convert.redact.rule import Secret
from convert.redact.rules import PLACES
from convert.redact.search import gate_of
from convert.redact.words import Words


def find_placed(text: str) -> Iterator[Secret]:
    """Yield the secrets that what is around them gives away."""
    # The heads of lists and tables hold such literals, too.
    if found := _literals().possible(text):
        low = lowered(text)
        for number in sorted(found):
            yield from follow(leads_to_places()[number], text, low)
        yield from find_below(text, low)


@functools.cache
def _literals() -> Words:
    return Words([lead.literal for lead in leads_to_places()])


@functools.cache
def leads_to_places() -> list[Lead]:
    """Return the literals of places with what they lead to.

    The first of several rules for one place names the secret.
    """
    gates = sorted(_gated().items(), key=lambda gated: not gated[0].isascii())
    return [lead for _, gated in gates for lead in gated]


@functools.cache
def _gated() -> dict[str, list[Lead]]:
    """Return the literals of places with what they lead to, by the gate in each."""
    gated: dict[str, list[Lead]] = defaultdict(list)
    for literal, rules in leads(PLACES).items():
        gated[gate_of(literal)].append(lead_to(literal, rules))
    return gated
