"""The rules that give each string one spelling, and the names of all rules."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from convert.diff.noise import Directories, Value, printed, without_system_values
from convert.options.settings import Settings
from convert.wording import compiled

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
    "tmp": "directories for temporary files, and names that the system makes there",
    "terminal": "the numbers of the agent's terminals",
    "id": "ids that the run made",
    "time": "times and dates of the run",
    "hash": "hashes that the run made",
    "port": "ports of this machine that the run was given",
    "process": "numbers of processes that the run started",
    "duration": "durations in outputs",
    "space": "white space in the answer",
}

# Terminal sequences: CSI and OSC (ECMA-48).
_ANSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"

# The path that may be before the name of a temporary file, on Windows and elsewhere.
_REST_OF_PATH = r"[^\s\"'`;,|<>()=]*"
_TEMPORARY_ON_WINDOWS = (
    rf"[A-Za-z]:[/\\]+Users[/\\]+[^/\\\"'`:;,|<>]+[/\\]+AppData[/\\]{_REST_OF_PATH}"
)


class Normaliser:
    """Applies the rules to the strings of one run, whose directory it removes.

    `hits` counts how often each rule changed something, and `values` holds the values
    that the system made, in the order of the strings. A caller that wants to know
    either begins anew, and copies it.
    """

    def __init__(self, settings: Settings, directory: str) -> None:
        self._scrubs = scrubs_in(settings)
        self._is_raw = self._keeps_space = settings.raw
        self.directories = Directories("" if settings.raw else directory)
        self.hits: Counter[str] = Counter()
        self.values: list[Value] = []
        # Each value that the system made, as the log records it, by its one spelling.
        self.recorded: dict[str, str] = {}
        # A pattern of --scrub may match more than one line.
        self.works_on_lines = not self._scrubs

    @classmethod
    def of_normalised(cls, settings: Settings, scrubs: tuple[str, ...]) -> Normaliser:
        """Return the rules for strings that have been through them with other scrubs.

        Texts keep their lines until they are compared, so that white space is left.
        """
        rules = cls(settings.replace(raw=True, scrub=scrubs), "")
        rules._keeps_space = settings.raw
        return rules

    def begin(self) -> None:
        """Forget the hits and the values of all strings before."""
        if self.hits:
            self.hits = Counter()
        if self.values:
            self.values = []

    def hits_in(self, text: str) -> Counter[str]:
        """Return how often each rule changes something in a text for people."""
        self.begin()
        self.prose(text)
        return self.hits.copy()

    def text(self, text: str) -> str:
        """Return a string after all rules."""
        return self._scrubbed(self._ruled(text))

    def _ruled(self, text: str, recorded: str = "") -> str:
        """Return a string, which the log records otherwise, after built-in rules."""
        if self._is_raw:
            return text
        known = len(self.values)
        ruled = without_system_values(self.spelled(text), self.values)
        for value in self.values[known:]:
            self.recorded.setdefault(
                value.text, _as_recorded(value.text, recorded or text)
            )
        return ruled

    def spelled(self, text: str) -> str:
        """Return a string in one spelling, without directories."""
        if self._is_raw:
            return text
        text = self._ansi_and_crlf(text)
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
        """Return True if content that holds no more than this text stays as it is."""
        if self._is_raw:
            return not self._scrubs
        is_named = self.directories.may_be_in(text)
        return not (self._scrubs or is_named or "\r\n" in text)

    def path(self, text: str) -> str:
        """Return a path after all rules, without redundant slashes and dots."""
        if self._is_raw or not text:
            return self.text(text)
        recorded = text
        if self.directories.is_windows:
            text = self._counted("path", _one_by_one(text.replace("\\", "/"), text))
        ruled = self._ruled(text, recorded)
        path = compiled("/{2,}").sub("/", ruled)
        path = compiled(r"^(?:\./)+").sub("", path)
        path = (path.rstrip("/") or "/") if path else "."
        return self._scrubbed(self._counted("path", _one_by_one(path, ruled)))

    def prose(self, text: str) -> str:
        """Return a text after all rules, with each white space as one space."""
        text = self._ruled(text)
        if not self._keeps_space:
            spaced = " ".join(text.split())
            text = self._counted("space", _one_by_one(spaced, text))
        return self._scrubbed(text)

    def printed(self, text: str) -> str:
        """Return output of a tool after all rules, with marks for values that vary."""
        if not self._is_raw:
            text = printed(self.spelled(text), self.hits)
        return self._scrubbed(text)

    def _ansi_and_crlf(self, text: str) -> str:
        if "\x1b" in text or "\x9b" in text:
            text = self._counted("ansi", compiled(_ANSI).subn("", text))
        return self._crlf(text)

    def _crlf(self, text: str) -> str:
        if "\r\n" in text:
            self.hits["crlf"] += text.count("\r\n")
            text = text.replace("\r\n", "\n")
        return text

    def _scrubbed(self, text: str) -> str:
        for scrub in self._scrubs:
            found = scrub.pattern.subn(_always(scrub.replacement), text)
            text = self._counted(scrub.name, found)
        return text

    def _counted(self, name: str, found: tuple[str, int]) -> str:
        text, count = found
        if count:
            self.hits[name] += count
        return text


def _as_recorded(value: str, text: str) -> str:
    """Return a value that the system made in the spelling that a text has of it."""
    if value in text:
        return value
    name = re.escape(value.rsplit("/", 1)[-1])
    found = re.search(rf"(?:{_TEMPORARY_ON_WINDOWS}|{_REST_OF_PATH}){name}", text)
    return found[0] if found else value


def _always(text: str) -> Callable[[re.Match[str]], str]:
    # A backslash in the text means nothing.
    return lambda match: text


def _one_by_one(new: str, old: str) -> tuple[str, int]:
    """Return the new text, and 1 if it differs from the old one."""
    return new, int(new != old)


class Scrub(Struct, frozen=True):
    """A substitution of the user's own, and the text that asks for it."""

    name: str
    """The text of the setting, by which reports name it."""

    pattern: re.Pattern[str]
    """Matches the text that is replaced."""

    replacement: str
    """The text that replaces a match; it may refer to groups."""


def scrubs_in(settings: Settings) -> list[Scrub]:
    """Return the substitutions in their order."""
    return [_scrub(text) for text in settings.scrub]


def _scrub(text: str) -> Scrub:
    pattern, _, replacement = text.partition("=>")
    with warnings.catch_warnings():
        # About signs that may mean something else in a later Python.
        warnings.simplefilter("ignore", FutureWarning)
        return Scrub(text, re.compile(pattern), replacement)


# How often each rule changed something in a string.
Hits = Mapping[str, int]
