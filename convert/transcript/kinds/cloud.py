"""Calls about branches and pull requests."""

from __future__ import annotations

from convert.tools.table import TOOLS
from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.sanitise import one_line
from convert.wording.words import Words


def pr_management(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the title, the text and the address of a pull request."""
    requested = arguments.fields("createPr") or arguments.fields("updatePr")
    title = one_line(requested.text("title") or output.text("title"))
    if title:
        section.title = [Words(f"{_verb(arguments, section)} ", "ours"), Words(title)]
    if (number := output.number("prNumber")) is not None:
        section.notes.append(f"number {number}")
    if section.call.arm in ("registered", "needsConfirmation"):
        is_open = section.call.arm == "needsConfirmation"
        section.notes.append("needs confirmation" if is_open else "registered")
    section.summary = ours("pull request")
    if branch := requested.text("branchName") or output.text("branchName"):
        section.note("branch ", branch)
    if url := output.text("prUrl", "discoveredPrUrl"):
        section.note("at ", url)
    section.prose(requested.text("body") or output.text("body"))
    if message := output.text("message"):
        section.note("", one_line(message), "plain")


def _verb(arguments: Fields, section: SectionBuilder) -> str:
    """Say what the call did with the pull request, or tried to do."""
    if section.call.arm not in ("registered", "needsConfirmation"):
        for name, verb in (("createPr", "Created"), ("updatePr", "Updated")):
            if name in arguments:
                return f"{verb} pull request:"
    return f"{TOOLS['prManagement'].phrases.en}:"
