"""Marks for the values that a run made, numbered where they occur first.

A number is left out if a text of the run literally holds a mark with it, so that no
mark needs to be escaped.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

from convert.diff.outputs import strings_in
from convert.diff.run_made import Seen
from convert.diff.seen_texts import whole
from convert.diff.trajectory import Trajectory
from convert.diff.values import LONGEST, Value

_ANY = re.compile(r"<([a-z]+) ([1-9][0-9]*)>")
# Words that a shell reads as it would read the values.
_WORDS = {
    "id": "id1",
    "hash": "abcdef1",
    "time": "2026-01-31",
    "port": "8080",
    "process": "100",
    "tmp": "/tmp/tmp.1",
    "terminal": "1",
}


def parseable(text: str, marks: Container[str]) -> str:
    """Return a text with words for the marks in it, which a shell would redirect by."""

    def word(match: re.Match[str]) -> str:
        return _WORDS.get(match[1], match[0]) if match[0] in marks else match[0]

    return _ANY.sub(word, text) if "<" in text else text


class Marks:
    """The marks of one run, which is a log's; with `is_raw`, no value is noise."""

    def __init__(
        self, run: Trajectory, seen: Seen, texts: Iterable[str], is_raw: bool
    ) -> None:
        self._is_raw = is_raw
        self._seen = seen
        self.known: dict[Value, str] = {}
        kept = [call.arguments_kept for call in run.all_calls]
        own = [text for each in kept for _, text in strings_in(each)]
        every = [*own, *texts]
        self._literal = {found[0] for text in every for found in _ANY.finditer(text)}
        # Texts in which nothing is replaced.
        self._long = [text for text in every if len(text) > LONGEST]
        self._counts: dict[str, int] = {}

    def in_text(self, text: str) -> str:
        """Return a text with marks for what the run made."""
        return self._seen.replaced(text, self._made)

    def known_in(self, text: str) -> str:
        """Return a text with the marks that are known already."""
        return self._seen.replaced(text, self.known.get)

    def in_value(self, value: Any) -> Any:
        """Return a value of JSON with marks in its strings.

        Names of members stay, if marks without their numbers would make two equal.
        """
        match value:
            case str():
                return self.in_text(value)
            case list():
                return [self.in_value(inner) for inner in value]
            case dict():
                names = [*map(self.in_text, value)]
                bare = {_ANY.sub(r"<\1>", name) for name in names}
                if len(bare) < len(names):
                    names = [*value]
                members = zip(names, map(self.in_value, value.values()), strict=True)
                return dict(sorted(members, key=lambda member: member[0]))
        return value

    def of_system(self, values: list[Value]) -> dict[Value, str]:
        """Return the marks of values that the system made."""
        return {value: self._mark(value) for value in values}

    def has_made_in(self, text: str) -> bool:
        """Return True if a text holds a value that the run made."""
        return any(self._made(value) for value in self._seen.values_in(text))

    def _made(self, value: Value) -> str | None:
        if value in self.known:
            return self.known[value]
        if (
            self._is_raw
            or not self._seen.has_made(value)
            or self._is_in_long_text(value)
        ):
            return None
        return self._mark(value)

    def _is_in_long_text(self, value: Value) -> bool:
        return any(whole(value).search(text) for text in self._long)

    def _mark(self, value: Value) -> str:
        if value not in self.known:
            self.known[value] = next(self._free(value.shape))
        return self.known[value]

    def _free(self, shape: str) -> Iterator[str]:
        """Yield the marks of a shape that no text holds, counting them as used."""
        while True:
            self._counts[shape] = self._counts.get(shape, 0) + 1
            mark = f"<{shape} {self._counts[shape]}>"
            if mark not in self._literal:
                yield mark
