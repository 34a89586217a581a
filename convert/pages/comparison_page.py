"""The page of two logs: its content, and the lines of its HTML."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.diff.comparison import Comparison, RunComparison
from convert.diff.reports.finding_lines import lost_run
from convert.diff.reports.labels import APPROXIMATE, agents_in_words, arrow
from convert.diff.reports.options import Look, ReportLine
from convert.diff.reports.summary import by_subject, fragments, rules, unrecorded
from convert.facts.verdict import Verdict, title_of
from convert.pages.bands import PairPicture, pair_picture
from convert.pages.comparison_calls import Fold, PairRow, filters_of, places_of, rows_of
from convert.pages.comparison_changes import (
    MOST_FILES,
    Answers,
    FileRow,
    Marked,
    answers_of,
    file_notes,
    file_rows,
    marked_details,
)
from convert.pages.comparison_findings import (
    Listed,
    Unresolved,
    critical,
    groups,
    new_failures,
    other_findings,
    severities,
    unresolved_of,
    without_weight,
)
from convert.pages.comparison_summary import Fact, facts_of, verdict_on
from convert.pages.environment import environment, stylesheet
from convert.wording.numbers import in_words


def report(compared: Comparison, look: Look) -> Iterator[ReportLine]:
    """Yield the page of a comparison; it shows logs that are the same, too."""
    template = environment().get_template("pages/templates/comparison.html.j2")
    page = page_of(compared, look)
    sheet = stylesheet("pages/templates/style.css", "pages/templates/comparison.css")
    text = template.render(page=page, title=page.title, sheet=sheet)
    for line in text.removesuffix("\n").split("\n"):
        yield ReportLine(line)


class PairPage(Struct, kw_only=True):
    """The content of the page on a pair of runs."""

    number: int
    prefix: str
    """The beginning of the ids of its parts."""

    verdict: Verdict
    severities: list[tuple[str, str]]
    lost: str
    """Which log lacks the run; empty if both have it."""

    facts: list[Fact]
    notes: list[str]
    """Notes on what was not compared, or not as well as elsewhere."""

    critical: list[list[Listed]]
    failed: list[list[Listed]]
    """The calls that failed and that only the candidate made."""

    besides: list[list[Listed]]
    parts: tuple[str, str]
    """Where the runs part: the id of the row and the number of the call."""

    informs: str
    joined: PairPicture | None
    rows: list[PairRow | Fold]
    filters: list[tuple[str, str, int]]
    file_groups: list[list[FileRow]]
    file_notes: list[str]
    answers: Answers
    unresolved: list[Unresolved]
    """The failures of both runs that no later call recovered."""


class ComparisonPage(Struct, kw_only=True):
    """Everything that the template of a comparison takes."""

    title: str
    is_prompt: bool
    """The title is what both agents were asked for, in Markdown."""

    links: tuple[tuple[str, str], ...]
    """The words and addresses of pages next to it."""

    a: str
    b: str
    verdict: Verdict
    severities: list[tuple[str, str]]
    notes: list[str]
    """Notes on what the rules for noise did, and on where settings are from."""

    left_out: str
    """How many details have no room; empty if all have."""

    pairs: list[PairPage]


def page_of(compared: Comparison, look: Look) -> ComparisonPage:
    """Return what the page says of two logs."""
    title = _title(compared)
    details, left_out = marked_details(compared, look)
    return ComparisonPage(
        title=title or f"{look.a} and {look.b}",
        is_prompt=bool(title),
        links=look.links,
        a=look.a,
        b=look.b,
        verdict=verdict_on(compared),
        severities=severities(compared),
        notes=[" ".join(line.split()) for line in rules(compared, look)],
        left_out=left_out,
        pairs=[_pair(run, compared, look, details) for run in compared.runs],
    )


def _title(compared: Comparison) -> str:
    """Return what both runs of the first pair were asked for; empty if not the same."""
    run = compared.runs[0]
    titles = {title_of(side.run.prompts) if side else "" for side in (run.a, run.b)}
    return titles.pop() if len(titles) == 1 else ""


def _pair(
    run: RunComparison,
    compared: Comparison,
    look: Look,
    details: dict[int, list[Marked]],
) -> PairPage:
    only = compared.only(run)
    prefix = f"r{run.number}-" if len(compared.runs) > 1 else ""
    rows = rows_of(run, look, prefix, details)
    has_both = run.a is not None and run.b is not None
    places = places_of(run, prefix)
    unresolved = unresolved_of(run, places) if has_both else []
    return PairPage(
        number=run.number,
        prefix=prefix,
        verdict=verdict_on(only),
        severities=severities(only),
        lost="" if has_both else lost_run(run),
        facts=facts_of(run, look, f"{prefix}unresolved" if unresolved else ""),
        notes=list(_notes(run)) if has_both else [],
        critical=groups(critical(only, look, prefix)),
        failed=groups(new_failures(run, places, prefix)),
        besides=groups(other_findings(only, look, prefix)),
        parts=_parts(run, prefix),
        informs=without_weight(only),
        joined=pair_picture(run),
        rows=rows,
        filters=filters_of(rows),
        file_groups=groups(list(file_rows(run, look)), MOST_FILES),
        file_notes=list(file_notes(run, look)),
        answers=answers_of(run, look),
        unresolved=unresolved,
    )


def _notes(run: RunComparison) -> Iterator[str]:
    """Yield what was not compared, or not as well as elsewhere."""
    if run.agents:
        yield f"{agents_in_words(run.agents)}{by_subject(run)}."
        if missing := unrecorded(run.agents):
            yield f"Not recorded: {missing}."
    if run.unknown_parts:
        missing = in_words(sorted(run.unknown_parts))
        yield f"Not compared: {missing}, which one of the logs does not record."
    if any(run.fragments):
        yield f"Edits: {fragments(run)}."
    if run.is_approximate:
        yield f"The comparison is {APPROXIMATE}."


def _parts(run: RunComparison, prefix: str) -> tuple[str, str]:
    """Return the row at which the runs part, and its number; empty if they do not."""
    place = run.first_divergence
    if place is None:
        return "", ""
    around = [place.b, *(b for _, b in place.steps)]
    a = place.steps[-1][0] if place.steps else place.a
    if place.line_b is None:
        around[-1] = a
    side = "a" if place.line_b is None else "b"
    anchor = f"{prefix}{side}{'.'.join(map(str, around))}"
    return anchor, arrow(*place.names).replace("->", "→")
