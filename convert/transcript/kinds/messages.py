"""Calls that send messages, make images or report."""

from __future__ import annotations

from convert.tools.table import TOOLS
from convert.transcript.fields import Fields
from convert.transcript.section_builder import SectionBuilder, encoded, ours
from convert.wording.numbers import count, duration
from convert.wording.words import Words

_RECORDINGS = {"start": "Started", "save": "Saved", "discard": "Discarded"}


def generate_image(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the description of an image, its size and its path."""
    if data := output.text("imageData"):
        section.notes.append(encoded(data, "image"))
    description = arguments.text("description")
    section.summary = ours("what the image shows" if description else "its file")
    section.prose(description)
    if path := output.text("filePath"):
        section.note("kept in ", section.path(path), "path")


def record_screen(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Say whether a recording was started, saved or discarded, and where it is."""
    name = arguments.text("saveAsFilename")
    mode = arguments.text("mode")
    verb = _of_recording(section.call.arm, mode)
    phrase = TOOLS["recordScreen"].phrases.en
    section.title = ours(f"{verb} screen recording" if verb else phrase)
    if mode and not verb:
        section.title += [*ours(" "), Words(mode, "code")]
    if name:
        section.title += [*ours(": "), Words(section.path(name), "path")]
    if (length := output.number("recordingDurationMs")) is not None:
        section.notes.append(f"{duration(length)} long")
    if output.flag("wasPriorRecordingCancelled"):
        section.notes.append("an earlier recording was cancelled")
    if output.flag("wasSaveAsFilenameIgnored"):
        section.notes.append("the file name was ignored")
    if reason := output.text("requestedFilePathRejectedReason"):
        section.notes.append(f"the path was refused: {reason}")
    path = section.path(output.text("path"))
    if path not in (".", name):
        section.begin("file")
        section.note("kept in ", path, "path")


def _of_recording(arm: str, mode: str) -> str:
    """Say what became of a recording, by the result, else by what was asked for."""
    for name, verb in _RECORDINGS.items():
        if arm == f"{name}Success":
            return verb
    words = mode.lower().split("_")
    return next((verb for name, verb in _RECORDINGS.items() if name in words), "")


def computer_use(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the actions as JSON, the log as text, the screenshot's size."""
    actions = arguments.value("actions")
    total = output.number("actionCount")
    if total is not None:
        section.notes.append(count(total, "action"))
    section.milliseconds = output.number("durationMs")
    section.begin("actions")
    section.json(actions, "argument")
    section.begin("log")
    section.code(output.text("log"), "text")
    section.begin("screenshot")
    if picture := output.text("screenshot"):
        section.note(encoded(picture, "image"))
    if path := output.text("screenshotPath"):
        section.note("kept in ", section.path(path), "path")


def communicate_update(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the progress so far and the next step."""
    section.begin("what it says")
    for name in ("completedSubtitle", "currentStep", "finalSummary"):
        section.prose(arguments.text(name))


def send_final_summary(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the summary."""
    section.begin("summary")
    section.prose(arguments.text("finalSummary") or output.text("finalSummary"))


def send_message(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the message and its attachment."""
    section.begin("message")
    section.prose(arguments.fields("text").text("content"))
    if url := arguments.fields("attachment").text("url"):
        section.note("attached: ", url)
