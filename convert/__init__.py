"""Read, convert and compare the logs of coding agents.

    import convert

    for run in convert.read_runs("run.ndjson"):
        print(run.state, len(run.calls), run.answer)

    with open("run.md", "wb") as file:
        file.writelines(convert.convert("run.ndjson", to="markdown"))

    comparison = convert.compare("old.ndjson", "new.ndjson")
    print(comparison.is_different, comparison.severity)
    print(convert.report(comparison), end="")

A log is a path, an open binary file, bytes, or an iterable of pieces of bytes. A `str`
is always a path, and `bytes` are always the content. Nothing here prints or exits.
A value that an option cannot have raises UsageError, and a log that cannot be read
InputError; both are a RunconvError. An argument of a wrong type raises TypeError.

How it is built: bytes -> lines -> events -> a fold (run, transcript, trajectory,
figures, rows) -> a writer or a report -> bytes. Each part imports those below it only.

For callers in Python, with this module:

stats           figures of many runs; suite: versions compared, tables: rows of runs,
                testing: an assertion for tests; findings_table: the table `findings`

Four wings, which add commands, formats, reports and stores to tables of the core:

suites          folders of runs to a verdict on versions; goldens, CI, pytest
agents          formats of other agents than Cursor
runner          an agent that is started, and whose run always ends
scale           many logs: engines, URLs, figures, rows

The core, which knows no wing:

cli             commands: they open, write, print and exit
show            a run in the terminal
pages           HTML, and the summary of a run in Markdown
diff            two runs to findings, findings to reports
write           a transcript in Markdown, a patch, an approved run
pipeline        from a log through its reader to a writer
marked_runs     the runs of a log that `runconv run` has written
formats         the table of formats
cursor          the formats of Cursor's agent
transcript      a run as pieces for people, without a notation
redact          secrets in text
facts           figures, recoveries, changed files: folded once for all that show them
tools           the meaning of a tool call, one row a kind
source          bytes to lines, and the format that they are in
options         every option, stated once
model           events, the run, and the parts of a log that a writer asks for
reports         the tables and the formats of reports, for a terminal and Markdown
wording         text that knows nothing of logs
errors          errors and warnings; version: the number of the version
registry        names that load their module: of packages, and of rows that wings add

Absent on purpose: a second path for live logs; a dictionary for each line; comparisons
that print, and reports that compare; output and exits outside the commands; handlers
that hide a bug; slow libraries at the start; a wing that knows another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from convert.errors import (
    InputError,
    NoResultError,
    RunconvError,
    UsageError,
    Warn,
    ignore,
)
from convert.registry import exports
from convert.version import __version__ as __version__

if TYPE_CHECKING:
    from convert.diff.comparison import Comparison
    from convert.model.events import Event, ToolCall
    from convert.model.run import Run
    from convert.options.conversion import Options, Reading
    from convert.options.settings import Settings
    from convert.pipeline import Log

__all__ = [
    "Comparison",
    "Event",
    "InputError",
    "NoResultError",
    "Options",
    "Reading",
    "Run",
    "RunconvError",
    "Settings",
    "ToolCall",
    "UsageError",
    "compare",
    "convert",
    "read",
    "read_runs",
    "report",
]

# Imported when they are asked for: the command starts without them.
__getattr__ = exports(
    __name__,
    {
        "diff": "Comparison",
        "model.events": "Event ToolCall",
        "model.run": "Run",
        "options": "Options Reading",
        "options.settings": "Settings",
    },
)


def __dir__() -> list[str]:
    return sorted([*__all__, *filter(lambda name: name.startswith("__"), globals())])


def read(
    log: Log,
    format: str = "auto",
    warn: Warn | None = None,
    reading: Reading | None = None,
) -> Iterator[Event]:
    """Yield the events of a log as they arrive.

    `format` is that of the log, by its name in `runconv formats`. `warn` is called with
    the number of a line (None for the log as a whole), the reason of a warning and the
    action that was taken. `reading` holds limits, and `redact` for secrets.
    Raises InputError for anything but a log.
    """
    from convert.model.events import EVERYTHING
    from convert.options.conversion import Reading
    from convert.pipeline import events_of

    return events_of(
        log, format, EVERYTHING, Reading.or_default(reading), warn or ignore
    )


def read_runs(
    log: Log,
    format: str = "auto",
    warn: Warn | None = None,
    reading: Reading | None = None,
) -> Iterator[Run]:
    """Yield the runs of a log, each when it ends; the arguments are those of `read`."""
    from convert.model.run import collect

    return collect(read(log, format, warn, reading))


def convert(
    log: Log,
    to: str = "text",
    *,
    format: str = "auto",
    run: int | None = None,
    warn: Warn | None = None,
    reading: Reading | None = None,
    options: Options | None = None,
    **changes: Any,
) -> Iterator[bytes]:
    """Convert a log to the format `to`, and yield pieces as their events arrive.

    `run` picks the N-th run, from the end if negative. The fields of `Options` can be
    given in `options`, or by name: `convert(log, detail=True)`. The other arguments are
    those of `read`. Raises InputError for anything but a log, and NoResultError for a
    run without the json object that is asked for.
    """
    from convert.options.conversion import Options, Reading
    from convert.pipeline import Conversion, convert_log

    _check_run(run)
    if not isinstance(to, str):
        raise TypeError(f"to is the name of a format, not {type(to).__name__}")
    reading = Reading.or_default(reading)
    options = Options.or_default(options).replace(**changes)
    conversion = Conversion(format, to, run, reading, options)
    return convert_log(log, conversion, warn or ignore)


def compare(
    a: Log | Run,
    b: Log | Run,
    format: str = "auto",
    *,
    run: int | None = None,
    settings: Settings | None = None,
    directories: tuple[str, str] = ("", ""),
    reading: Reading | None = None,
    warn: Warn | None = None,
) -> Comparison:
    """Compare the runs of two logs, first with first; `a` is the baseline.

    Either may also be a run from `read_runs`. `run` picks the N-th run of each log,
    from the end if negative. `directories` are those in which the runs of `a` and `b`
    worked, where they record none. The other arguments are those of `read`. Raises
    InputError for anything but a log, and for a log without the parts that
    `settings.require` names.
    """
    from convert import diff

    _check_run(run)
    return diff.compare(
        a,
        b,
        format,
        run=run,
        settings=settings,
        directories=_pair(directories, "directories"),
        reading=reading,
        warn=warn or ignore,
    )


def report(
    comparison: Comparison,
    format: str = "table",
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    full: bool = False,
    verbose: bool = False,
    width: int = 100,
    name: str = "default",
) -> str:
    """Return a comparison as text: a table, unified, json, markdown, html or for CI.

    `names` are those of the two logs, and their paths in reports for CI, which are
    junit, github and gitlab. The other arguments are the options of
    `runconv diff`. Raises UsageError for a value that one of them cannot have.
    """
    from convert.cli.report_options import DiffOptions
    from convert.diff import reports
    from convert.diff.comparison import Comparison
    from convert.diff.reports import ReportOptions
    from convert.wording.escapes import repair_surrogates

    if not isinstance(comparison, Comparison):
        kind = type(comparison).__name__
        raise TypeError(f"report takes a result of compare, not {kind}")
    given = {"format": format, "full": full, "verbose": verbose, "width": width}
    for option, value in {**given, "name": name}.items():
        DiffOptions.options()[option].checked(value, option)
    a, b = _pair(names, "names")
    options = ReportOptions(
        *(a, b),
        is_full=full,
        is_verbose=verbose,
        width=width,
        name=name,
        logs=(a, b),
    )
    lines = reports.report(format)(comparison, options)
    return "".join(f"{repair_surrogates(line.text)}\n" for line in lines)


def _pair(names: Any, argument: str) -> tuple[str, str]:
    """Return the texts of both logs; raises UsageError for anything but two."""
    from convert.options.option_set import invalid_value

    match names:
        case (str(a), str(b)):
            return a, b
    raise invalid_value(argument, names, "write two texts, for baseline and candidate")


def _check_run(run: int | None) -> None:
    """Raise UsageError for anything but the number of a run."""
    from convert.options.option_set import check_run, invalid_value

    if run is not None:
        try:
            check_run(run)
        except ValueError as error:
            raise invalid_value("run", run, str(error)) from error
