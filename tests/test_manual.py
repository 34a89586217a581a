"""The manual pages are those of the help, and man reads them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from convert.cli import option_sets, pages
from manual_pages import manual_pages
from support.matrix import each

FOLDER = Path(__file__).parent.parent / "docs" / "man"


def test_the_pages_are_current() -> None:
    made = manual_pages()

    assert {path.name for path in FOLDER.iterdir()} == made.keys()
    for name, text in made.items():
        assert (FOLDER / name).read_text("utf-8") == text, "run scripts/manual"


@each("command", pages())
def test_a_page_has_every_option(command: str) -> None:
    name = "runconv" if command == "convert" else f"runconv-{command}"
    text = manual_pages()[f"{name}.1"].replace("\\-", "-")

    for kind in option_sets(command):
        for row in kind.options().values():
            long = row.flags[-1].removeprefix("--")
            assert f"--{long}" in text or f"--[no-]{long}" in text


def test_man_finds_no_mistake() -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", *sorted(FOLDER.iterdir())],
        capture_output=True,
        check=False,
        text=True,
    )

    # Pages have no date, so that they are the same on every day.
    wrong = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert not wrong
