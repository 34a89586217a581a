"""From the blocks of a log to the events of its runs, for readers of NDJSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import EVERYTHING, Needs
from convert.options import Reading
from convert.source.doubled import without_doubles
from convert.source.ndjson import Decoding, E, EventBlock, read_blocks

# Turns the lines of a log into events, as far as they are needed.
Follow = Callable[[Iterable[EventBlock[E]], Needs, Warn], Iterator[Event]]


def read_lines(
    blocks: Iterable[bytes],
    decoding: Callable[[Needs], Decoding[E]],
    follow: Follow[E],
    needs: Needs,
    reading: Reading,
    warn: Warn,
) -> Iterator[Event]:
    """Yield the events of a log of lines, without its secrets if `reading` says so.

    `decoding` returns how lines are decoded for what is needed. For redaction all is
    needed, since a secret that one event gives away may stand in any other.
    """
    if needs.raw:
        # The lines of another agent are not written; events are made into lines.
        needs = EVERYTHING
    if not reading.redact:
        lines = _lines(blocks, decoding(needs), reading, warn)
        yield from follow(lines, needs, warn)
        return
    from convert.redact.events import redacted

    lines = _lines(blocks, decoding(EVERYTHING), reading, warn)
    yield from redacted(follow(lines, EVERYTHING, warn), needs, reading)


def _lines(
    blocks: Iterable[bytes], decoding: Decoding[E], reading: Reading, warn: Warn
) -> Iterable[EventBlock[E]]:
    """Return the lines of a log, each once; a document may well follow itself."""
    lines = read_blocks(blocks, decoding, reading.max_line, warn)
    return without_doubles(lines, warn) if decoding.text_member == "type" else lines
