"""The brief: its word, its mirror, its size, and tests edited instead of code."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from convert import compare
from convert.diff import ReportOptions
from convert.diff.brief import brief_of, is_code, is_test
from convert.diff.reports.brief_lines import brief_lines
from support.golden import logs
from support.matrix import each, part

PAIRS = [
    *pairwise(logs(".ndjson", of_pairs=True)),
    *pairwise(
        path
        for path in logs(".ndjson")
        if path.parent.name.startswith("diff-") and path.stat().st_size > 500
    ),
]
_MIRRORED = {
    "same": {"same"},
    "different": {"different", "better", "worse"},
    "better": {"worse", "different"},
    "worse": {"better", "different"},
}


@pytest.mark.exhaustive
@each("pair", part(PAIRS, 380, 90))
def test_a_brief_is_short_and_mirrors_for_any_two_logs(pair: tuple[Path, Path]) -> None:
    a, b = pair

    one, other = compare(str(a), str(b)), compare(str(b), str(a))

    assert brief_of(other).word in _MIRRORED[brief_of(one).word]
    for compared in (one, other):
        lines = brief_lines(
            compared, ReportOptions("a\u0301" * 1500, "b" + "\u0301" * 4500)
        )
        assert len("\n".join(lines).encode()) < 8000
        assert bool(lines) == (brief_of(compared).word != "same")
        assert all("\n" not in line for line in lines)


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_price.py",
        "src/tax.test.ts",
        "lib/cart_spec.rb",
        "src/test/java/SlugTest.java",
        "pkg/cart_test.go",
        "src/__tests__/a.js",
        "conftest.py",
    ],
)
def test_is_test(path: str) -> None:
    assert is_test(path)
    assert not is_code(path)


@pytest.mark.parametrize(
    ("path", "code"),
    [("src/price.py", True), ("latest.py", True), ("eslint.config.js", False)],
)
def test_is_no_test(path: str, code: bool) -> None:
    assert not is_test(path)
    assert is_code(path) == code
