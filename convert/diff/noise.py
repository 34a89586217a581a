"""The rules that give each string one spelling, and the directories they remove."""

from __future__ import annotations

import functools
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from convert.diff.noise_values import counted, printed
from convert.options.settings import Settings
from convert.wording import compiled
from convert.wording.paths import HOME, NAME

# The number of the rules, which a golden records unless it is 1. A golden is compared
# by the rules that made it: a change of a rule raises the number, and applies only
# where `Normaliser.number` is as high.
NEWEST_RULES = 1
RULES: dict[str, str] = {
    "ansi": "escape sequences of the terminal, which are removed",
    "crlf": "line ends",
    "nfc": "Unicode characters that are composed in different ways",
    "path": "a leading `./`, doubled and trailing slashes of a path",
    "default": "an argument at its default and one that is absent",
    "argument": "arguments that steer or explain a tool, such as its timeout",
    "cwd": "the run's own directory, in every spelling",
    "cd": "a change to that directory before a command",
    "home": "the home directory around it, and `~`",
    "agent": "the folder in which the agent keeps its terminals for a project",
    "tmp": "directories for temporary files, and names that the run was given there",
    "terminal": "the numbers of the agent's terminals",
    "id": "ids that the run made, and numbers of its pull requests",
    "time": "times and dates of the run",
    "hash": "hashes that the run made",
    "port": "ports of this machine that the run was given",
    "process": "numbers of processes that the run started",
    "duration": "durations in outputs",
    "space": "white space in the answer",
}

# Terminal sequences: CSI and OSC (ECMA-48).
_ANSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"


class Normaliser:
    """Applies the rules to the strings of one run, whose directory it removes.

    `number` is that of the rules, which is less than the newest for an older golden.
    `hits` counts how often each rule changed something. A caller that wants to know
    begins anew, and copies it.
    """

    def __init__(self, settings: Settings, directory: str) -> None:
        self.number = settings.rules or NEWEST_RULES
        self._scrubs = [*map(_scrub, settings.scrub)]
        self._is_raw = self._keeps_space = settings.raw
        self.directories = Directories("" if settings.raw else directory)
        self.hits: Counter[str] = Counter()
        # A pattern of --scrub may match more than one line.
        self.works_on_lines = not self._scrubs

    @classmethod
    def of_normalised(cls, settings: Settings, scrubs: tuple[str, ...]) -> Normaliser:
        """Return the rules for strings that were normalised before, with other scrubs.

        Texts keep their lines until they are compared, so white space is still there.
        """
        rules = cls(settings.replace(raw=True, scrub=scrubs), "")
        rules._keeps_space = settings.raw
        return rules

    def begin(self) -> None:
        """Forget the hits in all strings before."""
        if self.hits:
            self.hits = Counter()

    def hits_in(self, text: str) -> Counter[str]:
        """Return how often each rule changes something in a text for people."""
        self.begin()
        self.prose(text)
        return self.hits.copy()

    def text(self, text: str) -> str:
        """Return a string after all rules."""
        return self._scrubbed(self.spelled(text))

    def spelled(self, text: str) -> str:
        """Return a string in one spelling, without directories."""
        if self._is_raw:
            return text
        if "\x1b" in text or "\x9b" in text:
            text = counted("ansi", compiled(_ANSI).subn("", text), self.hits)
        text = self._crlf(text)
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            self.hits["nfc"] += 1
            text = unicodedata.normalize("NFC", text)
        return self.directories.without(text, self.hits)

    def members(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return members by their names without directories.

        If that makes two names equal, all stay as they are recorded.
        """
        if not any("/" in name or "\\" in name for name in members):
            return members
        names = [self.directories.without(name, self.hits) for name in members]
        if len(set(names)) < len(names):
            return members
        return dict(sorted(zip(names, members.values(), strict=True)))

    def content(self, text: str) -> str:
        """Return content of a file after the rules for line ends and directories."""
        if not self._is_raw:
            text = self.directories.without_own(self._crlf(text), self.hits)
        return self._scrubbed(text)

    def leaves(self, text: str) -> bool:
        """Return True if the rules change nothing in a content."""
        if self._is_raw:
            return not self._scrubs
        return not (self._scrubs or self.directories.may_be_in(text) or "\r\n" in text)

    def path(self, text: str) -> str:
        """Return a path after all rules, without redundant slashes and dots."""
        if self._is_raw or not text:
            return self.text(text)
        if self.directories.is_windows:
            text = self._replaced("path", text, text.replace("\\", "/"))
        ruled = self.spelled(text)
        path = compiled("/{2,}").sub("/", ruled)
        path = compiled(r"^(?:\./)+").sub("", path)
        path = (path.rstrip("/") or "/") if path else "."
        return self._scrubbed(self._replaced("path", ruled, path))

    def prose(self, text: str) -> str:
        """Return a text after all rules, with each white space as one space."""
        text = self.spelled(text)
        if not self._keeps_space:
            text = self._replaced("space", text, " ".join(text.split()))
        return self._scrubbed(text)

    def printed(self, text: str) -> str:
        """Return output of a tool after all rules, with marks for values that vary."""
        if not self._is_raw:
            text = printed(self.spelled(text), self.hits)
        return self._scrubbed(text)

    def _crlf(self, text: str) -> str:
        if "\r\n" in text:
            self.hits["crlf"] += text.count("\r\n")
            text = text.replace("\r\n", "\n")
        return text

    def _scrubbed(self, text: str) -> str:
        for name, pattern, replacement in self._scrubs:
            text = counted(name, pattern.subn(replacement, text), self.hits)
        return text

    def _replaced(self, rule: str, text: str, new: str) -> str:
        """Return the new text, and count the rule if it made a difference."""
        if new != text:
            self.hits[rule] += 1
        return new


# Two runs in different directories may write one path alike: that of a file outside one
# of them. No rule makes these paths differ.
def written_alike(
    one: Normaliser, text: str, other: Normaliser, other_text: str
) -> frozenset[str]:
    """Return the paths in both texts that only the rules of one run may change."""
    if one.directories.is_like(other.directories):
        return frozenset()
    paths, other_paths = (
        {*one.directories.paths_in(each), *other.directories.paths_in(each)}
        for each in (text, other_text)
    )
    return frozenset(paths & other_paths)


@contextmanager
def keeping(
    paths: frozenset[str], one: Normaliser, other: Normaliser
) -> Iterator[None]:
    """Leave these paths as they are written, in the strings of both runs."""
    sides = one.directories, other.directories
    try:
        for side in sides:
            side.kept = paths
        yield
    finally:
        for side in sides:
            side.kept = frozenset()


def _scrub(setting: str) -> tuple[str, re.Pattern[str], str]:
    """Return a substitution of the user's own, after the setting that names it."""
    pattern, _, replacement = setting.partition("=>")
    with warnings.catch_warnings():
        # Python warns of signs that may get another meaning.
        warnings.simplefilter("ignore", FutureWarning)
        # A backslash in the replacement means nothing.
        return setting, re.compile(pattern), replacement.replace("\\", r"\\")


# How often each rule changed something in a string.
Hits = Mapping[str, int]

# No two machines have the same directories. The one of the run becomes `.`, or nothing
# before a further path; its home becomes `~`. Other people's homes stay.
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
    """A text that every string with the directory contains."""

    below: str
    """The text that replaces the directory before a further path."""

    alone: str
    """The text that replaces the directory elsewhere."""


class Directories:
    """The directory in which a run worked, and the home directory around it.

    `directory` is "" where the log records none, and its real path is known once the
    run has asked for it. `used` holds each directory that was replaced in some string,
    by the rule that replaced it. Paths in `kept` stay.
    """

    def __init__(self, directory: str) -> None:
        directory = directory.rstrip("/\\")
        if directory.startswith("/private/"):
            directory = compiled(_PRIVATE).sub("", directory)
        self._directory = directory
        self._real = ""
        self.is_windows = directory[1:2] == ":"
        self.used: dict[str, str] = {}
        self.kept: frozenset[str] = frozenset()

    def is_like(self, other: Directories) -> bool:
        """Return True if no path has another spelling without these directories.

        Paths before a run asked for its real directory may have one.
        """
        is_known = self._real == other._real == ""
        return is_known and self._directory == other._directory

    def paths_in(self, text: str) -> Iterator[str]:
        """Yield the paths in the directory of the run and its home, as written."""
        for replaced in self._replaced:
            if replaced.hint in text:
                pattern = _inside(replaced.spelling, self.is_windows)
                yield from map(_path, pattern.finditer(text))

    def add_real(self, directory: str) -> None:
        """Replace the real path of the directory, without links, from now on."""
        directory = compiled(_PRIVATE).sub("", directory)
        is_usual = self._directory[:1] == "/" and directory.rstrip("/") != ""
        if is_usual and directory != self._directory and not self._real:
            self._real = directory
            # Compiled anew.
            self.__dict__.pop("_replaced", None)

    def without(self, text: str, hits: Counter[str]) -> str:
        """Return a text without the directories of the run; `hits` counts them."""
        text = self.without_own(text, hits)
        if self.is_windows and ":" in text:
            text = counted("path", _with_drives(text), hits)
        if ".cursor" in text:
            text = self._without_agent(text, hits)
        if "/private/" in text:
            text = counted("tmp", compiled(_PRIVATE).subn("", text), hits)
        if "/var/folders/" in text or "AppData" in text:
            text = counted("tmp", compiled(_TEMPORARY).subn(_in_tmp, text), hits)
        return text

    def without_own(self, text: str, hits: Counter[str]) -> str:
        """Return a text without the directory of the run and its home."""
        for replaced in self._replaced:
            if replaced.hint not in text:
                continue
            pattern = _inside(replaced.spelling, self.is_windows)
            found = pattern.subn(_replacement(replaced, self.kept), text)
            if found[0] == text:
                continue
            if found[1]:
                named = replaced.directory
                shown = _with_drives(named)[0] if self.is_windows else named
                if named == self._real:
                    self.used[replaced.rule] = f"{self._directory}, which is {named}"
                self.used.setdefault(replaced.rule, shown)
            text = counted(replaced.rule, found, hits)
        return text

    def may_be_in(self, text: str) -> bool:
        """Return False if a text holds no directory that `without_own` replaces."""
        return any(replaced.hint in text for replaced in self._replaced)

    def _without_agent(self, text: str, hits: Counter[str]) -> str:
        match = compiled(_AGENT).search(text)
        if match is None:
            return text
        self.used.setdefault("agent", match[0])
        found = compiled(_AGENT).subn("~/.cursor/projects/<project>", text)
        return counted("agent", found, hits)

    @functools.cached_property
    def _replaced(self) -> list[_Replaced]:
        # Compiled on first use: a log of many runs may not need them.
        # The root of a disk is not removed.
        if not self._directory or (self.is_windows and len(self._directory) == 2):
            return []
        named = [
            ("cwd", directory, "", ".")
            for directory in (self._directory, self._real)
            if directory
        ]
        if home := compiled(HOME).match(self._directory):
            named.append(("home", home[0], "~/", "~"))
        # Some systems decompose the letters of paths, and the rules compose them.
        return [
            _Replaced(rule, directory, spelling, _hint(spelling), below, alone)
            for rule, directory, below, alone in named
            for spelling in sorted({directory, unicodedata.normalize("NFC", directory)})
        ]


def _hint(directory: str) -> str:
    """Return the end of a name, which every spelling of the directory holds."""
    match = re.match(r"[\w.\-]*", re.split(r"[/\\]", directory)[-1], re.ASCII)
    return match[0] if match else ""


@functools.lru_cache(64)
def _inside(directory: str, is_windows: bool) -> re.Pattern[str]:
    """Return a pattern for a directory as a path, with the slashes after it.

    The rest of a further path is matched only on Windows, where its slashes vary.
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
    On Windows both slashes count, and the case of the drive letter does not.
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


def _path(match: re.Match[str]) -> str:
    """Return the whole path that begins with a directory."""
    rest = compiled(_REST).match(match.string, match.end())
    return match[0] + (rest[0] if rest else "")


def _replacement(
    replaced: _Replaced, kept: Container[str]
) -> Callable[[re.Match[str]], str]:
    def replacement(match: re.Match[str]) -> str:
        if kept and _path(match) in kept:
            return match[0]
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
