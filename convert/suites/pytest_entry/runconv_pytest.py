"""The plugin of pytest: the option `--approve` and the fixture `trajectory`.

pytest loads it in every project where runconv is installed, some of which have a module
`convert` of their own. So it is a module of its own name, next to `convert` in a wheel,
and imports `convert` only for a test or an option that asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from convert.suites.golden_checks import Trajectories
    from convert.suites.pytest_plugin import UsedGoldens

_IS_PARTIAL = pytest.StashKey[bool]()
# Only after a test of this process, or of one of xdist, has asked for the fixture.
_USED = pytest.StashKey["UsedGoldens"]()
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
    """Refuse to approve in CI, and note if single tests are named."""
    config.stash[_IS_PARTIAL] = any("::" in argument for argument in config.args)
    if config.option.approve and os.environ.get("CI"):
        _ours().refuse_in_ci()


@pytest.fixture
def trajectory(request: pytest.FixtureRequest) -> Trajectories:
    """Check runs against the trajectories in the folder `golden` next to the test."""
    __tracebackhide__ = True
    checks: Trajectories = _ours().trajectories(request, _record(request.session))
    return checks


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note if modules are missing, and refuse to approve without our `convert`."""
    session.config.stash[_IS_PARTIAL] |= session.testsfailed > 0
    # A process of xdist would break off without a word: there, the fixture says it.
    if session.config.option.approve and not hasattr(session.config, "workerinput"):
        _ours()


def pytest_deselected(items: Iterable[pytest.Item]) -> None:
    """Note that not all tests are run."""
    for item in items:
        item.config.stash[_IS_PARTIAL] = True


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note the tests that have passed; the report is made by others."""
    used = item.config.stash.get(_USED, None)
    if used is not None and call.when == "call" and call.excinfo is None:
        used.passed.add(item.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the record of this process to the one that reports."""
    sent = getattr(session.config, "workeroutput", None)
    if sent is not None:
        used = session.config.stash.get(_USED, None)
        sent[_SENT] = used and used.encoded()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the record of a process of xdist."""
    stash = node.config.stash
    output = getattr(node, "workeroutput", None)
    if output is None:
        # The process died, so nobody knows which goldens its tests have used.
        stash[_IS_PARTIAL] = True
    elif output[_SENT]:
        used = _ours().decoded(output[_SENT])
        if _USED in stash:
            used.add(stash[_USED])
        stash[_USED] = used


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the goldens that were written, and those that no test has used."""
    if _USED in config.stash:
        used = config.stash[_USED]
        used.is_partial |= config.stash[_IS_PARTIAL]
        _ours().report(used, terminalreporter, config)


def _record(session: pytest.Session) -> UsedGoldens:
    """Return the record of this process, which begins with its first check."""
    stash = session.config.stash
    if _USED not in stash:
        stash[_USED] = _ours().used_goldens(session)
    return stash[_USED]


def _ours() -> ModuleType:
    """Import our part of the plugin; raises UsageError if `convert` is not ours."""
    __tracebackhide__ = True
    found = find_spec("convert")
    places = (found and found.submodule_search_locations) or []
    if found and not any(
        Path(place, "suites", "pytest_plugin.py").is_file() for place in places
    ):
        raise pytest.UsageError(
            f"`convert` is {found.origin or [*places]}, not the package of runconv that"
            " `trajectory` and `--approve` need; rename it, or move it into a package"
        )
    from convert.suites import pytest_plugin

    return pytest_plugin
