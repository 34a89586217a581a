"""The repeated runs of a case, in figures and without the runs themselves."""

from __future__ import annotations

from msgspec import Struct

from convert.model.events import ReasonKind
from convert.stats.quantiles import Rate

# A finding that as many of 100 pairs across show is steady.
STEADY = 80


class Flaps(Struct, frozen=True):
    """In how many pairs of runs a finding occurs."""

    within: int
    """The pairs within the baseline that show it, in either direction."""

    of_within: int
    across: int
    """The pairs of a run of the baseline and one of the candidate that show it."""

    of_across: int

    @property
    def is_new(self) -> bool:
        """No two runs of the baseline differ so."""
        return self.within == 0

    @property
    def is_steady(self) -> bool:
        """Nearly all pairs across differ so."""
        return 100 * self.across >= STEADY * self.of_across

    @property
    def decides(self) -> bool:
        """It is new and steady; any other finding is for information only."""
        return self.is_new and self.is_steady

    def __str__(self) -> str:
        return (
            f"{self.within:,} of {self.of_within:,} within,"
            f" {self.across:,} of {self.of_across:,} across"
        )


class Test(Struct, frozen=True):
    """How easily chance alone makes such a difference between two samples."""

    p: float
    corrected: float
    """The p after Holm's correction for all tests of the case."""

    is_significant: bool
    """The corrected p is below the limit."""


class Success(Struct, kw_only=True):
    """How many runs succeeded on each side, of those that were not stopped."""

    a: Rate | None
    b: Rate | None
    test: Test | None = None
    """None below 4 against 4, and where so few failures could not tell anything."""

    all_of: list[tuple[int, float, float]] = []
    """For a number of tries: the chance on each side that all of them succeed."""

    @property
    def is_loss(self) -> bool:
        """The candidate succeeds less often, and hardly by chance."""
        is_told = self.test is not None and self.test.is_significant
        return is_told and bool(self.a and self.b and self.b.share < self.a.share)


class Sample(Struct, frozen=True):
    """A figure of the runs of one side that record it."""

    recorded: int
    median: int | float
    """For an even number of runs, the mean of the two in the middle."""

    least: int | float
    most: int | float


class Measure(Struct, kw_only=True):
    """One figure of the runs on both sides; None where no run records it."""

    name: str
    """`calls`, `duration_ms`, `tokens` or `cost_usd`."""

    a: Sample | None
    b: Sample | None
    test: Test | None = None
    """None below 4 against 4, above 32 runs, and where all runs have the same."""


class Distances(Struct, frozen=True):
    """How far runs are apart: 1 less their similarity, from 0 to 1."""

    pairs: int
    median: float
    most: float


class Path(Struct, frozen=True, kw_only=True):
    """The sequence of calls that most runs of a side have in common."""

    runs: int
    """The number of runs that have it."""

    of: int
    steps: tuple[str, ...]
    """The first of its calls, each by its tool and what it is about."""

    calls: int
    """The number of its calls."""


class RepeatedSide(Struct, kw_only=True):
    """The runs of one side."""

    runs: int
    """How many logs were read."""

    cut: tuple[str, ...] = ()
    """The logs that break off: failures, and not compared unless nothing else is."""

    stopped: dict[str, ReasonKind] = {}
    """The logs of runs that a quota, the network or authentication ended, and by what.

    They count neither way, and are not compared unless nothing else is.
    """

    medoid: str
    """The log of the run that is the nearest to all others of its side."""

    path: Path | None = None
    """None if a log does not record calls."""


class Repeated(Struct, kw_only=True):
    """The figures of the repeated runs of a case."""

    a: RepeatedSide
    b: RepeatedSide
    success: Success
    measures: list[Measure]
    within: Distances | None = None
    """How far runs of the baseline are apart: the noise floor; None for one run."""

    across: Distances = Distances(0, 0.0, 0.0)
    """How far runs of the candidate are from those of the baseline."""

    is_same_path: bool = False
    """The most common sequence of calls is the same on both sides."""

    others: int = 0
    """The number of findings that are not listed: they flap, or are seldom."""

    is_counted_only: bool
    """There are too few runs to tell a difference from chance."""

    tests: int = 0
    """The number of tests."""

    least_p: float = 1.0
    """The least p that one test can reach with so many runs."""

    max_p: float = 0.05
    """The p below which a difference counts."""

    @property
    def is_told(self) -> bool:
        """Reports list the case even if it is the same: runs are missing."""
        lacks = any(side.cut or side.stopped for side in (self.a, self.b))
        return lacks or not self.is_even

    @property
    def is_even(self) -> bool:
        """Both sides have as many runs."""
        return self.a.runs == self.b.runs
