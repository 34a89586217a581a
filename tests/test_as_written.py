"""Texts that both logs write alike are equal, in whatever directories the runs were."""

from __future__ import annotations

from typing import Any

import pytest

from support.comparisons import assert_mirrored, compare
from support.matrix import each
from test_run_made import do, log, shell

ROOT, ELSEWHERE = "/root/app", "/w/app"


def read(path: str) -> tuple[str, dict[str, Any], str]:
    return "read", {"path": path}, "ok"


def categories(a: bytes, b: bytes, **settings: Any) -> list[str]:
    compared = compare(a, b, outputs=True, **settings)
    assert_mirrored(compared, compare(b, a, outputs=True, **settings))
    return [finding.category for finding in compared.findings]


@each(
    ("text", "one", "other"),
    [
        ("/root/.npmrc", ROOT, ELSEWHERE),
        ("/w/lib/x /w/app2/x", "/w", ELSEWHERE),
        ("/home/ci/x", "/home/ci", "/home/ci/app"),
        ("c:/ci/x C:\\ci\\y src\\x.py", "C:\\w", "/w"),
        ("/Users/kim/My\\ App/x", "/Users/kim/My App", "/w"),
        ("/private/tmp/a /tmp/a/b", "/tmp/a", "/w"),
        ("/w/app/x", ELSEWHERE, ""),
    ],
)
def test_a_text_in_both_logs_is_equal_to_itself(
    text: str, one: str, other: str
) -> None:
    a, b = (
        log(
            shell(f"cat {text}", f"{text}\n"),
            do(text),
            read(text.split()[0]),
            prompt=text,
            answer=f"See {text}.",
            cwd=directory,
        )
        for directory in (one, other)
    )

    assert categories(a, b) == []


def test_a_text_may_hold_a_path_of_its_own_run_as_well() -> None:
    a, b = (
        log(
            shell(f"cp /root/.npmrc {own}/x", f"/root/.npmrc {own}\n/root/.npmrc\n"),
            answer=f"/root/.npmrc is in {own}/x.",
            cwd=own,
        )
        for own in (ROOT, ELSEWHERE)
    )

    assert categories(a, b) == []


def test_a_file_outside_of_one_directory_is_one_file() -> None:
    def run(own: str) -> bytes:
        text = f"cat /root/.npmrc > {own}/y\n"
        calls = [
            change("/root/.npmrc", "a\n", "b\n"),
            change("/root/x.sh", "x\n", "cat /root/.npmrc\n"),
            change(f"{own}/y.sh", "x\n", text),
        ]
        return log(*calls, cwd=own)

    compared = compare(run(ROOT), run(ELSEWHERE))

    assert [file.status for file in compared.runs[0].files] == ["same"] * 3


def change(path: str, before: str, after: str) -> tuple[str, dict[str, Any], Any]:
    made = {"path": path, "beforeFullFileContent": before}
    return "edit", {"path": path}, made | {"afterFullFileContent": after}


@pytest.mark.parametrize(
    ("ones", "others", "is_different"),
    [
        ("/w/x/f|/w/x/g", "/w/x/f|/w/x/g", False),
        ("/w/x/f|f", "/w/x/f|f", False),
        ("/w/x/f|ls|/w/x/f", "/w/y/f|ls|/w/x/f", False),
        ("/w/x/f|/w/x/f", "/w/x/f|/w/y/f", False),
        ("/w/x/f|f", "/w/x/f|/w/x/f", True),
        ("/w/x/f /w/y/f", "/w/y/f /w/x/f", True),
        ("/w/x/f /w/y/g", "/w/y/g /w/x/f", True),
        ("/w/x/f", "/w/z/f", True),
    ],
)
def test_a_call_is_equal_as_written_or_by_the_rules(
    ones: str, others: str, is_different: bool
) -> None:
    a, b = (
        log(*(shell(f"cat {each}") for each in texts.split("|")), cwd=own)
        for texts, own in ((ones, "/w/x"), (others, "/w/y"))
    )

    assert bool(categories(a, b)) == is_different


def test_another_home_is_not_the_own_one() -> None:
    a = log(shell("cat /root/.npmrc"), shell("rm ~/.npmrc"), cwd=ROOT)
    b = log(shell("cat /root/.npmrc"), shell("rm /root/.npmrc"), cwd="/home/ci/app")

    assert categories(a, b) == ["args"]


def test_names_of_members_in_outputs_are_equal_as_written() -> None:
    found = {"workspaceResults": {"/w/x": {"content": "a"}, "/w/y": {"content": "b"}}}
    search = {"pattern": "x", "path": "/w/x"}
    a, b = (
        log(("grep", search, found | {"text": f"in {own}/z"}), cwd=own)
        for own in ("/w/x", "/w/y")
    )

    assert categories(a, b) == []
