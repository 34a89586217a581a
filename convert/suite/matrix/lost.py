"""Cases that succeed less often than in the version before, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from convert.suite.chance import FEWEST, fisher, holm, least_fisher
from convert.suite.matrix.cells import Cell, Matrix, Row

# From what matters most: chance hardly makes it; the case is gone; no run came to an
# end; there are too few runs to tell; chance may well make it.
Kind = Literal["regressed", "missing", "stopped", "few", "chance"]
KINDS: tuple[Kind, ...] = ("regressed", "missing", "stopped", "few", "chance")
# The p below which a loss is no chance.
MAX_P = 0.05


class Loss(Struct, frozen=True, kw_only=True):
    """A case that succeeds less often than in the version before."""

    case: str
    kind: Kind
    before: int
    """The column of the last version before that has the case, from 0."""

    at: int
    """The column that lost."""

    until: int | None = None
    """The first column after it that is as good as before; None if it stayed so."""

    p: float | None = None
    corrected: float | None = None
    """The p after Holm's correction for all tests of the matrix."""


class _Step(Struct, frozen=True):
    """A case in a version and in the last one before that has it."""

    row: Row
    before: int
    at: int

    @property
    def cells(self) -> tuple[Cell, Cell]:
        """The cells of both versions."""
        was, now = self.row.cells[self.before], self.row.cells[self.at]
        assert was is not None
        assert now is not None
        return was, now


def losses(matrix: Matrix) -> list[Loss]:
    """Return what got worse from each version to the next, in the order of these."""
    steps = [step for row in matrix.rows for step in _steps(row)]
    tests = [fisher_of(step.cells) for step in steps]
    corrected = iter(holm([p for p in tests if p is not None]))
    found = [*_missing(matrix)]
    for step, p in zip(steps, tests, strict=True):
        after = None if p is None else next(corrected)
        if _is_less(*step.cells):
            found.append(_loss(step, p, after))
    return sorted(found, key=lambda loss: (loss.at, KINDS.index(loss.kind), loss.case))


def fisher_of(cells: tuple[Cell, Cell]) -> float | None:
    """Return the p of a difference of two cells; None where it tells nothing.

    That is below 4 against 4, and where so few runs failed that no p could be small.
    """
    a, b = ((cell.succeeded, cell.ended) for cell in cells)
    if min(a[1], b[1]) < FEWEST:
        return None
    if least_fisher(a[0] + b[0], a[1], b[1]) >= MAX_P:
        return None
    return fisher(a, b)


def _steps(row: Row) -> Iterator[_Step]:
    """Yield each version that has the case with the last one before that ran it."""
    before: int | None = None
    for at, cell in enumerate(row.cells):
        if cell is None:
            continue
        if before is not None:
            yield _Step(row, before, at)
        if cell.ended:
            before = at


def _missing(matrix: Matrix) -> Iterator[Loss]:
    """Yield where a case is gone that the version before has."""
    for row in matrix.rows:
        for at in range(1, len(row.cells)):
            if row.cells[at - 1] is not None and row.cells[at] is None:
                later = range(at, len(row.cells))
                until = next((to for to in later if row.cells[to] is not None), None)
                yield Loss(
                    case=row.name, kind="missing", before=at - 1, at=at, until=until
                )


def _is_less(was: Cell, now: Cell) -> bool:
    """Tell if a smaller share of the runs succeeded, or all were stopped."""
    if not now.ended:
        return now.stopped > 0
    return now.succeeded * was.ended < was.succeeded * now.ended


def _loss(step: _Step, p: float | None, corrected: float | None) -> Loss:
    was, now = step.cells
    kind: Kind = "chance"
    if not now.ended:
        kind = "stopped"
    elif corrected is not None and corrected < MAX_P:
        kind = "regressed"
    elif min(was.ended, now.ended) < FEWEST:
        kind = "few"
    return Loss(
        case=step.row.name,
        kind=kind,
        before=step.before,
        at=step.at,
        until=_recovered(step),
        p=p,
        corrected=corrected,
    )


def _recovered(step: _Step) -> int | None:
    """Return the first version after a loss that is as good as the one before it."""
    was, _ = step.cells
    for at in range(step.at + 1, len(step.row.cells)):
        cell = step.row.cells[at]
        if cell is not None and cell.ended and not _is_less(was, cell):
            return at
    return None
