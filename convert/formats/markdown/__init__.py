"""markdown: a transcript to read, to paste and to keep.

events -> transcript (pieces) -> render -> bytes

render            a piece as Markdown; escaping is in wording.markdown
foreign_markdown  Markdown of the log, changed so that it cannot escape its place
foreign_blocks    the same for its blocks; foreign_spans: for the text inside them
foreign_fences    the same for code between fences
limit             --max-bytes
front_matter      --front-matter
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING

from convert.errors import OutputError, Warn, temporary_folder_error
from convert.model.events import Event
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
    from convert.formats.markdown.render import render
    from convert.transcript import pieces

    found = pieces(events, options)
    front_matter = None
    if options.front_matter:
        from convert.formats.markdown.front_matter import FrontMatter

        front_matter = FrontMatter()
        found = _recorded(found, front_matter)
    if options.max_bytes is not None:
        blocks = _separated(_limited(found, options.max_bytes, front_matter), options)
    else:
        blocks = _separated(map(render, found), options)
    encoded = (block.encode(errors="replace") for block in blocks)
    if front_matter is None or options.max_bytes is not None:
        yield from encoded
    else:
        yield from _after_front_matter(encoded, front_matter)


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
    blocks: Iterable[bytes], front_matter: FrontMatter
) -> Iterator[bytes]:
    """Yield front matter, then the body, which is buffered in a file until then."""
    import tempfile

    with tempfile.SpooledTemporaryFile(_MOST_BUFFERED) as body:
        # One by one: `writelines` would fill the memory before it turns to a file.
        for block in blocks:
            _buffer(body, block)
        body.seek(0)
        yield front_matter.write().encode(errors="replace") + b"\n"
        while lines := body.readlines(_MOST_BUFFERED):
            yield b"".join(lines)


def _buffer(body: IO[bytes], block: bytes) -> None:
    try:
        body.write(block)
    except OSError as error:
        raise OutputError(temporary_folder_error(error)) from error
