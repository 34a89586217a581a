"""atif: one JSON document for each run, in the Agent Trajectory Interchange Format.

    {"schema_version":"ATIF-v1.7","agent":{"name":"codex","version":"0.154.0"},"steps":[]}

It is the format of Harbor, RFC 0001, which trace stores and training tools read. Its
members `extra` hold what it has no member for, so that a run reads back as it was.

events -> writing -> document; document -> reading -> events

document  the members of a document
agents    the names of agents in it
facts     what runconv keeps of a run, a step and a call in `extra`
writing   runs as documents; grouping: their events as steps
calls     a tool call as two members: what was called, and what came back
reading   the events of a run, from its document; steps: from the steps of it
returned  the calls of a step and how they ended, also where others wrote it;
          cursor_calls: those of Cursor as Harbor keeps them
contents  texts, which may be lists of parts
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Options, Reading
from convert.source.sniff import Certainty, Record


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Tell how surely the first records of a log are documents."""
    versions = (record.get("schema_version") for record in records)
    is_ours = any(str(version).startswith("ATIF-") for version in versions)
    return Certainty.CERTAIN if is_ours else Certainty.NONE


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read documents, over many lines or one to a line, each as a run."""
    from convert.agents.lines import read_lines
    from convert.formats.atif.reading import decoding, follow

    return read_lines(blocks, decoding, follow, needs, reading, warn)


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each run as a document on a line, when it ends."""
    from convert.formats.atif.writing import documents

    return documents(events, warn)
