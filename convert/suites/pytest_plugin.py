"""The plugin of pytest: the fixture `trajectory`, and unused goldens."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from convert.cli.terminal import is_ci
from convert.suites.trajectory_checks import FOLDER, Trajectories, UsedGoldens
from convert.wording.escapes import spelled

_USED = pytest.StashKey[UsedGoldens]()
# The member in which a process of xdist sends what its tests have done.
_SENT = "runconv"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that approves runs."""
    parser.getgroup("runconv").addoption(
        "--approve",
        action="store_true",
        help="write the golden of each run that has none, or differs from it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to note which goldens are used."""
    if config.option.approve and is_ci():
        raise pytest.UsageError(
            "--approve writes goldens, which CI only compares; approve at your desk, or"
            " unset CI"
        )
    used = config.stash[_USED] = UsedGoldens()
    used.is_partial = any("::" in argument for argument in config.args)


@pytest.fixture
def trajectory(request: pytest.FixtureRequest) -> Trajectories:
    """Check runs against the trajectories in the folder `golden` beside the test."""
    config = request.config
    return Trajectories(
        request.path.parent / FOLDER,
        test=request.node.nodeid,
        used=config.stash[_USED],
        root=config.rootpath,
        is_approving=config.option.approve,
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
    """Send what the tests of this process have done to the one that reports."""
    sent = getattr(session.config, "workeroutput", None)
    if sent is not None:
        sent[_SENT] = msgspec.json.encode(session.config.stash[_USED]).decode()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what the tests of a process of xdist have done."""
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
