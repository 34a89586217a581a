"""Calls by which the agent speaks, draws or reports."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.shown import Shown, encoded, ours
from convert.wording.figures import count
from convert.wording.harmless import one_line
from convert.wording.words import Words


def generate_image(arguments: Fields, output: Fields, shown: Shown) -> None:
    """What the image shows, how large it is and where it is kept."""
    if data := output.text("imageData"):
        shown.notes.append(encoded(data, "image"))
    shown.summary = ours("what the image shows")
    shown.prose(arguments.text("description"))
    if path := output.text("filePath") or arguments.text("filePath"):
        shown.note("kept in ", shown.path(path), "path")


def computer_use(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The actions as JSON, the log as text, the screenshot by size."""
    actions = arguments.value("actions")
    number = output.number("actionCount")
    if number is not None:
        shown.notes.append(count(number, "action"))
    shown.milliseconds = output.number("durationMs")
    shown.summary = ours("actions and log")
    shown.json(actions, "argument")
    shown.code(output.text("log"), "text")
    if picture := output.text("screenshot"):
        shown.note(f"screenshot: {encoded(picture, 'image')}")
    if path := output.text("screenshotPath"):
        shown.note("screenshot in ", shown.path(path), "path")


def reflect(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The agent's thoughts, each under what it is about."""
    shown.summary = ours("what it says")
    for name, label in (
        ("unexpectedActionOutcomes", "unexpected outcomes:"),
        ("relevantInstructions", "relevant instructions:"),
        ("scenarioAnalysis", "analysis:"),
        ("criticalSynthesis", "synthesis:"),
        ("nextSteps", "next steps:"),
    ):
        if text := arguments.text(name):
            shown.note(label)
            shown.prose(text)


def communicate_update(arguments: Fields, output: Fields, shown: Shown) -> None:
    """What is done and what comes next."""
    shown.summary = ours("what it says")
    for name in ("completedSubtitle", "currentStep", "finalSummary"):
        shown.prose(arguments.text(name))


def send_final_summary(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The summary."""
    shown.summary = ours("the summary")
    shown.prose(arguments.text("finalSummary") or output.text("finalSummary"))


def send_message(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The message and what is attached to it."""
    shown.summary = ours("the message")
    shown.prose(arguments.fields("text").text("content"))
    if url := arguments.fields("attachment").text("url"):
        shown.note("attached: ", url)


def pr_management(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The pull request: its title, its text and where it is."""
    asked = arguments.fields("createPr") or arguments.fields("updatePr")
    title = one_line(asked.text("title") or output.text("title"))
    if title:
        shown.title = [Words("Managed pull request: ", "ours"), Words(title)]
    if (number := output.number("prNumber")) is not None:
        shown.notes.append(f"number {number}")
    if shown.call.arm in ("registered", "needsConfirmation"):
        is_open = shown.call.arm == "needsConfirmation"
        shown.notes.append("needs confirmation" if is_open else "registered")
    shown.summary = ours("the pull request")
    if branch := asked.text("branchName") or output.text("branchName"):
        shown.note("branch ", branch)
    if url := output.text("prUrl", "discoveredPrUrl"):
        shown.note("at ", url)
    shown.prose(asked.text("body") or output.text("body"))
    if message := output.text("message"):
        shown.note("", one_line(message), "plain")
