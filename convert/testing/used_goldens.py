"""Which goldens the tests have used, and which no test has, as far as that is known.

That is known of a folder if every test module beside it was run whole, and each test
there that asks for trajectories got as far as a check, or passed without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

# Beside the test module, as the documentation says.
FOLDER = "golden"
# This much of a file tells whether it is a trajectory, in bytes.
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
        """Add what the tests of another process have done."""
        self.modules |= other.modules
        self.asking |= other.asking
        self.checked |= other.checked
        self.used |= other.used
        self.passed |= other.passed
        self.contested |= other.contested | {
            path
            for path in self.written.keys() & other.written.keys()
            if self.written[path] != other.written[path]
        }
        self.written |= other.written
        self.is_partial |= other.is_partial

    def unused(self, patterns: list[str]) -> Iterator[str]:
        """Yield the goldens that no test has used, by their paths.

        `patterns` tell which files of a folder are test modules.
        """
        if self.is_partial:
            return
        folders = {Path(module).parent for module in self.modules}
        for folder in sorted(folders):
            if self._is_known(folder, patterns):
                for golden in sorted((folder / FOLDER).rglob("*.json")):
                    if str(golden) not in self.used and _is_trajectory(golden):
                        yield str(golden)

    def _is_known(self, folder: Path, patterns: list[str]) -> bool:
        """Tell if every test of a folder has checked what it asks for, or needs not."""
        beside = {str(each) for glob in patterns for each in folder.glob(glob)}
        asking = {
            test
            for test, goldens in self.asking.items()
            if goldens == str(folder / FOLDER)
        }
        return beside <= self.modules and asking <= self.checked | self.passed


def _is_trajectory(path: Path) -> bool:
    """Tell if a file is a golden; such a folder may hold others as well."""
    from convert.formats.openings import TRAJECTORY

    with path.open("rb") as file:
        return TRAJECTORY.begins(file.read(_BEGINNING))
