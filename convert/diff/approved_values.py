"""The values of a run that was approved, as they are known: marks and their places.

It answers what `Seen` answers for a log, whose outputs are at hand.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping

from convert.diff.compared_call import ComparedCall
from convert.diff.seen_texts import Texts, whole
from convert.diff.trajectory import Trajectory
from convert.diff.value_places import Place
from convert.diff.values import Shape, Value
from convert.wording.compiled import compiled

# The marks of values that a run made, each with its shape.
MARK = r"<(id|time|hash|port|process) [1-9][0-9]*>"


class ApprovedValues:
    """The marks in the texts of a run, and where their values were seen first.

    `made` has all of them; None is the place of one that is the run's own.
    """

    has_marks = True
    """Marks stand in its texts for the values that it made."""

    is_exhausted = False
    """All of it is known."""

    def __init__(self, run: Trajectory, made: Mapping[Value, Place | None]) -> None:
        self.run = run
        self._made = made
        self._prompts = "\n".join(run.run.prompts)

    @functools.cached_property
    def _arguments(self) -> Texts:
        return Texts([(call, call.arguments_kept) for call in self.run.all_calls])

    def has_made(self, value: Value) -> bool:
        """Return True if a mark stands for a value."""
        return value in self._made

    def holds(self, value: Value) -> bool:
        """Return True if the prompt or the arguments hold a value itself."""
        if value in self._made:
            return False
        if value.text in self._prompts and whole(value).search(self._prompts):
            return True
        return self._arguments.first(value) is not None

    def place(self, value: Value) -> Place | None:
        """Return the place of a value in the first output that showed it."""
        return self._made.get(value)

    def places(self, call: ComparedCall, shape: Shape) -> dict[str, Place]:
        """Return the places of the values of a shape in the output of a call."""
        return {
            value.text: place
            for value, place in self._made.items()
            if place and place.call is call and value.shape == shape
        }

    def values_in(self, text: str) -> Iterator[Value]:
        """Yield the values for which marks stand in a text."""
        if "<" in text:
            found = map(_value, compiled(MARK).finditer(text))
            yield from (value for value in found if value in self._made)

    def replaced(self, text: str, change: Callable[[Value], str | None]) -> str:
        """Return a text with others for its marks; None leaves one."""

        def replace(match: re.Match[str]) -> str:
            value = _value(match)
            new = change(value) if value in self._made else None
            return match[0] if new is None else new

        return compiled(MARK).sub(replace, text)


def _value(match: re.Match[str]) -> Value:
    shape: Shape = match[1]  # type: ignore[assignment]
    return Value(shape, match[0])
