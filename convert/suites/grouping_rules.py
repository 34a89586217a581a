"""The rules for logs of one case: by their paths and by their prompts.

The prompt is the first message of the user. These rules hold, in this order:

1. A folder below the top is a case if all its logs have one prompt.
2. Logs whose paths differ only in numbers, dates and ids are runs of one case if they
   have one prompt. Where prompts differ, each prompt is a case.
3. Any other path is a case. A log whose path is in no other version joins the logs that
   have its prompt, unless a case that all versions have has that prompt.

So a prompt is read only where it can decide: of paths that are alike, in folders with
several logs, and of logs without a partner.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from msgspec import Struct

from convert.diff.approved.goldens import are_approved
from convert.suites.logs import Prompts, common_folder, masked, parent_of

# So many paths show if those of a folder are tasks or runs: two runs of one task are
# next to each other, or as far apart as chance makes it.
_SAMPLE, _NEXT = 48, 16


class Log(NamedTuple):
    """A file that may be a log."""

    stem: str
    """Its path in its folder, without suffix; of a further golden, of the first."""

    version: int
    path: str


class Group(Struct):
    """Logs that are one case."""

    logs: list[Log]
    folder: str = ""
    """The folder that is the case; "." for the one that holds all, "" for none."""

    is_repeated: bool = False
    """Its logs are runs, also two of one path."""

    is_by_name: bool = False
    """Its logs are one case by their names, which no prompt contradicts."""

    trouble: str = ""

    @property
    def stems(self) -> set[str]:
        """The paths of its logs, without their suffixes."""
        return {log.stem for log in self.logs}

    @property
    def versions(self) -> set[int]:
        """The versions that have a log of it."""
        return {log.version for log in self.logs}

    @property
    def has_runs(self) -> bool:
        """A version has logs of several paths, and not only two files of one."""
        return len({log[:2] for log in self.logs}) > len(self.versions)


class Known:
    """The prompts that have been read."""

    def __init__(self, prompts: Prompts, versions: int) -> None:
        self._prompts = prompts
        self._found: dict[str, str | None] = {}
        self.versions = versions
        """How many versions there are."""

    def read(self, logs: Iterable[Log]) -> None:
        """Read the prompts of logs, unless they are known."""
        paths = sorted({log.path for log in logs} - self._found.keys())
        if paths:
            self._found |= self._prompts.of(paths)

    def prompt(self, log: Log) -> str | None:
        """Return the prompt of a log; None for one that cannot be read."""
        return self._found.get(log.path)

    def prompt_of(self, files: Iterable[Log]) -> str | None:
        """Return the first prompt of the files of a path; None if none is a log."""
        found = [*map(self.prompt, files)]
        return next(filter(None, found), "" if "" in found else None)

    def prompts_of(self, logs: Iterable[Log]) -> set[str]:
        """Return the prompts that logs record."""
        return {prompt for log in logs if (prompt := self.prompt(log))}

    def has_logs(self, logs: Iterable[Log]) -> bool:
        """Return True if some file could be read, as a log with or without a prompt."""
        return any(self.prompt(log) is not None for log in logs)

    def is_in_all(self, group: Group) -> bool:
        """Return True if each version has a log of a case."""
        return len(group.versions) == self.versions

    def has_goldens(self, logs: Iterable[Log]) -> bool:
        """Return True if some logs are approved: their paths name their cases."""
        sides = [[log.path for log in side] for side in gathered(logs, version)]
        return are_approved(sides, self.versions)


def by_path_and_prompt(logs: list[Log], known: Known) -> list[Group]:
    """Return the cases of logs by the rules at the top of this module."""
    groups = [Group(alike, folder(alike[0])) for alike in _whole_folders(logs, known)]
    taken = {log for group in groups for log in group.logs}
    families = gathered((log for log in logs if log not in taken), _shape)
    numbered = [*filter(are_several, families)]
    known.read(log for family in numbered for log in _sample_of(family))
    known.read(log for each in numbered if _may_be_runs(each, known) for log in each)
    several = Counter(_shape(family[0])[:-1] for family in numbered)
    for family in families:
        *above, name = _shape(family[0])
        is_one_of_several = name != "" and several[tuple(above)] > 1
        groups += _of_family(family, known, is_one_of_several)
    groups = _reunited(groups, known, lambda group: common_folder(group.stems))
    return _reunited(groups, known, lambda _: "")


def _shape(log: Log) -> tuple[str, ...]:
    return masked(log.stem)


def _whole_folders(logs: list[Log], known: Known) -> list[list[Log]]:
    """Return the logs of each folder below the top that is a case.

    Where folders that differ in a number have one prompt and the same logs, as have
    `run-1/tax`, `run-1/fee`, `run-2/tax` and `run-2/fee`, each holds a run of all.
    """
    below = gathered((log for log in logs if folder(log)), folder)
    found = [*filter(are_several, below)]
    # Most folders that hold several cases show it at once.
    for chosen_of in (_ends_of, _sample_of):
        known.read(log for alike in found for log in chosen_of(alike))
        # No version of a case has logs of two prompts.
        found = [
            alike
            for alike in found
            if all(
                len(known.prompts_of(side)) <= 1
                for side in gathered(chosen_of(alike), version)
            )
        ]
    found = [alike for alike in found if known.prompts_of(_sample_of(alike))]
    known.read(log for alike in found for log in alike)
    found = [alike for alike in found if _is_case(alike, known)]
    shapes = [
        (frozenset(map(_shape, alike)), frozenset(known.prompts_of(alike)))
        for alike in found
    ]
    times = Counter(shapes)
    return [
        alike
        for alike, shape in zip(found, shapes, strict=True)
        if len(shape[0]) == 1 or times[shape] == 1
    ]


def _ends_of(logs: list[Log]) -> list[Log]:
    """Return the first and the last log of a version that has several."""
    side = next(filter(are_several, gathered(logs, version)), logs)
    return [side[0], side[-1]]


def _is_case(logs: list[Log], known: Known) -> bool:
    """Return True if all logs of a folder are runs of one case, with one prompt.

    Versions may differ in it where none of their paths is the same.
    """
    read = [known.prompt_of(files) is not None for files in gathered(logs, stem)]
    if sum(read) <= 1 or known.has_goldens(logs):
        return False
    sides = gathered(logs, version)
    if _have_one([*map(known.prompt, side)] for side in sides):
        return True
    paths = [path for side in sides for path in {log.stem for log in side}]
    return len({*paths}) == len(paths) and all(
        are_several(side) and _have_one([map(known.prompt, side)]) for side in sides
    )


def _may_be_runs(family: list[Log], known: Known) -> bool:
    """Return True if logs whose paths differ in numbers may have common prompts.

    If each path in a sample of many has prompts of its own, the numbers are those of
    tasks.
    """
    sample = _sample_of(family)
    each_path = gathered(sample, stem)
    prompts = [prompt for files in each_path for prompt in known.prompts_of(files)]
    is_whole = len(sample) == len(family)
    return bool(prompts) and (is_whole or len({*prompts}) < len(prompts))


def _of_family(family: list[Log], known: Known, is_one_of_several: bool) -> list[Group]:
    """Return the cases of logs whose paths differ only in numbers.

    Where no log has a prompt, a name that is one of several in a folder is the case.
    """
    if not are_several(family) or known.has_goldens(family):
        return by_path(family)
    if _may_be_runs(family, known):
        groups = with_edited_prompts(of_each_prompt(family, known), known)
        if len(groups) == 1 or _have_one_name(groups, known):
            groups = [Group(family, is_by_name=True)]
        return groups
    is_silent = not known.prompts_of(family) and known.has_logs(family)
    if is_silent and is_one_of_several and len(_sample_of(family)) == len(family):
        return [Group(family, is_by_name=True)]
    return by_path(family)


def _have_one_name(groups: list[Group], known: Known) -> bool:
    """Return True if the runs of each version have one prompt, which differs.

    Then only their name shows that they are one case.
    """
    are_runs = all(len(group.stems) > 1 for group in groups)
    return are_runs and _are_apart(groups) and not any(map(known.is_in_all, groups))


def _reunited(
    groups: list[Group], known: Known, scope: Callable[[Group], str]
) -> list[Group]:
    """Return groups; those of one prompt that lack a partner of their path are one.

    `scope` says where groups belong together: in a folder, or in all of them.
    """
    loose = [group for group in groups if not known.is_in_all(group)]
    sides = {frozenset(group.versions) for group in loose}
    if not any(a.isdisjoint(b) for a, b in itertools.combinations(sides, 2)):
        return groups
    known.read(log for group in loose for log in group.logs)
    alike: dict[tuple[str, str], list[Group]] = {}
    for group in loose:
        if len(own := known.prompts_of(group.logs)) == 1:
            alike.setdefault((scope(group), min(own)), []).append(group)
    sharing = {scope(group) for group in groups if shares_path(group)}
    found = [
        (prompt, each)
        for (where, prompt), each in alike.items()
        if len(each) > 1 and _belong(each, known, where not in sharing)
    ]
    # A prompt of a case that all versions have does not separate the other cases.
    shared = [group.logs[0] for group in groups if found and known.is_in_all(group)]
    known.read(shared)
    prompts = known.prompts_of(shared)
    merged = [each for prompt, each in found if prompt not in prompts]
    gone = {id(group) for each in merged for group in each}
    rest = [group for group in groups if id(group) not in gone]
    return sorted([*rest, *map(_one_of, merged)], key=lambda group: group.logs)


def shares_path(group: Group) -> bool:
    """Return True if two versions have a log of the same path."""
    return len({log[:2] for log in group.logs}) > len(group.stems)


def _belong(groups: list[Group], known: Known, shares_none: bool) -> bool:
    """Return True if groups of one prompt, each missing in a version, are one case.

    If versions share no path at all, those that only one version has are as well. A
    golden is of the case that its path names.
    """
    if any(known.has_goldens(group.logs) for group in groups):
        return False
    versions = {at for group in groups for at in group.versions}
    is_alone = all(len(group.versions) == 1 for group in groups)
    return _are_apart(groups) or (is_alone and (shares_none or len(versions) > 1))


def version(log: Log) -> int:
    """Return the version of a log."""
    return log.version


def stem(log: Log) -> str:
    """Return the path of a log without its suffix."""
    return log.stem


def folder(log: Log) -> str:
    """Return the folder of a log in that of its version; "" for none."""
    return parent_of(log.stem)


def gathered(logs: Iterable[Log], key: Callable[[Log], Hashable]) -> list[list[Log]]:
    """Return the logs of each key, in the order of the first of each."""
    found: dict[Hashable, list[Log]] = {}
    for log in logs:
        found.setdefault(key(log), []).append(log)
    return [*found.values()]


def by_path(logs: Iterable[Log]) -> list[Group]:
    """Return the logs of each path as a group."""
    return [Group(alike) for alike in gathered(logs, stem)]


def are_several(logs: Iterable[Log]) -> bool:
    """Return True if logs have several paths."""
    return len({log.stem for log in logs}) > 1


def _sample_of(logs: list[Log]) -> list[Log]:
    """Return the logs of some of many paths, as a sample; all of few."""
    stems = sorted({log.stem for log in logs})
    if len(stems) > _SAMPLE + _NEXT:
        # The same paths are drawn whenever the same logs are compared.
        stems = sorted({*random.Random(0).sample(stems, _SAMPLE), *stems[:_NEXT]})
    chosen = {*stems}
    return [log for log in logs if log.stem in chosen]


def _have_one(sides: Iterable[Iterable[str | None]]) -> bool:
    """Return True if all logs that can be read have one prompt.

    A run that was cut or refused at its start has none, which does not matter where
    several others of a version have one. Elsewhere, logs without prompts may be of any
    case.
    """
    known = [[prompt for prompt in side if prompt is not None] for side in sides]
    found = {prompt for side in known for prompt in side}
    is_mostly_known = (
        len(prompts) - prompts.count("") > max(1, prompts.count(""))
        for prompts in known
    )
    return len(found - {""}) == 1 and ("" not in found or any(is_mostly_known))


def of_each_prompt(logs: list[Log], known: Known) -> list[Group]:
    """Return the logs of each prompt as a group.

    A log without a prompt joins the only group, or else the one that has its path.
    """
    by_prompt: dict[str, list[Log]] = {}
    of_stem: dict[str, set[str]] = {}
    silent = []
    for files in gathered(logs, lambda log: log[:2]):
        if prompt := known.prompt_of(files):
            by_prompt.setdefault(prompt, []).extend(files)
            of_stem.setdefault(files[0].stem, set()).add(prompt)
        else:
            silent.append(files)
    is_one = _have_one(map(known.prompt, side) for side in gathered(logs, version))
    rest: list[Log] = []
    for files in silent:
        joins = {*by_prompt} if is_one else of_stem.get(files[0].stem, set())
        (by_prompt[min(joins)] if len(joins) == 1 else rest).extend(files)
    return [*(Group(sorted(alike)) for alike in by_prompt.values()), *by_path(rest)]


def with_edited_prompts(groups: list[Group], known: Known) -> list[Group]:
    """Return groups of several prompts, those of the same paths as one.

    So a case whose prompt was edited from one version to the next stays one.
    """
    holders: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        for path in () if known.is_in_all(group) else group.stems:
            holders.setdefault(path, []).append(at)
    pairs = Counter(
        pair for found in holders.values() for pair in itertools.combinations(found, 2)
    )
    root, members = [*range(len(groups))], {at: [at] for at in range(len(groups))}
    versions = {at: group.versions for at, group in enumerate(groups)}
    for pair in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        one, other = root[pair[0]], root[pair[1]]
        if one != other and versions[one].isdisjoint(versions[other]):
            versions[one] |= versions[other]
            for at in members[other]:
                root[at] = one
            members[one] += members.pop(other)
    return [_one_of([groups[at] for at in each]) for each in members.values()]


def _are_apart(groups: Iterable[Group]) -> bool:
    """Return True if no version has logs of two groups."""
    versions = [each for group in groups for each in group.versions]
    return len({*versions}) == len(versions)


def _one_of(groups: list[Group]) -> Group:
    """Return the logs of groups as one case."""
    if len(groups) == 1:
        return groups[0]
    logs = sorted(log for group in groups for log in group.logs)
    folders = {group.folder for group in groups}
    return Group(logs, folders.pop() if len(folders) == 1 else "")
