"""A shell command: whether it changes anything, what it runs, and where.

looking        whether a command is known to change nothing
identity       the program and subcommand by which two commands are compared
directory      a command without the `cd` into a folder, such as that of its run

deciding       which simple commands decide the status of a whole one
answers        programs whose status 1 is an answer, such as `grep`
attempts       what a command tries, so that a later one can make it good
checks         checks such as test runners: which of their words say what they check

syntax         a command taken apart by a parser of the shell's language
words          the words of a simple command, as far as they are known before it runs
overlooked     what the parser has not seen in a command
rules          when an invocation of a program changes nothing
programs       these rules by program; subcommands: by program and subcommand
scripts        the scripts of `sed` and `awk`
wrappers       programs that run the program which their words name
naming         names of programs and subcommands, and what runs others by its name

A new program that only looks is one row in `programs`. A test walks the rows and tries
their examples. Nothing here knows what `bash` would find when it runs: a word that only
the shell knows could be any word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from convert.tools.commands.directory import without_directory

if TYPE_CHECKING:
    from convert.tools.commands.attempts import Attempt

__all__ = ["answer_in", "attempt_of", "only_looks", "program_of", "without_directory"]

# The tables and the parser take as long to load as a comparison of two short logs, and
# most calls equal their partners: nobody asks about them.


def only_looks(command: str) -> bool:
    """Return True if a command is known to change nothing."""
    from convert.tools.commands.looking import changes_nothing

    return changes_nothing(command)


def program_of(command: str) -> str:
    """Return the program and subcommand that a command runs; see `identity`."""
    from convert.tools.commands.identity import identity_of

    return identity_of(command)


def answer_in(command: str, *, has_errors: bool) -> str:
    """Return what status 1 of a command says, such as `no match`; see `answers`."""
    from convert.tools.commands import answers

    return answers.answer_in(command, has_errors=has_errors)


def attempt_of(command: str) -> Attempt:
    """Return what a command tries; see `attempts`."""
    from convert.tools.commands import attempts

    return attempts.attempt_of(command)
