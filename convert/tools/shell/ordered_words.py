"""The words of a simple command in one order, as spelling.ini knows its program.

Options whose order does not count come first and sorted. A message is only a mark, and
the environment of an interpreter is dropped.
"""

from __future__ import annotations

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
    SUBCOMMANDS,
    WRAPPERS,
    name_of,
    unwrapped,
)
from convert.tools.shell.syntax import (
    UNKNOWN,
    invocation_of,
    nodes_in,
)
from convert.wording import compiled
from convert.wording.sections import Cells, read_sections, words_of

if TYPE_CHECKING:
    from tree_sitter import Node

# The parts of a command. A word is a text, or its pieces where the shell replaces some.
Part = str | tuple[Any, ...]


# A piece of a word: the home directory.
HOME = ("home",)


class Word(NamedTuple):
    """A word of a command."""

    part: Part
    """The word in its one spelling."""

    nodes: list[Node]
    """The nodes that make it."""


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


class SpelledWords(NamedTuple):
    """The words of a simple command in their one spelling."""

    parts: Sequence[Part]
    """The words, options first if their order does not count."""

    awaits_message: bool
    """A text for people comes from the standard input."""


def spelled_words(words: list[Word]) -> SpelledWords:
    """Return the words of a simple command in their one spelling."""
    before, words = _without_environment(words)
    if not words:
        return SpelledWords(before, False)
    head, known, rest = _known_options(words)
    if known is None:
        return SpelledWords([*before, *head, *(word.part for word in rest)], False)
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
    return SpelledWords([*before, *head, *in_order, *operands], awaits)


_MESSAGE = ("message",)


def _without_environment(words: list[Word]) -> tuple[list[Part], list[Word]]:
    """Return the words of programs that run another one, and the words of that.

    An environment of the project does not count, nor does the folder of its programs.
    """
    before: list[Part] = []
    while words:
        name = _name(words[0].part)
        words = [Word(name, words[0].nodes), *words[1:]]
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
    words: list[Word],
) -> tuple[list[Part], _Options | None, list[Word]]:
    """Return the program with its subcommand, its known options, and the other words.

    Words between the program and its subcommand are part of the first.
    """
    name = words[0].part
    if name == "source":
        # The script that enters an environment.
        return [name], None, [Word(_activated(w.part), w.nodes) for w in words[1:]]
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
    return joined_pieces(without_pattern(piece) for piece in word)


_Option = tuple[Part, ...]


def _sorted(known: _Options, words: list[Word]) -> tuple[list[_Option], Sequence[Part]]:
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
    return first[:1] == "-" if isinstance(first, str) else first != HOME


def _options_in(known: _Options, word: Word, rest: deque[Word]) -> list[_Option] | None:
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
    known: _Options, name: str, joined: list[Part], word: Word, rest: deque[Word]
) -> list[_Option] | None:
    """Return an option with its value: the pieces joined to it, or the next word."""
    if joined:
        value = Word(joined_pieces(iter(joined)), word.nodes)
    elif rest:
        value = rest.popleft()
    else:
        return None
    if name in known.messages and only_says(value.nodes):
        return [_MESSAGE]
    return [(name, value.part)]


def _number(joined: str, rest: deque[Word]) -> str:
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


# Nodes of a text that runs nothing.
_SAYING = {
    *("word", "number", "string", "string_content", "raw_string", "ansi_c_string"),
    *("concatenation", "simple_expansion", "variable_name", "special_variable_name"),
    *("command_substitution", "redirected_statement", "command_name"),
    *("heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content"),
    *("heredoc_end",),
}


def only_says(nodes: Sequence[Node]) -> bool:
    """Return True for words that are a text, perhaps with `$(cat <<END)` around it."""
    return all(
        (each.text == b"cat" if each.type == "command" else each.type in _SAYING)
        for node in nodes
        for each in nodes_in(node)
        if each.is_named
    )


def without_pattern(piece: Part) -> Part:
    """Return a pattern as the text that it is; any other piece as it is."""
    return piece[1] if isinstance(piece, tuple) and piece[0] == "pattern" else piece


def merged(pieces: list[Part]) -> Iterator[Part]:
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


def joined_pieces(pieces: Iterator[Part]) -> Part:
    """Return a word of pieces: a text if it is nothing else."""
    found = tuple(merged([*pieces]))
    if not found:
        return ""
    return found[0] if len(found) == 1 and isinstance(found[0], str) else found
