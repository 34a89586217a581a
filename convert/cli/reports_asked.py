"""The reports that a command line of `diff` asks for: one, and those of `--report`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from convert.cli.report_output import Row, report_for
from convert.cli.step_summary import VARIABLE, WITH_SUMMARY, summary_path
from convert.errors import UsageError
from convert.storage import joined, local_path

if TYPE_CHECKING:
    from convert.cli.report_options import DiffOptions

R = TypeVar("R", bound=Row)

# Where CI keeps the root of the repository that its paths start from.
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


class Output(NamedTuple, Generic[R]):
    """A report to be written."""

    row: R
    path: str | None
    """The file; None for standard output."""

    option: str
    """The option that names the file."""

    @property
    def name(self) -> str:
        """The name of the report."""
        return self.row.name


def outputs_of(
    command: DiffOptions, named: str | None, reports: Mapping[str, R], logs: list[str]
) -> list[Output[R]]:
    """Return the reports to write, that on standard output last.

    `named` is the report of `--format`. Raises UsageError for one that cannot be
    written, and for two that would be written to one place.
    """
    asked = list(map(_named, command.reports))
    printed = [name for name, path in asked if path is None]
    if printed and command.quiet:
        raise UsageError(
            f"--report {printed[0]}=- and --quiet: the latter prints no report;"
            " name a file"
        )
    outputs = []
    if not command.quiet:
        path = None if command.output == "-" else command.output
        row = report_for(command.output, named, reports, logs)
        if path is not None or named is not None or not printed:
            outputs.append(Output(row, path, "-o"))
    for name, path in asked:
        _check(name, path, reports, logs)
        outputs.append(Output(reports[name], path, "--report"))
    _check_places(outputs)
    if any(output.name == WITH_SUMMARY for output in outputs):
        _check_summary(logs)
    return sorted(outputs, key=lambda output: output.path is None)


def paths_of(command: DiffOptions) -> list[str | None]:
    """Return the files that may be written; None for standard output."""
    asked = list(map(_named, command.reports))
    has_summary = WITH_SUMMARY in (command.format, *(name for name, _ in asked))
    return [
        *(path for _, path in asked),
        None if command.output == "-" else command.output,
        summary_path() if has_summary else None,
    ]


def root_of_repository() -> str:
    """Return the folder that paths in CI start from; "" where none is known."""
    named = (os.environ.get(name) for name in _ROOTS)
    return next(filter(None, named), "")


def _named(text: str) -> tuple[str, str | None]:
    """Return the name and the path that a value of `--report` holds."""
    from convert.options.values import report_name

    name, _, path = text.partition("=")
    return report_name(name), None if path == "-" else local_path(path)


def _check(
    name: str, path: str | None, reports: Mapping[str, R], logs: list[str]
) -> None:
    """Raise UsageError for a report or a path that cannot be one.

    A report may be for two logs alone, where folders are compared.
    """
    from convert.cli.paths import is_folder, refuse_input

    if name not in reports:
        raise UsageError(
            f"{name} shows two logs; name a log in each folder, or choose another"
            f" --report: {', '.join(reports)}"
        )
    if path is None:
        return
    if is_folder(path):
        suffix = "".join(reports[name].suffixes[:1])
        file = joined(path, f"diff{suffix}")
        raise UsageError(
            f"{path} is a folder; name a file, as in --report {name}={file}"
        )
    refuse_input(path, path, logs)


def _check_summary(logs: list[str]) -> None:
    """Raise UsageError if the summary of the step is one of the logs."""
    from convert.cli.paths import refuse_input

    if path := summary_path():
        refuse_input(path, f"{path}, which {VARIABLE} names,", logs)


def _check_places(outputs: list[Output[R]]) -> None:
    """Raise UsageError for two reports that would be written to one place."""
    from convert.cli.paths import identity_of

    used: set[str | None] = set()
    for output in outputs:
        place = output.path and identity_of(output.path)
        if place in used:
            where = output.path or "standard output"
            raise UsageError(
                f"two reports would be written to {where}; name another file for one"
            )
        used.add(place)
