"""Events of any log as Claude Code's stream, for programs that read that.

Tools and arguments have Claude Code's names, what a call returned is the text that the
model would read, and the blocks of one response share the id of a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.formats.claude_stream.written_run import RunLines
from convert.formats.losses import Losses, warn_of_prompts
from convert.formats.starts_first import starts_first
from convert.model.cost import ProcessCosts
from convert.model.events import End, EndOfLog, Event, Start
from convert.options import Options


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write a line for each thing that happened, as soon as it has."""
    losses = Losses("claude-stream", warn)
    costs = ProcessCosts()
    runs: dict[int, RunLines] = {}
    without_prompt = 0
    for event in starts_first(events):
        match event:
            case EndOfLog():
                losses.name()
            case Start():
                runs[event.run] = RunLines(event, losses, costs)
                yield from runs[event.run].init(event)
            case End():
                run = runs.pop(event.run)
                yield from run.end(event)
                without_prompt += run.lacks_prompt
            case _:
                yield from runs[event.run].read(event)
    warn_of_prompts(without_prompt, "run", "request", warn)
