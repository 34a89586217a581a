"""A second look at a command, for what the parser has overlooked.

It does not see backticks in a here-document or in a default value, for example, and it
takes a few characters for white space that no shell does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# An escaped character is no mark, whatever comes after it.
_MARK = re.compile(rb"\\.|(`|\$\()", re.DOTALL)
_CONTINUED = re.compile(rb"\\\r?\n")
_BACKTICK = ord("`")
_QUOTED = {"raw_string", "ansi_c_string", "comment"}
_SUBSTITUTIONS = {"command_substitution", "arithmetic_expansion"}
# Some of what is in these is in none of their parts.
_WHOLE = {"string", "heredoc_body", "expansion", "regex"}


def is_all_seen(written: bytes, nodes: Iterable[Node]) -> bool:
    """Return True if the nodes that the parser made of a command are all there is."""
    nodes = list(nodes)
    has_marks = b"`" in written or b"$(" in written
    seen = not has_marks or _are_substitutions_seen(written, nodes)
    return seen and not _rest(written, nodes)


def _are_substitutions_seen(written: bytes, nodes: Iterable[Node]) -> bool:
    """Return True if each mark of a substitution is quoted or begins a node."""
    seen: set[int] = set()
    unquoted = bytearray(written)
    for node in nodes:
        if node.type in _SUBSTITUTIONS:
            seen |= {node.start_byte, node.end_byte - 1}
        elif node.type in _QUOTED or _is_quoted_document(node):
            _blank(unquoted, node)
    # Between backticks, an escaped one begins another substitution.
    if b"\\`" in written and any(written[place] == _BACKTICK for place in seen):
        return False
    return {mark.start() for mark in _MARK.finditer(unquoted) if mark[1]} <= seen


def _is_quoted_document(node: Node) -> bool:
    """Return True for a here-document whose delimiter is quoted."""
    if node.type != "heredoc_body" or node.parent is None:
        return False
    start = node.parent.named_children[0].text or b""
    return not {*b"'\"\\"}.isdisjoint(start)


def _rest(written: bytes, nodes: Iterable[Node]) -> bytes:
    """Return the text that is in no node, without white space."""
    rest = bytearray(written)
    for node in nodes:
        if node.child_count == 0 or node.type in _WHOLE:
            _blank(rest, node)
    return _CONTINUED.sub(b"", rest).strip()


def _blank(text: bytearray, node: Node) -> None:
    text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
