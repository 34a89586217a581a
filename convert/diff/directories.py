"""The directories of a run, and how its strings lose them.

No two machines have the same directories. The one of the run becomes `.`, or nothing
before a further path; its home becomes `~`. Other people's homes stay.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

from msgspec import Struct

from convert.wording.compiled import compiled
from convert.wording.paths import HOME, NAME

# Characters that cannot be next to a path; with them it is part of another one.
BEFORE = r"(?<![\w.~\-+@*})])"
AFTER = r"(?![\w~\-+@]|\.[\w~\-+@])"
# The start of a further component, after a slash.
_FURTHER = r"(?=[^\s\"'`,;:|&<>)\]}./\\]|\.(?:\.|[^\s\"'`,;:|&<>)\]}/\\]))"
# A path may follow the host of a URL: `vscode://file/home/dev/shop`.
_AFTER_HOST = r"(?:(?<=://file)|(?<=://localhost))"
_REST = r"(?P<rest>[^\s\"'`,;:|&<>)\]}=]*)"
_DRIVE = (
    rf"{BEFORE}(?P<drive>[A-Za-z]):"
    r"(?P<rest>(?:\\{1,2}|/)[^\s\"'`,;:|&<>)\]}=]*)"
)
_BACKSLASHES = r"\\{1,2}"
# The folder in which the agent keeps the terminals and transcripts of a project.
_AGENT = (
    rf"{BEFORE}(?:~|/[^\s\"'`:;,]{{0,400}}?|[A-Za-z]:[^\s\"'`:;,]{{0,400}}?)"
    rf"[/\\]\.cursor[/\\]projects[/\\]{NAME}"
)
# Names of one directory on macOS, and the directories for temporary files there and
# on Windows, whose names hold a number or the user.
_PRIVATE = rf"{BEFORE}/private(?=/(?:tmp|var)(?:/|{AFTER}))"
_TEMPORARY = (
    rf"{BEFORE}(?:/var/folders/{NAME}/{NAME}/T"
    rf"|(?:~|[A-Za-z]:[/\\]Users[/\\]{NAME})[/\\]AppData[/\\]Local[/\\]Temp)"
    rf"(?:(?P<path>[/\\]){_REST}|{AFTER})"
)


class _Replaced(Struct, frozen=True):
    """A directory and the pattern that finds it in a text."""

    rule: str
    """The rule that replaces it."""

    directory: str
    """The directory as the log records it."""

    spelling: str
    """The directory as strings may hold it."""

    hint: str
    """A text without which none of them holds it."""

    is_windows: bool
    """The directory is one of Windows."""

    below: str
    """The text that replaces the directory before a further path."""

    alone: str
    """The text that replaces the directory elsewhere."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the directory with the slashes after it."""
        return _inside(self.spelling, self.is_windows)


class Directories:
    """The directory in which a run worked, and its home if that is around it.

    `directory` is "" where the log records none. `used` holds each directory that was
    replaced in some string, by the rule that replaced it.
    """

    def __init__(self, directory: str) -> None:
        directory = directory.rstrip("/\\")
        if directory.startswith("/private/"):
            directory = compiled(_PRIVATE).sub("", directory)
        self._directory = directory
        self.is_windows = directory[1:2] == ":"
        self.used: dict[str, str] = {}

    def without(self, text: str, hits: Counter[str]) -> str:
        """Return a text without the directories of the run; `hits` counts them."""
        text = self.without_own(text, hits)
        if self.is_windows and ":" in text:
            text = _counted("path", _with_drives(text), hits)
        if ".cursor" in text:
            text = self._without_agent(text, hits)
        if "/private/" in text:
            text = _counted("tmp", compiled(_PRIVATE).subn("", text), hits)
        if "/var/folders/" in text or "AppData" in text:
            text = _counted("tmp", compiled(_TEMPORARY).subn(_in_tmp, text), hits)
        return text

    def without_own(self, text: str, hits: Counter[str]) -> str:
        """Return a text without the directory of the run and its home."""
        for replaced in self._replaced:
            if replaced.hint not in text:
                continue
            found = replaced.pattern.subn(_replacement(replaced), text)
            if found[1]:
                self.used.setdefault(replaced.rule, self._shown(replaced.directory))
            text = _counted(replaced.rule, found, hits)
        return text

    def may_be_in(self, text: str) -> bool:
        """Return False if a text holds no directory that `without_own` replaces."""
        return any(replaced.hint in text for replaced in self._replaced)

    def _shown(self, directory: str) -> str:
        """Return a directory in one spelling."""
        return _with_drives(directory)[0] if self.is_windows else directory

    def _without_agent(self, text: str, hits: Counter[str]) -> str:
        match = compiled(_AGENT).search(text)
        if match is None:
            return text
        self.used.setdefault("agent", match[0])
        found = compiled(_AGENT).subn("~/.cursor/projects/<project>", text)
        return _counted("agent", found, hits)

    @functools.cached_property
    def _replaced(self) -> list[_Replaced]:
        # Compiled on first use: a log of many runs may not need them.
        return list(self._patterns())

    def _patterns(self) -> Iterator[_Replaced]:
        # The root of a disk is not removed.
        if not self._directory or (self.is_windows and len(self._directory) == 2):
            return
        named = [("cwd", self._directory, "", ".")]
        if home := compiled(HOME).match(self._directory):
            named.append(("home", home[0], "~/", "~"))
        for rule, directory, below, alone in named:
            # Some systems decompose the letters of paths, and the rules compose them.
            spellings = {directory, unicodedata.normalize("NFC", directory)}
            for spelling in sorted(spellings):
                found = directory, spelling, _hint(spelling), self.is_windows
                yield _Replaced(rule, *found, below, alone)


@functools.lru_cache(64)
def _inside(directory: str, is_windows: bool) -> re.Pattern[str]:
    """Return a pattern for a directory as a path, with the slashes after it.

    The rest of a further path is matched on Windows alone, where its slashes vary.
    """
    slash, rest = (r"(?:\\{1,2}|/)", _REST) if is_windows else ("/", "(?P<rest>)")
    return re.compile(
        rf"(?:{BEFORE}|{_AFTER_HOST}){_spelled(directory, is_windows)}"
        rf"(?:(?P<path>{slash}(?:\.?{slash})*{_FURTHER}){rest}"
        rf"|{slash}+(?:\.(?:{slash}+|(?![\w.~\-+@])))*|{AFTER})"
    )


def _spelled(directory: str, is_windows: bool) -> str:
    """Return a pattern for all spellings of a directory.

    A blank may be escaped, as in a shell or a URL. `/private` comes and goes on macOS.
    On Windows either slash will do, and the case of the drive letter is nothing.
    """
    names = [
        re.escape(name).replace(r"\ ", r"(?: |\\ |%20)")
        for name in re.split(r"[/\\]" if is_windows else "/", directory)
    ]
    if is_windows:
        # In a URL a slash comes before the drive.
        drive = f"[{directory[0].lower()}{directory[0].upper()}]:"
        names[0] = rf"(?:(?<=://)/)?{drive}"
        return r"(?:\\{1,2}|/)".join(names)
    is_private = names[:2] in (["", "tmp"], ["", "var"])
    return ("(?:/private)?" if is_private else "") + "/".join(names)


def _hint(directory: str) -> str:
    """Return a text that every spelling of a directory holds: the end of its name."""
    last = re.split(r"[/\\]", directory)[-1]
    match = re.match(r"[\w.\-]*", last, re.ASCII)
    return match[0] if match else ""


def _replacement(replaced: _Replaced) -> Callable[[re.Match[str]], str]:
    def replacement(match: re.Match[str]) -> str:
        if not match["path"]:
            return replaced.alone
        return replaced.below + compiled(_BACKSLASHES).sub("/", match["rest"])

    return replacement


def _with_drives(text: str) -> tuple[str, int]:
    """Return a text whose paths of Windows have one spelling, and the changes."""
    changes = 0

    def spell(match: re.Match[str]) -> str:
        nonlocal changes
        rest = compiled(_BACKSLASHES).sub("/", match["rest"])
        spelled = f"{match['drive'].upper()}:{rest}"
        changes += spelled != match[0]
        return spelled

    return compiled(_DRIVE).sub(spell, text), changes


def _in_tmp(match: re.Match[str]) -> str:
    if not match["path"]:
        return "/tmp"
    rest = match["rest"]
    return "/tmp/" + (rest.replace("\\", "/") if match["path"] == "\\" else rest)


def _counted(rule: str, found: tuple[str, int], hits: Counter[str]) -> str:
    text, count = found
    if count:
        hits[rule] += count
    return text
