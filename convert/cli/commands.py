"""The table of commands, and the parser of a command line."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn, TypeVar

from convert import wings
from convert.errors import UsageError
from convert.options.option_set import Option, OptionSet


class Command:
    """A command, in the words of its help.

    `main` runs it with the words after its name, `options` are its sets of options, and
    `page` its help, or "" if it prints its own: each is named by its place and imported
    when it is used. `logs` are the words for its logs, one with dots for any number,
    `words` those that it takes otherwise: the choices for each of them. It is no named
    tuple, which takes Python some percent of the start to make.
    """

    def __init__(
        self,
        main: str,
        about: str,
        logs: tuple[str, ...] = (),
        words: tuple[tuple[str, ...], ...] = (),
        options: tuple[str, ...] = (),
        page: str = "",
    ) -> None:
        self.main = main
        self.about = about
        self.logs = logs
        self.words = words
        self.options = options
        self.page = page


class Page:
    """The help of a command, but for its options.

    `intro` is the usage, a description and examples, `logs` are the words for its logs
    and their description, and `status` is a list of the exit statuses below a heading.
    """

    def __init__(self, intro: str, logs: tuple[str, str], status: str) -> None:
        self.intro = intro
        self.logs = logs
        self.status = status


ANY_LOGS = (
    "LOG",
    "logs of agents, plain or compressed with gzip, bzip2, xz or zstd, or folders of"
    " them; - or nothing is standard input",
)
SHELLS = ("bash", "zsh", "fish", "powershell")
READING = "convert.options.Reading"
_ON_LOGS = {
    "convert": Command(
        "convert.cli.convert.main",
        "convert logs; implied",
        ("[LOG]...",),
        options=(
            "convert.cli.options.ConvertOptions",
            "convert.options.Options",
            READING,
        ),
        page="convert.cli.help.CONVERT",
    ),
    "show": Command(
        "convert.cli.show.main",
        "show a run in the terminal",
        ("LOG",),
        options=("convert.cli.report_options.ShowOptions", READING),
        page="convert.cli.help.SHOW",
    ),
    "diff": Command(
        "convert.cli.diff.main",
        "compare two runs",
        ("A", "B"),
        options=(
            "convert.cli.report_options.DiffOptions",
            "convert.options.settings.Settings",
            "convert.options.settings.SuiteSettings",
            READING,
        ),
        page="convert.cli.help.DIFF",
    ),
}
_ON_RUNCONV = {
    "formats": Command("convert.cli.formats.main", "list what each format keeps"),
    "completion": Command(
        "convert.cli.completion.main",
        "print a script that completes command lines in a shell",
        words=(SHELLS,),
    ),
}
IMPLIED = "convert"
HELP = "help"


def command_names() -> tuple[str, ...]:
    """Return the names of all commands, in the order of the help."""
    return (*_ON_LOGS, *wings.names("commands"), *_ON_RUNCONV)


def command_named(name: str) -> Command | None:
    """Return the command of a name; None if there is none."""
    own = _ON_LOGS.get(name) or _ON_RUNCONV.get(name)
    return own or wings.row("commands", name)


def commands() -> dict[str, Command]:
    """Return all commands by their names, in the order of the help."""
    rows = {name: command_named(name) for name in command_names()}
    return {name: row for name, row in rows.items() if row is not None}


def option_sets(name: str) -> tuple[type[OptionSet], ...]:
    """Return the options of a command, without loading those of others."""
    row = command_named(name)
    return tuple(map(wings.load, row.options)) if row else ()


S = TypeVar("S", bound=OptionSet)


class Given:
    """The contents of a command line: its logs, and the options that it names."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.logs: list[str] = asked.logs
        self._asked = vars(asked)

    @property
    def names(self) -> set[str]:
        """The options that are named, by their names in Python."""
        return self._asked.keys() - {"logs"}

    def values(self, kind: type[OptionSet]) -> dict[str, Any]:
        """Return the options of a set that are named, by their names in Python."""
        return {
            name: row.parsed(self._asked[name])
            for name, row in kind.options().items()
            if name in self._asked
        }

    def only(self, names: set[str]) -> Given:
        """Return the logs, and no options but these."""
        kept = {name: self._asked[name] for name in self.names & names}
        return Given(argparse.Namespace(logs=self.logs, **kept))

    def of(self, kind: type[S]) -> S:
        """Return a set, with the defaults of the options that are not named."""
        return kind(**self.values(kind))


class Parser(argparse.ArgumentParser):
    """A parser for sets of options; raises UsageError.

    `command` is what the user types to run the command.
    """

    def __init__(self, command: str, *sets: type[OptionSet]) -> None:
        _keep_english()
        super().__init__(
            prog=command,
            # Before options and logs in any order are parsed, argparse would write one.
            usage="",
            add_help=False,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
            # The help is ours. Without a width, argparse imports shutil to find one.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        )
        self.add_argument("logs", nargs="*", metavar="LOG", default=[])
        for kind in sets:
            for row in kind.options().values():
                self.add_argument(*row.flags, dest=row.name, **_traits(row))

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the arguments."""
        for pattern, words in _WORDS:
            message = re.sub(pattern, words, message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def given(self, arguments: list[str]) -> Given:
        """Parse a command line; all words after `--` are logs."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        asked, unknown = self.parse_known_intermixed_args(arguments[:end])
        if unknown:
            self.error(self._unknown(unknown))
        asked.logs = [*asked.logs, *arguments[end + 1 :]]
        for name in _OF_PATHS & vars(asked).keys():
            setattr(asked, name, _local(getattr(asked, name)))
        return Given(asked)

    def _unknown(self, words: list[str]) -> str:
        """Return the message about the words that the parser does not know.

        A word without a dash is the value of an unknown option in front of it.
        """
        from convert.wording.suggestions import nearest

        names = [word.partition("=")[0] for word in words if word.startswith("-")]
        plural = "s" if len(names) > 1 else ""
        message = f"unknown option{plural} {', '.join(names or words)}"
        flags = [flag for flag in self._option_string_actions if len(flag) > 2]
        near = nearest(names[0], flags, 0.75) if len(names) == 1 else None
        return f"{message} (did you mean {near}?)" if near else message


# These hold paths, any of which may be the URL of a file of this machine.
_OF_PATHS = {"logs", "output", "files_from", "goldens"}


def _local(paths: list[str] | str) -> list[str] | str:
    if "://" not in "".join(paths):
        return paths
    # Imported here: to print the help takes less time.
    from convert.wording.urls import local_path

    return local_path(paths) if isinstance(paths, str) else [*map(local_path, paths)]


def _keep_english() -> None:
    """Keep argparse from looking for translations of its messages.

    They are reworded below. To look imports locale, which takes 1 of 25 ms.
    """
    vars(argparse)["_"] = str


# Messages of argparse, and the words that replace them.
_WORDS = (
    (r"^argument (?:-\w/)?(\S+): expected one argument", r"\1 needs a value"),
    (
        r"^argument (?:-\w/)?([^\s/:]+)\S*: ignored explicit argument",
        r"\1 takes no value; leave out",
    ),
)


def _traits(row: Option) -> dict[str, Any]:
    """Return what argparse is told about an option."""
    if row.is_negatable:
        return {"action": argparse.BooleanOptionalAction}
    if row.kind is bool:
        return {"action": "store_true"}
    return {"action": "append" if row.is_list else "store"}
