"""The recipes of CONTRIBUTING work as they are written, on a copy of the project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from support.matrix import each
from support.systems import need_system
from test_docs import ROOT

_RECIPE = re.compile(r"^\*\*(.+)\.\*\*$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^\+\+\+ (.+)\n", re.MULTILINE)
_PYTEST = re.compile(r"^\.venv/bin/pytest .*$", re.MULTILINE)
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache")


class Change(NamedTuple):
    """Lines that a recipe adds above and below a line of a file, or to a new one."""

    path: str
    above: str
    there: str
    below: str


class Recipe(NamedTuple):
    """The steps of a recipe: changes of files, and commands."""

    name: str
    steps: list[list[Change] | str]

    @property
    def changes(self) -> list[Change]:
        return [one for step in self.steps if isinstance(step, list) for one in step]


def recipes() -> list[Recipe]:
    """Return the recipes that have blocks."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    _, *parts = _RECIPE.split(text.split("\n## Recipes\n")[1].split("\n## ")[0])
    made = (
        Recipe(name, [*steps_of(part)])
        for name, part in zip(parts[::2], parts[1::2], strict=True)
    )
    return [recipe for recipe in made if recipe.steps]


def steps_of(text: str) -> Iterator[list[Change] | str]:
    for match in _BLOCK.finditer(text):
        yield [*changes_of(match[2])] if match[1] == "diff" else match[2]


def changes_of(diff: str) -> Iterator[Change]:
    """Yield the changes of a diff whose hunks have one line of context."""
    _, *files = _FILE.split(diff)
    for path, hunks in zip(files[::2], files[1::2], strict=True):
        for hunk in re.split(r"^@@\n", hunks, flags=re.MULTILINE):
            above, *rest = re.split(r"^ (.*\n)", hunk, flags=re.MULTILINE)
            there, below = rest or ("", "")
            yield Change(path, _added(above), there, _added(below))


def _added(lines: str) -> str:
    return re.sub(r"^\+", "", lines, flags=re.MULTILINE)


def parts_of(text: str, there: str) -> list[str]:
    """Return the text above a line, the line and the rest; … is the end of a line."""
    if not there:
        return ["", "", ""]
    line = re.escape(there).replace("…", ".*")
    parts = re.split(f"^({line})", text, flags=re.MULTILINE)
    assert len(parts) == 3, f"{len(parts) // 2} times: {there}"
    return parts


def follow(recipe: Recipe, folder: Path) -> Iterator[str]:
    """Follow a recipe in a copy of the project; yield its commands of pytest."""
    for step in recipe.steps:
        if isinstance(step, str):
            run(_PYTEST.sub("", step), folder)
            yield from _PYTEST.findall(step)
            continue
        for path, above, there, below in step:
            file = folder / path
            file.parent.mkdir(exist_ok=True)
            text = file.read_text("utf-8") if there else ""
            before, line, rest = parts_of(text, there)
            file.write_text("".join([before, above, line, below, rest]), "utf-8")


def run(commands: str, folder: Path) -> None:
    """Run commands in a copy of the project, and show their output if one fails."""
    need_system("a shell")
    done = subprocess.run(
        ["sh", "-e"],
        input=commands,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout


def copy_project(folder: Path) -> None:
    """Copy the project, with an environment that has the libraries of this one."""
    shutil.copytree(ROOT, folder, ignore=_NOT_COPIED)
    environment = folder / ".venv"
    venv.create(environment, symlinks=True)
    [packages] = environment.glob("lib/*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    places = [folder, folder / "convert" / "suites" / "pytest_entry", *libraries]
    (packages / "runconv.pth").write_text("\n".join(map(str, places)), "utf-8")
    for name, module in {"pytest": "pytest", "runconv": "convert"}.items():
        program = environment / "bin" / name
        program.write_text(
            f'#!/bin/sh\nexec {environment}/bin/python -m {module} "$@"\n'
        )
        program.chmod(0o755)


@each("recipe", recipes())
def test_the_lines_next_to_those_that_a_recipe_adds_are_there(recipe: Recipe) -> None:
    for path, _, there, _ in recipe.changes:
        if there:
            parts_of((ROOT / path).read_text("utf-8"), there)


@pytest.mark.seldom
@pytest.mark.timeout(1200)
def test_the_recipes_work_as_they_are_written(tmp_path: Path) -> None:
    copy = tmp_path / "runconv"
    copy_project(copy)

    commands = [line for recipe in recipes() for line in follow(recipe, copy)]

    # The tests that several recipes name run once, and of the golden cases only those
    # to which a recipe adds: all others take as long as the rest. Laws and combinations
    # would take a third of the time, and look at no row that a recipe adds.
    folders = {
        Path(change.path).parts[1]
        for recipe in recipes()
        for change in recipe.changes
        if change.path.startswith("golden/")
    }
    cases = [f"'tests/test_golden.py::test_golden[{name}]'" for name in folders]
    for option in ("--update", ""):
        named = [line for line in commands if line.endswith("--update") == bool(option)]
        files = dict.fromkeys(re.findall(r"tests/\w+\.py", " ".join(named)))
        tests = " ".join(files).replace("tests/test_golden.py", " ".join(cases))
        run(f".venv/bin/pytest -q -m 'not exhaustive' {tests} {option}", copy)
