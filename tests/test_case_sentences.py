"""The plain sentence about a case, which every report shows."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from convert.suites import (
    Behaviour,
    CaseFinding,
    CaseResult,
    CaseRun,
    CaseSide,
    Change,
    sentence_of,
)
from convert.wording.styles_and_columns import columns
from support.made_suites import CHANGE
from support.matrix import each

GOOD = CaseRun(log="a/1.ndjson", outcome="clean", state="success", calls=4)
BAD = replace(GOOD, outcome="failed", state="error")
CUT = replace(GOOD, outcome="failed", state="cut", calls=1)
LIMITED = replace(BAD, outcome="excluded", reason_kind="quota", calls=0)
LOST = replace(LIMITED, reason_kind="network")
UNKNOWN = replace(GOOD, outcome="unknown", state=None)


def side(*runs: CaseRun, unread: int = 0) -> CaseSide:
    return CaseSide(logs=tuple(run.log for run in runs), runs=runs, unread=unread)


def told(a: CaseSide, b: CaseSide, **members: Any) -> str:
    known: dict[str, Any] = {"name": "case", "fate": "same", **members}
    return sentence_of(CaseResult(sides=(a, b), **known))


def behaviour(*changes: Change) -> Behaviour:
    return Behaviour(p=0.03, distribution=((1.0, 1.0),), changes=changes)


@each(
    ("a", "b", "sentence"),
    [
        ((4, 1), (4, 1), "4 of 5 runs succeeded before and after."),
        ((4, 0), (4, 0), "All 4 runs succeeded before and after."),
        ((2, 0), (2, 0), "Both runs succeeded before and after."),
        ((0, 3), (0, 3), "None of 3 runs succeeded before or after."),
        (
            (4, 0),
            (1, 3),
            "All 4 runs succeeded before, 1 of 4 now; a/1, 1 and 1 failed.",
        ),
        (
            (4, 0),
            (0, 4),
            "All 4 runs succeeded before, 0 of 4 now; a/1, 1, 1 and 1 more failed.",
        ),
        ((1, 3), (3, 1), "1 of 4 runs succeeded before, 3 of 4 now."),
        ((4, 0), (2, 0), "All 4 runs succeeded before, all 2 now."),
        ((1, 0), (1, 0), "The run succeeded before and after."),
        ((1, 0), (0, 1), "The run succeeded before and fails now."),
        ((0, 1), (1, 0), "The run failed before and succeeds now."),
        ((0, 1), (0, 1), "The run failed before and after."),
    ],
)
def test_success_comes_first(
    a: tuple[int, int], b: tuple[int, int], sentence: str
) -> None:
    sides = [side(*[GOOD] * good, *[BAD] * bad) for good, bad in (a, b)]

    assert told(*sides) == sentence


def test_the_runs_that_fail_now_are_named_with_their_reasons() -> None:
    tests, other = "The tests still fail: 2 of 9.", f"No such file: {'x' * 200}"
    failed = [
        replace(BAD, log=f"b/x-{at}.ndjson", reason=reason)
        for at, reason in enumerate((other, tests, tests, "Out of ideas", "Lost"))
    ]

    assert told(side(*[GOOD] * 3), side(GOOD, *failed[1:3])) == (
        "All 3 runs succeeded before, 1 of 3 now; b/x-1 and x-2 failed: The tests still"
        " fail: 2 of 9."
    )
    assert told(side(GOOD), side(failed[1])) == (
        "The run succeeded before and fails now: The tests still fail: 2 of 9."
    )
    several = told(side(*[GOOD] * 3), side(*failed, CUT))
    assert "; b/x-1 and x-2 failed: The tests" in several
    assert "2 of 9; b/x-0 failed: No such file: xxx" in several
    assert "x…; 2 more failed. 1 run of the new version broke off." in several


def test_the_steadiest_change_follows() -> None:
    sides = side(*[GOOD] * 4), side(*[GOOD] * 4)
    unsteady = replace(CHANGE, b=2)

    sentence = told(*sides, behaviour=behaviour(CHANGE), is_listed=True)
    by_chance = told(*sides, behaviour=behaviour(CHANGE))
    seldom = told(*sides, behaviour=behaviour(unsteady))

    assert sentence == (
        "All 4 runs succeeded before and after. Tests used to run before the edit; now"
        " they run after it."
    )
    assert by_chance == (
        "All 4 runs succeeded before and after. Tests used to run before the edit; now"
        " they run after it. This may be chance."
    )
    assert seldom == "All 4 runs succeeded before and after."


def test_excluded_cut_and_unread_runs_are_counted() -> None:
    a = side(*[GOOD] * 4)
    b = side(GOOD, GOOD, CUT, LIMITED, LIMITED, LOST, unread=1)

    assert told(a, b) == (
        "All 4 runs succeeded before, 2 of 3 now. 3 runs of the new version were"
        " excluded: usage limit 2, network 1. 1 run of the new version broke off."
        " 1 log of the new version cannot be read."
    )


def test_only_excluded_runs_say_nothing_of_success() -> None:
    assert told(side(*[GOOD] * 2), side(LIMITED, LIMITED)) == (
        "2 runs of the new version were excluded: usage limit."
    )


def test_a_case_of_one_version_is_reported_as_such() -> None:
    runs, nothing = side(GOOD, GOOD, BAD), side()

    assert told(runs, nothing, fate="missing") == (
        "Only the baseline has it: 2 of 3 runs succeeded."
    )
    assert told(nothing, runs, fate="new") == (
        "Only the new version has it: 2 of 3 runs succeeded."
    )
    assert told(nothing, side(UNKNOWN), fate="new") == (
        "Only the new version has it: 1 run."
    )


def test_a_case_that_cannot_be_compared_says_why() -> None:
    sentence = told(side(), side(), fate="trouble", reason="a.ndjson: is empty")

    assert sentence == "It cannot be compared: a.ndjson: is empty"


def finding(category: Any, about: str, *notes: str, **members: Any) -> CaseFinding:
    stated = {"category": category, "about": about, "notes": notes, **members}
    return CaseFinding(severity="major", **stated)


@each(
    ("findings", "sentence"),
    [
        (
            [
                finding("added", "shell npm run lint", "[ok]"),
                finding("added", "read README.md", "[ok]"),
                finding("added", "read b.md", "[ok]"),
            ],
            "It now makes 3 more calls: shell npm run lint, read README.md and 1 more.",
        ),
        (
            [finding("removed", "read src/a.py", "[ok]")],
            "It no longer makes 1 call: read src/a.py.",
        ),
        (
            [finding("outcome", "shell npm test", was="ok", now="exit 1")],
            "shell npm test now ends with exit 1; before, it was ok.",
        ),
        (
            [finding("outcome", "read a", "x -> y", "(better)", was="x", now="y")],
            "read a now ends with y (better); before, it was x.",
        ),
        (
            [finding("verification", "pytest -q", "run only before it in B")],
            "It checks its changes in another way: pytest -q, run only before it in B.",
        ),
        (
            [finding("files", "src/a.py", "differs", path="src/a.py")],
            "It leaves 1 file with other contents: src/a.py.",
        ),
        ([finding("text", "similarity 0.20")], "It gives another answer."),
        ([finding("added", "read b.md", "[ok]", waived="--ignore added")], ""),
    ],
)
def test_two_runs_differ_in_plain_words(
    findings: list[CaseFinding], sentence: str
) -> None:
    words = told(side(GOOD), side(GOOD), fate="different", findings=findings)

    assert words == f"The run succeeded before and after. {sentence}".rstrip()


def test_two_runs_differ_in_their_number_of_calls_at_least() -> None:
    a, more = side(GOOD), side(replace(GOOD, calls=6))

    assert told(a, more).endswith(" It makes 2 more calls.")
    assert told(more, a).endswith(" It makes 2 fewer calls.")


def test_a_run_that_breaks_off_differs_for_that_reason() -> None:
    findings = [finding("removed", "read src/a.py", "[ok]")]

    assert told(side(GOOD), side(CUT), fate="different", findings=findings) == (
        "The run succeeded before and fails now. 1 run of the new version broke off."
    )


def test_a_sentence_fits_on_a_line() -> None:
    findings = [
        finding(category, f"shell {'x' * 300}", was="ok", now="exit 1")
        for category in ("outcome", "added", "args")
    ]

    words = told(side(GOOD), side(CUT), fate="trouble", reason="line\n" * 99)
    others = told(side(GOOD), side(BAD), fate="different", findings=findings)

    for text in (words, others):
        assert "\n" not in text
        assert columns(text) <= 300


def test_another_answer_is_named_only_if_nothing_else_differs() -> None:
    answer, args = finding("text", "final text"), finding("args", "shell ls")
    sides = side(GOOD), side(GOOD)

    both = told(*sides, fate="different", findings=[answer, args])
    alone = told(*sides, fate="different", findings=[answer])

    assert both.endswith(" It makes 1 call in another way: shell ls.")
    assert "another answer" not in both
    assert alone.endswith(" It gives another answer.")


@each(("calls", "words"), [(1, "1 call returns"), (2, "2 calls return")])
def test_a_verb_is_in_the_number_of_its_calls(calls: int, words: str) -> None:
    finding = CaseFinding(category="output", severity="major", about="read a.py")
    sides = side(GOOD), side(GOOD)

    sentence = told(*sides, fate="different", findings=[finding] * calls)

    assert f"{words} another output: read a.py." in sentence
