"""What a user can ask of a comparison, on the command line and in a file alike."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Struct

from convert.errors import UsageError

Severity = Literal["none", "info", "minor", "major", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Category = Literal[
    "runs",
    "status",
    "outcome",
    "removed",
    "added",
    "args",
    "moved",
    "text",
    "narration",
    "output",
    "parallelism",
    "model",
    "prompt",
    "duration",
    "usage",
    "calls",
]
Required = Literal["calls", "result", "status"]
# What each mode waives, and whether it takes the order of calls for nothing.
MATCHES: dict[str, tuple[frozenset[str], bool]] = {
    "exact": (frozenset(), False),
    "in-order": (frozenset({"added"}), False),
    "unordered": (frozenset({"moved"}), True),
    "superset": (frozenset({"added", "moved"}), True),
    "subset": (frozenset({"removed", "moved"}), True),
}


class Settings(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The knobs of a comparison; the names are those of the command line.

    Ratios are candidate / baseline. None stands for no limit.
    """

    fail_on: Literal["info", "minor", "major", "critical"] = "minor"
    order: Literal["strict", "partial", "any"] = "partial"
    args: Literal["exact", "subject", "ignore"] = "exact"
    match: Literal["exact", "in-order", "unordered", "superset", "subset"] = "exact"
    text: Literal["auto", "full", "last", "exact", "ignore"] = "auto"
    outputs: bool = False
    raw: bool = False
    allow_extra: tuple[str, ...] = ()
    ignore: tuple[Category, ...] = ()
    ignore_arg: tuple[str, ...] = ()
    keep_arg: tuple[str, ...] = ()
    scrub: tuple[str, ...] = ()
    require: tuple[Required, ...] = ()
    min_similarity: float | None = None
    max_duration_ratio: float | None = None
    max_tokens_ratio: float | None = None
    max_calls_ratio: float | None = None
    min_duration_ms: int = 2000
    min_tokens: int = 1000
    min_calls: int = 5

    @property
    def effective_order(self) -> Literal["strict", "partial", "any"]:
        """The order that counts: some ways to match take it for nothing."""
        return "any" if MATCHES[self.match][1] else self.order


class Argument(NamedTuple):
    """An argument that a setting names: of which tools, and the path to it."""

    tool: re.Pattern[str]
    path: tuple[str, ...]


class Scrub(NamedTuple):
    """A substitution of the user's own, and the text that asks for it."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


def settings_of(values: dict[str, Any], where: str = "") -> Settings:
    """The settings that values by their long names make; raises UsageError.

    `where` names the file that they stand in, if they do.
    """
    names = {field.encode_name for field in msgspec.structs.fields(Settings)}
    for name in values:
        if name not in names:
            known = ", ".join(sorted(names))
            raise UsageError(f"{where}unknown setting '{name}'; choose one of {known}")
    for name, value in values.items():
        try:
            msgspec.convert({name: value}, Settings)
        except msgspec.ValidationError as error:
            raise UsageError(f"{where}{_wrong(name, value, error)}") from error
    settings = msgspec.convert(values, Settings)
    for name, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and not 0 <= value < float("inf"):
            raise UsageError(f"{where}{name} cannot be {value}; choose 0 or more")
    if settings.min_similarity is not None and settings.min_similarity > 1:
        raise UsageError(f"{where}min-similarity is at most 1, the same words")
    arguments_in(settings.ignore_arg)
    arguments_in(settings.keep_arg)
    scrubs_in(settings)
    return settings


def arguments_in(names: Iterable[str]) -> list[Argument]:
    """The arguments that are named as `TOOL.PATH`; raises UsageError."""
    arguments = []
    for name in names:
        tool, dot, path = name.partition(".")
        members = tuple(path.split("."))
        if not tool or not dot or not all(members):
            raise UsageError(
                f"'{name}' names no argument; write TOOL.NAME, as in shell.isBackground"
            )
        arguments.append(Argument(tool_pattern(tool), members))
    return arguments


def tool_pattern(name: str) -> re.Pattern[str]:
    """A pattern for the names of tools, in which `*` and `?` stand for others."""
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in name)
    return re.compile("".join(parts), re.DOTALL)


def scrubs_in(settings: Settings) -> list[Scrub]:
    """The substitutions in their order; raises UsageError for what is no pattern."""
    scrubs = []
    for name in settings.scrub:
        pattern, arrow, replacement = name.partition("=>")
        if not arrow or not pattern:
            raise UsageError(f"'{name}' is no --scrub; write 'REGEX=>REPLACEMENT'")
        try:
            with warnings.catch_warnings():
                # Of what may mean something else in a later Python.
                warnings.simplefilter("ignore", FutureWarning)
                scrubs.append(Scrub(name, re.compile(pattern), replacement))
        except (re.error, ValueError, OverflowError, RecursionError) as error:
            raise UsageError(f"--scrub '{pattern}' is no pattern: {error}") from error
    return scrubs


def _wrong(name: str, value: Any, error: msgspec.ValidationError) -> str:
    """What is wrong with a value, with the values that there are."""
    field = next(
        field for field in msgspec.structs.fields(Settings) if field.encode_name == name
    )
    words = _words(field.type)
    if words:
        return (
            f"'{_shown(value, words)}' is no {name}; choose one of {', '.join(words)}"
        )
    return f"{name} cannot be {value!r}; {str(error).partition(' - at ')[0].lower()}"


def _words(kind: Any) -> tuple[str, ...]:
    """The words that a type takes, alone or in a list."""
    inner = get_args(kind)
    if inner and inner[-1] is Ellipsis:
        return _words(inner[0])
    return tuple(word for word in inner if isinstance(word, str))


def _shown(value: Any, words: tuple[str, ...]) -> str:
    if isinstance(value, list | tuple):
        return next((str(item) for item in value if item not in words), str(value))
    return str(value)


def read_settings(path: str, data: bytes) -> dict[str, Any]:
    """The settings in a file: its own members, or those of `[tool.runconv.diff]`.

    Raises UsageError for what is no TOML and for names that are no settings.
    """
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: a number has too many digits") from error
    found: Any = table
    if "tool" in table or os.path.basename(path) == "pyproject.toml":
        for name in ("tool", "runconv", "diff"):
            found = found.get(name, {}) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: tool.runconv.diff is no table")
    settings_of(found, f"{path}: ")
    return found
