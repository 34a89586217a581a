"""The parts of a call for each kind of tool: a function a kind, a module a theme.

The table of tools names the function of a kind. It receives the arguments and the
output of a call as `Fields` and adds title, notes and parts to the builder.

files      contents and changes; search: what was found, shell: what was printed,
           web: pages, servers: what they returned, subagents: their steps, plans:
           what changed in a list, cloud: branches and pull requests, messages: images
other      a kind that no row knows
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from convert.tools.table import tool_of
from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder

Fill = Callable[[Fields, Fields, SectionBuilder], None]


@functools.cache
def function_of(kind: str) -> Fill:
    """Return the function that fills in the section of a call of a kind."""
    theme, _, name = tool_of(kind).transcript.partition(".")
    fill: Fill = getattr(importlib.import_module(f"{__name__}.{theme}"), name)
    return fill
