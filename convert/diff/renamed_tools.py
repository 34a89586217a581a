"""Calls that are the same but for the name of their tool."""

from __future__ import annotations

import marshal

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import digest

_NO_ARGUMENTS = marshal.dumps({}, 2)


def renamed_key(call: ComparedCall) -> bytes:
    """Return a key that is equal in two calls that are the same under another name.

    The tool may be another one of the same server, with the same arguments. Without
    arguments nothing says that two tools are one.
    """
    family = _family(call)
    arguments = call.marked_kept or call.arguments_kept
    if not family or arguments == _NO_ARGUMENTS or call.compared_by != "exact":
        return call.arguments_key
    return digest([family, arguments])


def is_other_name(one: ComparedCall, other: ComparedCall) -> bool:
    """Return True if the agent itself has two names for the tool of two calls.

    Another agent may read a file with a command.
    """
    is_by_subject = one.is_across and one.compared_by == "subject"
    if is_by_subject and (one.shown_file or other.shown_file):
        return one.arguments_key == other.arguments_key
    return one.tool != other.tool and one.common_tool == other.common_tool


def _family(call: ComparedCall) -> str:
    """Return what the tools have in common that may be one under several names."""
    if call.kind == "mcp":
        server, _, _ = call.tool.partition("/")
        return server
    return call.kind if call.kind == "function" else ""
