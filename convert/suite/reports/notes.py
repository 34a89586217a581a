"""Notes: what CI shows of a suite beside a log, one for each finding that matters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from convert.diff.reports.appearance import LONGEST, shown
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.storage import is_url
from convert.suite.reports.repeated_words import told_of_runs
from convert.suite.results import CaseFinding, CaseLimit, CaseResult, CaseSide
from convert.suite.suite import Suite
from convert.wording.sanitise import truncate

Weight = Literal["trouble", Severity]
_WEIGHTS: tuple[Weight, ...] = (*SEVERITIES, "trouble")
# Standard input has no place in a repository.
_NO_PATHS = ("", "-", "<stdin>")


class Note(NamedTuple):
    """A finding with its place, for people who read no report."""

    case: str
    """The name of the case; empty for all cases together."""

    check: str
    """The category of a finding, or another word.

    Else it is `trouble`, `missing`, `new`, `limit`, `runs` for runs that do not count,
    or `case` for one whose runs are different in sum, and in no finding that counts.
    """

    weight: Weight
    """How much it matters; `trouble` for a log that cannot be compared."""

    decides: bool
    """It makes the command exit with another status than 0."""

    path: str
    """The log that shows it; empty if none does."""

    line: int | None
    """The line of that log, from 1; None for the log as a whole."""

    words: str
    """The problem, on one line."""

    key: str = ""
    """Tells it from other notes of its case and check, in the next comparison too."""

    call: str = ""
    """The numbers of the call in both runs, as `3 -> 4`; empty for whole runs."""

    agents: str = ""
    """The agents of the two runs; empty if it is one."""

    @property
    def text(self) -> str:
        """The problem, with the call that it is about."""
        return f"call {self.call}: {self.words}" if self.call else self.words


def notes(suite: Suite) -> list[Note]:
    """Return the notes of all cases, the worst first."""
    found = [_of_limit(limit, "", "", True) for limit in suite.limits]
    found += [
        note._replace(agents=case.agents)
        for case in suite.cases
        for note in _of_case(case, suite.settings)
    ]
    return sorted(found, key=lambda note: (-_WEIGHTS.index(note.weight), -note.decides))


def in_numbers(found: list[Note]) -> str:
    """Return how many notes there are of each weight: `1 trouble, 2 major`."""
    weights = Counter(note.weight for note in found)
    order = [weight for weight in reversed(_WEIGHTS) if weights[weight]]
    return ", ".join(f"{weights[weight]:,} {weight}" for weight in order)


def place_in(root: str, path: str) -> str:
    """Return the path of a log from the root of a repository, if it is inside.

    `root` is the current folder if it is empty.
    """
    if is_url(path):
        return path
    folder, name = os.path.split(path)
    whole = os.path.join(os.path.realpath(folder), name)
    try:
        inside = os.path.relpath(whole, os.path.realpath(root))
    except ValueError:
        # They are on two drives.
        inside = os.pardir
    is_outside = inside.split(os.sep, 1)[0] == os.pardir
    return (path if is_outside else inside).replace(os.sep, "/")


def _of_case(case: CaseResult, settings: Settings) -> Iterator[Note]:
    path = _first_path(case.b, case.a)
    match case.fate:
        case "trouble":
            yield _whole(case, "trouble", "trouble", _log_in(case) or path)
            # Those repeated runs that can be read are compared.
            yield from _of_findings(case, settings) if case.findings else ()
        case "missing":
            yield _whole(case, "missing", case.severity, _first_path(case.a))
        case "new":
            yield _whole(case, "new", case.severity, _first_path(case.b))
        case _:
            yield from _of_findings(case, settings)
    for limit in case.limits:
        yield _of_limit(limit, case.name, path, not case.may_fail)
    if case.repeated and case.repeated.is_told:
        words = _on_one_line("; ".join(told_of_runs(case.repeated)))
        yield Note(case.name, "runs", "info", False, path, None, words)


def _of_limit(limit: CaseLimit, case: str, path: str, decides: bool) -> Note:
    words = _on_one_line(f"{limit.what} ({limit.option})")
    return Note(case, "limit", "major", decides, path, None, words, limit.option)


def _of_findings(case: CaseResult, settings: Settings) -> Iterator[Note]:
    """Yield the findings that a summary lists, or the verdict that none explains."""
    found = [
        _of_finding(finding, case, settings)
        for finding in case.findings
        if _matters(finding, settings)
    ]
    yield from found
    if _decides(case) and not any(note.decides for note in found):
        yield _whole(case, "case", case.severity, _first_path(case.b, case.a))


def _of_finding(finding: CaseFinding, case: CaseResult, settings: Settings) -> Note:
    text = f"{finding.category} ({finding.severity}): {finding.what}"
    path, line = _place_of(finding, case)
    return Note(
        case.name,
        finding.category,
        finding.severity,
        _decides(case) and _counts(finding, settings),
        "" if path in _NO_PATHS else path,
        line,
        _on_one_line(text),
        finding.what,
        finding.call,
    )


def _place_of(finding: CaseFinding, case: CaseResult) -> tuple[str, int | None]:
    """Return where the call of a finding starts in the candidate, else in the baseline.

    One about no call stands at the line that shows it.
    """
    lines = [
        (case.b, finding.started_b),
        (case.a, finding.started_a),
        (case.b, finding.line_b),
        (case.a, finding.line_a),
    ]
    return next(
        ((side.log, line) for side, line in lines if line is not None),
        (_first_path(case.b, case.a), None),
    )


def _whole(case: CaseResult, check: str, weight: Weight, path: str) -> Note:
    """Return the verdict on a case as a note."""
    text = _on_one_line(case.headline)
    return Note(case.name, check, weight, case.is_failure, path, None, text)


def _decides(case: CaseResult) -> bool:
    """Return True if what differs in a case, and no limit, makes it a failure."""
    return case.is_different and not case.may_fail


def _matters(finding: CaseFinding, settings: Settings) -> bool:
    """Return True unless a finding is for information only."""
    return finding.severity not in ("none", "info") or _counts(finding, settings)


def _counts(finding: CaseFinding, settings: Settings) -> bool:
    """Return True for a finding that is as severe as `--fail-on` asks for."""
    order = SEVERITIES.index
    return not finding.waived and order(finding.severity) >= order(settings.fail_on)


def _log_in(case: CaseResult) -> str:
    """Return the log that the message of a case in trouble begins with."""
    logs = (*case.a.logs, *case.b.logs)
    return next((log for log in logs if case.headline.startswith(log)), "")


def _first_path(*sides: CaseSide) -> str:
    """Return the first log that a side names; empty if none does."""
    named = (log for side in sides for log in (side.log, *side.logs))
    return next((log for log in named if log not in _NO_PATHS), "")


def _on_one_line(text: str) -> str:
    return truncate(shown(text), LONGEST)
