"""Calls that run commands."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.shown import Shown, ours
from convert.wording.figures import count, duration, size
from convert.wording.words import Words

_ABORTS = {"USER_ABORT": "aborted by the user", "TIMEOUT": "aborted after its time"}


def shell(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The command and what it printed."""
    command = arguments.text("command") or output.text("command")
    directory = arguments.text("workingDirectory") or output.text("workingDirectory")
    printed = output.output("interleavedOutput")
    streams = [output.output("stdout"), output.output("stderr")]
    both = printed or "".join(streams)
    has_run = any(name in output for name in ("interleavedOutput", "stdout"))
    given = shown.extent(both, "output") if has_run else ""
    shown.summary = _summary(arguments.text("description"), given)
    shown.code(command, "bash", "command")
    if directory and shown.path(directory) != ".":
        shown.note("in ", shown.path(directory), "code")
    if printed or not all(streams):
        shown.code(both, "console")
    else:
        shown.note("standard output:")
        shown.code(streams[0], "console")
        shown.note("standard error:")
        shown.code(streams[1], "console")
    _how_it_ended(arguments, output, shown)


def _summary(description: str, given: str) -> list[Words]:
    said = [Words(description)] if description else []
    if not given:
        return said or ours("the command")
    dash = ours(" – ") if said else []
    return [*said, *dash, Words(given, "ours")]


def _how_it_ended(arguments: Fields, output: Fields, shown: Shown) -> None:
    """What the outcome does not say of a command."""
    if output.flag("isBackground"):
        shown.notes.append("in the background")
    if (limit := output.number("timeoutMs")) is not None:
        shown.notes.append(f"limit {duration(limit)}")
    if signal := output.text("signal"):
        shown.notes.append(signal)
    if output.flag("aborted"):
        reason = output.text("abortReason").removeprefix("SHELL_ABORT_REASON_")
        shown.notes.append(_ABORTS.get(reason, "aborted"))
    kept = output.fields("outputLocation")
    if path := kept.text("filePath"):
        figures = [
            count(kept.number("lineCount") or 0, "line"),
            size(kept.number("sizeBytes") or 0),
        ]
        shown.note(f"the whole output is in a file, {', '.join(figures)}: ", path)
    for name in ("localExecutionTimeMs", "executionTime"):
        if shown.milliseconds is None and name in output:
            shown.milliseconds = output.number(name)


def wait(arguments: Fields, output: Fields, shown: Shown) -> None:
    """How a background task stands."""
    arm = shown.call.arm
    for inner in ("complete", "stillRunning"):
        if inner in output:
            arm, output = inner, output.fields(inner)
    if arm in ("complete", "stillRunning"):
        shown.notes.append("complete" if arm == "complete" else "still running")
    if (code := output.number("exitCode")) is not None:
        shown.notes.append(f"exit {code}")
    if (ran := output.number("runtimeMs")) is not None:
        verb = "runs for" if arm == "stillRunning" else "ran"
        shown.notes.append(f"the task {verb} {duration(ran)}")
    shown.summary = ours("the task")
    if task := arguments.text("taskId") or output.text("taskId"):
        shown.note("task ", task)
    if pattern := arguments.text("regex"):
        shown.note("waits for ", pattern)
    if found := output.text("regexMatch"):
        shown.note("found ", found)
    if path := output.text("outputFilePath"):
        length = size(output.number("outputLength") or 0)
        shown.note(f"its output is in a file, {length}: ", path)


def write_shell_stdin(arguments: Fields, output: Fields, shown: Shown) -> None:
    """What was typed into which terminal."""
    characters = arguments.text("chars")
    shown.summary = ours(shown.extent(characters, "input"))
    if (number := arguments.number("shellId")) is not None:
        shown.note(f"to terminal {number}")
    shown.code(characters, "text", "argument")
