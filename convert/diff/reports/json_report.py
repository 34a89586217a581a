"""json: for scripts. One object on one line, the same bytes for the same comparison."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from convert.diff.alignment.rows import CallComparison
from convert.diff.comparison import Comparison, Finding, by_severity, run_of
from convert.diff.details import Detail, ValueChange, arguments_changed, output_changed
from convert.diff.file_changes import file_change
from convert.diff.reports import ReportLine, ReportOptions
from convert.diff.reports.detail_lines import (
    content_lines,
    hunk_lines,
    result_change,
    words,
)
from convert.diff.reports.verdict import verdict
from convert.diff.text_changes import (
    Contents,
    LineChange,
    LoneArgument,
    WordChange,
    contents_of,
)
from convert.facts.figures import Figures
from convert.facts.run_reasons import reason_in_words
from convert.model.run import json_number
from convert.options.settings import Settings
from convert.wording.escapes import repair_surrogates


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the whole comparison as one object."""
    findings = by_severity(compared.findings)
    are_across = {run.agents is not None for run in compared.runs}
    whole = _members(compared) | {
        "schema": 2,
        "names": [options.a, options.b],
        "findings": [_finding(finding, compared) for finding in findings],
        "settings": settings_of(compared.settings, options, are_across),
        "rules": {
            "used": dict(compared.rules_used),
            "paired": [pair._asdict() for pair in compared.paired_values],
        },
        "runs": [
            _members(compared.only(run)) | {"run": run.number} for run in compared.runs
        ],
    }
    yield ReportLine(as_line(whole))


def as_line(whole: Any) -> str:
    """Return an object on one line, with its members in the order of their names."""
    text = _dumped(whole)
    if "\\ud" in text:
        # Many parsers refuse half an emoji, escaped or not.
        text = _dumped(json.loads(repair_surrogates(_dumped(whole, is_ascii=False))))
    return text


def _dumped(whole: Any, is_ascii: bool = True) -> str:
    return json.dumps(
        whole, sort_keys=True, separators=(",", ":"), ensure_ascii=is_ascii
    )


def settings_of(
    settings: Settings, options: ReportOptions, are_across: set[bool]
) -> dict[str, Any]:
    """Return the settings that were in effect, and where they were found.

    `are_across` is True for each comparison of two agents.
    """
    args = {*map(settings.args_for, are_across or {False})}
    return settings.as_dict() | {
        "args": args.pop() if len(args) == 1 else settings.args,
        "judge": sorted(settings.judged),
        "order": settings.effective_order,
        "source": options.settings_source or None,
    }


def _members(compared: Comparison) -> dict[str, Any]:
    """Return the members for a whole comparison or for one pair of runs."""
    diverged = next((run for run in compared.runs if run.first_divergence), None)
    is_approximate = any(run.is_approximate for run in compared.runs)
    return {
        "verdict": verdict(compared),
        "exit": int(compared.is_different),
        "severity": compared.severity,
        "level": compared.level,
        "not_compared": compared.not_compared,
        "fragments": sum(compared.fragments),
        "files": _files(compared),
        "status": None if "status" in compared.not_compared else compared.states,
        "first_divergence": to_builtins(diverged.first_divergence)
        if diverged
        else None,
        "resync": to_builtins(diverged.resync) if diverged else None,
        "categories": sorted({finding.category for finding in compared.findings}),
        "text": _text(compared),
        "facts": _facts(*compared.figures) | _reasons(compared),
        **_scores(compared),
        **({"approximate": True} if is_approximate else {}),
        **_agents(compared),
        **_inferred(compared),
    }


def _files(compared: Comparison) -> list[dict[str, Any]] | None:
    """Return the fate of each file that a run changed; None if not compared."""
    if compared.level != "calls":
        return None
    return [
        {"path": file.path, "status": file.status, "run": run.number}
        for run in compared.runs
        for file in run.files
    ]


def _agents(compared: Comparison) -> dict[str, Any]:
    """Return a member with the agents and the gaps of their logs, if they differ."""
    found = compared.agents
    if found is None:
        return {}
    sides = zip(found.names, found.versions, found.unrecorded, strict=True)
    return {
        "agents": [
            {"name": name, "version": version or None, "not_recorded": [*missing]}
            for name, version, missing in sides
        ]
    }


def _inferred(compared: Comparison) -> dict[str, Any]:
    """Return a member with the directories that were inferred, if any was."""
    found = compared.inferred_directories
    return (
        {"inferred_directories": [each or None for each in found]} if any(found) else {}
    )


def _scores(compared: Comparison) -> dict[str, Any]:
    """Return the counts and the scores; null if calls were not compared."""
    names = ("similarity", "precision", "recall", "f1", "in_order", "any_order")
    if compared.level != "calls":
        return dict.fromkeys(("counts", *names))
    counts = compared.counts
    a, b, same = counts.a, counts.b, counts.same
    precision, recall, both = (
        1.0 if a == b == 0 else round(part / whole, 6) if whole else 0.0
        for part, whole in ((same, b), (same, a), (2 * same, a + b))
    )
    sums = {"a": a, "b": b, **to_builtins(counts)}
    scores = (both, precision, recall, both, same == a, same + counts.moved == a)
    return {"counts": sums, **dict(zip(names, scores, strict=True))}


def _text(compared: Comparison) -> dict[str, Any] | None:
    """Return how the final texts compare; of several runs, the least similar."""
    texts = [run.text for run in compared.runs if run.text]
    if not texts:
        return None
    members = {
        "equal": all(text.is_equal for text in texts),
        "similarity": round(min(text.similarity for text in texts), 6),
    }
    judgements = [text.judgement for text in texts if text.judgement]
    if not judgements:
        return members
    worst = max(judgements, key=lambda judgement: judgement.exit)
    return members | {"judge": to_builtins(worst)}


def _facts(one: Figures, other: Figures) -> dict[str, Any]:
    return {
        "duration_ms": [one.duration_ms, other.duration_ms],
        "tokens": [one.used_tokens, other.used_tokens],
        "tokens_are_final": [
            None if each.used_tokens is None else each.exact_tokens is not None
            for each in (one, other)
        ],
        "cost_usd": [
            None if each.cost_usd is None else json_number(each.cost_usd)
            for each in (one, other)
        ],
        "calls": [one.calls, other.calls],
        "errors": [one.failed, other.failed],
        "rejected": [one.rejected, other.rejected],
        "unresolved": [one.unresolved, other.unresolved],
        "retries": [one.retries, other.retries],
        "tools": [one.tools, other.tools],
    }


def _reasons(compared: Comparison) -> dict[str, Any]:
    """Return the reasons why the last runs failed, and their kinds."""
    a, b = compared.last_runs
    return {
        "reason": [run and (reason_in_words(run) or None) for run in (a, b)],
        "reason_kind": [run and (run.reason_kind or None) for run in (a, b)],
    }


def _finding(finding: Finding, compared: Comparison) -> dict[str, Any]:
    """Return one finding, with the members that apply to it."""
    similarity = finding.similarity
    members: dict[str, Any] = {
        "category": finding.category,
        "severity": finding.severity,
        "line_a": finding.lines[0],
        "line_b": finding.lines[1],
        "run": finding.run,
        "from": finding.from_,
        "to": finding.to,
        "waived": finding.waived,
        "limit": finding.limit,
        "better": finding.better or None,
        "inside": [list(place) for place in finding.inside] or None,
        "similarity": None if similarity is None else round(similarity, 6),
        "subject": finding.file.path if finding.file else None,
        "details": list(map(_detail, _details(finding, compared))) or None,
        **(_calls(finding.comparison) if finding.comparison else {}),
    }
    return {name: value for name, value in members.items() if value is not None}


def _calls(comparison: CallComparison) -> dict[str, Any]:
    """Return the members that say which calls a finding is about."""
    call = comparison.call
    return {
        "tool": call.recorded.tool,
        "subject": call.recorded.action_line or call.subject,
        "a": comparison.numbers[0] or None,
        "b": comparison.numbers[1] or None,
    }


def _details(finding: Finding, compared: Comparison) -> list[Detail]:
    """Return the changes inside that the finding is about."""
    match finding.category, finding.comparison:
        case "args", CallComparison() as comparison:
            return arguments_changed(comparison)
        case "output", CallComparison() as comparison if compared.settings.outputs:
            return output_changed(comparison)
        case "added" | "removed", CallComparison() as comparison:
            return [*contents_of(comparison.call)]
        case "files", _ if finding.file:
            found = file_change(finding.file, run_of(finding, compared))
            return [] if found is None else [found.change]
        case "text" | "narration" | "level", _:
            change = result_change(run_of(finding, compared))
            return [] if change is None else [change]
    return []


def _detail(detail: Detail) -> dict[str, Any]:
    match detail:
        case ValueChange(path, old, new):
            return {"path": path, "from": old, "to": new}
        case LoneArgument(path, value):
            return {"path": path, "value": value}
        case WordChange(path, spans):
            return {"path": path, "words": words(spans)}
        case Contents(path, made):
            lines = [line.text for line in content_lines(made)]
            return {"path": path, "total": len(made), "lines": lines}
        case LineChange(path):
            lines = [line.text for hunk in detail.hunks for line in hunk_lines(hunk)]
            return {
                "path": path,
                "changed": detail.changed,
                "total": detail.total,
                "lines": lines,
            }
