"""codex-rollout: the files in which Codex keeps its sessions, `rollout-*.jsonl`.

    {"timestamp":"2026-11-20T11:31:02.118Z","type":"event_msg",
     "payload":{"type":"user_message","message":"Fix it."}}

wire         the structs of a line; known_types: the types that say nothing new
reader       from lines to the events of the run
session      the run, with its prompts, texts, tokens and turns
doubles      texts that a file holds twice, as an item and as an event
turn_items   the items of turns as the events that were before them
calls        the calls that an item stands for
endings      how they ended, by their output and by the event about it
open_calls   the calls that have begun, until they end
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.sniff import Certainty, Record

_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are of a session of Codex.

    In prose, an event alone may be an example.
    """
    is_ours = _begins_session if in_prose else _is_ours
    return Certainty.CERTAIN if any(map(is_ours, records)) else Certainty.NONE


def _begins_session(record: Record) -> bool:
    match record:
        case {"type": "session_meta", "timestamp": _, "payload": {"id": str()}}:
            return True
    return False


def _is_ours(record: Record) -> bool:
    return record.get("type") in _TYPES and isinstance(record.get("payload"), dict)


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a session file of Codex."""
    from convert.agents.lines import read_lines
    from convert.formats.codex_rollout.reader import follow
    from convert.formats.codex_rollout.wire import decoding_for

    return read_lines(blocks, decoding_for, follow, needs, reading, warn)
