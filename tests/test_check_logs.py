"""Every call, error and retry in a log is shown, counted without the package."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import convert
from checks import agreement, counts, raw_log, shown
from support import matrix as matrices
from support.conversions import FEW_LOGS, few
from support.golden import RUN, identify, logs
from support.matrix import each, matrix, part, reject

CHECKS = Path(raw_log.__file__).parent
COUNTERS = (
    *("agent_logs", "claude_logs", "codex_logs", "cursor_calls", "raw_calls"),
    *("raw_log", "shown"),
)
# The outputs of one log take 30 ms, so only `pytest -m exhaustive` tries all.
TEXTS = few(logs(".txt", ".log"))
# The cases of each agent, and those that are about how calls end.
AGENTS = ("claude-", "codex-", "opencode-", "atif-", "cost-")
ENDS = ("failures-that-are-answers", "failed-tests-", "every-way-", "transcript-calls-")
CHOSEN = [
    path
    for path in logs(".ndjson", ".jsonl", ".json")
    if path not in FEW_LOGS and path.parent.name.startswith(AGENTS + ENDS)
]
PAIRS = logs(".ndjson", ".jsonl", ".json", of_pairs=True)
LOGS = [*FEW_LOGS, *CHOSEN, *TEXTS, *(PAIRS[::8] if matrices.is_exhaustive else [])]


@matrix(path=part(FEW_LOGS, 6))
def test_conversions_show_all_that_a_log_holds(path: Path) -> None:
    try:
        found = counts.differences(path.read_bytes())
    except convert.RunconvError:
        reject()

    assert found == []


@matrix(path=part(LOGS, 24))
def test_no_two_outputs_disagree_on_a_figure(path: Path) -> None:
    try:
        found = agreement.disagreements(path.read_bytes())
    except convert.RunconvError:
        reject()

    assert found == [], identify(path)


@each("module", COUNTERS)
def test_the_counts_share_no_code_with_the_readers(module: str) -> None:
    tree = ast.parse((CHECKS / f"{module}.py").read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "checks":
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").removeprefix("checks.").split(".")[0])

    assert imported <= sys.stdlib_module_names | {*COUNTERS}


def frame(subtype: str, call_id: str, path: str = "a", **members: Any) -> bytes:
    body: dict[str, Any] = {"args": {"path": path}}
    if subtype == "completed":
        body["result"] = {members.pop("arm", "success"): {}}
    event = {"type": "tool_call", "subtype": subtype, "session_id": "s"}
    event |= {"call_id": call_id, "tool_call": {"readToolCall": body}, **members}
    return json.dumps(event).encode() + b"\n"


START, END = frame("started", "c"), frame("completed", "c")


@each(
    ("frames", "calls", "failed"),
    [
        ([START, END], 1, 0),
        ([START, START, END, END], 1, 0),
        ([END], 1, 0),
        ([START], 1, 0),
        ([START, END, START, END], 2, 0),
        ([START, frame("started", "c", "b"), END], 2, 0),
        ([frame("started", "c", model_call_id="m"), frame("started", "c")], 2, 0),
        ([START, frame("completed", "c", arm="rejected")], 1, 1),
        ([START, frame("completed", "c", arm="error"), END], 1, 1),
        ([frame("started", ""), frame("started", ""), frame("completed", "")], 2, 0),
        ([frame("started", "", "x"), frame("completed", "", "y")], 2, 0),
        ([START, b'{"type":"system","subtype":"init","session_id":"s"}\n', END], 2, 0),
        ([START, END.replace(b'"s"', b'"t"')], 2, 0),
        ([b"noise\n\xff" + START, END[:30], b"\n", END], 1, 0),
    ],
)
def test_calls_are_counted_by_id_and_arguments(
    frames: list[bytes], calls: int, failed: int
) -> None:
    found = raw_log.read(b"".join(frames))

    assert len(found.calls) == calls
    assert sum(call.has_failed for call in found.calls) == failed


def test_what_no_output_shows_is_found() -> None:
    log = RUN.read_bytes()
    held = raw_log.read(log)
    held.calls.append(held.calls[0])
    held.troubles.append("retry/starting")
    held.errors.append("Never shown")

    found = list(counts.held_against(log, held))

    calls = len(held.calls)
    unequal = f"{calls} in the log, {calls - 1} in the output"
    assert [it for it in found if not it.startswith(("text: ", "stream-json: "))] == [
        f"markdown: {unequal}",
        "markdown: errors and retries: 1 in the log, 0 in the output",
        "markdown: the error is missing: 'Never shown'",
        f"diff: {unequal}",
    ]
    assert f"text: {unequal}" in found
    assert found[-2].startswith(f"stream-json: {held.calls[0].id!r} ")


def test_calls_of_another_id_are_found() -> None:
    recorded = raw_log.read(START + END)
    copy = raw_log.read(START.replace(b'"a"', b'"b"') + END.replace(b'"a"', b'"b"'))

    found = list(counts.differences_by_id(recorded, copy))

    assert found == [
        "stream-json: 'c' readToolCall: 1 in the log, 0 in the output",
        "stream-json: 'c' readToolCall: 0 in the log, 1 in the output",
    ]


def test_only_headings_outside_of_code_are_calls() -> None:
    transcript = (
        "### 1. Read a\n\n````md\n### 2. Read b\n```\n````\n### 2. Ran `x`\n"
        "## What went wrong\n\n- 1,200 earlier ones omitted\n- retry, attempt 2\n"
        "- the log breaks off\n"
        "*Unfinished calls:*\n- 1\\. Read a\n"
        "## Result\n- no\n"
    )

    assert shown.headings(transcript) == ["### 1. Read a", "### 2. Ran `x`"]
    assert shown.troubles(transcript) == 1201
