"""How often the verdict on made-up suites is right, with a known change or none.

A night is a suite of some cases with some runs of each on either side. Its runs become
logs, and these go through all that `runconv diff` of two folders does with logs that
have been read. `support.simulated_runs` makes the runs.

Each case has a stock of runs, and a night draws from it without putting one back, and
draws which of them succeed. So if nothing changed, the runs of a case are exchangeable,
as the tests assume, and the traits of a run are found once for all nights.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from msgspec.structs import replace

from convert.diff import read_side
from convert.errors import ignore
from convert.options import Reading, Settings, SuiteSettings
from convert.suites import (
    CaseResult,
    CaseRun,
    CaseSide,
    Suite,
    TraitedRun,
    behaviour_of,
    judged,
    traits_of,
)
from convert.suites import run_of as run_of_log
from support.simulated_runs import (
    Call,
    Case,
    Generator,
    Logged,
    case_of,
    log_of,
    run_of,
)

GENERATORS: tuple[Generator, ...] = ("own", "varied")
RUNS = (1, 4, 8, 16)
CASES = (10, 20, 50, 100)
# How many runs a case has to draw from.
STOCK = 64
# The p after correction below which a figure is named.
SURE = 0.05


class Change(NamedTuple):
    """A change of the last version, and how the verdict shows it."""

    words: str
    make: Callable[[Case], Case]
    detected_by: Literal["red", "worse", "duration_ms"]
    """The verdict that shows it: red, worse, or that times grow."""


def _less_success(case: Case, rate: float) -> Case:
    """Let fewer runs succeed, so that 0.9 on average becomes another rate."""
    return case._replace(rate=case.rate * rate / 0.9)


def _one_call_more(case: Case) -> Case:
    return case._replace(last=(Call("shell", "npm audit"),))


def _other_order(case: Case) -> Case:
    """Let two usual calls change places that never do so by chance."""
    usual = [*case.usual]
    moving = {place + way for place, _ in case.swaps for way in (0, 1)}
    [*_, at] = [
        place
        for place in range(len(usual) - 1)
        if usual[place] != usual[place + 1] and not {place, place + 1} & moving
    ]
    usual[at], usual[at + 1] = usual[at + 1], usual[at]
    return case._replace(usual=tuple(usual))


def _slower_tool(case: Case) -> Case:
    return case._replace(duration_ms=1.5 * case.duration_ms)


NONE = Change("none", lambda case: case, "red")
CHANGES = (
    NONE,
    *(
        Change(
            f"success 0.9 to {rate}",
            functools.partial(_less_success, rate=rate),
            "worse",
        )
        for rate in (0.8, 0.7, 0.6)
    ),
    Change("one more call in every run", _one_call_more, "red"),
    Change("another order in every run", _other_order, "red"),
    Change("a tool that takes half as long again", _slower_tool, "duration_ms"),
)


class Cell(NamedTuple):
    """The suites that a share is about."""

    generator: Generator
    change: str
    """The words of the change."""

    cases: int
    runs: int
    """How many runs each case has on either side."""


class Night(NamedTuple):
    """The verdict on one suite."""

    word: str
    is_red: bool
    """The command would exit with 1."""

    is_detected: bool
    """The verdict says what has changed; if nothing has, that something did."""

    names_a_figure: bool
    """Some figure has grown or shrunk by more than chance explains."""

    holds: bool
    """The interval of success holds the true difference."""


def night(cell: Cell, number: int, seed: int) -> Night:
    """Make up a suite, judge it, and return its night."""
    suite = suite_of(cell, number, seed)
    change, cases = _change_of(cell), _cases_of(cell, seed)
    gain = fmean(change.make(case).rate - case.rate for case in cases)
    return _told(suite, change, gain)


def suite_of(cell: Cell, number: int, seed: int) -> Suite:
    """Make up a suite, and judge it."""
    results = [_result(*each) for each in runs_of(cell, number, seed)]
    return judged(("a", "b"), results, Settings(), SuiteSettings())


def runs_of(
    cell: Cell, number: int, seed: int
) -> Iterator[tuple[str, list[Logged], list[Logged]]]:
    """Yield the cases of a night by their names, with the runs of both versions."""
    dice = random.Random(f"{seed} {cell} {number}")
    change = _change_of(cell)
    for case in _cases_of(cell, seed):
        versions = [case] * cell.runs + [change.make(case)] * cell.runs
        logged = [
            run_of(each, at, seed, is_success=dice.random() < each.rate)
            for each, at in zip(
                versions, dice.sample(range(STOCK), 2 * cell.runs), strict=True
            )
        ]
        yield case.name, logged[: cell.runs], logged[cell.runs :]


def _change_of(cell: Cell) -> Change:
    [change] = [change for change in CHANGES if change.words == cell.change]
    return change


def _cases_of(cell: Cell, seed: int) -> list[Case]:
    return [case_of(cell.generator, number, seed) for number in range(cell.cases)]


def _result(name: str, a: Sequence[Logged], b: Sequence[Logged]) -> CaseResult:
    """Return the result of a case, as `compare_case` does of logs."""
    runs, traited = [], []
    for version, logged in (("a", a), ("b", b)):
        read = [
            _read(f"{version}/{name}/{at:02}", run, is_repeated=len(logged) > 1)
            for at, run in enumerate(logged)
        ]
        runs.append(tuple(run for run, _ in read))
        traited.append([traits for run, traits in read if traits and run.has_ended])
    sides = tuple(
        CaseSide(logs=tuple(run.log for run in each), runs=each) for each in runs
    )
    behaviour = behaviour_of(*traited)
    return CaseResult(name=name, sides=sides, fate="same", behaviour=behaviour)


def _read(
    log: str, logged: Logged, *, is_repeated: bool
) -> tuple[CaseRun, TraitedRun | None]:
    """Return a run as it is read from its log, with its traits unless it is a lone one.

    Many runs differ in their figures only, and are read once.
    """
    run, traits = _read_once(logged._replace(duration_ms=0, tokens=0), is_repeated)
    figures = {"duration_ms": logged.duration_ms, "tokens": logged.tokens}
    return replace(run, log=log, **figures), traits and replace(traits, log=log)


@functools.cache
def _read_once(logged: Logged, is_repeated: bool) -> tuple[CaseRun, TraitedRun | None]:
    log = [log_of(logged)]
    side = read_side(log, "stream-json", None, Reading(), Settings(), ignore)
    traits = traits_of("", side, Settings()) if is_repeated else None
    return run_of_log("", side), traits


def _told(suite: Suite, change: Change, gain: float) -> Night:
    verdict = suite.verdict
    success = verdict.success
    assert success is not None
    named = {each.name for each in verdict.figures if each.corrected < SURE}
    is_detected = {
        "red": suite.is_different,
        "worse": verdict.word == "worse",
        "duration_ms": "duration_ms" in named and not suite.is_different,
    }
    return Night(
        word=verdict.word,
        is_red=suite.is_different,
        is_detected=is_detected[change.detected_by],
        names_a_figure=bool(named),
        holds=success.low - 1e-9 <= gain <= success.high + 1e-9,
    )


def nights(
    cells: Iterable[Cell], number: int, seed: int, jobs: int = 1
) -> Iterator[tuple[Cell, list[Night]]]:
    """Yield the nights of each cell, in order, judged by so many processes."""
    work = functools.partial(_night_of, seed=seed)
    asked = [(cell, at) for cell in cells for at in range(number)]
    if jobs == 1:
        yield from _by_cell(asked, map(work, asked))
        return
    with multiprocessing.Pool(jobs) as pool:
        yield from _by_cell(asked, pool.imap(work, asked, chunksize=5))


def _night_of(asked: tuple[Cell, int], seed: int) -> Night:
    return night(*asked, seed)


def table(
    generator: Generator,
    changes: Sequence[Change],
    sizes: Sequence[tuple[int, int]],
    *,
    number: int,
    seed: int,
    jobs: int = 1,
    is_full: bool = False,
) -> Iterator[str]:
    """Yield the lines of a table of shares of nights, a row for each change.

    `sizes` are numbers of cases and of runs. A full one has rows for the intervals of
    success, and for figures that are named where nothing has changed.
    """
    yield _row(["change", *(f"{cases} × {runs}" for cases, runs in sizes)])
    yield _row("---" for _ in range(len(sizes) + 1))
    cells = [Cell(generator, each.words, *size) for each in changes for size in sizes]
    found = nights(cells, number, seed, jobs)
    for change in changes:
        made = [judged_ones for _, judged_ones in (next(found) for _ in sizes)]
        yield _row([change.words, *(_share(each, "is_detected") for each in made)])
        if is_full and change is NONE:
            shares = [_share(each, "names_a_figure") for each in made]
            yield _row([f"{change.words}: a figure is named", *shares])
        if is_full:
            shares = [_share(each, "holds") for each in made]
            yield _row([f"{change.words}: in the interval", *shares])


def _share(made: Sequence[Night], name: str) -> str:
    return f"{100 * fmean(getattr(each, name) for each in made):.1f} %"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _by_cell(
    asked: Sequence[tuple[Cell, int]], made: Iterable[Night]
) -> Iterator[tuple[Cell, list[Night]]]:
    pairs = zip(asked, made, strict=True)
    for cell, group in itertools.groupby(pairs, key=lambda pair: pair[0][0]):
        yield cell, [each for _, each in group]
