"""From the blocks of a log to the events of its runs, for readers of NDJSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import EVERYTHING, Needs
from convert.options import Reading
from convert.source.archives import unpacked
from convert.source.doubled import without_doubles
from convert.source.lines import File, as_utf8, blocks
from convert.source.ndjson import Decoding, E, EventBlock, read_blocks

# Turns the lines of a log into events, as far as they are needed.
Follow = Callable[[Iterable[EventBlock[E]], Needs, Warn], Iterator[Event]]


def read_lines(
    log: Iterable[bytes],
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
        lines = _lines(log, decoding(needs), reading, warn)
        yield from follow(lines, needs, warn)
        return
    from convert.redact.events import redacted

    lines = _lines(log, decoding(EVERYTHING), reading, warn)
    yield from redacted(follow(lines, EVERYTHING, warn), needs, reading)


def lines_of_file(
    file: File, decoding: Decoding[E], reading: Reading, warn: Warn
) -> Iterable[EventBlock[E]]:
    """Return the lines of a file beside a log."""
    pieces = as_utf8(unpacked(file, reading.max_input, warn))
    return _lines(blocks(pieces, reading.max_line), decoding, reading, warn)


def _lines(
    log: Iterable[bytes], decoding: Decoding[E], reading: Reading, warn: Warn
) -> Iterable[EventBlock[E]]:
    """Return the lines of a log, each once; a document may well follow itself."""
    lines = read_blocks(log, decoding, reading.max_line, warn)
    return without_doubles(lines, warn) if decoding.text_member == "type" else lines
