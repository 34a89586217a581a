"""Values that differ from run to run, such as ids and times, and marks for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Set
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.wording import compiled

# Values in a request of an agent are equal only if they also come from the same place,
# which `values` finds out. In outputs, which no agent chooses, the shape is enough.
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


_OF_SYSTEM_PATTERN, _ANY = (
    "|".join(f"({pattern})" for _, pattern in rows) for rows in (_OF_SYSTEM, ROWS)
)
_SEEN_PATTERN = f"{BEGIN}(?:{_ANY})"
_LENGTH_OF_UUID = 36
# Longer texts are compared as they are: to look through them takes seconds.
LONGEST = 200_000


class PairedValue(NamedTuple):
    """Two values that are equal only by a rule."""

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
    """Return a text with marks for values of the system, and add these to `values`."""
    if "/tmp/" not in text and "/terminals/" not in text:
        return text

    def mark(match: re.Match[str]) -> str:
        value = _value(_OF_SYSTEM, match)
        values.append(value)
        return f"<{value.shape}>"

    return compiled(_OF_SYSTEM_PATTERN).sub(mark, text)


def places_of(text: str) -> Iterator[tuple[Value, int, int]]:
    """Yield the values in a text, each with its start and end."""
    if len(text) <= LONGEST:
        for match in compiled(_SEEN_PATTERN).finditer(text):
            yield _value(ROWS, match), *match.span()


def ids_in(texts: set[str]) -> set[str]:
    """Return texts that are ids, and the ids that are part of them."""
    parts = {uuid for text in texts for uuid in compiled(UUID).findall(text)}
    return (texts | parts | {uuid[:_LENGTH_OF_UUID] for uuid in parts}) - {""}


def replaced(text: str, replacement: Callable[[Value], str | None]) -> str:
    """Return a text with other texts for its values; None leaves a value."""
    if len(text) > LONGEST:
        return text

    return compiled(_SEEN_PATTERN).sub(
        lambda match: replacement(_value(ROWS, match)) or match[0], text
    )


def printed(text: str, hits: Counter[str]) -> str:
    """Return an output of a tool with marks for all values of a shape.

    `hits` counts the marks by their shapes.
    """
    for shape, guards, pattern in _PRINTED:
        if any(guard in text for guard in guards):
            text = counted(shape, compiled(pattern).subn(f"<{shape}>", text), hits)
    return text


def counted(rule: str, found: tuple[str, int], hits: Counter[str]) -> str:
    """Return a text after a rule, and add the changes that it made to `hits`."""
    text, count = found
    if count:
        hits[rule] += count
    return text


def _value(table: tuple[tuple[Shape, str], ...], match: re.Match[str]) -> Value:
    # The groups of the patterns are not captured, so the last one is that of a row.
    return Value(table[(match.lastindex or 1) - 1][0], match[0])


# The marks in outputs, strings one of which a text must contain, and the patterns.
_PRINTED = (
    ("tmp", ("/tmp/",), _TMP),
    ("terminal", ("/terminals/",), _TERMINAL),
    ("id", ("-",), f"{_WORD}{UUID}{_END}"),
    ("time", (":", "T"), _TIME),
    ("hash", ("",), rf"{_WORD}(?:[0-9a-f]{{64}}|[0-9a-f]{{40}}){_END}"),
    ("port", (":",), _PORT),
    ("duration", ("",), _DURATION),
)

# The marks of values that a run made, each with its shape.
MARK = r"<(id|time|hash|port|process) [1-9][0-9]*>"


def value_of_mark(match: re.Match[str]) -> Value:
    """Return the value that a mark replaces, with the text of the mark."""
    return Value(match[1], match[0])  # type: ignore[arg-type]


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of JSON with changed strings, names of members included.

    If that makes two names of members equal, the names stay.
    """
    match value:
        case str():
            return change(value)
        case dict():
            names = [change(name) for name in value]
            if len(set(names)) < len(names):
                names = list(value)
            values = [with_strings(inner, change) for inner in value.values()]
            return dict(sorted(zip(names, values, strict=True), key=itemgetter(0)))
        case list():
            return [with_strings(inner, change) for inner in value]
    return value


def with_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value of JSON with changed strings and numbers, but the same names."""
    match value:
        case dict():
            return {name: with_leaves(inner, change) for name, inner in value.items()}
        case list():
            return [with_leaves(inner, change) for inner in value]
    return change(value)


# Calls are compared with marks that are all alike, so a number only shows which value a
# mark replaces. Values that belong together have one number in both runs.
# The marks of the values that go by one, in either run.
NumberedMarks = dict[Value, str]

NUMBERED = rf"<({'|'.join(sorted(SYSTEM_SHAPES))}) [1-9][0-9]*>"
_MARK = "|".join(f"<{shape}>" for shape in sorted(SYSTEM_SHAPES))


def without_system_marks(text: str, known: Set[str]) -> tuple[str, list[Value]]:
    """Return a text whose known marks have no numbers, and their values."""
    values: list[Value] = []

    def bare(match: re.Match[str]) -> str:
        if match[0] not in known:
            return match[0]
        values.append(value_of_mark(match))
        return f"<{match[1]}>"

    return compiled(NUMBERED).sub(bare, text), values


def with_marks(value: Any, values: Iterable[Value], marks: NumberedMarks) -> Any:
    """Return a value of JSON whose marks have numbers, in the order of `values`.

    A text that contains more marks than there are values stays as it is.
    """
    waiting = list(values)
    count = 0

    def counted(text: str) -> str:
        nonlocal count
        count += len(compiled(_MARK).findall(text))
        return text

    def numbered(match: re.Match[str]) -> str:
        return marks.get(waiting.pop(0), match[0])

    with_strings(value, counted)
    if count != len(waiting):
        return value
    return with_strings(value, lambda text: compiled(_MARK).sub(numbered, text))


# A number is skipped if a text of the run literally holds a mark with it, so that no
# mark needs to be escaped.
ANY_MARK = re.compile(r"<([a-z]+) ([1-9][0-9]*)>")
# Words that a shell reads as it would read the values.
_WORDS = {
    "id": "id1",
    "hash": "abcdef1",
    "time": "2026-01-31",
    "port": "8080",
    "process": "100",
    "tmp": "/tmp/tmp.1",
    "terminal": "1",
}


def parseable(text: str, marks: Container[str]) -> str:
    """Return a text with words for its marks, which are redirections in a shell."""

    def word(match: re.Match[str]) -> str:
        return _WORDS.get(match[1], match[0]) if match[0] in marks else match[0]

    return ANY_MARK.sub(word, text) if "<" in text else text


def without_marks(text: str, values: Iterable[Value]) -> str:
    """Return a text with such words for the marks without numbers of some values."""
    for shape in {value.shape for value in values}:
        text = text.replace(f"<{shape}>", _WORDS[shape])
    return text
