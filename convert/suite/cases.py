"""The cases of two folders: which logs of both belong together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from convert.source.names import stem_of
from convert.wording.paths import spelled
from convert.wording.sanitise import one_line, truncate

_LONGEST_PROMPT = 80
# Parts that tell the names of repeated runs apart: numbers, dates and ids.
_NUMBERS = re.compile(r"[0-9a-f]*\d[0-9a-f]*")


class Case(Struct, frozen=True):
    """The logs of one task, by their paths."""

    name: str
    """The path of its logs in both folders, without suffix, as reports spell it."""

    a: tuple[str, ...]
    """The logs of the baseline; none of a new case, several of repeated runs."""

    b: tuple[str, ...]
    """The logs of the candidate; none of a missing case."""

    is_repeated: bool = False
    """Its logs are repeated runs; otherwise, only one file a side may be a log."""

    trouble: str = ""
    """The message about why it cannot be compared; "" if nothing tells before."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its logs."""
        return (*self.a, *self.b)

    @property
    def comparisons(self) -> int:
        """How many times two logs are compared, if all can be read.

        For repeated runs, every two of a side are, those of the baseline both ways, and
        each run with each of the other side.
        """
        a, b = len(self.a), len(self.b)
        if not self.is_repeated or max(a, b) < 2:
            return min(a, b)
        return a * (a - 1) + b * (b - 1) // 2 + a * b if a and b else 0


class _Key(NamedTuple):
    """The name of a case, and whether it is that of a folder of repeated runs."""

    name: str
    is_repeated: bool


# The logs of either side, by what they have in common.
_Sides = dict[_Key, tuple[list[str], list[str]]]


def paired_by_path(
    a: Mapping[str, str], b: Mapping[str, str], repeated: Collection[str] = ()
) -> list[Case]:
    """Return the cases of two folders, in the order of their names.

    Each log has its path in the folder, where its suffix does not count, by the path
    that opens it. `repeated` are the folders whose logs are runs of one case each.
    """
    sides: _Sides = {}
    for side, logs in enumerate((a, b)):
        for path, inside in sorted(logs.items(), key=lambda log: log[1]):
            folder = folder_of(inside)
            is_repeated = folder in repeated
            key = _Key(folder or "." if is_repeated else stem_of(inside), is_repeated)
            sides.setdefault(key, ([], []))[side].append(path)
    return _cases(sides)


def paired_by_prompt(
    a: Mapping[str, str],
    b: Mapping[str, str],
    repeat: bool | None,
    names: Mapping[str, str] | None = None,
) -> list[Case]:
    """Return the cases of two folders, whose logs have their prompts by their paths.

    Logs of one prompt on both sides are repeated runs, unless `repeat` says otherwise;
    then the first is paired with the first. `names` are the prompts as they are shown,
    if otherwise than they are; of two that look the same, one gets a number.
    """
    prompts: dict[str, tuple[list[str], list[str]]] = {}
    for side, logs in enumerate((a, b)):
        for path, prompt in logs.items():
            prompts.setdefault(prompt, ([], []))[side].append(path)
    sides: _Sides = {}
    for prompt, (ones, others) in prompts.items():
        shown = names[prompt] if names else prompt
        name = truncate(one_line(shown), _LONGEST_PROMPT)
        are_several = len(ones) > 1 and len(others) > 1
        if repeat or (repeat is None and are_several):
            _add(sides, _Key(name, True), (ones, others))
            continue
        for at in range(max(len(ones), len(others))):
            pair = ones[at : at + 1], others[at : at + 1]
            _add(sides, _Key(name, False), pair)
    return _cases(sides)


def _add(sides: _Sides, key: _Key, logs: tuple[list[str], list[str]]) -> None:
    """Add logs, below a number behind their name if another case has it."""
    number, name = 1, key.name
    while key in sides:
        number += 1
        key = _Key(f"{name} ({number})", key.is_repeated)
    sides[key] = logs


def _cases(sides: _Sides) -> list[Case]:
    single = {key.name for key in sides if not key.is_repeated}
    cases = []
    for key in sorted(sides):
        a, b = map(tuple, sides[key])
        is_taken = key.is_repeated and key.name in single
        name = f"{key.name}/" if is_taken else key.name
        cases.append(Case(spelled(name), a, b, key.is_repeated))
    return cases


def in_unreadable(
    cases: list[Case], failures: Mapping[str, str], side: int
) -> list[Case]:
    """Return cases with the trouble that a folder on one side cannot be read.

    `failures` are the messages, by the paths of folders inside.
    """
    for folder, message in failures.items():
        above = f"{folder}/" if folder else ""
        hidden = [
            at
            for at, case in enumerate(cases)
            if f"{case.name}/".startswith(above) and not (case.a, case.b)[side]
        ]
        for at in hidden:
            cases[at] = replace(cases[at], trouble=message)
        if not hidden:
            cases = [*cases, Case(folder or ".", (), (), trouble=message)]
    return cases


def may_be_repeated(
    a: Mapping[str, str], b: Mapping[str, str]
) -> dict[str, tuple[list[str], list[str]]]:
    """Return the logs of each folder that look like runs of one case, by their names.

    Either their names differ in numbers alone, or none is the same on both sides. It
    takes a folder with several logs on each side to tell.
    """
    folders: dict[str, tuple[list[str], list[str]]] = {}
    for side, logs in enumerate((a, b)):
        for path, inside in logs.items():
            if folder := folder_of(inside):
                folders.setdefault(folder, ([], []))[side].append(path)
    found = {}
    for folder, sides in folders.items():
        names = [
            {stem_of(logs[path]) for path in paths}
            for logs, paths in zip((a, b), sides, strict=True)
        ]
        if _are_runs(names[0], names[1], folder):
            found[folder] = sides
    return found if any(map(_are_several, found.values())) else {}


def repeated_folders(
    found: Mapping[str, tuple[list[str], list[str]]],
    prompts: Mapping[str, str | None],
) -> set[str]:
    """Return the folders whose logs all have one prompt; none if no folder tells.

    A log that cannot be read has None.
    """
    sure = {
        folder: sides
        for folder, sides in found.items()
        if have_one([prompts[path] for path in paths] for paths in sides)
    }
    return {*sure} if any(map(_are_several, sure.values())) else set()


def have_one(sides: Iterable[Iterable[str | None]]) -> bool:
    """Tell if the logs of both sides have one prompt, as far as they can be read.

    A run that was cut or refused at its start has none, which tells nothing where
    several others on a side have one. Elsewhere, logs without prompts may be of any
    case.
    """
    known = [[prompt for prompt in side if prompt is not None] for side in sides]
    found = {prompt for side in known for prompt in side}
    if "" in found and not any(map(_mostly_tell, known)):
        return False
    return len(found - {""}) == 1


def _mostly_tell(prompts: list[str]) -> bool:
    told = len(prompts) - prompts.count("")
    return told > max(1, prompts.count(""))


def folder_of(inside: str) -> str:
    """Return the folder of a path inside another; "" for none."""
    return inside.rpartition("/")[0]


def _are_runs(ones: set[str], others: set[str], folder: str) -> bool:
    begin = len(folder) + 1
    names = {_NUMBERS.sub("#", name[begin:]) for name in (*ones, *others)}
    if len(names) == 1 and "#" in next(iter(names)):
        return True
    return len(ones) > 1 and len(others) > 1 and ones.isdisjoint(others)


def _are_several(sides: tuple[list[str], list[str]]) -> bool:
    return all(len(paths) > 1 for paths in sides)
