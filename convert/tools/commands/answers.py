"""Programs whose status 1 is an answer: nothing found, a difference, or false.

As their manuals say; when they fail, they end with another status. A program that may
end with 1 in both cases, such as `lsof` or `xargs`, is not among them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from convert.tools.commands.deciding import deciding
from convert.tools.commands.identity import name_of
from convert.tools.commands.rules import read
from convert.tools.commands.wrappers import WRAPPERS, unwrapped

_NO_MATCH = "no match"
_DIFFERENCE = "a difference"
_FALSE = "false"
_NOT_FOUND = "not found"


class Answer(Struct, frozen=True):
    """The meaning of status 1 of a program, and the options with which it has it."""

    meaning: str
    options: tuple[str, ...] = ()
    """Options of which one has to be there; none if it always does."""


# By name, or by name and subcommand.
ANSWERS = {
    # POSIX: "No lines were selected"; errors are above 1. The others say the same.
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), Answer(_NO_MATCH)),
    **dict.fromkeys(("rg", "ag", "ack", "findstr"), Answer(_NO_MATCH)),
    # POSIX: "Differences were found", "The files are different".
    **dict.fromkeys(
        ("diff", "cmp", "zdiff", "sdiff", "colordiff"), Answer(_DIFFERENCE)
    ),
    # POSIX: "expression evaluated to false", "evaluates to null or zero".
    **dict.fromkeys(("test", "[", "expr"), Answer(_FALSE)),
    # bash(1): false if the name is not found; which(1) of Debian likewise.
    **dict.fromkeys(("which", "type"), Answer(_NOT_FOUND)),
    "command": Answer(_NOT_FOUND, ("-v", "-V")),
    # "No processes matched", "No program was found".
    **dict.fromkeys(("pgrep", "pidof"), Answer("no process")),
    # jq(1): "if the last output value was either false or null".
    "jq": Answer(_FALSE, ("-e", "--exit-status")),
    # "exits with 1 if there were differences"; --no-index implies it.
    "git diff": Answer(_DIFFERENCE, ("--exit-code", "--quiet", "--no-index")),
    **dict.fromkeys(
        ("git diff-files", "git diff-index", "git diff-tree"),
        Answer(_DIFFERENCE, ("--exit-code", "--quiet")),
    ),
    "git grep": Answer(_NO_MATCH),
    # "1 if not. Errors are signaled by a non-zero status that is not 1."
    "git merge-base": Answer(_FALSE, ("--is-ancestor",)),
    # "1: None of the provided paths are ignored."
    "git check-ignore": Answer(_NO_MATCH),
    # "Returns error code 1 if the key was not found".
    "git config": Answer(_NOT_FOUND, ("--get", "--get-all", "--get-regexp")),
}

# Wrappers that end with 124 or more when they fail themselves, and builtins.
_TRANSPARENT = {"builtin", "command", "env", "nice", "nohup", "stdbuf", "time"}
_TRANSPARENT |= {"timeout"}
# They succeed, or print why not.
_SPEAKING = {"cd", "pushd", "echo", "printf", "true", ":", "sleep"}
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree")


def answer_in(command: str, *, has_errors: bool) -> str:
    """Return what status 1 of a command says, such as `no match`; empty for a failure.

    `has_errors` tells that it printed something to its standard error. Where the status
    may come from several commands, it is an answer only if each of them gives one.
    """
    failing = deciding(command).failing
    if not failing:
        return ""
    meanings: dict[str, None] = {}
    for words in failing:
        if meaning := _meaning(words):
            meanings[meaning] = None
        elif has_errors or name_of(words[0]) not in _SPEAKING:
            return ""
    return " or ".join(meanings)


def _meaning(words: Sequence[str]) -> str:
    """Return what status 1 of a simple command says; empty for a failure."""
    while words:
        name, *rest = words
        name = name_of(name)
        if name == "git":
            operands = read(rest, _GIT_VALUES, until_operand=True).operands
            name, rest = " ".join(["git", *operands[:1]]), operands[1:]
        answer = ANSWERS.get(name)
        if answer and (not answer.options or _has_one(rest, answer.options)):
            return answer.meaning
        is_wrapper = name in _TRANSPARENT and name in WRAPPERS
        words = (unwrapped([name, *rest]) or ()) if is_wrapper else ()
    return ""


def _has_one(words: Sequence[str], options: Sequence[str]) -> bool:
    found = read(words, ()).options
    return not {*options}.isdisjoint(found)
