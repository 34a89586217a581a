"""Values for every option, made from the options themselves.

An option whose type does not give its values needs a row in `_WORDS`: a new one
without a row is a KeyError.
"""

from __future__ import annotations

import functools
import random
from typing import Any

from convert.formats import readers, writers
from convert.options import Option, Options, Reading, Settings
from convert.options.option_set import OptionSet

# Each option of a set is named so often.
_SHARE = 0.12
# The values of options that hold a word of the user.
_WORDS: dict[str, list[str]] = {
    "globs": ["*.ndjson", "!*", "a*/**"],
    "redact_patterns": [r"[a-z]{3}\d+", r"\w{1,20}@", r'"[:,]"', "x(a)?", "(?:)|e"],
    "allow_extra": ["read", "mcp:*", "she*", "*"],
    "ignore_arg": ["*.path", "shell.*", "mcp:*.a.b", "edit.toolCallId"],
    "keep_arg": ["*.toolCallId", "shell.timeout"],
    "scrub": ["[0-9]+=>N", "(a)(b)?=>\\2", "x=>", ".=>ab"],
    "may_fail": ["a/*", "*", "!b"],
    "max_duration": ["0s", "1500ms", "1h"],
    "source": ["auto", "auto", *readers(), "ndjson"],
    "from_a": ["auto", *readers()],
    "from_b": ["auto", *readers()],
    "name_a": ["old", "a b", "\x1b[2J", "::x", "|`<b>", "x" * 90],
    "name_b": ["old", "new", "##[x]"],
    "directory_a": ["/home/dev/shop", "C:\\shop", ".", "/", "a\nb"],
    "directory_b": ["/srv/shop", "~"],
    "name": ["default", "a--b", "-->"],
}
# These start processes, name other files or machines, print something else than what is
# made of a log, or are always given.
_LEFT_OUT = {
    *("answer_cmd", "config", "output", "help", "version", "example", "list"),
    *("target", "format", "files_from", "reports", "goldens", "engine", "scheduler"),
    "resume",
}
_NUMBERS = [0, 1, 2, 17, 300, 2000, 10**9]


@functools.cache
def rows(options: type[OptionSet]) -> dict[str, list[Any]]:
    """Return the values to try for each option of a set."""
    return {
        name: values_of(name, row)
        for name, row in options.options().items()
        if name not in _LEFT_OUT
    }


def values_of(name: str, row: Option) -> list[Any]:
    """Return the values to try for an option."""
    if row.choices:
        values: list[Any] = list(row.choices)
    elif row.kind is bool:
        return [not row.default, not row.default, row.default]
    elif name == "run":
        values = [1, 2, -1, -2, 99]
    elif row.kind is int or row.kind is float:
        most = min(row.most, 10**9)
        numbers = [row.least + number for number in _NUMBERS]
        values = [number for number in numbers if number <= most]
        if row.kind is float:
            values = [0.0, 0.5, 1.0, *map(float, values)]
            values = [number for number in values if row.least <= number <= most]
    else:
        values = list(_WORDS[name])
    if row.is_list:
        return [(value,) for value in values] + [tuple(values[:2])]
    return values


def draw(
    options: type[OptionSet], dice: random.Random, share: float = _SHARE
) -> dict[str, Any]:
    """Choose values for some options of a set."""
    return {
        name: dice.choice(values)
        for name, values in rows(options).items()
        if dice.random() < share
    }


def reading(dice: random.Random, is_redacted: bool = False) -> Reading:
    """Choose how a log is read."""
    drawn = draw(Reading, dice) if dice.random() < 0.3 else {}
    return Reading(**drawn | ({"redact": True} if is_redacted else {}))


def conversion(dice: random.Random, is_redacted: bool = False) -> dict[str, Any]:
    """Choose the arguments of a conversion but for the log and the target."""
    chosen: dict[str, Any] = draw(Options, dice) if dice.random() < 0.6 else {}
    if dice.random() < 0.1:
        chosen["run"] = dice.choice([1, 2, -1, -2, 99])
    if dice.random() < 0.1:
        chosen["format"] = dice.choice([*readers()])
    drawn = reading(dice, is_redacted)
    return chosen if drawn == Reading() else chosen | {"reading": drawn}


def target(dice: random.Random) -> str:
    """Choose a format to write."""
    return dice.choice([*writers()])


def settings(dice: random.Random) -> Settings:
    """Choose the settings of a comparison."""
    return Settings(**draw(Settings, dice) if dice.random() < 0.6 else {})


def look(dice: random.Random) -> dict[str, Any]:
    """Choose how a report looks."""
    return {
        "full": dice.random() < 0.3,
        "verbose": dice.random() < 0.3,
        "width": dice.choice([40, 100, 100, 10_000]),
    }


def pieces(log: bytes, dice: random.Random) -> list[bytes]:
    """Cut a log into pieces of any size, from a byte to the whole."""
    most = dice.choice([1, 3, 60, 1000, 20_000])
    if most < len(log) / 300:
        # A part of it in pieces so small, the rest whole.
        at = dice.randint(0, len(log))
        end = at + 200 * most
        middle = [log[i : i + most] for i in range(at, min(end, len(log)), most)]
        return [log[:at], *middle, log[end:]]
    cut = []
    at = 0
    while at < len(log):
        size = dice.randint(1, most)
        cut.append(log[at : at + size])
        at += size
    return cut
