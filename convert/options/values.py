"""The values that options may have: numbers of runs, patterns, sizes and durations."""

import re
import warnings

RUN_ADVICE = "choose a whole number other than 0; 1 is the first run, -1 the last"
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_BINARY = {"k": 2**10, "m": 2**20, "g": 2**30}


def check_run(number: int) -> None:
    """Raise ValueError for what cannot be the number of a run."""
    if type(number) is not int or number == 0:
        raise ValueError(RUN_ADVICE)


def check_pattern(pattern: str) -> None:
    """Raise ValueError for what is not a regular expression, and for an empty one."""
    if not pattern:
        raise ValueError("write a regular expression")
    try:
        with warnings.catch_warnings():
            # About what may mean something else in a later Python.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error


def number_of_bytes(text: str) -> int:
    """Parse a number of bytes: 65536, 200MB, 1.5G, 1MiB; a kB is 1,000, a KiB 1,024."""
    match = re.fullmatch(
        r"(\d{1,15}(?:\.\d{1,9})?) ?([kmg]?)(?:b?|(?<=[kmg])(?P<binary>ib))",
        text.lower(),
        re.ASCII,
    )
    if match is None:
        raise ValueError
    unit = (_BINARY if match["binary"] else _UNITS)[match[2]]
    return int(float(match[1]) * unit)


def language(text: str) -> str:
    """Return the code of a language that is written as in a locale: `en_US.UTF-8`."""
    return re.split(r"[-_.@]", text, maxsplit=1)[0].lower()


# The suffixes of files by which reports may be named as well.
_REPORTS = {
    "txt": "table",
    "diff": "unified",
    "patch": "unified",
    "md": "markdown",
    "htm": "html",
    "jsonl": "ndjson",
    "xml": "junit",
}


def report_name(text: str) -> str:
    """Return the name of the report that a suffix of its files stands for."""
    return _REPORTS.get(text, text)


def amount(text: str) -> int:
    """Parse a number that may have a unit: 50000, 50k, 1.5M."""
    if text.lower().endswith("b"):
        raise ValueError
    return number_of_bytes(text)


_DURATION = "".join(
    rf"(?:(?P<{name}>\d{{1,9}}(?:\.\d{{1,9}})?){name})? ?"
    for name in ("h", "m", "s", "ms")
)
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
DURATION_ADVICE = "write a duration, as in 90s, 2m30s, 1h or 1500ms"


def milliseconds(text: str) -> int:
    """Parse a duration: 90s, 2m30s, 1h, 1500ms."""
    match = re.fullmatch(_DURATION, text.strip().lower(), re.ASCII)
    parts = match.groupdict() if match else {}
    if not any(parts.values()):
        raise ValueError(DURATION_ADVICE)
    return round(sum(float(parts[name] or 0) * _MILLISECONDS[name] for name in parts))


def check_duration(text: str) -> None:
    """Raise ValueError for what is not a duration."""
    milliseconds(text)


def check_command(text: str) -> None:
    """Raise ValueError for what is not a command that takes the two answers."""
    import shlex

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"not a command: {str(error).lower()}") from error
    arguments = " ".join(words[1:])
    if "{a}" not in arguments or "{b}" not in arguments:
        raise ValueError("write {a} and {b} for the answers, as in 'judge {a} {b}'")


def size_with_unit(number: int | None) -> str:
    """Write a number of bytes as `number_of_bytes` reads it."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


def check_argument(name: str) -> None:
    """Raise ValueError unless a text names an argument of a tool."""
    tool, dot, path = name.partition(".")
    if not tool or not dot or not all(path.split(".")):
        raise ValueError("write TOOL.PATH, as in shell.isBackground")


def check_scrub(scrub: str) -> None:
    """Raise ValueError unless a text is a pattern and what replaces its matches."""
    pattern, arrow, _ = scrub.partition("=>")
    if not arrow or not pattern:
        raise ValueError("write 'REGEX=>TEXT'")
    check_pattern(pattern)
