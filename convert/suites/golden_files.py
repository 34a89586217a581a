"""A golden in its file: may a run replace it, and which facts it lacks."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from convert.diff import read_side
from convert.errors import InputError, OutputError, ignore
from convert.formats import TRAJECTORY
from convert.model.approved import ApprovedRun, ApprovedSettings
from convert.options import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, with_known
from convert.wording.escapes import spelled
from convert.wording.numbers import count
from convert.write.trajectory import parsed

_LEFT = "so it is left as it is; remove it, or name another place"


def content_of(golden: str) -> bytes | None:
    """Return the bytes of a golden, None if there is none.

    Raises OutputError for a link, a pipe or a folder, and for what cannot be read.
    """
    try:
        mode = os.lstat(golden).st_mode
        if not stat.S_ISREG(mode):
            raise OutputError(f"{spelled(golden)} is {_kind(mode)}, {_LEFT}")
        with open(golden, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        advice = "make it readable, or choose another"
        raise OutputError(f"cannot read {spelled(golden)}: {why}; {advice}") from error


def is_trajectory(content: bytes) -> bool:
    """Tell if a file begins like a trajectory, however damaged the rest is."""
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


def secrets_in(golden: str, log: Log, source: str, reading: Reading) -> str:
    """Return how many secrets a golden holds that are redacted now; "" for none.

    `log` is that of the run, which may tell what is a secret, and `source` its format.
    """
    if not reading.redact:
        return ""
    reading = with_known(log, source, reading)
    side = read_side(golden, "trajectory", None, reading, Settings(), ignore)
    secrets = sum((side.redacted or {}).values())
    return f"it holds {count(secrets, 'secret')}" if secrets else ""


def lacking(golden: bytes, new: bytes) -> str:
    """Return what a golden lacks that the new one of a run has; "" for nothing.

    Both are trajectories that can be read.
    """
    old_document, new_document = parsed(golden).document, parsed(new).document
    found = dict.fromkeys(_settings(old_document.settings, new_document.settings))
    for one, other in zip(old_document.runs, new_document.runs, strict=False):
        found |= dict.fromkeys(_members(one, other))
    return ", ".join(found)


def _settings(old: ApprovedSettings, new: ApprovedSettings) -> Iterator[str]:
    """Yield the settings by which a trajectory has lost more than another."""
    for option, names, others in (
        ("ignore-arg", old.ignore_arg, new.ignore_arg),
        ("scrub", old.scrub, new.scrub),
    ):
        yield from (
            f"it was made with --{option} {n}" for n in names if n not in others
        )
    for name in new.keep_arg:
        if name not in old.keep_arg:
            yield f"it was made without --keep-arg {name}"
    if new.raw and not old.raw:
        yield "it was made without --raw"


def _members(old: ApprovedRun, new: ApprovedRun) -> Iterator[str]:
    """Yield what the log of a run recorded and that of another did not."""
    if new.level == "calls" and old.level != "calls":
        yield (
            "it holds no calls" if old.level == "result" else "it is from a log of text"
        )
    if old.state is None and new.state is not None:
        yield "it holds no state"
    if old.prompt is None and new.prompt is not None:
        yield "it holds no prompt"
    if (old.answer, old.text) == (None, None) and (new.answer, new.text) != (
        None,
        None,
    ):
        yield "it holds no final text"


def _kind(mode: int) -> str:
    """Return what a file is that is not a regular one."""
    if stat.S_ISLNK(mode):
        return "a link, which folders of goldens leave out"
    return "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
