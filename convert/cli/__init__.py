"""The command line: opens files, prints, and chooses the exit status.

Each command has a module, which is imported when the command is used.

convert      the command that is implied; diff: the other one, listing: its --list
arguments    the parser; options: those of the commands alone, conflicts: those that
             cannot be meant together, settings: those in a TOML file
help         the help
logs         the logs of a command line, opened and read
destination  where output goes; paths: which places are refused, workers: many at once
display      what a terminal or the log of a runner is shown; colour: of reports
messages     what goes to standard error; failures: of failures that nothing expects
signals      how signals end a command
examples     the logs of --example
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from convert import __version__
from convert.errors import ExitStatus, RunconvError, UsageError

if TYPE_CHECKING:
    from convert.cli import convert


_COMMANDS = ("convert", "diff", "formats", "help")


def run(arguments: list[str]) -> int:
    """Run one command line; return its exit status."""
    try:
        return _run(arguments)
    except RunconvError as error:
        from convert.cli.messages import say

        say(error.message)
        return error.exit_status


def _run(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command == "help":
        return _help(arguments[1:])
    if command == "diff":
        return _diff(arguments[1:])
    if command in ("convert", "formats"):
        arguments = arguments[1:]
    if command == "formats" and not {*arguments} <= {"-h", "--help"}:
        raise UsageError("formats takes no arguments; to convert a log: runconv LOG")
    from convert.cli import convert
    from convert.cli.help import SHORT, convert_help

    asked = convert.Asked(arguments)
    if asked.logs[:1] == [command]:
        _check_command(command)
    if asked.command.help or asked.command.version:
        _print(convert_help() if asked.command.help else f"runconv {__version__}\n")
        return ExitStatus.CONVERTED
    if asked.command.example:
        _print(_example(asked))
        return ExitStatus.CONVERTED
    if command == "formats":
        _print(_formats())
        return ExitStatus.CONVERTED
    if not asked.logs and os.isatty(0):
        os.write(2, SHORT.encode())
        return ExitStatus.TROUBLE
    return convert.run(asked)


def _diff(arguments: list[str]) -> int:
    from convert.cli import diff
    from convert.cli.help import diff_help

    asked = diff.Asked(arguments)
    if asked.command.help:
        _print(diff_help())
        return ExitStatus.CONVERTED
    return diff.run(asked)


def _help(topics: list[str]) -> int:
    """Print the help of a command, as its option --help does."""
    if len(topics) > 1:
        raise UsageError("help takes one command, as in runconv help diff")
    topic = topics[0] if topics else "help"
    if topic in ("help", "-h", "--help"):
        topic = "convert"
    if topic not in _COMMANDS:
        from convert.wording.nearest import with_nearest

        advice = with_nearest(topic, _COMMANDS, f"choose from {_listed()}")
        raise UsageError(f"no command '{topic}' ({advice})")
    return _run([topic, "--help"])


def _check_command(word: str) -> None:
    """Raise UsageError for a first word that is no log but much like a command."""
    if not word.isalpha() or os.path.lexists(word):
        return
    from convert.wording.nearest import nearest

    near = nearest(word, _COMMANDS, 0.7)
    if near:
        raise UsageError(
            f"no log or command '{word}' (did you mean runconv {near}?); the commands"
            f" are {_listed()}"
        )


def _listed() -> str:
    return ", ".join(_COMMANDS)


def _example(asked: convert.Asked) -> str:
    """Return the log that `--example` prints; raises UsageError for other options."""
    from convert.cli.examples import example

    if asked.names_more_than("example"):
        raise UsageError(
            "--example takes no other option; to keep the log:"
            " runconv --example > run.ndjson"
        )
    return example(asked.logs)


def _print(text: str) -> None:
    from convert.cli.destination import standard_output

    with standard_output(None) as output:
        output.write(text.encode())


def _formats() -> str:
    """Return each format, with what a conversion to it keeps of each source."""
    from convert.formats import FORMATS, kept

    lines = ["Formats that are read (-f) and written (-t). What is kept:\n"]
    for format in FORMATS.values():
        note = "" if format.reader else "; written only"
        lines.append(f"\n{format.name}: {format.what}{note}\n")
        lines.extend(
            f"  from {name:<12} {what}\n" for name, what in kept(format.name).items()
        )
    return "".join(lines)
