"""Facts that runs have in common, such as their folder, model or reason to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from convert.stats.summary import RunSummary
from convert.wording.numbers import utc

By = Literal["folder", "model", "day", "prompt", "agent", "reason", "reason_kind"]
Key = Callable[[RunSummary], str | None]
# More groups are shown only if they are asked for.
MOST_GROUPS = 12


def key_of(by: By, runs: Sequence[RunSummary]) -> Key:
    """Return what tells the groups of runs apart.

    Many folders are taken together by the first part of their paths, if that leaves a
    few to compare.
    """
    if by == "folder" and len({*map(_folder, runs)}) > MOST_GROUPS:
        firsts = {*map(_first_folder, runs)}
        return _first_folder if 1 < len(firsts) <= MOST_GROUPS else _folder
    return _KEYS[by]


def day_of(run: RunSummary) -> str | None:
    """Return the day on which a run began, in UTC."""
    return utc(run.started_ms)[:10] or None if run.started_ms is not None else None


def _folder(run: RunSummary) -> str:
    folder = run.log.replace("\\", "/").rpartition("/")[0]
    return f"{folder}/" if folder else "."


def _first_folder(run: RunSummary) -> str:
    first, slash, _ = _folder(run).partition("/")
    return f"{first}{slash}"


_KEYS: dict[By, Key] = {
    "folder": _folder,
    "model": lambda run: run.model or None,
    "day": day_of,
    "prompt": lambda run: run.title or None,
    "agent": lambda run: run.agent or None,
    "reason": lambda run: run.reason or None,
    "reason_kind": lambda run: run.reason_kind or None,
}
