"""Reports of a comparison: which ones, their places and their colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from convert.cli.commands import NARROWEST
from convert.cli.destination import (
    columns,
    escape_for_runner,
    escape_for_terminal,
    identity_of,
    is_coloured,
    is_folder,
    named_by_suffix,
    refuse_input,
    shown_path,
    standard_output,
)
from convert.cli.messages import say
from convert.cli.report_options import DiffOptions
from convert.diff.reports import LineStyle, ReportLine, ReportOptions
from convert.errors import OutputError, UsageError, system_reason
from convert.options.option_set import report_name
from convert.reports import ReportFormat
from convert.wording.escapes import repair_surrogates
from convert.wording.paths import joined, local_path
from convert.wording.styles_and_columns import Colour, painted, wrapped


def report_for(
    path: str | None,
    named: str | None,
    reports: Mapping[str, ReportFormat],
    logs: list[str],
    example: str = "diff.html",
    option: str = "-o ",
) -> ReportFormat:
    """Return the report that is named, else the one for the suffix of the output.

    The first is the default; `example` is the name of a file for one, which comes after
    `option`. Raises UsageError for an output that cannot be one.
    """
    default = next(iter(reports))
    if path == "":
        raise UsageError("--output needs a path")
    if path is None or path == "-":
        refuse_input(1, "standard output", logs)
        return reports[named or default]
    if is_folder(path):
        raise UsageError(
            f"{path} is a folder; name a file, as in {option}{joined(path, example)}"
        )
    refuse_input(path, path, logs)
    if named is None:
        suffixes = {each: row.suffixes for each, row in reports.items()}
        named = named_by_suffix(path, suffixes, "report", "--format")
    return reports[named or default]


def write_report(
    lines: list[ReportLine],
    row: ReportFormat,
    path: str | None,
    color: str,
    option: str = "-o",
    *,
    may_page: bool = True,
) -> None:
    """Write a report to standard output, or into the file that `option` names.

    It is made whole before, so that an error writes no part of it. At a terminal, a
    pager shows a long one if it `may_page`.
    """
    is_file = path is not None and path != "-"
    is_painted = (
        row.is_coloured and not (is_file and color == "auto") and is_coloured(color, 1)
    )
    is_for_terminal = not is_file and os.isatty(1)
    if path is not None and is_file:
        # Most reports go to standard output.
        from convert.cli.output_files import exit_on_signals, named_output

        exit_on_signals()
        opened = named_output(
            path, follows_link=True, shown_as=row.shown_as, option=option
        )
    else:
        if is_for_terminal:
            lines = _at_terminal(lines, row)
        opened = standard_output(escape_for_runner(row.shown_as, 1))
    view = [_painted(line, is_painted) for line in lines]
    if is_for_terminal and may_page and row.is_coloured:
        from convert.cli.pager import show_in_pager

        if show_in_pager(view):
            return
    with opened as output:
        for each in view:
            output.write(each)
        output.is_wanted = True


def _at_terminal(lines: list[ReportLine], row: ReportFormat) -> list[ReportLine]:
    """Return lines without control characters; those for people end between words."""
    # A patch has the bytes of the log, for other programs.
    escape = escape_for_terminal(row.shown_as)
    lines = [line._replace(text=escape(line.text)) for line in lines]
    if row.name != "table" or not (most := columns()):
        return lines
    return [
        line._replace(text=part)
        for line in lines
        for part in wrapped(line.text, max(most, NARROWEST))
    ]


def _painted(line: ReportLine, is_painted: bool) -> bytes:
    colour = _COLOURS.get(line.style) if is_painted else None
    text = painted(line.text, colour) if colour else line.text
    return f"{repair_surrogates(text)}\n".encode()


# The colours of `git diff`.
_COLOURS: Mapping[LineStyle, Colour] = {
    "removed": "red",
    "added": "green",
    "changed": "yellow",
    "moved": "cyan",
    "head": "bold",
}


class Output(NamedTuple):
    """A report to be written."""

    row: ReportFormat
    path: str | None
    """The file; None for standard output."""

    option: str
    """The option that names the file."""

    @property
    def name(self) -> str:
        """The name of the report."""
        return self.row.name


def outputs_of(
    command: DiffOptions,
    named: str | None,
    reports: Mapping[str, ReportFormat],
    logs: list[str],
) -> list[Output]:
    """Return the reports to write, that on standard output last.

    `named` is the report of `--format`. Raises UsageError for one that cannot be
    written, and for two that would be written to one place.
    """
    asked = list(map(_name_and_path, command.reports))
    printed = [name for name, path in asked if path is None]
    outputs = []
    if not command.quiet or named is not None or command.output is not None:
        path = None if command.output == "-" else command.output
        row = report_for(command.output, named, reports, logs)
        if path is not None or named is not None or not printed:
            outputs.append(Output(row, path, "-o"))
    for name, path in asked:
        if name not in reports:
            raise UsageError(
                f"{name} shows two logs; name a log in each folder, or choose another"
                f" --report: {', '.join(reports)}"
            )
        example = f"diff{''.join(reports[name].suffixes[:1])}"
        row = report_for(path, name, reports, logs, example, f"--report {name}=")
        outputs.append(Output(row, path, "--report"))
    _check_places(outputs)
    summary = summary_path()
    if summary and any(output.name == WITH_SUMMARY for output in outputs):
        refuse_input(summary, f"{summary}, which {VARIABLE} names,", logs)
    return sorted(outputs, key=lambda output: output.path is None)


def paths_of(command: DiffOptions) -> list[str | None]:
    """Return the files that may be written; None for standard output."""
    asked = list(map(_name_and_path, command.reports))
    has_summary = WITH_SUMMARY in (command.format, *(name for name, _ in asked))
    return [
        *(path for _, path in asked),
        None if command.output == "-" else command.output,
        summary_path() if has_summary else None,
    ]


def root_of_repository() -> str:
    """Return the folder that paths in CI start from; "" where none is known."""
    names = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
    return next(filter(None, map(os.environ.get, names)), "")


def _name_and_path(text: str) -> tuple[str, str | None]:
    """Return the name and the path that a value of `--report` holds."""
    name, _, path = text.partition("=")
    return report_name(name), None if path == "-" else local_path(path)


def _check_places(outputs: list[Output]) -> None:
    """Raise UsageError for two reports that would be written to one place."""
    used: set[str | None] = set()
    for output in outputs:
        place = output.path and identity_of(output.path)
        if place in used:
            raise UsageError(
                f"two reports would be written to {output.path or 'standard output'};"
                " name another file for one"
            )
        used.add(place)


# Makes the lines of a report, by its name.
Make = Callable[[str, ReportOptions], Iterable[ReportLine]]


def write_outputs(
    outputs: list[Output], make: Make, options: ReportOptions, command: DiffOptions
) -> None:
    """Make all reports, then write them."""
    made = [
        (output, [*make(output.name, replace(options, path=output.path or ""))])
        for output in outputs
    ]
    for output, lines in made:
        write_report(lines, output.row, output.path, command.color, output.option)
    if any(output.name == WITH_SUMMARY for output in outputs):
        why_not = add_to_summary(_texts(make, options))
        if why_not and not command.quiet:
            say(f"notice: {why_not}", None)


def _texts(make: Make, options: ReportOptions) -> Iterator[str]:
    """Yield the report in Markdown, then shorter ones for little room."""
    for each in (options, replace(options, is_full=False)):
        lines = [line.text for line in make("markdown", each)]
        yield "\n".join(lines)
    # The marker, the verdict and the names of both sides.
    end = lines.index("", 2) if "" in lines[2:] else len(lines)
    rest = "… the rest has no room in the summary of this step, which GitHub limits"
    yield "\n".join([*lines[:end], "", rest])


VARIABLE = "GITHUB_STEP_SUMMARY"
# The report whose readers look at the summary of the step as well.
WITH_SUMMARY = "github"
# GitHub drops the summary of a step that is larger, whoever wrote it.
_MOST_BYTES = 1 << 20


def summary_path() -> str:
    """Return the file that is the summary of the step; "" if there is none."""
    return os.environ.get(VARIABLE, "")


def add_to_summary(texts: Iterable[str]) -> str:
    """Add the first text that there is room for; each is shorter than the one before.

    Return why none is added; "" if one is.
    """
    path = summary_path()
    if not path:
        return f"no summary of the step is written, since {VARIABLE} is not set"
    try:
        # The file keeps the text that other programs wrote in this step.
        with open(path, "ab", buffering=0) as file:
            before = "" if _ends_in_line(path) else "\n"
            room = _MOST_BYTES - os.fstat(file.fileno()).st_size
            for text in texts:
                # The blank line ends a block of HTML before the text of others.
                content = f"{before}{repair_surrogates(text)}\n\n".encode()
                if len(content) <= room:
                    file.write(content)
                    return ""
    except OSError as error:
        raise OutputError(
            f"cannot write {shown_path(path)}: {system_reason(error)}; check {VARIABLE}"
        ) from error
    return "no report is in the summary of the step, which has 1 MiB already"


def _ends_in_line(path: str) -> bool:
    """Return True if a file is empty or ends in a line feed; a pipe always does."""
    # A file without permission to read may be writable.
    if os.path.isfile(path) and os.access(path, os.R_OK):
        with open(path, "rb") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
    return True
