"""atif: one JSON document for each run, in the Agent Trajectory Interchange Format.

    {"schema_version":"ATIF-v1.7","agent":{"name":"codex","version":"0.154.0"},"steps":[]}

It is the format of Harbor, RFC 0001, which trace stores and training tools read. What
it has no member for stands in its members `extra`, so that a run reads back as it was.

events -> writing -> document; document -> reading -> events

document  the members of a document
agents    the names of agents in it
facts     what runconv keeps of a run, a step and a call in `extra`
writing   the steps of a run, put together from its events
calls     a tool call as two members: what was called, and what came back
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.options import Options


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write each run as a document on a line, when it ends."""
    from convert.formats.atif.writing import documents

    return documents(events, warn)
