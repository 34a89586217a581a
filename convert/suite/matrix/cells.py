"""Cases as rows, versions as columns, and the tries of a case in each cell."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from convert.suite.matrix.grouping import case_names
from convert.suite.matrix.tries import Try
from convert.suite.medians import median_of


class Cell(Struct, frozen=True, kw_only=True):
    """The tries at a case in one version."""

    succeeded: int = 0
    ended: int = 0
    """Those that came to an end, well or not."""

    cut: int = 0
    """Those that broke off, which count neither way."""

    unknown: int = 0
    """Those whose logs do not record how they ended."""

    broken: int = 0
    """The logs that cannot be read."""

    calls: int | float | None = None
    """The median of the calls; None if no try records them."""

    time_ms: int | float | None = None
    """The median of the times."""


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
    """The logs that cannot be read."""

    @property
    def tries(self) -> int:
        """The number of logs that were counted."""
        cells = (cell for row in self.rows for cell in row.cells if cell)
        return sum(each.ended + each.cut + each.unknown for each in cells)


def matrix_of(
    columns: Sequence[str], versions: Sequence[Sequence[Try]], repeat: bool | None
) -> Matrix:
    """Return the matrix of the tries of some versions.

    With `repeat`, the logs of a folder are runs of one case; None looks if they are.
    """
    names = case_names(versions, repeat)
    cases: dict[str, list[list[Try]]] = {}
    for at, tries in enumerate(versions):
        for each in tries:
            sides = cases.setdefault(names[each.inside], [[] for _ in versions])
            sides[at].append(each)
    return Matrix(
        columns=tuple(columns),
        rows=tuple(
            Row(name, tuple(map(cell_of, cases[name]))) for name in sorted(cases)
        ),
        broken=tuple(each for tries in versions for each in tries if each.broken),
    )


def cell_of(tries: Sequence[Try]) -> Cell | None:
    """Return the tries at a case in one version; None if there are none."""
    if not tries:
        return None
    states = [each.state for each in tries if not each.broken]
    succeeded, failed = states.count("success"), states.count("error")
    unknown = states.count(None)
    # A run that was cut early has few calls, which says nothing of the agent.
    whole = [each for each in tries if each.state not in ("cut", "unfinished")]
    return Cell(
        succeeded=succeeded,
        ended=succeeded + failed,
        cut=len(states) - succeeded - failed - unknown,
        unknown=unknown,
        broken=len(tries) - len(states),
        calls=median_of(each.calls for each in whole),
        time_ms=median_of(each.time_ms for each in whole),
    )
