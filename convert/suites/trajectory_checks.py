"""Checking runs of tests against goldens, and unused goldens.

A golden is unused if every test module next to its folder was run whole, and each test
there that asks for trajectories got as far as a check, or passed without one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.errors import InputError, NoResultError, RunconvError, UsageError, ignore

if TYPE_CHECKING:
    from convert.diff import Side
    from convert.diff.comparison import Comparison
    from convert.model.run import Run
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.pipeline import Log


def difference(comparison: Comparison, names: tuple[str, str]) -> str:
    """Return the verdict on two runs that differ, and the unified report."""
    from convert.diff.reports import ReportOptions, report
    from convert.diff.reports.verdict import headline
    from convert.wording.escapes import repair_surrogates

    lines = report("unified")(comparison, ReportOptions(*names))
    text = "\n".join(repair_surrogates(line.text) for line in lines)
    return f"{headline(comparison)}\n{text}".rstrip()


class Trajectories:
    """The goldens that a test checks runs against, in a folder beside it."""

    def __init__(
        self,
        folder: Path,
        *,
        test: str,
        used: UsedGoldens,
        root: Path,
        is_approving: bool,
    ) -> None:
        self._folder = folder
        self._test = test
        self._used = used
        self._root = root
        self._is_approving = is_approving

    def check(
        self, log: Log | Run, case: str, settings: Settings | None = None
    ) -> None:
        """Raise AssertionError with the unified report if a run is not as approved.

        `log` is the path of a log, its bytes, or a run of `convert.read_runs`, and
        `case` names the golden: `fix` for `golden/fix.json` beside the test. With
        `--approve`, a golden that is missing or differs is written instead. Without
        `settings`, those in `[tool.runconv.diff]` of the nearest pyproject.toml above
        the test apply.
        """
        __tracebackhide__ = True
        self._used.checked.add(self._test)
        try:
            _check_case(case, self._folder)
            golden = self._folder / f"{case}.json"
            self._used.used.add(str(golden))
            wrong = self._checked(log, golden, settings)
        except RunconvError as error:
            wrong = error.message
        if wrong:
            raise AssertionError(wrong)

    def _checked(self, log: Log | Run, golden: Path, given: Settings | None) -> str:
        """Return what is wrong with a run, or approve it; "" if nothing is."""
        settings, reading = self._settings(given)
        read = _Reading(log, _name_of(log), reading)
        shown = self._shown(golden)
        if os.path.isfile(golden):
            golden, wrong = self._difference(golden, read, settings, reading)
        elif os.path.lexists(golden):
            return f"{shown} is no file; remove it, or name the case otherwise"
        else:
            wrong = (
                f"no golden {shown}; look at the run, and approve it with"
                " pytest --approve"
            )
        if self._is_approving:
            return self._approve(read, golden, settings, wrong)
        return wrong

    def _difference(
        self, golden: Path, run: _Reading, settings: Settings, reading: Reading
    ) -> tuple[Path, str]:
        """Return the golden that a run is nearest to, and how it differs from that."""
        from convert.diff import compare_sides, read_sides
        from convert.diff.approved import goldens_beside, nearest

        found = {}
        for path in [str(golden), *goldens_beside(str(golden))]:
            self._used.used.add(path)
            approved = _Reading(path, self._shown(Path(path)), reading)
            sides = read_sides(approved.side, run.side, settings)
            found[path] = compare_sides(*sides)
        best = nearest(found)
        names = self._shown(Path(best)), run.name
        if not found[best].is_different:
            return Path(best), ""
        advice = "if the run is right, approve it with pytest --approve"
        return Path(best), f"{difference(found[best], names)}\n{advice}"

    def _approve(
        self, read: _Reading, golden: Path, settings: Settings, wrong: str
    ) -> str:
        """Write the golden of a run that needs it; return why that cannot be, or ""."""
        from convert.diff.approved import noise_of, settings_with
        from convert.diff.approved.writing import document
        from convert.suites.golden_files import check_replaceable, content_of

        # No golden could be compared by settings that a trajectory cannot hold.
        settings_with(settings, noise_of(settings))
        try:
            written = document(read.side(settings).runs, settings)
        except NoResultError as error:
            why = error.message.partition(";")[0]
            return wrong and f"{read.name}: not approved: {why}"
        if not (wrong or read.has_more(golden, written)):
            self._used.matched.add(str(golden))
            return ""
        if wrong and str(golden) in {*self._used.written, *self._used.matched}:
            return (
                f"{self._shown(golden)} is the golden of another run, which a test has"
                f" just checked; give each run a case of its own\n{wrong}"
            )
        if (content := content_of(str(golden))) is not None:
            check_replaceable(str(golden), content)
        self._write(golden, written)
        return ""

    def _write(self, golden: Path, written: bytes) -> None:
        from convert.cli.output_files import named_output

        with named_output(
            str(golden), follows_link=False, show_on=_as_it_is, option=""
        ) as output:
            output.write(written)
            output.is_wanted = True
        self._used.written[str(golden)] = hashlib.sha256(written).hexdigest()

    def _settings(self, given: Settings | None) -> tuple[Settings, Reading]:
        """Return the settings that apply, and how logs are read."""
        from convert.cli.settings import of_comparison
        from convert.options.settings import Settings

        settings, reading, _ = of_comparison({}, None, str(self._folder.parent))
        return settings if given is None else Settings.or_default(given), reading

    def _shown(self, golden: Path) -> str:
        from convert.wording.escapes import spelled

        return spelled(os.path.relpath(golden, self._root).replace(os.sep, "/"))


class _Reading:
    """A log that can be read with other settings again."""

    def __init__(self, log: Log | Run, name: str, reading: Reading) -> None:
        self._log = log
        self._reading = reading
        self.name = name

    def side(self, settings: Settings) -> Side:
        """Read the log; raises InputError that names it."""
        from convert.diff import read_side, side_of
        from convert.model.run import Run

        if isinstance(self._log, Run):
            return side_of([self._log], settings)
        try:
            return read_side(self._log, "auto", None, self._reading, settings, ignore)
        except InputError as error:
            raise InputError(f"{self.name}: {error.message}") from error

    def has_more(self, golden: Path, written: bytes) -> bool:
        """Tell if the golden of the run, as it is written now, has more than it had.

        A file that is no trajectory, and matches, is as good as one.
        """
        from convert.model.run import Run
        from convert.suites.golden_files import is_trajectory, lacking, secrets_in

        content = golden.read_bytes()
        if not is_trajectory(content):
            return False
        log = str(golden) if isinstance(self._log, Run) else self._log
        secrets = secrets_in(str(golden), log, "auto", self._reading)
        return bool(secrets or lacking(content, written))


def _name_of(log: Log | Run) -> str:
    return os.fsdecode(log) if isinstance(log, str | os.PathLike) else "the run"


def _check_case(case: str, folder: Path) -> None:
    """Raise UsageError for a name that leads out of the folder of goldens.

    So does one that is that of a further golden of another case.
    """
    from convert.diff.approved import first_of

    advice = "name a file in the folder golden without its suffix, as in fix or"
    if not isinstance(case, str):
        raise UsageError(f"{case!r} is no name of a case; {advice} 'login/fix'")
    parts = case.split("/")
    if case.endswith(".json") or not all(part.strip(".") for part in parts):
        raise UsageError(f"'{case}' is no name of a case; {advice} login/fix")
    first = first_of(str(folder / f"{case}.json"))
    if first and os.path.lexists(first):
        name, _, number = case.rpartition(".")
        raise UsageError(
            f"'{case}' is a further golden of the case '{name}'; name the case"
            f" otherwise, as in {name}-{number}"
        )


def _as_it_is(file: int) -> None:
    """Show bytes as they are."""


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
    from convert.formats import TRAJECTORY

    with path.open("rb") as file:
        return TRAJECTORY.begins(file.read(_BEGINNING))
