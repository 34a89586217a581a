"""The lines of stream-json as the agent writes them.

A struct declares only the members that are read; msgspec checks the rest of a line and
makes no values of it.
"""

import functools
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from convert.model.events import CallDetail, IncidentKind, Needs, Tokens
from convert.source.ndjson import EventBlock, narrow

# The type of members that are not read: new ones come every month.
Scalar = str | int | float | bool | list[Any] | None

# The type of the event that is made of a message on standard error.
STANDARD_ERROR = "standard error"
# Subtypes of `system` lines that are incidents.
SYSTEM_INCIDENTS: dict[str, IncidentKind] = {
    "task_notification": "task",
    "background_shell_timeout": "stopped",
    "error": "error",
}

# More milliseconds or tokens than any run has.
_BEYOND_BELIEF = 1e15


class Block(Struct, gc=False):
    """One part of a message; the text of other parts, such as images, is empty."""

    text: str = ""


class Message(Struct, gc=False):
    """A message of the user or the assistant."""

    content: list[Block] | str = ""


class UsualBlock(Struct, gc=False):
    """The text of a usual message, which is not empty."""

    text: Annotated[str, Meta(min_length=1)]


class UsualMessage(Struct, gc=False):
    """A message with one part that is a text, as nearly all are."""

    content: tuple[UsualBlock]


def text_of(message: Message | str | None) -> str:
    """Return the text of all parts of a message."""
    return "".join(texts_of(message))


def texts_of(message: Message | str | None) -> list[str]:
    """Return the texts of the parts of a message."""
    content = message.content if isinstance(message, Message) else message
    if isinstance(content, list):
        return [block.text for block in content]
    return [content or ""]


def delta_texts(lines: list[Any]) -> list[str] | None:
    """Return the texts of the assistant's messages; None unless each has one part.

    Nearly all messages have one part. That is not checked for each, which takes longer.
    """
    try:
        return [
            part.text
            for line in lines
            if line.type == "assistant"
            for [part] in [line.message.content]
        ]
    except (AttributeError, ValueError):
        return None


class Arm(Struct, gc=False):
    """The fields of a result's arm that say how a call ended.

    An arm is the chosen case of a protobuf oneof: `success`, `error`, `rejected`.

    `case` and `value` belong to the oneof of 2025, as in `Body`.
    """

    exitCode: int | None = None
    signal: str | None = ""
    isError: bool | None = None
    error: str | None = None
    errorMessage: str | None = None
    clientVisibleError: str | None = None
    modelVisibleError: str | None = None
    reason: str | None = None
    message: str | None = None
    diffString: str | None = None
    beforeFullFileContent: Any = None
    case: str | None = None
    value: Any = None


class ShortArm(Arm):
    """An arm of a result whose output is not needed.

    The content of a file before an edit stays JSON: only its emptiness matters.
    """

    beforeFullFileContent: Raw = Raw(b"null")


Arms = dict[str, Arm | Scalar]
ShortArms = dict[str, ShortArm | Scalar]
# The results of calls that succeeded, if nothing else of them is read.
_PLAIN: tuple[ShortArms, ...] = (
    {"success": ShortArm()},
    {"success": ShortArm(exitCode=0)},
)
# Arguments that only identify a call.
_UNDECODED = {"args": Raw, "arguments": Raw}


class Body(Struct, gc=False):
    """The value of the member that is the tool.

    `name` and `arguments` belong to `function`; `case` and `value` to the `tool` of
    2025, which wraps a body again.
    """

    args: dict[str, Any] | None = None
    result: ShortArms | Scalar = None
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
    finalResponses: int | None = None
    responses: int | None = None


def tokens_of(usage: Usage | None) -> Tokens | None:
    """Return the tokens of a run; None if the line records none."""
    if usage is None:
        return None
    return Tokens(
        _count(usage.inputTokens),
        _count(usage.outputTokens),
        _count(usage.cacheReadTokens),
        _count(usage.cacheWriteTokens),
        _count(usage.finalResponses),
        _count(usage.responses),
    )


def usage_of(tokens: Tokens) -> dict[str, int]:
    """Return the member of a line that records tokens.

    If the output is a lower bound, it has the number of responses with a final one.
    """
    members = {
        "inputTokens": tokens.input,
        "outputTokens": tokens.output,
        "cacheReadTokens": tokens.cache_read,
        "cacheWriteTokens": tokens.cache_write,
        "finalResponses": tokens.final,
        "responses": tokens.responses,
    }
    return {name: value for name, value in members.items() if value is not None}


def _count(value: int | None) -> int | None:
    """Return a number of tokens; None if it is negative or beyond belief."""
    return value if value is not None and 0 <= value < _BEYOND_BELIEF else None


class WireEvent(Struct, gc=False):
    """One line, with every member that some target reads.

    They are in the order of the agent, in which msgspec looks for them.
    """

    type: str
    subtype: str = ""
    call_id: str = ""
    tool_call: dict[str, Body | Scalar] | None = None
    message: Message | str | None = None
    text: str = ""
    duration_ms: int | float | None = None
    is_error: bool | int | float | str | None = None
    result: str | None = None
    cwd: str = ""
    model_call_id: str = ""
    session_id: str = ""
    timestamp_ms: int | float | None = None
    model: str = ""
    permissionMode: str = ""
    request_id: str = ""
    usage: Usage | None = None
    cost_usd: int | float | None = None
    """Written by runconv: logs of other agents record it."""


class Stamped(Struct):
    """The member of a line that is its time."""

    timestamp_ms: int | float | None = None


def milliseconds(value: float | None) -> int | None:
    """Return a time as an integer; None if it is negative or beyond belief."""
    return round(value) if value is not None and 0 <= value < _BEYOND_BELIEF else None


def is_init(line: WireEvent) -> bool:
    """Return True if a line is the first of a run."""
    return line.type == "system" and line.subtype == "init"


def sessions_after(block: EventBlock[WireEvent], before: set[str]) -> set[str] | None:
    """Return the sessions whose runs are open after a block; None if one begins again.

    `before` are those whose runs are open before it.
    """
    still_open = set(before)
    for index in block.significant:
        event = block.events[index]
        if event.type == "system" and is_init(event):
            if event.session_id in still_open:
                return None
            still_open.add(event.session_id)
        elif event.type == "result":
            still_open.discard(event.session_id)
    return still_open


def one_session(events: list[WireEvent]) -> str:
    """Return the session of events that only continue one run; "" for others."""
    session = events[0].session_id
    others = [
        True
        for event in events
        if event.session_id != session or event.type in ("system", "user", "result")
    ]
    return "" if others else session


def has_failed(line: WireEvent) -> bool:
    """Return True if a result records in any way that its run failed.

    Recorders write the flag as a number or a word too. Without it, any subtype but
    success is a failure; with it, one that is named for it.
    """
    flag = line.is_error
    if flag is None:
        return line.subtype not in ("success", "")
    is_set = flag.lower() not in _NO if isinstance(flag, str) else bool(flag)
    return is_set or line.subtype.lower().startswith(_FAILED)


# The beginnings of subtypes of runs that did not reach their end, as `canceled`.
_FAILED = (
    *("error", "fail", "cancel", "abort", "interrupt", "incomplete"),
    *("timeout", "timed"),
)
_NO = ("", "0", "false", "no", "none", "null")


class Wire(Struct, frozen=True):
    """The structs with the members that a target needs of a line, and their decoder."""

    event: type[WireEvent]
    """A line."""

    decoder: msgspec.json.Decoder[WireEvent]
    """Decodes a line as `event`."""

    usual: msgspec.json.Decoder[WireEvent] | None
    """Decodes a line whose message is a text, if messages are read for other parts."""

    body: type[Body]
    """The body of a tool call."""

    plain: tuple[ShortArms, ...]
    """The results that say only that a call succeeded; empty if more is read."""

    has_arguments: bool
    """Arguments are read, so values may be of any depth."""

    has_outputs: bool
    """Results are kept whole and not decoded as `Arms`."""


@functools.cache
def wire(needs: Needs) -> Wire:
    """Build the structs that declare the needed members and no others."""
    has_arguments = needs.calls >= CallDetail.ARGUMENTS
    has_outputs = needs.calls == CallDetail.EVERYTHING
    has_texts = needs.text or needs.unrecorded_text
    unread = set()
    if not (has_arguments or needs.figures):
        unread |= {"cwd", "model"}
    if not has_texts:
        unread.add("result")
    if not (has_texts or needs.blocks):
        unread.add("message")
    if not (has_texts or has_outputs):
        unread.add("timestamp_ms")
    if not (has_texts or needs.calls):
        unread.add("model_call_id")
    if not needs.figures:
        unread |= {"duration_ms", "usage", "permissionMode", "request_id", "cost_usd"}
    if not needs.thinking:
        unread.add("text")
    if not needs.calls:
        unread.add("tool_call")
    types = {} if has_arguments else _UNDECODED
    body = narrow(Body, set(), types | ({"result": Any} if has_outputs else {}))
    calls = {"tool_call": dict[str, body | Scalar] | None}  # type: ignore[valid-type]
    event = narrow(WireEvent, unread, calls)
    usual = None
    if "message" not in unread and not needs.text:
        message = {"message": UsualMessage | None}
        usual = msgspec.json.Decoder(narrow(WireEvent, unread, calls | message))
    return Wire(
        event,
        msgspec.json.Decoder(event),
        usual,
        body,
        () if has_arguments else _PLAIN,
        has_arguments=has_arguments,
        has_outputs=has_outputs,
    )
