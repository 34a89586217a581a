"""The verdict on a comparison, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.diff.call_comparison import comparisons
from convert.diff.changes import Finding
from convert.diff.comparison import Comparison
from convert.diff.reports.about import few
from convert.diff.reports.appearance import NO_STATE, Look
from convert.diff.reports.selection import told
from convert.diff.reports.verdict import (
    BETTER_PASSES,
    how_severe,
    is_better,
    same_line,
    verdict,
)
from convert.facts.verdict import Tone, Verdict
from convert.options.settings import Category
from convert.wording.numbers import count

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
    findings = [each for each in told(compared, Look()) if not each.waived]
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
    """Return what became of a call; empty for a finding of another kind."""
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

    One that moves past a check is told as the check alone, and has moved all the same.
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
    """Yield what became of calls; the noun stands with the first number."""
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
