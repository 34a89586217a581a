"""Which calls of a run were made at once: compactly, for people, and back to places."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from convert.diff.recorded_call import RecordedCall

# The number of no call, which is before the first one.
_NONE = "0"
# The place where an open call ends: after every event.
NEVER = 1 << 62


class Numbered(NamedTuple):
    """A call with its number in its run: `3`, or `1.2` inside of 1."""

    name: str
    """The number."""

    call: RecordedCall
    """The call."""

    around: int
    """The place of the call around it in the list of all calls; -1 for none."""


class Order(Struct, frozen=True):
    """When a call was made, unless its number already says so."""

    batch: int = 0
    """The number of the step that made it together with others; 0 if none did."""

    after: str = ""
    """The number of the call that started before it; "" for the one above."""

    until: str = ""
    """The number of the last call that started before it ended; "" by default.

    That is the call itself, or the last one inside.
    """


def numbered(calls: list[RecordedCall]) -> list[Numbered]:
    """Return the calls of a run, each followed by those made inside."""
    found: list[Numbered] = []
    _number(calls, "", -1, found)
    return found


def _number(
    calls: list[RecordedCall], above: str, around: int, found: list[Numbered]
) -> None:
    for number, call in enumerate(calls, 1):
        found.append(Numbered(f"{above}{number}", call, around))
        if call.children:
            _number(call.children, f"{above}{number}.", len(found) - 1, found)


def orders_of(calls: list[Numbered]) -> Iterator[Order]:
    """Yield for each call when it was made."""
    batches = _batches(calls)
    ranks = _Ranks(calls, sorted(range(len(calls)), key=lambda at: _starts(calls, at)))
    for at, (_, call, _) in enumerate(calls):
        yield Order(batches.get(call.step, 0), ranks.after(at), ranks.until(at))


def _starts(calls: list[Numbered], at: int) -> float:
    return calls[at].call.starts


def _batches(calls: list[Numbered]) -> dict[str, int]:
    """Return the numbers of the steps that made more than one call."""
    counts = Counter(call.step for _, call, _ in calls if call.step)
    several = (call.step for _, call, _ in calls if counts[call.step] > 1)
    return {step: number for number, step in enumerate(dict.fromkeys(several), 1)}


class _Ranks:
    """The calls of a run in the order in which they started."""

    def __init__(self, calls: list[Numbered], order: list[int]) -> None:
        self.calls, self.order = calls, order
        self._starts = [calls[at].call.starts for at in order]
        self.ranks = [0] * len(calls)
        for rank, at in enumerate(order):
            self.ranks[at] = rank
        # The rank of the last call inside each one, or its own.
        self.last = [*self.ranks]
        for at in reversed(range(len(calls))):
            around = calls[at].around
            if around >= 0:
                self.last[around] = max(self.last[around], self.last[at])

    def after(self, at: int) -> str:
        """Return the number of the call before one, unless it is the one above."""
        rank = self.ranks[at]
        before = self.order[rank - 1] if rank else -1
        if before == at - 1:
            return ""
        return self.calls[before].name if rank else _NONE

    def until(self, at: int) -> str:
        """Return the number of the last call of another step that one overlaps."""
        call = self.calls[at].call
        if call.outcome == "unfinished":
            return ""
        own = self.ranks[at]
        rank = max(bisect.bisect_left(self._starts, call.ends) - 1, own)
        while rank > own and call.step and self._step(rank) == call.step:
            rank -= 1
        return "" if rank == self.last[at] else self.calls[self.order[rank]].name

    def _step(self, rank: int) -> str:
        return self.calls[self.order[rank]].call.step


def set_places(calls: list[Numbered], orders: list[Order]) -> str:
    """Set where calls start and end; return the fault in their order, or "".

    If calls end between the same two starts, inner ones do so before outer ones.
    """
    names = {name: at for at, (name, _, _) in enumerate(calls)} | {_NONE: -1}
    for (name, _, _), order in zip(calls, orders, strict=True):
        for member, other in (("after", order.after), ("until", order.until)):
            if other and (other not in names or (other, member) == (_NONE, "until")):
                return f"{member} of call {name} names call {other}, which is none"
    before = [names.get(each.after, at - 1) for at, each in enumerate(orders)]
    in_order = _in_order(before)
    if len(in_order) < len(calls):
        return "the calls cannot have started in this order"
    ranks = _Ranks(calls, in_order)
    inner_first = sorted(range(len(calls)), key=lambda at: (_end_of(calls, at), -at))
    places = {at: place for place, at in enumerate(inner_first, 1)}
    for at, ((name, call, _), given) in enumerate(zip(calls, orders, strict=True)):
        until = ranks.ranks[names[given.until]] if given.until else ranks.last[at]
        if until < ranks.ranks[at]:
            return f"until of call {name} names call {given.until}, which is earlier"
        call.step = str(given.batch) if given.batch else ""
        call.starts = ranks.ranks[at]
        call.ends = until + places[at] / (len(calls) + 1)
        if call.outcome == "unfinished":
            call.ends = NEVER
    return ""


def _in_order(before: list[int]) -> list[int]:
    """Return the places of calls, each after the one that is before it."""
    following = {each: at for at, each in enumerate(before)}
    order: list[int] = []
    at = following.get(-1, -1)
    while at >= 0 and len(order) < len(before):
        order.append(at)
        at = following.get(at, -1)
    return order


def _end_of(calls: list[Numbered], at: int) -> int:
    """Return the place after the last call inside one."""
    name = calls[at].name + "."
    end = at + 1
    while end < len(calls) and calls[end].name.startswith(name):
        end += 1
    return end
