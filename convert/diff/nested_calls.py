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
    _note_places(calls)
    known = {
        number: ids[parents[number]] for number in numbers if parents.get(number) in ids
    }
    outer = _outer(numbers, _without_cycles(known))
    own = []
    linked = {call_id for call_id, number in ids.items() if number in parents}
    for call in calls.values():
        # A step may also be recorded as a call that names its parent. Without that, an
        # id in common means nothing: a subagent may count its calls from 0 as well.
        call.children = [step for step in call.children if step.id not in linked]
    for number in numbers:
        if number in outer:
            calls[outer[number]].children.append(calls[number])
        else:
            own.append(calls[number])
    _number(own)
    return own


def _note_places(calls: dict[int, ComparedCall]) -> None:
    """Note the numbers of calls and of the steps in them, as the log has them."""
    for number, call in calls.items():
        call.logged = (number,)
        waiting = [call] if call.children else []
        while waiting:
            around = waiting.pop()
            for place, step in enumerate(around.children, 1):
                own = step.recorded.number if step.recorded else place
                step.logged = (*around.logged, own)
                if step.children:
                    waiting.append(step)


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
