"""Calls by which the agent speaks, draws or reports."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, encoded, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line
from convert.wording.words import Words


def generate_image(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """What the image shows, how large it is and where it is kept."""
    if data := output.text("imageData"):
        section.notes.append(encoded(data, "image"))
    section.summary = ours("what the image shows")
    section.prose(arguments.text("description"))
    if path := output.text("filePath") or arguments.text("filePath"):
        section.note("kept in ", section.path(path), "path")


def computer_use(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """The actions as JSON, the log as text, the screenshot by size."""
    actions = arguments.value("actions")
    number = output.number("actionCount")
    if number is not None:
        section.notes.append(count(number, "action"))
    section.milliseconds = output.number("durationMs")
    section.summary = ours("actions and log")
    section.json(actions, "argument")
    section.code(output.text("log"), "text")
    if picture := output.text("screenshot"):
        section.note(f"screenshot: {encoded(picture, 'image')}")
    if path := output.text("screenshotPath"):
        section.note("screenshot in ", section.path(path), "path")


def reflect(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """The agent's thoughts, each under what it is about."""
    section.summary = ours("what it says")
    for name, label in (
        ("unexpectedActionOutcomes", "unexpected outcomes:"),
        ("relevantInstructions", "relevant instructions:"),
        ("scenarioAnalysis", "analysis:"),
        ("criticalSynthesis", "synthesis:"),
        ("nextSteps", "next steps:"),
    ):
        if text := arguments.text(name):
            section.note(label)
            section.prose(text)


def communicate_update(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """What is done and what comes next."""
    section.summary = ours("what it says")
    for name in ("completedSubtitle", "currentStep", "finalSummary"):
        section.prose(arguments.text(name))


def send_final_summary(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """The summary."""
    section.summary = ours("the summary")
    section.prose(arguments.text("finalSummary") or output.text("finalSummary"))


def send_message(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """The message and what is attached to it."""
    section.summary = ours("the message")
    section.prose(arguments.fields("text").text("content"))
    if url := arguments.fields("attachment").text("url"):
        section.note("attached: ", url)


def pr_management(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """The pull request: its title, its text and where it is."""
    asked = arguments.fields("createPr") or arguments.fields("updatePr")
    title = one_line(asked.text("title") or output.text("title"))
    if title:
        section.title = [Words("Managed pull request: ", "ours"), Words(title)]
    if (number := output.number("prNumber")) is not None:
        section.notes.append(f"number {number}")
    if section.call.arm in ("registered", "needsConfirmation"):
        is_open = section.call.arm == "needsConfirmation"
        section.notes.append("needs confirmation" if is_open else "registered")
    section.summary = ours("the pull request")
    if branch := asked.text("branchName") or output.text("branchName"):
        section.note("branch ", branch)
    if url := output.text("prUrl", "discoveredPrUrl"):
        section.note("at ", url)
    section.prose(asked.text("body") or output.text("body"))
    if message := output.text("message"):
        section.note("", one_line(message), "plain")
