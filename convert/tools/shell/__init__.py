"""Shell commands: the programs that they run, and those that change nothing.

harmless  commands that are known to change nothing, by the rules of harmless.ini
identity  the program and subcommand by which two commands are compared; names.ini has
          their names, and the programs that run others
status    the simple commands that decide the exit status, and the commands for which 1
          is an answer, from answers.ini
attempts  the attempts of a command, such as the tests of checks.ini, which a later one
          can recover
checking  the checks that a command runs, and the files that it may rewrite
spelling  a command in its one spelling; ordered_words: the words of a simple command,
          with the known options of spelling.ini
syntax    a command taken apart by a parser of the shell's language

A new program that changes nothing is a section of harmless.ini. A test walks the rules
and tries their examples. No rule knows the variables and the files of the shell that
runs a command: a word that only the shell knows could be any word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convert.tools.shell.attempts import Attempt
    from convert.tools.shell.checking import CheckedBy

# The tables and the parser take as long to load as a comparison of two short logs, and
# most calls equal their partners: nobody asks about them.


def only_looks(command: str) -> bool:
    """Return True if a command is known to change nothing."""
    from convert.tools.shell.harmless import changes_nothing

    return changes_nothing(command)


def program_of(command: str) -> str:
    """Return the program and subcommand that a command runs; see `identity`."""
    from convert.tools.shell.identity import identity_of

    return identity_of(command)


def answer_in(command: str, *, has_errors: bool) -> str:
    """Return the meaning of status 1 of a command, such as `no match`; see `status`."""
    from convert.tools.shell.status import answer_in as answer

    return answer(command, has_errors=has_errors)


def attempt_of(command: str) -> Attempt:
    """Return the attempt of a command; see `attempts`."""
    from convert.tools.shell.attempts import attempt_of as attempt

    return attempt(command)


def hands_on(command: str) -> bool:
    """Return True for a command that sends the work to others: a push, a deployment."""
    from convert.tools.shell.checking import hands_on as hands

    return hands(command)


def checked_by(command: str) -> CheckedBy:
    """Return the part of a command's result that shows if its checks passed."""
    from convert.tools.shell.checking import checked_by as checked

    return checked(command)


def runs_one_check(command: str) -> bool:
    """Return True if a command runs one program that may be a check, and once."""
    from convert.tools.shell.checking import runs_one_check as runs

    return runs(command)


def may_fail_elsewhere(command: str) -> bool:
    """Return True if a command can fail although its only check passed."""
    from convert.tools.shell.checking import may_fail_elsewhere as may_fail

    return may_fail(command)


def only_records(command: str) -> bool:
    """Return True if a command looks, or records and sends work; see `checking`."""
    from convert.tools.shell.checking import only_records as records

    return records(command)


def rewritten_by(command: str) -> tuple[str, ...]:
    """Return the paths below which a command may rewrite files; see `checking`."""
    from convert.tools.shell.checking import rewritten_by as rewritten

    return rewritten(command)


def spelling_of(command: str, *, has_home: bool = False) -> tuple[object, ...]:
    """Return the same for two spellings of a command; see `spelling`."""
    from convert.tools.shell.spelling import spelling_of as spelling

    return spelling(command, has_home=has_home)
