"""One or two plain sentences about a case, for readers without statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.options.settings import Category
from convert.suites.case_result import CaseFinding, CaseResult, CaseSide, Change
from convert.suites.verdict.sentences import REASONS, excluded_words, first_of
from convert.wording.columns import fit
from convert.wording.numbers import count

# How many columns a case has in a report.
_LONGEST = 200
_LONGEST_NAME = 60
# How many differences of two runs are named, and how many calls for each.
_MOST = 2


def sentence_of(result: CaseResult) -> str:
    """Return the plain words about a case, on one line.

    How often it succeeded comes first, then its steadiest change, then the runs that do
    not count.
    """
    match result.fate:
        case "trouble":
            return _fitted(f"It cannot be compared: {result.reason}")
        case "missing":
            if len(result.sides) > 2:
                return "The last version lacks it."
            return _lone("Only the baseline has it", result.a)
        case "new":
            if len(result.sides) > 2:
                return "The first version lacks it."
            return _lone("Only the new version has it", result.b)
    parts = [_success(result.a, result.b), change_of(result)]
    parts += [*_excluded(result), *_cut(result), *_unread(result)]
    return _fitted(" ".join(filter(None, parts)) or "Nothing differs.")


def change_of(result: CaseResult) -> str:
    """Return the steadiest change, or how two runs differ; "" for neither."""
    if result.behaviour is None:
        return "" if result.is_repeated else _of_pair(result)
    change = next(iter(result.behaviour.changes), None)
    if change is None:
        return ""
    if result.is_changed:
        return change.sentence
    return _as_seen(change) if change.is_steady else ""


def _success(a: CaseSide, b: CaseSide) -> str:
    """Return how many runs succeeded before and after."""
    if not (a.counted and b.counted):
        return ""
    if a.counted == b.counted == 1:
        return _success_of_one(bool(a.succeeded), bool(b.succeeded))
    before, now = (a.succeeded, a.counted), (b.succeeded, b.counted)
    if a.counted == 1:
        how = "succeeded" if a.succeeded else "failed"
        return f"The run before {how}, {b.succeeded:,} of {b.counted:,} succeed now."
    if before == now:
        if not a.succeeded:
            return f"None of {a.counted:,} runs succeeded before or after."
        return f"{_of(*before)} runs succeeded before and after."
    after = f"all {b.counted:,}" if b.succeeded == b.counted > 1 else ""
    after = after or f"{b.succeeded:,} of {b.counted:,}"
    return f"{_of(*before)} runs succeeded before, {after} now."


def _success_of_one(before: bool, now: bool) -> str:
    match before, now:
        case True, True:
            return "The run succeeded before and after."
        case True, False:
            return "The run succeeded before and fails now."
        case False, True:
            return "The run failed before and succeeds now."
    return "The run failed before and after."


def _of(number: int, of: int) -> str:
    if number == of:
        return "Both" if of == 2 else f"All {of:,}" if of > 2 else "1 of 1"
    return f"{number:,} of {of:,}" if number else f"None of {of:,}"


def _as_seen(change: Change) -> str:
    """Return a change that chance may have made."""
    return f"{change.sentence} This may be chance."


def _of_pair(result: CaseResult) -> str:
    """Return how the run of the last version differs.

    A run that breaks off, or that was excluded, differs for that reason.
    """
    a, b = result.a.run, result.b.run
    if a is None or b is None or not (a.has_ended and b.has_ended):
        return ""
    sentences = [*_differences(result)][:_MOST]
    if not sentences and a.calls is not None and b.calls is not None:
        more = b.calls - a.calls
        sentences = [f"It makes {count(more, 'more call')}."] if more > 0 else []
        if more < 0:
            sentences = [f"It makes {count(-more, 'fewer call')}."]
    return " ".join(sentences)


def _differences(result: CaseResult) -> Iterator[str]:
    """Yield a sentence for each category of findings, the most severe first.

    Another answer is a difference to name only if nothing else differs.
    """
    by_category: dict[Category, list[CaseFinding]] = {}
    for finding in result.findings:
        if not finding.waived and finding.severity not in ("none", "info"):
            by_category.setdefault(finding.category, []).append(finding)
    for category, findings in by_category.items():
        if category == "text" and len(by_category.keys() - {"status"}) > 1:
            continue
        if sentence := _difference(category, findings):
            yield sentence


def _difference(category: Category, findings: list[CaseFinding]) -> str:
    """Return the findings of a category as a sentence; "" where a number says it."""
    first, number = findings[0], len(findings)
    named = _named_calls(findings)
    match category:
        case "added":
            return f"It now makes {count(number, 'more call')}: {named}."
        case "removed":
            return f"It no longer makes {count(number, 'call')}: {named}."
        case "outcome":
            now, was = (
                _short(" ".join([first.now, *first.notes[1:]])),
                _short(first.was),
            )
            return f"{_short(first.about)} now ends with {now}; before, it was {was}."
        case "args":
            return f"It makes {count(number, 'call')} in another way: {named}."
        case "moved":
            return f"It makes {count(number, 'call')} in another order: {named}."
        case "tool":
            return f"It makes {count(number, 'call')} with another tool: {named}."
        case "files":
            files = count(number, "file")
            return f"It leaves {files} with other contents: {_paths(findings)}."
        case "verification":
            what = ", ".join([first.about, *first.notes])
            return f"It checks its changes in another way: {fit(what, _LONGEST)}."
        case "tests":
            return f"It ran other tests: {_short(first.what)}."
        case "text":
            return "It gives another answer."
        case "output":
            verb = "returns" if number == 1 else "return"
            return f"{count(number, 'call')} {verb} another output: {named}."
    return ""


def _named_calls(findings: list[CaseFinding]) -> str:
    names = [_short(each.about) for each in findings]
    return first_of([*dict.fromkeys(names)], _MOST)


def _paths(findings: list[CaseFinding]) -> str:
    return first_of([_short(each.path) for each in findings], _MOST)


def _short(text: str) -> str:
    return fit(text, _LONGEST_NAME)


def _excluded(result: CaseResult) -> Iterator[str]:
    """Yield how many runs of which version were excluded, and why."""
    for name, side in _named(result):
        reasons = Counter(
            run.reason_kind for run in side.runs if run.outcome == "excluded"
        )
        if number := reasons.total():
            was = "was" if number == 1 else "were"
            is_one = len(reasons) == 1
            why = REASONS[next(iter(reasons))] if is_one else excluded_words(reasons)
            yield f"{count(number, 'run')} of {name} {was} excluded: {why}."


def _cut(result: CaseResult) -> Iterator[str]:
    """Yield how many runs of which version broke off."""
    for name, side in _named(result):
        if number := sum(run.is_cut for run in side.runs):
            yield f"{count(number, 'run')} of {name} broke off."


def _unread(result: CaseResult) -> Iterator[str]:
    for name, side in _named(result):
        if side.unread:
            yield f"{count(side.unread, 'log')} of {name} cannot be read."


def _named(result: CaseResult) -> Iterator[tuple[str, CaseSide]]:
    """Yield each version with its name, the last one first."""
    last = len(result.sides) - 1
    for at, side in reversed([*enumerate(result.sides)]):
        names = {0: "the baseline", last: "the new version"}
        yield names.get(at, f"version {at + 1}"), side


def _lone(words: str, side: CaseSide) -> str:
    """Return that one version only has a case, and how its runs ended."""
    runs = count(len(side.logs), "run")
    if not side.counted:
        return f"{words}: {runs}."
    return f"{words}: {side.succeeded:,} of {count(side.counted, 'run')} succeeded."


def _fitted(text: str) -> str:
    return fit(" ".join(text.split()), _LONGEST)
