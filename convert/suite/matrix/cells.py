"""Cases as rows, versions as columns, and the tries of a case in each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from statistics import median

from msgspec import Struct

from convert.facts.run_reasons import OUTSIDE
from convert.source.names import stem_of
from convert.suite.matrix.grouping import case_names
from convert.suite.matrix.tries import Try, copy_of
from convert.suite.medians import median_of
from convert.wording.paths import spelled

_CUT = ("cut", "unfinished")


class Cell(Struct, frozen=True, kw_only=True):
    """The tries at a case in one version."""

    succeeded: int = 0
    ended: int = 0
    """Those that ended, well or not; one that broke off has failed."""

    cut: int = 0
    """Those of them that broke off."""

    stopped: int = 0
    """Those that a quota, the network or authentication ended: they count neither way.
    """

    unknown: int = 0
    """Those whose logs do not record how they ended."""

    broken: int = 0
    """The logs that cannot be read, and folders."""

    copies: int = 0
    """The logs of one case that lie side by side, of which none counts."""

    calls: int | float | None = None
    """The median of the calls; None if no try records them."""

    time_ms: int | float | None = None
    """The median of the times."""

    cost_usd: float | None = None
    """The median of the costs in US dollars."""


class Row(Struct, frozen=True):
    """A case in all versions."""

    name: str
    cells: tuple[Cell | None, ...]
    """A cell for each version; None where the case is missing."""


class Matrix(Struct, frozen=True, kw_only=True):
    """All cases in all versions."""

    columns: tuple[str, ...]
    """The names of the versions, in their order."""

    rows: tuple[Row, ...]
    """The cases, in the order of their names."""

    broken: tuple[Try, ...]
    """The logs that do not count, since they cannot be read or are copies."""

    @property
    def has_costs(self) -> bool:
        """One of the tries records its cost."""
        cells = (cell for row in self.rows for cell in row.cells if cell)
        return any(each.cost_usd is not None for each in cells)

    @property
    def tries(self) -> int:
        """The number of logs that were counted."""
        cells = (cell for row in self.rows for cell in row.cells if cell)
        return sum(each.ended + each.stopped + each.unknown for each in cells)


def matrix_of(
    columns: Sequence[str],
    versions: Sequence[Sequence[Try]],
    repeat: bool | None,
    unreadable: Sequence[Collection[str]] = (),
) -> Matrix:
    """Return the matrix of the tries of some versions.

    With `repeat`, the logs of a folder are runs of one case; None looks if they are.
    `unreadable` are the folders inside of each version that cannot be read.
    """
    names = case_names(versions, repeat)
    versions = [_without_copies(tries, names) for tries in versions]
    cases: dict[str, list[list[Try]]] = {}
    for at, tries in enumerate(versions):
        for each in tries:
            sides = cases.setdefault(names[each.inside], [[] for _ in versions])
            sides[at].append(each)
    return Matrix(
        columns=tuple(columns),
        rows=tuple(
            _row(name, map(cell_of, cases[name]), unreadable) for name in sorted(cases)
        ),
        broken=tuple(each for tries in versions for each in tries if each.broken),
    )


def _without_copies(tries: Sequence[Try], names: Mapping[str, str]) -> list[Try]:
    """Return tries, where logs of one case that are no repeated runs do not count."""
    alone = [
        names[each.inside]
        for each in tries
        if not each.broken and names[each.inside] == spelled(stem_of(each.inside))
    ]
    copied = {name for name, times in Counter(alone).items() if times > 1}
    return [
        copy_of(each) if names[each.inside] in copied and not each.broken else each
        for each in tries
    ]


def _row(
    name: str, cells: Iterable[Cell | None], unreadable: Sequence[Collection[str]]
) -> Row:
    """Return a case; one in a folder that cannot be read is not missing."""
    hidden = [
        any(f"{name}/".startswith(f"{folder}/" if folder else "") for folder in folders)
        for folders in unreadable
    ]
    return Row(
        name,
        tuple(
            Cell(broken=1) if cell is None and is_hidden else cell
            for cell, is_hidden in zip_longest(cells, hidden)
        ),
    )


def cell_of(tries: Sequence[Try]) -> Cell | None:
    """Return the tries at a case in one version; None if there are none."""
    if not tries:
        return None
    read = [each for each in tries if not each.broken]
    states = [each.state for each in read if each.reason_kind not in OUTSIDE]
    cut = sum(state in _CUT for state in states)
    unknown = states.count(None)
    copies = sum(each.is_copy for each in tries)
    # A run that was cut early has few calls, which says nothing of the agent.
    whole = [
        each
        for each in tries
        if each.state not in _CUT and each.reason_kind not in OUTSIDE
    ]
    return Cell(
        succeeded=states.count("success"),
        ended=len(states) - unknown,
        cut=cut,
        stopped=len(read) - len(states),
        unknown=unknown,
        broken=len(tries) - len(read) - copies,
        copies=copies,
        calls=median_of(each.calls for each in whole),
        time_ms=median_of(each.time_ms for each in whole),
        cost_usd=_median_cost(whole),
    )


def _median_cost(tries: Iterable[Try]) -> float | None:
    costs = [each.cost_usd for each in tries if each.cost_usd is not None]
    return float(median(costs)) if costs else None
