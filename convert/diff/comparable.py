"""Making runs comparable if their agents differ, or if a log lacks something."""

from __future__ import annotations

import marshal
import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.arguments import EDITS, ArgumentRules, ComparedTool, Form, Forms
from convert.diff.compared_call import SHORT_KEY, ComparedCall
from convert.diff.normalise import Normaliser
from convert.diff.outputs import ComparedOutput, end_of, printed_in
from convert.diff.trajectory import Trajectory
from convert.facts.figures import unrecorded
from convert.facts.run_reasons import BOOKKEEPING
from convert.options.settings import Settings
from convert.tools.shell import only_looks
from convert.tools.shell.directory import led_by_directory
from convert.wording import compiled

# Two agents never pass the same arguments, and call what went wrong by other names. So
# their calls are compared by what they are about, and only by facts that both record.
_CODE = r"error\((-?[0-9]+)\)"


class ComparedAgents(Struct, frozen=True):
    """The agents of two runs."""

    names: tuple[str, str]
    """Their names, such as `Claude Code`."""

    versions: tuple[str, str]
    """Their versions; "" where a log records none."""

    unrecorded: tuple[tuple[str, ...], tuple[str, ...]]
    """The facts that either log does not record, in a few words each."""

    lack_directory: tuple[bool, bool]
    """A log has paths from the root, and no directory, not even that of the other."""

    lent_directory: tuple[str, str]
    """The directory of the other run, if paths are taken for relative to it."""

    @property
    def is_one(self) -> bool:
        """Both runs are of one agent, whose logs are of two kinds."""
        return len({*self.names}) == 1

    @property
    def spelled(self) -> tuple[str, str]:
        """Both names with their versions, as in `Codex 0.46.0`."""
        (a, b), (version_a, version_b) = self.names, self.versions
        return f"{a} {version_a}".rstrip(), f"{b} {version_b}".rstrip()


def compared_agents(a: Trajectory, b: Trajectory) -> ComparedAgents | None:
    """Return the agents of two runs; None unless they or the kinds of logs differ."""
    if not are_across(a, b):
        return None
    return ComparedAgents(
        (a.run.agent, b.run.agent),
        (a.run.agent_version, b.run.agent_version),
        (tuple(_unrecorded(a)), tuple(_unrecorded(b))),
        (lacks_directory(a), lacks_directory(b)),
        (a.lent_directory, b.lent_directory),
    )


def are_across(a: Trajectory, b: Trajectory) -> bool:
    """Return True for runs of two agents, or of one whose logs are of two kinds.

    Any text may be read as that of an agent, so that it tells none.
    """
    if "text" in (a.level, b.level) or not (a.run.agent and b.run.agent):
        return False
    if a.run.agent != b.run.agent:
        return True
    is_approved = a.approved is not None or b.approved is not None
    return _are_of_two_kinds(a, b) and not is_approved


def _are_of_two_kinds(a: Trajectory, b: Trajectory) -> bool:
    """Return True if the logs of two runs of one agent do not record the same.

    One alone records how its run ended, or both its version and its directory.
    """
    if (a.run.state is None) != (b.run.state is None):
        return True
    has_version = [bool(run.run.agent_version) for run in (a, b)]
    has_directory = [
        bool(run.run.directory) and not run.has_named_directory for run in (a, b)
    ]
    return has_version == has_directory and len({*has_version}) > 1


def _unrecorded(run: Trajectory) -> Iterator[str]:
    """Yield what the log of a run does not record, of what is compared or shown."""
    yield from unrecorded(
        run.run,
        run.figures,
        has_prompt=bool(run.run.prompts),
        state=run.run.state,
        length=run.length,
    )
    calls = list(run.all_calls) if run.level == "calls" else []
    if compared_by_fragment(calls):
        yield "what edits changed"
    if any(call.outcome == "error" and call.kind == "shell" for call in calls):
        yield "exit codes"
    if calls and all(call.output_kept is None for call in calls):
        yield "outputs"


def has_other_outcome(a: ComparedCall, b: ComparedCall) -> bool:
    """Return True if two calls ended otherwise, as far as both logs tell.

    Exit codes count where both are recorded; other reasons are the agent's own words.
    """
    if a.compared_outcome != b.compared_outcome:
        return True
    codes = [compiled(_CODE).fullmatch(call.outcome) for call in (a, b)]
    return a.outcome != b.outcome and (not a.is_across or all(codes))


def comparable_output(output: ComparedOutput, kind: str) -> ComparedOutput | None:
    """Return the text in an output, without the members that agents have of their own.

    None for a kind of which agents return no text in common.
    """
    value = output.value
    if kind == "shell":
        text = printed_in(value)
    elif kind == "read" and isinstance(value, dict):
        text = end_of(value.get("content"))
    else:
        return None
    return output._replace(kept=marshal.dumps({"text": text.strip("\n")}, 2))


def is_bookkeeping(call: ComparedCall) -> bool:
    """Return True for a call by which an agent keeps its books, such as a to-do list.

    Agents differ in whether they have such tools.
    """
    return call.is_across and (
        call.kind in BOOKKEEPING or call.tool.removeprefix("function:") in BOOKKEEPING
    )


# The log of a run may lack effects, and an edit that failed has none. The text passed
# to the tool is then all that the two edits can have in common.
def choose_forms(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Compare each edit by its effect, unless the other run has only its fragment."""
    ones, others = ([call for call in calls if call.kind in EDITS] for calls in (a, b))
    _choose(ones, others)
    _choose(others, ones)


def compared_by_fragment(calls: Iterable[ComparedCall]) -> int:
    """Count the edits that ended well, but whose effect is not recorded."""
    return sum(
        call.kind in EDITS and call.outcome == "ok" and call.effect is None
        for call in calls
    )


def _choose(own: list[ComparedCall], other: list[ComparedCall]) -> None:
    effects = {call.effect.key for call in other if call.effect}
    fragments = {
        call.spelled_key[:SHORT_KEY]: call.spelled_key
        for call in other
        if call.effect is None
    }
    for call in other:
        # A fragment that says no more than the path may stand for any edit of a file.
        if call.effect and call.fragment:
            fragments.pop(call.fragment.key[:SHORT_KEY], None)
    for call in own:
        if call.effect is None or call.fragment is None:
            continue
        key = fragments.get(call.fragment.key[:SHORT_KEY])
        if key is None or call.effect.key in effects:
            call.compare_by(call.effect)
        else:
            # A trajectory keeps no more than the beginning of the key.
            call.compare_by(replace(call.fragment, key=key))


# A path from the root means the same in both logs. So those of a run without a
# directory are compared as if it had worked in that of the other run; elsewhere they
# stay as they are.
_ABOUT_FILES = ("read", "edit", "write", "delete", "ls")


def lend_directories(a: Trajectory, b: Trajectory, settings: Settings) -> None:
    """Let each of two runs have the directory of the other one, if it lacks its own."""
    for own, other in ((a, b), (b, a)):
        directory = other.run.directory
        if directory and not other.lent_directory and lacks_directory(own):
            _place(own, directory, settings)


def lacks_directory(run: Trajectory) -> bool:
    """Return True for a run with paths from the root and without a directory."""
    if run.run.directory or run.approved is not None or run.level != "calls":
        return False
    paths = (call.subject for call in run.all_calls if call.kind in _ABOUT_FILES)
    return any(path[:1] == "/" or path[1:2] == ":" for path in paths)


def _place(run: Trajectory, directory: str, settings: Settings) -> None:
    """Spell the strings of a run as if it had worked in a directory."""
    rules = Normaliser(settings, directory)
    forms = Forms(ArgumentRules(settings, rules), rules)
    for call in run.all_calls:
        _respell(call, forms)
    if "cwd" in rules.directories.used:
        run.normaliser, run.lent_directory = rules, directory


def _respell(call: ComparedCall, forms: Forms) -> None:
    tool = ComparedTool(call.kind, call.names, call.common_tool)

    def form_of(kept: bytes, hits: dict[str, int]) -> Form:
        arguments: dict[str, Any] = marshal.loads(kept)
        form = forms.fragment(tool, arguments, b"")
        return replace(form, hits={**hits, **form.hits})

    if call.fragment:
        call.fragment = form_of(call.fragment.kept, call.fragment.hits)
    if call.effect:
        call.effect = form_of(call.effect.kept, call.effect.hits)
    form = call.effect or form_of(call.arguments_kept, call.hits)
    call.compare_by(form)


# One agent writes `cd app && make`, another names the folder of `make` beside it. Most
# commands name no folder, and run wherever the shell is. So the folder counts only for
# a command that never comes without one in either run; any other is compared as
# written.
def state_places(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Give the commands of two runs the folders in which both say that they ran."""
    found = [*_places(a), *_places(b)]
    unplaced = {command for _, command, place in found if not place}
    for call, command, place in found:
        call.place_at("" if command in unplaced else place)


def _places(
    calls: Iterable[ComparedCall],
) -> Iterator[tuple[ComparedCall, str, str]]:
    """Yield each command without its `cd`, and its folder; "" if it names none."""
    for call in calls:
        if call.kind != "shell":
            continue
        arguments = call.arguments
        command, named = arguments.get("command"), arguments.get("workingDirectory")
        if isinstance(command, str):
            folder, rest = led_by_directory(command)
            places = [place for place in (named, folder) if isinstance(place, str)]
            joined = posixpath.join("", *places)
            yield call, rest, posixpath.normpath(joined) if joined else ""


# A command such as `cat FILE` shows one file and does nothing else. It is the same as a
# read of that file by the other run, unless both runs gave the command.
_READ = "read"
# The options of each program that take a value.
_PROGRAMS: dict[str, tuple[str, ...]] = {
    "cat": (),
    "head": ("-n", "-c"),
    "nl": ("-b",),
    "sed": (),
    "tail": ("-n", "-c"),
}


def know_files_shown(a: Iterable[ComparedCall], b: Iterable[ComparedCall]) -> None:
    """Let commands that show a file be reads where the other run has such a read."""
    ones, others = [*a], [*b]
    _know(ones, others)
    _know(others, ones)


def _know(own: list[ComparedCall], other: list[ComparedCall]) -> None:
    read = {path for call in other if call.kind == _READ for path in _paths(call)}
    given = {command for call in other for command in _command(call)} if read else {}
    for call in own:
        path = ""
        if call.kind == "shell" and read:
            command = next(_command(call), "")
            path = "" if command in given else file_shown(command)
        call.read_file(path if path in read else "")


def _paths(call: ComparedCall) -> Iterator[str]:
    match call.arguments:
        case {"path": str(path)}:
            yield path


def _command(call: ComparedCall) -> Iterator[str]:
    if call.kind != "shell":
        return
    match call.arguments:
        # In another folder, the path would be another file.
        case {"command": str(command), **others} if "workingDirectory" not in others:
            yield command


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
