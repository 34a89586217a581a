"""unified: for pipes. The reports of all pairs that differ, as of two folders."""

from __future__ import annotations

from collections.abc import Iterator

from convert.diff.reports.appearance import Look, ReportLine, settings_note, shown
from convert.suite.model import CaseResult, Suite
from convert.suite.reports.words import changes_of, style_of_suite
from convert.suite.sentences import notes, sentence


def report(suite: Suite, look: Look) -> Iterator[ReportLine]:
    """Yield the sentence and the report of each case that differs.

    Nothing is printed if all is the same. A patch viewer ignores the sentence and the
    lines about whole cases.
    """
    if _is_same(suite):
        return
    yield ReportLine(sentence(suite), style_of_suite(suite))
    yield from map(ReportLine, notes(suite))
    if look.settings_source:
        yield ReportLine(settings_note(look))
    for case in suite.cases:
        yield from _case(case, look)


def _is_same(suite: Suite) -> bool:
    """Return True if the runs of all cases are the same."""
    return not suite.is_different and all(case.fate == "same" for case in suite.cases)


def _case(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    match case.fate:
        case "trouble":
            yield ReportLine(f"trouble: {shown(case.headline)}", "changed")
        case "missing":
            yield ReportLine(f"Only in {shown(look.a)}: {shown(case.name)}", "removed")
        case "new":
            yield ReportLine(f"Only in {shown(look.b)}: {shown(case.name)}", "added")
        case _:
            yield from _of_runs(case, look)
            yield from case.blocks.get("unified", ())


def _of_runs(case: CaseResult, look: Look) -> Iterator[ReportLine]:
    """Yield what all runs of a case show; a patch viewer ignores it."""
    if not case.is_repeated or case.standing == "same":
        return
    yield ReportLine(f"{shown(case.name)}: {shown(case.sentence or case.headline)}")
    for line in changes_of(case, look.is_full):
        yield ReportLine(f"  {line}")
