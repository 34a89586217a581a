"""codex-exec: the lines that `codex exec --json` prints, of one thread or several.

    {"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Done."}}

wire    the structs of a line; only the members that a target needs are decoded
reader  from lines to runs; process: one of them, with its turns
items   the calls that an item stands for, and how they ended
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.sniff import Certainty, Record


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are of `codex exec`.

    In prose, an event alone may be an example.
    """
    is_ours = _begins_thread if in_prose else _is_ours
    return Certainty.CERTAIN if any(map(is_ours, records)) else Certainty.NONE


def _begins_thread(record: Record) -> bool:
    match record:
        case {"type": "thread.started", "thread_id": str()}:
            return True
    return False


def _is_ours(record: Record) -> bool:
    match record:
        case {
            "type": "item.started" | "item.updated" | "item.completed",
            "item": dict(),
        }:
            return True
        case {"type": "turn.started" | "turn.completed" | "turn.failed"}:
            return True
    return _begins_thread(record)


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of `codex exec`."""
    from convert.agents.lines import read_lines
    from convert.formats.codex_exec.reader import follow
    from convert.formats.codex_exec.wire import decoding_for

    return read_lines(blocks, decoding_for, follow, needs, reading, warn)
