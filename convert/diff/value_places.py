"""Where in an output a value was seen first, so that two runs can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.values import Shape, places_of
from convert.wording.compiled import compiled
from convert.wording.digests import blake2b

# The characters around a value that tell it from others in an output.
_AROUND = 40
_WITH_DIGITS = r"[\w-]*[0-9][\w-]*"


class Place(Struct, frozen=True):
    """The place of a value in the output that showed it first."""

    call: ComparedCall
    """The call that returned the output."""

    context: str
    """A digest of the name of the member, and of what is before and after the value."""

    ordinal: int
    """How many other values of the shape have the same context before it."""


def places_in(
    call: ComparedCall, shape: Shape, texts: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, Place]]:
    """Yield each value of a shape in the output of a call, where it comes first.

    `texts` are those of the output, each after the name of its member.
    """
    found: set[str] = set()
    counts: dict[str, int] = {}
    for name, text in texts:
        for value, begin, end in places_of(text):
            if value.shape != shape or value.text in found:
                continue
            found.add(value.text)
            before, after = text[max(begin - _AROUND, 0) : begin], text[end:]
            context = _digest(name, _masked(before), _masked(after[:_AROUND]))
            ordinal = counts.get(context, 0)
            counts[context] = ordinal + 1
            yield value.text, Place(call, context, ordinal)


def _masked(text: str) -> str:
    return compiled(_WITH_DIGITS).sub("#", text)


def _digest(*texts: str) -> str:
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()
