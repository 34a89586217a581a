"""The fixture `trajectory` of pytest, and unused goldens.

pytest loads `runconv_pytest`, which imports this module when a test uses the fixture.
A golden is unused if every test module next to its folder was run whole, and each test
there that asks for trajectories reached a check, or passed without one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from convert.cli.destination import is_ci
from convert.formats import TRAJECTORY
from convert.suites.golden_checks import Trajectories
from convert.wording.paths import spelled

# Next to the test module, as the documentation says.
FOLDER = "golden"
# In bytes, the beginning of a file that shows if it is a trajectory.
_BEGINNING = 1000


class UsedGoldens(Struct):
    """The record of the tests of one process; plain, to be sent to another one."""

    modules: set[str] = set()
    """The paths of the test modules that were collected."""

    asking: dict[str, str] = {}
    """The folder of goldens of each test that asks for trajectories."""

    checked: set[str] = set()
    """The tests that have checked a run."""

    used: set[str] = set()
    """The paths of the goldens that were compared or written."""

    passed: set[str] = set()
    """The tests that have passed, with a check or without."""

    written: dict[str, str] = {}
    """The digests of those that were written, by their paths."""

    matched: set[str] = set()
    """The paths of those that were to be approved, and matched."""

    contested: set[str] = set()
    """The paths of those that processes have written for different runs."""

    is_partial: bool = False
    """Only some tests of the modules were run."""

    def add(self, other: UsedGoldens) -> None:
        """Add the record of another process."""
        contested = {
            path
            for path in self.written.keys() & other.written.keys()
            if self.written[path] != other.written[path]
        }
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) | getattr(other, name))
        self.contested |= contested

    def encoded(self) -> str:
        """Return the record as a value that xdist can send.

        A path that is not UTF-8 holds halves of characters, which `json` escapes.
        """
        return json.dumps(msgspec.to_builtins(self))

    def unused(self, patterns: list[str]) -> Iterator[str]:
        """Yield the goldens that no test has used, by their paths.

        `patterns` are the globs of test modules.
        """
        if self.is_partial:
            return
        folders = sorted({Path(module).parent for module in self.modules})
        for folder in (each for each in folders if self._is_known(each, patterns)):
            for golden in sorted((folder / FOLDER).rglob("*.json")):
                if str(golden) not in self.used and _is_trajectory(golden):
                    yield str(golden)

    def _is_known(self, folder: Path, patterns: list[str]) -> bool:
        """Return True if every test of a folder has made its check, or passed."""
        modules = {str(each) for glob in patterns for each in folder.glob(glob)}
        asking = {
            test
            for test, goldens in self.asking.items()
            if goldens == str(folder / FOLDER)
        }
        return modules <= self.modules and asking <= self.checked | self.passed


def refuse_in_ci() -> None:
    """Raise UsageError of pytest where nobody looks at the goldens that are written."""
    if is_ci():
        raise pytest.UsageError(
            "--approve writes goldens, which CI only compares; approve at your desk, or"
            " unset CI"
        )


def used_goldens(session: pytest.Session) -> UsedGoldens:
    """Begin the record of a process, with the tests that ask for trajectories."""
    return UsedGoldens(
        modules={str(item.path) for item in session.items},
        asking={
            item.nodeid: str(item.path.parent / FOLDER)
            for item in session.items
            if "trajectory" in getattr(item, "fixturenames", ())
        },
    )


def trajectories(request: pytest.FixtureRequest, used: UsedGoldens) -> Trajectories:
    """Return what the fixture `trajectory` is for a test."""
    config = request.config
    return Trajectories(
        folder=request.path.parent / FOLDER,
        root=config.rootpath,
        is_approving=config.option.approve,
        test=request.node.nodeid,
        checked=used.checked,
        used=used.used,
        written=used.written,
        matched=used.matched,
    )


def decoded(sent: str) -> UsedGoldens:
    """Return the record that another process has sent."""
    return msgspec.convert(json.loads(sent), UsedGoldens)


def report(used: UsedGoldens, terminal: Any, config: pytest.Config) -> None:
    """Name the goldens that were written, and those that no test has used."""
    patterns = config.getini("python_files")
    for title, paths in (
        ("goldens written", used.written),
        ("goldens written for different runs", used.contested),
        ("goldens that no test uses", used.unused(patterns)),
    ):
        names = sorted(
            spelled(os.path.relpath(path, config.rootpath)) for path in paths
        )
        if names:
            terminal.section(title)
            for name in names:
                terminal.line(name)


def _is_trajectory(path: Path) -> bool:
    """Return True if a file is a golden; its folder may hold other files as well."""
    with path.open("rb") as file:
        return TRAJECTORY.begins(file.read(_BEGINNING))
