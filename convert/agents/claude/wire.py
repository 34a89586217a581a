"""The messages of Claude Code, in its stream and in its session files alike."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from convert.agents.claude.tokens import Usage
from convert.model.needs import CallDetail, Needs
from convert.source.narrow import narrow
from convert.source.ndjson import REFUSED

# A value that stands where another type is expected: new members come every month.
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
    """Return the struct of a message that holds what is needed.

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
        # A call is told by it from another one with its id.
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

    `details` is what a tool records of its result; each id is "" if it has none.
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
        from convert.source.members import members_of

        return members_of(b'{"content":%b}' % bytes(content)).get("content")
