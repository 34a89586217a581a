"""How alike two different calls are, to tell whether one is the other, changed."""

from __future__ import annotations

from itertools import chain, islice

from convert.diff.compared_call import ComparedCall
from convert.diff.effects import EDITS, EFFECT
from convert.diff.places import nearest
from convert.tools.every_tool import CONTENTS

# The share that two calls must have in common, in order.
_LEAST = 0.5
# The number of characters or lines that are compared.
_LONGEST = 500
# How many calls are compared with one.
_MOST_COMPARED = 20
# Calls of one program and subcommand, or of one tool of a server, are alike whatever
# their arguments are.
_ALIKE = ("shell", "mcp")


def most_alike(
    ones: list[ComparedCall], others: list[ComparedCall]
) -> list[tuple[int, int]]:
    """Return the places of calls that are alike enough, the most alike first.

    If several are about as much alike, those whose places are nearer come first.
    """
    if not ones or not others:
        return []
    by_tool: dict[bytes, list[int]] = {}
    for to, call in enumerate(others):
        by_tool.setdefault(call.tool_key, []).append(to)
    parts, other_parts = (list(map(_parts, calls)) for calls in (ones, others))
    found = []
    for at, call in enumerate(ones):
        least = 0 if call.kind in _ALIKE else _LEAST
        for to in islice(nearest(by_tool.get(call.tool_key, []), at), _MOST_COMPARED):
            similarity = _similarity(parts[at], other_parts[to])
            if similarity >= least:
                found.append((-round(similarity, 1), abs(at - to), at, to))
    return [(at, to) for _, _, at, to in sorted(found)]


def _similarity(one: str | list[str], other: str | list[str]) -> float:
    """Return the share of characters or lines in common, from 0 to 1."""
    from rapidfuzz.distance import Indel

    if isinstance(one, str) and isinstance(other, str):
        if one.endswith(f"/{other}") or other.endswith(f"/{one}"):
            # The same file in another folder.
            return 1.0
    elif type(one) is not type(other):
        return 0.0
    return Indel.normalized_similarity(one, other)


def _parts(call: ComparedCall) -> str | list[str]:
    """Return what two calls are compared by.

    For an edit these are the lines that it changed: a file may have another name,
    but two edits of unlike lines are not one.
    """
    if call.kind in EDITS and (lines := _changed_lines(call)):
        return lines
    return " ".join(map(str, call.arguments.values()))[:_LONGEST]


def _changed_lines(call: ComparedCall) -> list[str]:
    """Return the lines that an edit removed and added, or that were passed to it."""
    arguments = call.arguments
    if isinstance(effect := arguments.get(EFFECT), str):
        lines = [line for line in effect.split("\n") if line[:1] in ("+", "-")]
    else:
        texts = (arguments.get(name) for name in sorted(CONTENTS & arguments.keys()))
        contents = (text.split("\n") for text in texts if isinstance(text, str))
        lines = [f"+{line}" for line in chain.from_iterable(contents)]
    return [line for line in lines[:_LONGEST] if line[1:].strip()]
