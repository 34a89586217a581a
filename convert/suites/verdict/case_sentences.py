"""One or two plain sentences about a case, for readers without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.model.events import ReasonKind
from convert.options.settings import Category
from convert.suites.case_result import CaseFinding, CaseResult, CaseRun, CaseSide
from convert.suites.verdict.sentences import REASONS, excluded_words, first_of
from convert.wording.escapes import safe_line
from convert.wording.numbers import count
from convert.wording.paths import stem_of
from convert.wording.styles_and_columns import cut_start, fit

# How many columns a case has in a report, and parts of it.
_LONGEST = 300
_LONGEST_NAME = 60
_LONGEST_REASON = 80
# How many differences of two runs are named, and how many calls for each.
_MOST = 2
# The findings of a category as a sentence.
_DIFFERENCES: dict[Category, str] = {
    "added": "It now makes {more_calls}: {names}.",
    "removed": "It no longer makes {calls}: {names}.",
    "outcome": "{about} now ends with {now}; before, it was {was}.",
    "args": "It makes {calls} in another way: {names}.",
    "moved": "It makes {calls} in another order: {names}.",
    "tool": "It makes {calls} with another tool: {names}.",
    "files": "It leaves {files} with other contents: {paths}.",
    "verification": "It checks its changes in another way: {check}.",
    "tests": "It ran other tests: {what}.",
    "claim": "An answer contradicts its tests: {what}.",
    "text": "It gives another answer.",
    "output": "{calls_return} another output: {names}.",
}


def sentence_of(result: CaseResult) -> str:
    """Return the plain words about a case, on one line.

    How often it succeeded comes first, then its steadiest change, then the runs that do
    not count.
    """
    has_two = len(result.sides) == 2
    match result.fate:
        case "trouble":
            return _fitted(f"It cannot be compared: {result.reason}")
        case "missing" if has_two:
            return _lone("Only the baseline has it", result.a)
        case "missing":
            return "The last version lacks it."
        case "new" if has_two:
            return _lone("Only the new version has it", result.b)
        case "new":
            return "The first version lacks it."
    parts = [_success(result.a, result.b), change_of(result), *_not_counted(result)]
    return _fitted(" ".join(filter(None, parts)) or "Nothing differs.")


def change_of(result: CaseResult) -> str:
    """Return the steadiest change, or how two runs differ; "" for neither."""
    if result.behaviour is None:
        return "" if result.is_repeated else _of_pair(result)
    for change in result.changes[:1]:
        if result.is_changed:
            return change.sentence
        if change.is_steady:
            return f"{change.sentence} This may be chance."
    return ""


def _success(a: CaseSide, b: CaseSide) -> str:
    """Return how many runs succeeded before and after."""
    if not (a.counted and b.counted):
        return ""
    has_fallen = b.succeeded * a.counted < a.succeeded * b.counted
    failed = "".join(_failed(b)) if has_fallen else ""
    if a.counted == 1:
        how = "succeeded" if a.succeeded else "failed"
        if b.counted > 1:
            now = f"{b.succeeded:,} of {b.counted:,} succeed now"
            return f"The run before {how}, {now}{failed}."
        if a.succeeded == b.succeeded:
            return f"The run {how} before and after."
        if b.succeeded:
            return f"The run {how} before and succeeds now."
        why = _reason("".join(run.reason for run in b.runs if run.outcome == "failed"))
        return f"The run {how} before and fails now{why}."
    before = _of(a.succeeded, a.counted)
    if (a.succeeded, a.counted) == (b.succeeded, b.counted):
        return f"{before} runs succeeded before {'and' if a.succeeded else 'or'} after."
    is_all = b.succeeded == b.counted > 1
    after = f"all {b.counted:,}" if is_all else f"{b.succeeded:,} of {b.counted:,}"
    return f"{before} runs succeeded before, {after} now{failed}."


def _failed(side: CaseSide) -> Iterator[str]:
    """Yield which runs of a version failed, and why; the commonest reason comes first.

    Those that broke off are named elsewhere.
    """
    failed: dict[str, list[CaseRun]] = {}
    for run in side.runs:
        if run.outcome == "failed" and not run.is_cut:
            failed.setdefault(run.reason, []).append(run)
    commonest = sorted(failed.items(), key=lambda each: -len(each[1]))
    for reason, runs in commonest[:_MOST]:
        yield f"; {first_of(_named(runs))} failed{_reason(reason)}"
    if others := sum(len(runs) for _, runs in commonest[_MOST:]):
        yield f"; {others:,} more failed"


def _named(runs: list[CaseRun]) -> list[str]:
    """Name the logs of some runs, those in the folder of the first one without it."""
    first, *others = (stem_of(safe_line(run.log)) for run in runs)
    folder = "".join(first.rpartition("/")[:2])
    names = [first, *(name.removeprefix(folder) for name in others)]
    return [cut_start(name, _LONGEST_NAME) for name in names]


def _reason(words: str) -> str:
    """Return why a run failed, to end a sentence with."""
    return f": {fit(words, _LONGEST_REASON).rstrip('.')}" if words else ""


def _of(number: int, of: int) -> str:
    if number == of:
        return "Both" if of == 2 else f"All {of:,}"
    return f"{number:,} of {of:,}" if number else f"None of {of:,}"


def _of_pair(result: CaseResult) -> str:
    """Return how the run of the last version differs.

    A run that breaks off, or that was excluded, differs for that reason.
    """
    a, b = result.a.run, result.b.run
    if a is None or b is None or not (a.has_ended and b.has_ended):
        return ""
    if sentences := [*_differences(result)]:
        return " ".join(sentences[:_MOST])
    if a.calls is None or b.calls is None or a.calls == b.calls:
        return ""
    more = b.calls - a.calls
    what = count(more, "more call") if more > 0 else count(-more, "fewer call")
    return f"It makes {what}."


def _differences(result: CaseResult) -> Iterator[str]:
    """Yield a sentence for each category of findings, the most severe first.

    Another answer is a difference to name only if nothing else differs.
    """
    by_category: dict[Category, list[CaseFinding]] = {}
    for finding in result.findings:
        if not finding.waived and finding.severity not in ("none", "info"):
            by_category.setdefault(finding.category, []).append(finding)
    is_lone = len(by_category.keys() - {"status"}) <= 1
    for category, findings in by_category.items():
        if category in _DIFFERENCES and (is_lone or category != "text"):
            yield _difference(category, findings)


def _difference(category: Category, findings: list[CaseFinding]) -> str:
    """Return the findings of a category as a sentence."""
    first, number = findings[0], len(findings)
    verb = "returns" if number == 1 else "return"
    return _DIFFERENCES[category].format(
        about=_short(first.about),
        now=_short(" ".join([first.now, *first.notes[1:]])),
        was=_short(first.was),
        calls=count(number, "call"),
        more_calls=count(number, "more call"),
        calls_return=f"{count(number, 'call')} {verb}",
        files=count(number, "file"),
        names=first_of(
            [*dict.fromkeys(_short(each.about) for each in findings)], _MOST
        ),
        paths=first_of([_short(each.path) for each in findings], _MOST),
        check=fit(", ".join([first.about, *first.notes]), _LONGEST),
        what=_short(first.what),
    )


def _short(text: str) -> str:
    return fit(text, _LONGEST_NAME)


def _not_counted(result: CaseResult) -> Iterator[str]:
    """Yield the runs that do not count, each version by its name, the last one first.

    First come those that were excluded, then those that broke off or cannot be read.
    """
    last = len(result.sides) - 1
    names = {0: "the baseline", last: "the new version"}
    sides = [
        (names.get(at, f"version {at + 1}"), side)
        for at, side in reversed([*enumerate(result.sides)])
    ]
    for name, side in sides:
        yield from _excluded(name, side.reasons)
    for name, side in sides:
        if side.cut:
            yield f"{count(side.cut, 'run')} of {name} broke off."
    for name, side in sides:
        if side.unread:
            yield f"{count(side.unread, 'log')} of {name} cannot be read."


def _excluded(name: str, reasons: Counter[ReasonKind]) -> Iterator[str]:
    """Yield how many runs of a version were excluded, and why."""
    if number := reasons.total():
        was = "was" if number == 1 else "were"
        is_one = len(reasons) == 1
        why = REASONS[next(iter(reasons))] if is_one else excluded_words(reasons)
        yield f"{count(number, 'run')} of {name} {was} excluded: {why}."


def _lone(words: str, side: CaseSide) -> str:
    """Return that one version only has a case, and how its runs ended."""
    if not side.counted:
        return f"{words}: {count(len(side.logs), 'run')}."
    return f"{words}: {side.succeeded:,} of {count(side.counted, 'run')} succeeded."


def _fitted(text: str) -> str:
    return fit(" ".join(text.split()), _LONGEST)
