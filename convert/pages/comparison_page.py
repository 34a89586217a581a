"""The page of two logs: its content, and the lines of its HTML."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from convert.diff.comparison import Comparison, RunComparison
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.finding_lines import lost_run
from convert.diff.reports.labels import APPROXIMATE, agents_in_words, arrow
from convert.diff.reports.summary import by_subject, fragments, rules, unrecorded
from convert.facts.verdict import title_of
from convert.pages.bands import pair_picture
from convert.pages.comparison_calls import filters_of, places_of, rows_of
from convert.pages.comparison_changes import (
    MOST_FILES,
    Marked,
    answers_of,
    file_notes,
    file_rows,
    marked_details,
)
from convert.pages.comparison_findings import (
    MOST_LISTED,
    critical,
    new_failures,
    other_findings,
    severities,
    unresolved_of,
    without_weight,
)
from convert.pages.comparison_summary import facts_of, verdict_on
from convert.pages.entries import first_and_rest
from convert.pages.environment import stylesheet
from convert.pages.svg import timeline_environment
from convert.wording.numbers import in_words


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the page of a comparison; it shows logs that are the same, too."""
    template = timeline_environment().get_template("pages/templates/comparison.html.j2")
    title = _title(compared)
    pairs, left_out = pairs_of(compared, options)
    text = template.render(
        title=title or f"{options.a} and {options.b}",
        is_prompt=bool(title),
        links=options.links,
        a=options.a,
        b=options.b,
        verdict=verdict_on(compared),
        severities=severities(compared),
        # The effects of the rules for noise, and the origins of settings.
        notes=[" ".join(line.split()) for line in rules(compared, options)],
        left_out=left_out,
        pairs=pairs,
        sheet=stylesheet("pages/templates/style.css", "pages/templates/comparison.css"),
    )
    for line in text.removesuffix("\n").split("\n"):
        yield ReportLine(line)


def pairs_of(
    compared: Comparison, options: ReportOptions
) -> tuple[list[SimpleNamespace], str]:
    """Return the content of the page on each pair, and how many details lack room."""
    details, left_out = marked_details(compared, options)
    return [_pair(run, compared, options, details) for run in compared.runs], left_out


def _title(compared: Comparison) -> str:
    """Return the request of both runs of the first pair; empty if they differ."""
    run = compared.runs[0]
    titles = {title_of(side.run.prompts) if side else "" for side in (run.a, run.b)}
    return titles.pop() if len(titles) == 1 else ""


def _pair(
    run: RunComparison,
    compared: Comparison,
    options: ReportOptions,
    details: dict[int, list[Marked]],
) -> SimpleNamespace:
    only = compared.only(run)
    prefix = f"r{run.number}-" if len(compared.runs) > 1 else ""
    rows = rows_of(run, options, prefix, details)
    has_both = run.a is not None and run.b is not None
    places = places_of(run, prefix)
    unresolved = unresolved_of(run, places) if has_both else []
    return SimpleNamespace(
        number=run.number,
        prefix=prefix,
        verdict=verdict_on(only),
        severities=severities(only),
        lost="" if has_both else lost_run(run),
        facts=facts_of(run, options, f"{prefix}unresolved" if unresolved else ""),
        notes=list(_notes(run)) if has_both else [],
        critical=first_and_rest(critical(only, options, prefix), MOST_LISTED),
        failed=first_and_rest(new_failures(run, places, prefix), MOST_LISTED),
        others=first_and_rest(other_findings(only, options, prefix), MOST_LISTED),
        divergence=_divergence(run, prefix),
        without_weight=without_weight(only),
        picture=pair_picture(run),
        rows=rows,
        filters=filters_of(rows),
        file_groups=first_and_rest(list(file_rows(run, options)), MOST_FILES),
        file_notes=list(file_notes(run, options)),
        answers=answers_of(run, options),
        unresolved=unresolved,
    )


def _notes(run: RunComparison) -> Iterator[str]:
    """Yield notes on parts that were not compared, or not as well as elsewhere."""
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


def _divergence(run: RunComparison, prefix: str) -> tuple[str, str]:
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
