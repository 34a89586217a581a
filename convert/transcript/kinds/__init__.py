"""The parts of a call for each kind of tool: a function a kind, a module a theme.

The table of tools names the function of a kind. It receives the arguments and the
output of a call and adds title, notes and parts to the builder. The annotations of a
common kind are structs with the members that are shown, those of others are `Fields`.

files     contents and changes, with their diffs
search    findings as lists
shell     commands and their output
plans     to-do lists, plans, questions, modes and subagents
services  the web, MCP servers, pull requests, messages and images
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from convert.tools.table import tool_of
from convert.transcript.builder import SectionBuilder


class Kind(Struct, frozen=True):
    """How the calls of a kind are shown."""

    fill: Callable[[Any, Any, SectionBuilder], None]
    """The function that fills in a section from arguments and output."""

    arguments: type[Struct]
    """The type of the arguments that it takes."""

    output: type[Struct]
    """The type of the output."""


@functools.lru_cache(maxsize=256)
def kind_of(kind: str) -> Kind:
    """Return how the calls of a kind are shown."""
    theme, _, name = tool_of(kind).transcript.partition(".")
    module = importlib.import_module(f"{__name__}.{theme}")
    fill = getattr(module, name)
    # The names of types in its module, which would take long to compile.
    names = fill.__annotations__
    return Kind(
        fill, getattr(module, names["arguments"]), getattr(module, names["output"])
    )
