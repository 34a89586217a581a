"""From the pieces of a log to its lines, its format, and the structs of its lines.

The beginning of a log shows if it is compressed, in UTF-16, coloured or split, and
which format it is in. Most logs are none of the first four, and msgspec accepts all
their lines; the modules for all others are imported when a log needs them.
"""

from __future__ import annotations

import codecs
import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from convert.errors import InputError, NotALogError, Warn
from convert.options.conversion import Reading
from convert.source.lines import (
    BLOCK,
    MAGIC,
    MARKED,
    REFUSED,
    ROW,
    WIDEST,
    Gap,
    blocks,
    check_utf8,
    is_whole,
    lines_of,
)
from convert.source.ndjson import Decoding, E, EventBlock, decode_block, raws_in
from convert.source.recognition import (
    Agents,
    Candidates,
    Openings,
    by_first_line,
    by_opening,
)
from convert.wording.numbers import size

if TYPE_CHECKING:
    from convert.source.detection import Detection
    from convert.source.marks import Marks

_EVERY_MAGIC = tuple(itertools.chain.from_iterable(MAGIC.values()))
_LONGEST_MAGIC = max(map(len, _EVERY_MAGIC))


def lines_of_log(
    pieces: Iterable[bytes], reading: Reading, warn: Warn
) -> tuple[Iterator[bytes], Marks | None]:
    """Return the blocks of whole lines of a log, in UTF-8 and without colours.

    The marks of `runconv run` are removed, and returned next to the lines; None for any
    other log. They are known when all blocks are read.
    """
    lines = blocks(as_utf8(unpacked(pieces, reading.max_input, warn)), reading.max_line)
    marks = None
    first = next(lines, None)
    if first is not None and first.startswith(MARKED):
        # Few logs have any.
        from convert.source.marks import Marks

        marks = Marks()
        lines = marks.removed(itertools.chain([first], lines))
        first = next(lines, None)
    if first is None:
        return iter(()), marks
    plain = uncoloured(first, lines, warn)
    return whole_lines(plain, reading.max_line, warn), marks


def unpacked(chunks: Iterable[bytes], most: int, warn: Warn) -> Iterator[bytes]:
    """Expand an archive up to its damage; yield anything else as it is.

    Warns about an archive that is incomplete or damaged. Raises InputError if it
    expands to more than `most` bytes, or cannot be read here.
    """
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        may_begin = len(head) < _LONGEST_MAGIC and any(
            magic.startswith(head) for magic in _EVERY_MAGIC
        )
        if head.startswith(_EVERY_MAGIC) or not may_begin:
            break
    chunks = itertools.chain([head], chunks)
    if not head.startswith(_EVERY_MAGIC):
        return chunks
    # Few logs are archives.
    from convert.source.compressed import expanded

    name = next(name for name, magic in MAGIC.items() if head.startswith(magic))
    return _within(most, expanded(chunks, name, warn))


def _within(most: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    left = most
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left < 0:
            raise InputError(
                f"expands to more than {size(most)}; --max-input raises the limit"
            )


# Without a mark, UTF-16 is recognised by the first bracket of JSON.
_UTF16 = (
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"[\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
    (b"\0[", "utf-16-be"),
)
# The codes of a terminal, and JSON that has one inside of its first value.
_COLOUR = rb"\x1b\[[0-9;:]*[mK]"
_COLOURED = (
    rb"\s*(?:%(code)s)*[\[{][^\x1b\n]*(?:\r?\n[ \t]*)?(?:%(code)s)+[^\x1b\r\n]"
    rb"|\s*(?:%(code)s)+[\[{][ \t]*\r?\n?\Z"
) % {b"code": _COLOUR}


def as_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield UTF-16, as PowerShell writes it, as UTF-8; anything else as it is."""
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 2:
            break
    encoding = next((name for mark, name in _UTF16 if head.startswith(mark)), None)
    if encoding is None:
        yield head
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for chunk in itertools.chain([head], chunks):
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


def uncoloured(first: bytes, rest: Iterable[bytes], warn: Warn) -> Iterable[bytes]:
    """Return JSON without the colours that `jq -C` or `grep` put into it.

    JSON holds none of these bytes itself. Any other log stays as it is.
    """
    lines = itertools.chain([first], rest)
    if b"\x1b" not in first or not re.match(_COLOURED, first):
        return lines
    warn(None, "JSON in the colours of a terminal", "read without them")
    return (
        line if isinstance(line, Gap) else re.sub(_COLOUR, b"", line) for line in lines
    )


def whole_lines(blocks: Iterable[bytes], longest: int, warn: Warn) -> Iterator[bytes]:
    """Yield the blocks of a log in which lines that were split are whole.

    Its first lines show if any are; a log without such lines is not changed. See
    `split_lines.joined`.
    """
    blocks = iter(blocks)
    seen = 0
    first = 1
    for block in blocks:
        at = 0
        for line in lines_of(block):
            if _is_split(line):
                from convert.source.split_lines import joined

                if at:
                    yield block[:at]
                rest = itertools.chain([block[at:]], blocks)
                yield from joined(line, rest, first, longest, warn)
                return
            at += len(line)
            first += 1
            if len(line) > WIDEST:
                seen = BLOCK
                break
        yield block
        seen += len(block)
        if seen >= BLOCK:
            yield from blocks
            return


def _is_split(line: bytes) -> bool:
    """Return True for a line of a container, or of an event that is not closed."""
    if line.startswith(ROW):
        # Docker's texts are in objects; a row that is longer is no row.
        is_docker = line.startswith(b'{"log"')
        return is_docker or (len(line) <= WIDEST and not is_whole(line))
    head = line[:60]
    if line[4:5] == b"-" and line[:1].isdigit():
        return b" stdout " in head or b" stderr " in head
    return head[:1] == b"{" and head[1:].lstrip().startswith(b'"log"')


def sniff(
    blocks: Iterable[bytes],
    candidates: Candidates,
    openings: Openings,
    agents: Agents,
    stops_at_result: bool = False,
) -> tuple[str, Iterator[bytes]]:
    """Return the format of a log and all its blocks.

    Reads no further than it must: the first event of a live log is enough as a rule.
    Raises InputError if no format fits; a log with marks that holds no whole event may
    be of any, and has none. With `stops_at_result`, nor has one whose run may be over
    while only its end shows its format: one result may be all of it, or be of a stream.
    """
    blocks = iter(blocks)
    held: list[bytes] = []
    looking: Detection | None = None
    for block in blocks:
        held.append(block)
        if name := by_opening(held, openings):
            return name, _replayed(held, blocks)
        # Line by line, so that the answer does not depend on how a log arrives.
        for line in lines_of(block):
            if looking is None:
                if name := by_first_line(line, candidates):
                    return name, _replayed(held, blocks)
                looking = _looking(candidates, agents)
            if name := looking.take(line):
                return name, _replayed(held, blocks)
            if stops_at_result and looking.may_be_over:
                return "", _replayed(held, blocks)
    gaps = [block for block in held if isinstance(block, Gap)]
    is_run = not all(gap.reason for gap in gaps)
    if gaps and not is_run and not b"".join(held).strip():
        reason = gaps[0].reason
        raise InputError(f"nothing to read but a line {reason}; raise the limit")
    looking = looking or _looking(candidates, agents)
    try:
        return looking.end(), _replayed(held, ())
    except NotALogError:
        raise
    except InputError:
        # The mark at the end of a try says how a run ended, whatever it printed.
        if is_run:
            return "", _replayed(held, ())
        raise


def _replayed(held: list[bytes], blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks that were held, and forget each, then the others."""
    held.reverse()
    while held:
        yield held.pop()
    yield from blocks


def _looking(candidates: Candidates, agents: Agents) -> Detection:
    # As a rule the first line is enough, and then none of this is needed.
    from convert.source.detection import Detection

    return Detection(candidates, agents)


def read_blocks(
    blocks: Iterable[bytes],
    decoding: Decoding[E],
    longest: int,
    warn: Warn,
    first: int = 1,
    is_unwrapped: bool = False,
) -> Iterator[EventBlock[E]]:
    """Decode blocks that end at a line feed; the last one may lack it.

    If JSON is spread over lines or wrapped in an array, it is unwrapped from that line
    on, values of up to `longest` bytes. `first` is the number of the first line.
    """
    blocks = iter(blocks)
    for block in blocks:
        if isinstance(block, Gap):
            warn(first, block.reason, "skipped")
            found: EventBlock[E] | None = EventBlock([], [], first, [])
        else:
            found = decode_block(block, first, decoding)
        if found is not None:
            yield found
            first = found.last + 1
            continue
        raws = raws_in(block)
        found = _line_by_line(raws, first, decoding, warn, is_unwrapped)
        yield found
        taken = found.last + 1 - first
        first = found.last + 1
        if taken < len(raws):
            from convert.source.unwrap import unwrap

            rest = itertools.chain([b"".join(raws[taken:])], blocks)
            values = unwrap(rest, longest, decoding.own_member)
            yield from read_blocks(values, decoding, longest, warn, first, True)
            return


def _line_by_line(
    raws: list[bytes],
    first: int,
    decoding: Decoding[E],
    warn: Warn,
    is_unwrapped: bool,
) -> EventBlock[E]:
    """Decode the lines of a block that are whole and warn of the others.

    Ends before the first line from which on lines have to be unwrapped.
    """
    # A clean log is read without these.
    from convert.source.damaged_lines import decode_line, skip_noise
    from convert.source.unwrap import is_wrapped

    decode = decoding.decoder.decode
    if decoding.is_raw:
        decode = functools.partial(_checked, decoding)
    events: list[E] = []
    numbers: list[int] = []
    event_raws: list[bytes] = []
    rest = iter(raws)
    at = 0
    while at < len(raws):
        known = len(events)
        try:  # noqa: SIM105 - a quarter of the time of `suppress`
            events.extend(map(decode, rest))
        except REFUSED:
            # The events before the line that is refused are kept.
            pass
        good = at + len(events) - known
        numbers += range(first + at, first + good)
        event_raws += raws[at:good]
        at = good
        if at < len(raws):
            if not is_unwrapped and is_wrapped(raws[at]):
                break
            after = skip_noise(raws, at, first, decoding, warn, is_unwrapped)
            if after > at:
                # The iterator is past the first of these lines.
                next(itertools.islice(rest, after - at - 1, after - at - 1), None)
                at = after
                continue
            number = first + at
            for event, raw in decode_line(raws[at], number, decoding, warn, True):
                events.append(event)
                numbers.append(number)
                event_raws.append(raw)
            at += 1
    significant = decoding.significant(events)
    return EventBlock(events, numbers, first + at - 1, significant, event_raws)


def _checked(decoding: Decoding[E], raw: bytes) -> E:
    """Decode a line whose bytes are needed, if it is valid UTF-8."""
    check_utf8(raw)
    return decoding.decoder.decode(raw)
