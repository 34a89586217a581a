"""claude-stream: what `claude -p --output-format stream-json` prints, an event a line.

{"type":"assistant","message":{"id":"msg_01","content":[{"type":"tool_use","id":
"toolu_01","name":"Bash","input":{"command":"ls"}}]},"session_id":"7da1…"}

Amp and Qwen Code print the same events. `--output-format json` prints the last of them
alone, a `result`, or with `--verbose` all in an array.

recognition  whether a log is one
wire         the structs of a line, and the types of lines that say nothing
reader       which run a line belongs to, and what it adds
results      how a run ended: state, reason, tokens, cost, refused calls
partial      pieces of messages, which count where a log breaks off
writing      the events of any log as such a stream; written_run: of one run,
             written_calls: its calls, waiting_lines: lines behind an edit
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.needs import Needs
from convert.options import Reading


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of Claude Code's stream."""
    from convert.agents.lines import read_lines
    from convert.formats.claude_stream.reader import follow
    from convert.formats.claude_stream.wire import decoding_for

    yield from read_lines(blocks, decoding_for, follow, needs, reading, warn)
