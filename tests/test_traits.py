"""The traits of the runs of a case, and the words for how they changed."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.diff import Side, compare_as_named
from convert.options import Settings
from convert.suites import (
    Behaviour,
    Change,
    TraitedRun,
    behaviour_of,
    compare_across,
    middle,
    steadiest,
    traits_of,
)
from support.golden import GOLDEN
from support.made_cases import (
    Call,
    Made,
    edit,
    grep,
    log_of,
    mcp,
    read,
    shell,
    side_of,
    sides_of,
)
from support.matrix import each, part

READ, EDIT, TEST = read("src/a.py"), edit("src/slug.py"), shell("npm test")
USUAL = (READ, EDIT, TEST)
FAILING = "Tests: 1 failed, 2 passed, 3 total"
PASSING = "Tests: 3 passed, 3 total"


def traited(
    version: str, made: Sequence[Made], settings: Settings | None = None
) -> list[TraitedRun]:
    settings = settings or Settings()
    return [
        traits_of(f"{version}/{number}.ndjson", side, settings)
        for number, side in enumerate(sides_of(made, settings), 1)
    ]


def between(a: Sequence[Made], b: Sequence[Made], **knobs: Any) -> Behaviour:
    """Return how runs differ from others, whose ids are their own."""
    settings = Settings(**knobs)
    found = behaviour_of(traited("a", a, settings), traited("b", b, settings))
    assert found is not None
    return found


def change(a: Sequence[Call], b: Sequence[Call], **knobs: Any) -> Change:
    """Return the one change between four runs and four others."""
    [found] = between([Made(a)] * 4, [Made(b)] * 4, **knobs).changes
    return found


def same(a: Sequence[Call], b: Sequence[Call], **knobs: Any) -> bool:
    return not between([Made(a)] * 4, [Made(b)] * 4, **knobs).changes


CHANGES: dict[str, tuple[Sequence[Call], Sequence[Call], str, str, str]] = {
    "a new call, without its arguments and its place": (
        USUAL,
        (*USUAL, shell("git commit -am x")),
        "added major: shell git commit -am x",
        "All 4 runs now run `git commit -am x`; none did before.",
        "run `git commit` now",
    ),
    "a check that is new": (
        USUAL,
        (*USUAL, shell("npm run lint")),
        "added major: shell npm run lint",
        "All 4 runs now run `npm run lint`; none did before.",
        "run the linter now",
    ),
    "a call that is gone": (
        USUAL,
        (EDIT, TEST),
        "removed minor: read src/a.py",
        "No run reads src/a.py any more; all 4 did before.",
        "read one file fewer now",
    ),
    "a call made again": (
        USUAL,
        (*USUAL, TEST),
        "added major: shell npm test (more than once)",
        "All 4 runs now run `npm test` more than once; none did before.",
        "run the tests more often now",
    ),
    "a call no longer made again": (
        (*USUAL, TEST),
        USUAL,
        "removed major: shell npm test (more than once)",
        "All 4 runs now run `npm test` at most once; before, all did so more often.",
        "run the tests less often now",
    ),
    "tests after the edit": (
        (READ, TEST, EDIT),
        USUAL,
        "verification major: shell npm test: after edit src/slug.py",
        "Tests used to run before the edit; now they run after it.",
        "run the tests after the edit now",
    ),
    "tests before the edit, of several": (
        (EDIT, edit("src/b.py"), TEST),
        (EDIT, TEST, edit("src/b.py")),
        "verification major: shell npm test: before edit src/b.py",
        "Tests used to run after the edit of src/b.py; now they run before it.",
        "run the tests before the edit now",
    ),
    "a commit after the edit, which is no check": (
        (shell("git commit -am x"), EDIT),
        (EDIT, shell("git commit -am x")),
        "moved major: edit src/slug.py: before shell git commit -am x",
        "Runs used to run `git commit -am x` before they edit src/slug.py;"
        " now it is the other way round.",
        "make calls in another order now",
    ),
    "a command after the edit": (
        (shell("make"), EDIT),
        (EDIT, shell("make")),
        "verification major: shell make: after edit src/slug.py",
        "`make` used to run before the edit; now it runs after it.",
        "run `make` after the edit now",
    ),
    "edits in another order": (
        (EDIT, edit("src/b.py")),
        (edit("src/b.py"), EDIT),
        "moved minor: edit src/b.py: before edit src/slug.py",
        "Runs used to edit src/slug.py before they edit src/b.py; now it is the other"
        " way round.",
        "edit files in another order now",
    ),
    "another edit, without the file it leaves": (
        USUAL,
        (READ, edit("src/slug.py", new="c\n"), TEST),
        "args major: edit src/slug.py: effect",
        "All 4 runs now edit src/slug.py in another way.",
        "edit a file in another way now",
    ),
    "a command spelled otherwise": (
        USUAL,
        (READ, EDIT, shell("npm test -- --ci")),
        "args major: shell npm test -> shell npm test -- --ci",
        "All 4 runs now run `npm test -- --ci` instead of `npm test`.",
        "run the tests in another way now",
    ),
    "another argument of a tool": (
        (mcp("create", title="x", body="z"),),
        (mcp("create", title="y", body="z"),),
        "args major: mcp:tracker/create: title",
        "All 4 runs now call tracker/create with other arguments.",
        "call tracker/create in another way now",
    ),
    "tests that fail": (
        USUAL,
        (READ, EDIT, shell("npm test", 1)),
        "outcome critical: shell npm test: exit 1",
        "`npm test` now fails in all 4 runs; it passed before.",
        "see the tests fail now",
    ),
    "tests that no longer fail": (
        (READ, EDIT, shell("npm test", 1)),
        USUAL,
        "outcome critical: shell npm test: exit 1",
        "`npm test` does not fail any more, as it did in all 4 runs before.",
        "no longer see the tests fail",
    ),
    "an edit that fails, without the file it no longer changes": (
        USUAL,
        (READ, Call("edit", {"path": "src/slug.py"}, {"error": {"error": "no"}}), TEST),
        "outcome critical: edit src/slug.py: error",
        "Editing src/slug.py now fails in all 4 runs; it worked before.",
        "see an edit fail now",
    ),
    "failures that a pipe hides": (
        (READ, EDIT, shell("npm test | tail", output=PASSING)),
        (READ, EDIT, shell("npm test | tail", output=FAILING)),
        "tests major: shell npm test: tests failed",
        "All 4 runs now leave the tests failing; none did before.",
        "leave the tests failing now",
    ),
    "a search for something else": (
        (grep("slug"), EDIT),
        (grep("slugify"), EDIT),
        "args minor: grep slug src -> grep slugify src",
        "All 4 runs now search for `slugify` in src instead of `slug src`.",
        "search for something else now",
    ),
    "the call of a subagent": (
        (Call("task", {"prompt": "ReportOptions"}, inside=(READ,)),),
        (Call("task", {"prompt": "ReportOptions"}, inside=(READ, read("src/b.py"))),),
        "added minor: read src/b.py",
        "All 4 runs now read src/b.py; none did before.",
        "read one more file now",
    ),
}


@each("name", CHANGES)
def test_a_change_is_reported_once_in_plain_words(name: str) -> None:
    a, b, what, sentence, theme = CHANGES[name]

    found = change(a, b)

    assert f"{found.category} {found.severity}: {found.what}" == what
    assert found.sentence == sentence
    assert found.theme == theme
    assert found.is_steady
    assert found.p == pytest.approx(2 / 70)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", part(CHANGES, 3))
def test_runs_that_do_the_same_have_no_change(name: str) -> None:
    _, calls, *_ = CHANGES[name]

    found = between([Made(calls)] * 4, [Made(calls)] * 4)

    assert (found.p, found.changes) == (1.0, ())


def test_other_arguments_of_a_call_that_fails_now_are_a_change_of_their_own() -> None:
    before = mcp("create", title="x")
    now = mcp("create", title="y")._replace(result={"error": {"error": "no"}})

    found = between([Made((before,))] * 4, [Made((now,))] * 4).changes

    assert sorted(each.category for each in found) == ["args", "outcome"]


def test_shares_are_reported_where_not_all_runs_agree() -> None:
    more = Made((*USUAL, shell("git push")))
    usual = Made(USUAL)

    def sentence(a: int, b: int) -> str:
        runs = ([more] * a + [usual] * (4 - a), [more] * b + [usual] * (4 - b))
        return between(*runs).changes[0].sentence

    assert sentence(0, 3) == "3 of 4 runs now run `git push`; none did before."
    assert sentence(1, 4) == "All 4 runs now run `git push`; 1 of 4 did before."
    assert sentence(4, 1) == "Only 1 of 4 runs still runs `git push`; all 4 did before."
    assert sentence(3, 0) == "No run runs `git push` any more; 3 of 4 did before."


def test_commands_that_no_two_runs_spell_alike_are_one_program() -> None:
    a = [Made((EDIT, shell(f"pytest -k part{number}"))) for number in range(4)]

    [found] = between(a, [Made((EDIT,))] * 4).changes

    assert found.sentence == "No run runs `pytest` any more; all 4 did before."
    assert found.theme == "no longer run the tests"


def test_a_change_leads_to_the_first_log_that_shows_it() -> None:
    added = change(USUAL, (*USUAL, shell("git push")))
    removed = change((*USUAL, shell("git push")), USUAL)

    assert (added.log, added.line) == ("b/1.ndjson", 9)
    assert (removed.log, removed.line) == ("a/1.ndjson", 9)


def test_what_runs_make_is_no_change() -> None:
    def run(seed: int) -> Made:
        dice = Random(seed)
        key, commit = str(UUID(int=dice.getrandbits(128))), f"{dice.getrandbits(160):x}"
        folder = f"/tmp/tmp.{commit[:4]}ABC{commit[4:8]}1"
        port = dice.randrange(30_000, 60_000)
        created = {"success": {"content": [{"text": json.dumps({"id": key})}]}}
        calls = (
            mcp("create", title="x")._replace(result=created),
            mcp("close", id=key),
            shell("git rev-parse HEAD", output=f"{commit:0>40}\n"),
            shell(f"git show {commit:0>40}"),
            shell("mktemp -d", output=folder),
            shell(f"cp a {folder}/a"),
            shell("npm start &", output=f"http://localhost:{port}"),
            shell(f"curl localhost:{port}/x"),
            edit("src/a.py", new=f"KEY = '{key}'\n"),
        )
        return Made(calls, text=f"I closed {key}.", directory=f"/home/dev/job-{seed}")

    found = between(
        [run(seed) for seed in range(4)],
        [run(9 + seed) for seed in (*"1234",)]
        if False
        else [run(seed) for seed in range(10, 14)],
    )

    assert (found.p, found.changes) == (1.0, ())


def test_a_value_from_another_place_is_a_change() -> None:
    ids = [str(UUID(int=Random(number).getrandbits(128))) for number in range(16)]

    def run(number: int, at: int) -> Made:
        users = ids[2 * number : 2 * number + 2]
        names = f"ann {users[0]}\nbob {users[1]}\n"
        return Made((shell("list-users", output=names), mcp("delete", id=users[at])))

    a, others = [run(at, 0) for at in range(4)], [run(at, 0) for at in range(4, 8)]
    b = [run(at, 1) for at in range(4, 8)]

    assert between(a, others).p == 1.0
    [found] = between(a, b).changes
    assert found.category == "args"
    assert found.what.startswith("mcp:tracker/delete")


def test_calls_made_at_once_have_no_order() -> None:
    both = (EDIT._replace(step="s"), shell("make")._replace(step="s"))

    assert same(both, (EDIT, shell("make")), ignore=("verification",))
    assert same(both, both[::-1])
    assert same((EDIT, shell("make")), (shell("make"), EDIT), order="any")
    assert not same((EDIT, shell("make")), (shell("make"), EDIT))


def test_reads_in_another_order_are_no_change() -> None:
    assert same((READ, read("src/b.py"), EDIT), (read("src/b.py"), READ, EDIT))


MORE = (*USUAL, shell("git push"))
FAILS = (READ, EDIT, shell("npm test", 1))
OTHER = (READ, edit("src/slug.py", new="c\n"), TEST)
WAIVED: list[tuple[dict[str, Any], Sequence[Call], Sequence[Call]]] = [
    ({"ignore": ("added",)}, USUAL, MORE),
    ({"allow_extra": ("shell",)}, USUAL, MORE),
    ({"match": "superset"}, USUAL, MORE),
    ({"ignore": ("removed",)}, MORE, USUAL),
    ({"match": "subset"}, MORE, USUAL),
    ({"allow_better": True, "ignore": ("verification",)}, FAILS, USUAL),
    ({"judge": ("status", "result")}, USUAL, MORE),
    ({"args": "subject", "ignore": ("files",)}, USUAL, OTHER),
    ({"ignore": ("args", "files")}, USUAL, OTHER),
    ({"ignore_arg": ("edit.effect",)}, USUAL, OTHER),
]


@each(("knobs", "a", "b"), WAIVED)
def test_settings_waive_changes_in_their_direction(
    knobs: dict[str, Any], a: Sequence[Call], b: Sequence[Call]
) -> None:
    waived = between([Made(a)] * 4, [Made(b)] * 4, **knobs)

    assert (waived.p, waived.changes) == (1.0, ())
    assert not same(a, b)


@each(
    ("knobs", "a", "b"),
    [
        ({"ignore": ("added",)}, MORE, USUAL),
        ({"allow_extra": ("shell",)}, MORE, USUAL),
        ({"allow_extra": ("read",)}, USUAL, MORE),
        ({"match": "superset"}, MORE, USUAL),
        ({"match": "subset"}, USUAL, MORE),
        ({"allow_better": True}, USUAL, FAILS),
        ({"judge": ("files",)}, USUAL, OTHER),
    ],
)
def test_what_settings_waive_counts_in_the_other_direction(
    knobs: dict[str, Any], a: Sequence[Call], b: Sequence[Call]
) -> None:
    assert not same(a, b, **knobs)


def test_outputs_count_if_settings_say_so() -> None:
    a, b = (shell("make", output="x"),), (shell("make", output="y"),)

    assert same(a, b)
    assert change(a, b, outputs=True).category == "output"


def test_the_answer_is_a_trait() -> None:
    a, b = [Made(USUAL)] * 4, [Made(USUAL, text="Other.")] * 4

    [found] = between(a, b).changes

    assert found.category == "text"
    assert found.sentence == "All 4 runs now give another answer."
    assert not between(a, b, text="ignore").changes
    assert not between(a, b, min_similarity=0.5).changes


def test_edits_without_effects_are_compared_by_their_arguments() -> None:
    def passed(old: str) -> Call:
        arguments = {"path": "src/slug.py", "old_string": old, "new_string": "b"}
        return Call("edit", arguments)

    full = Call(
        "edit",
        passed("a").arguments,
        EDIT.result,
    )
    a = [Made((full,))] * 4

    assert not between(a, [Made((passed("a"),))] * 4).changes
    assert between(a, [Made((passed("z"),))] * 4).changes


def test_logs_of_two_levels_share_no_calls() -> None:
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "x"}
    settings = Settings()
    sides = [side_of(json.dumps(result).encode(), settings)] * 4
    b = [traits_of(f"b/{at}.json", side, settings) for at, side in enumerate(sides)]

    found = behaviour_of(traited("a", [Made(USUAL, text="x")] * 4), b)

    assert found is not None
    assert found.changes == ()


def test_text_has_the_traits_of_its_lines() -> None:
    def runs(version: str, *lines: str) -> list[TraitedRun]:
        log = "\n".join([*lines, "", "Done."]).encode()
        sides = [side_of(log)] * 4
        return [
            traits_of(f"{version}/{number}.txt", side, Settings())
            for number, side in enumerate(sides)
        ]

    found = behaviour_of(
        runs("a", "Read file: src/a.py"),
        runs("b", "Read file: src/a.py", "Edited file: src/a.py"),
    )

    assert found is not None
    assert found.p == pytest.approx(2 / 70)


def test_two_runs_of_a_version_are_needed() -> None:
    runs = traited("a", [Made(USUAL)] * 2)

    assert behaviour_of(runs[:1], runs) is None
    assert behaviour_of(runs, runs[:1]) is None
    assert behaviour_of(runs, runs) is not None


def test_nothing_depends_on_the_order_of_logs() -> None:
    a = traited("a", [Made((*USUAL, *[TEST] * (at % 3))) for at in range(5)])
    b = traited("b", [Made((READ, TEST, EDIT, *MORE[at:])) for at in range(4)])

    found = behaviour_of(a, b)

    assert found is not None
    assert found.changes
    for orders in ((a[::-1], b), (a, b[::-1]), (a[2:] + a[:2], b[1:] + b[:1])):
        assert behaviour_of(*orders) == found


@pytest.mark.seldom
def test_nothing_depends_on_the_seed_of_hashes() -> None:
    code = (
        "from convert.options import Settings;"
        " from convert.suites import behaviour_of, middle, traits_of;"
        " from support.made_cases import *; settings = Settings();"
        " usual = (edit('a.py'), read('b.py'), shell('npm test'), grep('x'));"
        " made = [usual, usual[1:], usual[::-1], usual * 2, usual[2:] + usual[:2]];"
        " sides = enumerate(sides_of(map(Made, made)));"
        " runs = [traits_of(f'{at}', side, settings) for at, side in sides];"
        " print(behaviour_of(runs[:2], runs[2:]), middle(runs))"
    )

    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parent,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(printed) == 1


def test_other_comparisons_of_a_log_change_no_traits() -> None:
    settings = Settings()

    def sides() -> tuple[Side, Side]:
        one, other = (Made((*MORE, shell(f"cat /tmp/tmp.aB3dE9{x}"))) for x in "xy")
        return side_of(log_of(one, 1)), side_of(log_of(other, 2))

    a, b = sides()
    before = traits_of("a", a, settings)
    compared = compare_as_named(a, b, settings)
    fresh = compare_as_named(*sides(), settings)

    assert traits_of("a", a, settings) == before
    assert [each.category for each in compared.findings] == [
        each.category for each in fresh.findings
    ]
    assert compared.counts == fresh.counts


def test_the_run_in_the_middle_has_most_in_common_with_all() -> None:
    usual, more = Made(USUAL), Made(MORE)
    runs = traited("a", [Made((READ,)), usual, more, more, usual, usual])

    assert middle(runs) == 1
    assert middle(runs[:1]) == 0
    assert middle(runs[::-1]) == 4


@given(
    st.lists(st.integers(0, 31), max_size=4), st.lists(st.integers(0, 31), max_size=4)
)
def test_a_trait_that_counts_if_it_rises_has_an_exact_p(
    both: list[int], rising: list[int]
) -> None:
    """Two runs of A and three of B; all their ten labelings are tried."""

    def steadiness(labels: tuple[int, ...]) -> Fraction:
        def growth(mask: int) -> Fraction:
            bits = [mask >> run & 1 for run in range(5)]
            in_b = sum(bits[run] for run in labels)
            return Fraction(in_b, 3) - Fraction(sum(bits) - in_b, 2)

        found = [abs(growth(mask)) for mask in both]
        return max([*found, *map(growth, rising), Fraction(0)])

    found = [steadiness(labels) for labels in itertools.combinations(range(5), 3)]
    observed = steadiness((2, 3, 4))

    p = Fraction(sum(each >= observed for each in found), len(found))

    assert steadiest(both, 2, 3, rising).p == pytest.approx(float(p))


def test_runs_of_several_agents_are_compared_by_the_subjects_of_calls() -> None:
    folder = GOLDEN / "diff-one-task-by-three-agents"
    settings = Settings()

    for names in itertools.combinations(("claude", "codex", "cursor"), 2):
        logs = [(folder / f"{name}.ndjson").read_bytes() for name in names]
        a, b = ([side_of(log) for _ in range(4)] for log in logs)

        compared = compare_across([*a, *b], settings)
        runs = [
            traits_of(f"{at}", side, settings, of_side)
            for at, (side, of_side) in enumerate(zip([*a, *b], compared, strict=True))
        ]
        found = behaviour_of(runs[:4], runs[4:])

        assert found is not None
        assert found.changes == ()


def test_runs_of_one_agent_are_compared_in_full() -> None:
    assert not compare_across(sides_of([Made(USUAL)] * 3), Settings())
    assert not compare_across([], Settings())
