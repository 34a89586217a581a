"""opencode: what `opencode run --format json` prints, an event a line.

    {"type":"text","timestamp":1793180004200,"sessionID":"ses_49","part":{"text":"Done."}}

blocks of bytes -> agents.lines -> runs -> events

wire     the structs of a line; only the members that a target needs are decoded
runs     which run a line belongs to, what it adds, and how the run ended
calls    a tool that has ended: what was called, and how it ended
outputs  what a tool returned, as the members of its kind
edits    the changes of files that a tool made
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.sniff import Certainty, Record


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are of opencode."""
    return Certainty.CERTAIN if any(map(_is_ours, records)) else Certainty.NONE


def _is_ours(record: Record) -> bool:
    match record:
        case {"sessionID": str(), "part": dict()}:
            return True
        case {"sessionID": str(), "type": "error", "error": _}:
            return True
        case {"sessionID": str(), "type": "done", "reason": _}:
            return True
    return False


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of opencode."""
    from convert.agents.lines import read_lines
    from convert.formats.opencode.runs import follow
    from convert.formats.opencode.wire import decoding

    return read_lines(blocks, decoding, follow, needs, reading, warn)
