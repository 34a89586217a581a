"""Which format a log is in, by its bytes and never by its name.

Many agents write JSON lines with the types `system`, `user`, `assistant` and `result`.
So keys decide, not types, and a log of another agent is named, not converted wrongly.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator

import msgspec

from convert.errors import InputError
from convert.source.lines import Gap, is_one_line
from convert.source.look_alikes import is_decisive

_MOST_LOOKS = 200


def sniff(blocks: Iterable[bytes]) -> tuple[str, Iterator[bytes]]:
    """Name the format of a log; give its blocks back, with those that were looked at.

    Reads no further than it must: a live log is told by its first event. Raises
    InputError for what is no log of the agent.
    """
    blocks = iter(blocks)
    held: list[bytes] = []
    head: list[bytes] = []
    size = looked_at = looks = 0
    for block in blocks:
        held.append(block)
        # Line by line, so that the answer does not depend on how a log arrives.
        for line in [block] if is_one_line(block) else io.BytesIO(block):
            head.append(line)
            size += len(line)
            # Noise alone changes nothing; looking at each line of it is quadratic.
            has_news = b'"type"' in line and looks < _MOST_LOOKS
            if line.endswith(b"\n") and (has_news or size >= 2 * looked_at):
                looked_at = size
                looks += 1
                if looks == 1 and len(head) == 1 and _tells(line):
                    return "stream-json", itertools.chain(held, blocks)
                if name := _judge(_joined(head), is_whole=False):
                    return name, itertools.chain(held, blocks)
    whole = _joined(held)
    gaps = [block for block in held if isinstance(block, Gap)]
    if gaps and not whole.strip():
        reason = gaps[0].reason
        raise InputError(f"nothing to read but a line {reason}; raise the limit")
    return _judge(whole, is_whole=True) or "text", iter(held)


def _joined(blocks: list[bytes]) -> bytes:
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)


def _tells(line: bytes) -> bool:
    """Whether the first line of a log is an event that only Cursor's agent writes.

    It is, as a rule, and then what else a log may be does not have to be imported.
    """
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(record, dict) and is_decisive(record)


def _judge(head: bytes, is_whole: bool) -> str | None:
    from convert.source.judge import judge

    return judge(head, is_whole)
