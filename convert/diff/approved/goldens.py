"""The files that hold approved runs, and the settings they were made with."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from convert.diff.comparison import Comparison
from convert.diff.noise import NEWEST_RULES
from convert.errors import InputError
from convert.options.settings import SEVERITIES, Settings
from convert.pipeline import format_brings_settings
from convert.source.places import paths_below, size_of
from convert.wording import compiled
from convert.wording.paths import is_url, joined, stem_of

if TYPE_CHECKING:
    from convert.model.approved import ApprovedSettings

_SUFFIX = ".json"
# The number of files that decide if those of a folder are goldens.
_FEW = 3
# A file with nothing but white space so far is empty, in bytes.
_BEGINNING = 1000
# `case.2.json` and so on belong to `case.json`.
_FURTHER = r"(?s)(?P<stem>.+)\.(?P<number>[2-9]|[1-9][0-9]+)\.json"


def goldens_beside(golden: str) -> list[str]:
    """Return the further goldens of the case of one, in the order of their numbers."""
    found = numbered_beside(golden)
    return found if found and format_brings_settings(golden, "auto") else []


def numbered_beside(golden: str) -> list[str]:
    """Return the paths of further goldens of one that may not be there yet."""
    folder, name = _split(golden)
    found = [
        (int(match["number"]), joined(folder, match[0]))
        for match in map(compiled(_FURTHER).fullmatch, _names_in(folder))
        if match and match["stem"] == name.removesuffix(_SUFFIX)
    ]
    return [path for _, path in sorted(found) if _is_meant(path)]


def first_of(golden: str) -> str:
    """Return the path of the golden that one is a further one of; "" for a first."""
    folder, name = _split(golden)
    match = compiled(_FURTHER).fullmatch(name)
    return joined(folder, match["stem"] + _SUFFIX) if match else ""


def _split(golden: str) -> tuple[str, str]:
    """Return the folder of a golden and its name."""
    if is_url(golden):
        folder, _, name = golden.rpartition("/")
        return folder, name
    return os.path.split(golden)


def _is_meant(path: str) -> bool:
    """Return True if a file with the name of a further golden is one, or was.

    One that is empty or cannot be read may be damaged, which shows when it is read.
    Links and pipes are skipped.
    """
    if is_url(path):
        return size_of(path) == 0 or format_brings_settings(path, "auto")
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        with open(path, "rb") as file:
            is_empty = not file.read(_BEGINNING).strip()
    except OSError:
        return True
    return is_empty or format_brings_settings(path, "auto")


def _names_in(folder: str) -> list[str]:
    """Return the entries of a folder; none if it cannot be read."""
    if is_url(folder):
        return paths_below(f"{folder}/", 1)[0]
    try:
        return os.listdir(folder or os.curdir)
    except OSError:
        return []


def further_goldens(own: Mapping[str, str], other: Iterable[str]) -> dict[str, str]:
    """Return the path below a folder of the golden that each further one belongs to.

    `own` are the paths of files that may be goldens, each with its path below the
    folder, and `other` the latter paths on the other side: a file with a partner there,
    whatever its suffixes, is a case of its own.
    """
    partners, places = {*map(stem_of, other)}, {*own.values()}
    found = {}
    for path, place in own.items():
        match = compiled(_FURTHER).fullmatch(place)
        if match is None or stem_of(place) in partners:
            continue
        first = match["stem"] + _SUFFIX
        if first in places and _is_meant(path):
            found[path] = first
    return found


def are_approved(sides: Sequence[Sequence[str]], versions: int) -> bool:
    """Return True if the files of some versions are goldens, and not those of all.

    `sides` are the paths of the versions that have any. The first few decide.
    """
    found = [
        any(
            path.endswith(_SUFFIX) and format_brings_settings(path, "auto")
            for path in side[:_FEW]
        )
        for side in sides
    ]
    return 0 < sum(found) < versions


def nearest(found: Mapping[str, Comparison]) -> str:
    """Return the golden that a run matches, or else comes nearest to.

    It is the one with the least severe difference, the greatest similarity, and the
    lowest number, so that `case.json` comes before `case.2.json` and `case.10.json`.
    """
    return min(found, key=lambda name: _rank(name, found[name]))


def _rank(
    name: str, compared: Comparison
) -> tuple[bool, int, float, tuple[str, int, str]]:
    match = compiled(_FURTHER).fullmatch(name)
    stem, number = match.groups() if match else (name.removesuffix(_SUFFIX), 0)
    return (
        compared.is_different,
        SEVERITIES.index(compared.severity),
        -compared.similarity,
        (stem, int(number), name),
    )


# They hold for the other log as well. Settings that are added later hold for both if an
# approved run can lose more facts; it cannot get back a fact that it does not have.
_ANEW = "approve the run anew"


def settings_with(settings: Settings, made_with: ApprovedSettings) -> Settings:
    """Return settings, and those that an approved run was made with.

    Raises InputError for a setting that needs more facts than an approved run has, and
    for two approved runs that were made by different rules.
    """
    if made_with.rules > NEWEST_RULES:
        raise InputError(
            f"the trajectory was made by the rules {made_with.rules} for noise, and"
            f" this runconv has the rules {NEWEST_RULES}; update runconv"
        )
    if settings.rules not in (None, made_with.rules):
        raise InputError(
            f"the trajectories were made by the rules {settings.rules} and"
            f" {made_with.rules} for noise; approve the run of the older one anew"
        )
    if lacking := [
        name for name in settings.keep_arg if name not in made_with.keep_arg
    ]:
        raise InputError(
            f"the trajectory was made without --keep-arg {lacking[0]}; {_ANEW} with it"
        )
    if settings.raw and not made_with.raw:
        raise InputError(f"the trajectory was made without --raw; {_ANEW} with it")
    if settings.outputs:
        raise InputError("a trajectory holds no outputs; leave out --outputs")
    if settings.text == "exact":
        raise InputError(
            "a trajectory does not hold the answer as recorded; leave out --text exact"
        )
    return settings.replace(
        ignore_arg=_joined(made_with.ignore_arg, settings.ignore_arg),
        keep_arg=tuple(made_with.keep_arg),
        scrub=_joined(made_with.scrub, settings.scrub),
        raw=made_with.raw,
        rules=None if made_with.rules == NEWEST_RULES else made_with.rules,
    )


def added_scrubs(settings: Settings, made_with: ApprovedSettings) -> tuple[str, ...]:
    """Return the substitutions that were not made in an approved run."""
    return tuple(each for each in settings.scrub if each not in made_with.scrub)


def added_ignores(settings: Settings, made_with: ApprovedSettings) -> Settings:
    """Return settings that ignore the arguments that an approved run still has."""
    added = [each for each in settings.ignore_arg if each not in made_with.ignore_arg]
    return Settings(ignore_arg=tuple(added), keep_arg=settings.keep_arg)


def _joined(first: list[str], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *others]))
