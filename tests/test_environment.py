"""Values from the day and the machine are no change of behaviour."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from convert.options import Reading, Settings
from convert.suite import compare_folders
from convert.suites import behaviour_of, first_prompt, traits_of, without_times
from support.made_cases import (
    Call,
    Made,
    edit,
    grep,
    log_of,
    mcp,
    read,
    shell,
    sides_of,
)
from support.matrix import each, part

UUIDS = "5973b6c0-94b8-487b-a530-2aeb6098ae0e", "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"


def are_same(one: Made, other: Made, **knobs: Any) -> bool:
    """Return True if four runs of a version do the same as four of another."""
    settings = Settings(**knobs)
    a, b = (
        [
            traits_of(f"{name}/{number}", side, settings)
            for number, side in enumerate(sides_of([made] * 4, settings))
        ]
        for name, made in (("a", one), ("b", other))
    )
    found = behaviour_of(a, b)
    assert found is not None
    assert (found.p == 1) == (not found.changes)
    return not found.changes


EQUAL: list[tuple[str, str]] = [
    ("git checkout -b fix-2026-11-26", "git checkout -b fix-2026-11-27"),
    ("git checkout -b fix-2026-11-26-2", "git checkout -b fix-2026-11-27-2"),
    ("git checkout -b fix/2026/11/26", "git checkout -b fix/2026/11/27"),
    ("git checkout -b fix_20261126", "git checkout -b fix_20261127"),
    ("git checkout -b fix20261126", "git checkout -b fix20261127"),
    ("git checkout -b nightly2026-11-26", "git checkout -b nightly2026-11-27"),
    ("cp a a.20261126-1530.bak", "cp a a.20261127-0945.bak"),
    ("cp a a-2026-11-26_15-30-01", "cp a a-2026-11-27_09-45-59"),
    ("touch db/20261126153000_add.rb", "touch db/20261127094501_add.rb"),
    ("./scripts/20261126_migrate.sh", "./scripts/20261127_migrate.sh"),
    ("curl localhost:41234/health", "curl localhost:38211/health"),
    ("curl http://127.0.0.1:41234/", "curl http://127.0.0.1:38211/"),
    ("python -m http.server 41234", "python -m http.server 38211"),
    ("npm start -- --port 41234", "npm start -- --port 38211"),
    ("git show 3f9c2ab", "git show 9d04e1f"),
    ("git show 3f9c2ab", "git show 1234567"),
    ("git diff 3f9c2ab..9d04e1f", "git diff a01b2c3..0f9e8d7"),
    ("git checkout -b fix-3f9c2ab1", "git checkout -b fix-9d04e1f2"),
    (f"cat logs/{UUIDS[0]}.json", f"cat logs/{UUIDS[1]}.json"),
    (f"cat session-{UUIDS[0]}.json", f"cat session-{UUIDS[1]}.json"),
    ("touch -d @1764271234 a", "touch -d @1764357634 a"),
    ("touch run-1764271234567", "touch run-1764357634567"),
    ("touch RUN-1764271234", "touch RUN-1764357634"),
    ("echo 2026-11-26T10:00:00Z", "echo 2026-11-27T23:59:01Z"),
    ("echo 10:00:00", "echo 23:59:01"),
    ("echo at 10:00", "echo at 23:59"),
    ("echo 26.11.2026", "echo 27.11.2026"),
    ("echo 11/26/2026", "echo 11/27/2026"),
    ("echo Nov 26, 2026", "echo Nov 27, 2026"),
    ("echo 26 November 2026", "echo 1 December 2026"),
    ("echo Thu Nov 26 19:26:43 UTC 2026", "echo Fri Nov 27 09:01:02 UTC 2026"),
    ("kill 41233", "kill 5121"),
    ("cat /tmp/work-a7d91x/out", "cat /tmp/work-b7d94y/out"),
]
DIFFERENT: list[tuple[str, str]] = [
    ("git checkout -b fix-2026-11-26", "git checkout -b feature-2026-11-27"),
    ("curl localhost:41234/health", "curl localhost:38211/ready"),
    ("curl example.org:8080/", "curl example.org:8081/"),
    ("npm install left-pad@1.2.3", "npm install left-pad@1.2.4"),
    ("pip install a==2.31.0.20240106", "pip install a==2.31.0.20240107"),
    ("pip install certifi==2024.12.14", "pip install certifi==2025.01.31"),
    ("sed -n 10,20p a.py", "sed -n 10,30p a.py"),
    ("sed -n 1234567p a.py", "sed -n 1234568p a.py"),
    ("pytest a.py:12:30", "pytest a.py:13:30"),
    ("head -c 10:20 a", "head -c 10:30 a"),
    ("exit 1", "exit 2"),
    ("sleep 5", "sleep 50"),
    ("echo 12345678", "echo 12345679"),
    ("echo 3 passed", "echo 4 passed"),
    ("echo 100000000000", "echo 100000000001"),
    ("cat 2024.md", "cat 2025.md"),
    ("cat notes/2024-11.md", "cat notes/2024-12.md"),
    ("git checkout facade", "git checkout defaced"),
    ("cat deadbeef", "cat beefdead"),
    ("echo 0x1f4a2bc0", "echo 0x2f4a2bc0"),
    ("echo '#1e90ffcc'", "echo '#2e90ffcc'"),
    ("ffmpeg -i a -ss 00:01:30 b", "ffmpeg -i a -ss 00:02:00 b"),
    ("sbatch --time=01:00:00 a", "sbatch --time=02:00:00 a"),
    ("gh issue view SHOP-12", "gh issue view SHOP-13"),
    ("gh pr view 1234", "gh pr view 1235"),
    ("node18 a.js", "node20 a.js"),
    ("cat /tmp/input-a.json", "cat /tmp/input-b.json"),
    ("ping 10.0.0.1", "ping 10.0.0.2"),
    ("python -c 'a[10:20:30]'", "python -c 'a[10:20:31]'"),
]


@each(("one", "other"), EQUAL)
def test_another_day_or_machine_is_no_change(one: str, other: str) -> None:
    assert are_same(Made([shell(one)]), Made([shell(other)]))


@pytest.mark.exhaustive
@each(("one", "other"), part(EQUAL, 10))
def test_another_day_or_machine_is_a_change_of_raw_logs(one: str, other: str) -> None:
    assert not are_same(Made([shell(one)]), Made([shell(other)]), raw=True)


@each(("one", "other"), DIFFERENT)
def test_what_an_agent_chooses_is_a_change(one: str, other: str) -> None:
    assert not are_same(Made([shell(one)]), Made([shell(other)]))


def texts(day: str) -> dict[str, Made]:
    """Return runs with a day in one place each."""
    short = day.replace("-", "")
    heading = edit("CHANGELOG.md", new=f"## {day}\nfix\n")
    passed = {"path": "a.py", "old_string": "a", "new_string": f"day = '{day}'\n"}
    return {
        "a path": Made([read(f"log/{day}.txt")]),
        "a pattern": Made([grep(day)]),
        "an argument": Made([mcp("create", day=day)]),
        "a number": Made([mcp("create", at=1764200000 + int(short[-2:]) * 86400)]),
        "a file": Made([edit(f"migrations/{short}_add.sql")]),
        "what is in a file": Made([heading]),
        "what was passed": Made([Call("edit", passed)]),
        "an answer": Made([read("a")], text=f"Finished on {day}."),
        "a check of a file": Made(
            [edit(f"t/{short}.py"), shell(f"pytest t/{short}.py")]
        ),
        "a check before it": Made(
            [shell(f"pytest t/{short}.py"), edit(f"t/{short}.py")]
        ),
    }


@each("place", texts("2026-11-26"))
def test_the_day_counts_nowhere(place: str) -> None:
    a, b = texts("2026-11-26")[place], texts("2026-11-27")[place]

    assert are_same(a, b)
    assert not are_same(a, b, raw=True)


def test_the_day_does_not_count_where_some_logs_lack_effects() -> None:
    def passed(day: str, result: dict[str, Any] | None) -> Made:
        arguments = {"path": "a.py", "old_string": "a", "new_string": day}
        return Made([Call("edit", arguments, result)])

    full = edit("a.py", new="2026-11-26\n").result

    assert are_same(passed("2026-11-26", full), passed("2026-11-27", None))
    assert not are_same(passed("2026-11-26", full), passed("2026-11", None))


def test_the_day_does_not_count_in_outputs() -> None:
    a, b = (
        Made([shell("date", output=f"{day}\n")]) for day in ("2026-11-26", "20261127")
    )

    assert are_same(a, b, outputs=True)


def test_more_than_the_day_counts() -> None:
    one, other = (
        Made([edit(f"migrations/{day}_add.sql", new=f"-- {day}\n{does}\n")])
        for day, does in (("20261126", "add"), ("20261127", "drop"))
    )

    assert not are_same(one, other)


def test_two_calls_that_differ_in_more_than_a_day_stay_two() -> None:
    both = [shell("cat a-2026-11-26"), shell("cat b-2026-11-27")]

    assert not are_same(Made(both), Made(both[:1] * 2))


@each(
    ("prompt", "command", "other"),
    [
        ("Tag 2026-11-26", "git tag {}", ("2026-11-26", "2026-11-27")),
        ("Is port 3000 free?", "curl localhost:{}", ("3000", "3001")),
        ("Use localhost:41234", "curl localhost:{}", ("41234", "41235")),
        ("Revert 3f9c2ab.", "git revert {}", ("3f9c2ab", "9d04e1f")),
        ("Copy 20261126 and 20261127", "cp {} x", ("20261126", "20261127")),
        ("Revert 3f9c2ab or 9d04e1f.", "git revert {}", ("3f9c2ab", "9d04e1f")),
        (f"Delete {UUIDS[0]}", "drop {}", UUIDS),
        ("Since 1764271234", "log --since {}", ("1764271234", "1764357634")),
    ],
)
def test_a_value_that_was_asked_for_counts(
    prompt: str, command: str, other: tuple[str, str]
) -> None:
    a, b = (Made([shell(command.format(each))], prompt=prompt) for each in other)

    assert not are_same(a, b)


def test_the_day_in_prompts_is_equal_in_the_calls_of_runs() -> None:
    def run(today: str, used: str) -> Made:
        return Made([shell(f"git tag {used}")], prompt=f"Today is {today}. Tag it.")

    first, second = "2026-11-26", "2026-11-27"

    assert are_same(run(first, first), run(second, second))
    assert not are_same(run(first, first), run(second, first))


def test_words_have_the_day_of_the_run_that_shows_it() -> None:
    settings = Settings()

    def runs(version: str, day: str, *more: Call) -> Sequence[Any]:
        calls = [shell(f"git switch {day}"), edit(f"{day}.md", new=f"{day}\n"), *more]
        return [
            traits_of(f"{version}/{at}", side, settings)
            for at, side in enumerate(sides_of([Made(calls)] * 4))
        ]

    pushed = shell("git push origin 2026-11-27")
    found = behaviour_of(runs("a", "2026-11-26"), runs("b", "2026-11-27", pushed))

    assert found is not None
    [change] = found.changes
    assert change.sentence == (
        "All 4 runs now run `git push origin 2026-11-27`; none did before."
    )


def test_a_call_that_fails_now_has_the_day_of_its_run() -> None:
    a, b = (
        [
            traits_of(f"{version}/{at}", side, Settings())
            for at, side in enumerate(sides_of([Made([shell(command, code)])] * 4))
        ]
        for version, command, code in (
            ("a", "git switch 2026-11-26", 0),
            ("b", "git switch 2026-11-27", 1),
        )
    )

    found = behaviour_of(a, b)

    assert found is not None
    assert "git switch 2026-11-27" in found.changes[0].sentence


def test_the_place_of_a_day_in_an_output_does_not_count() -> None:
    def run(day: str, shown: str) -> Made:
        return Made([shell("git log", output=shown), shell(f"git tag {day}")])

    one = run("2026-11-26", "2026-11-20\n2026-11-26\n")
    other = run("2026-11-27", "2026-11-27\n2026-11-20\n")

    assert are_same(one, other)


def test_prompts_have_marks_from_the_same_place() -> None:
    def prompt(text: str) -> str:
        log = log_of(Made(prompt=text))
        return first_prompt([log], "auto", Reading(), Settings())

    for one, other in (
        ("Today is 20261126.", "Today is 20261127."),
        ("It is Thursday, November 26, 2026.", "It is Friday, November 27, 2026."),
    ):
        assert prompt(one) == prompt(other) == without_times(one) != one
    assert prompt("Revert 3f9c2ab.") == "Revert 3f9c2ab."
    assert prompt("Use localhost:41234") == "Use localhost:41234"


def test_nights_that_differ_only_in_the_day_are_not_red(tmp_path: Path) -> None:
    for version, day in (("a", "2026-11-26"), ("b", "2026-11-27")):
        for case, run in itertools.product("cdefg", range(4)):
            calls = [
                shell(f"git checkout -b fix-{day}"),
                edit(f"migrations/{day.replace('-', '')}_add.sql", new=f"-- {day}\n"),
                shell("pytest"),
            ]
            log = tmp_path / version / case / f"run-{run}.ndjson"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_bytes(log_of(Made(calls, prompt=f"Fix {case}"), run))

    folders = tmp_path / "a", tmp_path / "b"
    masked = compare_folders(*folders)
    raw = compare_folders(*folders, settings=Settings(raw=True))

    assert masked.verdict is not None
    assert raw.verdict is not None
    assert masked.verdict.word not in ("worse", "different")
    assert raw.verdict.word == "different"
