"""Paths as people read them, and the diffs that name them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.wording import readable_path, shorten_path
from support.edits import edited, log_of
from support.matrix import each

NAMES = st.text("ab c.", min_size=1, max_size=9)


@each(
    ("path", "directory", "shown"),
    [
        ("/w/app/a.py", "/w/app", "a.py"),
        ("/w/app/a.py", "/w/app/", "a.py"),
        ("/w/app", "/w/app", "."),
        ("/w/app2/a.py", "/w/app", "/w/app2/a.py"),
        ("./a.py", "/w/app", "a.py"),
        (".\\a\\b.py", "", "a/b.py"),
        ("/private/tmp/app/a.py", "/tmp/app", "a.py"),
        ("/tmp/app/a.py", "/private/tmp/app", "a.py"),
        ("/private/etc/x", "/etc", "/private/etc/x"),
        ("/home/ada/x/a.py", "/home/ada/app", "~/x/a.py"),
        ("/home/bob/x/a.py", "/home/ada/app", "/home/bob/x/a.py"),
        ("/home/ada", "/home/ada/app", "~"),
        ("C:/Users/Ada/App\\b.py", "c:\\users\\ada\\app", "b.py"),
        ("C:\\Users\\ada\\b.py", "C:/Users/ada/app", "~/b.py"),
        ("a\\b.py", "/w", "a\\b.py"),
    ],
)
def test_a_path_is_shown_from_where_the_run_was(
    path: str, directory: str, shown: str
) -> None:
    assert readable_path(path, directory) == shown


@given(st.lists(NAMES, min_size=1, max_size=12), st.integers(10, 60))
def test_a_path_that_is_cut_keeps_its_name_and_its_length(
    parts: list[str], longest: int
) -> None:
    path = "/".join(parts)

    short = shorten_path(path, longest)

    assert short.endswith(parts[-1])
    assert len(short) <= max(longest, len(parts[-1]) + 2)
    assert short == path or "…" in short
    assert path.startswith(short.partition("…")[0])
    assert path.endswith(short.rpartition("…")[2])


@pytest.mark.parametrize("name", ["src/a.py", "my file.txt", "größe.txt", 'a"b.txt'])
def test_git_applies_the_diff_of_an_edit(name: str, tmp_path: Path) -> None:
    before, after = "one\ntwo\n", "one\n2\n"
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(before)
    log = log_of(edited(f"/home/dev/shop/{name}", before, after))

    text = b"".join(convert.convert(log, "markdown")).decode()
    diff = re.search("```diff\n(.*?)```", text, re.DOTALL)
    assert diff is not None
    subprocess.run(["git", "apply"], cwd=tmp_path, input=diff[1].encode(), check=True)

    assert (tmp_path / name).read_text() == after
