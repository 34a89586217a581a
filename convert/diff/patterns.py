"""Patterns in the settings: arguments of tools, and substitutions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from msgspec import Struct

from convert.options.settings import Settings


class Argument(Struct, frozen=True):
    """An argument that a setting names: of which tools, and the path to it."""

    name: str
    """The text of the setting."""

    tool: re.Pattern[str]
    """Matches the names of the tools."""

    path: tuple[str, ...]
    """The names of the members that lead to the argument."""


class Scrub(Struct, frozen=True):
    """A substitution of the user's own, and the text that asks for it."""

    name: str
    """The text of the setting, by which reports name it."""

    pattern: re.Pattern[str]
    """Matches what is replaced."""

    replacement: str
    """The text that replaces a match; it may refer to groups."""


def arguments_in(names: Iterable[str]) -> list[Argument]:
    """Return the arguments that are named as `TOOL.PATH`."""
    arguments = []
    for name in names:
        tool, _, path = name.partition(".")
        arguments.append(Argument(name, tool_pattern(tool), tuple(path.split("."))))
    return arguments


def tool_pattern(name: str) -> re.Pattern[str]:
    """A pattern for the names of tools, in which `*` and `?` stand for others."""
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in name)
    return re.compile("".join(parts), re.DOTALL)


def scrubs_in(settings: Settings) -> list[Scrub]:
    """Return the substitutions in their order."""
    return [_scrub(text) for text in settings.scrub]


def _scrub(text: str) -> Scrub:
    pattern, _, replacement = text.partition("=>")
    with warnings.catch_warnings():
        # About what may mean something else in a later Python.
        warnings.simplefilter("ignore", FutureWarning)
        return Scrub(text, re.compile(pattern), replacement)
