"""Adds the templates of pages to a wheel as Python, so that no page compiles them.

Hatchling calls it; an editable installation compiles the templates with its first page.
"""

from __future__ import annotations

import sys
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTemplates(BuildHookInterface):
    """Compiles the templates before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the templates, and name the place of their folder in the wheel."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from convert.pages.environment import compiled_name
        from convert.pages.timeline_svg import compile_templates

        self.folder = TemporaryDirectory()
        compile_templates(self.folder.name)
        place = f"convert/pages/{compiled_name()}"
        build_data["force_include"][self.folder.name] = place
