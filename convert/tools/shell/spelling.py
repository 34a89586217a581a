"""The spelling of a command: equal where two commands differ in nothing but that.

These do not count: quotes and escapes without an effect, `$HOME` or `~`, the order of
known options, the environment of an interpreter, and the message of a commit. In doubt
two commands differ: only the shell knows what a variable or a pattern becomes, so these
count as they are written, and so do the order of other words and all operators.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from convert.tools.shell.attempts import CHECKS
from convert.tools.shell.identity import (
    ALIASES,
    INTERPRETERS,
    RUNNERS,
    SHELLS,
    SUBCOMMANDS,
    WRAPPERS,
    name_of,
    unwrapped,
)
from convert.tools.shell.syntax import (
    BRACES,
    ESCAPED_IN_QUOTES,
    UNKNOWN,
    invocation_of,
    is_all_parsed,
    nodes_in,
    plain_syntax,
    tree_of,
)
from convert.wording import compiled
from convert.wording.sections import Cells, read_sections, words_of

if TYPE_CHECKING:
    from tree_sitter import Node

# The parts of a command. A word is a text, or its pieces where the shell replaces some.
Part = str | tuple[Any, ...]

# Deeper commands are not examined.
_DEEPEST = 100


@functools.lru_cache(maxsize=1024)
def spelling_of(command: str, *, has_home: bool = False) -> tuple[Part, ...]:
    """Return the same for two spellings of a command; empty if that is not known.

    `has_home` means that `~` is the home directory in quotes as well: a rule for noise
    has put it there.
    """
    if plain := plain_syntax(command):
        words = [_Word(word, []) for word in plain.commands[0].words]
        return ("program", ("command", tuple(_spelled_words(words).parts)))
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


class _Word(NamedTuple):
    """A word of a command."""

    part: Part
    """The word in its one spelling."""

    nodes: list[Node]
    """The nodes that make it."""


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
_HOME = ("home",)
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
        found = _spelled_words(words)
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

    def _word(
        self, nodes: Sequence[Node], depth: int, is_quoted: bool = False
    ) -> _Word:
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
            pieces[:1] = [_HOME if is_home else ("~",), rest]
        if compiled(_NO_FILE).search(whole):
            pieces = [_without_pattern(piece) for piece in pieces]
        return _Word(_joined(self._with_home(pieces)), [*nodes])

    def _with_home(self, pieces: list[Part]) -> Iterator[Part]:
        for piece in _merged(pieces):
            if not self._has_home or not isinstance(piece, str):
                yield piece
                continue
            texts = compiled(_HOME_IN_TEXT).split(piece)
            for number, text in enumerate(texts):
                yield from (_HOME, text) if number else (text,)

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
                return [_HOME]
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


def _without_pattern(piece: Part) -> Part:
    return piece[1] if isinstance(piece, tuple) and piece[0] == "pattern" else piece


def _merged(pieces: list[Part]) -> Iterator[Part]:
    """Yield pieces, with the texts that follow each other as one."""
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        else:
            if text:
                yield text
            yield piece
            text = ""
    if text:
        yield text


def _joined(pieces: Iterator[Part]) -> Part:
    """Return a word of pieces: a text if it is nothing else."""
    found = tuple(_merged([*pieces]))
    if not found:
        return ""
    return found[0] if len(found) == 1 and isinstance(found[0], str) else found


# Nodes of a text that runs nothing.
_SAYING = {
    *("word", "number", "string", "string_content", "raw_string", "ansi_c_string"),
    *("concatenation", "simple_expansion", "variable_name", "special_variable_name"),
    *("command_substitution", "redirected_statement", "command_name"),
    *("heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content"),
    *("heredoc_end",),
}


def _only_says(nodes: Sequence[Node]) -> bool:
    """Return True for words that are a text, perhaps with `$(cat <<END)` around it."""
    return all(
        (each.text == b"cat" if each.type == "command" else each.type in _SAYING)
        for node in nodes
        for each in nodes_in(node)
        if each.is_named
    )


def _is_message(node: Node) -> bool:
    """Return True for a here-document that is nothing but a text."""
    return (
        node.type == "heredoc_redirect"
        and all(each.type.startswith("heredoc") for each in node.named_children)
        and _only_says([node])
    )


class _Options(Struct, frozen=True, kw_only=True):
    """The options of a program whose order does not count."""

    flags: tuple[str, ...] = ()
    """Those without a value."""

    values: tuple[str, ...] = ()
    """Those whose value is the next word, or joined to them."""

    numbers: tuple[str, ...] = ()
    """Those whose value is a number, or missing."""

    whole: tuple[str, ...] = ()
    """Those without a value that are not joined to others."""

    messages: tuple[str, ...] = ()
    """Those whose value is a text for people."""

    input: tuple[str, ...] = ()
    """Those by which `-` means that such a text comes from the standard input."""

    until_operand: bool = False
    """Only those before the first operand may change places."""

    has_no_files: bool = False
    """The operands are no patterns of files."""


class _SpelledWords(NamedTuple):
    """The words of a simple command in their one spelling."""

    parts: Sequence[Part]
    """The words, options first if their order does not count."""

    awaits_message: bool
    """A text for people comes from the standard input."""


def _spelled_words(words: list[_Word]) -> _SpelledWords:
    """Return the words of a simple command in their one spelling."""
    before, words = _without_environment(words)
    if not words:
        return _SpelledWords(before, False)
    head, known, rest = _known_options(words)
    if known is None:
        return _SpelledWords([*before, *head, *(word.part for word in rest)], False)
    if known.has_no_files:
        rest = [word._replace(part=_as_text(word.part)) for word in rest]
    options, operands = _sorted(known, rest)
    awaits = any(o[0] in known.input and o[1:] == ("-",) for o in options)
    if awaits:
        options = [each for each in options if each[0] not in known.input]
    has_message = awaits or any(each == _MESSAGE for each in options)
    options = [each for each in options if each != _MESSAGE]
    marks = [_MESSAGE] if has_message else []
    in_order = [*marks, *sorted(options, key=lambda each: each[0])]
    return _SpelledWords([*before, *head, *in_order, *operands], awaits)


_MESSAGE = ("message",)


def _without_environment(words: list[_Word]) -> tuple[list[Part], list[_Word]]:
    """Return the words of programs that run another one, and the words of that.

    An environment of the project does not count, nor does the folder of its programs.
    """
    before: list[Part] = []
    while words:
        name = _name(words[0].part)
        words = [_Word(name, words[0].nodes), *words[1:]]
        texts = [str(w.part) if isinstance(w.part, str) else UNKNOWN for w in words]
        inner = _inner(texts)
        if inner:
            words = words[-inner:]
            continue
        wrapper = WRAPPERS.get(texts[0])
        others = unwrapped(texts) if wrapper and not wrapper.adds_words else None
        if not others or len(others) >= len(words):
            break
        before += (word.part for word in words[: -len(others)])
        words = words[-len(others) :]
    return before, words


def _inner(texts: list[str]) -> int:
    """Return how many words are those of a program that runs in an environment."""
    name, *rest = texts
    if name == "python" and rest[:1] == ["-m"]:
        return len(rest) - 1
    if name not in _ENVIRONMENTS:
        return 0
    if subcommands := RUNNERS[name].subcommands:
        if rest[:1] == [] or rest[0] not in subcommands or rest[0] == "dlx":
            return 0
        rest = rest[1:]
    return len(rest) if rest and rest[0][:1] not in ("-", UNKNOWN, "") else 0


_TAIL = r"(?s).*/(?:bin|Scripts)/([^/]+)$"
_ENVIRONMENT = r"(?s)(?:.*/)?\.?(?:v?env|venv|virtualenv)[\w.-]*/(?:bin|Scripts)/[^/]+$"
_INSTALLED = r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/[^/]+$"
_OLD = r"(?:.*/)?(python|pip|pypy)2(?:\.[0-9]+)?$"


def _name(word: Part) -> Part:
    """Return a program without the folder of its environment."""
    if not isinstance(word, str):
        # `$HOME/venv/bin/pytest` and `"$VIRTUAL_ENV"/bin/python`.
        last = word[-1]
        tail = compiled(_TAIL).match(last) if isinstance(last, str) else None
        return name if tail and (name := name_of(tail[1])) in _PROGRAMS else word
    if word == ".":
        return "source"
    if old := compiled(_OLD).match(word):
        return f"{old[1]}2"
    name = name_of(word)
    is_elsewhere = "/" in word and not (
        compiled(_ENVIRONMENT).match(word) or compiled(_INSTALLED).match(word)
    )
    return word if is_elsewhere and name not in _PROGRAMS else name


def _known_options(
    words: list[_Word],
) -> tuple[list[Part], _Options | None, list[_Word]]:
    """Return the program with its subcommand, its known options, and the other words.

    Words between the program and its subcommand are part of the first.
    """
    name = words[0].part
    if name == "source":
        # The script that enters an environment.
        return [name], None, [_Word(_activated(w.part), w.nodes) for w in words[1:]]
    if not isinstance(name, str):
        return [name], None, words[1:]
    texts = [str(w.part) if isinstance(w.part, str) else UNKNOWN for w in words[1:]]
    values = SUBCOMMANDS[name].values if name in SUBCOMMANDS else ()
    found = invocation_of(texts, values, until_operand=True).operands
    at = 1 + len(texts) - len(found)
    for length in (2, 1, 0):
        called = " ".join([name, *found[:length]])
        called = ALIASES.get(called, called)
        if len(found) >= length and (known := OPTIONS.get(called)):
            between = [word.part for word in words[1:at]] if length else []
            skipped = at + length if length else 1
            return [called, *between], known, words[skipped:]
    return [name], None, words[1:]


def _activated(word: Part) -> Part:
    last = word if isinstance(word, str) else word[-1]
    is_script = isinstance(last, str) and last.endswith("/bin/activate")
    return "bin/activate" if is_script else word


def _as_text(word: Part) -> Part:
    """Return a word whose patterns are no patterns."""
    if isinstance(word, str):
        return word
    return _joined(_without_pattern(piece) for piece in word)


_Option = tuple[Part, ...]


def _sorted(
    known: _Options, words: list[_Word]
) -> tuple[list[_Option], Sequence[Part]]:
    """Return the options with their values, and the operands.

    If an option is not known, all words but messages count as operands, in their order.
    """
    options: list[_Option] = []
    operands: list[Part] = []
    in_order: list[Part] = []
    is_known = True
    rest = deque(words)
    while rest:
        word = rest.popleft()
        first = word.part if isinstance(word.part, str) else word.part[0]
        found: list[_Option] | None = None
        if word.part == "--" or (known.until_operand and not _may_be_option(first)):
            operands += [word.part, *(each.part for each in rest)]
            in_order += [word.part, *(each.part for each in rest)]
            break
        if isinstance(first, str) and first[:1] == "-":
            found = _options_in(known, word, rest)
            options += found or ()
        else:
            operands.append(word.part)
        is_known = is_known and (found is not None or not _may_be_option(first))
        parts: Sequence[Part] = found or [word.part]
        in_order += (part for part in parts if part != _MESSAGE)
    if is_known:
        return options, operands
    return [each for each in options if each == _MESSAGE], in_order


def _may_be_option(first: Part) -> bool:
    """Return True for the begin of a word that is an option or not known."""
    return first[:1] == "-" if isinstance(first, str) else first != _HOME


def _options_in(
    known: _Options, word: _Word, rest: deque[_Word]
) -> list[_Option] | None:
    """Return the options in a word; None if one is not known, or lacks its value.

    The words of values are taken from the rest.
    """
    first, *others = (word.part,) if isinstance(word.part, str) else word.part
    name, is_joined, value = first.partition("=")
    if first in (*known.flags, *known.whole) and not others:
        return [(first,)]
    if name in known.values and (is_joined or not others):
        given = [value, *others] if is_joined else []
        return _with_value(known, name, given, word, rest)
    if first[:2] in known.numbers and not others:
        return [(first[:2], _number(first[2:], rest))]
    found: list[_Option] = []
    for place, letter in enumerate(first[1:], 2):
        option = f"-{letter}"
        if option in known.values:
            given = [first[place:], *others] if first[place:] or others else []
            valued = _with_value(known, option, given, word, rest)
            return None if valued is None else [*found, *valued]
        if option not in known.flags:
            return None
        found.append((option,))
    return None if others else found


def _with_value(
    known: _Options, name: str, joined: list[Part], word: _Word, rest: deque[_Word]
) -> list[_Option] | None:
    """Return an option with its value: the pieces joined to it, or the next word."""
    if joined:
        value = _Word(_joined(iter(joined)), word.nodes)
    elif rest:
        value = rest.popleft()
    else:
        return None
    if name in known.messages and _only_says(value.nodes):
        return [_MESSAGE]
    return [(name, value.part)]


def _number(joined: str, rest: deque[_Word]) -> str:
    """Return the number joined to an option, or the next word if that is one."""
    if not joined and rest and isinstance(rest[0].part, str):
        return str(rest.popleft().part) if rest[0].part.isdecimal() else ""
    return joined


_CELLS = frozenset(
    {
        *("flags", "values", "numbers", "whole", "messages", "input"),
        *("until operand", "no files", "programs"),
    }
)


def _read() -> tuple[dict[str, Cells], Cells]:
    """Return the options by program and subcommand, and the environments."""
    folder = os.path.dirname(__file__)
    options: dict[str, Cells] = {}
    environments: Cells = {}
    for heading, cells in read_sections(folder, "spelling.ini", _CELLS):
        kind, _, names = heading.partition(": ")
        if kind == "environments":
            environments = cells
        options |= dict.fromkeys(names.split(", ") if names else (), cells)
    return options, environments


_ROWS, _ENVIRONMENT_CELLS = _read()
_ENVIRONMENTS = frozenset(words_of(_ENVIRONMENT_CELLS, "programs"))
_PROGRAMS = {
    *(INTERPRETERS | RUNNERS | SUBCOMMANDS | WRAPPERS),
    *(name.partition(" ")[0] for name in (*_ROWS, *CHECKS)),
}


def _options() -> dict[str, _Options]:
    checks = {
        name: _Options(
            # After `--` come operands, or the words of another program.
            flags=tuple(flag for flag in check.flags if flag != "--"),
            values=check.values + check.narrowing,
        )
        for name, check in CHECKS.items()
    }
    return checks | {
        name: _Options(
            flags=words_of(cells, "flags"),
            values=words_of(cells, "values"),
            numbers=words_of(cells, "numbers"),
            whole=words_of(cells, "whole"),
            messages=words_of(cells, "messages"),
            input=words_of(cells, "input"),
            until_operand="until operand" in cells,
            has_no_files="no files" in cells,
        )
        for name, cells in _ROWS.items()
    }


OPTIONS = _options()
"""The known options by program, or by program and subcommand."""
