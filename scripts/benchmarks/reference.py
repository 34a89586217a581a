"""The yardstick: a typed decode of each line and nothing else."""

import sys

from msgspec import Struct
from msgspec.json import Decoder


class Text(Struct, gc=False):
    text: str = ""


class Message(Struct, gc=False):
    content: list[Text]


class Arguments(Struct, gc=False):
    path: str | None = None
    command: str | None = None
    pattern: str | None = None
    globPattern: str | None = None


class Empty(Struct, gc=False):
    pass


class Outcome(Struct, gc=False):
    success: Empty | None = None


class Call(Struct, gc=False):
    args: Arguments | None = None
    result: Outcome | None = None


class Tools(Struct, gc=False):
    readToolCall: Call | None = None
    editToolCall: Call | None = None
    shellToolCall: Call | None = None
    grepToolCall: Call | None = None
    globToolCall: Call | None = None
    deleteToolCall: Call | None = None
    updateTodosToolCall: Call | None = None
    mcpToolCall: Call | None = None


class System(Struct, gc=False, tag="system"):
    session_id: str = ""


class User(Struct, gc=False, tag="user"):
    pass


class Thinking(Struct, gc=False, tag="thinking"):
    pass


class Assistant(Struct, gc=False, tag="assistant"):
    message: Message


class ToolCall(Struct, gc=False, tag="tool_call"):
    subtype: str = ""
    call_id: str = ""
    tool_call: Tools | None = None


class Result(Struct, gc=False, tag="result"):
    result: str | None = None
    is_error: bool = False
    duration_ms: int = 0
    session_id: str = ""


Event = System | User | Thinking | Assistant | ToolCall | Result
decode = Decoder(Event).decode
for line in sys.stdin.buffer:
    decode(line)
