"""The options of the commands that show runs and report on them."""

from typing import Literal

from convert.cli.options import (
    HELP,
    INPUT,
    MESSAGES,
    OUTPUT,
    REPORT,
    Common,
    ManyLogs,
    color,
    config,
    config_of_reading,
    engine,
    globs,
    quiet,
    report_file,
    resume,
    scheduler,
    width,
)
from convert.options.option_set import option
from convert.options.values import report_name


class ShowOptions(Common):
    """The options of `show` itself."""

    source: str = option(
        default="auto",
        help="format of the log: auto (default), stream-json, json, text, answer,"
        " trajectory, claude-stream, claude-session, codex-exec, codex-rollout,"
        " opencode or atif",
        section=INPUT,
        flags="--from",
        metavar="FORMAT",
    )
    follow: bool = option(
        default=False,
        help="show a run while it goes on: each call when it ends, and which are open",
        section=INPUT,
        flags="-f, --follow",
    )
    config: str | None = config_of_reading()
    thinking: bool = option(
        default=False, help="add the reasoning between the calls", section=OUTPUT
    )
    color: Literal["auto", "always", "never"] = color(OUTPUT)
    quiet: bool = quiet()


class StatsOptions(ManyLogs):
    """The options of `stats` itself."""

    config: str | None = config_of_reading()
    by: (
        Literal["folder", "model", "day", "prompt", "agent", "reason", "reason_kind"]
        | None
    ) = option(
        default=None,
        help="group the runs: {choices}; by default, by folder and by model where that"
        " makes 2 to 12",
        section=REPORT,
        metavar="WHAT",
    )
    format: Literal["table", "json", "csv", "markdown", "html"] | None = option(
        default=None,
        help="what to write: {choices}; by default, the one for the suffix of PATH,"
        " else table",
        section=REPORT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    output: str | None = option(
        default=None,
        help="file to write, whole or not at all; a PATH that is a folder or ends in /"
        " gets index.html and the page of each log",
        section=REPORT,
        flags="-o, --output",
        metavar="PATH",
    )
    full: bool = option(default=False, help="show every row of a table", section=REPORT)
    width: int | None = width()
    color: Literal["auto", "always", "never"] = color()
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()


class TableOptions(ManyLogs):
    """The options of `table` itself."""

    config: str | None = option(
        default=None,
        help="TOML file with settings of how logs are read, and for findings with those"
        " of diff; by default, the table [tool.runconv] of the nearest pyproject.toml"
        " with settings of runconv",
        section=INPUT,
        metavar="FILE",
    )
    format: Literal["ndjson", "csv", "parquet"] | None = option(
        default=None,
        help="what to write: {choices}; by default, the one for the suffix of PATH,"
        " parquet into a folder, else ndjson; parquet needs runconv[parquet]",
        section=OUTPUT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    output: str | None = option(
        default=None,
        help="file to write, whole or not at all; a PATH that is a folder or ends in /"
        " gets files in a folder for each day",
        section=OUTPUT,
        flags="-o, --output",
        metavar="PATH",
    )
    partition: str | None = option(
        default=None,
        help="a folder in PATH for each value of this column; by default date, the day"
        " on which a run began",
        section=OUTPUT,
        metavar="COLUMN",
    )
    arguments: bool = option(
        default=False,
        help="add the arguments of calls, as JSON text",
        section=OUTPUT,
    )
    outputs: bool = option(
        default=False,
        help="add what calls returned, as JSON text",
        section=OUTPUT,
    )
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    resume: bool = resume()
    schema: bool = option(
        default=False,
        help="print the columns, their types, units and meanings",
        section=HELP,
    )


class ApproveOptions(ManyLogs):
    """The options of `approve` itself."""

    config: str | None = config("[tool.runconv.diff]")
    output: str | None = option(
        default=None,
        help="folder of the goldens, or the golden of a single run, a file with the"
        " suffix .json",
        section=OUTPUT,
        flags="-o, --output",
        metavar="PATH",
    )
    partial: bool = option(
        default=False,
        help="approve a run that failed or breaks off, too",
        section=OUTPUT,
    )
    yes: bool = option(
        default=False,
        help="approve all runs without a question, for scripts",
        section=OUTPUT,
    )
    color: Literal["auto", "always", "never"] = color(OUTPUT)


class MatrixOptions(Common):
    """The options of `matrix` itself."""

    globs: tuple[str, ...] = globs()
    config: str | None = config("[tool.runconv.diff]")
    repeat: bool | None = option(
        default=None,
        help="treat the logs of a folder that have one prompt as runs of one case,"
        " whatever their names, or each log as a case of its own",
        section=INPUT,
        is_negatable=True,
    )
    format: Literal["table", "json", "csv", "markdown", "html"] | None = option(
        default=None,
        help="what to write: {choices}; by default, the one for the suffix of PATH,"
        " else table",
        section=REPORT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    output: str | None = report_file()
    full: bool = option(default=False, help="show every row of a table", section=REPORT)
    width: int | None = width()
    color: Literal["auto", "always", "never"] = color()
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    quiet: bool = quiet()


def check_report(text: str) -> None:
    """Raise ValueError for what is not the name of a report and a path."""
    name, _, path = text.partition("=")
    choices = DiffOptions.options()["format"].choices
    if report_name(name) not in choices:
        from convert.wording.nearest import with_nearest

        advice = f"write FORMAT=PATH; choose from {', '.join(choices)}"
        raise ValueError(with_nearest(name, choices, advice))
    if not path:
        raise ValueError(f"write FORMAT=PATH, as in {name}=PATH")


class DiffOptions(Common):
    """The options of `diff` itself."""

    list: Literal["tools", "categories", "rules"] | None = option(
        default=None,
        help="print the names that settings take: {choices}",
        section=HELP,
        metavar="WHAT",
    )

    from_a: str | None = option(
        default=None,
        help="format of A alone",
        section=INPUT,
        metavar="FORMAT",
    )
    from_b: str | None = option(
        default=None,
        help="format of B alone",
        section=INPUT,
        metavar="FORMAT",
    )
    directory_a: str | None = option(
        default=None,
        help="directory in which the runs of A worked, if their log records none, so"
        " that paths in it become relative",
        section=INPUT,
        metavar="PATH",
    )
    directory_b: str | None = option(
        default=None,
        help="the same for B",
        section=INPUT,
        metavar="PATH",
    )
    goldens: tuple[str, ...] = option(
        default=(),
        help="another golden that B may match in place of A; may be given several"
        " times; A.2.json beside A.json needs no option",
        section=INPUT,
        flags="--or",
        metavar="PATH",
    )
    globs: tuple[str, ...] = globs()
    config: str | None = config("[tool.runconv.diff]")
    format: Literal[
        "table", "unified", "json", "markdown", "html", "junit", "github", "gitlab"
    ] = option(
        default="table",
        help="what to print: {choices}; by default, the one for the suffix of PATH,"
        " else table",
        section=REPORT,
        metavar="FORMAT",
        as_choice=report_name,
    )
    output: str | None = report_file()
    reports: tuple[str, ...] = option(
        default=(),
        help="write one more report, as in junit=out.xml; may be given several times",
        section=REPORT,
        flags="--report",
        metavar="FORMAT=PATH",
        check=check_report,
    )
    name_a: str | None = option(
        default=None,
        help="name of A in the report; by default, its path",
        section=REPORT,
        metavar="NAME",
    )
    name_b: str | None = option(
        default=None,
        help="name of B in the report; by default, its path",
        section=REPORT,
        metavar="NAME",
    )
    full: bool = option(
        default=False,
        help="show every row, finding and change, the changes uncut",
        section=REPORT,
    )
    width: int | None = width()
    name: str = option(
        default="default",
        help="name by which a script finds the comment that --format markdown makes",
        section=REPORT,
        metavar="NAME",
    )
    color: Literal["auto", "always", "never"] = color()
    verbose: bool = option(
        default=False,
        help="print the whole report in any case, and which values the rules for noise"
        " made equal",
        section=REPORT,
        flags="-v, --verbose",
    )
    engine: Literal["local", "dask"] = engine()
    scheduler: str | None = scheduler()
    exit_zero: bool = option(
        default=False, help="exit 0 even if the runs differ", section=MESSAGES
    )
    quiet: bool = option(
        default=False,
        help="print nothing but errors",
        section=MESSAGES,
        flags="-q, --quiet",
    )
