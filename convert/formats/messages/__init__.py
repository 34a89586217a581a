"""messages: a run as the messages of a chat, for training and evaluation.

{"messages":[{"role":"user","content":"Fix it."},{"role":"assistant","content":null,
"tool_calls":[…]},{"role":"tool","tool_call_id":"call-1","content":"3 passed"}],
"tools":[{"type":"function","function":{"name":"shell","parameters":{…}}}]}

A line holds a run, so it is written when the run ends. `messages.schema.json` describes
it.

conversation  the messages of a run, and the tools that it used
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from convert.errors import Notice, Warn
from convert.formats.json_lines import json_line
from convert.formats.losses import Losses
from convert.formats.messages.conversation import Conversation, Members
from convert.formats.starts_first import starts_first
from convert.model.events import End, EndOfLog, Event, Start
from convert.options import Options
from convert.wording.numbers import count, in_words

# The messages that trainers ask for, by their roles.
_MESSAGE = {"user": "a user message", "assistant": "an assistant message"}


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the conversation of each run when it ends."""
    losses = Losses("messages", warn)
    runs: dict[int, Conversation] = {}
    lacking = {"user": 0, "assistant": 0}
    skipped: Counter[str] = Counter()
    for event in starts_first(events):
        match event:
            case EndOfLog():
                losses.name()
            case Start():
                runs[event.run] = Conversation(event, losses, options)
            case End():
                run = runs.pop(event.run)
                written = run.end(event, warn)
                messages = written["messages"]
                if not messages:
                    warn(
                        event.line, "the run that ends here has no message", "left out"
                    )
                    continue
                if options.only == "complete" and (lack := _lack(messages)):
                    skipped[lack] += 1
                    continue
                roles = {message["role"] for message in messages}
                for role in lacking:
                    lacking[role] += role not in roles
                yield json_line(written)
            case _:
                runs[event.run].read(event)
    for role, number in lacking.items():
        if number:
            what = f"{count(number, 'conversation')} without"
            warn(None, f"{what} {_MESSAGE[role]}", "trainers may refuse that")
    if skipped:
        total = count(skipped.total(), "conversation")
        lacks = [
            f"{number:,} without {lack}" for lack, number in sorted(skipped.items())
        ]
        warn(None, Notice(f"{total} left out: {in_words(lacks)}"), "")


def _lack(messages: list[Members]) -> str:
    """Return which part a conversation lacks that trainers ask for; "" for none."""
    if not any(each["role"] == "user" and each["content"].strip() for each in messages):
        return "a request"
    last = messages[-1]
    has_answer = last["role"] == "assistant" and (last["content"] or "").strip()
    return "" if has_answer else "a final answer"
