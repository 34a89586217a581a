"""Values that differ from run to run, such as ids and times, and marks for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from convert.wording import compiled

# Values in a request of an agent are equal only if they also come from the same place,
# which `run_made_values` finds out. In outputs, which no agent chooses, the shape is
# enough.
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
# A date or a time as people put it into names (`backup-20261124_1015.tgz`), and the
# seconds since 1970.
_DAY = r"(?:19|20)\d\d{0}(?:0[1-9]|1[0-2]){0}(?:0[1-9]|[12]\d|3[01])"
_MINUTE = r"(?:[01]\d|2[0-3])[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?Z?"
_STAMP = rf"{_WORD}{_DAY.format('[-_.]')}[-_T.]{_MINUTE}{_END}"
_SHORT_STAMP = rf"{_WORD}(?:{_DAY.format('')}(?:[-_T]?{_MINUTE})?|1[5-9]\d{{8}}){_END}"
_DATE = r"(?<![0-9])\d{4}-\d\d-\d\d(?!-?[0-9])"
_HASH = rf"{_WORD}(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{7,64}}{_END}"
# A hash without letters, where a number would make no sense.
REVISION = (
    r"(?:(?<=\bshow )|(?<=\bcheckout )|(?<=\brevert )|(?<=\bcherry-pick )"
    r"|(?<=--hard ))[0-9]{7,40}(?![0-9A-Za-z])"
)
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
# Numbers where ports and processes are, if an output showed them as such.
_SHOWN_PORT = (
    r"(?:(?<=\blocalhost )|(?<=\b127\.0\.0\.1 )|(?<=\bhost\.docker\.internal:)"
    r"|(?<=\btcp:)|(?<=-i:)|(?<=-i :)|(?<=--port[ =])|(?<=\bPORT=)"
    r"|(?<=\bhttp\.server )|(?<=\bfuser -k ))\d{2,5}(?![0-9.])"
)
_SHOWN_PROCESS = (
    r"(?:(?<=\bkill -[0-9] )|(?<=\bkill -HUP )|(?<=\bkill -INT )|(?<=\bkill -TERM )"
    r"|(?<=\bkill -KILL )|(?<=\bkill -QUIT )|(?<=\bkill -s TERM )|(?<=\bkill -s KILL )"
    r"|(?<=\bkill -s INT )|(?<=\blsof -p )|(?<=\bpgrep -P )|(?<=\bpkill -P )"
    r"|(?<=\bgdb -p )|(?<=\bstrace -p )|(?<=/PID ))\d{2,7}(?![0-9])"
)
# The number of a pull request, in the URL that its creation prints and in commands.
_SHOWN_REQUEST = (
    r"(?:(?<=/pull/)|(?<=/merge_requests/)|(?<=\bgh pr checks )|(?<=\bgh pr view )"
    r"|(?<=\bgh pr merge )|(?<=\bgh pr edit )|(?<=\bgh pr ready )|(?<=\bglab mr view )"
    r"|(?<=\bglab mr merge )|(?<=\bPR #)|(?<=\bpull request #))\d{1,7}(?![\w.-])"
)
_LONG_NUMBER = r"(?<![\w.-])[0-9]{15,20}(?![\w.-])"
# Names that mktemp, Python's tempfile and pytest make.
_SYSTEM_NAME = (
    r"tmp\.[A-Za-z0-9]{6,}|tmp(?=[a-z]{0,7}[0-9_])[a-z0-9_]{8}(?![\w])"
    r"|pytest-of-[\w.-]+/pytest-(?:\d+|current)"
)
_IN_TMP = rf"(?:(?<=/tmp/)|(?<=/tmp//))(?:{_SYSTEM_NAME})"
# The number alone may be any number in an output.
_TERMINAL = r"(?<=/)terminals/\d+\.txt"
_TMP = rf"(?<![\w.~\-+@*}})])/tmp/+(?:{_SYSTEM_NAME})"
_DURATION = (
    r"(?<![\w.])\d+(?:\.\d+)? ?"
    r"(?:ns|µs|us|ms|s|m|h|secs?|seconds?|mins?|minutes?|hours?|milliseconds?)(?!\w)"
)

# A name that mktemp makes from a template.
_TEMPLATE = (
    r"(?<=/tmp/)[A-Za-z][\w-]*[._-](?=[A-Za-z]*[0-9])[A-Za-z0-9]{6,12}(?![\w.-])"
)

# Values in paths, which need not begin a word or have a digit.
IN_PATHS: tuple[tuple[Shape, str], ...] = (("tmp", _IN_TMP), ("terminal", _TERMINAL))
# A value begins a word, and has a digit after a few letters: where that is not so, no
# row needs to be tried.
BEGIN = r"(?<![0-9A-Za-z])(?=[A-Za-z_-]{0,60}+[0-9])"
# Rows that others search for by themselves.
PORT: tuple[Shape, str] = ("port", _PORT)
PROCESS: tuple[Shape, str] = ("process", _PROCESS)
ID: tuple[Shape, str] = ("id", f"{_WORD}{UUID}{_END}")
TIME: tuple[Shape, str] = ("time", _TIME)
DATE: tuple[Shape, str] = ("time", _DATE)
HASH: tuple[Shape, str] = ("hash", _HASH)
# Values that a run has made if it saw them before it used them. If two begin at one
# place, the first wins. Tickets and tokens are last.
ROWS: tuple[tuple[Shape, str], ...] = (
    PORT,
    PROCESS,
    ID,
    TIME,
    ("time", _STAMP),
    DATE,
    HASH,
    ("id", _TICKET),
    ("id", _TOKEN),
    ("time", _SHORT_STAMP),
)
# With values whose shape is that of many numbers and names, which say nothing unless an
# output showed them.
_SHOWN: tuple[tuple[Shape, str], ...] = (
    *ROWS,
    ("hash", REVISION),
    ("port", _SHOWN_PORT),
    ("process", _SHOWN_PROCESS),
    ("id", _SHOWN_REQUEST),
    ("id", _LONG_NUMBER),
)

_SHOWN_IN_PATHS = (*IN_PATHS, ("tmp", _TEMPLATE))
_ANY, _ANY_IN_PATHS = (
    "|".join(f"({pattern})" for _, pattern in rows)
    for rows in (_SHOWN, _SHOWN_IN_PATHS)
)
_SEEN_PATTERN = f"{BEGIN}(?:{_ANY})"
_SEEN_IN_PATHS = f"{_ANY_IN_PATHS}|{_SEEN_PATTERN}"
# A text without a match holds no value, except in paths: it has no number after another
# word, no two parts of a date, a ticket or a uuid, and no long word with a digit. The
# patterns above take ten times as long to compile.
_MAY_HOLD_VALUES = (
    r"[ :/=]\d\d|[A-Z\d]{2}-\d|\d{4}[_.]\d|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-"
    r"|(?<![0-9A-Za-z])(?=[A-Za-z]*+\d)[A-Za-z\d]{7}"
)
_NUMBER = r"(?<![\w.-])[0-9]{2,7}(?!\w)"
# Shapes that outputs show without the words around them.
_PLAIN: dict[Shape, str] = {
    "port": _NUMBER,
    "process": _NUMBER,
    "tmp": rf"(?<![\w.-])(?:{_SYSTEM_NAME})|{_TEMPLATE}",
}
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


def places_of(text: str) -> Iterator[tuple[Value, int, int]]:
    """Yield the values in a text, each with its start and end."""
    if pattern := _seen_in(text):
        for match in pattern.finditer(text):
            yield _value(match), *match.span()


def shown_of(shape: Shape, text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the values in an output that may be of a shape, with start and end.

    A port or a process may be any number there, and a temporary name has no folder.
    """
    if pattern := _PLAIN.get(shape):
        for match in compiled(pattern).finditer(text):
            yield match[0], *match.span()
    else:
        for value, begin, end in places_of(text):
            if value.shape == shape:
                yield value.text, begin, end


_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_MONTH = rf"\b({'|'.join(_MONTHS)})[a-z]* "
# `Tue Nov 24 23:10:02 PST 2026`, `Tue 24 Nov 2026`, and `2026-11-24` or `20261124`.
_MONTH_FIRST = rf"{_MONTH} ?(\d{{1,2}}) [^\n]*?\b(20\d\d)\b"
_DAY_FIRST = rf"\b(\d{{1,2}}) {_MONTH}(20\d\d)\b"
_IN_NUMBERS = r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)"


def days_in(text: str) -> Iterator[str]:
    """Yield the days in a text that `date` printed, as `20261124`."""
    for month, day, year in compiled(_MONTH_FIRST).findall(text):
        yield f"{year}{_MONTHS.index(month) + 1:02}{int(day):02}"
    for day, month, year in compiled(_DAY_FIRST).findall(text):
        yield f"{year}{_MONTHS.index(month) + 1:02}{int(day):02}"
    yield from map("".join, compiled(_IN_NUMBERS).findall(text))


def ids_in(texts: set[str]) -> set[str]:
    """Return texts that are ids, and the ids that are part of them."""
    parts = {uuid for text in texts for uuid in compiled(UUID).findall(text)}
    return (texts | parts | {uuid[:_LENGTH_OF_UUID] for uuid in parts}) - {""}


def replaced(text: str, replacement: Callable[[Value], str | None]) -> str:
    """Return a text with other texts for its values; None leaves a value."""
    if not (pattern := _seen_in(text)):
        return text

    return pattern.sub(lambda match: replacement(_value(match)) or match[0], text)


def _seen_in(text: str) -> re.Pattern[str] | None:
    """Return the pattern of all values that a text may hold; None if it holds none."""
    if len(text) > LONGEST:
        return None
    # The longer pattern is slower.
    if "/tmp/" in text or "/terminals/" in text:
        return compiled(_SEEN_IN_PATHS)
    may_hold_values = compiled(_MAY_HOLD_VALUES).search(text)
    return compiled(_SEEN_PATTERN) if may_hold_values else None


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


def _value(match: re.Match[str]) -> Value:
    # The groups of the patterns are not captured, so the last one is that of a row.
    # The rows of paths come first, in the pattern that has them.
    rows = _SHOWN if match.re.groups == len(_SHOWN) else (*_SHOWN_IN_PATHS, *_SHOWN)
    return Value(rows[(match.lastindex or 1) - 1][0], match[0])


# The marks in outputs, strings one of which a text must contain, and the patterns.
_PRINTED = (
    ("tmp", ("/tmp/",), _TMP),
    ("terminal", ("/terminals/",), r"(?<=/terminals/)\d+(?=\.txt)"),
    ("id", ("-",), f"{_WORD}{UUID}{_END}"),
    ("time", (":", "T"), _TIME),
    ("hash", ("",), rf"{_WORD}(?:[0-9a-f]{{64}}|[0-9a-f]{{40}}){_END}"),
    ("port", (":",), _PORT),
    ("duration", ("",), _DURATION),
)

# The marks of values that a run made, each with its shape.
MARK = (
    rf"<({'|'.join(sorted({shape for shape, _ in (*ROWS, *IN_PATHS)}))}) [1-9][0-9]*>"
)


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


# A number is skipped if a text of the run literally holds a mark with it, so that no
# mark needs to be escaped.
ANY_MARK = re.compile(r"<([a-z]+) ([1-9][0-9]*)>")
# Words that a shell reads as it would read the values; all others are numbers.
_WORDS = {
    "id": "id1",
    "hash": "abcdef1",
    "time": "2026-01-31",
    "port": "8080",
    "tmp": "tmp.1",
    "terminal": "terminals/1.txt",
}


def parseable(text: str, marks: Container[str]) -> str:
    """Return a text with words for its marks, which are redirections in a shell."""

    def word(match: re.Match[str]) -> str:
        return _word_for(match[1]) if match[0] in marks else match[0]

    return ANY_MARK.sub(word, text) if "<" in text else text


def without_marks(text: str, values: Iterable[Value]) -> str:
    """Return a text with such words for the marks without numbers of some values."""
    for shape in {value.shape for value in values}:
        text = text.replace(f"<{shape}>", _word_for(shape))
    return text


def _word_for(shape: str) -> str:
    return _WORDS.get(shape, "100")
