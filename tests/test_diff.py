"""Properties of every comparison, and cases that golden files cannot cover."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, LCSseq

from convert import read_runs
from convert.diff import (
    REPORTS,
    Comparison,
    ReportOptions,
    compare_as_named,
    lines_changed,
    output_changed,
    read_side,
    report,
)
from convert.errors import ignore
from convert.options import Reading, Settings
from convert.wording import Block, align, common_length, common_lengths, places_of
from support.comparisons import (
    assert_mirrored,
    compare,
    compared_or_none,
    counts,
)
from support.conversions import few
from support.deep_logs import VALUES, deep_log
from support.golden import GOLDEN, logs
from support.matrix import each, is_exhaustive, matrix, part, reject
from support.processes import imported
from support.runs import (
    Batch,
    Made,
    Noise,
    batches,
    made,
    noises,
    one_by_one,
    sequences,
    tell,
    trajectories,
)

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
orders = st.sampled_from(["strict", "partial", "any"])
numbers = st.lists(st.integers(0, 5), max_size=40)
LOGS = logs(".ndjson", ".jsonl", ".json", ".txt")
PAIRS = logs(".ndjson", ".jsonl", of_pairs=True)


def compare_calls(a: list[Batch], b: list[Batch], **knobs: Any) -> Comparison:
    return compare(tell(a), tell(b), **knobs)


@matrix(path=part([*few(LOGS), *part(PAIRS, 3)], 3))
def test_a_golden_log_is_the_same_as_itself(path: Path) -> None:
    compared = compared_or_none(path, path)

    if compared is None:
        reject()
    same, *others = counts(compared)
    assert compared.severity == "none"
    assert not any(others)
    assert same == compared.counts.a


def test_a_later_comparison_of_a_run_changes_no_earlier_one() -> None:
    folder = GOLDEN / "diff-pair-short-hash-of-a-new-commit"
    settings = Settings()
    a, b = (
        read_side(
            [(folder / name).read_bytes()], "auto", None, Reading(), settings, ignore
        )
        for name in ("a.ndjson", "b.ndjson")
    )
    compared = compare_as_named(a, b, settings)

    def reports() -> list[list[str]]:
        options = ReportOptions(is_full=True)
        return [
            [line.text for line in report(name)(compared, options)] for name in REPORTS
        ]

    before = reports()
    compare_as_named(a, a, settings)
    compare_as_named(b, b, Settings(args="subject"))

    assert reports() == before


@pytest.mark.exhaustive
@each(("one", "other"), part(pairwise(LOGS), 28, 2))
def test_two_golden_logs_differ_alike_in_either_direction(
    one: Path, other: Path
) -> None:
    there, back = compared_or_none(one, other), compared_or_none(other, one)

    if there is None or back is None:
        assert there is back
        reject()
    assert_mirrored(there, back)


def test_a_log_has_the_level_of_its_run_that_records_least() -> None:
    log = (GOLDEN / "claude-stream-bug-fix" / "claude.ndjson").read_bytes()
    summary = json.loads(log.splitlines()[-1]) | {"session_id": "s", "uuid": "u"}
    both = log + json.dumps(summary).encode()

    assert [run.level for run in read_runs([both])] == ["calls", "result"]
    assert compare(both, both).level == "result"


@given(
    trajectories, trajectories, noises, st.sampled_from(["strict", "partial", "any"])
)
def test_two_runs_differ_alike_in_either_direction(
    one: list[Batch], other: list[Batch], noise: Noise, order: str
) -> None:
    a, b = tell(one), tell(other, noise)

    there, back = compare(a, b, order=order), compare(b, a, order=order)

    assert_mirrored(there, back)
    assert there.counts.a == sum(len(batch.calls) for batch in one)
    assert there.counts.b == sum(len(batch.calls) for batch in other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(["ccb", "b"], ["c", "bbb", "a"]), (["c", "abcc", "b", "ac"], ["ccbc", "c"])],
)
def test_runs_that_repeat_calls_meet_at_one_place_in_either_direction(
    one: list[str], other: list[str]
) -> None:
    a, b = (
        tell([Batch.of(*(Made("read", name) for name in names)) for names in run])
        for run in (one, other)
    )

    assert_mirrored(compare(a, b, order="any"), compare(b, a, order="any"))


@given(trajectories, noises, noises)
def test_a_run_is_the_same_whatever_its_ids_clocks_and_directory(
    run: list[Batch], one: Noise, other: Noise
) -> None:
    compared = compare(tell(run, one), tell(run, other))

    assert compared.severity == "none"
    assert compared.counts.same == compared.counts.a == compared.counts.b


@given(trajectories, st.randoms(use_true_random=False), st.booleans())
def test_a_batch_in_another_order_is_no_difference(
    run: list[Batch], dice: Any, has_steps: bool
) -> None:
    other = []
    for batch in run:
        calls, order = list(batch.calls), list(batch.order)
        dice.shuffle(calls)
        dice.shuffle(order)
        other.append(Batch(tuple(calls), tuple(order)))
    noise = Noise(has_steps=has_steps)

    compared = compare(tell(run, noise), tell(other, noise))

    assert compared.severity == "none"
    assert compared.runs[0].first_divergence is None


@given(sequences, made, st.data())
def test_one_call_less_is_one_removed_call(
    calls: list[Made], call: Made, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(calls)))
    longer = [*calls[:at], call, *calls[at:]]

    compared = compare_calls(one_by_one(longer), one_by_one(calls))

    assert counts(compared) == (len(calls), 0, 0, 1, 0)


@given(sequences, st.lists(made, min_size=1, max_size=4))
def test_more_calls_at_the_end_are_added(calls: list[Made], more: list[Made]) -> None:
    compared = compare_calls(one_by_one(calls), one_by_one(calls + more))

    assert counts(compared) == (len(calls), 0, 0, 0, len(more))
    parted = compared.runs[0].first_divergence
    assert parted is not None
    assert (parted.a, parted.line_a) == (len(calls) + 1, None)


@given(sequences, made, made, st.data())
def test_two_neighbours_that_change_places_are_one_move(
    calls: list[Made], one: Made, other: Made, data: st.DataObject
) -> None:
    assume(one != other)
    at = data.draw(st.integers(0, len(calls)))
    before, after = calls[:at], calls[at:]

    compared = compare_calls(
        one_by_one([*before, one, other, *after]),
        one_by_one([*before, other, one, *after]),
    )

    assert counts(compared) == (len(calls) + 1, 0, 1, 0, 0)


@given(sequences, st.data(), st.booleans())
def test_another_outcome_is_critical_and_another_argument_is_not(
    calls: list[Made], data: st.DataObject, is_outcome: bool
) -> None:
    assume(calls)
    at = data.draw(st.integers(0, len(calls) - 1))
    call = calls[at]
    if is_outcome:
        changed = call._replace(ending="error" if call.ending == "ok" else "ok")
    else:
        changed = call._replace(about="new.py")
    # No other call may be matched in its place.
    assume(all(other.tool != call.tool for other in calls[:at] + calls[at + 1 :]))

    compared = compare_calls(
        one_by_one(calls), one_by_one([*calls[:at], changed, *calls[at + 1 :]])
    )

    # Files and the check of a change may differ as well.
    categories = [
        finding.category
        for finding in compared.findings
        if finding.category not in ("files", "verification")
    ]
    assert categories == ["outcome" if is_outcome else "args"]
    assert counts(compared) == (len(calls) - 1, 1, 0, 0, 0)
    assert (compared.severity == "critical") == is_outcome


@given(sequences, sequences)
def test_as_many_calls_are_the_same_as_can_be(
    one: list[Made], other: list[Made]
) -> None:
    compared = compare_calls(one_by_one(one), one_by_one(other), order="strict")

    same = compared.counts.same
    assert same == longest_common_subsequence(one, other)


def longest_common_subsequence(one: list[Made], other: list[Made]) -> int:
    lengths = [0] * (len(other) + 1)
    for x in one:
        above = lengths[:]
        for at, y in enumerate(other):
            lengths[at + 1] = (
                above[at] + 1 if x == y else max(above[at + 1], lengths[at])
            )
    return lengths[-1]


@given(
    st.lists(st.integers(0, 5), max_size=40), st.lists(st.integers(0, 5), max_size=40)
)
def test_sequences_too_long_for_one_table_are_still_aligned(
    one: list[int], other: list[int]
) -> None:
    alignment = align(one, other, most_pairs=20)

    places = [
        (block.old + offset, block.new + offset)
        for block in alignment.blocks
        for offset in range(block.length)
    ]
    assert all(one[at] == other[to] for at, to in places)
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(places))
    exact = align(one, other)
    assert len(places) <= sum(block.length for block in exact.blocks)
    if not alignment.is_approximate:
        assert alignment == exact


_FEW = st.integers(0, 3)


@given(
    st.lists(st.sampled_from(["", "\0", "b"]), max_size=40),
    st.lists(st.sampled_from(["", "\0", "b"]), max_size=40),
)
def test_as_many_items_are_common_as_are_aligned(
    one: list[str], other: list[str]
) -> None:
    blocks = align(one, other).blocks

    assert common_length(one, other) == sum(block.length for block in blocks)


@given(st.lists(_FEW, max_size=90), st.lists(st.lists(_FEW, max_size=90), min_size=1))
def test_sequences_are_aligned_as_rapidfuzz_does(
    one: list[int], others: list[list[int]]
) -> None:
    known = [(places_of(other), len(other)) for other in others]

    *blocks, _ = Indel.opcodes(one, others[0]).as_matching_blocks()
    assert align(one, others[0]).blocks == [Block(*block) for block in blocks]
    lengths = [LCSseq.similarity(one, other) for other in others]
    assert common_lengths(one, known) == lengths


def test_a_long_run_of_few_kinds_lacks_exactly_one_call() -> None:
    calls = [Made("read", f"{'abc'[n * n % 3]}.py") for n in range(300)]
    shorter = calls[:151] + calls[152:]

    compared = compare_calls(one_by_one(calls), one_by_one(shorter))

    assert counts(compared) == (299, 0, 0, 1, 0)


def test_a_repeated_call_counts_as_often_as_it_was_made() -> None:
    read = Made("read", "a.py")

    compared = compare_calls(
        one_by_one([read] * 5), one_by_one([read] * 2), order="any"
    )

    assert counts(compared) == (2, 0, 0, 3, 0)


def test_calls_are_ordered_by_start_not_by_end() -> None:
    one, other = Made("read", "a.py"), Made("edit", "b.py")
    last = Made("shell", "make")

    compared = compare_calls(
        [Batch((one, other), (1, 0)), Batch.of(last)],
        [Batch((one, other), (0, 1)), Batch.of(last)],
        order="strict",
    )

    assert compared.severity == "none"


@given(batches(), trajectories)
def test_ignoring_findings_does_not_change_the_counts(
    batch: Batch, run: list[Batch]
) -> None:
    a, b = tell(run), tell([*run, batch])

    ignored = ("added", "files", "verification")
    strict, waived = compare(a, b), compare(a, b, ignore=ignored)

    assert strict.is_different
    assert not waived.is_different
    assert counts(strict) == counts(waived)
    assert strict.runs[0].first_divergence == waived.runs[0].first_divergence


def mcp(arguments: dict[str, Any]) -> bytes:
    args = {"providerIdentifier": "db", "toolName": "query", "args": arguments}
    return call_of("mcpToolCall", args)


def call_of(key: str, arguments: Any) -> bytes:
    body = {key: {"args": arguments, "result": {"success": {}}}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}
    return json.dumps(call | {"tool_call": body}).encode() + b"\n"


@each(
    ("one", "other", "is_same"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": [1]}, {"n": [1.0]}, True),
        ({"n": 10**30}, {"n": 10**30 + 1}, False),
        ({"n": 1}, {"n": True}, False),
        ({"n": [1]}, {"n": [True]}, False),
        ({"n": 1}, {"n": "1"}, False),
        ({"n": None}, {}, False),
        ({"n": 0}, {}, False),
        ({"n": [1, 2]}, {"n": [2, 1]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"timeout": 1}, {"timeout": 2}, False),
        ({"description": "a"}, {"description": "b"}, False),
        ({"toolCallId": "a"}, {"toolCallId": "b"}, False),
        ({"content": "caf\u00e9"}, {"content": "cafe\u0301"}, False),
        ({"title": "caf\u00e9"}, {"title": "cafe\u0301"}, True),
    ],
)
def test_the_arguments_of_a_server_keep_their_values(
    one: Any, other: Any, is_same: bool
) -> None:
    assert compare(mcp(one), mcp(other)).is_different != is_same


@each(
    ("one", "other", "is_same"),
    [
        ({"path": "a", "limit": 0}, {"path": "a"}, True),
        ({"path": "a", "limit": None}, {"path": "a"}, True),
        ({"path": "a", "streamContent": ""}, {"path": "a"}, False),
        ({"path": "./a//b/"}, {"path": "a/b"}, True),
        ({"path": "a/../b"}, {"path": "b"}, False),
        ({"path": "a", "toolCallId": "x"}, {"path": "a", "toolCallId": "y"}, True),
        ({"path": "a", "timeout": 1}, {"path": "a", "timeout": 2}, False),
    ],
)
def test_arguments_of_built_in_tools_lose_defaults_and_noise(
    one: Any, other: Any, is_same: bool
) -> None:
    a, b = (call_of("readToolCall", arguments) for arguments in (one, other))

    assert compare(a, b).is_different != is_same


def test_replacing_a_call_that_only_looks_is_a_minor_difference() -> None:
    log = call_of("shellToolCall", {"command": "cd /tmp/x-aB3dE9 && cat log"})

    compared = compare(log, call_of("readToolCall", {"path": "a"}))

    assert compared.severity == "minor"


def test_a_call_that_moved_is_not_taken_for_a_change_of_its_new_neighbour() -> None:
    a, b, c = (Made("read", f"{name}.py") for name in "abc")
    anchor = Made("edit", "x.py")

    compared = compare_calls(one_by_one([a, anchor, b]), one_by_one([c, anchor, a]))

    assert counts(compared) == (1, 0, 1, 1, 1)


@pytest.mark.parametrize("name", list(REPORTS))
def test_a_report_says_that_an_alignment_is_approximate(name: str) -> None:
    calls = [Made("read", "a.py")]
    compared = compare_calls(one_by_one(calls), one_by_one(calls * 2))
    compared.runs[0].is_approximate = True

    lines = [line.text for line in report(name)(compared, ReportOptions())]

    assert "approximate" in "\n".join(lines)


def test_each_run_of_several_says_how_its_final_text_differs() -> None:
    one, other = (tell([], text="Old.") + tell([], text=text) for text in ("A", "B"))

    [line] = report("json")(compare(one, other), ReportOptions())

    whole = json.loads(line.text)
    assert [run["run"] for run in whole["runs"]] == [1, 2]
    assert [run["categories"] for run in whole["runs"]] == [[], ["text"]]
    [finding] = whole["findings"]
    assert finding["run"] == 2
    assert finding["details"][0]["lines"] == ["@@ line 1 @@", "-A", "+B"]


def test_the_last_message_and_a_summary_are_compared_as_a_whole() -> None:
    """A summary has all messages as one text, so only the last one would differ."""
    texts = [
        {"type": "assistant", "message": {"content": [{"text": text}]}}
        for text in ("One.", "Two.")
    ]
    ended = {"type": "result", "subtype": "success", "result": "One.Two."}
    init = {"type": "system", "subtype": "init"}
    ask = {"type": "interaction_query", "subtype": "response"}
    events = [init, texts[0], ask, texts[1], ended]
    log = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    summary = json.dumps(ended).encode() + b"\n"

    for a, b in ((log, summary), (summary, log)):
        text = compare(a, b, text="last").runs[0].text

        assert text is not None
        assert (text.a, text.b) == ("One.Two.", "One.Two.")


def test_a_markdown_report_leaves_out_the_changes_after_those_that_fit() -> None:
    """Not only the large ones: the shown values have no gaps."""

    def log(word: str) -> bytes:
        contents = [f"{n} {word}\n" + f"{word} {'x' * 150}\n" * 15 for n in range(30)]
        bodies = [
            {"editToolCall": {"args": {"path": f"{n}.py", "streamContent": content}}}
            for n, content in enumerate([*contents, f"{word}\n"])
        ]
        call = {"type": "tool_call", "subtype": "completed"}
        events = [
            {**call, "call_id": f"{n}", "tool_call": body}
            for n, body in enumerate(bodies)
        ]
        return b"".join(json.dumps(event).encode() + b"\n" for event in events)

    text = "\n".join(
        line.text
        for line in report("markdown")(compare(log("a"), log("b")), ReportOptions())
    )

    shown = text.count("<details><summary>~ call")
    assert 1 < shown < 30
    assert f"~ call {shown} " in text
    assert f"… details skipped: {31 - shown} major; --full for the rest" in text


def test_a_hunk_is_named_by_its_line_in_the_candidate() -> None:
    old = [f"{n}" for n in range(1, 31)]
    new = [*old[5:25], "x", *old[26:]]

    change = lines_changed("content", old, new)

    assert [hunk.line for hunk in change.hunks] == [1, 21]
    assert new[20] == "x"


@pytest.mark.parametrize(("places", "has_moved"), [(8, True), (9, False)])
def test_a_call_that_is_repeated_has_moved_if_it_is_near(
    places: int, has_moved: bool
) -> None:
    others = [Made("read", f"{n}.py") for n in range(places)]
    call = Made("shell", "test")

    compared = compare_calls(
        one_by_one([call, *others]), one_by_one([*others, call, call])
    )

    left = (1, 0, 1) if has_moved else (0, 1, 2)
    assert counts(compared) == (places, 0, *left)


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_changed_calls_that_are_near_are_in_one_hunk(between: int, hunks: int) -> None:
    """Each has three calls around it, so six calls between two leave no gap."""
    calls = [Made("read", f"{n}.py") for n in range(between)]
    one, other = (
        one_by_one([Made("shell", word), *calls, Made("shell", f"x {word}")])
        for word in ("a", "b")
    )

    lines = [
        line.text
        for line in report("unified")(compare_calls(one, other), ReportOptions())
    ]

    assert sum(line.startswith("@@") for line in lines) == hunks
    assert sum(line.startswith(" ") for line in lines) == 6


def test_a_long_final_text_is_compared_by_its_words() -> None:
    words = [f"word{n}" for n in range(9000)]
    other = [f"{word}!" if n % 100 == 0 else word for n, word in enumerate(words)]

    compared = compare(tell([], text=" ".join(words)), tell([], text=" ".join(other)))
    short, full = (
        "\n".join(
            line.text for line in report("table")(compared, ReportOptions(is_full=full))
        )
        for full in (False, True)
    )

    assert compared.runs[0].text is not None
    assert compared.runs[0].text.similarity > 0.99
    assert len(short) < 10_000
    assert "… 140 more changes" in short
    assert "word8900!" in full
    assert "word8900!" not in short


def log_with_output(output: Any, directory: str = "/w") -> bytes:
    """Write a log of one call with this output."""
    body = {"args": {"path": "a"}, "result": {"success": output}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}
    events = [
        {"type": "system", "subtype": "init", "cwd": directory},
        {**call, "tool_call": {"readToolCall": body}},
    ]
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


@pytest.mark.parametrize("blank", ["", " ", "a "])
def test_a_value_that_begins_or_ends_in_white_space_has_quotes(blank: str) -> None:
    compared = compare(
        log_with_output({"kind": blank}), log_with_output({"kind": "b"}), outputs=True
    )

    lines = [line.text for line in report("table")(compared, ReportOptions())]

    assert f'    output.kind  "{blank}" -> b' in lines


def test_outputs_long_on_one_side_only_may_be_equal() -> None:
    rest = "/x\n" + "y" * 63_990
    a = log_with_output({"content": f"/home/dev/shop{rest}"}, "/home/dev/shop")
    b = log_with_output({"content": f"/w{rest}"}, "/w")
    c = log_with_output({"content": f"/w/z{rest}"}, "/w")

    assert compare(a, b).severity == compare(b, a).severity == "none"
    assert compare(a, c).severity == compare(c, a).severity == "info"


def test_the_order_of_members_is_no_change_inside_an_output() -> None:
    def log(members: list[tuple[str, int]], line: str) -> bytes:
        deep: Any = dict(members)
        for _ in range(60):
            deep = {"in": deep}
        return log_with_output(
            {
                "line": line,
                "deep": deep,
                "list": [{"n": n, **dict(members)} for n in range(200)],
                "small": [dict(members), 1.0 if line == "x" else 1],
            }
        )

    one, other = [("a", 1), ("b", 2)], [("b", 2), ("a", 1)]

    same = compare(log(one, ""), log(other, ""), outputs=True)
    compared = compare(log(one, "x"), log(other, "y"), outputs=True)

    assert same.severity == "none"
    details = output_changed(compared.runs[0].rows[0].comparison)
    assert [detail.path for detail in details] == ["output.line"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["table", "unified"])
def test_no_line_of_a_report_is_endless(name: str) -> None:
    long = "z" * (1_000_000 if is_exhaustive else 100_000)
    pairs = [
        (call_of("readToolCall", {"path": long}), call_of("readToolCall", {})),
        tuple(call_of("shellToolCall", {"command": c}) for c in ("a\t" + long, long)),
        tuple(
            call_of("shellToolCall", {"command": f"a{s}b"}) for s in (" ", " " * 9999)
        ),
        (mcp({long: 1}), mcp({long: 2})),
        (tell([], text=f"{long} a"), tell([], text=f"{long} b")),
        (
            call_of("readToolCall", {}),
            b'{"type":"tool_call","call_id":"x","subtype":'
            b'"completed","tool_call":{"readToolCall":{"result":{"%s":{}}}}}'
            % long.encode(),
        ),
    ]

    for a, b in pairs:
        for line in report(name)(compare(a, b, raw=True), ReportOptions()):
            assert len(line.text) < 2000


def test_nothing_that_hides_or_turns_text_reaches_a_terminal() -> None:
    calls = [
        call_of(f"{name}\u202eToolCall", {"command": f"a{'  ' * n}\u200bb\u2066{n}"})
        for n, name in enumerate("abcdefghijklmnopqrstuvwxyz")
    ]
    log = b"".join(call.replace(b'"x"', b'"%d"' % n) for n, call in enumerate(calls))
    spaces = [call_of("shellToolCall", {"command": f"a{s}b"}) for s in " \u2028"]

    compared = [compare(calls[0], log), compare(*spaces, raw=True)]

    for name in ("table", "unified"):
        lines = [
            line.text for one in compared for line in report(name)(one, ReportOptions())
        ]
        assert not set("".join(lines)) & set("\u202e\u200b\u2066\u2028")


@pytest.mark.seldom
@pytest.mark.parametrize("parents", part([[*range(-1, 1050)], [1049, *range(1049)]], 2))
def test_calls_may_be_nested_deeper_than_python_goes(parents: list[int]) -> None:
    def log(parents: list[int]) -> bytes:
        return b"".join(inside(number, parent) for number, parent in enumerate(parents))

    compared = compare(log(parents), log([*parents, 70]))

    assert counts(compared) == (len(parents), 0, 0, 0, 1)
    for name in part(REPORTS, 3):
        assert list(report(name)(compared, ReportOptions(is_full=True)))


def test_an_output_may_be_nested_deeper_than_marshal_goes() -> None:
    log = deep_log("output", "one on a line", VALUES["objects"](3000))
    other = log.replace(b":1}", b":2}")

    assert not compare(log, log, outputs=True).is_different
    assert compare(log, other, outputs=True).is_different


def inside(number: int, parent: int) -> bytes:
    """Write a call that names another call as its parent."""
    body = {"readToolCall": {"args": {"path": f"{number}"}, "result": {"success": {}}}}
    return json.dumps(
        {
            "type": "tool_call",
            "subtype": "completed",
            "call_id": f"{number}",
            "tool_call": body | {"parentToolCallId": f"{parent}"},
        }
    ).encode() + (b"\n")


@pytest.mark.parametrize("name", list(REPORTS))
def test_a_run_without_a_partner_may_be_long(name: str) -> None:
    one = tell([])
    both = one + tell(one_by_one([Made("read", "a.py")] * 21), Noise(seed=1))

    for a, b in [(one, both), (both, one)]:
        lines = [line.text for line in report(name)(compare(a, b), ReportOptions())]

        assert "runs" in "".join(lines) or name == "unified"


def test_a_run_that_was_cut_off_has_no_final_text() -> None:
    log = tell([])
    cut = b"".join(log.splitlines(keepends=True)[:-1])

    assert compare(log, cut).runs[0].text is None


CASES = [
    "diff-inside-a-changed-call",
    "diff-runs-that-have-little-in-common",
    "diff-noise-in-values",
]


# One process makes many reports.
COMPARE = """
import json, sys
from convert.cli import run
for arguments in json.loads(sys.argv[1]):
    run(arguments)
"""


@pytest.mark.seldom
def test_a_report_does_not_depend_on_the_machine(tmp_path: Path) -> None:
    made = set()

    for seed, language, zone, place in [
        ("1", "C.UTF-8", "UTC", GOLDEN),
        ("4", "C", "Asia/Kathmandu", tmp_path),
    ]:
        here = os.path.relpath(GOLDEN, place)
        words = ["diff", "--verbose", "--name-a", "a.ndjson", "--name-b", "b.ndjson"]
        commands = [
            [*words, *(f"{here}/{case}/{log}.ndjson" for log in "ab"), "--format", name]
            for case, name in product(CASES, REPORTS)
        ]
        done = subprocess.run(
            [sys.executable, "-c", COMPARE, json.dumps(commands)],
            cwd=place,
            env={"PYTHONHASHSEED": seed, "LANG": language, "TZ": zone},
            capture_output=True,
            check=False,
        )
        assert not done.stderr
        made.add(done.stdout)

    [reports] = made
    assert reports


def test_two_equal_logs_need_no_library_to_be_compared(tmp_path: Path) -> None:
    for name in ("a.ndjson", "b.ndjson"):
        log = GOLDEN / "diff-same-calls-on-another-machine" / name
        shutil.copyfile(log, tmp_path / name)
    slow = {"deepdiff", "tabulate", "tomllib"}
    slow |= {"tree_sitter", "tree_sitter_bash"}

    modules = imported("diff", "--quiet", "a.ndjson", "b.ndjson", folder=tmp_path)

    assert "convert.diff" in modules
    assert not modules & slow
    assert not imported("a.ndjson", folder=tmp_path) & (slow | {"convert.diff"})


def test_a_comment_is_shorter_than_hosts_allow_unless_all_is_asked_for() -> None:
    calls = [Made("edit", f"{n}/" + "\u5024" * 150) for n in range(400)]
    changed = [call._replace(ending="error") for call in calls]

    compared = compare_calls(one_by_one(calls), one_by_one(changed))
    short, full = (
        [
            line.text
            for line in report("markdown")(compared, ReportOptions(is_full=is_full))
        ]
        for is_full in (False, True)
    )

    assert len("\n".join(short).encode()) < 60_000
    assert sum("skipped" in line for line in short) == 3
    assert not any("skipped" in line for line in full)
    assert sum("ok -> error" in line for line in full) == 2 * 400
