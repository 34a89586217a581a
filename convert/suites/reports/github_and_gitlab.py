"""Remarks that CI shows next to the log of a job.

Both show the sentence about the suite first, then a remark for each finding that
matters where findings decide, and one for each case that explains the verdict.

For GitHub, a remark is a command to the runner on a line of its own, which it takes
from the log of the step. The texts of a log cannot begin a command, or end the one that
they are in. For GitLab, it is an issue of Code Quality. GitLab compares the reports of
two branches by the fingerprints of their issues. The fingerprint of a finding depends
on its case, its category and its words, and not on its lines; that of a limit does not
depend on the figure that was measured.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from convert.diff.reports import LONGEST, ReportLine, ReportOptions
from convert.options.settings import SEVERITIES, Settings, Severity
from convert.suites.case_result import CaseFinding, CaseLimit, CaseResult
from convert.suites.reports.phrases import explaining, sentence_of
from convert.suites.suite_result import Suite
from convert.suites.verdict.notes import notes
from convert.suites.verdict.sentences import sentence
from convert.wording.escapes import (
    escape_runner_commands,
    repair_surrogates,
    runner_command,
    safe_line,
    truncate,
)
from convert.wording.paths import is_url

Weight = Literal["trouble", Severity]
_WEIGHTS: tuple[Weight, ...] = (*SEVERITIES, "trouble")
# Standard input has no place in a repository.
_NO_PATHS = ("", "-", "<stdin>")
# GitHub shows ten of a kind for each step, and no more than fifty for each job.
_MOST = 10
# The severities of GitLab are info, minor, major, critical and blocker.
_SEVERITIES: dict[Weight, str] = {"trouble": "blocker", "none": "info"}


class Remark(NamedTuple):
    """A finding, a case or a limit with its place, for people who read no report."""

    case: str
    """The name of the case; empty for all cases together."""

    check: str
    """The category of a finding, or another word.

    Else it is `trouble`, `missing`, `new`, `limit`, or `case` for a case as a whole.
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
    """Equal for the same remark in the next comparison, unlike that of others."""

    call: str = ""
    """The numbers of the call in both runs, as `3 -> 4`; empty for whole runs."""

    agents: str = ""
    """The agents of the two runs; empty if it is one."""

    @property
    def text(self) -> str:
        """The problem, with the call that it is about."""
        return f"call {self.call}: {self.words}" if self.call else self.words


def github(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield annotations, the sentence and the worst remarks, and then the notes."""
    kind = "error" if suite.is_different or suite.has_trouble else "notice"
    yield ReportLine(runner_command(kind, sentence(suite), title="runconv"))
    found = remarks(suite)
    for remark in found[: _MOST - 1]:
        yield ReportLine(_annotation(remark, options))
    if rest := found[_MOST - 1 :]:
        yield ReportLine(f"… {len(rest):,} more without annotation: {in_weights(rest)}")
    for note in notes(suite):
        yield ReportLine(escape_runner_commands(note))


def gitlab(suite: Suite, options: ReportOptions) -> Iterator[ReportLine]:
    """Yield an array with an issue on each line; it is empty if nothing is to say."""
    issues = [json.dumps(issue, sort_keys=True) for issue in _issues(suite, options)]
    lines = ",\n".join(issues)
    yield from map(ReportLine, f"[\n{lines}\n]".split("\n") if issues else ["[]"])


def remarks(suite: Suite) -> list[Remark]:
    """Return the remarks about all cases, the worst first."""
    explained = {case.name for case in explaining(suite)}
    found = [_of_limit(limit, "", "", True) for limit in suite.limits]
    found += [
        remark._replace(agents=case.agents)
        for case in suite.cases
        for remark in _of_case(case, suite.settings, case.name in explained)
    ]
    return sorted(found, key=lambda each: (-_WEIGHTS.index(each.weight), -each.decides))


def in_weights(found: list[Remark]) -> str:
    """Return how many remarks there are of each weight: `1 trouble, 2 major`."""
    weights = Counter(remark.weight for remark in found)
    order = sorted(weights, key=_WEIGHTS.index, reverse=True)
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


def _annotation(remark: Remark, options: ReportOptions) -> str:
    """Return the command that shows a remark, as an error only if it decides."""
    properties = {
        "file": place_in(options.root, remark.path) if remark.path else "",
        "line": str(remark.line or "") if remark.path else "",
        "title": f"{remark.case or 'all cases'}: {remark.check}",
    }
    kind = "error" if remark.decides else "warning"
    return runner_command(kind, remark.text, **properties)


def _issues(suite: Suite, options: ReportOptions) -> Iterator[dict[str, object]]:
    times: Counter[tuple[str, ...]] = Counter()
    for remark in [*_verdict(suite), *remarks(suite)]:
        words = (remark.case, remark.check, remark.key)
        times[words] += 1
        name = f"{remark.case or 'all cases'}: " if remark.check != "verdict" else ""
        agents = f" ({remark.agents})" if remark.agents else ""
        yield {
            "description": safe_line(f"{name}{remark.text}{agents}"),
            "check_name": f"runconv/{remark.check}",
            "fingerprint": _fingerprint(*words, str(times[words])),
            "severity": _SEVERITIES.get(remark.weight, remark.weight),
            "location": {
                "path": repair_surrogates(
                    place_in(options.root, remark.path or suite.b)
                ),
                "lines": {"begin": remark.line or 1},
            },
        }


def _verdict(suite: Suite) -> Iterator[Remark]:
    """Yield the sentence where a reviewer must see it."""
    word = suite.verdict.word
    if suite.is_judged and (suite.is_red or word == "cannot tell"):
        weight: Weight = "major" if suite.is_red else "info"
        weight = "critical" if word == "worse" else weight
        text = sentence(suite)
        yield Remark("", "verdict", weight, suite.is_red, "", None, text, word)


def _fingerprint(*words: str) -> str:
    """Return a digest of words, among which no two lists are alike."""
    text = repair_surrogates(json.dumps(words, ensure_ascii=False))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _of_case(case: CaseResult, settings: Settings, explains: bool) -> Iterator[Remark]:
    path = _first_path(case)
    match case.fate:
        case "trouble":
            weight: Weight = "trouble" if case.by_findings else "major"
            yield _whole(case, "trouble", weight, case.troubled_log or path)
            # Those repeated runs that can be read are compared.
            yield from _of_findings(case, settings) if case.findings else ()
        case "missing" | "new":
            yield _whole(case, case.fate, case.severity, path)
        case _ if case.by_findings:
            yield from _of_findings(case, settings)
        case _ if explains and not case.limits:
            yield _of_behaviour(case)
    for at, limit in enumerate(case.limits):
        why = "" if at else sentence_of(case)
        yield _of_limit(limit, case.name, path, not case.may_fail, why)


def _of_limit(
    limit: CaseLimit, case: str, path: str, decides: bool, why: str = ""
) -> Remark:
    words = _on_one_line(f"{limit.what} ({limit.option}){why and f'. {why}'}")
    return Remark(case, "limit", "major", decides, path, None, words, limit.option)


def _of_behaviour(case: CaseResult) -> Remark:
    """Return a case that explains the verdict, at the line that shows the change."""
    path, line = _first_path(case), None
    # The run that fails now shows more than a call that is no longer made.
    is_fall = case.standing == "fell"
    if not is_fall and case.changes:
        path, line = case.changes[0].log or path, case.changes[0].line
    elif not is_fall and case.findings:
        path, line = _place_of(case.findings[0], case)
    weights: dict[str, Weight] = {"fell": "major", "rose": "info"}
    weight = weights.get(case.standing, "minor")
    words = _on_one_line(sentence_of(case))
    return Remark(case.name, case.standing, weight, False, path, line, words)


def _of_findings(case: CaseResult, settings: Settings) -> Iterator[Remark]:
    """Yield the findings that a summary lists, or the verdict that none explains."""
    # A difference in the case, and no limit, makes it a failure.
    is_failure = case.by_findings and case.is_different and not case.may_fail
    order = SEVERITIES.index
    is_explained = False
    for each in case.findings:
        # It is as severe as `--fail-on` asks for.
        is_severe = order(each.severity) >= order(settings.fail_on)
        counts = is_severe and not each.waived
        if each.severity in ("none", "info") and not counts:
            # It is for information only.
            continue
        is_explained |= counts
        path, line = _place_of(each, case)
        yield Remark(
            case.name,
            each.category,
            each.severity,
            is_failure and counts,
            "" if path in _NO_PATHS else path,
            line,
            _on_one_line(f"{each.category} ({each.severity}): {each.what}"),
            each.what,
            each.call,
        )
    if is_failure and not is_explained:
        yield _whole(case, "case", case.severity, _first_path(case))


def _place_of(finding: CaseFinding, case: CaseResult) -> tuple[str, int | None]:
    """Return where the call of a finding starts in the candidate, else in the baseline.

    One about no call appears at the line that shows it.
    """
    lines = [
        (case.b, finding.started_b),
        (case.a, finding.started_a),
        (case.b, finding.line_b),
        (case.a, finding.line_a),
    ]
    return next(
        ((side.log, line) for side, line in lines if line is not None),
        (_first_path(case), None),
    )


def _whole(case: CaseResult, check: str, weight: Weight, path: str) -> Remark:
    """Return the verdict on a case as a remark."""
    text = _on_one_line(case.headline)
    return Remark(case.name, check, weight, case.is_failure, path, None, text)


def _first_path(case: CaseResult) -> str:
    """Return the first log of the last version, else of the first; empty for none."""
    named = (log for side in (case.b, case.a) for log in (side.log, *side.logs))
    return next((log for log in named if log not in _NO_PATHS), "")


def _on_one_line(text: str) -> str:
    return truncate(safe_line(text), LONGEST)
