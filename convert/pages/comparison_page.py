"""The page of two logs: its content, and the lines of its HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import SimpleNamespace

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.alignment.rows import comparisons
from convert.diff.comparison import Comparison, Finding, RunComparison
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.finding_lines import few, lost_run
from convert.diff.reports.labels import APPROXIMATE, NO_STATE, agents_in_words, arrow
from convert.diff.reports.summary import (
    by_subject,
    fragments,
    rules,
    unrecorded,
    used_tokens_in_words,
)
from convert.diff.reports.verdict import (
    BETTER_PASSES,
    how_severe,
    is_better,
    same_line,
    told,
    verdict,
)
from convert.facts.figures import unlike_tokens
from convert.facts.run_reasons import reason_in_words
from convert.facts.verdict import Tone, Verdict, title_of
from convert.model.run import dollars, fractions_of
from convert.options.settings import Category
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
from convert.pages.entries import first_and_rest
from convert.pages.environment import stylesheet
from convert.pages.svg import timeline_environment
from convert.wording.numbers import count, duration, in_words


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


# The fates of calls, in the order of the sentence.
_FATES = {
    "worse": "ended worse",
    "better": "ended better",
    "otherwise": "ended otherwise",
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved": "moved",
}


_CHANGED = ("args", "tool", "output")


_LIMITS: tuple[Category, ...] = ("duration", "usage", "calls", "errors")


# Differences that count for nothing unless --fail-on says otherwise.
_INFORMS: dict[Category, str] = {
    "narration": "the narration",
    "model": "the model",
    "prompt": "the prompt",
    "parallelism": "what ran at once",
}


def verdict_on(compared: Comparison) -> Verdict:
    """Return the verdict; it is bad where something ended worse than before."""
    word = verdict(compared)
    if word == "same":
        line = same_line(compared)
        return Verdict(f"{line[:1].upper()}{line[1:]}.", "good")
    fail_on = f"--fail-on {compared.settings.fail_on}"
    why = fail_on if word == "passes" else how_severe(compared)
    findings = [each for each in told(compared, ReportOptions()) if not each.waived]
    calls = _calls(findings, _moved(compared))
    reasons = ", ".join([*_ends(findings), *calls, *_others(findings)])
    tone: Tone = "bad" if any(map(_is_worse, findings)) else "warning"
    sentence = f"{word.capitalize()} ({why}): {reasons}."
    if word == "different" and is_better(compared):
        sentence += f" {BETTER_PASSES}."
    return Verdict(sentence, tone)


def _is_worse(finding: Finding) -> bool:
    """Return True for a run, a call or tests that succeeded in the baseline alone."""
    if finding.category == "status":
        return finding.from_ == "success"
    if finding.category == "tests":
        return finding.severity == "major" and not finding.better
    return _fate_of(finding) == "worse"


def _fate_of(finding: Finding) -> str:
    """Return the fate of a call; empty for a finding of another kind."""
    if finding.comparison is None:
        return ""
    if finding.category == "outcome":
        return finding.comparison.fate
    is_changed = finding.category in _CHANGED
    return "changed" if is_changed else finding.category


def _ends(findings: list[Finding]) -> Iterator[str]:
    """Yield how runs ended otherwise, and how many have no partner."""
    states = [finding for finding in findings if finding.category == "status"]
    if len(states) == 1:
        was, now = (few(state or NO_STATE) for state in (states[0].from_, states[0].to))
        yield f"the run ended with {now} instead of {was}"
    elif states:
        yield f"{count(len(states), 'run')} ended otherwise"
    lost = sum(finding.category == "runs" for finding in findings)
    if lost:
        yield f"{count(lost, 'run')} in one log alone"


def _moved(compared: Comparison) -> int:
    """Return how many calls moved, without those that an option lets pass.

    One that moves past a check is reported as the check alone, but has moved as well.
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
    """Yield the fates of calls; only the first number has the noun."""
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
    """Yield the differences that are not of single calls."""
    checks = [each for each in findings if each.category == "verification"]
    lost = sum(not check.better for check in checks)
    for number, what in ((lost, "lost"), (len(checks) - lost, "gained")):
        if number:
            yield f"{count(number, 'check')} {what}"
    categories: Counter[Category] = Counter(each.category for each in findings)
    if files := categories["files"]:
        yield f"{count(files, 'file')} {'differs' if files == 1 else 'differ'}"
    if answers := categories["text"]:
        yield "the answer differs" if answers == 1 else f"{answers:,} answers differ"
    if commands := categories["tests"]:
        yield f"{count(commands, 'command')} ran other tests"
    if categories["level"]:
        yield "one log shows no run"
    if limits := sum(categories[name] for name in _LIMITS):
        yield f"{count(limits, 'limit')} exceeded"
    for name, words in _INFORMS.items():
        if categories[name]:
            yield f"{words} differs"


_NOT_RECORDED = "–"


class Fact(Struct, frozen=True):
    """A row of the table."""

    name: str
    a: str
    b: str
    change: str
    """The change from A to B; empty if it says nothing."""

    shares: tuple[float, float] | None = None
    """Both values in per cent of the larger one; None without two numbers."""

    anchor: str = ""
    """The id of the list that this counts; empty without one."""


def facts_of(run: RunComparison, options: ReportOptions, unresolved: str) -> list[Fact]:
    """Return the facts that a side records.

    `unresolved` is the id of the list of unresolved failures; empty without one.
    """
    a, b = run.figures
    changed = _changed_files(run)
    lengths = [side.length if side else None for side in (run.a, run.b)]
    facts = [
        Fact("log", options.a, options.b, ""),
        *([_row_of_words("agent", *run.agents.spelled)] if run.agents else []),
        _row_of_words(
            "model", *(side.run.model if side else "" for side in (run.a, run.b))
        ),
        _row_of_words("ended", *_states_in_words(run)),
        _row_of_words("reason", *_reasons_in_words(run)),
        _row_of_numbers("took", lengths[0], lengths[1], duration, _ratio),
        _row_of_numbers("calls", a.calls, b.calls, "{:,}".format, _difference),
        _row_of_numbers("failed", a.failed, b.failed, "{:,}".format, _difference),
        replace(
            _row_of_numbers(
                "unresolved", a.unresolved, b.unresolved, "{:,}".format, _difference
            ),
            anchor=unresolved,
        ),
        *_tokens(run),
        _cost(a.cost_usd, b.cost_usd),
        _row_of_numbers("files changed", *changed, "{:,}".format, _difference),
    ]
    return [fact for fact in facts if {fact.a, fact.b} != {_NOT_RECORDED}]


def _tokens(run: RunComparison) -> list[Fact]:
    """Return the tokens; of two agents also with those that came from a cache."""
    a, b = run.figures
    used = _row_of_numbers(
        "tokens", a.used_tokens, b.used_tokens, "{:,}".format, _ratio
    )
    if unlike_tokens(a, b) and used.change != "same":
        # The two figures are not of the same kind.
        used = replace(used, change="")
    if any(each.tokens and each.tokens.is_least for each in (a, b)):
        words = [used_tokens_in_words(each) or _NOT_RECORDED for each in (a, b)]
        used = replace(used, a=words[0], b=words[1], shares=None)
    if run.agents is None or a.all_tokens is None or b.all_tokens is None:
        return [used]
    name = "tokens with the cache"
    return [
        used,
        _row_of_numbers(name, a.all_tokens, b.all_tokens, "{:,}".format, _ratio),
    ]


def _cost(a: Decimal | None, b: Decimal | None) -> Fact:
    one, other = (_NOT_RECORDED if cost is None else dollars(cost) for cost in (a, b))
    if a is None or b is None:
        return Fact("cost", one, other, "")
    fact = _row_of_numbers("cost", fractions_of(a), fractions_of(b), str, _ratio)
    return replace(fact, a=one, b=other)


def _states_in_words(run: RunComparison) -> tuple[str, str]:
    """Return how both runs ended; a text says nothing of it unless it is a failure."""
    if "status" in run.not_compared and not any(run.states):
        return "", ""
    a, b = (state or NO_STATE for state in run.states)
    return a, b


def _reasons_in_words(run: RunComparison) -> tuple[str, str]:
    """Return why both runs ended without success, with the kind of the reason."""
    a, b = (side.run if side else None for side in (run.a, run.b))
    one, other = (
        ": ".join(filter(None, (each.reason_kind, reason_in_words(each))))
        if each
        else ""
        for each in (a, b)
    )
    return one, other


def _changed_files(run: RunComparison) -> tuple[int | None, int | None]:
    if run.level != "calls":
        return None, None
    return sum(file.a is not None for file in run.files), sum(
        file.b is not None for file in run.files
    )


def _row_of_words(name: str, a: str, b: str) -> Fact:
    one, other = (few(words) or _NOT_RECORDED for words in (a, b))
    return Fact(name, one, other, "same" if one == other else "")


def _row_of_numbers(
    name: str,
    a: int | None,
    b: int | None,
    show: Callable[[int], str],
    change: Callable[[int, int], str],
) -> Fact:
    one, other = (_NOT_RECORDED if n is None else show(n) for n in (a, b))
    if a is None or b is None:
        return Fact(name, one, other, "")
    largest = max(a, b)
    shares = (100 * a / largest, 100 * b / largest) if largest else (0.0, 0.0)
    return Fact(name, one, other, "same" if one == other else change(a, b), shares)


def _ratio(a: int, b: int) -> str:
    if not a:
        return ""
    ratio = b / a
    return f"×{ratio:,.0f}" if ratio >= 100 else f"×{ratio:.2f}"


def _difference(a: int, b: int) -> str:
    return f"+{b - a:,}" if b > a else f"−{a - b:,}"
