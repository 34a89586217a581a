"""The names of cases: the common part of the paths of their logs, or the prompt."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from convert.suite.prompts import Prompts
from convert.wording.compiled import compiled
from convert.wording.paths import spelled
from convert.wording.sanitise import one_line, truncate

if TYPE_CHECKING:
    from convert.suite.log_groups import Group, Known, Log

_LONGEST_PROMPT = 80
# The parts that differ between the names of runs: a uuid, an id that mixes letters and
# digits, a hash, a short hexadecimal number, and any other number.
_WORD, _END = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
_NUMBERS = (
    rf"{_WORD}[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}{_END}"
    rf"|{_WORD}(?=[0-9A-Za-z]*[0-9][A-Za-z]*[0-9])[0-9A-Za-z]{{12,}}{_END}"
    rf"|{_WORD}(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{{7,}}{_END}"
    rf"|{_WORD}[0-9a-fA-F]*[0-9][a-fA-F][0-9a-fA-F]*{_END}"
    r"|[0-9]+"
)
# The numbers of a date and a time are one.
_TOGETHER = r"#(?:[-_.:T ]*#)*"
_SEPARATORS = " -_.,:+@~()[]"
# A mark in a name, of which one of the separators around it stays.
_INSIDE = r"([-_.,:+@~ ]?)#([-_.,:+@~ ]?)"


def masked(stem: str) -> tuple[str, ...]:
    """Return the parts of a path without suffix, and without those that differ by run.

    Logs of the same parts may be runs of one case.
    """
    return tuple(_bare(_with_marks(part)) for part in stem.split("/"))


def folder_of(inside: str) -> str:
    """Return the folder of a path inside another; "" for none."""
    return inside.rpartition("/")[0]


def common_folder(stems: Iterable[str]) -> str:
    """Return the folder of logs that have the same one; "" for none."""
    folders = {folder_of(stem) for stem in stems}
    return folders.pop() if len(folders) == 1 else ""


def names_of(
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
        names[at] = _unlike(name, taken)
        taken.add(names[at])
    return [names[at] for at in range(len(groups))]


def _shown_prompts(cases: list[list[Log]], known: Known, prompts: Prompts) -> list[str]:
    """Return the prompt of each case, shortened; the path of a log without any.

    A prompt that cannot be redacted is the path of a log as well.
    """
    first = [min(known.told(logs), default="") for logs in cases]
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


def _unlike(name: str, taken: set[str]) -> str:
    """Return a name, with a number after it if it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found


def _path(case: Group) -> str:
    return case.logs[0].stem if len(case.stems) == 1 and not case.folder else ""


def _own_folder(case: Group) -> str:
    return case.folder


def _own_folder_marked(case: Group) -> str:
    return f"{case.folder}/" if case.folder else ""


def _without_numbers(case: Group) -> str:
    return _in_common(case.stems, is_bare=True)


def _with_numbers(case: Group) -> str:
    return _in_common(case.stems, is_bare=False)


def _with_folders(case: Group) -> str:
    return _in_common(case.stems, is_bare=True, keeps_folders=True)


def _folder(case: Group) -> str:
    return common_folder(case.stems)


_WAYS: tuple[Callable[[Group], str], ...] = (
    _path,
    _own_folder,
    _own_folder_marked,
    _without_numbers,
    _with_numbers,
    _with_folders,
    _folder,
)


def _in_common(stems: set[str], is_bare: bool, keeps_folders: bool = False) -> str:
    """Return what paths have in common, from the left in each part.

    Bare, it has no numbers at its ends. Folders of different names are not in it, or
    with what their names have in common.
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
    shown = [*map(_with_marks, names)] if is_bare else [*names]
    pairs = zip(min(shown), max(shown), strict=False)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
    begin = "".join(one for one, _ in alike)
    if any(name[len(begin) :][:1].isalnum() for name in shown):
        # No name has half a word.
        begin = compiled(r"[^\W_]+\Z").sub("", begin)
    if not is_bare:
        return begin.strip(_SEPARATORS)
    begin = _bare(begin)
    if any("#" in name for name in names):
        return begin
    return compiled(_INSIDE).sub(lambda mark: mark[1] or mark[2], begin)


def _with_marks(name: str) -> str:
    """Return a name with a mark for each number."""
    return compiled(_TOGETHER).sub("#", compiled(_NUMBERS).sub("#", name))


def _bare(name: str) -> str:
    """Return a name with marks without those at its ends."""
    return name.strip(f"#{_SEPARATORS}")
