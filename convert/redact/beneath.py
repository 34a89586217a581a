"""Text as people read it: without the sequences that colour it for a terminal.

A program that colours its output puts sequences between a name and its value, or into a
token. Reports and transcripts leave them out, so that the secret would be whole again.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator

from convert.redact.rule import Secret
from convert.wording.sanitise import has_controls, spans_without_controls


def find_beneath(
    text: str, find: Callable[[str], Iterable[Secret]]
) -> Iterator[Secret]:
    """Find secrets in a text without its sequences; the offsets are those in the text.

    A secret includes the sequences inside it. Yields nothing for a text without any.
    """
    if text.isprintable() or not has_controls(text):
        return
    spans = [*spans_without_controls(text)]
    if spans == [(0, len(text))]:
        return
    # Where the spans begin in the text without sequences.
    begins = [0, *itertools.accumulate(end - begin for begin, end in spans)]

    def place(offset: int) -> int:
        span = bisect.bisect_right(begins, offset) - 1
        return spans[span][0] + offset - begins[span]

    for begin, end, name in find("".join(text[a:b] for a, b in spans)):
        yield Secret(place(begin), place(end - 1) + 1, name)


def plain(text: str) -> str:
    """Return a text without its sequences."""
    if text.isprintable() or not has_controls(text):
        return text
    return "".join(text[begin:end] for begin, end in spans_without_controls(text))
