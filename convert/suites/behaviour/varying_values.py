"""Marks for values that come from a day or a machine.

The runs of a case get the same prompt. A date, a port of this machine, the hash of a
commit and the like may differ between versions although nothing changed, unless the
prompt names them. Plain numbers and versions have no such shape.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Callable

from convert.diff.noise_values import (
    BEGIN,
    DATE,
    HASH,
    ID,
    IN_PATHS,
    LONGEST,
    PORT,
    PROCESS,
    REVISION,
    ROWS,
    TIME,
    UUID,
    Shape,
    Value,
)
from convert.diff.seen_values import whole
from convert.wording import compiled

Rows = tuple[tuple[Shape, str], ...]
# Returns the mark that replaces a value; None leaves the value.
Mark = Callable[[Value], str | None]

_YEAR, _MONTH, _DAY = r"20[0-9]{2}", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12][0-9]|3[01])"
_HOUR, _SIXTY = r"(?:[01]?[0-9]|2[0-3])", r"[0-5][0-9]"
_CLOCK = rf"{_HOUR}:{_SIXTY}:{_SIXTY}(?:[.,][0-9]+)?"
# A time after a date in the name of a branch or a file.
_LATER = (
    rf"(?:[-_T]?[0-2][0-9][-_:]?{_SIXTY}(?:[-_:]?{_SIXTY}(?:[.,]?[0-9]{{3,6}})?)?)?"
)
# Versions may end in a day, so times have stricter rows here.
_OTHERS = tuple(
    row for row in ROWS if row not in (PORT, PROCESS, ID, HASH) and row[0] != "time"
)
# 20261127 and 20261127_153000, but not the 20261127 of a version 2.0.20261127
_DATE = rf"{_YEAR}{_MONTH}{_DAY}{_LATER}Z?(?![0-9])"
# Seconds since 1970, of 2020 and later, or smaller parts of one.
_EPOCH = r"1[6-9][0-9]{8}(?:[0-9]{3}|[0-9]{6}|[0-9]{9})?(?:\.[0-9]+)?(?![0-9])"
# 2026-11-27-2, 2026_11_27, 2026/11/27
_SEPARATED = [rf"{_YEAR}{s}{_MONTH}{s}{_DAY}{_LATER}(?![0-9])" for s in "-_/"]
# 27.11.2026, 11/27/2026
_YEAR_LAST = [
    rf"(?<![0-9]{s}){one}{s}{other}{s}{_YEAR}(?![0-9]|{s}[0-9])"
    for s in (r"\.", "/", "-")
    for one, other in ((_DAY, _MONTH), (_MONTH, _DAY))
]
_CLOCKS = (
    rf"(?<![:.\[]){_CLOCK}(?![0-9:])",
    rf"(?<=\bat ){_HOUR}:{_SIXTY}(?![0-9:])",
    rf"(?<![:.]){_HOUR}:{_SIXTY}(?= ?(?:[AP]M|UTC|GMT)\b)",
)
_OPTION_PORT = r"(?:(?<=--port[ =])|(?<=\bPORT=)|(?<=http\.server ))[1-9][0-9]{4}"
# Rows by their common beginning, so that most numbers are rejected soon. If two values
# begin at one place, the first row wins: tokens may hold dates and hashes.
_GUARDED: tuple[tuple[str, Rows], ...] = (
    (
        r"(?<=[01t\]]:|[dlprtT59][ =]|c/)(?=[0-9]{2})",
        (PORT, PROCESS, ("port", _OPTION_PORT + "(?![0-9])")),
    ),
    ("(?=[0-9a-fA-F]{8}-)", (ID,)),
    (
        "(?=[0-9]{4}[-_/0-9])",
        (TIME, *(("time", row) for row in _SEPARATED), DATE),
    ),
    ("(?=[0-9a-f]{7})", (HASH,)),
    (
        r"(?=[0-9]{7})(?<![0-9]\.)",
        (("time", _DATE), ("time", _EPOCH), ("hash", REVISION)),
    ),
    ("(?=[0-9]{1,2}[.:/-])", tuple(("time", row) for row in (*_YEAR_LAST, *_CLOCKS))),
    ("(?=[A-Za-z0-9_-]{2})", _OTHERS),
)
# Dates and epochs after a letter, as in `backup20261127`.
# Each follows its beginning, which lets the search skip most letters.
_AFTER_LETTER: tuple[tuple[str, Rows], ...] = (
    ("20", tuple(("time", row) for row in (*_SEPARATED, _DATE))),
    ("1", (("time", _EPOCH),)),
)
_SHAPES_OF_ROWS: list[Shape] = [
    shape for _, rows in (*_AFTER_LETTER, *_GUARDED) for shape, _ in rows
]

_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?"
    r"|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?"
_NUMBER = r"[0-3]?[0-9](?:st|nd|rd|th)?"
_TIME_OF_DAY = rf"(?:{_CLOCK} (?:[A-Z]{{3,4}} )?)?"
# Fri Nov 27 19:26:43 UTC 2026, November 27, 2026, and 27 November 2026.
_IN_WORDS = (
    rf"\b{_WEEKDAY}(?:{_NAME} {{1,2}}{_NUMBER},? {_TIME_OF_DAY}{_YEAR}"
    rf"|{_NUMBER} {_NAME},? {_YEAR})\b"
)
_SOME_NAME = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"

_SHAPES: set[Shape] = {"time", "port", "hash", "process", "tmp", "terminal"}
_CLOCK_OF_OPTION = r"(?<![\w-])-{1,2}[A-Za-z][\w-]*[ =]['\"]?\Z"
_LONGEST_OPTION = 40

# The name of a folder below one for temporary files.
_TEMPORARY = r"(?<=/tmp/)[^\s/\\\"'`]+|(?<=/T/)[^\s/\\\"'`]+|(?<=\\Temp\\)[^\s/\\\"'`]+"
# A part of it with a long number, or a long one with a letter after a digit.
_RANDOM = (
    r"(?<![0-9A-Za-z])(?:[A-Za-z]*[0-9]{4,}"
    r"|(?=[0-9A-Za-z]{6})[A-Za-z]*[0-9]+[A-Za-z])[0-9A-Za-z]*"
)


def without_times(text: str) -> str:
    """Return a prompt with marks for times, dates, uuids and temporary folders.

    A script that starts runs writes these into the prompts of one task. Numbers, keys
    of tickets and hashes of commits stay, since they distinguish tasks.
    """
    return replaced(text, lambda value: _mark(value) if _may_vary(value) else None)


def is_given(value: Value) -> bool:
    """Return True if a value has the shape of one that a day or a machine brings."""
    return value.shape in _SHAPES or compiled(UUID).fullmatch(value.text) is not None


def replaced(text: str, mark: Mark) -> str:
    """Return a text with marks for its values, and for random temporary folders."""
    if len(text) > LONGEST or compiled(r"[0-9]|/tmp\.").search(text) is None:
        return text
    if "/tmp/" in text or "/terminals/" in text:
        for shape, pattern in IN_PATHS:
            text = _marks(compiled(pattern), shape, mark, text)
    if " 20" in text and compiled(_SOME_NAME).search(text):
        text = _marks(compiled(_IN_WORDS), "time", mark, text)
    text = _pattern(has_tokens=True).sub(lambda match: _replaced(match, mark), text)
    if "mp/" in text or "/T/" in text or "\\Temp\\" in text:
        text = compiled(_TEMPORARY).sub(
            lambda folder: _marks(compiled(_RANDOM), "tmp", mark, folder[0]), text
        )
    return text


class Environment:
    """The values of a run that come from its day and its machine, by its prompt.

    Prompts of one case may differ in their times and uuids. Runs that use such values
    do the same if these are at the same place of their prompts.
    """

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._marks: dict[Value, str | None] = {}

    def mark(self, value: Value) -> str | None:
        """Return the mark for a value; None if it matters."""
        if not is_given(value):
            return None
        if value not in self._marks:
            self._marks[value] = self._found(value)
        return self._marks[value]

    def _found(self, value: Value) -> str | None:
        is_near = value.text in self._prompt
        match = whole(value).search(self._prompt) if is_near else None
        if match is None:
            return _mark(value)
        if not _may_vary(value):
            return None
        place = bisect_right(self._places, match.start())
        return f"<{value.shape} of prompt {place}>"

    def replaced(self, text: str, mark: Mark) -> str:
        """Return a text with marks for its values."""
        return replaced(text, mark)

    @functools.cached_property
    def _places(self) -> list[int]:
        """The places of the values in the prompt that may vary."""
        matches = _pattern(has_tokens=True).finditer(self._prompt)
        return [match.start() for match in matches if _may_vary(_value_of(match))]


def _may_vary(value: Value) -> bool:
    """Return True if prompts of one task may differ in a value."""
    return value.shape in ("time", "tmp") or (value.shape == "id" and is_given(value))


def _mark(value: Value) -> str:
    return f"<{value.shape}>"


def _marks(pattern: re.Pattern[str], shape: Shape, mark: Mark, text: str) -> str:
    """Return a text with marks for the matches of a pattern of one shape."""

    def marked(match: re.Match[str]) -> str:
        new = mark(Value(shape, match[0]))
        return match[0] if new is None else new

    return pattern.sub(marked, text)


def _replaced(match: re.Match[str], mark: Mark) -> str:
    value = _value_of(match)
    if _is_something_else(value, match):
        return match[0]
    new = mark(value)
    if new is not None:
        return new
    if value.shape == "id" and not is_given(value):
        # A branch or a ticket, which may have a date in its name.
        parts = _pattern(has_tokens=False)
        return parts.sub(lambda inner: _replaced(inner, mark), match[0])
    return match[0]


def _is_something_else(value: Value, match: re.Match[str]) -> bool:
    """Return True if the text around a value makes it a colour or a length of time."""
    start = match.start()
    if value.shape == "hash":
        return match.string[start - 1 : start] == "#"
    if value.shape == "time" and ":" in value.text[:3]:
        before = match.string[max(0, start - _LONGEST_OPTION) : start]
        return compiled(_CLOCK_OF_OPTION).search(before) is not None
    return False


def _value_of(match: re.Match[str]) -> Value:
    return Value(_SHAPES_OF_ROWS[(match.lastindex or 1) - 1], match[0])


@functools.cache
def _pattern(*, has_tokens: bool) -> re.Pattern[str]:
    guarded = [*_GUARDED] if has_tokens else [*_GUARDED[:-1]]
    after_letter = (
        f"{begin}(?<=[A-Za-z]{begin})(?:{_rows(rows, begin)})"
        for begin, rows in _AFTER_LETTER
    )
    others = (f"{guard}(?:{_rows(rows)})" for guard, rows in guarded)
    return re.compile(f"{'|'.join(after_letter)}|{BEGIN}(?:{'|'.join(others)})")


def _rows(rows: Rows, begin: str = "") -> str:
    """Return the patterns of rows in groups, without their common beginning."""
    return "|".join(f"({pattern.removeprefix(begin)})" for _, pattern in rows)
