"""What the table of reports says of each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from convert.diff.reports import REPORTS
from support.golden import GOLDEN
from support.in_process import run
from support.runs import Made, one_by_one, tell

PAIR = ["diff-inside-a-changed-call/a.ndjson", "diff-inside-a-changed-call/b.ndjson"]


def test_all_reports_are_tried() -> None:
    assert {*REPORTS} == {"table", "unified", "json", "markdown"}


@pytest.mark.parametrize(
    ("name", "is_coloured"),
    [("table", True), ("unified", True), ("json", False), ("markdown", False)],
)
def test_only_reports_for_a_terminal_are_coloured(name: str, is_coloured: bool) -> None:
    done = run(["diff", *PAIR, "--format", name, "--color", "always"], GOLDEN, {})

    assert (b"\x1b[" in done.stdout) == is_coloured


@pytest.mark.parametrize(
    ("name", "is_escaped"),
    [("table", True), ("unified", True), ("json", False), ("markdown", True)],
)
def test_only_data_keeps_what_a_runner_would_execute(
    name: str, is_escaped: bool, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(tell(one_by_one([Made("shell", "##[error]no")])))
    (tmp_path / "b").write_bytes(tell([]))
    command = ["diff", "a", "b", "--format", name]

    done = run(command, tmp_path, {"GITHUB_ACTIONS": "true"})

    assert (b"##[error]" not in done.stdout) == is_escaped
    assert b"error]no" in done.stdout
