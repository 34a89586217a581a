"""The arguments of a call in the form in which they are compared, and its key.

An edit has two forms: what was passed to the tool, and what it changed in a file.
"""

from __future__ import annotations

import marshal
from typing import Any

from msgspec import Struct

from convert.diff.arguments import ArgumentRules
from convert.diff.effects import effect_arguments, without_ignored
from convert.diff.normalise import Normaliser
from convert.diff.outputs import digest
from convert.diff.values import Value
from convert.facts.edits import FileEdit


class Form(Struct, frozen=True):
    """The normalised arguments of a call."""

    kept: bytes
    """The marshalled arguments."""

    key: bytes
    """Equal in two calls whose tools and arguments are equal."""

    hits: dict[str, int]
    """How often each rule changed something."""

    recorded_key: bytes
    """Equal in two calls whose arguments are recorded alike; empty without hits."""

    system_values: list[Value]
    """The values that the system made, in the order of the arguments."""


class ComparedTool(Struct, frozen=True):
    """The tool of a call."""

    kind: str
    """The kind in the model."""

    names: set[str]
    """The names by which a setting can mean the tool."""

    name: str
    """The name in keys."""


class Forms:
    """Makes the forms of the calls of one run."""

    def __init__(self, rules: ArgumentRules, string_rules: Normaliser) -> None:
        self._rules = rules
        self._string_rules = string_rules

    def fragment(
        self, tool: ComparedTool, arguments: dict[str, Any], earlier: bytes
    ) -> Form:
        """Return what was passed to a tool, with what is marshalled from earlier."""
        recorded = self._rules.compared(tool.kind, tool.names, arguments)
        return self._form(tool, recorded, earlier)

    def effect(
        self, tool: ComparedTool, recorded: dict[str, Any], edits: list[FileEdit]
    ) -> Form | None:
        """Return what an edit with these arguments changed; None if not recorded."""
        effect = effect_arguments(tool.kind, edits)
        if effect is None:
            return None
        compared = self._rules.compared(tool.kind, tool.names, recorded)
        counted = without_ignored(effect, recorded, compared)
        counted = self._rules.compared(tool.kind, tool.names, counted)
        return self._form(tool, counted | self._rules.kept(tool.names, recorded), b"")

    def _form(
        self, tool: ComparedTool, recorded: dict[str, Any], earlier: bytes
    ) -> Form:
        rules = self._string_rules
        rules.begin()
        normalised = self._rules.normalised(tool.kind, recorded)
        recorded_key = b""
        if rules.hits or rules.values:
            recorded_key = digest(dict(sorted(recorded.items())))
        if earlier:
            normalised = dict(sorted((marshal.loads(earlier) | normalised).items()))
        kept = marshal.dumps(normalised, 2)
        key = digest([tool.name, kept])
        return Form(kept, key, dict(rules.hits), recorded_key, [*rules.values])
