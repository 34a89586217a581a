"""github: the worst findings as annotations of a run of GitHub Actions.

Each is a command to the runner on a line of its own, which it takes from the log of
the step. The texts of a log cannot begin a command, or end the one that they are in.
"""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine
from convert.suite.reports.notes import Note, in_numbers, notes, place_in
from convert.suite.reports.words import headline
from convert.suite.suite import Suite
from convert.wording.sanitise import escape_controls, escape_runner_commands

# GitHub shows ten of a kind for each step, and no more than fifty for each job.
_MOST = 10


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield an annotation for each of the worst findings, and the verdict below."""
    found = notes(suite)
    for note in found[:_MOST]:
        yield ReportLine(_annotation(note, look))
    if rest := found[_MOST:]:
        yield ReportLine(f"… {len(rest):,} more without annotation: {in_numbers(rest)}")
    yield ReportLine(headline(suite))


def _annotation(note: Note, look: Look) -> str:
    """Return the command that shows a note, as an error only if it decides."""
    properties = {
        "file": place_in(look.root, note.path) if note.path else "",
        "line": str(note.line or "") if note.path else "",
        "title": f"{note.case or 'all cases'}: {note.check}",
    }
    stated = ",".join(
        f"{name}={_property(value)}" for name, value in properties.items() if value
    )
    return f"::{'error' if note.decides else 'warning'} {stated}::{_data(note.text)}"


def _property(value: str) -> str:
    return _data(escape_controls(value)).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    """Return text as the runner takes it: it ends at a line feed."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escape_runner_commands(text)
