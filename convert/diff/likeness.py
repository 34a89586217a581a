"""How alike two different calls are, to tell whether one is the other, changed."""

from __future__ import annotations

from itertools import islice

from convert.diff.compared_call import ComparedCall
from convert.diff.places import nearest

# The share of their characters that the arguments must have in common, in order.
_LEAST = 0.5
# How much of the arguments is compared.
_LONGEST = 500
# How many calls are compared with one.
_MOST_COMPARED = 20


def most_alike(
    ones: list[ComparedCall], others: list[ComparedCall]
) -> list[tuple[int, int]]:
    """Return the places of calls that are alike enough, the most alike first.

    Commands are if they run one program, other calls of a tool by their arguments. If
    several are about as much alike, those whose places are nearer come first.
    """
    if not ones or not others:
        return []
    from rapidfuzz.distance import Indel

    by_tool: dict[bytes, list[int]] = {}
    for to, call in enumerate(others):
        by_tool.setdefault(call.tool_key, []).append(to)
    texts, other_texts = ([_text(call) for call in calls] for calls in (ones, others))
    found = []
    for at, call in enumerate(ones):
        least = 0 if call.kind == "shell" else _LEAST
        for to in islice(nearest(by_tool.get(call.tool_key, []), at), _MOST_COMPARED):
            similarity = Indel.normalized_similarity(texts[at], other_texts[to])
            if similarity >= least:
                found.append((-round(similarity, 1), abs(at - to), at, to))
    return [(at, to) for _, _, at, to in sorted(found)]


def _text(call: ComparedCall) -> str:
    """Return the beginning of the values of the arguments."""
    return str([*call.arguments.values()])[:_LONGEST]
