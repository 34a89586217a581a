"""The texts that a run used or saw, to ask which call holds a value first."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import strings_in
from convert.diff.values import Value, places_of

# The number of bytes that are searched for values of one run, which takes seconds.
_MOST_SEARCHED = 4_000_000_000
# From this number of values on, an index is faster than a search for each.
_SEARCHES = 20
# A hash may be shown whole and used by its beginning.
_SHORT_HASHES = range(7, 13)


class Texts:
    """The marshalled outputs or arguments of calls, in the order of a run."""

    def __init__(self, kept: list[tuple[ComparedCall, bytes]]) -> None:
        self._kept = kept
        self._remaining = _MOST_SEARCHED
        self._known: dict[Value, ComparedCall | None] = {}

    @property
    def is_exhausted(self) -> bool:
        """There was too much to search."""
        return self._remaining <= 0

    def first(self, value: Value) -> ComparedCall | None:
        """Return the first call whose texts hold a value."""
        if value not in self._known:
            is_many = len(self._known) > _SEARCHES
            is_indexed = is_many and value.shape in ("id", "time", "hash")
            find = self._index.get if is_indexed else self._found
            self._known[value] = find(value)
        return self._known[value]

    def _found(self, value: Value) -> ComparedCall | None:
        needle = value.text.encode("utf-8", "surrogatepass")
        for call, kept in self._kept:
            self._remaining -= len(kept)
            if self._remaining <= 0:
                return None
            if needle in kept and any(
                whole(value).search(text) for _, text in strings_in(kept)
            ):
                return call
        return None

    @functools.cached_property
    def _index(self) -> dict[Value, ComparedCall]:
        """The first call that holds each value of a shape that is known anywhere."""
        index: dict[Value, ComparedCall] = {}
        for call, kept in self._kept:
            for _, text in strings_in(kept):
                for value, _, _ in places_of(text):
                    for spelled in _spellings(value):
                        index.setdefault(spelled, call)
        return index


def _spellings(value: Value) -> Iterator[Value]:
    """Yield a value, and the parts of it by which it may be used."""
    yield value
    if value.shape == "id":
        for part in re.split("[-_]", value.text):
            yield Value("id", part)
    if value.shape == "hash":
        for length in _SHORT_HASHES:
            yield Value("hash", value.text[:length])


@functools.lru_cache(1000)
def whole(value: Value) -> re.Pattern[str]:
    """Return a pattern for a value on its own; a hash may be the start of a longer."""
    end = r"(?![A-Zg-z])" if value.shape == "hash" else r"(?![0-9A-Za-z])"
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(value.text)}{end}")
