"""unified: the calls as the lines of a diff, for pipes and patch viewers."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator

from convert.diff.calls.arguments import EFFECT
from convert.diff.comparison import Comparison, RunComparison
from convert.diff.details import details_of, is_effect
from convert.diff.file_changes import file_change
from convert.diff.files import NO_DIFFERENCE, FileComparison
from convert.diff.reports import (
    LONGEST,
    LineStyle,
    ReportLine,
    ReportOptions,
    settings_note,
)
from convert.diff.reports.detail_lines import bounds, hunk_lines, subtle_notes
from convert.diff.reports.finding_lines import claim_words
from convert.diff.reports.marks_and_labels import (
    APPROXIMATE,
    NO_STATE,
    STYLES,
    CallCell,
    Cells,
    all_cells,
    ending,
    label,
    where,
)
from convert.diff.reports.summary import agents, judgement_lines, rules
from convert.diff.reports.verdict import done_in_words, is_same, same_line
from convert.diff.text_changes import (
    FileChange,
    line_change,
    stretches,
    text_lines_changed,
)
from convert.facts.changed_files import NetChange
from convert.wording.diffs import git_patch
from convert.wording.escapes import safe_line, truncate
from convert.write.patch import patch_of, reason_against

_PATCH_STYLES: dict[str, LineStyle] = {"-": "removed", "+": "added", "@": "head"}


def report(compared: Comparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the calls that differ with those around them; nothing if all is same."""
    if is_same(compared):
        if options.is_verbose:
            yield ReportLine(same_line(compared))
        return
    # A patch viewer ignores lines before the patch.
    if any(run.is_approximate for run in compared.runs):
        yield ReportLine(APPROXIMATE)
    if options.is_verbose:
        yield from map(ReportLine, rules(compared, options))
    elif options.settings_source:
        yield ReportLine(settings_note(options))
    for run in compared.runs:
        yield from map(ReportLine, (*agents(run), *judgement_lines(run, options)))
    yield ReportLine(f"--- {safe_line(options.a)}", "head")
    yield ReportLine(f"+++ {safe_line(options.b)}", "head")
    for run in compared.runs:
        of_run = f"run {run.number} " if len(compared.runs) > 1 else ""
        if run.a is None or run.b is None:
            places = where(options, *run.findings[0].lines)
            yield ReportLine(f"@@ run {run.number} {places} @@", "head")
            lines: Iterable[ReportLine] = (
                _line(sign, CallCell("", label(call), ending(call)))
                for side, sign in zip(run.sides, "-+", strict=True)
                for call in (side.all_calls if side else ())
            )
        else:
            lines = itertools.chain(
                _calls(run, of_run, compared, options),
                _files(run, of_run),
                _end(run, of_run, options),
            )
        longest = sys.maxsize if options.is_full else LONGEST
        for line in lines:
            yield line._replace(text=truncate(line.text, longest))
    for run in compared.runs:
        yield from _patch(run, options)


def _calls(
    run: RunComparison, of_run: str, compared: Comparison, options: ReportOptions
) -> Iterator[ReportLine]:
    cells = all_cells(run)
    for first, begin, end in stretches([row.is_same for row in cells]):
        row = cells[first]
        number = row.a.number or row.b.number
        places = where(options, *row.comparisons[0].lines)
        yield ReportLine(f"@@ {of_run}call {number} {places} @@", "head")
        for row in cells[begin:end]:
            yield from _row(row, compared)


def _row(row: Cells, compared: Comparison) -> Iterator[ReportLine]:
    """Yield one line for a call, two for a changed one."""
    if not row.mark:
        # The calls inside may differ.
        yield _line(" ", row.b)
    elif row.mark in ("-", "<"):
        yield _line("-", row.a, row.b.text)
    elif row.mark in ("+", ">"):
        yield _line("+", row.b, row.a.text)
    else:
        [comparison] = row.comparisons
        paths = [
            safe_line(detail.path)
            for detail in details_of(comparison, compared.settings)
            if detail.path != "outcome" and not is_effect(detail.path)
        ]
        if comparison.has_other_effect:
            paths.append(EFFECT)
        yield _line("-", row.a)
        yield _line("+", row.b, f"({', '.join(paths)})" if paths else "")


def _files(run: RunComparison, of_run: str) -> Iterator[ReportLine]:
    """Yield the changes of either run to the files that differ."""
    files = [file for file in run.files if file.status not in NO_DIFFERENCE]
    if files:
        yield ReportLine(f"@@ {of_run}files @@", "head")
    for file in files:
        for change, sign in ((file.a, "-"), (file.b, "+")):
            if change:
                done = done_in_words(change)
                is_vague = file.status.startswith(("not recorded", "unknown"))
                note = f"  ({file.status})" if is_vague else ""
                text = f"{sign}{safe_line(file.path)}  {done}{note}"
                yield ReportLine(text, STYLES[sign])


def _patch(run: RunComparison, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield the patch from the files of the baseline to those of the candidate.

    Its lines are those of the files: none is cut or reworded. If only the change of the
    candidate is recorded, the patch of that follows.
    """
    known: list[tuple[FileComparison, FileChange]] = []
    changes = []
    for file in run.files:
        if file.status in NO_DIFFERENCE:
            continue
        if found := file_change(file, run):
            known.append((file, found))
        elif file.b and file.b.status != "same":
            changes.append(file.b)
    a, b = map(safe_line, (options.a, options.b))
    if known:
        yield ReportLine(f"from the files of {a} to those of {b}, as a patch:", "head")
        most = bounds(options.is_full)
        for file, found in known:
            for hunk in found.change.hunks:
                for note in subtle_notes(hunk, most):
                    words = f"hard to see in {safe_line(file.path)}: {note}"
                    yield ReportLine(words, "changed")
        yield from _parts(
            (_reason(file, found), _patch_between(file, found)) for file, found in known
        )
    if changes:
        yield ReportLine(f"changed in {b}, as a patch:", "head")
        yield from _parts(
            (reason_against(change), patch_of(change))
            if isinstance(change, NetChange)
            else (f"the trajectory does not hold the content of {change.path}", ())
            for change in changes
        )


def _parts(parts: Iterable[tuple[str, Iterable[str]]]) -> Iterator[ReportLine]:
    """Yield the parts of a patch, after the reasons for those that are not in it."""
    whole = []
    for reason, patch in parts:
        if reason:
            yield ReportLine(f"not in the patch: {safe_line(reason)}")
        else:
            whole.append(patch)
    for patch in whole:
        for line in "".join(patch).split("\n")[:-1]:
            yield ReportLine(line, _PATCH_STYLES.get(line[:1], ""))


def _reason(file: FileComparison, found: FileChange) -> str:
    """Return the reason why a file cannot be in the patch; "" if it can."""
    sides = ((file.b, found.new), (file.a, found.old))
    reasons = (
        reason_against(change, {"after": text or ""})
        for change, text in sides
        if isinstance(change, NetChange)
    )
    return next(filter(None, reasons), "")


def _patch_between(file: FileComparison, found: FileChange) -> Iterator[str]:
    """Yield the patch of a file from one content to the other."""
    [change, *_] = [each for each in (file.b, file.a) if isinstance(each, NetChange)]
    return git_patch(change.name or change.path, found.old, found.new)


def _end(
    run: RunComparison, of_run: str, options: ReportOptions
) -> Iterator[ReportLine]:
    """Yield the states, tests and lines of the final texts that differ."""
    for finding in run.findings:
        places = where(options, *finding.lines)
        if finding.category == "status":
            yield ReportLine(f"@@ {of_run}status {places} @@", "head")
            yield ReportLine(f"-{finding.from_ or NO_STATE}", "removed")
            yield ReportLine(f"+{finding.to or NO_STATE}", "added")
        elif finding.category == "tests" and finding.comparison:
            yield ReportLine(f"@@ {of_run}tests {places} @@", "head")
            command = label(finding.comparison.call)
            yield ReportLine(f"-{command}  {finding.from_}", "removed")
            yield ReportLine(f"+{command}  {finding.to}", "added")
        elif finding.category == "claim":
            yield ReportLine(f"@@ {of_run}claim {places} @@", "head")
            sign = "-" if finding.better else "+"
            yield ReportLine(f"{sign}{claim_words(finding)}", STYLES[sign])
        elif finding.is_about_text and run.text is not None:
            a, b = run.text.a, run.text.b
            change = text_lines_changed("text", a, b)
            if not run.text.has_diff:
                # The lines of one text, then those of the other.
                change = line_change("text", a.split("\n"), b.split("\n"), [])
            for hunk in change.hunks:
                _, *lines = hunk_lines(hunk, bounds(options.is_full))
                line = f"line {hunk.line} {places}".rstrip()
                yield ReportLine(f"@@ {of_run}result {line} @@", "head")
                yield from lines


def _line(sign: str, cell: CallCell, note: str = "") -> ReportLine:
    text = "  ".join(filter(None, [cell.text, cell.ending, note]))
    return ReportLine(f"{sign}{text}", STYLES.get(sign, ""))
