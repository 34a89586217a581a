"""The words of a simple command, as far as they are known before it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# Stands for text that only the shell knows. No command holds this character.
UNKNOWN = "\0"

_OUTSIDE = {"variable_assignment", "file_redirect", "herestring_redirect"}
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([$`"\\\n])')
# `{a,b}` and `{1..3}` become several words; `{}` and `@{1}` stay as they are.
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)")


def words_of(command: Node) -> tuple[str, ...]:
    """Return the words of a simple command, its program first.

    Assignments and redirections are not among them.
    """
    words: list[str] = []
    end = -1
    for child in command.children:
        if child.type not in _OUTSIDE:
            # The parser takes some words apart, such as `'a'\ b`.
            is_new = child.start_byte != end
            words[len(words) - (not is_new) :] = [word_of(child) if is_new else UNKNOWN]
        end = child.end_byte
    return tuple(words)


def word_of(node: Node) -> str:
    """Return a word without its quotes.

    A word that can become several, or that begins with what is not known, is UNKNOWN.
    In quotes, UNKNOWN stands for the rest from the first unknown character on.
    """
    match node.type:
        case "command_name":
            return word_of(node.children[0])
        case "word" | "number":
            return _unescaped(_text(node))
        case "raw_string":
            return _text(node)[1:-1]
        case "string":
            return _quoted(node)
        case "concatenation" if not _BRACES.search(_text(node)):
            return _joined(node)
    return UNKNOWN


def _joined(node: Node) -> str:
    """Return the word that several pieces make; no unquoted piece may be unknown."""
    word = ""
    for piece in node.children:
        part = word_of(piece)
        if piece.type != "string" and UNKNOWN in part:
            return UNKNOWN
        word += part
    before, unknown, _ = word.partition(UNKNOWN)
    return before + unknown


def _quoted(node: Node) -> str:
    known = {'"', "$", "string_content"}
    first = next((part for part in node.children if part.type not in known), None)
    if first is None:
        return _ESCAPED_IN_QUOTES.sub(_character, _text(node).removeprefix("$")[1:-1])
    before = (node.text or b"")[1 : first.start_byte - node.start_byte]
    return _ESCAPED_IN_QUOTES.sub(_character, before.decode()) + UNKNOWN


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escaped: re.Match[str]) -> str:
    # A line may be continued anywhere in a word.
    return "" if escaped[1] == "\n" else escaped[1]


def _text(node: Node) -> str:
    return (node.text or b"").decode()
