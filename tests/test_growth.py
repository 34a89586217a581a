"""Time and memory grow only with the size of a log; work is counted, not timed."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.cursor import OpenSegment, call_reader, is_recap
from convert.cursor import messages as segments
from convert.cursor import runs as open_runs
from convert.diff import prose_changed
from convert.diff import text_changes as alike
from convert.model import EndOfLog, Start, ToolCall
from convert.options import Options
from convert.redact import Redactor
from convert.transcript import ParallelCalls
from convert.transcript import builder as section_builder
from convert.transcript.run import pieces
from convert.wording import count_changes, hunks_of
from support.runs import Made, one_by_one, tell
from support.work import calls as calls_of


def event(kind: str, **members: Any) -> bytes:
    line = {"type": kind, "session_id": "s", "timestamp_ms": 5, **members}
    return json.dumps(line).encode() + b"\n"


def said(text: str, **members: Any) -> bytes:
    content = [{"type": "text", "text": text}]
    return event(
        "assistant", message={"role": "assistant", "content": content}, **members
    )


def called(subtype: str, **members: Any) -> bytes:
    body = {"args": members.pop("args", {})} | members.pop("body", {})
    return event(
        "tool_call", subtype=subtype, tool_call={"readToolCall": body}, **members
    )


class Counted:
    """Stands in for a function, and counts its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
        self.calls = 0
        self._function = getattr(module, name)
        monkeypatch.setattr(module, name, self)

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self._function(*arguments)


def test_a_text_is_copied_once_while_secrets_are_looked_for() -> None:
    redactor = Redactor()
    text = "a few short words " * 200_000
    # The first text makes the searches, which stay.
    redactor.find("a b")

    tracemalloc.start()
    is_suspect = redactor.suspected_texts([text])
    redactor.find(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert any(is_suspect)
    assert peak < 1.5 * len(text)


def test_a_text_is_looked_at_once_however_many_pauses_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch, segments, "_repeats")
    log = [said("ab"), said("ba"), *[event("connection", subtype="lost")] * 500]

    list(convert.convert(log, "answer", partial=True))

    assert counted.calls == 1


@given(st.lists(st.sampled_from(["a", "b", "ab", "aab", "\ud83d", "\ude00", ""])))
def test_a_recap_is_found_however_often_it_is_looked_for(texts: list[str]) -> None:
    segment = OpenSegment()
    deltas: list[str] = []
    for text in texts:
        segment.add([text])
        deltas.append(text)

        found = segment.recap()

        assert found == (deltas[-1] if is_recap(deltas[:-1], deltas[-1]) else "")
        assert segment.recap() == ""
        if found:
            deltas = []


def test_few_deltas_are_looked_for_in_a_flush() -> None:
    text = "the whole text"
    lost = [f"z{number}" for number in range(50)]
    segment = OpenSegment()

    segment.add([*lost, "whole", *lost])
    assert segment.flush(text) == ["".join([*lost, "whole", *lost]), text]

    segment.add([*lost, *lost, "whole"])
    assert segment.flush(text) == [text]


@pytest.mark.parametrize(("count", "is_restored"), [(60, True), (700, False)])
def test_few_offsets_are_followed_to_restore_texts(
    count: int, is_restored: bool
) -> None:
    """A result that holds more texts than the segments shows that some are halved."""
    log = [event("user", message={"role": "user", "content": "Do it."})]
    for _ in range(count):
        log += [said("a"), said("a"), called("completed", body={"result": {}})]
    log += [said("b", model_call_id="m") for _ in range(10)]
    log.append(event("result", subtype="success", result="a" * (count + 9) + "b" * 10))

    [run] = convert.read_runs(log)

    doubled = [text for text in run.texts if text == "aa"]
    assert len(doubled) == (9 if is_restored else 0)


def test_a_run_of_a_transcript_takes_little_room_until_something_happens() -> None:
    begun = 2000
    starts = (Start(run=number, line=number) for number in range(begun))
    tracemalloc.start()

    list(pieces(starts, Options()))

    assert tracemalloc.get_traced_memory()[1] < begun * 1000
    tracemalloc.stop()


def test_lines_of_calls_without_an_id_are_compared_with_few_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_runs, "MOST_COMPARED", 3)
    asked = Counted(monkeypatch, call_reader, "most_likely")
    starts = [called("started", args={"path": f"{n}.py"}) for n in range(50)]
    end = called("completed", args={"path": "2.py"}, body={"result": {"success": {}}})

    calls = [it for it in convert.read([*starts, end]) if isinstance(it, ToolCall)]

    assert asked.calls == 1
    ended = [call.number for call in calls if call.outcome and call.outcome.arm]
    assert ended in ([3], [])


def test_arguments_that_grow_line_by_line_are_copied_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from convert.cursor import open_calls

    merge, is_copied = open_calls._merged, []

    def merged(frames: list[Any], is_own: bool = False) -> Any:
        is_copied.append(not is_own)
        return merge(frames, is_own)

    monkeypatch.setattr(open_calls, "_merged", merged)
    lines = [called("progress", call_id="1", args={f"a{n}": n}) for n in range(1000)]
    last = called("completed", call_id="1", body={"result": {"success": {}}})

    [*_, call] = [e for e in convert.read([*lines, last]) if isinstance(e, ToolCall)]

    assert len(call.arguments or {}) == 1000
    assert 1 <= sum(is_copied) <= 3


def test_a_text_of_a_call_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Counted(monkeypatch, section_builder, "whole")
    content = [{"text": {"text": f"part {number}"}} for number in range(200)]
    body = {"args": {}, "result": {"success": {"content": content}}}
    call = event(
        "tool_call", subtype="completed", call_id="1", tool_call={"mcpToolCall": body}
    )

    list(convert.convert([call], "markdown"))

    assert measured.calls == 200


@pytest.mark.parametrize(("width", "is_tried"), [(8, True), (9, False)])
def test_short_lines_that_differ_are_compared_if_they_are_few(
    width: int, is_tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = Counted(monkeypatch, alike, "_between")
    ones = "\n".join(f"a{n}" for n in range(width))
    others = "\n".join(f"b{n}" for n in range(width))

    prose_changed("text", ones, others)

    assert (tried.calls > 0) == is_tried


def test_long_lines_that_differ_are_compared_if_they_are_not_many() -> None:
    ones = "\n".join(f"{'one of the words ' * 4} of line {n} in A" for n in range(50))
    others = ones.replace("in A", "in B")

    change = prose_changed("text", ones, others)

    assert all(len(hunk.lines) == 50 for hunk in getattr(change, "hunks", []))


@given(*[st.text("ab\0\n", max_size=30)] * 2)
def test_changes_are_counted_as_they_are_shown(old: str, new: str) -> None:
    marks = [line[0] for hunk in hunks_of(old, new) for line in hunk.lines]

    assert count_changes(old, new) == (marks.count("+"), marks.count("-"))


def test_the_run_that_is_silent_for_longest_ends_if_too_many_are_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from convert.cursor import run_reader

    monkeypatch.setattr(open_runs, "MOST_OPEN", 2)
    monkeypatch.setattr(run_reader, "MOST_OPEN", 2)
    warnings: list[tuple[int | None, str, str]] = []
    names = ["a", "b", "a", "c", "a", "b"]
    log = [event("thinking", session_id=name, text="Hm") for name in names]

    runs = list(
        convert.read_runs(log, "stream-json", warn=lambda *it: warnings.append(it))
    )

    assert [run.session for run in runs] == ["b", "c", "a"]
    assert warnings[0] == (
        4,
        "more than 2 runs at once",
        "the one silent for longest ends here",
    )


def test_a_thousand_unknown_types_are_distinguished() -> None:
    log = [event("user", message={"role": "user", "content": "Do it."})]
    log += [event(f"type{number % 1200}") for number in range(2400)]
    log.append(event("x" * 5000))

    [*_, end] = convert.read(log)

    assert isinstance(end, EndOfLog)
    assert len(end.unknown) == 1001
    assert end.unknown["type7"] == 2
    assert end.unknown["other types"] == 401


def test_calls_that_never_end_name_each_other_in_ranges() -> None:
    calls = ParallelCalls()

    for number in range(1, 1001):
        calls.start(_call(number))

    held = [len(call.others) + len(call.packed) for call in calls._open.values()]
    assert sum(held) < 20_000
    assert calls.end(_call(500))[0] == [*range(400, 500), *range(501, 601)]


def _call(number: int) -> ToolCall:
    return ToolCall(run=1, line=number, number=number, id="", kind="read")


@pytest.mark.seldom
def test_work_of_a_report_grows_like_its_findings() -> None:
    def work(findings: int) -> int:
        run = [Made("edit", f"{number}.py") for number in range(findings)]
        failed = [call._replace(ending="error") for call in run]
        compared = convert.compare(
            *([tell(one_by_one(calls))] for calls in (run, failed))
        )
        return calls_of(lambda: convert.report(compared, "markdown"))

    # The first report loads modules.
    _, one, two, three = map(work, (50, 50, 100, 150))

    assert three - two < 1.2 * (two - one)


@pytest.mark.seldom
@pytest.mark.parametrize(
    "target", ["atif", "claude-stream", "html", "markdown", "messages"]
)
def test_work_for_calls_side_by_side_grows_like_their_number(target: str) -> None:
    def work(number: int) -> int:
        frames = (
            called(subtype, call_id=f"c{each}", model_call_id="m", body=body)
            for subtype, body in (("started", {}), ("completed", {"result": {}}))
            for each in range(number)
        )
        log = b"".join(frames)
        return calls_of(lambda: [*convert.convert([log], target)])

    # The first conversion loads modules.
    _, one, two, three = map(work, (200, 200, 400, 600))

    assert three - two < 1.2 * (two - one)
