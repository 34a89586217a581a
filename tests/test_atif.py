"""Documents of ATIF: valid, and the same runs when they are read."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import atif
import pytest

import convert
from convert.formats.atif.agents import name_for_people, name_in_document
from convert.formats.atif.writing import documents
from convert.model.events import (
    OK,
    End,
    Event,
    Incident,
    Prompt,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from support.conversions import GOLDEN_LOGS, convert_all
from support.golden import GOLDEN, logs
from support.matrix import each

BUG_FIX = GOLDEN / "atif-bug-fix" / "cursor.ndjson"
TEXTS = [path for path in logs(".txt") if path.name.startswith("input")]


def documents_of(path: Path) -> list[bytes]:
    """Return the documents of all runs of a log; none if it cannot be read."""
    return (convert_all([path.read_bytes()], "atif") or b"").splitlines()


@each("path", [*GOLDEN_LOGS, *TEXTS])
def test_every_document_is_valid(path: Path) -> None:
    for document in documents_of(path):
        atif.Trajectory.model_validate_json(document)


@pytest.mark.skipif(shutil.which("harbor") is None, reason="needs harbor on the PATH")
def test_harbor_validates_a_document(tmp_path: Path) -> None:
    python = Path(shutil.which("harbor") or "").parent / "python"
    [document] = documents_of(BUG_FIX)
    path = tmp_path / "trajectory.json"
    path.write_bytes(document)

    done = subprocess.run(
        [python, "-m", "harbor.utils.trajectory_validator", path],
        check=False,
        capture_output=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def document_of(*events: Event) -> dict[str, Any]:
    """Return the document of a run in which these things happened."""
    start, end = Start(run=1, line=1), End(run=1, line=9, state="success")
    [line] = documents([start, *events, end], unexpected)
    document = json.loads(line)
    assert atif.Trajectory.model_validate(document)
    return document


def unexpected(line: int | None, what: str, action: str) -> None:
    raise AssertionError(f"{line}: {what}, {action}")


def call(number: int, *, is_over: bool = False, **members: Any) -> ToolCall:
    members.setdefault("id", f"id-{number}")
    members.setdefault("kind", "shell")
    ended = OK if is_over else None
    return ToolCall(run=1, line=1, number=number, outcome=ended, **members)


def said(text: str) -> Segment:
    return Segment(run=1, line=1, text=text)


def shape_of(document: dict[str, Any]) -> list[str]:
    """Return what each step holds: its source, its text and the ids of its calls."""
    return [
        " ".join(
            [
                step["source"],
                *(
                    [f"({step['reasoning_content']})"]
                    if "reasoning_content" in step
                    else []
                ),
                *filter(None, [step["message"]]),
                *(call["tool_call_id"] for call in step.get("tool_calls", [])),
            ]
        )
        for step in document["steps"]
    ]


@pytest.mark.parametrize(
    ("events", "shape"),
    [
        (
            [Prompt(run=1, line=1, text="Fix it."), said("Yes."), call(1)],
            ["user Fix it.", "agent Yes. id-1"],
        ),
        # At once, so they are of one response.
        ([call(1), call(2), call(1, is_over=True)], ["agent id-1 id-2"]),
        # One after the other.
        (
            [call(1), call(1, is_over=True), call(2), said("Done.")],
            ["agent id-1", "agent id-2", "agent Done."],
        ),
        # One after the other, but of one response.
        (
            [
                call(1, response_id="a"),
                call(1, is_over=True, response_id="a"),
                call(2, response_id="a"),
                call(3, response_id="b"),
            ],
            ["agent id-1 id-2", "agent id-3"],
        ),
        (
            [
                Thinking(run=1, line=1, text="Hm"),
                Thinking(run=1, line=1, text="So"),
                said("A"),
                said("B"),
                Thinking(run=1, line=1, text="Oh"),
            ],
            ["agent (Hm)", "agent (So) A", "agent B", "agent (Oh)"],
        ),
        (
            [call(1), Incident(run=1, line=1, kind="retry", message="again"), call(2)],
            ["agent id-1", "system again", "agent id-2"],
        ),
        # The result of a call stands in its step, whenever it comes.
        ([call(1), said("A"), call(1, is_over=True)], ["agent id-1", "agent A"]),
    ],
)
def test_a_step_is_a_response(events: list[Event], shape: list[str]) -> None:
    assert shape_of(document_of(*events)) == shape


def test_ids_of_calls_are_told_apart() -> None:
    document = document_of(
        call(1, id="a"), call(2, id="a"), call(3, id=""), call(4, id="call-2")
    )

    [step] = document["steps"]
    assert [call["tool_call_id"] for call in step["tool_calls"]] == [
        "a",
        "call-2",
        "call-3",
        "call-4",
    ]
    assert [call["extra"].get("id") for call in step["tool_calls"]] == [
        None,
        "a",
        "",
        "call-2",
    ]


def test_a_subagent_has_a_trajectory_of_its_own() -> None:
    inner = ToolCall(
        run=0,
        line=1,
        number=1,
        id="r",
        kind="read",
        outcome=OK,
        arguments={"path": "a"},
    )
    steps: list[Event] = [Segment(run=0, line=1, text="I read."), inner]
    document = document_of(call(1, kind="task", is_over=True, steps=steps, output={}))

    [result] = document["steps"][0]["observation"]["results"]
    [subagent] = document["subagent_trajectories"]
    assert result["subagent_trajectory_ref"] == [{"trajectory_id": "id-1"}]
    assert subagent["trajectory_id"] == "id-1"
    assert shape_of(subagent) == ["agent I read. r"]


def test_a_run_without_a_step_is_valid_and_named() -> None:
    warnings: list[str] = []
    events: list[Event] = [Start(run=1, line=1), End(run=1, line=2, state="cut")]

    [line] = documents(events, lambda _, *what: warnings.append(", ".join(what)))

    assert atif.Trajectory.model_validate_json(line)
    assert warnings == [
        "a run of which no step is recorded, and ATIF needs one, an empty step added"
    ]


def test_a_document_comes_when_its_run_ends() -> None:
    log = BUG_FIX.read_bytes().splitlines(keepends=True)
    written: list[bytes] = []

    def feed() -> Any:
        for line in log * 2:
            yield line
            lengths.append(len(written))

    lengths: list[int] = []
    for piece in convert.convert(feed(), "atif"):
        written.append(piece)

    assert b"".join(written).count(b"\n") == 2
    assert lengths[:-1] == [0] * (len(log) - 1) + [1] * len(log)


@pytest.mark.parametrize("name", ["Cursor", "Claude Code", "Codex", "opencode", ""])
def test_names_of_agents_read_back(name: str) -> None:
    assert name_for_people(name_in_document(name)) == name
