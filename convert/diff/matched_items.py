"""Which items of two lists belong together, before anything is said of their changes.

An item that was inserted is one change, and not one of every item behind it.
"""

from __future__ import annotations

import functools
import marshal
from typing import Any

from msgspec import Struct

from convert.diff.alike import Pairs, pair_alike
from convert.diff.outputs import digest

_ID = "id"
_HALF = 0.5


class MatchedItems(Struct, frozen=True):
    """Two lists with the places of the items that belong together."""

    old: list[Any]
    """The items of the baseline; without ids that only number them."""

    new: list[Any]
    """The items of the candidate; without ids that only number them."""

    pairs: Pairs
    """The places of the items on both sides, in the order of the candidate."""

    @property
    def removed(self) -> list[int]:
        """The places of the items that only the baseline has."""
        paired = {at for at, _ in self.pairs}
        return [at for at in range(len(self.old)) if at not in paired]

    @property
    def added(self) -> list[int]:
        """The places of the items that only the candidate has."""
        paired = {to for _, to in self.pairs}
        return [to for to in range(len(self.new)) if to not in paired]

    @property
    def is_reordered(self) -> bool:
        """Some items are in another order, which only ids can tell."""
        return self.pairs != sorted(self.pairs)

    @property
    def orders(self) -> tuple[list[Any], list[Any]]:
        """The ids of the paired items in the order of either side."""
        ids = [self.old[at][_ID] for at, _ in sorted(self.pairs)]
        return ids, [self.new[to][_ID] for _, to in self.pairs]


def match_items(old: list[Any], new: list[Any]) -> MatchedItems:
    """Match the items of two lists by their ids, else by what they hold."""
    if _are_numbered(old) and _are_numbered(new) and _id(old[0]) == _id(new[0]):
        # An insertion renumbers the items behind it: such an id only tells the place.
        old, new = map(_without_ids, (old, new))
    elif _identifies_items(old) and _identifies_items(new):
        places = {_id(item): at for at, item in enumerate(old)}
        known = [(to, _id(item)) for to, item in enumerate(new)]
        pairs = [(places[name], to) for to, name in known if name in places]
        return MatchedItems(old, new, pairs)
    one, other = (list(map(digest, items)) for items in (old, new))
    return MatchedItems(old, new, _paired(old, new, one, other))


def _paired(
    old: list[Any], new: list[Any], one: list[bytes], other: list[bytes]
) -> Pairs:
    """Pair the items that are equal, by their digests, or alike."""

    def size(ones: range, others: range) -> int:
        items = [*(old[at] for at in ones), *(new[to] for to in others)]
        return sum(len(marshal.dumps(item, 2)) for item in items)

    def likeness(at: int, to: int) -> float:
        return _likeness(old_members(at), new_members(to))

    # An item is compared with several.
    old_members = functools.cache(lambda at: _members(old[at]))
    new_members = functools.cache(lambda to: _members(new[to]))
    return pair_alike(one, other, size, likeness)


def _identifies_items(items: list[Any]) -> bool:
    """Return True if every item has an id of its own."""
    if not all(isinstance(item, dict) and _ID in item for item in items):
        return False
    return len({*map(_id, items)}) == len(items)


def _are_numbered(items: list[Any]) -> bool:
    """Return True if the ids of the items count from 0 or 1."""
    if not items or not _identifies_items(items):
        return False
    ids = [item[_ID] for item in items]
    number = type(ids[0])
    if number not in (int, str) or ids[0] not in (0, 1, "0", "1"):
        return False
    first = int(ids[0])
    return ids == [number(first + place) for place in range(len(ids))]


def _without_ids(items: list[dict[str, Any]]) -> list[Any]:
    return [
        {name: value for name, value in item.items() if name != _ID} for item in items
    ]


def _id(item: dict[str, Any]) -> bytes:
    return digest(item[_ID])


def _members(item: Any) -> dict[str, bytes] | None:
    """Return the members of an object with their digests; None for another value."""
    if not isinstance(item, dict):
        return None
    return {name: digest(value) for name, value in item.items()}


def _likeness(old: dict[str, bytes] | None, new: dict[str, bytes] | None) -> float:
    """Return the share of members in common; other values are half alike."""
    if old is None or new is None:
        return _HALF if old is new else 0.0
    names = len(old) + len(new) - len(old.keys() & new.keys())
    return len(old.items() & new.items()) / names if names else 1.0
