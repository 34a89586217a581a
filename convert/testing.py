"""Checking runs in tests, with or without pytest.

    from convert.testing import assert_same

    def test_the_fix():
        assert_same("golden/fix.json", "run.ndjson")

The plugin of pytest is `runconv_pytest`, in `suites/pytest_entry`. It and
`convert.suites.pytest_plugin` alone import pytest.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import convert

if TYPE_CHECKING:
    from convert.model.run import Run
    from convert.options.settings import Settings
    from convert.pipeline import Log

__all__ = ["assert_same"]


def assert_same(
    a: Log | Run,
    b: Log | Run,
    settings: Settings | None = None,
    *,
    names: tuple[str, str] | None = None,
) -> None:
    """Raise AssertionError with the unified report if two logs or runs differ.

    `a` is the baseline: a log, a run of `convert.read_runs`, or a trajectory that was
    approved, next to which further goldens of its case may be. `names` are those in
    the report, by default the paths. Raises InputError for a file that is no log.
    """
    from convert.diff.approved.goldens import goldens_beside, nearest
    from convert.suites.golden_checks import difference, name_of

    __tracebackhide__ = True
    name = name_of(a, "baseline")
    found = {name: convert.compare(a, b, settings=settings)}
    if isinstance(a, str | os.PathLike) and isinstance(b, str | os.PathLike | bytes):
        for golden in goldens_beside(name):
            found[golden] = convert.compare(golden, b, settings=settings)
    best = nearest(found)
    if found[best].is_different:
        names = names or (best, name_of(b, "candidate"))
        raise AssertionError(difference(found[best], names))
