"""Calls that run commands."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.section_builder import LONGEST_TITLE, SectionBuilder, ours
from convert.wording.numbers import count, duration, size
from convert.wording.words import Words

_ABORTS = {"USER_ABORT": "aborted by the user", "TIMEOUT": "aborted after its time"}


def shell(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the command and its output."""
    command = arguments.text("command") or output.text("command")
    directory = arguments.text("workingDirectory") or output.text("workingDirectory")
    printed = output.output("interleavedOutput")
    streams = [output.output("stdout"), output.output("stderr")]
    both = printed or "".join(streams)
    has_run = any(name in output for name in ("interleavedOutput", "stdout"))
    length = section.extent(both, "output") if has_run else ""
    description = arguments.text("description").strip()
    if description and ("\n" in command.strip() or len(command) > LONGEST_TITLE):
        section.title = [Words("Ran: ", "ours"), Words(description)]
        description = ""
    section.summary = _summary(description, length)
    section.code(command, "bash", "command")
    if directory and section.path(directory) != ".":
        section.note("in ", section.path(directory), "code")
    if printed or not all(streams):
        section.code(both, "console")
    else:
        section.note("standard output:")
        section.code(streams[0], "console")
        section.note("standard error:")
        section.code(streams[1], "console")
    _add_ending(arguments, output, section)


def _summary(description: str, length: str) -> list[Words]:
    words = [Words(description)] if description else []
    if not length:
        return words or ours("the command")
    dash = ours(" – ") if words else []
    return [*words, *dash, Words(length, "ours")]


def _add_ending(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Add how the command ended, as far as the outcome does not say it."""
    if output.flag("isBackground"):
        section.notes.append("in the background")
    if (limit := output.number("timeoutMs")) is not None:
        section.notes.append(f"limit {duration(limit)}")
    signal, outcome = output.text("signal"), section.call.outcome
    if signal and not (outcome and outcome.signal):
        section.notes.append(signal)
    if output.flag("aborted"):
        reason = output.text("abortReason").removeprefix("SHELL_ABORT_REASON_")
        section.notes.append(_ABORTS.get(reason, "aborted"))
    kept = output.fields("outputLocation")
    if path := kept.text("filePath"):
        figures = [
            count(kept.number("lineCount") or 0, "line"),
            size(kept.number("sizeBytes") or 0),
        ]
        what = f"the whole output is in a file, {', '.join(figures)}: "
        section.note(what, section.path(path))
    for name in ("localExecutionTimeMs", "executionTime"):
        if section.milliseconds is None and name in output:
            section.milliseconds = output.number(name)


def wait(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the state of a background task."""
    arm = section.call.arm
    for inner in ("complete", "stillRunning"):
        if inner in output:
            arm, output = inner, output.fields(inner)
    if arm in ("complete", "stillRunning"):
        section.notes.append("complete" if arm == "complete" else "still running")
    if (code := output.number("exitCode")) is not None:
        section.notes.append(f"exit {code}")
    if (ran := output.number("runtimeMs")) is not None:
        verb = "runs for" if arm == "stillRunning" else "ran"
        section.notes.append(f"the task {verb} {duration(ran)}")
    section.summary = ours("the task")
    if task := arguments.text("taskId") or output.text("taskId"):
        section.note("task ", task)
    if pattern := arguments.text("regex"):
        section.note("waits for ", pattern)
    if found := output.text("regexMatch"):
        section.note("found ", found)
    if path := output.text("outputFilePath"):
        length = size(output.number("outputLength") or 0)
        section.note(f"its output is in a file, {length}: ", section.path(path))


def write_shell_stdin(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the input and the terminal that it went to."""
    characters = arguments.text("chars")
    section.summary = ours(section.extent(characters, "input"))
    if (number := arguments.number("shellId")) is not None:
        section.note(f"to terminal {number}")
    section.code(characters, "text", "argument")
