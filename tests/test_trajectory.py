"""Laws of trajectories: the same bytes for the same run, and the same verdict."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import convert
from convert.diff import Comparison, compare_sides, read_side
from convert.errors import InputError, NoResultError, RunconvError, ignore
from convert.options import Reading, Settings
from convert.write import Document
from support.comparisons import compare
from support.golden import RUN, logs
from support.matrix import each, part, reject
from support.run_made import Errand, errands, making, names, tell_errand, using
from support.runs import Batch, Made, noises, one_by_one, tell, trajectories

SCHEMA = resources.files("convert.write") / "trajectory.schema.json"
VALIDATOR = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
SUFFIXES = (".ndjson", ".jsonl", ".json", ".txt")
LOGS = [*logs(*SUFFIXES), *logs(*SUFFIXES, of_pairs=True)]
PAIRS = [
    pair
    for folder, paths in itertools.groupby(LOGS, lambda path: path.parent)
    # A trajectory does not name the format of its agent's log, nor where its
    # agent worked.
    if folder.name.startswith("diff-")
    and not ("agents" in folder.name or "two-kinds" in folder.name)
    for pair in itertools.permutations(paths, 2)
]
SESSION = "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"
# A trajectory knows less or nothing of these; see the limits in docs/goldens.md.
NOT_RECORDED = {"output", "model"}


def trajectory(log: bytes, **options: Any) -> bytes:
    return b"".join(convert.convert([log], "trajectory", partial=True, **options))


def findings(compared: Comparison) -> Counter[tuple[str, str]]:
    return Counter(
        (finding.category, finding.severity)
        for finding in compared.findings
        if finding.category not in NOT_RECORDED
    )


def mirrored(found: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    names = {"added": "removed", "removed": "added"}
    return Counter({(names.get(n, n), s): times for (n, s), times in found.items()})


def is_compared(log: bytes) -> bool:
    try:
        compare(log, log)
    except RunconvError:
        return False
    return True


@pytest.mark.exhaustive
@each("path", part(LOGS, of=80, of_more=8))
def test_a_log_is_the_same_as_its_trajectory(path: Path) -> None:
    log = path.read_bytes()
    if not is_compared(log) or path.parent.name in WITH_PATHS:
        reject()

    approved = trajectory(log)

    for a, b in ((log, approved), (approved, log), (approved, approved)):
        compared = compare(a, b)
        assert not compared.is_different
        assert not findings(compared)
        for one, other in (run.figures for run in compared.runs):
            if one.calls and other.calls:
                assert one.failed == other.failed


@pytest.mark.exhaustive
@each("path", part(LOGS, of=80, of_more=8))
def test_a_trajectory_has_one_form(path: Path) -> None:
    log = path.read_bytes()
    if not is_compared(log):
        reject()

    approved = trajectory(log)

    assert trajectory(approved) == approved
    assert trajectory(log) == approved
    assert trajectory(json.dumps(json.loads(approved)).encode()) == approved
    assert VALIDATOR.is_valid(json.loads(approved))


# Paths decide there that a log has and its trajectory does not keep.
WITH_PATHS = {
    "diff-pair-home-of-the-run-and-of-others",
    "diff-two-checkouts-of-codex",
}


@pytest.mark.exhaustive
@each(("a", "b"), part(PAIRS, of=60, of_more=8))
def test_a_trajectory_judges_as_its_log_does(a: Path, b: Path) -> None:
    if a.parent.name in WITH_PATHS:
        reject()
    one, other = a.read_bytes(), b.read_bytes()
    try:
        expected = compare(one, other)
    except RunconvError:
        reject()

    found = compare(trajectory(one), other)
    back = compare(other, trajectory(one))

    assert findings(found) == findings(expected)
    assert found.is_different == expected.is_different
    assert found.counts == expected.counts
    assert [run.files and [f.status for f in run.files] for run in found.runs] == [
        run.files and [f.status for f in run.files] for run in expected.runs
    ]
    assert findings(back) == mirrored(findings(found))


def test_the_schema_is_that_of_the_code() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))

    jsonschema_rs.meta.validate(schema)
    made = unordered(msgspec.json.schema(Document))
    assert made.items() <= unordered(schema).items()


def unordered(schema: Any) -> Any:
    """Return a schema with its lists sorted: versions of msgspec order them."""
    match schema:
        case dict():
            return {key: unordered(value) for key, value in schema.items()}
        case list():
            return sorted(map(unordered, schema), key=json.dumps)
    return schema


@given(trajectories, noises, noises)
def test_noise_makes_the_same_bytes(run: list[Batch], one: Any, other: Any) -> None:
    # Batches that are known by their steps and those known by time are two things.
    other = other._replace(has_steps=one.has_steps)

    assert trajectory(tell(run, one)) == trajectory(tell(run, other))


@given(errands(), st.integers(1, 99), st.integers(100, 199))
def test_values_that_a_run_makes_are_marks(
    errand: Errand, one: int, other: int
) -> None:
    a, b = (
        tell_errand(errand, names(errand, seed), names(errand, seed), seed)
        for seed in (one, other)
    )

    approved = trajectory(a)

    assert not compare(approved, b).is_different
    # In an output, a short hash may as well be a word or a number.
    if "short hash" not in errand.shapes:
        assert approved == trajectory(b)
        assert not any(name in approved.decode() for name in names(errand, one))


@given(errands(), st.integers(1, 99), st.integers(100, 199), st.data())
def test_two_values_that_change_places_are_a_difference(
    errand: Errand, one: int, other: int, data: st.DataObject
) -> None:
    pairs = [
        pair
        for pair in itertools.combinations(range(len(errand.shapes)), 2)
        if any(use.value in pair for use in errand.uses)
    ]
    assume(pairs)
    first, second = data.draw(st.sampled_from(pairs))
    shown = names(errand, other)
    used = shown.copy()
    used[first], used[second] = shown[second], shown[first]
    a = tell_errand(errand, names(errand, one), names(errand, one), one)
    b = tell_errand(errand, shown, used, other)

    assert compare(trajectory(a), b).is_different == compare(a, b).is_different


@given(st.lists(st.sampled_from(["id 1", "id 2", "hash 1", "tmp 1", "id x", "id 0"])))
def test_marks_that_a_log_literally_holds_stay(literal: list[str]) -> None:
    errand = Errand(("uuid", "hash"), (), (0,))
    marks = [f"<{mark}>" for mark in literal]
    made = names(errand, 3)
    calls = [
        *making(made),
        *(Made("mint", f"{mark} {made[0]} /tmp/tmp.Ab3dEf7h") for mark in marks),
        *using(errand, made),
    ]
    log = tell(one_by_one(calls), text=f"{' '.join(marks)} {made[1]}")

    approved = trajectory(log)

    compared = compare(approved, log)
    assert not findings(compared)
    assert all(mark in approved.decode() for mark in marks)
    assert made[0] not in approved.decode()
    other = log.replace(b"<id ", b"<ID ")
    assert compare(approved, other).is_different == (b"<ID " in other)


@given(trajectories, trajectories, noises)
def test_made_runs_are_judged_as_their_logs_are(
    one: list[Batch], other: list[Batch], noise: Any
) -> None:
    a, b = tell(one), tell(other, noise)

    there = compare(trajectory(a), b)

    assert findings(there) == findings(compare(a, b))
    assert findings(compare(b, trajectory(a))) == mirrored(findings(there))


spans = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 6), st.sampled_from(["", "s", "t"])),
    max_size=6,
)


@given(spans, st.data())
def test_calls_that_overlap_in_any_way_do_so_again(
    spans: list[tuple[int, int, str]], data: st.DataObject
) -> None:
    points = [
        (at, is_end, number)
        for number, (start, length, _) in enumerate(spans)
        for at, is_end in ((start, False), (start + length, True))
    ]
    starts = [number for at, is_end, number in sorted(points) if not is_end]
    outer = data.draw(st.sampled_from([None, *starts[:1]]))
    lines = [{"type": "system", "subtype": "init", "cwd": "/w", "session_id": "s"}]
    for _, is_end, number in sorted(points):
        inside = (
            {"parentToolCallId": f"c{outer}"} if outer not in (None, number) else {}
        )
        result = {"result": {"success": {}}} if is_end else {}
        call = {"shellToolCall": {"args": {"command": f"make {number}"}, **result}}
        event = {
            "type": "tool_call",
            "subtype": "completed" if is_end else "started",
            "call_id": f"c{number}",
            "session_id": "s",
            "tool_call": call | inside,
        }
        step = {"model_call_id": spans[number][2]} if spans[number][2] else {}
        lines.append(event | step)
    lines.append(
        {"type": "result", "subtype": "success", "result": "", "session_id": "s"}
    )
    log = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    swapped = [*lines]
    for order in ("partial", "strict", "any"):
        settings = Settings(order=order)
        data.draw(st.randoms()).shuffle(swapped[1:-1])
        other = "".join(f"{json.dumps(line)}\n" for line in swapped).encode()

        found = convert.compare([trajectory(log)], [other], settings=settings)
        expected = convert.compare([log], [other], settings=settings)

        assert findings(found) == findings(expected)
        assert found.counts == expected.counts


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", part(["0", "1"], 2))
def test_no_surroundings_change_a_byte(seed: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONHASHSEED": seed, "LANG": "C", "LC_ALL": "C"}
    command = [sys.executable, "-m", "convert", str(RUN), "-t", "trajectory"]

    done = subprocess.run(command, capture_output=True, env=environment, cwd=tmp_path)

    assert done.stdout == trajectory(RUN.read_bytes())


def test_the_lines_of_calls_are_found_in_any_layout() -> None:
    approved = trajectory(RUN.read_bytes())
    spread = json.dumps(json.loads(approved), indent=4).encode()

    def lines(log: bytes) -> list[str]:
        side = read_side([log], "auto", None, Reading(), Settings(), ignore)
        rows = log.decode().split("\n")
        return [rows[call.line - 1] for call in side.runs[0].all_calls]

    assert all('"tool": ' in line for line in lines(approved))
    assert {line.strip() for line in lines(spread)} == {"{"}
    assert len(lines(spread)) == len(lines(approved)) == 3


def test_secrets_are_replaced_in_a_trajectory_too() -> None:
    secret = f"ghp_{'aQ3xR7mK' * 5}"
    log = tell(one_by_one([Made("shell", f"login {secret}")]), text=f"Used {secret}.")
    redacting = Reading(redact=True)

    plain = trajectory(log)

    assert secret in plain.decode()
    redacted = trajectory(log, reading=redacting)
    assert secret not in redacted.decode()
    assert trajectory(plain, reading=redacting) == redacted
    compared = convert.compare([redacted], [log], reading=redacting)
    assert not compared.is_different


@pytest.mark.parametrize("is_swapped", [False, True])
def test_the_settings_of_a_trajectory_hold_for_a_log_that_is_compared_with_it(
    is_swapped: bool,
) -> None:
    one, other = (tell(one_by_one([Made("shell", f"job-{n}")])) for n in (417, 982))
    approved = trajectory(one, scrub=("job-[0-9]+=>JOB",))
    sides = [approved, other][:: -1 if is_swapped else 1]

    compared = compare(*sides)

    assert not compared.is_different
    assert compared.settings.scrub == ("job-[0-9]+=>JOB",)


def test_a_trajectory_from_a_pipe_may_be_the_second_log() -> None:
    one, other = (tell(one_by_one([Made("shell", f"job-{n}")])) for n in (417, 982))
    approved = trajectory(one, scrub=("job-[0-9]+=>JOB",))

    # A pipe cannot be examined, so the other log is read again.
    assert not convert.compare([other], iter([approved])).is_different


def test_two_trajectories_made_with_different_settings_keep_both_if_they_can() -> None:
    one, other = (tell(one_by_one([Made("shell", f"job-{n}")])) for n in (417, 982))
    scrubbed = trajectory(one, scrub=("job-[0-9]+=>JOB",))

    assert not compare(scrubbed, trajectory(other)).is_different
    with pytest.raises(InputError, match="made without --keep-arg"):
        compare(trajectory(one, keep_arg=("shell.timeout",)), trajectory(one))


def test_sides_that_were_read_with_other_settings_are_no_comparison() -> None:
    log = tell(one_by_one([Made("shell", "job-1")]))
    approved = trajectory(log, scrub=("job-[0-9]+=>JOB",))
    one, other = (
        read_side([each], "auto", None, Reading(), Settings(), ignore)
        for each in (approved, log)
    )

    with pytest.raises(ValueError, match="read_sides"):
        compare_sides(one, other, Settings())


def test_runs_of_a_trajectory_are_compared_as_it_is() -> None:
    log = RUN.read_bytes()
    (approved,) = convert.read_runs([trajectory(log)])
    (run,) = convert.read_runs([log])

    assert not convert.compare(approved, run).is_different
    assert not convert.compare(run, [trajectory(log)]).is_different
    assert approved.answer == run.answer
    assert [call.kind for call in approved.calls] == [call.kind for call in run.calls]


def test_a_run_that_failed_is_refused() -> None:
    failed = RUN.read_bytes().replace(b'"is_error":false', b'"is_error":true')

    with pytest.raises(NoResultError, match="ended in an error"):
        list(convert.convert([failed], "trajectory"))


def test_a_file_that_is_named_by_a_mark_is_the_same_in_two_trajectories() -> None:
    (made,) = names(Errand(("uuid",), (), ()), 3)
    log = tell(one_by_one([*making([made]), Made("edit", f"{made}.txt")]))

    approved = trajectory(log)

    assert '"path": "<id 1>.txt"' in approved.decode()
    assert not findings(compare(approved, approved))
    assert not findings(compare(approved, log))


def test_an_error_without_a_name_is_an_outcome() -> None:
    call = {"shellToolCall": {"args": {"command": "ls"}, "result": {" ": {}}}}
    event = {"type": "tool_call", "subtype": "completed", "call_id": "c"}
    log = json.dumps(event | {"session_id": "s", "tool_call": call}).encode()

    approved = trajectory(log)

    assert '"outcome": "error()"' in approved.decode()
    assert not findings(compare(approved, log))


def test_an_edit_with_an_own_id_is_the_same_next_to_one_that_failed() -> None:
    def edit(after: str, **result: Any) -> dict[str, Any]:
        call = {"args": {"path": "a.txt"}, "result": result}
        return {
            "type": "tool_call",
            "subtype": "completed",
            "call_id": after,
            "session_id": SESSION,
            "tool_call": {"editToolCall": call},
        }

    contents = {"beforeFullFileContent": "a\n", "afterFullFileContent": SESSION}
    events = [
        {"type": "system", "subtype": "init", "cwd": "/w", "session_id": SESSION},
        edit("x", error={"error": "no"}),
        edit("y", success=contents),
    ]
    log = "".join(f"{json.dumps(event)}\n" for event in events).encode()

    approved = trajectory(log)

    assert "<id 1>" in approved.decode()
    assert not findings(compare(approved, log))
