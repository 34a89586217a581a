"""Where the report of a comparison goes, and how it looks there."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from convert.errors import UsageError
from convert.storage import joined

if TYPE_CHECKING:
    from convert.cli.colour import Paint
    from convert.cli.destination import Destination
    from convert.diff.reports.appearance import ReportLine
    from convert.wording.sanitise import ShownAs


class Row(Protocol):
    """A row of a table of reports."""

    @property
    def name(self) -> str:
        """The name that `--format` takes."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of files that stand for it."""

    @property
    def shown_as(self) -> ShownAs:
        """How it is made harmless where a terminal or the log of a runner shows it."""

    @property
    def is_coloured(self) -> bool:
        """Its lines are coloured on a terminal."""


R = TypeVar("R", bound=Row)


def report_for(
    path: str | None,
    named: str | None,
    reports: Mapping[str, R],
    logs: list[str],
    example: str = "diff.html",
) -> R:
    """Return the report that is named, else the one for the suffix of the output.

    The first is the default; `example` is the name of a file for one. Raises UsageError
    for an output that cannot be one.
    """
    from convert.cli.paths import is_folder, named_by_suffix, refuse_input

    default = next(iter(reports))

    if path == "":
        raise UsageError("--output needs a path")
    if path is None or path == "-":
        return reports[named or default]
    if is_folder(path):
        file = joined(path, example)
        raise UsageError(f"{path} is a folder; name a file, as in -o {file}")
    refuse_input(path, path, logs)
    if named is None:
        suffixes = {each: row.suffixes for each, row in reports.items()}
        named = named_by_suffix(path, suffixes, "report", "--format")
    return reports[named or default]


def write_report(
    lines: list[ReportLine],
    row: Row,
    path: str | None,
    color: str,
    option: str = "-o",
) -> None:
    """Write a report to standard output, or into the file that `option` names.

    It is made whole before, so that an error writes no part of it.
    """
    from convert.cli.colour import painter
    from convert.cli.destination import named_output, standard_output
    from convert.cli.display import (
        escape_for_display,
        escape_for_runner,
        escape_for_terminal,
    )
    from convert.cli.signals import exit_on_signals

    if path is None or path == "-":
        if os.isatty(1):
            # A patch has the bytes of the log, for other programs.
            escape = escape_for_terminal(row.shown_as)
            lines = [line._replace(text=escape(line.text)) for line in lines]
        paint = painter(color, not row.is_coloured)
        with standard_output(escape_for_runner(row.shown_as, 1)) as output:
            _write_lines(lines, paint, output)
        return
    exit_on_signals()
    paint = painter(color, not row.is_coloured or color == "auto")
    show_on = functools.partial(escape_for_display, row.shown_as)
    with named_output(
        path, follows_link=True, show_on=show_on, option=option
    ) as output:
        _write_lines(lines, paint, output)
        output.is_wanted = True


def _write_lines(lines: list[ReportLine], paint: Paint, output: Destination) -> None:
    from convert.wording.sanitise import repair_surrogates

    for line in lines:
        output.write(f"{repair_surrogates(paint(line))}\n".encode())
