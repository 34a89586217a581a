"""The agents of two runs where these differ, and what the log of either lacks.

Two agents never pass the same arguments, and call what went wrong by other names. So
their calls are compared by what they are about, and only by facts that both record.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.edits_compared import compared_by_fragment
from convert.diff.lent_directories import lacks_directory
from convert.diff.outputs import ComparedOutput, end_of, printed_in
from convert.diff.trajectory import Trajectory
from convert.facts.unrecorded import unrecorded
from convert.tools.every_tool import BOOKKEEPING
from convert.wording.compiled import compiled

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
