"""From two folders to the cases that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from convert.errors import InputError
from convert.suite.cases import (
    Case,
    folder_of,
    in_unreadable,
    may_be_repeated,
    paired_by_path,
    paired_by_prompt,
    repeated_folders,
)
from convert.suite.folders import Folder
from convert.suite.goldens import first_of, further_goldens
from convert.suite.prompts import Prompts
from convert.suite.suite import Suite
from convert.wording.nearest import nearest
from convert.wording.numbers import count
from convert.wording.paths import spelled

PairBy = Literal["path", "prompt"]
_TWO = 2


def cases_of(
    a: Folder, b: Folder, pair_by: PairBy, repeat: bool | None, prompts: Prompts
) -> list[Case]:
    """Return the cases of two folders.

    With `repeat`, the logs of a folder are runs of one case; None looks if they are.
    """
    if pair_by == "prompt":
        cases = _by_prompt(a, b, repeat, prompts)
    else:
        further = further_goldens(a.logs, b.logs.values())
        repeated = _repeated(a, b, repeat, prompts)
        cases = paired_by_path(a.logs | further, b.logs, repeated)
    for side, folder in enumerate((a, b)):
        cases = in_unreadable(cases, folder.failures, side)
    return cases


def check_found(
    suite: Suite, folders: tuple[Folder, Folder], others: list[str], pair_by: PairBy
) -> None:
    """Raise InputError if a folder has no logs, or none that belongs to another.

    `others` are the files that are no logs. Trouble says more than that.
    """
    if suite.has_trouble:
        return
    missing = [case.name for case in suite.cases if not case.b.logs]
    new = [case.name for case in suite.cases if not case.a.logs]
    for folder, only in zip(folders, (new, missing), strict=True):
        if len(only) == len(suite.cases):
            files = [path for path in others if path in folder.logs]
            left_out = f"; {count(len(files), 'other file')} left out" if files else ""
            advice = "check the folder, and --glob if it is used"
            raise InputError(f"{folder.path}: no logs found{left_out}; {advice}")
    if len(missing) + len(new) == len(suite.cases):
        a, b = folders
        raise InputError(
            f"no log of {a.path} belongs to one of {b.path}:"
            f" {_advice(missing, new, pair_by)}"
        )


def _advice(missing: list[str], new: list[str], pair_by: PairBy) -> str:
    """Return what to do about folders without any pair, with the nearest names."""
    if pair_by == "prompt":
        return "no prompt is the same; leave out --pair-by prompt"
    for name in missing:
        if near := nearest(name, new):
            break
    else:
        name, near = missing[0], new[0]
    if "." in (name, near):
        return "leave out --repeat, or put the logs into folders of the same names"
    if first_of(f"{name}.json") == f"{near}.json":
        # It lacks its first golden.
        return f"rename {name} to {near}"
    return f"rename logs, as {near} to {name}, or choose --pair-by prompt"


def _repeated(a: Folder, b: Folder, repeat: bool | None, prompts: Prompts) -> set[str]:
    """Return the folders whose logs are runs of one case."""
    if repeat:
        return {folder_of(inside) for side in (a, b) for inside in side.logs.values()}
    found = {} if repeat is False else may_be_repeated(a.logs, b.logs)
    # Tasks may have numbers as well; two of their logs are enough to tell.
    first = {folder: (*ones, *others)[:2] for folder, (ones, others) in found.items()}
    known = prompts.of([path for paths in first.values() for path in paths])
    alike = {
        folder: found[folder]
        for folder, paths in first.items()
        if len({known.get(path) for path in paths} - {None, ""}) < _TWO
    }
    every = [path for sides in alike.values() for side in sides for path in side]
    return repeated_folders(alike, prompts.of(every))


def _by_prompt(
    a: Folder, b: Folder, repeat: bool | None, prompts: Prompts
) -> list[Case]:
    found = prompts.of([*a.logs, *b.logs])
    ones, others = (
        {path: prompt for path in side.logs if (prompt := found.get(path))}
        for side in (a, b)
    )
    names = _names(ones | others, prompts)
    cases = paired_by_prompt(ones, others, repeat, names)
    for side, folder in enumerate((a, b)):
        for path, inside in folder.logs.items():
            if not found.get(path):
                cases.append(_without_prompt(path, inside, side, found.get(path)))
    return cases


def _names(found: Mapping[str, str], prompts: Prompts) -> dict[str, str]:
    """Return the prompts as they are shown, by the prompts as they are.

    The path of a log stands for one that cannot be redacted.
    """
    if prompts.redacted is None:
        return {}
    paths: dict[str, list[str]] = {}
    for path, prompt in found.items():
        paths.setdefault(prompt, []).append(path)
    groups = [*map(tuple, paths.values())]
    shown = prompts.redacted(groups)
    return {
        prompt: name or group[0]
        for prompt, group, name in zip(paths, groups, shown, strict=True)
    }


def _without_prompt(path: str, inside: str, side: int, prompt: str | None) -> Case:
    """Return the case of a log without a prompt, or of a file that cannot be read."""
    message = ""
    if prompt is not None:
        advice = "pair by path, without --pair-by prompt"
        message = f"{spelled(path)}: records no prompt; {advice}"
    a, b = ((path,), ()) if side == 0 else ((), (path,))
    return Case(spelled(inside), a, b, trouble=message)
