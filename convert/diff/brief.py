"""The few causes that explain most of a comparison, and if the candidate is worse.

Findings of one change are one cause: a file that ends differently explains the edits of
it, and tests that fail explain the outcome of their command.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec import Struct

from convert.diff.alignment.rows import CallComparison, comparisons
from convert.diff.calls.aligned_call import AlignedCall
from convert.diff.calls.trajectory import ComparedRun
from convert.diff.checks import PASSED
from convert.diff.comparison import Comparison, Finding, RunComparison, run_of
from convert.diff.files import NO_DIFFERENCE, changed_by
from convert.facts.run_reasons import OUTSIDE
from convert.options.settings import SEVERITIES, Category, Severity
from convert.wording import compiled

Word = Literal["worse", "better", "different", "same"]
# `instead`: each run changed files that the other did not; `lone`: only one did.
# `looks`: all calls without an effect that only one of the runs made. `other call`: the
# runs diverge with one call that only the candidate made, and one of the baseline.
CauseKind = Literal["instead", "lone", "file", "looks", "other call", "finding"]

_MOST_CAUSES = 3


class Cause(Struct, frozen=True):
    """Findings that one change explains."""

    kind: CauseKind
    """The shape of the sentence that describes the change."""

    findings: list[Finding]
    """The findings, the one that shows most of it first."""

    only_a: list[str] = []
    """The files that only the baseline changed, if the cause is about files."""

    only_b: list[str] = []
    """The files that only the candidate changed, if the cause is about files."""

    @property
    def first(self) -> Finding:
        """The finding that shows most of the change."""
        return self.findings[0]


class Brief(Struct, frozen=True):
    """A comparison in a few causes."""

    word: Word
    """How the candidate compares with the baseline."""

    causes: list[Cause]
    """The cause that decides the word, then at most three that explain the rest."""

    diverging: RunComparison | None
    """The first pair of runs with calls that are not the same; None if none."""

    others: Counter[Severity]
    """The findings that no cause explains, by severity."""


def brief_of(compared: Comparison) -> Brief:
    """Return the few causes that explain most of a comparison."""
    found = [each for each in compared.findings if _counts(each, compared)]
    diverging = next((run for run in compared.runs if run.first_divergence), None)
    causes = list(_causes(found, compared))
    if diverging:
        causes = _with_other_call(causes, diverging)
    causes.sort(key=_rank(found))
    latest: _Latest = {}
    word = _word(compared, latest)
    direction = {"worse": -1, "better": 1}.get(word, 0)
    is_stopped = any(map(is_stopped_outside, compared.runs))
    if direction or is_stopped:
        decisive = [
            cause
            for cause in causes
            if (is_stopped and cause.first.category == "status")
            or (direction and _gain(cause.first, compared, latest) == direction)
        ]
        decisive.sort(key=lambda cause: _WEIGHTS[cause.first.category])
        for first in decisive[:1]:
            causes = [first, *(cause for cause in causes if cause is not first)]
    others = Counter(
        finding.severity
        for cause in causes[1 + _MOST_CAUSES :]
        for finding in cause.findings
    )
    return Brief(word, causes[: 1 + _MOST_CAUSES], diverging, others)


def _counts(finding: Finding, compared: Comparison) -> bool:
    is_info = finding.severity == "info" and compared.settings.fail_on != "info"
    return not (finding.waived or is_info)


# Findings that can show that one run did better, those that decide it first.
_WEIGHTS: dict[Category, int] = {
    "runs": 0,
    "status": 1,
    "claim": 2,
    "verification": 3,
    "tests": 4,
    "outcome": 5,
    "duration": 6,
    "usage": 6,
    "calls": 6,
    "errors": 6,
}


# By the identity of a run, when the latest success of each tool began.
_Latest = dict[int, dict[bytes, float]]


def _word(compared: Comparison, latest: _Latest) -> Word:
    """Return how the candidate compares with the baseline.

    A run that a quota, the network or authentication ended is neither worse nor better.
    Where either run did better in something, what matters most decides; equal things
    make them different.
    """
    if not any(_counts(finding, compared) for finding in compared.findings):
        return "same"
    if compared.is_better:
        return "better"
    if any(map(is_stopped_outside, compared.runs)):
        return "different"
    weights = defaultdict(list)
    for finding in compared.deciding:
        gain = _gain(finding, compared, latest)
        weights[gain].append(_WEIGHTS.get(finding.category, 9))
    best = min(weights[1], default=9)
    return "worse" if min(weights[-1], default=9) < best else "different"


def is_stopped_outside(run: RunComparison) -> bool:
    """Return True if no failure of the agent ended one of the runs."""
    return any(side and side.run.reason_kind in OUTSIDE for side in (run.a, run.b))


def _gain(finding: Finding, compared: Comparison, latest: _Latest) -> int:
    """Return 1 for a finding that the candidate did better, -1 for worse, else 0."""
    a, b = finding.from_, finding.to
    match finding.category:
        case "runs":
            return -1 if run_of(finding, compared).b is None else 1
        case "status":
            return (b == "success") - (a == "success")
        case "verification":
            return (b == PASSED) - (a == PASSED)
        case "claim":
            return 1 if finding.better else -1
        case "tests":
            return (1 if finding.better else -1) if finding.severity == "major" else 0
        case "outcome" if finding.comparison:
            run = run_of(finding, compared)
            is_lost = _is_lost(finding.comparison.b, run.sides[1], latest)
            return _is_lost(finding.comparison.a, run.sides[0], latest) - is_lost
        case "duration" | "usage" | "calls" | "errors":
            return -1
    return 0


def _is_lost(call: AlignedCall | None, run: ComparedRun | None, latest: _Latest) -> int:
    """Return 1 for a call with an effect that failed, and so did all later ones."""
    if call is None or run is None or call.recorded.outcome == "ok":
        return 0
    if id(run) not in latest:
        begun: dict[bytes, float] = {}
        for each in run.all_calls:
            if each.recorded.outcome == "ok":
                tool = each.keys.tool
                begun[tool] = max(begun.get(tool, 0), each.recorded.starts)
        latest[id(run)] = begun
    is_recovered = latest[id(run)].get(call.keys.tool, -1) >= call.recorded.ends
    return int(call.recorded.acts and not is_recovered)


# What a changed file or call may bring about.
_EFFECTS = ("claim", "verification", "tests", "outcome")


def _causes(findings: list[Finding], compared: Comparison) -> Iterator[Cause]:
    """Yield the findings of each change, as one cause."""
    alone = {run.number: _files_of_one(run) for run in compared.runs}
    ended = {id(each.comparison) for each in findings if each.category in _EFFECTS}
    groups: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        only_a, only_b = alone[finding.run]
        groups[_change(finding, only_a | only_b, ended)].append(finding)
    for (kind, *_), found in groups.items():
        match kind:
            case "files":
                only_a, only_b = alone[found[0].run]
                is_both = only_a and only_b
                how: CauseKind = "instead" if is_both else "lone"
                yield Cause(how, found, sorted(only_a), sorted(only_b))
            case "file":
                yield Cause("file", found)
            case "looks":
                yield Cause("looks", found)
            case _:
                found.sort(key=lambda each: _WEIGHTS.get(each.category, 9))
                yield Cause("finding", found)


def _change(finding: Finding, alone: set[str], ended: set[int]) -> tuple[object, ...]:
    """Return a key that findings of one change share, its kind first.

    `alone` are the files that only one run changed, `ended` the calls that ended
    otherwise.
    """
    comparison, category = finding.comparison, finding.category
    paths = _paths(finding)
    if paths and all(any(_is_at(path, each) for each in alone) for path in paths):
        return "files", finding.run
    if len(paths) == 1 and not (finding.file and finding.file.status != "differs"):
        return "file", finding.run, *paths
    if comparison is None:
        return "finding", id(finding)
    is_alone = not comparison.is_paired
    if category in _EFFECTS or (is_alone and id(comparison) in ended):
        return "ended", id(comparison)
    if is_alone and finding.severity == "minor" and not finding.is_new_failure:
        return "looks", finding.run, category
    if category not in ("args", "added", "removed"):
        return "finding", id(finding)
    keys = tuple(call.keys.arguments for call in comparison.calls)
    return "call", finding.run, category, keys


def _with_other_call(causes: list[Cause], run: RunComparison) -> list[Cause]:
    """Return causes with one for both calls with which the runs diverge.

    They stay two causes if a cause is about more than such a call.
    """
    calls = diverging_calls(run)
    both: list[Cause] = []
    for category, call in zip(("removed", "added"), calls, strict=True):
        both += (
            cause
            for cause in causes
            if cause.kind == "finding"
            and len(cause.findings) == 1
            and cause.first.category == category
            and cause.first.comparison
            and cause.first.comparison.call is call
        )
    if len(both) != len(calls):
        return causes
    rest = [cause for cause in causes if all(cause is not each for each in both)]
    return [*rest, Cause("other call", [both[1].first, both[0].first])]


def is_repeated(cause: Cause, run: RunComparison) -> bool:
    """Return True if both runs made the lone calls of a cause, and one more often."""
    comparison = cause.first.comparison
    if comparison is None or comparison.call.recorded.action_line:
        return False
    keys = comparison.call.keys
    alike = [
        call is each.a
        for each, _ in comparisons(run.rows)
        for call in each.calls
        if call.keys.tool == keys.tool and call.keys.arguments == keys.arguments
    ]
    ours = alike.count(comparison.b is None)
    others = len(alike) - ours
    return others > 0 and ours - others == len(cause.findings)


def _files_of_one(run: RunComparison) -> tuple[set[str], set[str]]:
    """Return the files that only the baseline changed, and only the candidate."""
    alone = [file for file in run.files if file.status not in NO_DIFFERENCE]
    only_a = {file.path for file in alone if file.b is None}
    return only_a, {file.path for file in alone if file.a is None}


def _paths(finding: Finding) -> set[str]:
    """Return the files that a finding is about, or that its calls change."""
    if finding.file is not None:
        return {finding.file.path}
    if finding.comparison is None or finding.category in (*_EFFECTS, "moved"):
        return set()
    calls = [each for each in finding.comparison.calls if not each.recorded.action_line]
    return {changed_by(call) for call in calls} - {""}


def _is_at(path: str, file: str) -> bool:
    """Return True if a path, which may be absolute, is that of a file."""
    return path == file or path.endswith(f"/{file}")


def _rank(findings: list[Finding]) -> Callable[[Cause], tuple[object, ...]]:
    """Return the order of causes: changes before their effects, the severe ones first.

    A call that ended otherwise is an effect if something differed before it.
    """
    changes = [
        _position(each)
        for each in findings
        if each.category in ("args", "tool", "added", "removed", "files")
        and each.severity != "minor"
    ]
    first = min(changes, default=None)

    def rank(cause: Cause) -> tuple[object, ...]:
        finding = cause.first
        severity = max(SEVERITIES.index(each.severity) for each in cause.findings)
        is_effect = (
            finding.category in ("status", "claim", "verification", "tests", "outcome")
            and first is not None
            and first < _position(finding)
        )
        is_unknown = finding.file is not None and finding.file.status.startswith(
            "unknown"
        )
        minor = SEVERITIES.index("minor")
        return (
            severity <= minor,
            is_effect or is_unknown,
            cause.kind != "instead",
            finding.is_about_text,
            -severity,
            cause.kind not in ("lone", "file"),
            -len(cause.findings),
            _position(finding),
        )

    return rank


def _position(finding: Finding) -> tuple[int, int]:
    lines = [line for line in (*finding.started, *finding.lines) if line]
    return finding.run, min(lines, default=0)


def diverging_calls(
    run: RunComparison,
) -> tuple[AlignedCall | None, AlignedCall | None]:
    """Return the calls at which two runs diverge; None where a run makes none."""
    place = run.first_divergence
    if place is None:
        return None, None
    names = place.names
    found: list[AlignedCall | None] = [None, None]
    for comparison, inside in comparisons(run.rows):
        for side, call in enumerate((comparison.a, comparison.b)):
            if call and _named(call, comparison, inside, side) == names[side]:
                found[side] = call
    return found[0], found[1]


def _named(
    call: AlignedCall,
    comparison: CallComparison,
    inside: Iterable[tuple[int, int]],
    side: int,
) -> str:
    numbers = [*(each[side] for each in inside), call.recorded.number]
    return ".".join(map(str, numbers))


_TEST_FOLDERS = r"(?:^|[/\\])(?:__)?(?:tests?|specs?|e2e|snapshots)(?:__)?[/\\]"
_TEST_NAMES = (
    r"(?:^|[/\\])(?:tests?_[^/\\]*|conftest\.py|[^/\\]*(?:[._-](?:tests?|specs?)"
    r"|[a-z0-9](?:Tests?|Spec|TestCase))\.\w+|[^/\\]*\.snap)$"
)
_NO_CODE = (
    r"\.(?:md|rst|txt|adoc|json|jsonc|ya?ml|toml|ini|cfg|conf|lock|env|csv|svg|png)$"
    r"|(?:^|[/\\])(?:[^./\\]+\.config\.\w+|\.[^/\\]*|CHANGELOG|LICENSE|Makefile)$"
)


def is_test(path: str) -> bool:
    """Return True for the path of a test."""
    return bool(compiled(f"{_TEST_FOLDERS}|{_TEST_NAMES}").search(path))


def is_code(path: str) -> bool:
    """Return True for the path of code that is no test."""
    return not is_test(path) and not compiled(_NO_CODE).search(path)
