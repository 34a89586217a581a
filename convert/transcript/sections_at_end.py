"""The sections at the end of a run: what went wrong, and the result."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.facts.figures import RunFigures, file_changes_in
from convert.model.events import End
from convert.transcript.clips import whole
from convert.transcript.fact_list import are_few, facts_at_end
from convert.transcript.incidents import WhatWentWrong
from convert.transcript.pieces import (
    Fact,
    FactList,
    FileChanges,
    Heading,
    Piece,
    Text,
)
from convert.transcript.section_builder import ours


class Ended(Struct):
    """The facts that the sections at the end of a run tell."""

    end: End
    """The end itself."""

    went_wrong: WhatWentWrong
    """The incidents of the run, and its unfinished calls."""

    figures: RunFigures
    """The figures of its calls, and what they changed in files."""

    reason: str
    """Why the run failed, if no incident and no recorded result says so."""

    result_text: str
    """The recorded result of a run that failed, unless it has been shown; else ""."""


def sections_at_end(run: Ended) -> Iterator[Piece]:
    """Yield what went wrong, if anything did, and the result."""
    wrong = [*run.went_wrong.incidents(run.end)]
    reasons = (run.reason, run.result_text)
    texts = [Text(whole(reason)) for reason in reasons if reason]
    wrong += texts
    wrong += run.went_wrong.unfinished(run.end, follows=bool(texts))
    if wrong:
        yield from [Heading("What went wrong"), *wrong]
    if result := [*_result(run)]:
        yield from [Heading("Result"), *result]


def _result(run: Ended) -> Iterator[Piece]:
    """Yield the facts and the files."""
    changes = file_changes_in(run.figures.changed_files.net)
    suspects = None if changes else run.figures.changed_files.unnamed.suspects()
    facts = facts_at_end(run.end, run.figures, changes, suspects)
    if words := run.went_wrong.recovered(run.end):
        facts.append(Fact("connection", ours(f"{words}, and recovered"), {}))
    if facts:
        yield FactList(facts)
    if changes and not are_few(changes):
        yield FileChanges(changes)
