"""Calls that send messages, make images or report."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, encoded, ours
from convert.wording.numbers import count


def generate_image(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the description of an image, its size and its path."""
    if data := output.text("imageData"):
        section.notes.append(encoded(data, "image"))
    section.summary = ours("what the image shows")
    section.prose(arguments.text("description"))
    if path := output.text("filePath") or arguments.text("filePath"):
        section.note("kept in ", section.path(path), "path")


def computer_use(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the actions as JSON, the log as text, the screenshot's size."""
    actions = arguments.value("actions")
    total = output.number("actionCount")
    if total is not None:
        section.notes.append(count(total, "action"))
    section.milliseconds = output.number("durationMs")
    section.summary = ours("actions and log")
    section.json(actions, "argument")
    section.code(output.text("log"), "text")
    if picture := output.text("screenshot"):
        section.note(f"screenshot: {encoded(picture, 'image')}")
    if path := output.text("screenshotPath"):
        section.note("screenshot in ", section.path(path), "path")


def communicate_update(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the progress so far and the next step."""
    section.summary = ours("what it says")
    for name in ("completedSubtitle", "currentStep", "finalSummary"):
        section.prose(arguments.text(name))


def send_final_summary(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the summary."""
    section.summary = ours("the summary")
    section.prose(arguments.text("finalSummary") or output.text("finalSummary"))


def send_message(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the message and its attachment."""
    section.summary = ours("the message")
    section.prose(arguments.fields("text").text("content"))
    if url := arguments.fields("attachment").text("url"):
        section.note("attached: ", url)
