"""The formats: a module each, and a row each in one table.

A reader turns blocks of lines into events, a writer turns events into bytes; both are
generators. A new format is a module, a row in `table` and a golden case; the command
line, its help, `diff` and the tests pick it up. No other module names a format.

stream_json       one event a line, as the agent writes it
result_json       the summary of a run
text              a line for each call; text_reader: read back, run_ends: how runs end
json_lines        lines that writers make; losses: what they have no place for,
                  starts_first: events in their order
row               the cells of a row; table: the rows; keeping: what conversions
                  keep of the logs of other agents, openings: how logs begin
agent             the agent whose formats stream_json, result_json and text are
failure_messages  what the agent prints when it cannot run
codex_exec        what `codex exec --json` prints; codex_rollout: Codex's session files
answer            the final message
markdown          a transcript
html              a page to look at
patch             what a run changed in files
messages          a run as the messages of a chat
trajectory        what a run did, as somebody approved it
opencode          what opencode prints
claude_stream     what Claude Code prints, and Amp and Qwen Code
claude_session    the files in which it keeps its sessions
atif              a document for each run, for trace stores and other programs
"""

from __future__ import annotations

import functools

from convert import wings
from convert.formats.row import Format, Read, Reader, Write, Writer
from convert.formats.table import ROWS
from convert.source.sniff import Candidates, Openings

__all__ = ["Format", "Read", "Reader", "Write", "Writer"]

# A conversion writes this unless the user says otherwise.
DEFAULT = "text"
# Keeps every event, also those of types that are not known.
LOSSLESS = "stream-json"


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by their names: those of the core, then those of wings."""
    added = (
        format
        for wing in wings.names("formats")
        for format in wings.row("formats", wing)
    )
    return {format.name: format for format in (*ROWS, *added)}


def readers() -> dict[str, Reader]:
    """Return the formats that can be read, by their names."""
    return {name: row.reader for name, row in formats().items() if row.reader}


def candidates() -> Candidates:
    """Return the formats that can be told by the content of a log."""
    return {
        name: row.reader.recognise
        for name, row in formats().items()
        if row.reader and row.reader.recognise
    }


def openings() -> Openings:
    """Return the formats that can be told by how a log begins."""
    return {
        name: row.reader.opening
        for name, row in formats().items()
        if row.reader and row.reader.opening
    }


def agents() -> list[str]:
    """Return the agents whose logs are read, in the order of the table."""
    rows = [row for row in formats().values() if row.reader]
    named = (name for row in rows for name in (row.agent, *row.others))
    return [*dict.fromkeys(filter(None, named))]


def writers() -> dict[str, Writer]:
    """Return the formats that can be written, by their names."""
    return {name: row.writer for name, row in formats().items() if row.writer}


def called(name: str) -> str:
    """Return the format that a name stands for: its own, or a suffix of its files."""
    name = name.lower()
    if name in formats():
        return name
    suffixed = (
        format for format, writer in writers().items() if f".{name}" in writer.suffixes
    )
    return next(suffixed, name)


def kept(target: str) -> dict[str, str]:
    """Return what a conversion to a format keeps, by the format that is read."""
    return {
        name: reader.keeps[target]
        for name, reader in readers().items()
        if target in reader.keeps
    }
