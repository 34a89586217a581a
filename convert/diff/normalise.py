"""The rules that remove noise from strings: directories, ids, times and the like.

Each rule is narrow, has a name, and counts its changes, so that a report can show what
was ignored. Placeholders are constant: numbered ones would all shift after one more id.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from convert.diff.patterns import scrubs_in
from convert.options.settings import Settings

# Characters that cannot be next to a path; with them it is part of another one.
_BEFORE = r"(?<![\w.~\-+@*})])"
_AFTER = r"(?![\w~\-+@]|\.[\w~\-+@])"
# The start of a further component, after a slash.
_FURTHER = r"(?=[^\s\"'`,;:|&<>)\]}./\\]|\.(?:\.|[^\s\"'`,;:|&<>)\]}/\\]))"
_NAME = r"[\w~\-+@]+(?:\.[\w~\-+@]+)*"
_UUID = (
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"(?:-\d+-[0-9a-z]{4}(?![0-9A-Za-z]))?"
)
_WHOLE_UUID = rf"(?<![0-9A-Za-z]){_UUID}(?![0-9A-Za-z])"
_TERMINAL = r"/terminals/\d+\.txt"
_HOSTS = r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]"

# Terminal sequences: CSI and OSC (ECMA-48).
_ANSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
_TMP = (
    rf"{_BEFORE}(?:(?:/private)?/tmp|(?:/private)?/var/folders/[^/\s]+/[^/\s]+/T)/+"
    r"(?P<name>[\w.~\-+@]+)"
)
_NAME_PARTS = (
    rf"^{_UUID}|(?P<mark>[-_.])"
    rf"(?:(?P<uuid>{_UUID})|(?P<part>[A-Za-z0-9]+)(?=[-_.]|$))"
)
_PYTHON_TMP = r"^tmp(?=[a-z]{0,7}[0-9_])[a-z0-9_]{8}(?=[-.]|$)"
_HOME = rf"{_BEFORE}(?:/(?:home|Users)/{_NAME}|/root|[A-Za-z]:\\Users\\{_NAME}){_AFTER}"
_TIME = (
    r"(?<![0-9])(?:\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?"
    r"|\d{8}T\d{4}(?:\d\d(?:[.,]\d+)?)?)"
    r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)?(?![0-9])"
)
_HASH = r"(?<![0-9A-Za-z])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9A-Za-z])"
_PORT = rf"(?P<host>(?<!\w)(?:{_HOSTS})):\d{{2,5}}(?![0-9])"
_DURATION = (
    r"(?<![\w.])\d+(?:\.\d+)? ?"
    r"(?:ns|µs|us|ms|s|m|h|secs?|seconds?|mins?|minutes?|hours?|milliseconds?)(?!\w)"
)
_LEAST_RANDOM = 6


class Normaliser:
    """Applies the rules to the strings of one run, whose directory it removes.

    `hits` counts how often each rule changed something.
    """

    def __init__(self, settings: Settings, directory: str, hits: Counter[str]) -> None:
        self._scrubs = scrubs_in(settings)
        self._is_raw = settings.raw
        self.hits = hits
        directory = directory.rstrip("/\\")
        self.is_windows = directory[1:2] == ":"
        # The root of a disk is not removed.
        self._directory = "" if len(directory) == 2 and self.is_windows else directory
        # A pattern of --scrub may match more than one line.
        self.works_on_lines = not self._scrubs
        # Some systems decompose the letters of paths, and the rules compose them.
        spellings = {self._directory, unicodedata.normalize("NFC", self._directory)}
        self._spellings = sorted(spellings)
        # Compiled on first use: a log of many runs may not need them.
        self._inside: dict[str, re.Pattern[str]] = {}

    def text(self, text: str) -> str:
        """Return a string after all rules."""
        return self._scrubbed(self._ruled(text))

    def _ruled(self, text: str) -> str:
        """Return a string after the built-in rules."""
        if self._is_raw:
            return text
        text = self._ansi_and_crlf(text)
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            self.hits["nfc"] += 1
            text = unicodedata.normalize("NFC", text)
        text = self._without_directory(text)
        for name, guards, rule in _RULES:
            if any(guard in text for guard in guards):
                text = self._replace(name, *rule(), text)
        return text

    def content(self, text: str) -> str:
        """Return content of a file after the rules for line ends and the directory."""
        if not self._is_raw:
            text = self._without_directory(self._crlf(text))
        return self._scrubbed(text)

    def path(self, text: str) -> str:
        """Return a path after all rules, without redundant slashes and dots."""
        text = self._ruled(text)
        if self._is_raw or not text:
            return self._scrubbed(text)
        if self.is_windows:
            text = text.replace("\\", "/")
        text = _pattern("/{2,}").sub("/", text)
        text = _pattern(r"^(?:\./)+").sub("", text)
        return self._scrubbed((text.rstrip("/") or "/") if text else ".")

    def prose(self, text: str) -> str:
        """Return a text after all rules, with each white space as one space."""
        text = self._ruled(text)
        return self._scrubbed(text if self._is_raw else " ".join(text.split()))

    def printed(self, text: str) -> str:
        """Return output of a tool after all rules and the one for durations."""
        text = self._ruled(text)
        if not self._is_raw:
            text = _pattern(_DURATION).sub("<dur>", text)
        return self._scrubbed(text)

    def _ansi_and_crlf(self, text: str) -> str:
        if "\x1b" in text or "\x9b" in text:
            text = self._counted("ansi", _pattern(_ANSI).subn("", text))
        return self._crlf(text)

    def _crlf(self, text: str) -> str:
        if "\r\n" in text:
            self.hits["crlf"] += text.count("\r\n")
            text = text.replace("\r\n", "\n")
        return text

    def _without_directory(self, text: str) -> str:
        for spelling in self._spellings:
            if not spelling or spelling not in text:
                continue
            if spelling not in self._inside:
                self._inside[spelling] = _inside(spelling, self.is_windows)
            found = self._inside[spelling].subn(_relative, text)
            text = self._counted("cwd", found)
        return text

    def _replace(
        self, name: str, pattern: re.Pattern[str], replacement: _Replacement, text: str
    ) -> str:
        """Apply a rule; a match that it does not change is not counted."""
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            replaced = replacement(match)
            count += replaced != match[0]
            return replaced

        text = pattern.sub(replace, text)
        return self._counted(name, (text, count))

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


_Replacement = Callable[[re.Match[str]], str]


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _inside(directory: str, is_windows: bool) -> re.Pattern[str]:
    """Return a pattern for a directory as a path, with the slashes after it."""
    slash = r"[/\\]" if is_windows else "/"
    return re.compile(
        rf"{_BEFORE}{re.escape(directory)}"
        rf"(?:(?P<further>{slash}(?:\.?{slash})*{_FURTHER})"
        rf"|{slash}+(?:\.(?:{slash}+|(?![\w.~\-+@])))*|{_AFTER})"
    )


def _relative(match: re.Match[str]) -> str:
    return "" if match["further"] else "."


def _below_tmp(match: re.Match[str]) -> str:
    """Return a path below the folder for temporary files without random parts."""
    name = _pattern(_PYTHON_TMP).sub("tmp<rand>", match["name"], count=1)
    name = _pattern(_NAME_PARTS).sub(_name_part, name)
    return match[0] if name == match["name"] else f"<tmp>/{name}"


def _name_part(match: re.Match[str]) -> str:
    """Return a part of a file's name, or a placeholder for a random one."""
    mark = match["mark"] or ""
    is_random = match["part"] is None or _looks_random(match["part"])
    return f"{mark}<rand>" if is_random else match[0]


def _looks_random(part: str) -> bool:
    """Return True if a name has two kinds of characters: `aB3xY9`, not `Report`."""
    if len(part) < _LEAST_RANDOM or (part.isalpha() and part.istitle()):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, part)) for kind in kinds) > 1


def _always(text: str) -> _Replacement:
    return lambda match: text


def _port(match: re.Match[str]) -> str:
    return f"{match['host']}:<port>"


def _rule(
    pattern: str, replacement: _Replacement
) -> Callable[[], tuple[re.Pattern[str], _Replacement]]:
    return lambda: (_pattern(pattern), replacement)


# The name of a rule, the strings of which a text must hold one, and the rule.
_RULES = (
    ("tmp", ("/tmp/", "/T/"), _rule(_TMP, _below_tmp)),
    ("home", ("/home/", "/root", "Users"), _rule(_HOME, _always("~"))),
    ("terminal", ("/terminals/",), _rule(_TERMINAL, _always("/terminals/<n>.txt"))),
    ("uuid", ("-",), _rule(_WHOLE_UUID, _always("<uuid>"))),
    ("time", (":", "T"), _rule(_TIME, _always("<time>"))),
    ("hash", ("",), _rule(_HASH, _always("<hash>"))),
    ("port", (":",), _rule(_PORT, _port)),
)
