"""The lines of stream-json as the agent writes them.

Wire names live here, in `calls` and in `runs`. A struct declares only what is read;
msgspec checks the rest of a line and makes no values of it.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from convert.model import Needs

# What stands beside the members that are read: new siblings come every month.
Scalar = str | int | float | bool | list[Any] | None


class Block(Struct, gc=False):
    """One part of a message; a part that is no text has none."""

    text: str = ""


class Message(Struct, gc=False):
    """A message of the user or the assistant."""

    content: list[Block] | str = ""


def text_of(message: Message | str | None) -> str:
    """The text of all parts of a message."""
    return "".join(texts_of(message))


def texts_of(message: Message | str | None) -> list[str]:
    """The texts of the parts of a message."""
    content = message.content if isinstance(message, Message) else message
    if isinstance(content, list):
        return [block.text for block in content]
    return [content or ""]


class Arm(Struct, gc=False):
    """The fields of a result's arm that tell how a call ended.

    `case` and `value` belong to the oneof of 2025, as in `Body`.
    """

    exitCode: int | None = None
    isError: bool | None = None
    error: str | None = None
    errorMessage: str | None = None
    clientVisibleError: str | None = None
    modelVisibleError: str | None = None
    reason: str | None = None
    message: str | None = None
    diffString: str | None = None
    beforeFullFileContent: str | None = None
    case: str | None = None
    value: Any = None


Arms = dict[str, Arm | Scalar]


class Body(Struct, gc=False):
    """What stands behind the key of a tool.

    `name` and `arguments` belong to `function`; `case` and `value` to the `tool` of
    2025, which wraps a body once more.
    """

    args: dict[str, Any] | None = None
    result: Arms | None = None
    name: str | None = None
    arguments: dict[str, Any] | str | None = None
    case: str | None = None
    value: Any = None


class Usage(Struct, gc=False):
    """The tokens of a run, since builds of 2026."""

    inputTokens: int | None = None
    outputTokens: int | None = None
    cacheReadTokens: int | None = None
    cacheWriteTokens: int | None = None


class Line(Struct, gc=False):
    """One line: every member that some target reads."""

    type: str
    subtype: str = ""
    session_id: str = ""
    call_id: str = ""
    is_error: bool | None = None
    cwd: str = ""
    model: str = ""
    message: Message | str | None = None
    timestamp_ms: int | float | None = None
    model_call_id: str = ""
    text: str = ""
    tool_call: dict[str, Body | Scalar] | None = None
    query: dict[str, Any] | None = None
    result: str | None = None
    duration_ms: int | float | None = None
    usage: Usage | None = None


def is_init(line: Line) -> bool:
    """Whether a line is the first of a run."""
    return line.type == "system" and line.subtype == "init"


class Wire(NamedTuple):
    """What a target needs of a line, as structs and their decoder.

    `is_raw` asks for the bytes of every event. `has_values` says that values of any
    depth are read, `has_whole_outputs` that results are kept whole and not decoded as
    `Arms`, `has_figures` that times are read.
    """

    line: type[Line]
    body: type[Body]
    decoder: msgspec.json.Decoder[Line]
    is_raw: bool
    has_values: bool
    has_whole_outputs: bool
    has_figures: bool


@functools.cache
def wire(needs: Needs) -> Wire:
    """Build the structs that declare what is needed and nothing else."""
    unread = set()
    if not (needs.text or needs.calls):
        unread |= {"cwd", "model"}
    if not needs.text:
        unread |= {"message", "result"}
    if not (needs.text or needs.figures):
        unread.add("timestamp_ms")
    if not needs.figures:
        unread |= {"duration_ms", "usage"}
    if not (needs.text or needs.outputs):
        unread.add("model_call_id")
    if not needs.thinking:
        unread.add("text")
    if not needs.calls:
        unread.add("tool_call")
    if not needs.arguments:
        unread.add("query")
    body = _narrow(
        Body,
        unread=set() if needs.arguments else {"args", "arguments"},
        types={"result": Any} if needs.outputs else {},
    )
    calls = dict[str, body | Scalar] | None  # type: ignore[valid-type]
    line = _narrow(Line, unread, {"tool_call": calls})
    decoder = msgspec.json.Decoder(line)
    has_values = needs.arguments or needs.outputs
    return Wire(
        line, body, decoder, needs.raw, has_values, needs.outputs, needs.figures
    )


def _narrow(struct: Any, unread: set[str], types: dict[str, Any]) -> Any:
    """A struct without some members: those keep their defaults and are not decoded."""
    fields = msgspec.structs.fields(struct)
    return msgspec.defstruct(
        struct.__name__,
        [
            (field.name, types.get(field.name, field.type))
            if field.default is msgspec.NODEFAULT
            else (field.name, types.get(field.name, field.type), field.default)
            for field in fields
            if field.name not in unread
        ],
        namespace={
            field.name: field.default for field in fields if field.name in unread
        },
        gc=False,
    )
