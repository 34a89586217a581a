"""The messages of Claude Code as structs: blocks, texts, pictures, tokens."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import astuple

from convert.model.events import Image, Tokens
from convert.model.needs import CallDetail, Needs
from convert.source.lines import REFUSED
from convert.source.ndjson import members_of, narrow
from convert.wording.numbers import size

Members = dict[str, Any]
# A value where another type is expected: new members come every month.
Scalar = str | int | float | bool | list[Any] | None


class Block(Struct, gc=False):
    """A part of a message: a text, a thought, a call or the result of one."""

    tool_use_id: str | None = ""
    type: str | None = ""
    id: str | None = ""
    name: str | None = ""
    input: Any = None
    text: str | None = ""
    thinking: str | None = ""
    content: Any = None
    is_error: bool | int | str | None = None
    source: Any = None


class Message(Struct, gc=False):
    """A message of the user or the assistant."""

    model: str | None = ""
    id: str | None = ""
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: Usage | Scalar = None


class Change(Struct, gc=False, rename="camel"):
    """A tool's own account of its result, where only kind and outcome are needed."""

    type: Any = None
    interrupted: Any = None
    exit_code: Any = None
    status: Any = None
    agent_id: Any = None
    run_id: Any = None


def message_for(needs: Needs, *, has_usage: bool = False) -> Any:
    """Return the struct of a message for some needs.

    `has_usage` asks for the tokens of its response.
    """
    has_all = needs.calls == CallDetail.EVERYTHING
    unread = set()
    if not (needs.text or has_all):
        # The text of a message may be why the run ends.
        unread.add("source")
    if not (needs.thinking or has_all):
        unread.add("thinking")
    if not needs.calls:
        unread |= {"content", "is_error"}
    # The text of a result that is not shown is looked at only if the call failed.
    types: dict[str, Any] = {} if has_all else {"content": Raw}
    if needs.calls < CallDetail.ARGUMENTS:
        # It tells calls with the same id apart.
        types["input"] = Raw
    block = narrow(Block, unread, types)
    content = list[block] | str | None  # type: ignore[valid-type]
    counted = set() if has_usage else {"stop_reason", "usage"}
    return narrow(Message, counted, {"content": content})


def details_for(needs: Needs) -> Any:
    """Return the type of the object that a tool records of its result."""
    return Any if needs.calls == CallDetail.EVERYTHING else Change | Scalar


def subagent_in(details: Any) -> tuple[str, str]:
    """Return the ids of the subagent and of the workflow that a call started.

    `details` is the object that a tool records; each id is "" if it has none.
    """
    if isinstance(details, dict):
        ids = details.get("agentId"), details.get("runId")
    elif isinstance(details, Change):
        ids = details.agent_id, details.run_id
    else:
        return "", ""
    agent, workflow = (each if isinstance(each, str) else "" for each in ids)
    return agent, workflow


def text_of_message(message: Message) -> str:
    """Return the texts of a message, joined."""
    if isinstance(message.content, list):
        return "".join(block.text or "" for block in message.content)
    return message.content or ""


def values_of(content: Any) -> Any:
    """Return the content of a result, which may still be JSON."""
    if not isinstance(content, Raw):
        return content
    try:
        return msgspec.json.decode(content)
    except REFUSED:
        # Half an emoji, which the standard library accepts; few logs need it.
        return members_of(b'{"content":%b}' % bytes(content)).get("content")


def text_of_content(content: Any) -> str:
    """Return the texts of a result, joined; pictures and files by type and size."""
    match content:
        case str():
            return content
        case [*blocks]:
            shown = (
                _text_of_block(block) for block in blocks if isinstance(block, dict)
            )
            return "\n".join(filter(None, shown))
    return ""


def blocks_of_content(content: Any) -> str | list[Members]:
    """Return the result of a server's tool as such a server returns it."""
    match content:
        case [*blocks]:
            return [
                _block_for_mcp(block) for block in blocks if isinstance(block, dict)
            ]
    return text_of_content(content)


def image_of(block: Members) -> Image:
    """Return the type and the size of a picture or a document."""
    media_type, data = _source(block)
    # Four characters of base64 are three bytes.
    size = len(data.rstrip("=")) * 3 // 4
    return Image(media_type, size if data else None)


def _text_of_block(block: Members) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "tool_reference", "tool_name": str(name)}:
            return name
        case {"type": "image" | "document"}:
            picture = image_of(block)
            what = picture.media_type or str(block["type"])
            return f"({what}, {size(picture.size)})" if picture.size else f"({what})"
    return ""


def _block_for_mcp(block: Members) -> Members:
    match block:
        case {"type": "image" | "document" as kind}:
            media_type, data = _source(block)
            return {"type": kind, "data": data, "mimeType": media_type}
    return block


def _source(block: Members) -> tuple[str, str]:
    """Return the type and the data of a picture; "" if one is not recorded."""
    source = block.get("source")
    places = [block, source if isinstance(source, dict) else {}]
    kinds = [place.get("media_type") or place.get("mimeType") for place in places]
    found = (kinds, [place.get("data") for place in places])
    kind, data = (
        next((value for value in values if value and isinstance(value, str)), "")
        for values in found
    )
    return kind, data


# The beginnings of texts that Claude Code writes as if the user had said them.
_NO_PROMPTS = (
    *("<command-name>", "<command-message>", "<command-args>"),
    *("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>"),
    *("<system-reminder>", "<task-notification>", "<bash-input>", "<bash-stdout>"),
    *("[Request interrupted", "Caveat: The messages below were generated"),
)


def is_own_text(text: str) -> bool:
    """Return True for a text that Claude Code writes as if the user had said it."""
    return text.lstrip().startswith(_NO_PROMPTS)


# More tokens than any run has.
_BEYOND_BELIEF = 1e15
# The lines of a response follow one another, but for results of its calls.
_MOST_RESPONSES = 1000


class Usage(Struct, gc=False):
    """The tokens of a run or of a response.

    Qwen Code names a total, and counts the cache as input.
    """

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    cache_read_input_tokens: int | float | None = None
    cache_creation_input_tokens: int | float | None = None
    total_tokens: int | float | None = None


def tokens_of(usage: Any) -> Tokens | None:
    """Return the tokens of a run or a response; None if a line records none."""
    if not isinstance(usage, Usage):
        return None
    read = whole(usage.cache_read_input_tokens)
    input = whole(usage.input_tokens)
    if usage.total_tokens is not None and input is not None and read is not None:
        input = max(input - read, 0)
    written = whole(usage.cache_creation_input_tokens)
    return Tokens(input, whole(usage.output_tokens), read, written)


def whole(value: float | None) -> int | None:
    """Return a count as an integer; None if it is negative or beyond belief."""
    return round(value) if value is not None and 0 <= value < _BEYOND_BELIEF else None


class _Response(Struct, frozen=True):
    """The tokens of a response, as its last line so far has them."""

    tokens: Tokens
    is_final: bool


class ResponseTokens:
    """Adds up the tokens of responses, which may have several lines each.

    The last line of a response counts. Its output is final only if it says why the
    response stopped; a placeholder before that is less than the real number.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Response] = {}
        self._closed: list[int | None] = [None] * 4
        self._finals = 0
        self._count = 0

    def add(self, id: str, usage: Any, *, is_final: bool) -> None:
        """Add a line of the response with an id; "" if it has none of its own."""
        tokens = tokens_of(usage)
        if tokens is None:
            return
        self._open.pop(id, None)
        self._open[id or f"line {self._count}-{len(self._open)}"] = _Response(
            tokens, is_final
        )
        if len(self._open) > _MOST_RESPONSES:
            self._close(next(iter(self._open)))

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of all responses; None if none is recorded."""
        for id in list(self._open):
            self._close(id)
        if not self._count:
            return None
        is_final = self._finals == self._count
        input, output, read, written = self._closed
        if is_final:
            return Tokens(input, output, read, written)
        return Tokens(input, output, read, written, self._finals, self._count)

    def _close(self, id: str) -> None:
        response = self._open.pop(id)
        self._count += 1
        self._finals += response.is_final
        pairs = zip(self._closed, astuple(response.tokens)[:4], strict=True)
        self._closed = [
            known if more is None else (known or 0) + more for known, more in pairs
        ]
