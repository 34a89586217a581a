"""Logs of other agents than Cursor that `2>&1` has doubled line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import convert
from convert.source import DOUBLED
from support.golden import GOLDEN

LOGS = [
    *(GOLDEN / "codex-exec-bug-fix").glob("codex.ndjson"),
    *(GOLDEN / "codex-rollout-bug-fix").glob("codex.jsonl"),
    *(GOLDEN / "claude-stream-of-amp").glob("*.ndjson"),
    *(GOLDEN / "claude-stream-of-qwen-code").glob("*.ndjson"),
    *(GOLDEN / "claude-session-bug-fix").glob("*.jsonl"),
]
THREAD = b'{"type":"thread.started","thread_id":"019fef35-728f-73d1-a25f-cf68185c"}\n'
TURN = b'{"type":"turn.started"}\n'
COMMAND = (
    b'{"type":"item.completed","item":{"id":"item_0","type":"command_execution",'
    b'"command":"ls","exit_code":0}}\n'
)
MESSAGE = (
    b'{"type":"item.completed","item":{"id":"item_1","type":"agent_message",'
    b'"text":"Done."}}\n'
)


def told(blocks: list[bytes]) -> tuple[list[Any], list[str]]:
    """Return the texts and the calls of the runs of a log, and its warnings."""
    warnings: list[str] = []
    runs = convert.read_runs(blocks, warn=lambda _, what, *__: warnings.append(what))
    return [
        (run.state, run.answer, run.prompts, run.texts, [c.kind for c in run.calls])
        for run in runs
    ], warnings


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("is_live", [False, True], ids=["whole", "live"])
def test_a_doubled_log_is_read_once(path: Path, is_live: bool) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    doubled = [line for line in lines for _ in range(2)]

    runs, warnings = told(doubled if is_live else [b"".join(doubled)])

    once, before = told([b"".join(lines)])
    assert runs == once
    assert len(warnings) == len(before) + 1
    assert any(DOUBLED[0] in each for each in warnings)


@pytest.mark.parametrize("is_live", [False, True], ids=["whole", "live"])
@pytest.mark.parametrize(
    "lines",
    [
        [THREAD, THREAD, TURN, COMMAND, MESSAGE],
        [THREAD, TURN, MESSAGE] * 2,
        [THREAD, THREAD],
        [THREAD, THREAD, TURN],
    ],
    ids=["a resumed process", "two processes", "two lines", "three lines"],
)
def test_what_is_not_surely_doubled_stays(lines: list[bytes], is_live: bool) -> None:
    runs, warnings = told(lines if is_live else [b"".join(lines)])

    assert len(runs) == lines.count(THREAD)
    assert not warnings


def test_a_third_line_in_a_row_is_no_copy() -> None:
    lines = [THREAD, THREAD, TURN, TURN, MESSAGE, MESSAGE, MESSAGE]

    [(_, _, _, texts, _)], _ = told([b"".join(lines)])

    assert texts == ["Done.", "Done."]
