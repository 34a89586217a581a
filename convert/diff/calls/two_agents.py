"""Making the runs of two agents comparable, or of two kinds of logs of one agent."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from convert.diff.calls.aligned_call import AlignedCall, Manner
from convert.diff.calls.directories import lend_directories
from convert.diff.calls.trajectory import (
    ComparedAgents,
    ComparedRun,
    Trajectory,
    are_across,
    compared_by_fragment,
    compared_run,
)
from convert.facts.figures import unrecorded
from convert.model.events import Level
from convert.options.settings import Settings
from convert.tools.shell import only_looks
from convert.tools.subjects import led_by_directory

# Two agents pass different arguments, and have different names for errors. So their
# calls are compared by their subjects, and only by facts that both logs record.


def _unrecorded(run: Trajectory) -> Iterator[str]:
    """Yield the facts that are compared or shown, and that a log lacks."""
    yield from unrecorded(
        run.run,
        run.figures,
        has_prompt=bool(run.run.prompts),
        state=run.run.state,
        length=run.length,
    )
    calls = list(run.all_calls) if run.level == "calls" else []
    if compared_by_fragment(calls):
        yield "the changes of edits"
    if any(call.outcome == "error" and call.kind == "shell" for call in calls):
        yield "exit codes"
    if calls and all(call.output_kept is None for call in calls):
        yield "outputs"


def compare_across(
    one: ComparedRun, other: ComparedRun, level: Level, settings: Settings
) -> ComparedAgents:
    """Let two runs be compared by the parts that both record; return their agents."""
    if level == "calls" and settings.args_for(is_across=True) == "subject":
        _compare_subjects([*one.all_calls], [*other.all_calls])
    a, b = one.recorded, other.recorded
    return ComparedAgents(
        (a.run.agent, b.run.agent),
        (a.run.agent_version, b.run.agent_version),
        (tuple(_unrecorded(a)), tuple(_unrecorded(b))),
    )


def compared_across(
    runs: Sequence[Trajectory], settings: Settings
) -> list[ComparedRun]:
    """Return runs of several agents as they are compared; none of one agent.

    All calls are compared by the parts that all logs record. One agent whose logs are
    of two kinds counts as two.
    """
    if not any(are_across(runs[0], other) for other in runs[1:]):
        return []
    manner = Manner(settings.args_for(is_across=True), is_across=True)
    found = [compared_run(run, manner) for run in runs]
    lend_directories(found, settings)
    if manner.how == "subject":
        by_agent: dict[str, list[AlignedCall]] = {}
        for run in found:
            by_agent.setdefault(run.recorded.run.agent, []).extend(run.all_calls)
        first, *others = sorted(by_agent)
        others_calls = [call for agent in others for call in by_agent[agent]]
        _compare_subjects(by_agent[first], others_calls)
    return found


def _compare_subjects(ones: list[AlignedCall], others: list[AlignedCall]) -> None:
    """Let commands of two agents count by their folders, and by the files they show.

    The other agent may read such a file with a tool.
    """
    _state_places([*ones, *others])
    _know_files_shown(ones, others)
    _know_files_shown(others, ones)


# One agent writes `cd app && make`, another names the folder next to `make`. Most
# commands name no folder, and run wherever the shell is. So the folder counts only for
# a command that never comes without one in either run; any other is compared as
# written.
def _state_places(calls: list[AlignedCall]) -> None:
    """Set the folder of each command, if no equal command lacks one."""
    found = [*_places(calls)]
    unplaced = {command for _, command, place in found if not place}
    for call, command, place in found:
        named = "" if command in unplaced else place
        call.compare_in(replace(call.keys.manner, place=named))


def _places(calls: list[AlignedCall]) -> Iterator[tuple[AlignedCall, str, str]]:
    """Yield each command without its `cd`, and its folder; "" if it names none."""
    for call in calls:
        if call.recorded.kind != "shell":
            continue
        arguments = call.arguments
        command, named = arguments.get("command"), arguments.get("workingDirectory")
        if isinstance(command, str):
            folder, rest = led_by_directory(command)
            places = [place for place in (named, folder) if isinstance(place, str)]
            joined = posixpath.join("", *places)
            yield call, rest, posixpath.normpath(joined) if joined else ""


# A command such as `cat FILE` shows one file and does nothing else. It is the same as a
# read of that file by the other run, unless both runs ran the command.
# The options of each program that take a value.
_PROGRAMS: dict[str, tuple[str, ...]] = {
    "cat": (),
    "head": ("-n", "-c"),
    "nl": ("-b",),
    "sed": (),
    "tail": ("-n", "-c"),
}


def _know_files_shown(own: list[AlignedCall], other: list[AlignedCall]) -> None:
    """Let commands that show a file be reads where the other run has such a read."""
    reads = (
        call.arguments.get("path") for call in other if call.recorded.kind == "read"
    )
    read = {path for path in reads if isinstance(path, str)}
    if not read:
        return
    given = set(filter(None, map(_command, other)))
    for call in own:
        command = _command(call)
        if command and command not in given and (path := file_shown(command)) in read:
            call.compare_in(replace(call.keys.manner, shown_file=path))


def _command(call: AlignedCall) -> str:
    """Return a command that runs in no folder of its own; "" for any other call."""
    if call.recorded.kind == "shell":
        match call.arguments:
            # In another folder, the path would be another file.
            case {"command": str(command), **others} if (
                "workingDirectory" not in others
            ):
                return command
    return ""


def file_shown(command: str) -> str:
    """Return the one file that a command shows, doing nothing else; "" if none."""
    if command.partition(" ")[0] not in _PROGRAMS:
        return ""
    # The parser takes time to import, and few commands need it.
    from convert.tools.shell.syntax import parse

    if not only_looks(command):
        return ""
    syntax = parse(command)
    if syntax is None or len(syntax.commands) != 1:
        return ""
    program, *words = syntax.commands[0].words
    files = [*_operands(words, _PROGRAMS.get(program, ()))]
    if program == "sed":
        files = files[1:] if "-n" in words else []
    is_one = len(files) == 1 and files[0] not in ("", "-") and "\0" not in files[0]
    return posixpath.normpath(files[0]) if is_one else ""


def _operands(words: list[str], valued: tuple[str, ...]) -> Iterator[str]:
    """Yield the words that are neither options nor their values."""
    rest = iter(words)
    for word in rest:
        if word in valued:
            next(rest, None)
        elif not word.startswith("-") or word == "-":
            yield word
