"""markdown: a transcript for people, to paste, to keep and to compare.

events -> transcript (pieces) -> render (escape; prose, spans) -> bytes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.errors import Warn
from convert.model import Event
from convert.options import Options

if TYPE_CHECKING:
    from convert.formats.markdown.front_matter import FrontMatter
    from convert.transcript.pieces import Piece

# What a body that waits for its front matter may take of memory.
_MOST_HELD = 1 << 20


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the transcript of each run, each piece when it is complete.

    What only the end of the log can tell, front matter and how much is to be left out,
    makes all of it wait for that end.
    """
    # The other formats start without all this.
    from convert.formats.markdown.front_matter import FrontMatter
    from convert.transcript import pieces

    found = pieces(events, options)
    front_matter = FrontMatter() if options.front_matter else None
    if front_matter is not None:
        found = _noted(found, front_matter)
    if options.max_bytes is not None:
        blocks = _spaced(_limited(found, options.max_bytes, front_matter), options)
    elif front_matter is not None:
        blocks = _held(found, front_matter, options)
    else:
        blocks = _spaced(_rendered(found), options)
    for block in blocks:
        yield block.encode(errors="replace")


def _rendered(pieces: Iterable[Piece]) -> Iterator[str]:
    from convert.formats.markdown.render import render

    return map(render, pieces)


def _spaced(blocks: Iterable[str], options: Options) -> Iterator[str]:
    """Blocks with an empty line above each that follows another."""
    gap = "\n" if options.follows else ""
    for block in blocks:
        yield gap + block
        gap = "\n"


def _noted(pieces: Iterable[Piece], front_matter: FrontMatter) -> Iterator[Piece]:
    for piece in pieces:
        front_matter.add(piece)
        yield piece


def _limited(
    pieces: Iterable[Piece], most: int, front_matter: FrontMatter | None
) -> Iterator[str]:
    """Blocks of no more bytes than this, when the log has ended."""
    from convert.formats.markdown.limit import Limited

    limited = Limited(most)
    for piece in pieces:
        limited.add(piece)
    taken = 0
    if front_matter is not None:
        head = front_matter.write(most // 4)
        taken = len(head.encode()) + 1
        yield head
    yield from limited.rendered(taken)


def _held(
    pieces: Iterable[Piece], front_matter: FrontMatter, options: Options
) -> Iterator[str]:
    """Front matter and what stands below it, which waits in a file meanwhile."""
    import tempfile

    with tempfile.SpooledTemporaryFile(
        _MOST_HELD, mode="w+", encoding="utf-8", errors="replace", newline="\n"
    ) as body:
        body.writelines(_spaced(_rendered(pieces), options))
        body.seek(0)
        yield front_matter.write() + "\n"
        while lines := body.readlines(_MOST_HELD):
            yield "".join(lines)
