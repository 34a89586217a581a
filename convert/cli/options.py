"""The options of `convert` itself, and those that several commands share."""

from typing import Any, Literal

from convert.options.option_set import OptionSet, option
from convert.options.values import RUN_ADVICE, check_run

# The headings in the help.
INPUT = "input"
OUTPUT = "output"
ENGINE = "very many logs"
MESSAGES = "messages and exit status"
HELP = "help"
REPORT = "the report"

# In columns.
NARROWEST = 40


class Common(OptionSet):
    """The options that all commands share."""

    source: str = option(
        default="auto",
        help="format of the log: auto (default), stream-json, json, text, answer,"
        " trajectory, claude-stream, claude-session, codex-exec, codex-rollout,"
        " opencode or atif",
        section=INPUT,
        flags="-f, --from",
        metavar="FORMAT",
    )
    run: int | None = option(
        default=None,
        help="use only the N-th run of a log; -1 is the last",
        section=INPUT,
        metavar="N",
        least=-(10**15),
        check=check_run,
        advice=RUN_ADVICE,
    )
    strict: bool = option(
        default=False, help="make the first warning an error", section=MESSAGES
    )
    help: bool = option(
        default=False, help="print this help", section=HELP, flags="-h, --help"
    )


def quiet() -> Any:
    """State that messages are not wanted."""
    return option(
        default=False,
        help="print no warnings or notices",
        section=MESSAGES,
        flags="-q, --quiet",
    )


def globs() -> Any:
    """State which files of a folder are read."""
    return option(
        default=(),
        help="of a folder, read only the files that match, as in '*.ndjson'; '!old/'"
        " leaves files out",
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
    )
    quiet: bool = quiet()


def engine() -> Any:
    """State what does the work on many logs."""
    return option(
        default="local",
        help="what does the work: {choices}; dask needs the extra dask",
        section=ENGINE,
        metavar="ENGINE",
    )


def scheduler() -> Any:
    """State which cluster does the work."""
    return option(
        default=None,
        help="the scheduler of the cluster, as in tcp://10.0.0.7:8786; by default, a"
        " cluster is started on this machine",
        section=ENGINE,
        metavar="ADDRESS",
    )


def resume() -> Any:
    """State that work is left out which is done."""
    return option(
        default=False,
        help="into a folder: leave out logs that are done and unchanged since an"
        " earlier command with --resume, as a hidden file in PATH says",
        section=ENGINE,
    )


def config(section: str) -> Any:
    """State which file has settings, of which one is otherwise found by a table."""
    return option(
        default=None,
        help="TOML file with settings by their long names; by default, the table"
        f" {section} of the nearest pyproject.toml with settings of runconv",
        section=INPUT,
        metavar="FILE",
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
    )


def color(section: str = REPORT) -> Any:
    """State when a report or a view is coloured."""
    return option(
        default="auto",
        help="when to use colours: {choices}",
        section=section,
        metavar="WHEN",
    )


def report_file() -> Any:
    """State where a report is written to."""
    return option(
        default=None,
        help="file to write the report to, whole or not at all",
        section=REPORT,
        flags="-o, --output",
        metavar="PATH",
    )


def config_of_reading() -> Any:
    """State which file has settings of how logs are read."""
    return option(
        default=None,
        help="TOML file with settings of how logs are read: redact, redact-pattern,"
        " max-line and max-input; by default, the table [tool.runconv] of the nearest"
        " pyproject.toml with settings of runconv",
        section=INPUT,
        metavar="FILE",
    )


class ConvertOptions(ManyLogs):
    """The options of `convert` itself."""

    target: str | None = option(
        default=None,
        help="format to write: text, markdown, html, json, stream-json, answer, patch,"
        " trajectory, claude-stream, messages or atif; by default, the one for the"
        " suffix of PATH, else text",
        section=OUTPUT,
        flags="-t, --to",
        metavar="FORMAT",
    )
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
    version: bool = option(default=False, help="print the version", section=HELP)
