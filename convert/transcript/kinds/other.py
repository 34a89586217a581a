"""Calls of kinds that have no form of their own."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, json_text
from convert.wording.sanitise import strip_controls


def as_text(text: str, section: SectionBuilder) -> None:
    """Add what a tool returned as text."""
    text = strip_controls(text)
    section.begin("result", f"result, {section.extent(text)}")
    section.code(text, "text")


def as_json(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Add arguments and result as JSON."""
    section.arguments_and_output_as_json()


def unexpected_members(members: dict[str, object], section: SectionBuilder) -> None:
    """Add members whose type is not the expected one, as JSON."""
    section.begin("members of another type than expected")
    section.code(json_text(members), "json")
