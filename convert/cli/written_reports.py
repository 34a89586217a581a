"""Write the reports of a comparison to where a command line of `diff` wants them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from convert.cli.report_output import write_report
from convert.cli.reports_asked import Output, R
from convert.cli.step_summary import WITH_SUMMARY

if TYPE_CHECKING:
    from convert.cli.report_options import DiffOptions
    from convert.diff.reports.appearance import Look, ReportLine

# Makes the lines of a report, by its name.
Make = Callable[[str, "Look"], Iterable["ReportLine"]]

_MARKDOWN = "markdown"
_NO_ROOM = "… the rest has no room in the summary of this step, which GitHub limits"


def write_outputs(
    outputs: list[Output[R]], make: Make, look: Look, command: DiffOptions
) -> None:
    """Write reports, all of which are made before the first is written."""
    from msgspec.structs import replace

    made = [
        (output, [*make(output.name, replace(look, path=output.path or ""))])
        for output in outputs
    ]
    summary = None
    if any(output.name == WITH_SUMMARY for output in outputs):
        summary = _texts(make, look)
    for output, lines in made:
        write_report(lines, output.row, output.path, command.color, output.option)
    if summary is not None:
        _add(summary, command.quiet)


def _texts(make: Make, look: Look) -> Iterator[str]:
    """Yield the report in Markdown, then what is left of it where room is short."""
    from msgspec.structs import replace

    yield _text(make(_MARKDOWN, look))
    shortened = [*make(_MARKDOWN, replace(look, is_full=False))]
    yield _text(shortened)
    lines = [line.text for line in shortened]
    # The marker, the verdict and the names of both sides.
    end = lines.index("", 2) if "" in lines[2:] else len(lines)
    yield "\n".join([*lines[:end], "", _NO_ROOM])


def _text(lines: Iterable[ReportLine]) -> str:
    return "\n".join(line.text for line in lines)


def _add(texts: Iterator[str], is_quiet: bool) -> None:
    """Add a report to the summary of the step, or print why there is none."""
    from convert.cli.messages import say
    from convert.cli.step_summary import add_to_summary

    why_not = add_to_summary(texts)
    if why_not and not is_quiet:
        say(f"notice: {why_not}", None)
