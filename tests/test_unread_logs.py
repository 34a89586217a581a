"""Logs of agents that are not read are named in folders, but not other files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from convert.cli import unread_in_words
from support.golden import RUN
from support.in_process import run

_COPILOT = '{"type":"session.start","data":{"sessionId":"s1"}}\n'
_ANTIGRAVITY = '{"event":"init","init":{"model":"m"}}\n'
_LEFT_OUT = (
    "; 3 logs of agents that are not read skipped: Antigravity 2, GitHub Copilot 1"
    "; 2 other files skipped: "
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(RUN, tmp_path / name / "run.ndjson")
    files = {
        "copilot.jsonl": _COPILOT * 4,
        "one.jsonl": _ANTIGRAVITY,
        "two.log": _ANTIGRAVITY,
        "EXPECTED.tsv": "a\tb\n",
        "config.json": '{"name": "shop"}\n',
    }
    for name, text in files.items():
        (tmp_path / "b" / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["b", "-o", "made/"],
        ["stats", "b"],
        ["diff", "a", "b"],
        ["matrix", "a", "b"],
        ["approve", "b", "-o", "golden/", "--yes"],
    ],
    ids=" ".join,
)
def test_unread_logs_are_counted_by_agent(command: list[str], tree: Path) -> None:
    done = run(command, tree, {})

    assert _LEFT_OUT in done.stderr.decode()


def test_a_folder_of_unread_logs_alone_says_whose_they_are(tree: Path) -> None:
    (tree / "b" / "run.ndjson").unlink()

    done = run(["b", "-o", "made/"], tree, {})

    assert done.status == 2
    assert f"no logs found{_LEFT_OUT}" in done.stderr.decode()


def test_agents_beyond_the_most_frequent_are_counted() -> None:
    agents = ["Kimi", "Pi", "Goose", "Cline", "Aider", "Gemini CLI", "Gemini CLI"]

    assert unread_in_words(agents).endswith(
        ": Gemini CLI 2, Aider 1, Cline 1, Goose 1, Kimi 1, others 1"
    )
