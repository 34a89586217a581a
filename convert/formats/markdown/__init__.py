"""markdown: a transcript to read, to paste and to keep.

events -> transcript (pieces) -> render -> bytes

render            a piece as Markdown; escaping is in wording.markdown
foreign_markdown  Markdown of the log, changed so that it cannot escape its place
foreign_blocks    the same for its blocks, foreign_spans for the text inside them
limit             --max-bytes
front_matter      --front-matter
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

# Bytes of memory for a body that waits for its front matter.
_MOST_BUFFERED = 1 << 20


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the transcript of each run, each piece when it is complete.

    With front matter or a limit, which need the end of the log, all of it waits.
    """
    # The other formats start without all this.
    from convert.formats.markdown.front_matter import FrontMatter
    from convert.transcript import pieces

    found = pieces(events, options)
    front_matter = FrontMatter() if options.front_matter else None
    if front_matter is not None:
        found = _recorded(found, front_matter)
    if options.max_bytes is not None:
        blocks = _separated(_limited(found, options.max_bytes, front_matter), options)
    elif front_matter is not None:
        blocks = _after_front_matter(found, front_matter, options)
    else:
        blocks = _separated(_rendered(found), options)
    for block in blocks:
        yield block.encode(errors="replace")


def _rendered(pieces: Iterable[Piece]) -> Iterator[str]:
    from convert.formats.markdown.render import render

    return map(render, pieces)


def _separated(blocks: Iterable[str], options: Options) -> Iterator[str]:
    """Put an empty line between blocks."""
    gap = "\n" if options.follows else ""
    for block in blocks:
        yield gap + block
        gap = "\n"


def _recorded(pieces: Iterable[Piece], front_matter: FrontMatter) -> Iterator[Piece]:
    for piece in pieces:
        front_matter.add(piece)
        yield piece


def _limited(
    pieces: Iterable[Piece], most: int, front_matter: FrontMatter | None
) -> Iterator[str]:
    """Yield blocks of at most `most` bytes, when the log has ended."""
    from convert.formats.markdown.limit import Limited

    limited = Limited(most)
    for piece in pieces:
        limited.add(piece)
    used = 0
    if front_matter is not None:
        head = front_matter.write(most // 4)
        used = len(head.encode()) + 1
        yield head
    yield from limited.rendered(used)


def _after_front_matter(
    pieces: Iterable[Piece], front_matter: FrontMatter, options: Options
) -> Iterator[str]:
    """Yield front matter, then the body, which is buffered in a file until then."""
    import tempfile

    with tempfile.SpooledTemporaryFile(
        _MOST_BUFFERED, mode="w+", encoding="utf-8", errors="replace", newline="\n"
    ) as body:
        body.writelines(_separated(_rendered(pieces), options))
        body.seek(0)
        yield front_matter.write() + "\n"
        while lines := body.readlines(_MOST_BUFFERED):
            yield "".join(lines)
