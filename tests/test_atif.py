"""Documents of ATIF: valid, and the same runs when they are read."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import convert
from convert.agents import (
    ATIF,
    name_for_people,
    name_in_document,
    recognise_atif,
)
from convert.agents.atif import writer
from convert.errors import ignore
from convert.formats import TRAJECTORY
from convert.model import (
    OK,
    UNFINISHED,
    End,
    Event,
    Incident,
    Outcome,
    Prompt,
    Segment,
    Start,
    Thinking,
    Tokens,
    ToolCall,
)
from convert.options import Options
from convert.source import Certainty
from support.conversions import FEW_LOGS, convert_all, few
from support.golden import GOLDEN, logs
from support.logs import Manner, Story, manners, stories, tell
from support.matrix import each, part, reject

# The names of members, at any depth.
_NAMES = """
source message steps tool_calls observation results content extra agent name type text
runconv order function_name arguments timestamp trajectory_id final_metrics kind status
subagent_trajectories output reasoning_content incident result
"""
BUG_FIX = GOLDEN / "atif-bug-fix" / "cursor.ndjson"
TEXTS = [path for path in logs(".txt") if path.name.startswith("input")]
LOGS = [*FEW_LOGS, *few(TEXTS)]


def documents_of(path: Path) -> list[bytes]:
    """Return the documents of all runs of a log; none if it cannot be read."""
    return (convert_all([path.read_bytes()], "atif") or b"").splitlines()


def trajectory_class() -> Any:
    """Return the schema of Harbor as a class; skips a test without its library."""
    why = "atif is missing; the extra test installs it"
    return pytest.importorskip("atif", reason=why).Trajectory


@pytest.mark.exhaustive
@each("path", part(LOGS, 4))
def test_every_document_is_valid(path: Path) -> None:
    # Two that were written apart from each other: Harbor's schema, and NeMo's.
    nemo = pytest.importorskip("nat.atif", reason="NeMo's needs Python before 3.14")
    for document in documents_of(path):
        trajectory_class().model_validate_json(document)
        nemo.Trajectory.model_validate_json(document)


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
    [line] = writer.write([start, *events, end], Options(), unexpected)
    document = json.loads(line)
    assert trajectory_class().model_validate(document)
    return document


def unexpected(line: int | None, what: str, action: str) -> None:
    if what != "1 document without a user step":
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


@each(
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
        # The result of a call is in its step, whenever it comes.
        ([call(1), said("A"), call(1, is_over=True)], ["agent id-1", "agent A"]),
    ],
)
def test_a_step_is_a_response(events: list[Event], shape: list[str]) -> None:
    assert shape_of(document_of(*events)) == shape


def test_ids_of_calls_are_distinguished() -> None:
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

    [line] = writer.write(
        events, Options(), lambda _, *what: warnings.append(", ".join(what))
    )

    assert trajectory_class().model_validate_json(line)
    assert warnings == [
        "a run without a recorded step, and ATIF needs one, an empty step added",
        "1 document without a user step, some programs refuse that",
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


# Members that a document does not keep: places in the log.
_PLACES = {"line", "started_line", "first_line", "last_line", "run", "number"}


def facts_of(log: bytes) -> list[Any]:
    """Return all that is known of the runs of a log, but for places in it."""
    return [_placeless(run.to_dict()) for run in convert.read_runs([log], warn=ignore)]


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _placeless(v) for k, v in value.items() if k not in _PLACES}
    if isinstance(value, list):
        return [_placeless(item) for item in value]
    return value


@pytest.mark.exhaustive
@each("path", part(LOGS, 4))
def test_a_document_reads_back_as_the_same_runs(path: Path) -> None:
    log = path.read_bytes()
    written = convert_all([log], "atif")
    if not written:
        reject()

    # Runs that overlap are written in the order in which they end.
    assert sorted(map(repr, facts_of(written))) == sorted(map(repr, facts_of(log)))
    assert convert_all([written], "atif") == written


@pytest.mark.exhaustive
@each("path", part(FEW_LOGS, 4))
def test_diff_finds_no_difference_between_a_log_and_its_document(path: Path) -> None:
    log = path.read_bytes()
    written = convert_all([log], "atif") or b""
    is_approved = TRAJECTORY.begins(log)
    if written.count(b"\n") != 1 or is_approved:
        reject()

    compared = convert.compare([log], [written], warn=ignore)

    assert not compared.findings


@given(stories, manners)
def test_any_run_reads_back(story: Story, manner: Manner) -> None:
    log = b"".join(tell(story, manner))
    written = convert_all([log], "atif") or b""

    assert facts_of(written) == facts_of(log)
    assert convert_all([written], "atif") == written


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "to", part(["text", "answer", "markdown", "json", "patch", "html"], 2)
)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_layout_of_a_document_changes_nothing(to: str, indent: int | None) -> None:
    [line] = documents_of(BUG_FIX)
    turned = dict(reversed([*json.loads(line).items()]))
    laid_out = json.dumps(turned, indent=indent).encode()

    assert convert_all([laid_out], to) == convert_all([line], to) != None  # noqa: E711


def test_a_document_is_known_by_its_version_in_any_place() -> None:
    version = {"schema_version": "ATIF-v1.4"}

    assert recognise_atif([{"a": 1}, version], False) == Certainty.CERTAIN
    assert (
        recognise_atif([{"schema_version": "1.4"}, {"steps": []}], False)
        == Certainty.NONE
    )
    assert ATIF.begins(b'\n[ {"schema_version" : "ATIF-v1.7", ')
    assert not ATIF.begins(b'{"schema_version": "SARIF"')


def by_another(
    *steps: dict[str, Any], agent: str = "other", **more: Any
) -> convert.Run:
    """Read a document of another writer."""
    numbered = [
        {"step_id": n, "source": "agent", "message": "", **step}
        for n, step in enumerate(steps, 1)
    ]
    document = {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": agent, "version": "1"},
        "steps": numbered,
        **more,
    }
    log = json.dumps(document).encode() + b"\n"
    [run] = convert.read_runs([log], warn=unexpected)
    for to in ("text", "markdown", "json", "html"):
        assert convert_all([log], to, partial=True) is not None
    return run


def calling(name: str, content: Any, **extra: Any) -> dict[str, Any]:
    """Return a step with one call and its output."""
    back = {"source_call_id": "1", "content": content}
    return {
        "tool_calls": [{"tool_call_id": "1", "function_name": name, "arguments": {}}],
        "observation": {"results": [back | ({"extra": extra} if extra else {})]},
    }


@each(
    ("agent", "step", "outcome", "output"),
    [
        ("other", calling("bash", "a"), OK, {"interleavedOutput": "a"}),
        ("other", calling("bash", None), OK, {"interleavedOutput": ""}),
        (
            "other",
            calling("bash", "a", exit_code=2),
            Outcome("error", exit_code=2),
            {"interleavedOutput": "a"},
        ),
        (
            "other",
            calling("x", "no", is_error=True),
            Outcome("error", message="no"),
            None,
        ),
        (
            "codex",
            calling("shell", "Exit code: 3\nWall time: 1 seconds\nOutput:\nb"),
            Outcome("error", exit_code=3),
            {"interleavedOutput": "b", "exitCode": 3},
        ),
        # As it is without the parts that Harbor keeps of the agent's own objects.
        (
            "claude-code",
            calling("Bash", "Exit code 4\nc\n\n[error] tool reported failure"),
            Outcome("error", exit_code=4),
            {"interleavedOutput": "c", "exitCode": 4},
        ),
        (
            "claude-code",
            calling("Bash", "d\n\n[stdout]\nd\n[metadata] {}"),
            OK,
            {"interleavedOutput": "d"},
        ),
        # Writers other than Harbor keep only the words of the agent.
        (
            "claude-code",
            calling("Bash", "Exit code 1\n2"),
            Outcome("error", exit_code=1),
            {"interleavedOutput": "2", "exitCode": 1},
        ),
        (
            "claude-code",
            calling("Edit", "<tool_use_error>No such file.</tool_use_error>"),
            Outcome("error", message="No such file."),
            None,
        ),
        (
            "claude-code",
            calling("Edit", "The user doesn't want to proceed with this tool use."),
            Outcome(
                "rejected",
                message="The user doesn't want to proceed with this tool use.",
            ),
            None,
        ),
        (
            "claude-code",
            calling("Bash", "Exit code 1", is_error=False),
            OK,
            {"interleavedOutput": "Exit code 1"},
        ),
        (
            "claude-code",
            calling("Bash", "[error] tool reported failure"),
            Outcome("error"),
            None,
        ),
        (
            "cursor-cli",
            calling("shellToolCall", '{"failure": {"exitCode": 5, "stdout": "e"}}'),
            Outcome("error", exit_code=5),
            {"exitCode": 5, "stdout": "e"},
        ),
        ("cursor-cli", calling("readToolCall", "torn {"), UNFINISHED, None),
    ],
)
def test_how_calls_of_other_writers_ended(
    agent: str, step: dict[str, Any], outcome: Outcome, output: Any
) -> None:
    [call] = by_another(step, {"message": "Done."}, agent=agent).calls

    assert call.outcome is not None
    assert replace(call.outcome, arm="") == outcome
    assert call.output == output


def test_a_call_without_a_result_is_unfinished_only_at_the_end() -> None:
    lone = {"tool_calls": calling("bash", "")["tool_calls"]}

    run = by_another(lone, lone)

    assert [call.outcome for call in run.calls] == [OK, UNFINISHED]


def test_results_without_an_id_are_those_of_the_calls_in_order() -> None:
    step = calling("bash", "a")
    step["tool_calls"].append({**step["tool_calls"][0], "tool_call_id": "2"})
    step["observation"] = {"results": [{"content": "a"}, {"content": "b"}]}

    run = by_another(step)

    assert [call.output for call in run.calls] == [
        {"interleavedOutput": "a"},
        {"interleavedOutput": "b"},
    ]


@pytest.mark.parametrize(
    ("metrics", "tokens"),
    [
        (
            {"total_prompt_tokens": 10, "total_cached_tokens": 4},
            Tokens(input=6, cache_read=4),
        ),
        (
            {
                "total_prompt_tokens": 10,
                "total_completion_tokens": 2,
                "extra": {"total_cache_creation_input_tokens": 3},
            },
            Tokens(input=7, output=2, cache_write=3),
        ),
        # They exclude each other after all.
        (
            {"total_prompt_tokens": 3, "total_cached_tokens": 4},
            Tokens(input=3, cache_read=4),
        ),
    ],
)
def test_a_cache_is_part_of_the_prompt(metrics: Any, tokens: Tokens) -> None:
    run = by_another({"message": "Hi"}, final_metrics=metrics)

    assert run.result is not None
    assert (run.result.tokens, run.state) == (tokens, None)


def test_reasoning_ends_the_words_in_front_of_it() -> None:
    steps = {"message": "One."}, {"message": "Two.", "reasoning_content": "Hm."}

    run = by_another(*steps)

    assert [segment.text for segment in run.segments] == ["One.", "Two."]


def test_nothing_is_made_up_of_a_bare_document() -> None:
    run = by_another({"message": "Hi"})

    assert (run.result, run.state, run.directory, run.model) == (None, None, "", "")
    assert (run.agent, run.agent_version, run.text) == ("other", "1", "Hi")


@each("order", [[], [9], [-1], [-1, -1, 1, 1, 2], [2, -2], ["x"], 3])
def test_no_order_loses_or_doubles_a_call(order: Any) -> None:
    document = document_of(
        call(1), call(2), call(1, is_over=True), call(2, is_over=True)
    )
    document["steps"][0]["extra"] = {"runconv": {"order": order}}

    [run] = convert.read_runs([json.dumps(document).encode()])

    assert [call.id for call in run.calls] == ["id-1", "id-2"]
    assert [call.outcome for call in run.calls] == [OK, OK]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(_NAMES.split()), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
def test_no_document_breaks_the_reader(value: Any) -> None:
    document = {"schema_version": "ATIF-v1.7", "steps": [value], "agent": value}
    whole = value if isinstance(value, dict) else {}

    for each_document in (document, {**whole, "schema_version": "ATIF-v1.7"}):
        convert_all([json.dumps(each_document).encode()], "markdown", format="atif")


@pytest.mark.parametrize("source", ["agent", "system"])
def test_a_result_of_no_call_of_its_step_is_counted(source: str) -> None:
    step = calling("bash", "a")
    [back] = step["observation"]["results"]
    elsewhere = {"source": source, "observation": {"results": [back]}}
    del back["source_call_id"]
    calls = [*step["tool_calls"], step["tool_calls"][0] | {"tool_call_id": "2"}]

    for steps in ([step | {"tool_calls": calls}], [elsewhere]):
        log = json.dumps(
            {
                "schema_version": "ATIF-v1.6",
                "session_id": "s",
                "agent": {"name": "other", "version": "1"},
                "steps": [
                    {"step_id": at, "source": "agent", "message": ""} | each
                    for at, each in enumerate(steps, 1)
                ],
            }
        )
        [*events] = convert.read([log.encode()])
        assert events[-1].unknown == {"result of no call": 1}  # type: ignore[union-attr]
