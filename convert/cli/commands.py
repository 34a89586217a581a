"""The table of commands, to which wings add rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convert import wings

if TYPE_CHECKING:
    from convert.options.option_set import OptionSet


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
            "convert.options.suite.SuiteSettings",
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
