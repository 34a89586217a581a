"""Goldens in their files, and runs of tests that are checked against them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from convert.cli.folders import inside_of
from convert.cli.output_files import write_whole
from convert.cli.settings import of_comparison
from convert.diff import Comparison, Side, compare_sides, read_side, read_sides, side_of
from convert.diff.approved.goldens import (
    first_of,
    goldens_beside,
    nearest,
    settings_with,
)
from convert.diff.approved.writing import document, noise_of
from convert.diff.reports import ReportOptions, report
from convert.diff.reports.verdict import headline
from convert.errors import (
    InputError,
    NoResultError,
    OutputError,
    RunconvError,
    UsageError,
    ignore,
)
from convert.formats import TRAJECTORY
from convert.model.run import Run
from convert.options.conversion import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, with_known
from convert.wording.escapes import repair_surrogates
from convert.wording.numbers import count
from convert.wording.paths import spelled
from convert.write.trajectory import Document, parsed

_LEFT = "so it is left as it is; remove it, or name another place"


def content_of(golden: str) -> bytes | None:
    """Return the bytes of a golden, None if there is none.

    Raises OutputError for a link, a pipe, a folder, and an unreadable file.
    """
    try:
        mode = os.lstat(golden).st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
            if stat.S_ISLNK(mode):
                kind = "a link, which folders of goldens skip"
            raise OutputError(f"{spelled(golden)} is {kind}, {_LEFT}")
        with open(golden, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        advice = "make it readable, or choose another"
        raise OutputError(f"cannot read {spelled(golden)}: {why}; {advice}") from error


def is_trajectory(content: bytes) -> bool:
    """Return True if a file begins like a trajectory, however damaged the rest is."""
    return TRAJECTORY.begins(content)


def check_replaceable(golden: str, content: bytes) -> None:
    """Raise OutputError for a file that is no trajectory, or one that is not read.

    It may be the only copy of something, so that nobody overwrites it unseen.
    """
    name = spelled(golden)
    if not is_trajectory(content):
        raise OutputError(f"{name} is no trajectory, {_LEFT}")
    try:
        parsed(content)
    except InputError as error:
        at = f"{name}:{error.line}" if error.line else name
        raise OutputError(f"{at}: {error.message}") from error


def why_anew(
    golden: str, content: bytes, new: bytes, log: Log, source: str, reading: Reading
) -> str:
    """Return why a golden that a run matches is written anew; "" for no reason.

    It holds secrets that are redacted now, or lacks a fact that the `new` one has. A
    file that is no trajectory, and matches, is as good as one. `log` is the log of the
    run, which may name secrets, and `source` its format.
    """
    if not is_trajectory(content):
        return ""
    reasons: list[str] = []
    if reading.redact:
        reading = with_known(log, source, reading)
        side = read_side(golden, "trajectory", None, reading, Settings(), ignore)
        if secrets := sum((side.log.redacted or {}).values()):
            reasons.append(f"it holds {count(secrets, 'secret')}")
    reasons += _lacking(parsed(content).document, parsed(new).document)
    return ", ".join(dict.fromkeys(reasons))


def _lacking(old: Document, new: Document) -> Iterator[str]:
    """Yield the settings by which a trajectory has lost facts, and other facts."""
    settings, others = old.settings, new.settings
    for how, names, kept in (
        ("with --ignore-arg", settings.ignore_arg, others.ignore_arg),
        ("with --scrub", settings.scrub, others.scrub),
        ("without --keep-arg", others.keep_arg, settings.keep_arg),
    ):
        yield from (f"it was made {how} {name}" for name in names if name not in kept)
    if others.raw and not settings.raw:
        yield "it was made without --raw"
    for run, other in zip(old.runs, new.runs, strict=False):
        if other.level == "calls" != run.level:
            is_result = run.level == "result"
            yield "it holds no calls" if is_result else "it is from a log of text"
        if run.state is None and other.state is not None:
            yield "it holds no state"
        if run.prompt is None and other.prompt is not None:
            yield "it holds no prompt"
        texts = [(each.answer, each.text) for each in (run, other)]
        if texts[0] == (None, None) != texts[1]:
            yield "it holds no final text"


def difference(comparison: Comparison, names: tuple[str, str]) -> str:
    """Return the verdict on two runs that differ, and the unified report."""
    lines = report("unified")(comparison, ReportOptions(*names))
    text = "\n".join(repair_surrogates(line.text) for line in lines)
    return f"{headline(comparison)}\n{text}".rstrip()


def name_of(log: Log | Run, other: str) -> str:
    """Return the path of a log; `other` for bytes and for a run."""
    return os.fsdecode(log) if isinstance(log, str | os.PathLike) else other


class Trajectories(Struct):
    """The goldens that a test checks runs against, in a folder next to it."""

    folder: Path
    root: Path
    """The folder from which messages name goldens."""

    is_approving: bool
    test: str

    checked: set[str]
    """The tests that have checked a run."""

    used: set[str]
    """The paths of the goldens that were compared or written."""

    written: dict[str, str]
    """The digests of those that were written, by their paths."""

    matched: set[str]
    """The paths of those that were to be approved, and matched."""

    def check(
        self, log: Log | Run, case: str, settings: Settings | None = None
    ) -> None:
        """Raise AssertionError with the unified report if a run is not as approved.

        `log` is the path of a log, its bytes, or a run of `convert.read_runs`, and
        `case` names the golden: `fix` for `golden/fix.json` next to the test. With
        `--approve`, a golden that is missing or differs is written instead. Without
        `settings`, those in `[tool.runconv.diff]` of the nearest pyproject.toml above
        the test apply.
        """
        __tracebackhide__ = True
        self.checked.add(self.test)
        try:
            _check_case(case, self.folder)
            wrong = self._checked(log, str(self.folder / f"{case}.json"), settings)
        except RunconvError as error:
            wrong = error.message
        if wrong:
            raise AssertionError(wrong)

    def _checked(self, log: Log | Run, golden: str, given: Settings | None) -> str:
        """Return how a run differs from its golden, or approve it; "" if right."""
        self.used.add(golden)
        found, reading, _ = of_comparison({}, None, str(self.folder.parent))
        settings = found if given is None else Settings.or_default(given)
        run = _Reading(log, name_of(log, "the run"), reading)
        shown = self._shown(golden)
        if os.path.isfile(golden):
            golden, wrong = self._difference(golden, run, settings)
        elif os.path.lexists(golden):
            return f"{shown} is no file; remove it, or name the case otherwise"
        else:
            wrong = (
                f"no golden {shown}; look at the run, and approve it with"
                " pytest --approve"
            )
        return (
            self._approve(run, golden, settings, wrong) if self.is_approving else wrong
        )

    def _difference(
        self, golden: str, run: _Reading, settings: Settings
    ) -> tuple[str, str]:
        """Return the golden that a run is nearest to, and how it differs from that."""
        found = {}
        for path in [golden, *goldens_beside(golden)]:
            self.used.add(path)
            approved = _Reading(path, self._shown(path), run.reading)
            found[path] = compare_sides(*read_sides(approved.side, run.side, settings))
        best = nearest(found)
        if not found[best].is_different:
            return best, ""
        advice = "if the run is right, approve it with pytest --approve"
        names = self._shown(best), run.name
        return best, f"{difference(found[best], names)}\n{advice}"

    def _approve(
        self, run: _Reading, golden: str, settings: Settings, wrong: str
    ) -> str:
        """Write the golden of a run that needs it; return why that cannot be, or ""."""
        # No golden could be compared by settings that a trajectory cannot hold.
        settings_with(settings, noise_of(settings))
        try:
            written = document(run.side(settings).runs, settings, advice="")
        except NoResultError as error:
            return wrong and f"{run.name}: not approved: {error.message}"
        if not wrong:
            log = golden if isinstance(run.log, Run) else run.log
            old = Path(golden).read_bytes()
            if not why_anew(golden, old, written, log, "auto", run.reading):
                self.matched.add(golden)
                return ""
        elif golden in {*self.written, *self.matched}:
            return (
                f"{self._shown(golden)} is the golden of another run, which a test has"
                f" just checked; give each run a case of its own\n{wrong}"
            )
        if not inside_of(str(self.folder))(golden):
            folder = self._shown(str(self.folder))
            raise OutputError(
                f"{self._shown(golden)} would be outside of {folder}; remove the link,"
                " or name the case otherwise"
            )
        if (content := content_of(golden)) is not None:
            check_replaceable(golden, content)
        write_whole(golden, [written], "")
        self.written[golden] = hashlib.sha256(written).hexdigest()
        return ""

    def _shown(self, golden: str) -> str:
        return spelled(os.path.relpath(golden, self.root).replace(os.sep, "/"))


class _Reading(Struct):
    """A log that can be read with other settings again."""

    log: Log | Run
    name: str
    reading: Reading

    def side(self, settings: Settings) -> Side:
        """Read the log; raises InputError that names it."""
        if isinstance(self.log, Run):
            return side_of([self.log], settings)
        try:
            return read_side(self.log, "auto", None, self.reading, settings, ignore)
        except InputError as error:
            raise InputError(f"{self.name}: {error.message}") from error


def _check_case(case: str, folder: Path) -> None:
    """Raise UsageError for a name that leads out of the folder of goldens.

    So does one that is that of a further golden of another case.
    """
    advice = "name a file in the folder golden without its suffix, as in fix or"
    if not isinstance(case, str):
        raise UsageError(f"{case!r} is no name of a case; {advice} 'login/fix'")
    if case.endswith(".json") or not all(part.strip(".") for part in case.split("/")):
        raise UsageError(f"'{case}' is no name of a case; {advice} login/fix")
    first = first_of(str(folder / f"{case}.json"))
    if first and os.path.lexists(first):
        name, _, number = case.rpartition(".")
        raise UsageError(
            f"'{case}' is a further golden of the case '{name}'; name the case"
            f" otherwise, as in {name}-{number}"
        )
