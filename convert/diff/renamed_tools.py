"""Calls that are the same but for the name of their tool."""

from __future__ import annotations

import marshal

from convert.diff.compared_call import ComparedCall
from convert.diff.outputs import digest

# Kinds of tools that do the same: versions of the agent differ in which they have.
_ONE_TOOL = {"edit", "write"}
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
    """Return True if the agent itself has two names for the tool of two calls."""
    return one.kind != other.kind and {one.kind, other.kind} <= _ONE_TOOL


def _family(call: ComparedCall) -> str:
    """Return what the tools have in common that may be one under several names."""
    if call.kind == "mcp":
        server, _, _ = call.tool.partition("/")
        return server
    if call.kind in _ONE_TOOL:
        return "edit"
    return call.kind if call.kind == "function" else ""
