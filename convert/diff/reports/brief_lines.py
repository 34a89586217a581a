"""The brief of a comparison: the verdict, the first divergence and the main causes.

It heads the table, the page and the comment. `--brief` prints only this and the
facts, which all other reports have as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from convert.diff.brief import (
    Cause,
    brief_of,
    diverging_calls,
    is_code,
    is_repeated,
    is_stopped_outside,
    is_test,
)
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.comparison import Comparison, Finding, RunComparison, run_of
from convert.diff.files import changed_by, done_to
from convert.diff.reports import ReportOptions
from convert.diff.reports.finding_lines import few, finding_line, reasons
from convert.diff.reports.marks_and_labels import (
    NO_STATE,
    arrow,
    ended,
    ending,
    label,
    short_names,
    subject,
    times,
    where,
)
from convert.diff.reports.summary import figures_in_words
from convert.diff.reports.verdict import in_numbers, verdict
from convert.wording.escapes import safe_line, truncate
from convert.wording.numbers import byte_count, count
from convert.wording.styles_and_columns import cut_start, fit

# In columns: the words of a line, and a call or the name of a log in it.
_LONGEST = 300
_LONGEST_CALL = 80
_MOST_NAMES = 3
_MOST_BYTES = 1500
_VERBS = {"edit": "edits", "new": "creates", "deleted": "deletes", "changed": "edits"}
_CALL_VERBS = {
    "shell": "runs",
    "read": "reads",
    "edit": "edits",
    "write": "writes",
    "delete": "deletes",
}


def brief_lines(compared: Comparison, options: ReportOptions) -> list[str]:
    """Return the brief, one idea a line; of logs that are the same it has no line."""
    brief = brief_of(compared)
    if brief.word == "same" or not brief.causes:
        return []
    a, b = (cut_start(name, _LONGEST_CALL) for name in short_names(options))
    options = replace(options, a=a, b=b, is_full=False)
    word: str = brief.word
    first = _line(brief.causes[0], compared, options, is_better=word == "better")
    others = [_line(cause, compared, options) for cause in brief.causes[1:]]
    if verdict(compared) == "passes":
        word += f", but passes (--fail-on {compared.settings.fail_on})"
    lines = [f"{word}: {first}"]
    if brief.diverging:
        is_named = brief.causes[0].kind == "other call"
        lines.append(_divergence(brief.diverging, compared, options, is_named))
    lines += (f"also: {line}" for line in others)
    if brief.others:
        lines.append(f"and more: {in_numbers(brief.others)}")
    if options.is_brief and len(compared.runs) == 1:
        lines += _calls_and_facts(compared.runs[0])
    return [_cut(line) for line in lines]


def _calls_and_facts(run: RunComparison) -> Iterator[str]:
    """Yield that no call differs, and the figures in which two runs differ."""
    counts = run.counts
    if run.level == "calls" and counts.same == counts.a == counts.b > 0:
        both = f"all {counts.a:,} are" if counts.a > 1 else "the only one is"
        yield f"calls: {both} the same"
    numbers = "" if counts.a == counts.b else f"calls {counts.a:,} -> {counts.b:,}"
    figures = figures_in_words(run, is_verbose=False)
    if found := ", ".join(filter(None, [numbers, figures])):
        yield f"facts: {found}"


def _cut(line: str) -> str:
    """Return a line of few bytes; a column may take any number of them."""
    if byte_count(line) <= _MOST_BYTES:
        return line
    return line.encode()[:_MOST_BYTES].decode(errors="ignore") + "…"


def _line(
    cause: Cause, compared: Comparison, options: ReportOptions, is_better: bool = False
) -> str:
    """Return a cause in words, with its lines in both logs.

    `is_better` if the word before it says so.
    """
    finding = cause.first
    run = f"run {finding.run}: " if len(compared.runs) > 1 else ""
    if finding.inside:
        run += "in a subagent, "
    better = " (better)" if finding.better and not is_better else ""
    text = f"{run}{fit(_words(cause, compared, options), _LONGEST)}{better}"
    return f"{text} {where(options, *_at(cause))}".rstrip()


def _words(cause: Cause, compared: Comparison, options: ReportOptions) -> str:
    run = run_of(cause.first, compared)
    match cause.kind:
        case "instead" | "lone":
            return _files_in_words(cause, run)
        case "file" if cause.first.file is None:
            return _edits_in_words(cause, run)
        case "looks":
            return _looks_in_words(cause, run)
        case "other call":
            b, a = (_lone_call_in_words(finding) for finding in cause.findings)
            return f"B {b}, A {a}"
    return _in_words(cause, compared, options)


def _at(cause: Cause) -> tuple[int | None, int | None]:
    """Return the lines that show a cause; of files the first line in either log."""
    if cause.kind == "other call":
        added, removed = cause.findings
        return removed.lines[0], added.lines[1]
    if cause.kind in ("looks", "finding"):
        return cause.first.lines
    files = [each for each in cause.findings if each.file] or cause.findings
    sides = zip(*(each.lines for each in files), strict=True)
    a, b = (min(filter(None, side), default=None) for side in sides)
    return a, b


def _files_in_words(cause: Cause, run: RunComparison) -> str:
    """Return the files that only one run changed, and if they are tests or code."""
    a, b = (_names(paths) for paths in (cause.only_a, cause.only_b))
    verbs = [_verb(paths, run) for paths in (cause.only_a, cause.only_b)]
    if cause.kind == "lone":
        name, names, verb = ("A", a, verbs[0]) if a else ("B", b, verbs[1])
        paths = cause.only_a or cause.only_b
        tests = "the test " if all(map(is_test, paths)) else ""
        both = [file.path for file in run.files if file.a and file.b]
        code = next((path for path in both if is_code(path)), "")
        next_to = f"; both edit {safe_line(code)}" if tests and code else ""
        return f"only {name} {verb} {tests}{names}{next_to}"
    kinds = [_kind(paths) for paths in (cause.only_a, cause.only_b)]
    is_test_or_code = sorted(kinds) == ["code", "test"]
    if verbs != ["edits", "edits"]:
        if is_test_or_code:
            a, b = f"the {kinds[0]} {a}", f"the {kinds[1]} {b}"
        return f"B {verbs[1]} {b}, A {verbs[0]} {a}"
    if is_test_or_code:
        return f"B edits the {kinds[1]} instead of the {kinds[0]}: {b}, not {a}"
    return f"B edits {b} instead of {a}"


def _kind(paths: list[str]) -> str:
    """Return `test` or `code` for files of one kind; empty for others."""
    if all(map(is_test, paths)):
        return "test"
    return "code" if all(map(is_code, paths)) else ""


def _names(paths: list[str]) -> str:
    named = [cut_start(safe_line(path), _LONGEST_CALL) for path in paths[:_MOST_NAMES]]
    if more := len(paths) - len(named):
        named.append(count(more, "more file"))
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))


def _verb(paths: list[str], run: RunComparison) -> str:
    """Return the verb for the changes of a run to files that the other left alone."""
    done = {
        done_to(file.a or file.b)
        for file in run.files
        if file.path in paths and not (file.a and file.b)
    }
    return _VERBS[done.pop()] if len(done) == 1 else "changes"


def _edits_in_words(cause: Cause, run: RunComparison) -> str:
    """Return the edits of a file that differ, though no difference of it is known."""
    calls = [each.comparison.call for each in cause.findings if each.comparison]
    path = changed_by(calls[0])
    status = next((file.status for file in run.files if file.path == path), "")
    end = ", but it ends the same" if status == "same" else ""
    return f"the edits of {safe_line(path)} differ{end}"


def _lone_call_in_words(finding: Finding) -> str:
    assert finding.comparison is not None
    return _call_in_words(finding.comparison.call)


def _looks_in_words(cause: Cause, run: RunComparison) -> str:
    """Return the calls without an effect that only one of the runs made."""
    if len(cause.findings) == 1:
        return _lone_in_words(cause, run)
    name = "A" if cause.first.category == "removed" else "B"
    calls = [each.comparison.call for each in cause.findings if each.comparison]
    named = [_call_in_words(call) for call in calls[:_MOST_NAMES]]
    more = count(len(calls) - len(named), "more look")
    rest = f" and {more}" if len(calls) > len(named) else ""
    return f"only {name} {', '.join(named)}{rest}"


def _lone_in_words(cause: Cause, run: RunComparison) -> str:
    """Return a call that only one of the runs made, or made more often."""
    comparison = cause.first.comparison
    assert comparison is not None
    call, total = comparison.call, len(cause.findings)
    name, other = ("A", "B") if comparison.b is None else ("B", "A")
    if not is_repeated(cause, run):
        return f"only {name} {_call_in_words(call)}{times(total)}"
    again = "once" if total == 1 else f"{total:,} times"
    return f"{name} {_call_in_words(call)} {again} more than {other}"


def _in_words(cause: Cause, compared: Comparison, options: ReportOptions) -> str:
    """Return a finding in words."""
    finding = cause.first
    line = finding_line(finding, compared, options)
    what = line.fitted(_LONGEST - 80)
    is_command = what.startswith("shell ")
    what = what.removeprefix("shell ")
    comparison = finding.comparison
    a, b = few(finding.from_ or ""), few(finding.to or "")
    match finding.category:
        case "status":
            verbs = {"success": "ends well", "error": "ends with an error"}
            sides = [
                f"{name} {verbs.get(state) or f'is {state or NO_STATE}'}"
                for name, state in (("A", a), ("B", b))
            ]
            run = run_of(finding, compared)
            why = reasons(run)
            if why.startswith("A: ") and finding.to == "success":
                sides.reverse()
            elif not why.startswith("B: "):
                return "; ".join(filter(None, [", ".join(sides), why]))
            is_outside = is_stopped_outside(run)
            excuse = ", which is no failure of the agent" if is_outside else ""
            return f"{', '.join(sides)}{excuse}: {why[3:]}"
        case "claim":
            name, said = ("A", a) if finding.from_ else ("B", b)
            return f'the answer of {name} says "{said}", but {_last_tests(finding)}'
        case "verification":
            return f"{what}: {line.notes[0]}"
        case "tests" | "outcome":
            return f"{what}: {ended(a)} in A, {ended(b)} in B"
        case "removed" | "added" if comparison:
            return _lone_in_words(cause, run_of(finding, compared))
        case "files" if finding.file and finding.file.status == "differs":
            test = "the test " if is_test(finding.file.path) else ""
            return f"{test}{_ends_differently(what, finding)}"
        case "args":
            other = "another command" if is_command else "other arguments"
            return f"{other}: {what}{times(len(cause.findings))}"
        case "tool":
            return f"another tool: {what}"
        case "runs":
            run = run_of(finding, compared)
            name, calls = ("A", run.counts.a) if run.b is None else ("B", run.counts.b)
            return f"only {name} has a run {run.number}; {count(calls, 'call')}"
        case "moved":
            order = line.notes[0] if finding.to else line.call
            return f"another order: {what}, {order}"
        case "text":
            return f"the answers differ: {_answers(what, run_of(finding, compared))}"
    notes = [note for note in line.notes if note != "(better)"]
    return " ".join([what, *notes])


def _answers(what: str, run: RunComparison) -> str:
    """Return the first words that differ in two answers, or how both begin."""
    if not what.startswith("similarity") or not (run.a and run.b and run.text):
        return what
    said = (run.a.run.answer or "", run.b.run.answer or "")
    if said[0] == said[1]:
        said = run.text.recorded
    a, b = (truncate(safe_line(each), _LONGEST_CALL) for each in said)
    return f'A says "{a}", B says "{b}"'


def _ends_differently(what: str, finding: Finding) -> str:
    path = safe_line(finding.file.path) if finding.file else ""
    rest = what.removeprefix(path).removeprefix(":").strip()
    return f"{path} ends differently{': ' if rest else ''}{rest}"


def _last_tests(finding: Finding) -> str:
    """Return how the last tests ended of a run whose answer says that they pass."""
    comparison = finding.comparison
    assert comparison is not None
    call = comparison.a if finding.from_ else comparison.b
    tests = call.recorded.counted_tests if call else None
    if call is None or tests is None:
        return "its last tests failed"
    return f"{tests.failures} in its last tests, {subject(call)}"


def _divergence(
    run: RunComparison, compared: Comparison, options: ReportOptions, is_named: bool
) -> str:
    """Return the place where two runs diverge, with the calls that they make there.

    `is_named` if the line above names these calls.
    """
    place = run.first_divergence
    assert place is not None
    one, other = diverging_calls(run)
    a, b = (
        _call_in_words(call) if call else "makes no more calls" for call in (one, other)
    )
    said = f"A {a}, B {b}"
    if a == b and one:
        said = f"{truncate(label(one), _LONGEST_CALL)} in both, in different ways"
    if is_named:
        said = "these two calls"
    in_run = f"run {run.number}, " if len(compared.runs) > 1 else ""
    at = arrow(*place.names)
    if "." in at:
        at += ", in a subagent"
    lines = where(options, place.line_a, place.line_b)
    return f"first divergence at {in_run}call {at}: {said} {lines}".rstrip()


def _call_in_words(call: AlignedCall) -> str:
    """Return a call as a verb with its subject, and how it ended unless it is well."""
    if call.recorded.action_line:
        return _verb_and_subject(call)
    return f"{_verb_and_subject(call)} {ending(call)}".rstrip()


def _verb_and_subject(call: AlignedCall) -> str:
    if call.recorded.action_line:
        return f'has "{truncate(label(call), _LONGEST_CALL)}"'
    verb = _CALL_VERBS.get(call.recorded.kind)
    is_named = verb and subject(call)
    words = f"{verb} {subject(call)}" if is_named else f"calls {label(call)}"
    return truncate(words, _LONGEST_CALL)
