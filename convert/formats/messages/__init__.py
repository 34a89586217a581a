"""messages: a run as the messages of a chat, for training and evaluation.

{"messages":[{"role":"user","content":"Fix it."},{"role":"assistant","content":null,
"tool_calls":[…]},{"role":"tool","tool_call_id":"call-1","content":"3 passed"}]}

A line holds a run, so it is written when the run ends. `messages.schema.json` describes
it.

conversation  the messages of a run
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.formats.json_lines import json_line
from convert.formats.losses import Losses
from convert.formats.messages.conversation import Conversation
from convert.formats.starts_first import starts_first
from convert.model.events import End, EndOfLog, Event, Start
from convert.options import Options
from convert.wording.numbers import count

# The messages that trainers ask for, by their roles.
_MESSAGE = {"user": "a user message", "assistant": "an assistant message"}


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the conversation of each run when it ends."""
    losses = Losses("messages", warn)
    runs: dict[int, Conversation] = {}
    lacking = {"user": 0, "assistant": 0}
    for event in starts_first(events):
        match event:
            case EndOfLog():
                losses.name()
            case Start():
                runs[event.run] = Conversation(event, losses, options)
            case End():
                run = runs.pop(event.run)
                messages = run.end(event, warn)
                if not messages:
                    warn(
                        event.line, "the run that ends here has no message", "left out"
                    )
                    continue
                roles = {message["role"] for message in messages}
                for role in lacking:
                    lacking[role] += role not in roles
                yield json_line({"messages": messages})
            case _:
                runs[event.run].read(event)
    for role, number in lacking.items():
        if number:
            what = f"{count(number, 'conversation')} without"
            warn(None, f"{what} {_MESSAGE[role]}", "trainers may refuse that")
