"""Calls made inside other calls: as steps of a subagent, or by naming their parent."""

from __future__ import annotations

from convert.diff.compared_call import ComparedCall

# Calls nested deeper than this become siblings of the innermost.
_MOST_NESTED_CALLS = 50


def nest(
    calls: dict[int, ComparedCall], ids: dict[str, int], parents: dict[int, str]
) -> list[ComparedCall]:
    """Put calls below their parents, number siblings from 1, and return the others.

    `calls` and `parents` go by the numbers of calls in their run, `ids` leads to those
    numbers. A call whose parent is unknown, or is inside the call itself, has none.
    """
    numbers = sorted(calls)
    known = {
        number: ids[parents[number]] for number in numbers if parents.get(number) in ids
    }
    outer = _outer(numbers, _without_cycles(known))
    own = []
    # A step may also be recorded as a call that names its parent. Without that, an id
    # in common means nothing: a subagent may count its calls from 0 as well.
    linked = {
        call_id: calls[number] for call_id, number in ids.items() if number in parents
    }
    taken: set[int] = set()
    for number in numbers:
        calls[number].children = _linked(calls[number].children, linked, taken)
    for number in numbers:
        if id(calls[number]) in taken:
            continue
        if number in outer:
            calls[outer[number]].children.append(calls[number])
        else:
            own.append(calls[number])
    _number(own)
    return own


def _linked(
    steps: list[ComparedCall], linked: dict[str, ComparedCall], taken: set[int]
) -> list[ComparedCall]:
    """Return steps, each of which that is also a call replaced by that, once."""
    found = []
    for step in steps:
        call = linked.get(step.id) if step.id else None
        if call is None:
            step.children = _linked(step.children, linked, taken)
            found.append(step)
        elif id(call) not in taken:
            taken.add(id(call))
            found.append(call)
    return found


def _number(siblings: list[ComparedCall]) -> None:
    """Number calls from 1, and those inside each of them."""
    waiting = [siblings]
    while waiting:
        for number, call in enumerate(waiting.pop(), 1):
            call.number = number
            if call.children:
                waiting.append(call.children)


def _without_cycles(parents: dict[int, int]) -> dict[int, int]:
    """Return the parents by number, with the last link of each cycle left out."""
    kept = dict(parents)
    known: set[int] = set()
    for number in parents:
        path = []
        while number in parents and number not in known:
            known.add(number)
            path.append(number)
            number = parents[number]
        if number in path:
            del kept[max(path[path.index(number) :])]
    return kept


def _outer(numbers: list[int], parents: dict[int, int]) -> dict[int, int]:
    """Return the call that each one is put below: its parent, or one above that."""
    outer: dict[int, int] = {}
    # For each call, the call that its own children are put below, and its depth.
    inside: dict[int, tuple[int, int]] = {}
    for number in numbers:
        path = [number]
        while path[-1] in parents and path[-1] not in inside:
            path.append(parents[path[-1]])
        for inner in reversed(path):
            if inner in inside:
                continue
            if inner not in parents:
                inside[inner] = inner, 0
                continue
            above, depth = inside[parents[inner]]
            outer[inner] = above
            inside[inner] = (
                (inner, depth + 1) if depth < _MOST_NESTED_CALLS else (above, depth)
            )
    return outer
