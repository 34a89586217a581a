"""Calls that run commands."""

from __future__ import annotations

from convert.model.events import OK
from convert.transcript.builder import LONGEST_TITLE, SectionBuilder, ours
from convert.transcript.fields import (
    Fields,
    ShellArguments,
    ShellOutput,
    cleaned,
)
from convert.wording.escapes import one_line, resolve_overwrites, truncate
from convert.wording.numbers import count, duration, size
from convert.wording.styles_and_columns import Inline, Styled

# In characters.
_LONGEST_BEGINNING = 60
_MOVES = {
    "TIMEOUT": "moved to the background at its time limit",
    "USER_REQUEST": "moved to the background by the user",
}
# The states of a task in the background.
_TASKS = {"complete": "complete", "stillRunning": "still running"}
_ABORTS = {"USER_ABORT": "aborted by the user", "TIMEOUT": "aborted at its time limit"}


def shell(
    arguments: ShellArguments, output: ShellOutput, section: SectionBuilder
) -> None:
    """Show the command and its output."""
    command = cleaned(arguments.command) or cleaned(output.command)
    directory = cleaned(arguments.working_directory)
    directory = directory or cleaned(output.working_directory)
    streams = _streams(output)
    both = "".join(streams)
    if not section.call.arguments:
        section.called("Ran ", command, "code")
    description = cleaned(arguments.description).strip()
    if description and ("\n" in command.strip() or len(command) > LONGEST_TITLE):
        section.title = [*ours("Ran “"), Styled(description), *ours("”")]
        section.summary = _summary(_beginning(command), both, section)
    else:
        section.summary = _summary(Styled(description), both, section)
    section.code(command, "bash", "command")
    if directory and section.path(directory) != ".":
        section.note("in ", section.path(directory), "code")
    if len(streams) < 2:
        section.code(both, "console")
    else:
        section.label(ours("standard output"))
        section.code(streams[0], "console")
        section.label(ours("standard error"))
        section.code(streams[1], "console")
    _add_verdict(output, both, section)
    _add_ending(output, section)


def _streams(output: ShellOutput) -> list[str]:
    """Return the final text of a terminal: one text, or those of two streams."""
    both, *streams = output.interleaved_output, output.stdout, output.stderr
    if both and (printed := resolve_overwrites(both)):
        return [printed]
    return [*filter(None, [resolve_overwrites(text) for text in streams if text])]


def _beginning(command: str) -> Styled:
    """Return the beginning of a command that the title does not show."""
    first, line_feed, _ = command.strip().partition("\n")
    shown = truncate(one_line(first), _LONGEST_BEGINNING)
    return Styled(f"{shown} …" if line_feed and shown == first else shown, "code")


def _summary(about: Styled, both: str, section: SectionBuilder) -> Inline:
    """Show the command or its purpose, and say how much it printed."""
    length = section.extent(both, "output") if both else ""
    if not about.text:
        return ours(length or "the command")
    return [about, *ours(f" – {length}" if length else "")]


def _add_verdict(output: ShellOutput, both: str, section: SectionBuilder) -> None:
    """Say that the command ended with 0, and that it printed nothing, if it ended."""
    background = "in the background" if output.is_background else ""
    if output.background_reason is not None:
        reason = cleaned(output.background_reason)
        reason = reason.removeprefix("SHELL_BACKGROUND_REASON_")
        background = _MOVES.get(reason, background)
    if background:
        section.notes.append(background)
        return
    if section.call.outcome == OK and output.exit_code == 0:
        section.notes.append("exit 0")
    if not both and (output.stdout, output.interleaved_output) != (None, None):
        section.notes.append("no output")


def _add_ending(output: ShellOutput, section: SectionBuilder) -> None:
    """Add how the command ended, unless the outcome says it."""
    if output.timeout_ms is not None:
        section.notes.append(f"limit {duration(output.timeout_ms)}")
    signal, outcome = cleaned(output.signal), section.call.outcome
    if signal and not (outcome and outcome.signal):
        section.notes.append(signal)
    if output.aborted:
        reason = cleaned(output.abort_reason).removeprefix("SHELL_ABORT_REASON_")
        section.notes.append(_ABORTS.get(reason, "aborted"))
    if (kept := output.output_location) and (path := cleaned(kept.file_path)):
        figures = [count(kept.line_count or 0, "line"), size(kept.size_bytes or 0)]
        what = f"the whole output is in a file, {', '.join(figures)}: "
        section.note(what, section.path(path))
    section.milliseconds = output.local_execution_time_ms
    if section.milliseconds is None:
        section.milliseconds = output.execution_time


def wait(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the state of a background task."""
    arm = section.call.arm
    for inner in _TASKS:
        if inner in output:
            arm, output = inner, output.fields(inner)
    section.notes.append(_TASKS.get(arm, ""))
    section.figure(output.number("exitCode"), "exit {}".format)
    verb = "runs for" if arm == "stillRunning" else "ran"
    ran = output.number("runtimeMs")
    section.figure(ran, lambda ran: f"the task {verb} {duration(ran)}")
    section.summary = ours("task")
    section.mention("task ", arguments.text("taskId") or output.text("taskId"))
    section.mention("waits for ", arguments.text("regex"))
    section.mention("found ", output.text("regexMatch"))
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
