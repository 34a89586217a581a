"""The parts of a command that decide its exit status, and when 1 is an answer.

The answers are in answers.ini. A program that may end with 1 in both cases, such as
`lsof` or `xargs`, is not among them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.tools.shell.identity import (
    SUBCOMMANDS,
    WRAPPERS,
    name_of,
    script_of,
    unwrapped,
)
from convert.tools.shell.syntax import (
    invocation_of,
    is_all_parsed,
    nodes_in,
    plain_syntax,
    tree_of,
    words_of,
)
from convert.wording import sections

if TYPE_CHECKING:
    from tree_sitter import Node

Words = tuple[str, ...]

# Deeper commands are not examined.
_DEEPEST = 100
# After one of these, the shell may end earlier, or with the status of another command.
_STEERING = {
    *("set", "shopt", "trap", "exec", "eval", "source", ".", "return", "exit", "kill"),
    "alias",
}
# After one of these, a status of 0 may come from anywhere.
_LEAVING = {"trap", "eval", "return", "alias"}
_SEQUENCES = {"program", "subshell", "compound_statement"}
# They end with 0, if nothing is run to make their values.
_ASSIGNMENTS = {"variable_assignment", "variable_assignments", "declaration_command"}
_SUBSTITUTIONS = {"command_substitution", "process_substitution"}


class DecidingCommands(Struct, frozen=True):
    """The simple commands of a command that decide its status."""

    commands: tuple[Words, ...] = ()
    """All of them, except those that run to make a part of another one."""

    failing: tuple[Words, ...] | None = ()
    """If the status of the whole is not 0, it is that of one of these.

    None if it may come from elsewhere.
    """

    passed: tuple[Words, ...] = ()
    """Those that ended with 0, if the whole did."""


_UNKNOWN = DecidingCommands(failing=None)


@functools.lru_cache(maxsize=256)
def deciding_commands(command: str) -> DecidingCommands:
    """Return which simple commands decide the status of a command.

    Nothing is known of a command that cannot be parsed.
    """
    if (plain := plain_syntax(command)) is not None:
        return _of_simple(plain.commands[0].words)
    if (found := tree_of(command)) is None:
        return _UNKNOWN
    root, written = found
    nodes = [*nodes_in(root)]
    kinds = {node.type for node in nodes}
    if "function_definition" in kinds or not is_all_parsed(written, nodes):
        return _UNKNOWN
    decided = _decided(root, 0)
    names = {words[0] for words in decided.commands}
    # The parser may put the words after `<<END` into the here-document.
    has_piped_document = any(
        node.type == "heredoc_redirect"
        and any(not child.type.startswith("heredoc") for child in node.named_children)
        for node in nodes
    )
    is_steered = has_piped_document or not _STEERING.isdisjoint(names)
    # An `exit` without a number may be one with 0.
    may_end_well = any(
        words[0] == "exit" and not (words[1:] and words[1].strip("0").isdecimal())
        for words in decided.commands
    )
    leaves = may_end_well or not _LEAVING.isdisjoint(names)
    return DecidingCommands(
        decided.commands,
        None if is_steered else decided.failing,
        () if leaves else decided.passed,
    )


def _decided(node: Node, depth: int) -> DecidingCommands:
    if depth > _DEEPEST:
        return _UNKNOWN
    match node.type:
        case "command":
            return _of_simple(words_of(node))
        case "test_command":
            return _of_simple(("[",))
        case "redirected_statement":
            return _redirected(node, depth)
        case "negated_command":
            # With `!`, an answer is the other way round, and a failure a success.
            inner = _decided(node.named_children[0], depth + 1)
            return DecidingCommands(inner.commands, None, ())
        case "list":
            left, operator, right = node.children
            return _listed(
                _decided(left, depth + 1), operator.type, _decided(right, depth + 1)
            )
        case "pipeline":
            return _piped(node, depth)
        case kind if kind in _SEQUENCES:
            return _in_sequence(node, depth)
        case kind if kind in _ASSIGNMENTS:
            has_more = any(each.type in _SUBSTITUTIONS for each in nodes_in(node))
            return _UNKNOWN if has_more else DecidingCommands()
    # In a loop, a condition and the like, any of them may decide.
    found = [words_of(each) for each in nodes_in(node) if each.type == "command"]
    return DecidingCommands(tuple(filter(None, reversed(found))), None, ())


def _of_simple(words: Words) -> DecidingCommands:
    if not words:
        return _UNKNOWN
    if script := script_of(words):
        return deciding_commands(script)
    return DecidingCommands((words,), (words,), (words,))


def _listed(
    left: DecidingCommands, operator: str, right: DecidingCommands
) -> DecidingCommands:
    """Return the commands that decide `left && right`, or `left || right`."""
    failing = None
    if left.failing is not None and right.failing is not None:
        # In `a || b`, both have failed.
        failing = left.failing + right.failing
    passed = left.passed + right.passed if operator == "&&" else ()
    return DecidingCommands(left.commands + right.commands, failing, passed)


def _redirected(node: Node, depth: int) -> DecidingCommands:
    body = node.child_by_field_name("body")
    if body is None:
        return _UNKNOWN
    found = _decided(body, depth + 1)
    # The parser puts the commands after `<<END` into the here-document.
    documents = (each for each in node.children if each.type == "heredoc_redirect")
    for child in (child for each in documents for child in each.named_children):
        if child.type == "pipeline":
            last = _decided(child.named_children[-1], depth + 1)
            commands = found.commands + last.commands
            found = DecidingCommands(commands, None, last.passed)
        elif (operator := child.prev_sibling) and operator.type in ("&&", "||"):
            found = _listed(found, operator.type, _decided(child, depth + 1))
    return found


def _piped(node: Node, depth: int) -> DecidingCommands:
    stages = [_decided(child, depth + 1) for child in node.named_children]
    commands = tuple(words for stage in stages for words in stage.commands)
    last = stages[-1]
    first = node.named_children[0]
    if first.type == "redirected_statement":
        first = first.child_by_field_name("body") or first
    if first.type != "list":
        return DecidingCommands(commands, last.failing, last.passed)
    # The parser takes `a && b 2>&1 | c` for a pipe from all before it.
    left, operator, _ = first.children
    listed = _listed(_decided(left, depth + 1), operator.type, last)
    return DecidingCommands(commands, listed.failing, listed.passed)


def _in_sequence(node: Node, depth: int) -> DecidingCommands:
    statements = [
        child
        for child in node.children
        if child.type == "&" or (child.is_named and child.type != "comment")
    ]
    parts = [_decided(each, depth + 1) for each in statements if each.type != "&"]
    commands = tuple(words for part in parts for words in part.commands)
    if not parts or statements[-1].type == "&":
        return DecidingCommands(commands, None, ())
    return DecidingCommands(commands, parts[-1].failing, parts[-1].passed)


class Answer(Struct, frozen=True):
    """The meaning of status 1 of a program, and the options with which it has it."""

    meaning: str
    options: tuple[str, ...] = ()
    """Options, one of which must be there; empty if it always has it."""


def answer_in(command: str, *, has_errors: bool) -> str:
    """Return the meaning of status 1 of a command: `no match`; empty for a failure.

    `has_errors` means that it printed something to its standard error. Where the status
    may come from several commands, it is an answer only if each of them gives one.
    """
    if not (failing := deciding_commands(command).failing):
        return ""
    meanings: dict[str, None] = {}
    for words in failing:
        if meaning := _meaning(words):
            meanings[meaning] = None
        elif has_errors or name_of(words[0]) not in _PROGRAMS["speaking"]:
            return ""
    return " or ".join(meanings)


def _meaning(words: Sequence[str]) -> str:
    """Return the meaning of status 1 of a simple command; empty for a failure."""
    while words:
        name, *rest = words
        name = name_of(name)
        if name == "git":
            operands = invocation_of(
                rest, SUBCOMMANDS["git"].values, until_operand=True
            ).operands
            name, rest = " ".join(["git", *operands[:1]]), operands[1:]
        answer = ANSWERS.get(name)
        options = answer.options if answer else ()
        if answer and (not options or {*options} & {*invocation_of(rest, ()).options}):
            return answer.meaning
        is_wrapper = name in _PROGRAMS["transparent"] and name in WRAPPERS
        words = (unwrapped([name, *rest]) or ()) if is_wrapper else ()
    return ""


_CELLS = frozenset({"meaning", "options", "programs"})


def _read_answers() -> tuple[dict[str, Answer], dict[str, tuple[str, ...]]]:
    """Return the answers of programs and subcommands, and the lists of programs."""
    answers: dict[str, Answer] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for heading, cells in sections.read_sections(
        os.path.dirname(__file__), "answers.ini", _CELLS
    ):
        if heading.startswith("answer: "):
            answer = Answer(cells["meaning"][0], sections.words_of(cells, "options"))
            names = heading.removeprefix("answer: ").split(", ")
            answers |= dict.fromkeys(names, answer)
        else:
            lists[heading] = sections.words_of(cells, "programs")
    return answers, lists


ANSWERS, _PROGRAMS = _read_answers()
"""The answers by name, or by name and subcommand."""
