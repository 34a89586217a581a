"""The verdict of a comparison in one line, with its reasons."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from convert.diff.changes import Finding
from convert.diff.comparison import Comparison
from convert.diff.reports.appearance import (
    NO_STATE,
    agents_in_words,
    arrow,
    shown,
    times,
)
from convert.diff.reports.file_words import is_recorded, other_commands
from convert.diff.reports.selection import by_severity, in_numbers
from convert.diff.texts import TextComparison
from convert.options.settings import Settings
from convert.wording.numbers import count

Verdict = Literal["same", "passes", "different"]
BETTER_PASSES = "--allow-better lets what is better pass"


def verdict(compared: Comparison) -> Verdict:
    """Return `different`, or `passes` where only `--fail-on` or nothing less decides.

    Runs are `same` if all findings are for information only.
    """
    if compared.is_different:
        return "different"
    return "same" if compared.severity in ("none", "info") else "passes"


def headline(compared: Comparison) -> str:
    """Return the verdict in one line: `different (major): 2 major: args; info: model`.

    For runs that are the same, the line says what was compared. Where the candidate did
    better in all that is most severe, the line says so, and how to let that pass.
    """
    word = verdict(compared)
    if word == "same":
        return same_line(compared)
    fail_on = compared.settings.fail_on
    why = how_severe(compared) if word == "different" else f"--fail-on {fail_on}"
    severities = Counter(finding.severity for finding in compared.findings)
    if fail_on != "info":
        del severities["info"]
    reasons = _reasons(compared.findings, is_alone=compared.severity == "info")
    parts = [f"{word} ({why}): {in_numbers(severities)}: {reasons}"]
    if word == "different" and is_better(compared):
        parts.append(BETTER_PASSES)
    return "; ".join(parts)


def how_severe(compared: Comparison) -> str:
    """Return the severity, and whether the candidate did better in all that has it."""
    return f"{compared.severity}, better" if is_better(compared) else compared.severity


def is_better(compared: Comparison) -> bool:
    """Return True if the candidate did better in all that is most severe."""
    severity = compared.severity
    worst = [each for each in compared.findings if each.severity == severity]
    return bool(worst) and all(each.better for each in worst)


def is_same(compared: Comparison) -> bool:
    """Return True if all findings are for information only."""
    return verdict(compared) == "same"


def same_line(compared: Comparison) -> str:
    """Return the line for two logs that are the same, with what was compared."""
    parts = [_files_of(compared), _calls_of(compared), *_ends_of(compared)]
    parts = [part for part in parts if part]
    compared_parts = ", ".join(parts) or "nothing was compared"
    more = [
        agents_of(compared),
        _reasons(compared.findings),
        _commands_of(compared),
        _by_fragment(compared),
        not_compared(compared),
        by_rules(compared),
    ]
    return "; ".join(filter(None, [f"same: {compared_parts}", *more]))


def agents_of(compared: Comparison) -> str:
    """Return which agents are compared, if they differ; empty for one agent."""
    if compared.agents is None:
        return ""
    is_by_subject = any(run.is_by_subject for run in compared.runs)
    by_subject = ", calls by subject" if is_by_subject else ""
    return f"{agents_in_words(compared.agents)}{by_subject}"


def not_compared(compared: Comparison) -> str:
    """Return the parts that were not compared; empty if all were."""
    parts = ", ".join(compared.unknown_parts)
    return f"not compared: {parts}" if parts else ""


def by_rules(compared: Comparison) -> str:
    """Return which rules alone made values equal; empty if none did."""
    used = rules_in_numbers(compared)
    return f"equal by rules: {used}" if used else ""


def rules_in_numbers(compared: Comparison) -> str:
    """Return how many values are equal by each rule alone: `id 2, time 1`."""
    rules = sorted(compared.rules_used.items())
    return ", ".join(f"{shown(rule)} {number:,}" for rule, number in rules)


def waived_in_words(findings: list[Finding]) -> str:
    """Return the categories that options let pass; empty if there are none."""
    waived = Counter((f.category, f.waived) for f in findings if f.waived)
    words = (
        f"{category}{times(total)} ({shown(by or '')})"
        for (category, by), total in sorted(waived.items(), key=str)
    )
    return f"waived: {', '.join(words)}" if waived else ""


def _by_fragment(compared: Comparison) -> str:
    """Return how many edits were not compared by what they changed, and why."""
    if not any(compared.fragments):
        return ""
    edits = _changed_count(*compared.fragments, "edit")
    return f"files not recorded, {edits} compared by the arguments"


def _files_of(compared: Comparison) -> str:
    """Return that the files end the same, if the calls that changed them differ."""
    counts = compared.counts
    files = [file for run in compared.runs for file in run.files]
    if not files or counts.same == counts.a == counts.b:
        return ""
    is_so = all(file.status == "same" and is_recorded(file) for file in files)
    return "files same" if is_so else ""


def _commands_of(compared: Comparison) -> str:
    """Return the commands that leave it open whether files are the same."""
    if not _files_of(compared):
        return ""
    named = ", ".join(
        filter(None, (other_commands(run.commands) for run in compared.runs))
    )
    return f"commands that may have changed files: {named}" if named else ""


def _calls_of(compared: Comparison) -> str:
    if compared.level != "calls":
        return ""
    runs = f" in {len(compared.runs)} runs" if len(compared.runs) > 1 else ""
    counts = compared.counts
    return _changed_count(counts.a, counts.b, "call") + runs


def _changed_count(a: int, b: int, what: str) -> str:
    """Return a number of things, or that of both logs: `3 -> 4 calls`."""
    return count(b, what) if a == b else f"{a:,} -> {count(b, what)}"


def _ends_of(compared: Comparison) -> list[str]:
    """Return how the runs of both logs ended, and how their final texts compare."""
    states = ""
    if "status" not in compared.not_compared:
        states = arrow(*(_states_in(compared, side) for side in (0, 1)))
    texts = [run.text for run in compared.runs if run.text]
    if "text" in compared.not_compared or not texts:
        return [states]
    return [states, f"result {_result_of(texts, compared.settings)}"]


def _states_in(compared: Comparison, side: int) -> str:
    """Return how the runs of one log ended: `success`, or `1 success, 1 error`."""
    states = Counter(run.states[side] or "" for run in compared.runs)
    if len(states) <= 1:
        return "".join(states)
    return ", ".join(f"{runs:,} {state or NO_STATE}" for state, runs in states.items())


def _result_of(texts: list[TextComparison], settings: Settings) -> str:
    """Return how final texts compare; of several, the least similar counts."""
    others = [text for text in texts if not (text.is_equal or text.is_narration)]
    if not others:
        return "same"
    least = min(text.similarity for text in others)
    if all(text.judgement and text.judgement.is_same for text in others):
        return f"judged the same (similarity {least:.2f})"
    enough = settings.min_similarity
    if enough is not None and least >= enough:
        return f"similar ({least:.2f})"
    return f"differs (similarity {least:.2f})"


def _reasons(findings: list[Finding], is_alone: bool = False) -> str:
    """Return the categories of findings, the most severe first, then the waived.

    `is_alone` leaves out the word `info` if all findings are for information.
    """
    ordered = by_severity(findings)
    matter = dict.fromkeys(f.category for f in ordered if f.severity != "info")
    informs = {f.category for f in findings if f.severity == "info" and not f.waived}
    parts = [", ".join(matter)] if matter else []
    if informs - matter.keys():
        word = "" if is_alone else "info: "
        parts.append(f"{word}{', '.join(sorted(informs - matter.keys()))}")
    return "; ".join(filter(None, [*parts, waived_in_words(findings)]))
