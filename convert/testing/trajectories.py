"""Checking the runs of one test against its goldens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convert.diff import Side
    from convert.model.run import Run
    from convert.options import Reading
    from convert.options.settings import Settings
    from convert.pipeline import Log
    from convert.testing.used_goldens import UsedGoldens


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
        from convert.errors import RunconvError

        __tracebackhide__ = True
        self._used.checked.add(self._test)
        golden = self._folder / f"{case}.json"
        try:
            _check_case(case)
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
        if golden.exists():
            golden, wrong = self._difference(golden, read, settings, reading)
        else:
            wrong = (
                f"no golden {shown}; look at the run, and approve it with"
                " pytest --approve"
            )
        if wrong and self._is_approving:
            return self._approve(read, golden, settings)
        return wrong

    def _difference(
        self, golden: Path, run: _Reading, settings: Settings, reading: Reading
    ) -> tuple[Path, str]:
        """Return the golden that a run is nearest to, and how it differs from that."""
        from convert.diff import compare_sides, read_sides
        from convert.suite.goldens import goldens_beside, nearest
        from convert.testing import difference

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

    def _approve(self, read: _Reading, golden: Path, settings: Settings) -> str:
        """Write the golden of a run; return why that cannot be, or ""."""
        from convert.cli.destination import named_output
        from convert.errors import NoResultError
        from convert.formats.trajectory import document

        try:
            written = document(read.side(settings).runs, settings)
        except NoResultError as error:
            why = error.message.partition(";")[0]
            return f"{read.name}: not approved: {why}"
        golden.parent.mkdir(parents=True, exist_ok=True)
        with named_output(str(golden), follows_link=False, show_on=_as_it_is) as output:
            output.write(written)
            output.is_wanted = True
        self._used.written.add(str(golden))
        return ""

    def _settings(self, given: Settings | None) -> tuple[Settings, Reading]:
        """Return the settings that apply, and how logs are read."""
        from convert.cli.settings import of_comparison

        settings, reading, _ = of_comparison({}, None, str(self._folder.parent))
        return settings if given is None else given, reading

    def _shown(self, golden: Path) -> str:
        return os.path.relpath(golden, self._root).replace(os.sep, "/")


class _Reading:
    """A log that can be read with other settings again."""

    def __init__(self, log: Log | Run, name: str, reading: Reading) -> None:
        self._log = log
        self._reading = reading
        self.name = name

    def side(self, settings: Settings) -> Side:
        """Read the log; raises InputError that names it."""
        from convert.diff import read_side, side_of
        from convert.errors import InputError, ignore
        from convert.model.run import Run

        if isinstance(self._log, Run):
            return side_of([self._log], settings)
        try:
            return read_side(self._log, "auto", None, self._reading, settings, ignore)
        except InputError as error:
            raise InputError(f"{self.name}: {error.message}") from error


def _name_of(log: Log | Run) -> str:
    return os.fsdecode(log) if isinstance(log, str | os.PathLike) else "the run"


def _check_case(case: str) -> None:
    """Raise UsageError for a name that leads out of the folder of goldens."""
    from convert.errors import UsageError

    parts = case.split("/")
    if case.endswith(".json") or not all(part.strip(".") for part in parts):
        raise UsageError(
            f"'{case}' is no name of a case; name a file in the folder golden without"
            " its suffix, as in fix or login/fix"
        )


def _as_it_is(file: int) -> None:
    """Show bytes as they are."""
