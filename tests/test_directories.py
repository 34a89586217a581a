"""The directories of runs whose logs record none, as their paths show them."""

from __future__ import annotations

import json
from typing import Any

import convert
from convert.diff import Comparison
from convert.model import OK, Run
from convert.options import Settings
from support.agent_runs import Step, run_of, shell
from support.matrix import each

HERE, THERE = "/w/a", "/v/b"
CHECKOUTS = (HERE, THERE)


def run(steps: list[str], directory: str = HERE) -> Run:
    """Return a run of Codex: files that it edits, as `> FILE`, and commands.

    `< FILE` is a command that prints the path of a file, and `pwd` one that prints the
    directory, for which `@` stands.
    """
    made: list[Step] = []
    for step in (step.replace("@", directory) for step in steps):
        if step.startswith("> "):
            made.append(("file_change", {"path": step[2:]}, OK, None))
        elif step.startswith("< "):
            made.append(shell("shell", "git status -s", OK, f" M {step[2:]}\n"))
        else:
            printed = directory if step.startswith("pwd") else ""
            made.append(shell("shell", step, OK, f"{printed}\n"))
    return run_of("Codex", [*made, "Done."], directory="")


def compare(a: Run, b: Run, **settings: Any) -> Comparison:
    return convert.compare(a, b, settings=Settings(**settings))


@each(
    "steps",
    [
        ["cat src/x.py", "> @/src/x.py", "pytest"],
        ["cd @ && ls", "> @/src/x.py", "cp @/src/x.py ~/x.py"],
        ["pwd && ls", "cat @/README.md", "touch @/y"],
        ["> @/src/x.py", "> @/tests/x.py"],
        ["> @/src/x.py", "< src/x.py"],
        ["cd @ && ls", "cd @ && cat src/x.py", "cd @ && cat README.md"],
        ["cd @ && make", "cd @/web && npm test", "> @/web/x.ts", "> @/api/y.py"],
        ["cat x.py", "> @/x.py", "> /etc/hosts", "rm -rf @/build"],
    ],
)
def test_two_checkouts_are_one(steps: list[str]) -> None:
    a, b = (run(steps, directory) for directory in CHECKOUTS)

    comparison = compare(a, b)

    assert comparison.severity == "none"
    assert comparison.inferred_directories == CHECKOUTS
    assert compare(b, a).inferred_directories == CHECKOUTS[::-1]
    assert compare(a, b, raw=True).severity != "none"


@each(
    ("steps", "others"),
    [
        # Two files of one checkout, and two targets.
        (["> /w/one/x.py"], ["> /w/two/x.py"]),
        (["cat one/x.py", "> @/one/x.py"], ["cat two/x.py", "> /w/a/two/x.py"]),
        (["cd /srv/test && ./go.sh now"], ["cd /srv/live && ./go.sh now"]),
        (["cat x/a", "> /etc/x/a"], ["cat x/a", "> /opt/x/a"]),
        (["> /w/a/one/x.py", "< one/x.py"], ["> /w/a/two/x.py", "< two/x.py"]),
        (["> /w/a/one/x.py", "< x.py"], ["> /w/a/two/x.py", "< x.py"]),
        # Another file, one file more, and a file outside.
        (["cat src/x", "> @/src/x"], ["cat src/x", "> @/src/y"]),
        (["cat src/x", "> @/src/x"], ["cat src/x", "> @/src/x", "> @/y"]),
        (["cat x.y", "> @/x.y", "> /etc/a"], ["cat x.y", "> @/x.y", "> /etc/b"]),
        # Another folder in the checkout of the other run.
        (["cat x.y", "> @/x.y", "rm -rf @/z"], ["cat x.y", "> @/x.y", "rm -rf /w/a/y"]),
    ],
)
def test_other_places_are_other_places(steps: list[str], others: list[str]) -> None:
    a, b = run(steps), run(others, THERE)

    assert compare(a, b).severity == compare(b, a).severity == "major"


def test_a_path_may_begin_at_the_root_in_one_run_only() -> None:
    one = run(["cat @/src/x.py", "> @/src/x.py", "pytest src/x.py"])
    other = run(["cat src/x.py", "> @/src/x.py", "pytest src/x.py"])

    assert compare(one, other).severity == "none"


def test_runs_without_a_difference_need_no_directory() -> None:
    steps = ["cat src/x.py", "> @/src/x.py"]

    assert compare(run(steps), run(steps)).inferred_directories == ("", "")


def test_a_named_directory_counts_more_than_an_inferred_one() -> None:
    steps = ["cat src/x.py", "> @/src/x.py"]
    runs = run(steps), run(steps, THERE)

    for named, inferred in (((HERE, ""), ("", THERE)), (("", THERE), (HERE, ""))):
        comparison = convert.compare(*runs, directories=named)
        assert comparison.severity == "none"
        assert comparison.inferred_directories == inferred
    assert convert.compare(*runs, directories=("/x", "/y")).severity == "major"


@each("format", ["table", "markdown", "unified", "html", "json"])
def test_every_report_says_what_is_inferred(format: str) -> None:
    steps = ["cat src/x.py", "> @/src/x.py"]
    comparison = compare(run(steps), run([*steps, "make"], THERE))

    report = convert.report(comparison, format)

    if format == "json":
        assert json.loads(report)["inferred_directories"] == [*CHECKOUTS]
    else:
        assert f"of B compared as if it ran in {THERE}, inferred from them" in report
        assert "--directory-b names another" in report
