"""The lines of a session file of Codex: a time, a type, and what is said."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
from msgspec import Struct

from convert.agents.codex.tokens import Usage
from convert.model.needs import CallDetail, Needs
from convert.source.ndjson import Decoding

# Members of the same name hold other values in other types of payloads.
Scalar = str | int | float | bool | list[Any] | None


class Block(Struct, gc=False):
    """One part of a message."""

    text: str | None = ""


class Info(Struct, gc=False):
    """The tokens of a session so far."""

    total_token_usage: Usage | None = None


class Payload(Struct, gc=False):
    """The content of a line: the members of all types that are read."""

    type: str | None = ""
    # Messages and reasoning.
    role: Any = ""
    content: list[Block] | dict[str, Any] | str | None = None
    summary: list[Block] | dict[str, Any] | str | None = None
    message: Any = None
    text: Any = None
    kind: Any = None
    images: Any = None
    # Calls.
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    call_id: Any = None
    action: Any = None
    output: Any = None
    tools: Any = None
    # How calls ended, in events beside their items.
    item: Any = None
    command: Any = None
    cwd: Any = None
    aggregated_output: Any = None
    stdout: Any = None
    stderr: Any = None
    exit_code: Any = None
    duration: Any = None
    status: Any = None
    changes: Any = None
    success: Any = None
    invocation: Any = None
    result: Any = None
    query: Any = None
    revised_prompt: Any = None
    # The session, its turns and its tokens.
    id: Any = None
    cli_version: Any = None
    model: Any = None
    info: Info | Scalar = None
    last_agent_message: Any = None
    duration_ms: Any = None
    reason: Any = None
    codex_error_info: Any = None


class Line(Struct, gc=False):
    """One line."""

    type: str
    timestamp: str | int | float | None = None
    payload: Payload | Scalar = None


@functools.cache
def decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for what a target needs of them."""
    return Decoding(
        Line,
        msgspec.json.Decoder(Line),
        own_member="payload",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def text(value: Any) -> str:
    """Return a value that is a text; "" for any other."""
    return value if isinstance(value, str) else ""
