"""Prepares a wheel: templates of pages as Python, and a README whose links are whole.

Hatchling calls it; an editable installation compiles the templates with its first page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)(\[[^]]*\]\()(?!https?:|#)(?=[^)\s]+\))")


class LinkedReadme(MetadataHookInterface):
    """Links the README to the files of the release: an index of packages has none."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README."""
        home, version = metadata["urls"]["Homepage"], metadata["version"]

        def linked(link: re.Match[str]) -> str:
            return f"{link[0]}{home}/{'raw' if link[1] else 'blob'}/v{version}/"

        text = _LINK.sub(linked, Path(self.root, "README.md").read_text("utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


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
