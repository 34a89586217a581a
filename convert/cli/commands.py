"""The table of commands, the words of a command line, and the options of commands.

`report_options` holds the options of `show` and `diff`.
"""

from typing import Any, Literal, TypeVar

from convert import registry
from convert.options.option_set import (
    RUN_ADVICE,
    OptionSet,
    check_run,
    option,
    report_name,
)


class Command:
    """A command, in the words of its help.

    `main` runs it with the words after its name, `options` are its sets of options, and
    `page` its help, or "" if it prints its own: each is named by its place and imported
    when it is used. `logs` are the words for its logs, one with dots for any number,
    `words` the choices for each of its other words. One that `takes_command` has the
    words of another command after its options. `schema` is the file in the package that
    describes its json report, or "" for none. A named tuple would take some percent of
    the start to make.
    """

    def __init__(
        self,
        main: str,
        about: str,
        logs: tuple[str, ...] = (),
        words: tuple[tuple[str, ...], ...] = (),
        options: tuple[str, ...] = (),
        page: str = "",
        takes_command: bool = False,
        schema: str = "",
    ) -> None:
        self.main = main
        self.about = about
        self.logs = logs
        self.words = words
        self.options = options
        self.page = page
        self.takes_command = takes_command
        self.schema = schema


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
    "logs of agents, plain or compressed with gzip, bzip2, xz or zstd, folders of them,"
    " or names of runs such as @1; - or nothing is standard input",
)
SHELLS = ("bash", "zsh", "fish", "powershell")
READING = "convert.options.Reading"
_ON_LOGS = {
    "convert": Command(
        "convert.cli.convert.main",
        "convert logs to text, Markdown, HTML, JSON and more; implied",
        ("[LOG]...",),
        options=(
            "convert.cli.commands.ConvertOptions",
            "convert.options.Options",
            READING,
        ),
        page="convert.cli.help.CONVERT",
    ),
    "list": Command(
        "convert.cli.run_list.main",
        "list the runs on this machine",
        ("[FOLDER]...",),
        options=("convert.cli.commands.ListOptions", READING),
        page="convert.cli.help.LIST",
        schema="cli/list.schema.json",
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
        schema="diff/report.schema.json",
    ),
}
_ON_RUNCONV = {
    "formats": Command(
        "convert.cli.help.list_formats", "list the facts that each format keeps"
    ),
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
    return (*_ON_LOGS, *registry.names("commands"), *_ON_RUNCONV)


def command_named(name: str) -> Command | None:
    """Return the command of a name; None if there is none."""
    return _ON_LOGS.get(name) or _ON_RUNCONV.get(name) or registry.row("commands", name)


def commands() -> dict[str, Command]:
    """Return all commands by their names, in the order of the help."""
    return {name: row for name in command_names() if (row := command_named(name))}


def option_sets(name: str) -> tuple[type[OptionSet], ...]:
    """Return the options of a command, without loading those of others."""
    row = command_named(name)
    return tuple(map(registry.load, row.options)) if row else ()


def parse(name: str, arguments: list[str]) -> "Given":
    """Parse the words after the name of a command; raises UsageError."""
    sets = option_sets(name)
    given = parse_usual(sets, arguments)
    if given is None:
        from convert.cli.parser import Parser

        parser = Parser(f"runconv {name}", *sets, commands_with=_commands_with)
        given = Given(*parser.given(arguments))
    return given


def _commands_with(flag: str) -> list[str]:
    """Return the commands that have an option."""

    def flags(name: str) -> set[str]:
        rows = (row for kind in option_sets(name) for row in kind.options().values())
        return {each for row in rows for each in row.flags}

    return [name for name in command_names() if flag in flags(name)]


def command_in(name: str, words: list[str]) -> tuple[list[str], list[str]]:
    """Split the words of a command that `takes_command`: its options, and the command.

    The first word that is neither an option nor the value of one begins the command,
    and `--` may stand before it.
    """
    kinds = {
        flag: row.kind
        for each in option_sets(name)
        for row in each.options().values()
        for flag in row.flags
    }
    at = 0
    while at < len(words) and _begins_with_dash(word := words[at]):
        if word == "--":
            return words[:at], words[at + 1 :]
        at += 2 if _takes_next(word, kinds) else 1
    return words[:at], words[at:]


def _takes_next(word: str, kinds: dict[str, type]) -> bool:
    """Return True if the word after an option is its value; `-qt` are two options."""
    if word.startswith("--"):
        return kinds.get(word, bool) is not bool
    takes = [kinds.get(f"-{letter}", bool) is not bool for letter in word[1:]]
    return True in takes and takes.index(True) == len(takes) - 1


def parse_usual(
    sets: tuple[type[OptionSet], ...], arguments: list[str]
) -> "Given | None":
    """Parse logs, and options with a value in a word of its own; None for any others.

    argparse parses those and refuses errors. To import it and to list all options for
    it takes 6 % of a short conversion.
    """
    rows = {
        flag: row
        for kind in sets
        for row in kind.options().values()
        for flag in row.flags
    }
    logs: list[str] = []
    options: dict[str, Any] = {}
    words = iter(arguments)
    for word in words:
        row = rows.get(word)
        if row is None:
            if _begins_with_dash(word):
                return None
            logs.append(word)
        elif row.kind is bool:
            options[row.name] = True
        else:
            value = next(words, "--")
            if _begins_with_dash(value):
                return None
            before = options.get(row.name, [])
            options[row.name] = [*before, value] if row.is_list else value
    return Given(logs, options)


def _begins_with_dash(word: str) -> bool:
    """Return True for all words with a dash but that for standard input."""
    return word.startswith("-") and word != "-"


# Options with paths; each path may be the URL of a file of this machine.
_OF_PATHS = {"output", "files_from", "goldens"}
# Options with a file that is read and is no log.
ALSO_READ = {"files_from": "--files-from", "config": "--config"}
S = TypeVar("S", bound=OptionSet)
P = TypeVar("P", str, list[str])


class Given:
    """The contents of a command line: its logs, and the options that it names.

    The options have their names in Python, and their values as they are written.
    """

    def __init__(self, logs: list[str], options: dict[str, Any]) -> None:
        for name in _OF_PATHS & options.keys():
            options[name] = _local(options[name])
        self.logs = _local(logs)
        self.log_names: dict[str, str] = {}
        """The names of runs in reports, by the paths of their logs."""

        self._options = options

    @property
    def names(self) -> set[str]:
        """The options that are named, by their names in Python."""
        return {*self._options}

    def values(self, kind: type[OptionSet]) -> dict[str, Any]:
        """Return the options of a set that are named, by their names in Python."""
        return {
            name: row.parsed(self._options[name])
            for name, row in kind.options().items()
            if name in self._options
        }

    def name_logs(self, named: list[tuple[str, str]]) -> None:
        """Replace the logs by these, each a path and a name."""
        self.logs = [path for path, _ in named]
        self.log_names = {path: name for path, name in named if path != name}

    def paths(self, name: str) -> list[str]:
        """Return the paths that an option names, without the formats of reports."""
        value = self._options.get(name, [])
        values = [value] if isinstance(value, str) else value
        if name == "reports":
            values = _local([each.partition("=")[2] for each in values])
        return [path for path in values if path != "-" or name == "files_from"]

    def only(self, names: set[str]) -> "Given":
        """Return the logs, and no options but these."""
        kept = {name: self._options[name] for name in self.names & names}
        return Given(self.logs, kept)

    def of(self, kind: type[S]) -> S:
        """Return a set, with the defaults of the options that are not named."""
        return kind(**self.values(kind))


def _local(paths: P) -> P:
    """Return paths, where the URL of a file of this machine becomes its path."""
    if "://" not in "".join(paths):
        return paths
    # Imported here: to print the help takes less time.
    from convert.wording.paths import local_path

    return local_path(paths) if isinstance(paths, str) else [*map(local_path, paths)]


# The headings in the help.
INPUT = "input"
OUTPUT = "output"
ENGINE = "very many logs"
MESSAGES = "messages and exit status"
REPORT = "the report"

FORMAT = "-t, --to, --format"
# In columns.
NARROWEST = 40


def help_() -> Any:
    """State if the help is printed."""
    return option(
        default=False,
        help="print this help; --help all adds the rare options",
        section=HELP,
        flags="-h, --help",
    )


def source() -> Any:
    """State the format of the log."""
    return option(
        default="auto",
        help="format of the log: auto (default), stream-json, json, text, answer,"
        " trajectory, claude-stream, claude-session, codex-exec, codex-rollout,"
        " opencode or atif",
        section=INPUT,
        flags="-f, --from",
        metavar="FORMAT",
    )


def target(otherwise: str) -> Any:
    """State the format to write, and the one that is written otherwise."""
    return option(
        default=None,
        help="format to write: text, summary, markdown, html, json, stream-json,"
        " answer, patch, trajectory, claude-stream, messages or atif; by default,"
        f" {otherwise}",
        section=OUTPUT,
        flags=FORMAT,
        metavar="FORMAT",
    )


def strict() -> Any:
    """State if the first warning is an error."""
    return option(
        default=False, help="make the first warning an error", section=MESSAGES
    )


class Common(OptionSet):
    """The options that all commands on logs share."""

    source: str = source()
    run: int | None = option(
        default=None,
        help="use only the N-th run of a log; -1 is the last",
        section=INPUT,
        metavar="N",
        least=-(10**15),
        check=check_run,
        advice=RUN_ADVICE,
    )
    strict: bool = strict()
    help: bool = help_()


def quiet() -> Any:
    """State if messages are not printed."""
    return option(
        default=False,
        help="print no warnings or notices",
        section=MESSAGES,
        flags="-q, --quiet",
    )


def globs() -> Any:
    """State the files of a folder that are read."""
    return option(
        default=(),
        help="of a folder, read only the files that match, as in '*.ndjson'; '!old/'"
        " excludes files",
        section=INPUT,
        flags="--glob",
        metavar="GLOB",
    )


class ManyLogs(Common):
    """The options of commands that take any number of logs."""

    globs: tuple[str, ...] = globs()
    files_from: str | None = option(
        default=None,
        help="read the paths of logs from FILE, one a line; - is standard input",
        section=INPUT,
        metavar="FILE",
        is_rare=True,
    )
    quiet: bool = quiet()


def engine() -> Any:
    """State the engine that does the work on many logs."""
    return option(
        default="local",
        help="engine that does the work: {choices}; dask needs the extra dask",
        section=ENGINE,
        metavar="ENGINE",
        is_rare=True,
    )


def scheduler() -> Any:
    """State the cluster that does the work."""
    return option(
        default=None,
        help="the scheduler of the cluster, as in tcp://10.0.0.7:8786; by default, a"
        " cluster is started on this machine",
        section=ENGINE,
        metavar="ADDRESS",
        is_rare=True,
    )


def resume() -> Any:
    """State if finished work is skipped."""
    return option(
        default=False,
        help="into a folder: skip logs that are done and unchanged since an"
        " earlier command with --resume, as a hidden file in PATH says",
        section=ENGINE,
        is_rare=True,
    )


def config(section: str) -> Any:
    """State the file with settings; by default, a table of pyproject.toml."""
    return option(
        default=None,
        help="TOML file with settings by their long names; by default, the table"
        f" {section} of the nearest pyproject.toml with settings of runconv",
        section=INPUT,
        metavar="FILE",
        is_rare=True,
    )


def width() -> Any:
    """State the width of a table."""
    return option(
        default=None,
        help="columns of the table; by default, those of the terminal, else COLUMNS,"
        " else 100",
        section=REPORT,
        metavar="N",
        least=NARROWEST,
        most=10_000,
        is_rare=True,
    )


def color(section: str = REPORT) -> Any:
    """State when a report or a view is coloured."""
    return option(
        default="auto",
        help="when to use colours: {choices}",
        section=section,
        metavar="WHEN",
    )


def report_format(verb: str = "write", default: str | None = None) -> Any:
    """State the format of the report."""
    return option(
        default=default,
        help=f"report to {verb}: {{choices}}; by default, the one for the suffix of"
        " PATH, else table",
        section=REPORT,
        flags=FORMAT,
        metavar="FORMAT",
        as_choice=report_name,
    )


def report_file() -> Any:
    """State the file of the report."""
    return option(
        default=None,
        help="file to write the report to, whole or not at all",
        section=REPORT,
        flags="-o, --output",
        metavar="PATH",
    )


def schema(of: str = "--format json") -> Any:
    """State if the JSON Schema of an output is printed."""
    return option(default=False, help=f"print the JSON Schema of {of}", section=HELP)


def config_of_reading() -> Any:
    """State the file with settings of how logs are read."""
    return option(
        default=None,
        help="TOML file with settings of how logs are read: redact, redact-pattern,"
        " max-line and max-input; by default, the table [tool.runconv] of the nearest"
        " pyproject.toml with settings of runconv",
        section=INPUT,
        metavar="FILE",
        is_rare=True,
    )


class ListOptions(OptionSet):
    """The options of `list`."""

    config: str | None = config_of_reading()
    format: Literal["table", "json"] = option(
        default="table",
        help="report to print: {choices}",
        section=REPORT,
        flags=FORMAT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    color: Literal["auto", "always", "never"] = color()
    quiet: bool = quiet()
    schema: bool = schema()
    help: bool = help_()


class ConvertOptions(ManyLogs):
    """The options of `convert` itself."""

    target: str | None = target("the one for the suffix of PATH, else text")
    config: str | None = config("[tool.runconv]")
    output: str | None = option(
        default=None,
        help="file to write, whole or not at all; a PATH that is a folder or ends in /"
        " gets one file per log",
        section=OUTPUT,
        flags="-o, --output",
        metavar="PATH",
    )
    color: Literal["auto", "always", "never"] = option(
        default="auto",
        help="when to use colours, in text and in messages: {choices}",
        section=OUTPUT,
        metavar="WHEN",
    )
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    resume: bool = resume()
    exit_status: bool = option(
        default=False, help="exit 1 if a run did not succeed", section=MESSAGES
    )
    example: bool = option(
        default=False,
        help="print a small log to try the program on; with the word `candidate` after"
        " it, another one to compare with the first",
        section=HELP,
    )
    schema: bool = schema("the format that -t names: messages or trajectory")
    version: bool = option(default=False, help="print the version", section=HELP)
