"""A shell command taken apart by a parser of the shell's language.

The tree is walked flat: it does not matter where in lists, loops or substitutions a
command is, since each of them may run. The words of a program are sorted here as well,
into its options and operands.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.wording import compiled

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Represents text that only the shell knows. No command holds this character.
UNKNOWN = "\0"

_OUTSIDE = {"variable_assignment", "file_redirect", "herestring_redirect"}
_ESCAPED = r"(?s)\\(\n|.)"
ESCAPED_IN_QUOTES = r'\\([$`"\\\n])'
# `{a,b}` and `{1..3}` become several words; `{}` and `@{1}` stay as they are.
BRACES = r"\{[^{}]*(?:,|\.\.)"


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
    if words and UNKNOWN in words[0] and (found := _program_in(command)):
        words[0] = f"{UNKNOWN}/bin/{found}"
    return tuple(words)


def _program_in(command: Node) -> str:
    """Return a program in a folder that only the shell knows; empty if there is none.

    It is `pytest` in `$HOME/venv/bin/pytest` and in `"$VIRTUAL_ENV"/bin/pytest`.
    """
    name = command.child_by_field_name("name")
    found = name and re.search(rb'/bin/([\w.+-]+)"?$', name.text or b"")
    return found[1].decode("ascii", "replace") if found else ""


def nodes_in(root: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, however deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def word_of(node: Node) -> str:
    """Return a word without its quotes.

    A word that can become several, or whose beginning is not known, is UNKNOWN. In
    quotes, UNKNOWN represents the rest from the first unknown character on.
    """
    match node.type:
        case "command_name":
            return word_of(node.children[0])
        case "word" | "number":
            text = _text(node)
            return compiled(_ESCAPED).sub(_character, text) if "\\" in text else text
        case "raw_string":
            return _text(node)[1:-1]
        case "string":
            return _quoted(node)
        case "concatenation" if not compiled(BRACES).search(_text(node)):
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
        return compiled(ESCAPED_IN_QUOTES).sub(
            _character, _text(node).removeprefix("$")[1:-1]
        )
    before = (node.text or b"")[1 : first.start_byte - node.start_byte]
    return compiled(ESCAPED_IN_QUOTES).sub(_character, before.decode()) + UNKNOWN


def _character(escaped: re.Match[str]) -> str:
    # A line may be continued anywhere in a word.
    return "" if escaped[1] == "\n" else escaped[1]


def _text(node: Node) -> str:
    return (node.text or b"").decode()


# It does not see backticks in a here-document or in a default value, for example, and
# it takes a few characters for white space that no shell does.
# An escaped character is no mark, whatever comes after it.
_MARK = re.compile(rb"\\.|(`|\$\()", re.DOTALL)
_QUOTED = {"raw_string", "ansi_c_string", "comment"}
_MARKED_SUBSTITUTIONS = {"command_substitution", "arithmetic_expansion"}
# Some text of these is in none of their parts.
_WITH_OWN_TEXT = {"string", "heredoc_body", "expansion", "regex"}


def is_all_parsed(written: bytes, nodes: Iterable[Node]) -> bool:
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
        if node.type in _MARKED_SUBSTITUTIONS:
            seen |= {node.start_byte, node.end_byte - 1}
        elif node.type in _QUOTED or _is_quoted_document(node):
            _blank(unquoted, node)
    # Between backticks, an escaped one begins another substitution.
    if b"\\`" in written and any(written[place : place + 1] == b"`" for place in seen):
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
        if node.child_count == 0 or node.type in _WITH_OWN_TEXT:
            _blank(rest, node)
    return re.sub(rb"\\\r?\n", b"", rest).strip()


def _blank(text: bytearray, node: Node) -> None:
    text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)


# In bytes. The parser's time can grow with the square of a command that is made for it.
MOST_BYTES = 16_384
_MOST_OPERATORS = 600

# The parser loses such a `-`, with which a program reads its input as without it.
_LONE_DASH = re.compile(rb"(?<=[ \t])-(?=[ \t]+<<)")

# After a brace, the parser looks up characters above U+00FF outside of its table, and
# may crash. No word that a rule knows holds one, so another replaces all of them; but
# the delimiter of a here-document must stay as it is.
_WIDE = "[^\x00-\xff]"
_WIDE_DELIMITER = r"<<-?[ \t]*\S*[^\x00-\xff]"

# A command of only such characters consists of words, unless the shell reserves one.
_PLAIN = r"[A-Za-z0-9_./\- ]{1,1000}"
_RESERVED = {
    *("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done"),
    *("case", "esac", "in", "select", "function", "time", "coproc"),
    *("declare", "typeset", "export", "readonly", "local", "unset", "unsetenv"),
}

# Nodes that change nothing by themselves. Definitions of functions are not among them:
# with one, any name can mean any program.
_HARMLESS = {
    *("program", "list", "pipeline", "subshell", "compound_statement", "comment"),
    *("negated_command", "command", "command_name", "redirected_statement"),
    *("if_statement", "elif_clause", "else_clause", "case_statement", "case_item"),
    *("for_statement", "c_style_for_statement", "while_statement", "do_group"),
    *("command_substitution", "process_substitution", "file_redirect"),
    *("heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content"),
    *("heredoc_end", "herestring_redirect", "file_descriptor"),
    *("word", "number", "string", "string_content", "raw_string", "ansi_c_string"),
    *("translated_string", "concatenation", "brace_expression", "array", "subscript"),
    *("simple_expansion", "expansion", "arithmetic_expansion", "regex"),
    *("variable_name", "special_variable_name", "variable_assignment"),
    *("variable_assignments", "declaration_command", "unset_command"),
    *("test_command", "test_operator", "extglob_pattern", "unary_expression"),
    *("binary_expression", "ternary_expression", "parenthesized_expression"),
    *("postfix_expression",),
}
_SUBSTITUTIONS = {"command_substitution", "process_substitution"}
_DECLARATIONS = {"declaration_command", "unset_command"}
_DECLARED = {"word", "variable_name", "variable_assignment"}
# Variables that make other programs do something else, or run another one.
_STEERING = (
    r"(?:PATH|ENV|BASH_ENV|PS4|SHELLOPTS|BASHOPTS|IFS|SHELL|VISUAL|BROWSER|KUBECONFIG"
    r"|(?:LD|DYLD|GIT|LESS|RIPGREP|PYTHON|NODE|NPM|npm|DOCKER|CARGO|PIP|GH|JAVA|PERL"
    r"|RUBY)_?\w*|\w*(?:PAGER|EDITOR|OPTS|OPTIONS))\b"
)
_PAGER_OFF = r"(?:GIT_)?PAGER=(?:cat|''|\"\")?$|GIT_OPTIONAL_LOCKS=0$"
# The shell looks for commands in the values of numbers, indices and prompts.
_DELAYED = re.compile(rb"'[^']*(?:\$\(|`)|\\[$`]|@P\}")
_NOWHERE = {"/dev/null", "/dev/stdout", "/dev/stderr"}


class SimpleCommand(Struct, frozen=True):
    """A program and its words somewhere in a command."""

    words: tuple[str, ...]
    """The program and its words; `UNKNOWN` represents text that is not known."""

    is_substituted: bool
    """It runs to make a part of another command, as in `echo $(date)`."""


class Syntax(Struct, frozen=True):
    """The parts of a command."""

    commands: tuple[SimpleCommand, ...]
    """The simple commands, in the order in which they are written."""

    is_harmless: bool
    """Nothing but a simple command can change anything."""

    redirected_to: tuple[str, ...] = ()
    """The files that outputs are redirected to."""


@functools.lru_cache(maxsize=256)
def parse(command: str) -> Syntax | None:
    """Take a command apart; None if it is too large or no shell could read it."""
    if plain := plain_syntax(command):
        return plain
    found = tree_of(command)
    return None if found is None else _syntax_of(*found)


def plain_syntax(command: str) -> Syntax | None:
    """Return the parts of a command of plain words; None for any other.

    Walking over the parser's nodes takes ten times as long.
    """
    if not compiled(_PLAIN).fullmatch(command):
        return None
    words = tuple(command.split())
    if not words or not _RESERVED.isdisjoint(words):
        return None
    return Syntax((SimpleCommand(words, is_substituted=False),), is_harmless=True)


def tree_of(command: str) -> tuple[Node, bytes] | None:
    """Return the parser's tree of a command, and the bytes that it was made of.

    None as in `parse`.
    """
    if len(command) > MOST_BYTES or "\0" in command:
        # In words, a NUL represents unknown text.
        return None
    try:
        written = command.encode()
    except UnicodeEncodeError:
        return None
    if (
        len(written) > MOST_BYTES
        or len(re.findall(rb"[()<>|]", written)) > _MOST_OPERATORS
    ):
        return None
    if not command.isascii():
        if compiled(_WIDE_DELIMITER).search(command):
            return None
        written = compiled(_WIDE).sub("\xff", command).encode()
    written = _LONE_DASH.sub(b" ", written)
    root = _parser().parse(written).root_node
    return None if root.has_error else (root, written)


@functools.cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _syntax_of(root: Node, written: bytes) -> Syntax:
    nodes: list[Node] = []
    commands = []
    # A stack of nodes, not calls of calls: commands can be nested thousands deep.
    waiting = [(root, False)]
    while waiting:
        node, is_substituted = waiting.pop()
        nodes.append(node)
        if not node.child_count:
            continue
        kind = node.type
        is_substituted = is_substituted or kind in _SUBSTITUTIONS
        if kind == "command":
            commands.append(SimpleCommand(words_of(node), is_substituted))
        waiting += [(child, is_substituted) for child in reversed(node.children)]
    is_harmless = all(
        _is_harmless(node) for node in nodes if node.is_named
    ) and is_all_parsed(written, nodes)
    files = (
        word_of(target)
        for node in nodes
        if node.type == "file_redirect" and not _goes_nowhere(node)
        for target in node.children_by_field_name("destination")[:1]
    )
    return Syntax(tuple(commands), is_harmless, tuple(files))


def _is_harmless(node: Node) -> bool:
    """Return True if a node changes nothing, whatever the nodes below it do."""
    match node.type:
        case "file_redirect":
            return _goes_nowhere(node)
        case "heredoc_redirect":
            return node.child_by_field_name("argument") is None
        case "variable_assignment":
            return not _DELAYED.search(node.text or b"") and not steers(_text(node))
        case "for_statement":
            variable = node.child_by_field_name("variable")
            return variable is None or not steers(_text(variable))
        case "test_command" | "expansion" | "subscript" | "arithmetic_expansion":
            return not _DELAYED.search(node.text or b"")
        case kind if kind in _DECLARATIONS:
            return all(child.type in _DECLARED for child in node.named_children)
        case kind:
            return kind in _HARMLESS


def steers(assignment: str) -> bool:
    """Return True if a variable can make a program do more than its words say."""
    is_harmless = compiled(_PAGER_OFF).match(assignment)
    return not is_harmless and compiled(_STEERING).match(assignment) is not None


def _goes_nowhere(redirect: Node) -> bool:
    """Return True if a redirection only reads, or writes to nothing that stays."""
    targets = redirect.children_by_field_name("destination")
    operator = next(
        child.type for child in redirect.children if child.type != "file_descriptor"
    )
    # The parser takes words after a redirection for further destinations of it.
    if len(targets) > 1:
        return False
    if operator in ("<", "<&", ">&-", "<&-"):
        return True
    [target] = targets
    is_descriptor = operator == ">&" and target.type == "number"
    is_program = target.type == "process_substitution"
    return is_descriptor or is_program or word_of(target) in _NOWHERE


class Invocation(Struct, frozen=True):
    """The words after a program, sorted."""

    options: list[str]
    """Each option by itself, without its value; `-la` is `-la`, `-l` and `-a`."""

    operands: list[str]
    """The other words; after a subcommand, all words."""

    is_known: bool
    """No word could be an option that only the shell knows."""

    @property
    def single_options(self) -> list[str]:
        """The options without the words that join several, such as `-la`."""
        return [name for name in self.options if len(name) == 2 or name[:2] == "--"]


def invocation_of(
    words: Sequence[str], values: Sequence[str], *, until_operand: bool = False
) -> Invocation:
    """Sort words into options and operands.

    `values` are options whose value is the next word. Words like `+%s` are options.
    """
    options: list[str] = []
    operands: list[str] = []
    is_known = True
    rest = iter(words)
    for word in rest:
        if word == "--" or (until_operand and not _is_option(word)):
            operands += [word] if word != "--" else []
            operands += rest
        elif not _is_option(word):
            operands.append(word)
            is_known = is_known and not word.startswith(UNKNOWN)
        else:
            found, has_value = _options_of(word, values)
            options += found
            is_known = is_known and UNKNOWN not in "".join(found)
            if has_value:
                next(rest, None)
    return Invocation(options, operands, is_known)


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] in "-+"


def _options_of(word: str, values: Sequence[str]) -> tuple[list[str], bool]:
    """Return the options in a word, and True if the next word is a value of them."""
    if word.startswith("+"):
        return [], False
    if word.startswith("--") or word in values:
        name, is_joined, _ = word.partition("=")
        return [name], not is_joined and name in values
    options = [word]
    for place, letter in enumerate(word[1:], 2):
        options.append(f"-{letter}")
        if f"-{letter}" in values:
            return options, place == len(word)
    return options, False
