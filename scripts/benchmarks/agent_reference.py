"""The yardstick for logs of other agents: a typed decode of each line, nothing else.

agent_reference.py NAME < log
"""

import sys
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder


class Block(Struct, gc=False):
    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    is_error: bool = False


class Message(Struct, gc=False):
    content: list[Block] | str = ""


class Claude(Struct, gc=False):
    type: str
    subtype: str = ""
    message: Message | None = None
    session_id: str = ""
    result: str | None = None
    is_error: bool = False


class Session(Struct, gc=False):
    type: str
    uuid: str = ""
    message: Message | None = None
    sessionId: str = ""
    timestamp: str = ""


class Item(Struct, gc=False):
    id: str
    type: str
    text: str = ""
    command: str = ""
    exit_code: int | None = None
    status: str = ""


class Exec(Struct, gc=False):
    type: str
    item: Item | None = None


class Payload(Struct, gc=False):
    type: str = ""
    role: str = ""
    content: list[Block] | None = None
    name: str = ""
    call_id: str = ""
    arguments: str = ""
    output: str = ""
    message: str = ""


class Rollout(Struct, gc=False):
    type: str
    timestamp: str = ""
    payload: Payload | None = None


class State(Struct, gc=False):
    status: str = ""
    error: str = ""
    metadata: dict[str, Any] = {}


class Part(Struct, gc=False):
    type: str = ""
    text: str = ""
    tool: str = ""
    callID: str = ""
    state: State | None = None
    reason: str = ""


class Opencode(Struct, gc=False):
    type: str
    sessionID: str = ""
    part: Part | None = None


_LINES: dict[str, Any] = {
    "claude-stream": Claude,
    "claude-session": Session,
    "codex-exec": Exec,
    "codex-rollout": Rollout,
    "opencode": Opencode,
}
decode = Decoder(_LINES[sys.argv[1]]).decode
for line in sys.stdin.buffer:
    decode(line)
