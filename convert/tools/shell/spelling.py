"""The spelling of a command: equal where two commands differ in nothing but that.

These do not count: quotes and escapes without an effect, `$HOME` or `~`, the order of
known options, the environment of an interpreter, and the message of a commit. In doubt
two commands differ: only the shell knows what a variable or a pattern becomes, so these
count as they are written, and so do the order of other words and all operators.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from convert.tools.shell.identity import (
    SHELLS,
)
from convert.tools.shell.ordered_words import (
    HOME,
    Part,
    Word,
    joined_pieces,
    merged,
    only_says,
    spelled_words,
    without_pattern,
)
from convert.tools.shell.syntax import (
    BRACES,
    ESCAPED_IN_QUOTES,
    is_all_parsed,
    nodes_in,
    plain_syntax,
    tree_of,
)
from convert.wording import compiled

if TYPE_CHECKING:
    from tree_sitter import Node

# Deeper commands are not examined.
_DEEPEST = 100


@functools.lru_cache(maxsize=1024)
def spelling_of(command: str, *, has_home: bool = False) -> tuple[Part, ...]:
    """Return the same for two spellings of a command; empty if that is not known.

    `has_home` means that `~` is the home directory in quotes as well: a rule for noise
    has put it there.
    """
    if plain := plain_syntax(command):
        words = [Word(word, []) for word in plain.commands[0].words]
        return ("program", ("command", tuple(spelled_words(words).parts)))
    # The parser does not see this word.
    command = compiled(_LONE_DASH).sub("'-'", command)
    if (found := tree_of(command)) is None:
        return ()
    root, written = found
    if not is_all_parsed(written, nodes_in(root)):
        return ()
    speller = _Speller(command, written, has_home)
    match spelling := speller.spelled(root):
        case ("program", ("command", (str(shell), "-c" | "-lc", str(script)))) if (
            shell in SHELLS
        ):
            return spelling_of(script, has_home=has_home)
    return spelling if speller.is_known else ()


_LONE_DASH = r"(?<=\s)-(?=\s*<<)"


# Nodes that make words.
_WORDS = {
    *("command_name", "word", "number", "raw_string", "string", "ansi_c_string"),
    *("translated_string", "concatenation", "simple_expansion", "expansion"),
    *("command_substitution", "process_substitution", "arithmetic_expansion"),
    *("brace_expression", "extglob_pattern"),
}
# Some of their text is in no node below them.
_WITH_OWN_TEXT = {"expansion", "arithmetic_expansion", "regex", "heredoc_body"}
_SUBSTITUTIONS = {"command_substitution", "process_substitution"}
_SEPARATORS = {";", "\n"}
_HOME_IN_TEXT = r"(?:(?<=[=:])|^)~(?=/|$)"
_PATTERNS = r"[*?\[\]]"
# No file has such a name, so that nothing in it is a pattern.
_NO_FILE = r"://|::"
_ESCAPED = r"(?s)\\(\n|.)"
_EXPANDED = r"[$`\\]"


class _Speller:
    """Spells the nodes of one command; `is_known` is False if one is too deep."""

    def __init__(self, command: str, written: bytes, has_home: bool) -> None:
        self.is_known = True
        self._command = command
        self._has_home = has_home
        # The place in the command of each byte that the parser has read.
        self._places: Sequence[int] = range(len(written) + 1)
        if not command.isascii():
            sizes = map(len, (c.encode() for c in written.decode()))
            places = [at for at, size in enumerate(sizes) for _ in range(size)]
            self._places = [*places, len(command)]
        # The last command takes a message from its standard input.
        self._awaits_message = False

    def _text(self, node: Node) -> str:
        return self._between(node.start_byte, node.end_byte)

    def _between(self, start: int, end: int) -> str:
        return self._command[self._places[start] : self._places[end]]

    def spelled(self, node: Node, depth: int = 0) -> tuple[Part, ...]:
        """Return a node in its one spelling."""
        if depth > _DEEPEST:
            self.is_known = False
            return ()
        match node.type:
            case "command":
                return self._of_command(node, depth + 1)
            case "redirected_statement":
                return self._redirected(node, depth + 1)
            case "variable_assignment":
                return self._assignment(node, depth + 1)
            case "heredoc_redirect":
                return self._document(node, depth + 1)
            case kind if kind in _WORDS:
                return (self._word([node], depth).part,)
            case kind if kind in _WITH_OWN_TEXT or not node.child_count:
                return (kind, self._text(node))
        return (node.type, *self._parts(node.children, depth + 1))

    def _parts(self, nodes: Sequence[Node], depth: int) -> Iterator[Part]:
        """Yield nodes in their one spelling; those without a gap make one word."""
        for group in _grouped(nodes):
            if group[0].type in _WORDS:
                yield self._word(group, depth).part
            elif group[0].is_named:
                if group[0].type != "comment":
                    yield self.spelled(group[0], depth)
            elif group[0].type not in _SEPARATORS:
                yield group[0].type

    def _of_command(self, node: Node, depth: int) -> tuple[Part, ...]:
        words = [
            self._word(group, depth)
            for group in _grouped(node.children)
            if group[0].type in _WORDS
        ]
        others = [child for child in node.children if child.type not in _WORDS]
        found = spelled_words(words)
        self._awaits_message = found.awaits_message
        return ("command", tuple(found.parts), *self._parts(others, depth))

    def _redirected(self, node: Node, depth: int) -> tuple[Part, ...]:
        self._awaits_message = False
        body, *redirects = node.children
        part = self.spelled(body, depth)
        if self._awaits_message:
            redirects = [each for each in redirects if not _is_message(each)]
        # The parser puts the redirections after a here-document into it.
        later = [
            inner
            for each in redirects
            if each.type == "heredoc_redirect"
            for inner in each.children
            if inner.type == "file_redirect"
        ]
        # It does not matter if a here-document comes before a redirection.
        in_order = sorted(redirects, key=lambda each: each.type != "heredoc_redirect")
        return ("redirected", part, *self._parts([*in_order, *later], depth))

    def _document(self, node: Node, depth: int) -> tuple[Part, ...]:
        """Return a here-document; its end does not count, and its quotes may not."""
        start = next(each for each in node.children if each.type == "heredoc_start")
        texts = [each for each in node.children if each.type == "heredoc_body"]
        text = "".join(map(self._text, texts))
        is_quoted = not {*"'\"\\"}.isdisjoint(self._text(start))
        is_literal = is_quoted or not compiled(_EXPANDED).search(text)
        others = [
            each
            for each in node.children
            if not each.type.startswith("heredoc") and each.type != "file_redirect"
        ]
        return ("document", str(is_literal), text, *self._parts(others, depth))

    def _assignment(self, node: Node, depth: int) -> tuple[Part, ...]:
        name, operator, *values = node.children
        word = self._word(values, depth, is_quoted=True).part if values else ""
        return ("set", self._text(name), operator.type, word)

    def _word(self, nodes: Sequence[Node], depth: int, is_quoted: bool = False) -> Word:
        """Return the word that nodes without a gap make.

        Where the shell takes no word apart, `is_quoted` is True.
        """
        pieces: list[Part] = []
        for node in nodes:
            pieces += self._pieces(node, depth + 1, is_quoted)
        first = nodes[0]
        while first.child_count and first.type in ("command_name", "concatenation"):
            first = first.children[0]
        whole = self._between(nodes[0].start_byte, nodes[-1].end_byte)
        if first.type == "word" and whole[:1] == "~":
            is_home = compiled(r"~(?:/|$)").match(whole)
            rest = str(pieces[0])[1:] if isinstance(pieces[0], str) else ""
            pieces[:1] = [HOME if is_home else ("~",), rest]
        if compiled(_NO_FILE).search(whole):
            pieces = [without_pattern(piece) for piece in pieces]
        return Word(joined_pieces(self._with_home(pieces)), [*nodes])

    def _with_home(self, pieces: list[Part]) -> Iterator[Part]:
        for piece in merged(pieces):
            if not self._has_home or not isinstance(piece, str):
                yield piece
                continue
            texts = compiled(_HOME_IN_TEXT).split(piece)
            for number, text in enumerate(texts):
                yield from (HOME, text) if number else (text,)

    def _pieces(self, node: Node, depth: int, is_quoted: bool) -> list[Part]:
        """Return the pieces of a word: texts, and the parts that the shell replaces."""
        text = self._text(node)
        match node.type:
            case "command_name" | "concatenation":
                has_braces = compiled(BRACES).search(text) is not None
                return [
                    piece
                    for child in node.children
                    for piece in (
                        [("{", self._text(child))]
                        if has_braces and child.type == "word"
                        else self._pieces(child, depth, is_quoted)
                    )
                ]
            case "word" | "number":
                return _unquoted(text)
            case "raw_string":
                return [text[1:-1]]
            case "ansi_c_string" if "\\" not in text:
                return [text[2:-1]]
            case "string":
                return self._quoted(node, depth)
            case "simple_expansion" | "expansion" if text in ("$HOME", "${HOME}"):
                return [HOME]
            case kind if kind in _SUBSTITUTIONS:
                inner = self.spelled_children(node, depth)
                return [(kind, str(is_quoted), *inner)]
        return [(node.type, str(is_quoted), text)]

    def spelled_children(self, node: Node, depth: int) -> tuple[Part, ...]:
        """Return the parts of a node; nothing where they are too deep."""
        if depth > _DEEPEST:
            self.is_known = False
            return ()
        return tuple(self._parts(node.children, depth + 1))

    def _quoted(self, node: Node, depth: int) -> list[Part]:
        """Return the pieces of a string in double quotes."""
        pieces: list[Part] = []
        start, end = node.start_byte, node.end_byte - 1
        start += 2 if self._text(node)[:1] == "$" else 1
        inner = [
            child
            for child in node.children
            if child.is_named and child.type != "string_content"
        ]
        for child in inner:
            pieces.append(_unescaped(self._between(start, child.start_byte)))
            pieces += self._pieces(child, depth, is_quoted=True)
            start = child.end_byte
        return [*pieces, _unescaped(self._between(start, end))]


def _grouped(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """Yield nodes by themselves, and those of a word together.

    The parser takes some words apart, such as `'a'\\ b`.
    """
    group: list[Node] = []
    for node in nodes:
        is_next = group and group[-1].end_byte == node.start_byte
        if is_next and node.type in _WORDS and group[0].type in _WORDS:
            group.append(node)
            continue
        if group:
            yield group
        group = [node]
    if group:
        yield group


def _unquoted(text: str) -> list[Part]:
    """Return the pieces of a word without quotes; its patterns count."""
    if compiled(BRACES).search(text):
        return [("{", text)]
    pieces: list[Part] = []
    end = 0
    for match in compiled(rf"{_ESCAPED}|{_PATTERNS}").finditer(text):
        pieces.append(text[end : match.start()])
        if match[0][0] != "\\":
            pieces.append(("pattern", match[0]))
        elif match[1] != "\n":
            pieces.append(match[1])
        end = match.end()
    return [*pieces, text[end:]]


def _unescaped(text: str) -> str:
    """Return a part of a string in double quotes without its escapes."""
    return compiled(ESCAPED_IN_QUOTES).sub(
        lambda match: match[1].replace("\n", ""), text
    )


def _is_message(node: Node) -> bool:
    """Return True for a here-document that is nothing but a text."""
    return (
        node.type == "heredoc_redirect"
        and all(each.type.startswith("heredoc") for each in node.named_children)
        and only_says([node])
    )
