"""The summary of a step gets the longest report that it has room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from convert.cli import add_to_summary
from support.golden import GOLDEN
from support.shell import ENVIRONMENT, run_line

MIB = 1 << 20


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_report_goes_below_the_text_of_others(summary: Path, end: bytes) -> None:
    summary.write_bytes(b"# Mine" + end)

    assert add_to_summary(iter(["# Ours", "short"])) == ""
    assert summary.read_bytes() == b"# Mine\n# Ours\n\n"


@pytest.mark.parametrize(
    ("written", "added"),
    [
        (0, b"long" * 10 + b"\n\n"),
        (MIB - 42, b"long" * 10 + b"\n\n"),
        (MIB - 41, b"short\n\n"),
        (MIB - 7, b"short\n\n"),
    ],
)
def test_the_longest_that_has_room_is_added(
    summary: Path, written: int, added: bytes
) -> None:
    summary.write_bytes(b"x" * (written - 1) + b"\n" if written else b"")

    assert add_to_summary(iter(["long" * 10, "short"])) == ""
    assert summary.read_bytes()[written:] == added
    assert summary.stat().st_size <= MIB


def test_nothing_is_added_where_nothing_has_room(summary: Path) -> None:
    summary.write_bytes(b"x" * (MIB - 7) + b"\n")

    why = add_to_summary(iter(["long" * 10, "short"]))

    assert why == "no report is in the summary of the step, which has 1 MiB already"
    assert summary.stat().st_size == MIB - 6


@pytest.mark.parametrize(("room", "has_details"), [(2000, True), (500, False)])
def test_a_report_without_room_is_cut_after_its_verdict(
    summary: Path, room: int, has_details: bool
) -> None:
    case = GOLDEN / "several-reports-at-once"
    summary.write_bytes(b"x" * (MIB - room - 1) + b"\n")

    done = run_line(
        "runconv diff a.ndjson b.ndjson --format github",
        case,
        {**ENVIRONMENT, "GITHUB_STEP_SUMMARY": str(summary)},
    )

    added = summary.read_bytes()[MIB - room :].decode()
    assert (done.status, done.stderr) == (1, b"")
    assert "different: src/tax.py ends differently" in added
    assert ("<details>" in added) is has_details
    assert ("… the rest has no room" in added) is not has_details
