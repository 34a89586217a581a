"""The plugin of pytest: the fixture `trajectory`, and unused goldens.

A golden is unused if every test module next to its folder was run whole, and each test
there that asks for trajectories reached a check, or passed without one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec import Struct

from convert.cli.destination import is_ci
from convert.wording.paths import spelled

if TYPE_CHECKING:
    from convert.suites.golden_checks import Trajectories

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


def _is_trajectory(path: Path) -> bool:
    """Return True if a file is a golden; its folder may hold other files as well."""
    from convert.formats import TRAJECTORY

    with path.open("rb") as file:
        return TRAJECTORY.begins(file.read(_BEGINNING))


_USED = pytest.StashKey[UsedGoldens]()
# The member in which a process of xdist sends its record.
_SENT = "runconv"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that approves runs."""
    parser.getgroup("runconv").addoption(
        "--approve",
        action="store_true",
        help="write the golden of each run that has none, or differs from it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin the record of used goldens."""
    if config.option.approve and is_ci():
        raise pytest.UsageError(
            "--approve writes goldens, which CI only compares; approve at your desk, or"
            " unset CI"
        )
    used = config.stash[_USED] = UsedGoldens()
    used.is_partial = any("::" in argument for argument in config.args)


@pytest.fixture
def trajectory(request: pytest.FixtureRequest) -> Trajectories:
    """Check runs against the trajectories in the folder `golden` next to the test."""
    # Most tests of a project check no run, and each of them loads this module.
    from convert.suites.golden_checks import Trajectories

    config = request.config
    used = config.stash[_USED]
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


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the tests that ask for trajectories."""
    used = session.config.stash[_USED]
    used.is_partial |= session.testsfailed > 0
    for item in session.items:
        used.modules.add(str(item.path))
        if "trajectory" in getattr(item, "fixturenames", ()):
            used.asking[item.nodeid] = str(item.path.parent / FOLDER)


def pytest_deselected(items: Iterable[pytest.Item]) -> None:
    """Note that not all tests are run."""
    for item in items:
        item.config.stash[_USED].is_partial = True


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note the tests that have passed; the report is made by others."""
    if call.when == "call" and call.excinfo is None:
        item.config.stash[_USED].passed.add(item.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the record of this process to the one that reports."""
    sent = getattr(session.config, "workeroutput", None)
    if sent is not None:
        sent[_SENT] = msgspec.json.encode(session.config.stash[_USED]).decode()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the record of a process of xdist."""
    used = node.config.stash[_USED]
    sent = getattr(node, "workeroutput", {}).get(_SENT)
    if sent is None:
        # The process died, so nobody knows which goldens its tests have used.
        used.is_partial = True
    else:
        used.add(msgspec.json.decode(sent, type=UsedGoldens))


def pytest_terminal_summary(
    terminalreporter: Any, exitstatus: int, config: pytest.Config
) -> None:
    """Name the goldens that were written, and those that no test has used."""
    used = config.stash[_USED]
    if not (used.asking or used.modules):
        return
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
            terminalreporter.section(title)
            for name in names:
                terminalreporter.line(name)
