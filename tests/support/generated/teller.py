"""Writes the events of one run, for the steps of it."""

from __future__ import annotations

import random
from typing import Any

from support.generated.specimens import specimen_of
from support.generated.values import reworded

Event = Any


class Teller:
    """Writes the events of one run, and knows the values that its steps share."""

    def __init__(self, number: int, session: str, dice: random.Random) -> None:
        self.number = number
        self.dice = dice
        self.events: list[Event] = []
        self.late: list[Event] = []
        self.texts: list[str] = []
        self.calls = 0
        self.clock = 1793180000000
        self._session = session

    def add(self, event: Event) -> None:
        """Add an event of the session."""
        event["session_id"] = self._session
        self.events.append(event)

    def now(self) -> int:
        """Return the next time."""
        self.clock += self.dice.choice([0, 1, 7, 900])
        return self.clock

    def say(self, text: str, **members: Any) -> None:
        """Add a message of the assistant."""
        content = [{"type": "text", "text": text}]
        message = {"role": "assistant", "content": content}
        self.add({"type": "assistant", "message": message, **members})

    def flush(self, text: str) -> None:
        """Add a message that ends a segment, in one of its three forms."""
        form = self.dice.randrange(3)
        stamp = {"timestamp_ms": self.now()} if form else {}
        step = {"model_call_id": "r-0-ab12"} if form == 2 else {}
        self.say(text, **stamp, **step)
        self.texts.append(text)

    def new_call(self) -> tuple[Event, Event]:
        """Return the two events of a call, which is not in the log yet."""
        self.calls += 1
        ended = specimen_of("tool_call/completed", self.dice.randrange(10_000))
        if self.dice.random() < 0.3:
            ended = reworded(ended, self.dice, 0.2)
        ended |= {"type": "tool_call", "subtype": "completed"}
        return self.opened(ended, f"call_{self.calls}\nfc_{self.calls}")

    def opened(self, ended: Event, call_id: str) -> tuple[Event, Event]:
        """Give a call an id; return the event that starts it, and it."""
        ended["call_id"] = call_id
        ended["timestamp_ms"] = self.now()
        body = ended.get("tool_call")
        tools = body.items() if isinstance(body, dict) else ()
        bare = {
            name: {key: it for key, it in inner.items() if key != "result"}
            if isinstance(inner, dict)
            else inner
            for name, inner in tools
        }
        return ended | {"subtype": "started", "tool_call": bare}, ended
