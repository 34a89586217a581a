"""The page of two logs: its content, and the lines of its HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from types import SimpleNamespace

from convert.diff.alignment.rows import comparisons
from convert.diff.brief import brief_of
from convert.diff.comparison import Comparison, Finding, RunComparison
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.brief_lines import brief_lines
from convert.diff.reports.finding_lines import few, lost_run
from convert.diff.reports.marks_and_labels import (
    APPROXIMATE,
    NO_STATE,
    agents_in_words,
    arrow,
    short_names,
)
from convert.diff.reports.summary import (
    by_subject,
    fragments,
    placed,
    rules,
    unrecorded,
    used_tokens_in_words,
)
from convert.diff.reports.verdict import (
    BETTER_PASSES,
    how_severe,
    reported,
    same_line,
    verdict,
)
from convert.facts.figures import unlike_tokens
from convert.facts.run_reasons import reason_in_words
from convert.facts.verdict import Tone, Verdict, title_of
from convert.model.run import Run, dollars, fractions_of
from convert.pages.bands import pair_picture
from convert.pages.comparison_calls import filters_of, places_of, rows_of
from convert.pages.comparison_changes import (
    MOST_FILES,
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
from convert.pages.entries import first_and_rest
from convert.pages.environment import stylesheet
from convert.pages.timeline_svg import log_environment
from convert.wording.numbers import count, duration, in_words


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the page of a comparison; it shows logs that are the same, too."""
    template = log_environment().get_template("pages/templates/comparison.html.j2")
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
    """Return the content of the page on each pair, and a line on omitted details."""
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
    details: dict[int, list[SimpleNamespace]],
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
        brief=brief_lines(only, options),
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
    """Yield notes on parts that were not compared, or only in part."""
    if run.agents:
        yield f"{agents_in_words(run.agents)}{by_subject(run)}."
        if missing := unrecorded(run.agents):
            yield f"Not recorded: {missing}."
    for line in placed(run.directories):
        yield f"Paths {line}."
    if run.unknown_parts:
        missing = in_words(sorted(run.unknown_parts))
        yield f"Not compared: {missing}, which one of the logs does not record."
    if any(run.fragments):
        yield f"Edits: {fragments(run)}."
    if run.is_approximate:
        yield f"The comparison is {APPROXIMATE}."


def _divergence(run: RunComparison, prefix: str) -> tuple[str, str]:
    """Return the row of the first divergence, and its number; empty for none."""
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


# The fates of calls, in the order of the sentence.
_FATES = {
    "worse": "ended worse",
    "better": "ended better",
    "otherwise": "ended differently",
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved": "moved",
}


def verdict_on(compared: Comparison) -> Verdict:
    """Return the verdict; it is bad if the candidate is worse."""
    word = verdict(compared)
    if word == "same":
        line = same_line(compared)
        return Verdict(f"{line[:1].upper()}{line[1:]}.", "good")
    fail_on = f"--fail-on {compared.settings.fail_on}"
    why = fail_on if word == "passes" else how_severe(compared)
    findings = [each for each in reported(compared, ReportOptions()) if not each.waived]
    calls = _calls(findings, _moved(compared))
    reasons = ", ".join([*_ends(findings), *calls, *_others(findings)])
    tone: Tone = "bad" if brief_of(compared).word == "worse" else "warning"
    sentence = f"{word.capitalize()} ({why}): {reasons}."
    if word == "different" and compared.is_better:
        sentence += f" {BETTER_PASSES}."
    return Verdict(sentence, tone)


def _fate_of(finding: Finding) -> str:
    """Return the fate of a call; empty for a finding of another kind."""
    if finding.comparison is None:
        return ""
    if finding.category == "outcome":
        return finding.comparison.fate
    is_changed = finding.category in ("args", "tool", "output")
    return "changed" if is_changed else finding.category


def _ends(findings: list[Finding]) -> Iterator[str]:
    """Yield the ends of runs that differ, and the number of runs without a partner."""
    states = [finding for finding in findings if finding.category == "status"]
    if len(states) == 1:
        was, now = (few(state or NO_STATE) for state in (states[0].from_, states[0].to))
        yield f"the run ended with {now} instead of {was}"
    elif states:
        yield f"{count(len(states), 'run')} ended differently"
    if lost := sum(finding.category == "runs" for finding in findings):
        yield f"{count(lost, 'run')} only in one log"


def _moved(compared: Comparison) -> int:
    """Return the number of calls that moved, without those that an option lets pass.

    A call that moves past a check is reported only as a check, but counts as moved.
    """
    moved = {
        id(pair)
        for run in compared.runs
        for pair, _ in (comparisons(run.rows) if run.level == "calls" else ())
        if pair.is_moved
    }
    waived = [each for each in compared.findings if each.waived]
    return len(moved) - sum(each.category == "moved" for each in waived)


def _calls(findings: list[Finding], moved: int) -> Iterator[str]:
    """Yield the fates of calls; the first number has the noun."""
    calls = {(_fate_of(each), id(each.comparison)) for each in findings}
    ended = {call for fate, call in calls if fate in ("worse", "better", "otherwise")}
    fates = Counter(
        fate for fate, call in calls if not (fate == "changed" and call in ended)
    )
    fates["moved"] = moved
    failed = sum(each.is_new_failure for each in findings)
    notes = {"added": f" ({failed:,} failed)" if failed else ""}
    named = [(fates[fate], words) for fate, words in _FATES.items() if fates[fate]]
    for place, (number, words) in enumerate(named):
        total = f"{number:,}" if place else count(number, "call")
        yield f"{total} {words}{notes.get(words, '')}"


def _others(findings: list[Finding]) -> Iterator[str]:
    """Yield the other differences: of checks, files, answers and whole runs."""
    checks = [each for each in findings if each.category == "verification"]
    lost = sum(not check.better for check in checks)
    total: Counter[str] = Counter(each.category for each in findings)
    limits = total["duration"] + total["usage"] + total["calls"] + total["errors"]
    for number, one, several in (
        (lost, "1 check lost", "{:,} checks lost"),
        (len(checks) - lost, "1 check gained", "{:,} checks gained"),
        (total["files"], "1 file differs", "{:,} files differ"),
        (total["text"], "the answer differs", "{:,} answers differ"),
        (total["tests"], "1 command ran other tests", "{:,} commands ran other tests"),
        (
            total["claim"],
            "an answer contradicts its tests",
            "{:,} answers contradict their tests",
        ),
        (total["level"], "one log shows no run", ""),
        (limits, "1 limit exceeded", "{:,} limits exceeded"),
        # These count for nothing unless --fail-on says otherwise.
        (total["narration"], "the narration differs", ""),
        (total["model"], "the model differs", ""),
        (total["prompt"], "the prompt differs", ""),
        (total["parallelism"], "the parallel calls differ", ""),
    ):
        if number:
            yield several.format(number) if number > 1 and several else one


_NOT_RECORDED = "–"


def facts_of(
    run: RunComparison, options: ReportOptions, unresolved: str
) -> list[SimpleNamespace]:
    """Return the facts that a log records, as rows of a table.

    `unresolved` is the id of the list of unresolved failures; empty without one.
    """
    a, b = run.figures
    sides = (run.a, run.b)
    # A plain text records its end only if it is a failure.
    is_known = "status" not in run.not_compared or any(run.states)
    states = [(state or NO_STATE) if is_known else "" for state in run.states]
    lengths = [side.length if side else None for side in sides]
    facts = [
        _fact("log", *short_names(options)),
        *([_words("agent", *run.agents.spelled)] if run.agents else []),
        _words("model", *(side.run.model if side else "" for side in sides)),
        _words("ended", *states),
        _words("reason", *(_reason(side.run) if side else "" for side in sides)),
        _numbers("took", lengths, duration, _ratio),
        _numbers("calls", (a.calls, b.calls)),
        _numbers("failed", (a.failed, b.failed)),
        _numbers("unresolved", (a.unresolved, b.unresolved), anchor=unresolved),
        *_tokens(run),
        _cost(a.cost_usd, b.cost_usd),
    ]
    if run.level == "calls":
        files = [(file.a is not None, file.b is not None) for file in run.files]
        changed = (sum(a for a, _ in files), sum(b for _, b in files))
        facts.append(_numbers("files changed", changed))
    return [fact for fact in facts if {fact.a, fact.b} != {_NOT_RECORDED}]


def _fact(
    name: str,
    a: str,
    b: str,
    change: str = "",
    shares: tuple[float, float] | None = None,
    anchor: str = "",
) -> SimpleNamespace:
    """Return a row of the table.

    `shares` are both values in per cent of the larger one; `anchor` is the id of the
    list that the row counts.
    """
    return SimpleNamespace(
        name=name, a=a, b=b, change=change, shares=shares, anchor=anchor
    )


def _reason(run: Run) -> str:
    """Return why a run ended without success, with the kind of the reason."""
    return ": ".join(filter(None, (run.reason_kind, reason_in_words(run))))


def _tokens(run: RunComparison) -> Iterator[SimpleNamespace]:
    """Yield the tokens; of two agents also with those that came from a cache."""
    a, b = run.figures
    used = _numbers("tokens", (a.used_tokens, b.used_tokens), change=_ratio)
    if unlike_tokens(a, b) and used.change != "same":
        # The two figures are not of the same kind.
        used.change = ""
    if any(each.tokens and each.tokens.is_least for each in (a, b)):
        used.a, used.b = (used_tokens_in_words(n) or _NOT_RECORDED for n in (a, b))
        used.shares = None
    yield used
    if run.agents and a.all_tokens is not None and b.all_tokens is not None:
        name = "tokens with the cache"
        yield _numbers(name, (a.all_tokens, b.all_tokens), change=_ratio)


def _cost(a: Decimal | None, b: Decimal | None) -> SimpleNamespace:
    fractions = [None if cost is None else fractions_of(cost) for cost in (a, b)]
    fact = _numbers("cost", fractions, str, _ratio)
    fact.a, fact.b = (_NOT_RECORDED if n is None else dollars(n) for n in (a, b))
    return fact


def _words(name: str, a: str, b: str) -> SimpleNamespace:
    one, other = (few(words) or _NOT_RECORDED for words in (a, b))
    return _fact(name, one, other, "same" if one == other else "")


def _numbers(
    name: str,
    sides: Iterable[int | None],
    show: Callable[[int], str] = "{:,}".format,
    change: Callable[[int, int], str] | None = None,
    anchor: str = "",
) -> SimpleNamespace:
    a, b = sides
    one, other = (_NOT_RECORDED if n is None else show(n) for n in (a, b))
    fact = _fact(name, one, other, anchor=anchor)
    if a is not None and b is not None:
        largest = max(a, b) or 1
        fact.shares = (100 * a / largest, 100 * b / largest)
        fact.change = "same" if one == other else (change or _difference)(a, b)
    return fact


def _ratio(a: int, b: int) -> str:
    if not a:
        return ""
    ratio = b / a
    return f"×{ratio:,.0f}" if ratio >= 100 else f"×{ratio:.2f}"


def _difference(a: int, b: int) -> str:
    return f"+{b - a:,}" if b > a else f"−{a - b:,}"
