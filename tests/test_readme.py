"""The README is true: its console blocks come out as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from convert.formats import kept, writers
from support.golden import GOLDEN
from support.shell import SCRIPTS

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    text = README.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prepare(folder: Path) -> dict[str, str]:
    """A folder in which the blocks run, with an agent that replays a golden log."""
    log = GOLDEN / "a-run-as-the-agent-writes-it" / "input.ndjson"
    (folder / "golden").symlink_to(GOLDEN)
    programs = folder / "programs"
    programs.mkdir()
    (programs / "agent").write_text(f"#!/bin/sh\ncat {log}\n")
    (programs / "agent").chmod(0o755)
    path = os.pathsep.join([str(programs), SCRIPTS, os.environ["PATH"]])
    return {"PATH": path, "LC_ALL": "C.UTF-8"}


def test_console_blocks_come_out_as_they_stand(tmp_path: Path) -> None:
    environment = prepare(tmp_path)

    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")

            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )

            assert done.stdout.decode() == expected, command


def run_python(block: str, folder: Path) -> list[str]:
    """The lines that a block prints."""
    done = subprocess.run(
        [sys.executable, "-c", block],
        cwd=folder,
        env=prepare(folder),
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.splitlines()


def test_the_python_block_on_comparing_runs(tmp_path: Path) -> None:
    folder = GOLDEN / "diff-more-rounds-of-tests"
    (tmp_path / "old.ndjson").symlink_to(folder / "a.ndjson")
    (tmp_path / "new.ndjson").symlink_to(folder / "more-rounds.ndjson")

    assert run_python(blocks("python")[0], tmp_path) == [
        "True major 4",
        "added major edit src/price.py",
        "added major shell pytest -q",
        "added major edit src/price.py",
        "added major shell pytest -q",
    ]


def test_the_python_block_on_reading_runs(tmp_path: Path) -> None:
    log = GOLDEN / "a-run-as-the-agent-writes-it" / "input.ndjson"
    (tmp_path / "run.ndjson").symlink_to(log)

    lines = run_python(blocks("python")[1], tmp_path)

    assert lines[:3] == [
        "success 3 `net` rounds now instead of cutting; the test passes.",
        "",
        "1 read ok {'path': '/home/dev/shop/src/price.py'}",
    ]
    assert len(lines) == 5


def test_the_matrix_is_the_table_of_formats() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", README.read_text(), re.MULTILINE)

    matrix = {name: kept.split(" | ") for name, kept in rows}

    assert matrix == {name: list(kept(name).values()) for name in writers()}


def test_the_commands_that_set_up_stand_first() -> None:
    first, second = blocks("sh")
    before = README.read_text("utf-8").split("```sh")[0]

    assert first.count("\n") == second.count("\n") == 1
    assert "pip" not in before
    assert "venv" not in before
