"""The checks that a command runs, and the files that it may rewrite.

Anything that runs a program and acts may be a check, but for the programs that change
the world, for formatters, and for code in the command that writes files.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Sequence
from typing import Literal

from convert.tools.shell.attempts import (
    FORMATTERS,
    IDLE,
    ON_DEMAND,
    is_preparation,
    place_of,
    simple_attempt_of,
)
from convert.tools.shell.identity import (
    INTERPRETERS,
    SHELLS,
    SUBCOMMANDS,
    innermost,
)
from convert.tools.shell.status import Words, deciding_commands
from convert.tools.shell.syntax import UNKNOWN, invocation_of, parse
from convert.wording import compiled

CheckedBy = Literal["status", "output", "nothing"]


@functools.lru_cache(maxsize=1024)
def checked_by(command: str) -> CheckedBy:
    """Return the part of a command's result that shows if its checks passed.

    Anything that runs a program and acts is a check, but for the programs that change
    the world, and code in the command that writes files. Its status shows it if it is 0
    only where all checks passed: not in `pytest | tail` and `pytest || true`. Known
    checks count before others.
    """
    checks, _ = _checks_of(command)
    decided = deciding_commands(command)
    if not decided.commands:
        return "output"
    if not checks:
        return "output" if _checks_inside(command) else "nothing"
    is_shown = {*checks} <= {*decided.passed} and not any(map(_is_script, checks))
    return "status" if is_shown else "output"


def hands_on(command: str) -> bool:
    """Return True for a command that sends the work to others: a push, a deployment."""
    return any(
        simple_attempt_of(words).hands_on
        for words in deciding_commands(command).commands
    )


@functools.lru_cache(maxsize=256)
def _checks_of(command: str) -> tuple[list[Words], int]:
    """Return the checks that a command runs, and how many of its programs act."""
    acting = [
        words
        for words in dict.fromkeys(deciding_commands(command).commands)
        if not (_only_looks(words) or _is_idle(words))
    ]
    known = [words for words in acting if simple_attempt_of(words).verifies]
    checks = known or [words for words in acting if _may_check(command, words)]
    return checks, len(acting)


def _may_check(command: str, words: Words) -> bool:
    return not (
        simple_attempt_of(words).changes_the_world
        or _rewritten(innermost(words))
        or _written_by(command, words)
    )


def _is_idle(words: Words) -> bool:
    return any(word.partition("=")[0] in IDLE.options for word in words)


def _is_script(words: Words) -> bool:
    """Return True for a shell that reads its commands from somewhere."""
    name, *rest = innermost(words)
    return name in SHELLS and all(word.startswith("-") for word in rest)


def _checks_inside(command: str) -> bool:
    """Return True if a check runs to make a part of another command."""
    syntax = parse(command)
    return syntax is not None and any(
        simple.is_substituted and simple_attempt_of(simple.words).verifies
        for simple in syntax.commands
        if simple.words
    )


def runs_one_check(command: str) -> bool:
    """Return True if a command runs one program that acts, a check, and once.

    Its output is that of the check, then, and not that of a second attempt.
    """
    checks, acting = _checks_of(command)
    return len(checks) == acting == 1 and deciding_commands(command).failing is not None


def may_fail_elsewhere(command: str) -> bool:
    """Return True if a command can fail although its only check passed."""
    checks, acting = _checks_of(command)
    return len(checks) == 1 < acting


_RECORDING = ("add", "commit", "push", "tag")


def only_records(command: str) -> bool:
    """Return True if a command only looks, or records and sends work."""
    commands = deciding_commands(command).commands
    return bool(commands) and all(
        _only_looks(words) or _records(innermost(words)) for words in commands
    )


def _only_looks(words: Words) -> bool:
    from convert.tools.shell.harmless import program_changes_nothing

    return is_preparation(words) or program_changes_nothing(words)


def _records(words: Sequence[str]) -> bool:
    name, *rest = words
    values = SUBCOMMANDS["git"].values
    found = invocation_of(rest, values, until_operand=True).operands
    return name == "git" and found[:1] != [] and found[0] in _RECORDING


def rewritten_by(command: str) -> tuple[str, ...]:
    """Return the paths below which a command may remove, restore or rewrite files.

    `.` means all files. Scripts and other programs may write as well, but nothing says
    where.
    """
    commands = deciding_commands(command).commands
    place = place_of(commands)
    found = [path for words in commands for path in _rewritten(innermost(words))]
    found += [path for words in commands for path in _written_by(command, words)]
    if syntax := parse(command):
        found += syntax.redirected_to
    if UNKNOWN in place:
        return (".",) if found else ()
    paths = (posixpath.normpath(posixpath.join(place, path)) for path in found)
    return tuple(path for path in paths if UNKNOWN not in path)


# Code that writes files, and the texts in it that may be their paths.
_WRITING = (
    r"\bopen\([^()\n]*,\s*(?:mode=)?['\"][wax+]|\bwrite_(?:text|bytes)\("
    r"|\b(?:write|append)File|createWriteStream|\bos\.(?:remove|rename|replace|unlink)"
    r"|\bshutil\.|\.(?:unlink|rename)\(|\brmtree\(|\bFile\.(?:write|delete|rename)"
    r"|\bfile_put_contents\("
)
_PATHS = r"['\"]([\w@+-]*[./][\w./@+-]*)['\"]"


def _written_by(command: str, words: Words) -> Sequence[str]:
    """Return the paths that code in a command may write; none if it writes nothing."""
    name, *rest = innermost(words)
    if name not in INTERPRETERS:
        return ()
    interpreter = INTERPRETERS[name]
    found = invocation_of(rest, interpreter.values, until_operand=True)
    if found.operands and not {*found.options} & {*interpreter.code}:
        return ()
    # Without a script, it reads a here-document.
    code = found.operands[0] if found.operands else command
    if not compiled(_WRITING).search(code):
        return ()
    return compiled(_PATHS).findall(code) or [UNKNOWN]


def _rewritten(words: Sequence[str]) -> Sequence[str]:
    name, *rest = words
    operands = [word for word in rest if not word.startswith("-")]
    match name:
        case "rm" | "unlink" | "shred" | "truncate" | "mv" | "tee":
            return operands
        case "cp":
            return operands[-1:]
        case "sed" | "perl" | "ruby":
            # Its script is no path of a file.
            is_in_place = any(
                word.startswith("--in-place") or _joins(word, "i") for word in rest
            )
            return operands if is_in_place else ()
        case "git":
            values = SUBCOMMANDS["git"].values
            found = invocation_of(rest, values, until_operand=True).operands
            return _rewritten_by_git(found[:1], found[1:])
        case "patch":
            return (".",)
    return _formatted(words)


def _formatted(words: Sequence[str]) -> Sequence[str]:
    """Return the paths below which a formatter rewrites files in place."""
    attempt = simple_attempt_of(words)
    options = {word.partition("=")[0] for word in words[1:]}
    if attempt.is_among(ON_DEMAND):
        is_asked = bool(options & ON_DEMAND.options)
    else:
        is_asked = attempt.is_among(FORMATTERS) and not options & FORMATTERS.options
    if not is_asked:
        return ()
    named = {"run", *attempt.called}
    operands = [each for each in attempt.operands if each not in named]
    # `./...` is all below a folder.
    paths = [each.removesuffix("...") for each in operands if not each.startswith("-")]
    return paths or (".",)


def _joins(word: str, option: str) -> bool:
    """Return True if a word joins short options with this one: `-ni.bak`."""
    return word[:1] == "-" != word[1:2] and option in word[1:4]


def _rewritten_by_git(subcommand: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    operands = [word for word in words if not word.startswith("-")]
    match subcommand:
        case ["checkout" | "switch"] if options & {"-b", "-B", "-c", "-C", "--orphan"}:
            # A new branch begins with the files as they are.
            return ()
        case ["stash"] if operands[:1] and operands[0] not in ("push", "save"):
            return ()
        case ["reset"] if not options & {"--hard", "--merge", "--keep"}:
            return ()
        case ["restore"] if options & {"--staged", "-S"} and not (
            options & {"--worktree", "-W"}
        ):
            return ()
        case ["checkout" | "stash"] if "--" in words:
            return words[words.index("--") + 1 :]
        case ["restore" | "mv"]:
            return operands
        case ["rm"]:
            return () if "--cached" in options else operands
        case ["checkout" | "switch" | "stash" | "reset" | "clean" | "revert" | "apply"]:
            return (".",)
    return ()
