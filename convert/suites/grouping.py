"""The logs of several versions as cases, each with its name."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.approved.goldens import first_of, further_goldens
from convert.errors import InputError, nearest
from convert.suites.grouping_rules import (
    Group,
    Known,
    Log,
    are_several,
    by_path,
    by_path_and_prompt,
    folder,
    gathered,
    of_each_prompt,
    shares_path,
    version,
    with_edited_prompts,
)
from convert.suites.logs import (
    SEPARATORS,
    Folder,
    Prompts,
    bare,
    common_folder,
    masked,
    with_marks,
)
from convert.suites.suite_result import Suite
from convert.wording import compiled
from convert.wording.escapes import one_line, truncate
from convert.wording.numbers import count
from convert.wording.paths import spelled, stem_of

PairBy = Literal["auto", "path", "prompt"]


class Case(Struct, frozen=True):
    """The logs of one task, by their paths."""

    name: str
    """The name of the task, as reports spell it; no other case has it."""

    sides: tuple[tuple[str, ...], ...]
    """Its logs in each version; none in one that lacks it, several of repeated runs."""

    is_repeated: bool = False
    """Its logs are runs; otherwise, only one file of a version may be a log."""

    trouble: str = ""
    """The message about why it cannot be compared; "" if nothing prevents it so far."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its logs."""
        return tuple(itertools.chain.from_iterable(self.sides))


class Grouped(Struct):
    """The cases of several folders."""

    cases: list[Case]
    """In the order of their names."""

    note: str = ""
    """How logs were grouped, on one line, where that is a guess; "" otherwise."""


def cases_of(
    folders: Sequence[Folder],
    pair_by: PairBy,
    repeat: bool | None,
    prompts: Prompts,
    option: str = "--pair-by path",
) -> Grouped:
    """Return the cases of two folders or more.

    With `repeat`, the logs of a folder that have one prompt are runs of one case; if it
    is off, each path is a case; None chooses by the logs. `option` is the one that
    makes each path a case, for the note.
    """
    logs, known = _logs_of(folders, pair_by), Known(prompts, len(folders))
    is_guess = pair_by == "auto" and repeat is None
    if pair_by == "prompt":
        groups = _by_prompt(logs, known, repeat)
    elif repeat:
        groups = _by_folder(logs, known)
    else:
        groups = by_path_and_prompt(logs, known) if is_guess else by_path(logs)
    names = case_names(groups, known, prompts, pair_by == "prompt")
    cases = [
        Case(
            name,
            tuple(
                tuple(log.path for log in group.logs if log.version == at)
                for at in range(len(folders))
            ),
            group.is_repeated or group.has_runs,
            group.trouble,
        )
        for group, name in zip(groups, names, strict=True)
    ]
    cases = sorted(_in_unreadable(cases, folders), key=lambda case: case.name)
    return Grouped(cases, _note(groups, option) if is_guess else "")


def check_found(
    suite: Suite, folders: Sequence[Folder], others: Sequence[str], pair_by: PairBy
) -> None:
    """Raise InputError if a folder has no logs, or none that belongs to another.

    `others` are the files that are no logs. Trouble says more than that.
    """
    if any(case.fate == "trouble" for case in suite.cases):
        return
    found = [
        [case for case in suite.cases if case.sides[at].logs]
        for at in range(len(folders))
    ]
    for each, cases in zip(folders, found, strict=True):
        if not cases:
            files = [path for path in others if path in each.logs]
            skipped = f"; {count(len(files), 'other file')} skipped" if files else ""
            advice = "check the folder, and --glob if it is used"
            raise InputError(f"{each.path}: no logs found{skipped}; {advice}")
    for at, cases in enumerate(found):
        if all(sum(bool(side.logs) for side in case.sides) == 1 for case in cases):
            has_two = len(folders) == 2
            theirs = folders[1].path if has_two else "another folder"
            names = [[case.name for case in found[side]] for side in (0, at or 1)]
            raise InputError(
                f"no log of {folders[at].path} belongs to one of {theirs}:"
                f" {_advice(names[0], names[1], pair_by)}"
            )


def _advice(missing: list[str], new: list[str], pair_by: PairBy) -> str:
    """Return advice about folders without any pair, with the nearest names."""
    if pair_by == "prompt":
        return "no prompt is the same; choose another --pair-by"
    pairs = ((name, nearest(name, new)) for name in missing)
    name, near = next((pair for pair in pairs if pair[1]), (missing[0], new[0]))
    if "." in (name, near):
        return "do without --repeat, or put the logs into folders of the same names"
    if first_of(f"{name}.json") == f"{near}.json":
        # It lacks its first golden.
        return f"rename {name} to {near}"
    if pair_by == "path":
        return f"rename logs, as {near} to {name}, or choose --pair-by prompt"
    return f"neither path nor prompt is the same; rename logs, as {near} to {name}"


def _logs_of(folders: Sequence[Folder], pair_by: PairBy) -> list[Log]:
    """Return the logs of all versions; a further golden of the first is with its own.

    So any of several goldens may be matched.
    """
    first, *others = folders
    further: dict[str, str] = {}
    if pair_by != "prompt":
        inside = [inside for other in others for inside in other.logs.values()]
        further = further_goldens(first.logs, inside)
    return sorted(
        Log(stem_of(further.get(path, inside)), at, path)
        for at, each in enumerate(folders)
        for path, inside in each.logs.items()
    )


def _in_unreadable(cases: list[Case], folders: Sequence[Folder]) -> list[Case]:
    """Return cases with the trouble that a folder inside a version cannot be read."""
    inside = {path: place for each in folders for path, place in each.logs.items()}
    for at, each in enumerate(folders):
        for failed, message in each.failures.items():
            above = f"{failed}/" if failed else ""
            hidden = [
                place
                for place, case in enumerate(cases)
                if not case.sides[at]
                and any(spelled(inside[path]).startswith(above) for path in case.paths)
            ]
            for place in hidden:
                cases[place] = replace(cases[place], trouble=message)
            if not hidden:
                none = ((),) * len(folders)
                cases = [*cases, Case(failed or ".", none, trouble=message)]
    return cases


def _by_prompt(logs: list[Log], known: Known, repeat: bool | None) -> list[Group]:
    """Return the logs of each prompt; with `repeat` off, the first of each version."""
    known.read(logs)
    groups = []
    for alike in gathered(logs, known.prompt):
        prompt = known.prompt(alike[0])
        if prompt is None:
            # A file that cannot be read.
            groups += [Group([log]) for log in alike]
        elif not prompt:
            why = "records no prompt; pair by path, without --pair-by prompt"
            groups += [
                Group([log], trouble=f"{spelled(log.path)}: {why}") for log in alike
            ]
        elif repeat is False:
            rows = itertools.zip_longest(*gathered(alike, version))
            groups += [Group([*filter(None, row)]) for row in rows]
        else:
            groups.append(Group(alike, is_repeated=True))
    return groups


def _by_folder(logs: list[Log], known: Known) -> list[Group]:
    """Return the logs of each folder, by their prompts if it has several."""
    groups = []
    for alike in gathered(logs, folder):
        if are_several(alike):
            known.read(alike)
        found = [Group(alike, folder(alike[0]) or ".")]
        if len(known.prompts_of(alike)) > 1:
            found = with_edited_prompts(of_each_prompt(alike, known), known)
        for group in found:
            group.is_repeated = True
        groups += found
    return groups


def _note(groups: list[Group], option: str) -> str:
    """Return how logs were grouped, and the option that groups them otherwise."""
    runs = [group for group in groups if group.has_runs and not _is_sure(group)]
    others = (group for group in groups if not (group.has_runs or group.folder))
    pairs = sum(len(group.stems) > 1 for group in others)
    parts = []
    if runs:
        ways = {"name" if group.is_by_name else "prompt" for group in runs}
        logs = count(sum(len(group.logs) for group in runs), "log")
        how = " and ".join(sorted(ways, reverse=True))
        parts.append(f"{logs} grouped into {count(len(runs), 'case')} by {how}")
    if pairs:
        parts.append(f"{count(pairs, 'case')} paired by prompt")
    return f"{', '.join(parts)}; {option} makes each path a case" if parts else ""


def _is_sure(group: Group) -> bool:
    """Return True if a folder is a case, and no name of a log could be a case."""
    shapes = {masked(path) for path in group.stems}
    return group.folder != "" and (len(shapes) == 1 or not shares_path(group))


_LONGEST_PROMPT = 80
# A mark in a name; one of the separators around it stays.
_INSIDE = r"([-_.,:+@~ ]?)#([-_.,:+@~ ]?)"


def case_names(
    groups: Sequence[Group], known: Known, prompts: Prompts, by_prompt: bool
) -> list[str]:
    """Return a name for each case, no two of them alike.

    The first way that names one case only is taken: the path of its logs, the
    folder, the beginning of their names, and the prompt.
    """
    names: dict[int, str] = {}
    for way in () if by_prompt else _WAYS:
        proposed = {
            at: spelled(way(group))
            for at, group in enumerate(groups)
            if at not in names
        }
        times = Counter([*names.values(), *proposed.values()])
        names |= {at: name for at, name in proposed.items() if name and times[name] < 2}
    rest = [at for at in range(len(groups)) if at not in names]
    shown = _shown_prompts([groups[at].logs for at in rest], known, prompts)
    taken = {*names.values()}
    for name, at in sorted(zip(shown, rest, strict=True)):
        numbered = (f"{name} ({number})" for number in itertools.count(2))
        unlike = itertools.chain([name], numbered)
        names[at] = next(each for each in unlike if each not in taken)
        taken.add(names[at])
    return [names[at] for at in range(len(groups))]


def _shown_prompts(cases: list[list[Log]], known: Known, prompts: Prompts) -> list[str]:
    """Return the prompt of each case, shortened; the path of a log without any.

    A prompt that cannot be redacted is the path of a log as well.
    """
    first = [min(known.prompts_of(logs), default="") for logs in cases]
    shown: dict[str, str | None] = dict(zip(first, first, strict=True))
    if prompts.redacted is not None:
        paths: dict[str, list[str]] = {}
        for prompt, logs in zip(first, cases, strict=True):
            if prompt:
                found = [log.path for log in logs if known.prompt(log) == prompt]
                paths.setdefault(prompt, []).extend(found)
        groups = [tuple(group) for group in paths.values()]
        redacted = prompts.redacted(groups)
        for group, prompt, text in zip(groups, paths, redacted, strict=True):
            shown[prompt] = text or group[0]
    return [
        truncate(one_line(shown[prompt] or logs[0].stem), _LONGEST_PROMPT)
        for prompt, logs in zip(first, cases, strict=True)
    ]


def _in_common(stems: set[str], is_bare: bool, keeps_folders: bool = False) -> str:
    """Return the common beginning of each part of some paths.

    Bare, it has no numbers at its ends. It has no folders whose names differ, or keeps
    their common beginning.
    """
    parts = [stem.split("/") for stem in stems]
    if len({*map(len, parts)}) > 1:
        parts = [[each[-1]] for each in parts]
    *folders, last = zip(*parts, strict=True)
    kept = [_beginning(names, is_bare=True) for names in folders]
    if not keeps_folders:
        kept = [names[0] if len({*names}) == 1 else "" for names in folders]
    return "/".join(filter(None, [*kept, _beginning(last, is_bare)]))


def _beginning(names: Sequence[str], is_bare: bool) -> str:
    """Return the words with which all names begin."""
    if len({*names}) == 1:
        return names[0]
    shown = [*map(with_marks, names)] if is_bare else [*names]
    pairs = zip(min(shown), max(shown), strict=False)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    begin = "".join(one for one, _ in alike)
    if any(name[len(begin) :][:1].isalnum() for name in shown):
        # No name has half a word.
        begin = compiled(r"[^\W_]+\Z").sub("", begin)
    if not is_bare:
        return begin.strip(SEPARATORS)
    begin = bare(begin)
    if any("#" in name for name in names):
        return begin
    return compiled(_INSIDE).sub(lambda mark: mark[1] or mark[2], begin)


_WAYS: tuple[Callable[[Group], str], ...] = (
    lambda case: case.logs[0].stem if len(case.stems) == 1 and not case.folder else "",
    lambda case: case.folder,
    lambda case: f"{case.folder}/" if case.folder else "",
    # The words that all names have in common, without numbers and with them.
    lambda case: _in_common(case.stems, is_bare=True),
    lambda case: _in_common(case.stems, is_bare=False),
    lambda case: _in_common(case.stems, is_bare=True, keeps_folders=True),
    lambda case: common_folder(case.stems),
)
