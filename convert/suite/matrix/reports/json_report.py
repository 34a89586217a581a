"""json: for scripts. One object on one line, the same bytes for the same runs.

`matrix.schema.json` in the folder above describes its members. Members may be added;
the others keep their names and meanings while `schema` is 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from convert.diff.reports.appearance import Look, ReportLine
from convert.suite.matrix.cells import Matrix
from convert.suite.matrix.lost import Loss, losses
from convert.wording.sanitise import repair_surrogates

_SCHEMA = 1


def report(matrix: Matrix, look: Look) -> Iterator[ReportLine]:
    """Yield everything as one object."""
    whole = {
        "schema": _SCHEMA,
        "versions": matrix.columns,
        "tries": matrix.tries,
        "cases": msgspec.to_builtins(matrix.rows),
        "losses": [_loss(loss, matrix) for loss in losses(matrix)],
        "broken": [{"log": each.log, "reason": each.broken} for each in matrix.broken],
    }
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    yield ReportLine(repair_surrogates(text))


def _loss(loss: Loss, matrix: Matrix) -> dict[str, Any]:
    return {
        "case": loss.case,
        "kind": loss.kind,
        "from": matrix.columns[loss.before],
        "to": matrix.columns[loss.at],
        "until": None if loss.until is None else matrix.columns[loss.until],
        "p": loss.p,
        "corrected": loss.corrected,
    }
