"""The command line: opens files, prints, and chooses the exit status.

The table of commands names the function of each command, which is imported when the
command is used. It takes the parsed words, or the words themselves if the command has
no options.

commands        the table of commands, the words of a command line, shared options;
                report_options: those of `show` and `diff`
parser          the parser of unusual words
help            the help, the list of formats, the example logs
convert         the command that is implied
show            a run in the terminal; live_area: a run that is under way
pager           lines that are longer than the screen
listed_runs     the runs on this machine, and the paths of those that words name
run_list        the command `list`
diff            two logs; reports: where its reports go, and in which colours
completion      a script with which a shell completes command lines
settings        the settings for a command, and those in a TOML file
logs            a log that is opened, read and converted
folders         the logs of folders and lists, and the paths of their outputs
destination     standard output, places that are refused, and the terminal: its size,
                colours and escapes
output_files    files that are whole or do not exist, whatever signal ends a command
messages        messages on standard error
progress        how much of the logs is read, and the last lines on many logs

The commands `stats` and `table` are in `convert/scale`, `matrix`, `approve` and
`diff` of folders in `convert/suites`; `convert/registry.py` names them.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from convert.cli.commands import (
    ALSO_READ,
    HELP,
    IMPLIED,
    Given,
    command_in,
    command_named,
    command_names,
    parse,
)
from convert.errors import RunconvError, UsageError, nearest, with_nearest
from convert.registry import exports, load, loaded_row


def run(arguments: list[str]) -> int:
    """Run one command line; return its exit status."""
    if (forget := loaded_row("objects", "forget")) is not None:
        # The objects that an earlier command found at URLs may have changed.
        forget()
    try:
        return _run(arguments)
    except RunconvError as error:
        from convert.cli.messages import say

        say(error.message)
        return error.exit_status


def _run(arguments: list[str]) -> int:
    word = arguments[0] if arguments else ""
    if word in _HELP and {*arguments} <= _HELP:
        from convert.cli.help import print_overview

        return print_overview()
    if word == HELP or (word in _HELP and _is_name(arguments[1])):
        topic, *more = _topic(arguments[1:])
        return _run([topic, "--help", *more])
    if command_named(word):
        return _main(word, arguments[1:])
    _check_command(word)
    return _main(IMPLIED, arguments)


def _main(command: str, arguments: list[str]) -> int:
    """Run a command with the words after its name, or print its help."""
    row = command_named(command)
    assert row is not None
    words: list[str] | Given = arguments
    if row.page:
        if command == "show" and "-f" in arguments:
            arguments = _with_follow(arguments)
        rest: list[str] = []
        if row.takes_command:
            arguments, rest = command_in(command, arguments)
        words = given = parse(command, arguments)
        given.logs += rest
        if "help" in given.names:
            from convert.cli.help import print_help

            return print_help(command, given.logs)
        if row.schema and "schema" in given.names:
            from convert.cli.help import print_schema

            return print_schema(row.schema, given)
        is_named = any(os.path.basename(log)[:1] == "@" for log in given.logs)
        if is_named and not row.takes_command:
            from convert.cli.listed_runs import named_logs

            given.name_logs(named_logs(given.logs))
        if given.names.isdisjoint(_PRINTED):
            _import_msgspec()
        if not given.names.isdisjoint(ALSO_READ):
            from convert.cli.destination import refuse_files_of_options

            refuse_files_of_options(given)
    status: int = load(row.main)(words)
    return status


def _with_follow(words: list[str]) -> list[str]:
    """Return the words of `show`, where -f without a format still follows a run."""
    at = words.index("-f")
    word = words[at + 1] if at + 1 < len(words) else "-"
    if not (word.startswith("-") or os.path.lexists(word)):
        return words
    from convert.cli.messages import say

    say("notice: -f names a format in every command; to follow a run: -F", None)
    return [*words[:at], "--follow", *words[at + 1 :]]


_HELP = frozenset({HELP, "-h", "--help"})
# With these options, a command prints a text of its own and reads no log.
_PRINTED = frozenset({"version", "example"})


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions, even where that is installed.

    msgspec takes the names that it needs from typing then. typing_extensions and the
    modules that it imports take 15 % of a short conversion.
    """
    if sys.modules.keys() & {"msgspec", "typing_extensions"}:
        return
    # Python takes None for a module that cannot be imported.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import_module("msgspec")
    finally:
        del sys.modules["typing_extensions"]


def _topic(words: list[str]) -> list[str]:
    """Return the command whose help is wanted, and the word for all of its options."""
    topic, *more = words
    if more not in ([], ["all"]):
        raise UsageError("help takes one command, as in runconv help diff")
    if topic == "all" and not more:
        return [IMPLIED, topic]
    if command_named(topic) is None:
        advice = with_nearest(topic, _words(), f"choose from {_listed()}")
        raise UsageError(f"no command '{topic}' ({advice})")
    return words


def _is_name(word: str) -> bool:
    """Return True for a word that is neither an option nor a log nor a path."""
    has_form = word[:1].isalpha() and word.replace("-", "").replace("_", "").isalnum()
    return has_form and not os.path.lexists(word)


def _check_command(word: str) -> None:
    """Raise UsageError for a first word that is neither a log nor a path."""
    if not _is_name(word):
        return

    from convert.cli.destination import shown_path
    from convert.source.sessions import log_meant

    near = _MEANT.get(word.lower()) or nearest(word, _words(), 0.7)
    if near:
        near = f"runconv {near}"
    elif near := log_meant(word):
        near = shown_path(near)
    meant = f" (did you mean {near}?)" if near else ""
    raise UsageError(f"no log or command '{word}'{meant}; the commands are {_listed()}")


# Words of other programs, and the command lines that do the same here.
_MEANT = {
    **dict.fromkeys(("compare", "cmp", "regress", "check", "gate"), "diff A B"),
    **dict.fromkeys(("view", "open", "cat", "less", "print", "inspect"), "show LOG"),
    **dict.fromkeys(("watch", "tail", "follow"), "show --follow LOG"),
    **dict.fromkeys(("count", "stat", "metrics", "usage", "cost"), "stats LOG..."),
    **dict.fromkeys(("tokens", "slow", "slowest"), "stats LOG..."),
    **dict.fromkeys(("ls", "log", "sessions", "runs", "history"), "list"),
    **dict.fromkeys(("csv", "parquet", "rows", "export"), "table runs LOG..."),
    **dict.fromkeys(("html", "page", "report"), "LOG -o run.html"),
    **dict.fromkeys(("markdown", "md", "transcript"), "LOG -o run.md"),
    **dict.fromkeys(("to", "transform", "read", "parse"), "LOG -t FORMAT"),
    **dict.fromkeys(("last", "latest", "newest"), "show @1"),
    "why": "show LOG",
    "json": "LOG -t json",
    "summary": "LOG -t summary",
    "summarize": "LOG -t summary",
    "redact": "LOG --redact",
    "example": "--example",
    "version": "--version",
    "golden": "approve RUN... -o FOLDER/",
    "update": "approve RUN... -o FOLDER/",
}


def _words() -> tuple[str, ...]:
    return (*command_names(), HELP)


def _listed() -> str:
    return ", ".join(_words())


# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "commands": "ConvertOptions Given IMPLIED ManyLogs SHELLS command_named "
        "command_names option_sets parse_usual",
        "completion": "script",
        "destination": "Destination refuse_input",
        "diff": "listing",
        "folders": "named_logs",
        "live_area": "Ending GrowingFile pipe_pieces",
        "help": "example help_of overview pages sections",
        "logs": "LogResult NamedLog on_read",
        "messages": "failure_in_words kept_messages say",
        "output_files": "NewFile named_output write_whole",
        "parser": "Parser",
        "progress": "Progress progress_of unread_in_words",
        "report_options": "DiffOptions ShowOptions",
        "reports": "add_to_summary",
        "settings": "settings_in_file",
        "show": "Painter",
    },
)
