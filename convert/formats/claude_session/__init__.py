"""claude-session: the files in which Claude Code keeps its sessions.

They are in `~/.claude/projects/`, one a session and one for each of its subagents.

{"parentUuid":"f370…","isSidechain":false,"cwd":"/home/ada/shop","sessionId":"7f2a…",
"version":"2.1.77","type":"user","message":{"role":"user","content":"Fix it."},
"uuid":"a91c…","timestamp":"2026-11-23T06:00:00.123Z"}

recognition  whether a log is one
wire         the structs of a line, and the types of lines that say nothing
reader       which lines belong to the run, and what each adds to it
subagents    the files of its subagents, which are next to it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.lines import File
from convert.source.ndjson import EventBlock


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a session file of Claude Code."""
    from convert.agents.lines import lines_of_file, read_lines
    from convert.formats.claude_session.reader import follow
    from convert.formats.claude_session.wire import Line, decoding_for

    def follow_all(
        lines: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
    ) -> Iterator[Event]:
        if not (reading.path and (needs.calls or needs.figures)):
            return follow(lines, needs, warn)
        from convert.formats.claude_session.subagents import SubagentFiles

        def open_(file: File, warn: Warn) -> Iterable[EventBlock[Line]]:
            return lines_of_file(file, decoding_for(needs), reading, warn)

        beside = SubagentFiles(reading.path, open_, warn)
        return follow(lines, needs, warn, beside)

    yield from read_lines(blocks, decoding_for, follow_all, needs, reading, warn)
