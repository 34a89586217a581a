"""The blocks of messages that are not read, such as `tool_use` of other agents.

Only text is read of a message. Anything else in one is counted and named wherever
texts are read, and for every target in a log that may be another agent's (`-f`) and in
a run that another agent's line begins, so that none of its calls disappears without a
message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from convert.formats.stream_json.wire import Message, WireEvent

# An image adds nothing to the texts and calls of a run.
_READ = {"text", "image"}
# Members and versions that this agent does not write.
_OF_CLAUDE = (b'"parent_tool_use_id"', b'"claude_code_version"', b'"mcp_servers"')


def has_unread(line: WireEvent) -> bool:
    """Return True if a message may have a block that is not read."""
    content = line.message.content if isinstance(line.message, Message) else ""
    return not isinstance(content, str) and "" in [block.text for block in content]


def unread_blocks(raw: bytes) -> Iterator[str]:
    """Yield the type of each block that is not read, after that of its event."""
    # Imported here: hardly any log holds such a block.
    from convert.source.members import members_of

    match members_of(raw):
        case {"type": str(kind), "message": {"content": [*blocks]}}:
            yield from (
                f"{kind}/{name}" for name in map(_type_of, blocks) if name not in _READ
            )
        case members if not members:
            # A block that cannot be looked at is not lost without a word.
            yield "unnamed"


def is_foreign(raw: bytes) -> bool:
    """Return True if the first line of a run is one of Claude Code.

    Only the first line of a run is looked at, so that a log costs no more to read.
    """
    return any(sign in raw for sign in _OF_CLAUDE)


def with_unread(
    significant: Callable[[list[Any]], Sequence[int]],
) -> Callable[[list[Any]], Sequence[int]]:
    """Return what finds the lines with such blocks as well as the significant ones."""

    def found(events: list[Any]) -> Sequence[int]:
        unread = {index for index, line in enumerate(events) if has_unread(line)}
        known = significant(events)
        return sorted(unread.union(known)) if unread else known

    return found


def _type_of(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else "unnamed"
