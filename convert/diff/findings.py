"""The findings of a comparison: their severity, and the options that waive them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal

from msgspec.structs import replace

from convert.diff.alignment.rows import CallComparison, Row, comparisons
from convert.diff.calls.aligned_call import is_other_name
from convert.diff.calls.arguments import tool_pattern
from convert.diff.calls.recorded_call import batched
from convert.diff.calls.trajectory import ComparedRun, Trajectory
from convert.diff.checked_settings import limits
from convert.diff.checks import (
    is_check,
    other_tests,
    rank,
    reordered_commands,
    verifications,
)
from convert.diff.comparison import Finding, RunComparison
from convert.diff.files import NO_DIFFERENCE, changed_by, done_to
from convert.diff.texts import line_of_text
from convert.model.run import Run
from convert.options.settings import MATCHES, PARTS_OF, Category, Settings, Severity


def find(compared: RunComparison, settings: Settings) -> list[Finding]:
    """Return the findings of two runs: those of calls by position, then the others."""
    found = []
    for finding in _findings(compared, settings):
        # The option that waives the finding itself says more than one for its calls.
        waived = _waived_by(finding, settings) or finding.waived
        if waived:
            finding = replace(finding, severity="info", waived=waived)
        found.append(_with_place(finding, compared))
    return found


def _findings(compared: RunComparison, settings: Settings) -> Iterator[Finding]:
    number, (one, other) = compared.number, compared.sides
    if one is None or other is None:
        yield Finding("runs", "critical", number)
        return
    a, b = one.recorded, other.recorded
    calls = [
        replace(finding, inside=inside)
        for comparison, inside in comparisons(compared.rows)
        for finding in _about_call(number, comparison, settings)
    ]
    yield from _about_files(compared, settings, calls)
    yield from _about_checks(compared, settings, calls)
    yield from other_tests(compared, one, other)
    states = compared.states
    if "status" not in compared.not_compared and states[0] != states[1]:
        better = states == ("error", "success")
        yield Finding("status", "critical", number, None, *states, better=better)
    yield from _about_text(compared, settings)
    yield from _about_claims(compared, settings)
    if compared.level == "calls" and settings.effective_order != "strict":
        yield from _about_batches(number, a, b, compared.rows)
    if a.run.model and b.run.model and a.run.model != b.run.model:
        yield Finding("model", "info", number, None, a.run.model, b.run.model)
    prompts = [
        side.rules.prose("\n".join(side.recorded.run.prompts)) for side in (one, other)
    ]
    is_other = prompts[0] != prompts[1] and a.run.prompts != b.run.prompts
    if a.run.prompts and b.run.prompts and is_other:
        yield Finding("prompt", "info", number)
    for limit in limits(compared, settings):
        if limit.is_exceeded:
            was, now = map(_figure, (limit.baseline, limit.candidate))
            yield Finding(
                limit.category, "major", number, None, was, now, limit=limit.option
            )


def _figure(figure: int | Decimal | None) -> str | None:
    if isinstance(figure, Decimal):
        return f"{figure:f}"
    return None if figure is None else str(figure)


def _about_files(
    compared: RunComparison, settings: Settings, calls: list[Finding]
) -> Iterator[Finding]:
    """Yield the files that differ in the end.

    Where a log does not record enough, the calls decide, if the settings judge them. A
    file that calls changed which may be added or removed may be so too.
    """
    alone = _alone_by_file(calls) if compared.files else {}
    for file in compared.files:
        is_judged_by_calls = (
            file.status == "not recorded" and "calls" in settings.judged
        )
        if file.status in NO_DIFFERENCE or is_judged_by_calls:
            continue
        was, now = (
            "unknown" if file.status == f"unknown in {side}" else done_to(change)
            for side, change in zip("AB", (file.a, file.b), strict=True)
        )
        waived = None
        if file.a is None or file.b is None:
            made = [_allowed_by(each, settings) for each in alone.get(file.path, [])]
            waived = made[0] if made and all(made) else None
        yield Finding(
            "files", "major", compared.number, None, was, now, waived=waived, file=file
        )


def _alone_by_file(calls: list[Finding]) -> dict[str, list[Finding]]:
    """Return the findings of calls that only one run made, by the file they changed."""
    found = defaultdict(list)
    for finding in calls:
        if finding.category in ("added", "removed") and finding.comparison:
            found[changed_by(finding.comparison.call)].append(finding)
    return found


def _about_checks(
    compared: RunComparison, settings: Settings, calls: list[Finding]
) -> Iterator[Finding]:
    """Yield the checks that only one run made in the end, then the findings of calls.

    Where the order of a check and a change differs, that is more than a moved call. The
    order of another command, such as a commit, decides which work it takes.
    """
    found: dict[tuple[Category, int], Finding] = {}
    one, other = compared.sides
    if one and other:
        for lost in verifications(compared, one, other, settings):
            comparison, waived = lost.comparison, None
            # A check that may be added is no loss; one that may be missing is.
            if comparison and comparison.a is None:
                waived = _allowed_by(_alone(compared.number, comparison), settings)
            found[lost.category, id(comparison)] = replace(lost, waived=waived)
    reordered = reordered_commands(compared.rows) if compared.counts.moved else {}
    moved = [
        (finding, reordered[id(finding.comparison)])
        for finding in calls
        if finding.category == "moved" and id(finding.comparison) in reordered
    ]
    # The changes that a command crosses come in another order in each run.
    for finding, (command, change) in sorted(moved, key=lambda each: rank(each[1][1])):
        is_before = command.numbers[0] < change.numbers[0]
        was, now = ("before", "after") if is_before else ("after", "before")
        about_command = replace(
            finding,
            category="verification" if is_check(command) else "moved",
            severity="major",
            comparison=command,
            from_=f"{was} {change.call.label}",
            to=f"{now} it",
        )
        found.setdefault(("verification", id(command)), about_command)
    yield from found.values()
    yield from (
        finding
        for finding in calls
        if finding.category != "moved" or id(finding.comparison) not in reordered
    )


def _alone(run: int, comparison: CallComparison) -> Finding:
    """Return the finding of a call that only one run made."""
    category: Category = "removed" if comparison.a else "added"
    return Finding(category, _effect(comparison), run, comparison)


def _about_call(
    run: int, comparison: CallComparison, settings: Settings
) -> Iterator[Finding]:
    a, b = comparison.a, comparison.b
    severity: Severity
    if a is None or b is None:
        yield _alone(run, comparison)
        return
    if comparison.has_other_outcome:
        outcomes = a.recorded.outcome, b.recorded.outcome
        better = comparison.fate == "better"
        yield Finding("outcome", "critical", run, comparison, *outcomes, better=better)
    if comparison.has_other_tool:
        severity = "info" if is_other_name(a, b) else _effect(comparison)
        names = a.recorded.shown_tool, b.recorded.shown_tool
        yield Finding("tool", severity, run, comparison, *names)
    if comparison.has_other_arguments:
        severity = "minor" if comparison.is_respelled else _effect(comparison)
        yield Finding("args", severity, run, comparison)
    if comparison.outputs is not None:
        severity = _effect(comparison) if settings.outputs else "info"
        yield Finding("output", severity, run, comparison)
    if comparison.is_moved:
        yield Finding("moved", "minor", run, comparison)


def _effect(comparison: CallComparison) -> Severity:
    """Return how severe it is that a call differs, which takes time."""
    calls = comparison.calls
    if all(call.is_bookkeeping for call in calls):
        return "info"
    return "major" if any(call.recorded.acts for call in calls) else "minor"


def _about_text(compared: RunComparison, settings: Settings) -> Iterator[Finding]:
    text = compared.text
    if text is None or text.is_equal:
        return
    severity: Severity = "major" if text.judgement is not None else "minor"
    if text.judgement is None and settings.min_similarity is not None:
        severity = "info" if text.similarity >= settings.min_similarity else "major"
    category: Category = "text"
    if text.is_narration:
        category, severity = "narration", "info"
    elif settings.level != "text" and _shows_no_run(compared):
        category, severity = "level", "major"
    waived = "--answer-cmd" if text.judgement and text.judgement.is_same else None
    similarity = text.similarity
    yield Finding(
        category, severity, compared.number, similarity=similarity, waived=waived
    )


def _about_claims(compared: RunComparison, settings: Settings) -> Iterator[Finding]:
    one, other = compared.sides
    if settings.text == "ignore" or compared.level != "calls" or not (one and other):
        return
    if _has_failed_command(one) or _has_failed_command(other):
        # Imported here: most runs have no command that failed.
        from convert.diff.claims import contradictions

        yield from contradictions(compared, one, other)


def _has_failed_command(run: ComparedRun) -> bool:
    """Return True if a command failed; an approved run only counts its tests."""
    if any(failed.call.kind == "shell" for failed in run.recorded.failures):
        return True
    tests = (call.recorded.tests for call in run.all_calls)
    return any(each and each.has_failures for each in tests)


def _shows_no_run(compared: RunComparison) -> bool:
    """Return True if only one log is plain text; it may be anything that was printed.

    A text with action lines is of a run.
    """
    sides = [run for run in (compared.a, compared.b) if run]
    plain = [run.level == "text" and not run.ended for run in sides]
    return any(plain) and not all(run.level == "text" for run in sides)


def _about_batches(
    run: int, a: Trajectory, b: Trajectory, rows: list[Row]
) -> Iterator[Finding]:
    """Yield one finding if calls ran in parallel in only one of two runs.

    It counts only calls that have a partner.
    """
    in_a, in_b = batched(a.calls), batched(b.calls)
    pairs = Counter(
        (in_a[pair.numbers[0] - 1], in_b[pair.numbers[1] - 1])
        for side, pair in rows
        if side != "b" and pair.is_paired
    )
    only_a, only_b = pairs[True, False], pairs[False, True]
    if only_a or only_b:
        was, now = _in_parallel(only_a, only_b), _in_parallel(only_b, only_a)
        yield Finding("parallelism", "info", run, None, was, now)


def _in_parallel(batched: int, alone: int) -> str:
    """Return how many calls one run made in parallel that the other made alone."""
    parts = ((batched, "in parallel"), (alone, "alone"))
    return ", ".join(f"{number} {how}" for number, how in parts if number)


def _with_place(finding: Finding, compared: RunComparison) -> Finding:
    """Return a finding with the numbers of its call, and the lines that show it."""
    comparison = finding.comparison
    if comparison is None:
        if finding.file is not None:
            return replace(finding, lines=finding.file.lines)
        a, b = (
            _line_of(finding.category, side.run) if side else None
            for side in (compared.a, compared.b)
        )
        return replace(finding, lines=(a, b))
    is_effect = finding.category == "args" and comparison.has_other_effect
    one, other = (
        ".".join(map(str, [*(each[side] for each in finding.inside), number]))
        if number
        else ""
        for side, number in enumerate(comparison.numbers)
    )
    lines = comparison.ended_lines if is_effect else comparison.lines
    lines = finding.lines if finding.category == "claim" else lines
    return replace(finding, numbers=(one, other), lines=lines)


def _line_of(category: Category, run: Run) -> int | None:
    """Return the line of a run that shows a difference of whole runs."""
    match category:
        case "runs" | "model" | "prompt":
            return run.first_line
        case "parallelism":
            return None
        case "text" | "narration" | "level":
            return line_of_text(run)
    return run.result.line if run.result else run.last_line


def _waived_by(finding: Finding, settings: Settings) -> str | None:
    """Return the option that waives a finding; None if none does."""
    parts = PARTS_OF.get(finding.category, settings.judged)
    if not parts & settings.judged:
        return f"--judge {','.join(settings.judge)}"
    return _allowed_by(finding, settings)


def _allowed_by(finding: Finding, settings: Settings) -> str | None:
    """Return the option that lets a finding pass; None if none does."""
    if finding.category in settings.ignore:
        return f"--ignore {finding.category}"
    if finding.better and settings.allow_better:
        return "--allow-better"
    if finding.category in MATCHES[settings.match][0]:
        return f"--match {settings.match}"
    if finding.category != "added" or not finding.comparison:
        return None
    names = finding.comparison.call.recorded.names
    for name in settings.allow_extra:
        if any(map(tool_pattern(name).fullmatch, names)):
            return f"--allow-extra {name}"
    return None
