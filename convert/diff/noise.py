"""The parts of strings that differ from run to run: directories, ids, times, hashes."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.wording import compiled
from convert.wording.paths import HOME, NAME

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


# A shape alone makes no two values equal in a request of an agent: `run_made` finds
# out where a value comes from. In outputs, which no agent chooses, the shape is enough.
Shape = Literal["id", "time", "hash", "port", "process", "tmp", "terminal"]

UUID = (
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"(?:-\d+-[0-9a-z]{4}(?![0-9A-Za-z]))?"
)
_WORD = r"(?<![0-9A-Za-z])"
_END = r"(?![0-9A-Za-z])"
_TIME = (
    r"(?<![0-9])(?:\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?"
    r"|\d{8}T\d{4}(?:\d\d(?:[.,]\d+)?)?)"
    r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)?(?![0-9])"
)
_DATE = r"(?<![0-9])\d{4}-\d\d-\d\d(?!-?[0-9])"
_HASH = rf"{_WORD}(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{7,64}}{_END}"
# A token with a piece that mixes letters and digits, and the key of a ticket.
_TOKEN = (
    r"(?<![\w-])(?:[A-Za-z0-9]+[-_]){0,4}"
    r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])"
    r"(?=(?:[A-Za-z]*[0-9]){2}|(?=[A-Z0-9]*[a-z])(?:[a-z0-9]*[A-Z]){2})"
    r"[A-Za-z0-9]{8,}(?:[-_][A-Za-z0-9]+){0,4}(?![\w-])"
)
_TICKET = r"(?<![\w-])[A-Z][A-Z0-9]+-[0-9]+(?![\w-])"
_PORT = (
    r"(?:(?<=localhost:)|(?<=127\.0\.0\.1:)|(?<=0\.0\.0\.0:)|(?<=\[::1\]:))"
    r"\d{2,5}(?![0-9])"
)
_PROCESS = (
    r"(?:(?<=\bkill )|(?<=\bkill -9 )|(?<=\bkill -15 )|(?<=\bwait )|(?<=/proc/)"
    r"|(?<=--pid[ =])|(?<=\bps -p ))\d{2,7}(?![0-9])"
)
_TERMINAL = r"(?<=/terminals/)\d+(?=\.txt)"
# Names that mktemp, Python's tempfile and pytest make.
_SYSTEM = (
    r"tmp\.[A-Za-z0-9]{6,}|tmp(?=[a-z]{0,7}[0-9_])[a-z0-9_]{8}(?![\w])"
    r"|pytest-of-[\w.-]+/pytest-(?:\d+|current)"
)
_TMP = rf"(?<![\w.~\-+@*}})])/tmp/+(?:{_SYSTEM})"
_DURATION = (
    r"(?<![\w.])\d+(?:\.\d+)? ?"
    r"(?:ns|µs|us|ms|s|m|h|secs?|seconds?|mins?|minutes?|hours?|milliseconds?)(?!\w)"
)

# Values that the system makes whenever a run asks for one: their origin is known.
_OF_SYSTEM: tuple[tuple[Shape, str], ...] = (("tmp", _TMP), ("terminal", _TERMINAL))
SYSTEM_SHAPES = {shape for shape, _ in _OF_SYSTEM}
# A value begins a word, and has a digit after a few letters: where that is not so, no
# row needs to be tried.
BEGIN = r"(?<![0-9A-Za-z])(?=[A-Za-z_-]{0,60}+[0-9])"
# Values that a run has made if it saw them before it used them. If two begin at one
# place, the first wins. Tickets and tokens are last.
ROWS: tuple[tuple[Shape, str], ...] = (
    ("port", _PORT),
    ("process", _PROCESS),
    ("id", f"{_WORD}{UUID}{_END}"),
    ("time", _TIME),
    ("time", _DATE),
    ("hash", _HASH),
    ("id", _TICKET),
    ("id", _TOKEN),
)


_LENGTH_OF_UUID = 36
# Longer texts are compared as they are: to look through them takes seconds.
LONGEST = 200_000


class PairedValue(NamedTuple):
    """Two values that are equal by a rule alone."""

    rule: str
    """The name of the rule."""

    a: str
    """The value in the baseline."""

    b: str
    """The value in the candidate."""


class Value(Struct, frozen=True):
    """A value of a shape, as a text holds it."""

    shape: Shape
    """The kind of value."""

    text: str
    """The value itself."""


def without_system_values(text: str, values: list[Value]) -> str:
    """Return a text with marks for values of the system; adds them to `values`."""
    if "/tmp/" not in text and "/terminals/" not in text:
        return text

    def mark(match: re.Match[str]) -> str:
        value = _value(_OF_SYSTEM, match)
        values.append(value)
        return f"<{value.shape}>"

    return _of_system().sub(mark, text)


def places_of(text: str) -> Iterator[tuple[Value, int, int]]:
    """Yield the values in a text, each with its start and end."""
    if len(text) <= LONGEST:
        for match in _seen().finditer(text):
            yield _value(ROWS, match), *match.span()


def ids_in(texts: set[str]) -> set[str]:
    """Return texts that are ids, and the ids that are part of them."""
    parts = {uuid for text in texts for uuid in compiled(UUID).findall(text)}
    return (texts | parts | {uuid[:_LENGTH_OF_UUID] for uuid in parts}) - {""}


def replaced(text: str, replacement: Callable[[Value], str | None]) -> str:
    """Return a text with other texts for its values; None leaves a value."""
    if len(text) > LONGEST:
        return text

    def replace(match: re.Match[str]) -> str:
        new = replacement(_value(ROWS, match))
        return match[0] if new is None else new

    return _seen().sub(replace, text)


def printed(text: str, hits: Counter[str]) -> str:
    """Return an output of a tool with marks for all values of a shape.

    `hits` counts the marks by their shapes.
    """
    for shape, guards, pattern in _PRINTED:
        if any(guard in text for guard in guards):
            text, count = compiled(pattern).subn(f"<{shape}>", text)
            if count:
                hits[shape] += count
    return text


def _value(table: tuple[tuple[Shape, str], ...], match: re.Match[str]) -> Value:
    # The groups of the patterns are not captured, so the last one is that of a row.
    return Value(table[(match.lastindex or 1) - 1][0], match[0])


@functools.cache
def _seen() -> re.Pattern[str]:
    return re.compile(f"{BEGIN}(?:{_alternatives(ROWS)})")


@functools.cache
def _of_system() -> re.Pattern[str]:
    return re.compile(_alternatives(_OF_SYSTEM))


def _alternatives(table: tuple[tuple[Shape, str], ...]) -> str:
    return "|".join(f"({pattern})" for _, pattern in table)


# The marks in outputs, the strings of which a text must hold one, and the patterns.
_PRINTED = (
    ("tmp", ("/tmp/",), _TMP),
    ("terminal", ("/terminals/",), _TERMINAL),
    ("id", ("-",), f"{_WORD}{UUID}{_END}"),
    ("time", (":", "T"), _TIME),
    ("hash", ("",), rf"{_WORD}(?:[0-9a-f]{{64}}|[0-9a-f]{{40}}){_END}"),
    ("port", (":",), _PORT),
    ("duration", ("",), _DURATION),
)
