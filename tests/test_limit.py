"""`--max-bytes`: the order in which a transcript leaves things out."""

from __future__ import annotations

import functools
import itertools
import re

import pytest

import convert
from convert.transcript.pieces import FoldedCalls
from convert.write.markdown import folded_in_words
from support.logs import Call, Manner, Step, Story, tell
from support.matrix import is_exhaustive

pytestmark = pytest.mark.exhaustive

LINE = "a line of some sixty bytes, as programs print them, {} {}\n"
# The order in which calls are shortened.
KINDS = ["read", "edit", "fail"]


def call(kind: str, number: int, lines: int = 30) -> Call:
    """Make a call that only looks, one that changes a file, or one that fails."""
    printed = LINE.format(kind, number) * lines
    match kind:
        case "read":
            result = {"success": {"content": printed}}
            return Call("readToolCall", {"path": f"{number}.py"}, result, "")
        case "edit":
            diff = f"@@ -0,0 +1,{lines} @@\n+" + printed[:-1].replace("\n", "\n+")
            result = {"success": {"diffString": diff}}
            return Call("editToolCall", {"path": f"{number}.py"}, result, "")
        case "script":
            result = {"success": {"exitCode": 0}}
            return Call("shellToolCall", {"command": printed}, result, "")
    result = {"failure": {"exitCode": 1, "stdout": printed}}
    return Call("shellToolCall", {"command": f"make {number}"}, result, "")


def log_of(steps: list[tuple[str, Call]]) -> bytes:
    """Write a run of steps, each with a text and a call."""
    made = [Step("", text, [call], [0], False) for text, call in steps]
    return b"".join(tell(Story(made, "All done."), Manner(0)))


@functools.cache
def transcripts(log: bytes, most: int, step: int) -> list[str]:
    """Write transcripts with smaller and smaller limits, in larger steps by default."""
    return [
        b"".join(convert.convert([log], "markdown", max_bytes=limit)).decode()
        for limit in range(most, 4095, -step if is_exhaustive else -4 * step)
    ]


def showing(text: str, kind: str) -> list[int]:
    """Return the numbers of the calls of a kind whose output is shown."""
    found = re.findall(rf"(?m)^a line .* {kind} (\d+)$", text)
    return [int(number) for number, _ in itertools.groupby(found)]


def test_calls_that_look_give_way_first_and_failures_last() -> None:
    log = log_of([("", call(kind, n)) for n in range(8) for kind in KINDS])
    seen = set()

    for text in transcripts(log, 40_000, 500):
        counts = [len(showing(text, kind)) for kind in KINDS]

        for earlier, later in itertools.pairwise(counts):
            assert not earlier or later == 8
        seen |= {kind for kind, count in zip(KINDS, counts, strict=True) if count % 8}
    assert seen == {*KINDS}


def test_the_oldest_calls_give_way_first() -> None:
    log = log_of([("", call(kind, n)) for n in range(8) for kind in KINDS])

    for text in transcripts(log, 40_000, 500):
        for kind in KINDS:
            numbers = showing(text, kind)

            assert numbers == [*range(8 - len(numbers), 8)]


def test_output_is_as_short_as_it_gets_before_a_call_shows_nothing() -> None:
    log = log_of([("", call(kind, n)) for n in range(8) for kind in KINDS])
    shown = {True: set[int](), False: set[int]()}

    for text in transcripts(log, 40_000, 500):
        lines = max(text.count(LINE.format("edit", number)) for number in range(8))
        shown[len(showing(text, "read")) == 8].add(lines)

    assert shown[False] <= {0, 3, 4}
    assert {4, 20} < shown[True]


@pytest.mark.seldom
def test_failures_keep_their_output_longest() -> None:
    log = log_of([("", call(kind, n)) for n in range(8) for kind in KINDS])
    shown = {True: set[int](), False: set[int]()}

    for text in transcripts(log, 20_000, 300):
        lines = max(text.count(LINE.format("fail", number)) for number in range(8))
        # One may fit into the room that a shorter failure leaves.
        has_good = len(showing(text, "read") + showing(text, "edit")) > 1
        shown[has_good].add(lines)

    assert shown[True] == {30}
    assert {30, 4} < shown[False]


def test_calls_that_succeeded_fold_into_one_line() -> None:
    calls = [call("fail" if n == 60 else "read", n) for n in range(120)]
    log = log_of([("", call) for call in calls])

    text = transcripts(log, 6000, 6000)[0]

    folded = re.findall(r"(?m)^\*\*(\d+) to (\d+)\.\*\* (\d+) calls: \3 reads$", text)
    assert [first for first, _, _ in folded] == ["1", "62"]
    assert folded[0][1:] == ("60", "60")
    assert text.count(LINE.format("fail", 60)) == 30


def test_kinds_of_folded_calls_have_nouns_in_common() -> None:
    kinds = {"grep": 1, "glob": 1, "readTodos": 2, "updateTodos": 1, "shell": 1, "x": 1}

    words = folded_in_words(FoldedCalls(first=1, last=7, kinds=kinds, bare=0))

    assert words == (
        "7 calls: 3 to-do list updates, 2 searches, 1 command, 1 other call"
    )


def test_texts_stay_whole_as_long_as_a_call_shows_something() -> None:
    prose = "A text of about three hundred bytes. " * 8
    log = log_of([(f"{prose}End {n}.", call("read", n)) for n in range(12)])
    whole = []

    for text in transcripts(log, 20_000, 400):
        is_whole = text.count(prose) == 12
        whole.append(is_whole)

        assert is_whole or not showing(text, "read")
    assert {*whole} == {True, False}


def test_texts_of_more_than_their_share_give_way_before_calls() -> None:
    prose = "A text that takes more than its share of the room. " * 120
    log = log_of([(f"{prose}End {n}.", call("read", n, 4)) for n in range(10)])
    shortened = []

    for text in transcripts(log, 70_000, 3000):
        if prose not in text:
            shortened.append(len(showing(text, "read")))

    assert shortened[0] == 10
    assert shortened == sorted(shortened, reverse=True)


def test_the_middle_goes_last_and_is_counted() -> None:
    log = log_of([("", call("edit", number, 1)) for number in range(200)])

    for text in transcripts(log, 12_000, 1200):
        numbers = [int(number) for number in re.findall(r"(?m)^### (\d+)\.", text)]
        left_out = 200 - len(numbers)
        if left_out:
            first = next(n for n, number in enumerate(numbers) if number != n + 1)
            last = len(numbers) - first

            assert f"… {left_out} calls omitted from this page …" in text
            assert numbers == [*range(1, first + 1), *range(201 - last, 201)]
            assert min(first, last) > 10
            assert not showing(text, "edit")
    assert left_out > 100


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        (["read"], "file contents"),
        (["edit"], "file contents"),
        (["fail"], "output"),
        (["fail", "read", "edit"], "file contents and output"),
    ],
)
def test_the_page_says_where_calls_lack_lines_and_which_parts(
    kinds: list[str], named: str
) -> None:
    steps = [("Go on.", call(kind, number)) for number in range(40) for kind in kinds]

    text = transcripts(log_of(steps), 7000 * len(kinds), 7000 * len(kinds))[0]

    first, _, below = text.partition("*To keep this page to ")
    assert "omitted from this page" not in first.rpartition("\n\n… ")[0]
    assert below.startswith(f"{7000 * len(kinds):,} bytes, parts of calls are ")
    assert re.search(rf"\d calls appear without their {named}\.\n$", text)
    lost = re.findall(r"\n\n… 3\d lines \(\d.*B\) omitted from this page …\n", text)
    assert lost


def test_the_page_says_that_calls_lack_their_commands() -> None:
    steps = [("Go on.", call("script", number)) for number in range(40)]

    text = transcripts(log_of(steps), 7000, 7000)[0]

    assert re.search(r"\d calls appear without their commands\.\n$", text)
