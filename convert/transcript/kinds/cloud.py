"""Calls about branches and pull requests."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.sanitise import one_line
from convert.wording.words import Words


def pr_management(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the title, the text and the address of a pull request."""
    requested = arguments.fields("createPr") or arguments.fields("updatePr")
    title = one_line(requested.text("title") or output.text("title"))
    if title:
        section.title = [Words("Managed pull request: ", "ours"), Words(title)]
    if (number := output.number("prNumber")) is not None:
        section.notes.append(f"number {number}")
    if section.call.arm in ("registered", "needsConfirmation"):
        is_open = section.call.arm == "needsConfirmation"
        section.notes.append("needs confirmation" if is_open else "registered")
    section.summary = ours("the pull request")
    if branch := requested.text("branchName") or output.text("branchName"):
        section.note("branch ", branch)
    if url := output.text("prUrl", "discoveredPrUrl"):
        section.note("at ", url)
    section.prose(requested.text("body") or output.text("body"))
    if message := output.text("message"):
        section.note("", one_line(message), "plain")
