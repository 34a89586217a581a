"""The logs of versions: their files, names and prompts.

Paths without numbers, and prompts without times, say which logs are of one case.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.noise import Normaliser
from convert.errors import ignore
from convert.model.events import Needs, Prompt, Start
from convert.options.conversion import Reading
from convert.options.settings import Settings
from convert.pipeline import Log, events_of
from convert.source.globs import Globs
from convert.source.places import Walk
from convert.suites.behaviour.varying_values import without_times
from convert.wording import compiled
from convert.wording.paths import base_name, is_url, joined, shown, spelled


class Folder(Struct, frozen=True):
    """A folder of logs, and files that may be logs."""

    path: str

    logs: dict[str, str]
    """Their paths inside the folder, with slashes, by those that open them."""

    links: list[str]
    """The links in it, which are skipped."""

    specials: list[str]
    """The pipes, sockets and devices in it, which are skipped."""

    failures: dict[str, str]
    """The messages about folders that cannot be read, by their paths inside."""

    in_other: int = 0
    """How many files are in the folder of the other side, and count there only."""

    def without(self, paths: Collection[str]) -> Folder:
        """Return the folder without some of its files."""
        logs = {path: inside for path, inside in self.logs.items() if path not in paths}
        return replace(self, logs=logs)


def folders_of(paths: Sequence[str], globs: Globs) -> list[Folder]:
    """Return the folders of versions with the files that globs choose.

    A folder inside the other one of two counts for its own side only.
    """
    others = [*reversed(paths)] if len(paths) == 2 else [""] * len(paths)
    return [folder_of(*each, globs) for each in zip(paths, others, strict=True)]


def folder_of(path: str, other: str, globs: Globs) -> Folder:
    """Return the folder of one side with the files that globs choose."""
    walk = Walk(other)
    logs = {
        joined(path, *parts): "/".join(parts)
        for parts in sorted(walk.files(path))
        if globs.choose("/".join(parts))
    }
    failures = {
        _inside(failed, path): f"cannot read the folder {spelled(failed)}: {why}"
        for failed, why in walk.failures.items()
    }
    links, specials = sorted(walk.links), sorted(walk.specials)
    return Folder(path, logs, links, specials, failures, walk.left_out)


def version_names(folders: Sequence[str]) -> tuple[str, ...]:
    """Return the names of versions: the last parts of their paths, if these differ."""
    names = [
        base_name(folder if is_url(folder) else os.path.abspath(folder))
        for folder in folders
    ]
    whole = (
        shown(folder).rstrip("/")
        if is_url(folder)
        else os.path.normpath(folder).replace(os.sep, "/")
        for folder in folders
    )
    times = Counter(names)
    return tuple(
        spelled(name if times[name] == 1 else path)
        for name, path in zip(names, whole, strict=True)
    )


def _inside(path: str, folder: str) -> str:
    if is_url(path):
        return ""
    inside = os.path.relpath(path, folder).replace(os.sep, "/")
    return "" if inside == "." else spelled(inside)


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
SEPARATORS = " -_.,:+@~()[]"


def masked(stem: str) -> tuple[str, ...]:
    """Return the parts of a path without suffix, and without those that differ by run.

    Logs of the same parts may be runs of one case.
    """
    return tuple(bare(with_marks(part)) for part in stem.split("/"))


def parent_of(inside: str) -> str:
    """Return the folder of a path inside another; "" for none."""
    return inside.rpartition("/")[0]


def common_folder(stems: Iterable[str]) -> str:
    """Return the folder of logs that have the same one; "" for none."""
    folders = {parent_of(stem) for stem in stems}
    return folders.pop() if len(folders) == 1 else ""


def with_marks(name: str) -> str:
    """Return a name with a mark for each number."""
    return compiled(_TOGETHER).sub("#", compiled(_NUMBERS).sub("#", name))


def bare(name: str) -> str:
    """Return a name with marks without those at its ends."""
    return name.strip(f"#{SEPARATORS}")


# Logs that have one prompt, by their paths.
SamePrompt = tuple[str, ...]


class Prompts(NamedTuple):
    """How to get the prompts of logs."""

    of: Callable[[list[str]], Mapping[str, str | None]]
    """Returns the prompts of logs by their paths, as they are.

    None is for one that cannot be read, which shows when it is compared.
    """

    redacted: Callable[[list[SamePrompt]], list[str | None]] | None
    """Returns the prompt of each group of logs as it is shown; None to show all."""


_NEEDS = Needs(text=True, figures=True)


def first_prompt(log: Log, format: str, reading: Reading, settings: Settings) -> str:
    """Return the first prompt of a log after the rules for noise; "" for none.

    A log is read up to there. Raises RunconvError for one that cannot be read.
    """
    directory = ""
    for event in events_of(log, format, _NEEDS, reading, ignore):
        if isinstance(event, Start) and event.directory:
            directory = event.directory
        if isinstance(event, Prompt) and event.text.strip():
            text = Normaliser(settings, directory).prose(event.text)
            return text if settings.raw else without_times(text)
    return ""
