"""The command line: opens files, prints, and chooses the exit status.

Each command has a module with a function `main`, imported when the command is used.

commands     the list of commands, whose modules follow
convert      the command that is implied; diff: of two logs, diff_folders: of two
             folders, stats: of many, matrix: of several versions,
             approve: of goldens, approval: of one run after the other,
             approved_cases: the goldens that they are,
             formats: the list of formats, completion: of command lines,
             listing: the lists of diff
suites       the versions of diff_folders and matrix, compared
table        the command for the rows of many logs, table_findings: of two sides
table_rows   of one log, kept_rows: which wait to be written; table_parts: of a group
             of logs, table_output: where they go, table_resume: which are there,
             table_schema: what their columns are
show         a run in the terminal; follow: while it goes on, live_area: what is redrawn
             then, plain_lines: without a terminal
pager        output longer than the screen; painting: styled lines as bytes
unread_logs  the logs in folders that no format reads, by their agents
manual       the pages of man, of the help
arguments    the parser; options: those of `convert` alone, report_options: those of
             other commands, conflicts: those that cannot be meant together, settings:
             those in a TOML file
help         the help
folders      the logs of a command line, found; logs: opened and read
log_conversion  of one of them, log_counting: for stats, case_comparison: for diff of
             folders; closing: the last line on many, progress: how far it is
destination  where output goes; paths: which places are refused, new_files: those that
             are whole or do not exist, whole_files: small ones that a command keeps for
             itself
engines      what does the work on many logs; groups: so many of them that they are one
             piece of work
resume       what is done already, manifest: the file that says so
reports_asked   the reports of a comparison that are wanted; report_output: where one
             goes, written_reports: all of them, step_summary: of GitHub Actions,
             own_reports: those of an earlier command, suite_pages: the pages that one
             links to
terminal     its size, and whether colours are wanted; colour: of reports
display      what a terminal or the log of a runner is shown
messages     what goes to standard error; failures: of failures that nothing expects,
             sums: about many logs in sum
signals      how signals end a command
examples     the logs of --example
"""

from __future__ import annotations

import os
import sys

from convert.cli.commands import HELP, IMPLIED, command_named, command_names
from convert.errors import RunconvError, UsageError
from convert.wings import load


def run(arguments: list[str]) -> int:
    """Run one command line; return its exit status."""
    _forget()
    try:
        return _run(arguments)
    except RunconvError as error:
        from convert.cli.messages import say

        say(error.message)
        return error.exit_status


def _forget() -> None:
    """Forget what an earlier command of this process has found at URLs."""
    # Imported only where it is already: to print the help takes less time.
    if "convert.source.stores" in sys.modules:
        from convert.source.stores import forget

        forget()


def _run(arguments: list[str]) -> int:
    word = arguments[0] if arguments else ""
    if word == HELP:
        return _run([_topic(arguments[1:]), "--help"])
    if command_named(word):
        return _main(word, arguments[1:])
    _check_command(word)
    return _main(IMPLIED, arguments)


def _main(command: str, arguments: list[str]) -> int:
    """Run a command with the words after its name."""
    row = command_named(command)
    assert row is not None
    status: int = load(row.main)(arguments)
    return status


def _topic(topics: list[str]) -> str:
    """Return the command whose help is wanted."""
    if len(topics) > 1:
        raise UsageError("help takes one command, as in runconv help diff")
    topic = topics[0] if topics else IMPLIED
    if topic in (HELP, "-h", "--help"):
        return IMPLIED
    if command_named(topic) is None:
        from convert.wording.nearest import with_nearest

        advice = with_nearest(topic, _words(), f"choose from {_listed()}")
        raise UsageError(f"no command '{topic}' ({advice})")
    return topic


def _check_command(word: str) -> None:
    """Raise UsageError for a first word that is no log but much like a command."""
    if not word.isalpha() or os.path.lexists(word):
        return
    from convert.wording.nearest import nearest

    near = nearest(word, _words(), 0.7)
    if near:
        raise UsageError(
            f"no log or command '{word}' (did you mean runconv {near}?); the commands"
            f" are {_listed()}"
        )


def _words() -> tuple[str, ...]:
    return (*command_names(), HELP)


def _listed() -> str:
    return ", ".join(_words())
