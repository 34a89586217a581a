"""A run as it is compared: its calls, its failures, its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from convert.diff.calls.aligned_call import (
    EXACT,
    SHORT_KEY,
    AlignedCall,
    Manner,
    aligned,
    keys_of,
)
from convert.diff.calls.arguments import EDITS
from convert.diff.calls.recorded_call import RecordedCall, batches_of, ends_of, numbered
from convert.diff.noise import Normaliser
from convert.diff.noise_values import Value
from convert.facts.changed_files import NetChange, NetStatus
from convert.facts.edits import Missing
from convert.facts.figures import Figures
from convert.facts.repeats import count_retries
from convert.facts.run_figures import RunFigures
from convert.model.events import Approved, Level
from convert.model.run import Run
from convert.options.settings import ArgumentsCount
from convert.wording.digests import blake2b


class Digest(Struct, frozen=True):
    """A content that is known by its digest."""

    text: str
    """The digest, in hexadecimal digits."""


KnownContent = Digest | Missing


class ApprovedChange(Struct, frozen=True):
    """The change of one file by an approved run."""

    path: str
    """The path after the rules for noise."""

    status: NetStatus
    """The difference between the contents."""

    before: KnownContent
    """The content before the first change."""

    after: KnownContent
    """The content after the last change."""

    effect: Digest | None
    """The change from one to the other; None if it is not recorded."""

    line: int
    """The line of the log that records the change."""

    @property
    def counts(self) -> None:
        """The numbers of lines added and removed are not recorded."""


def digest_of(text: str) -> Digest:
    """Return the digest of a content."""
    data = text.encode("utf-8", "surrogatepass")
    return Digest(blake2b(data, digest_size=8).hexdigest())


class ValuePlace(Struct, frozen=True):
    """The place of a value in the output that showed it first."""

    call: RecordedCall
    """The call that returned the output."""

    context: str
    """A digest of the name of the member, and of the texts around the value."""

    ordinal: int
    """How many other values of the shape have the same context before it."""


class FailedCall(Struct, frozen=True):
    """A call that failed, or that ended well although tests that it ran failed."""

    call: RecordedCall
    """The call."""

    hidden: str
    """How many tests failed in one that ended well; empty for any other."""

    resolved_by: RecordedCall | None
    """The later call that recovers it; None if it stays unresolved."""


def set_failures(calls: list[RecordedCall], figures: RunFigures) -> list[FailedCall]:
    """Set how each call went wrong, inner ones included; return the failures."""
    classes, resolved = figures.classes, figures.resolutions
    numbers = {*figures.unresolved_numbers(), *resolved}
    if not classes and not numbers:
        return []
    named = {each.name: each.call for each in numbered(calls)}
    for number, call in named.items():
        call.failure = classes.get(number)
    return [
        FailedCall(
            named[number],
            figures.hidden.get(number, ""),
            named.get(resolved.get(number, "")),
        )
        for number in sorted(
            numbers & named.keys(), key=lambda name: [*map(int, name.split("."))]
        )
    ]


class Trajectory(Struct):
    """A run as it is compared."""

    run: Run
    """The run itself; its own calls are not used, and are missing if a log was read."""

    level: Level
    """How much of the run its format records."""

    normaliser: Normaliser
    """The rules for the strings of this run."""

    figures: Figures
    """The figures of the run, without those of calls below the level `calls`."""

    net_changes: Iterable[NetChange | ApprovedChange]
    """The changes of the run to files in the end."""

    calls: list[RecordedCall] = []
    """The calls of the run itself, in the order in which they started."""

    ended: list[RecordedCall] = []
    """The calls of the run and those inside them, in the order in which they ended."""

    failures: list[FailedCall] = []
    """The failures, those of calls inside others included, in their order."""

    own_ids: set[str] = set()
    """The ids of the session, the calls and the processes, as they are recorded."""

    clock: tuple[int, int] | None = None
    """The times of the first and the last event in milliseconds since 1970.

    None if the log records no times.
    """

    has_named_directory: bool = False
    """The user named the directory of the run, and its log records none."""

    length: int | None = None
    """How long the run took, in milliseconds; None if the log does not record it."""

    found_arguments: set[str] = set()
    """The settings that name an argument of some call."""

    made: dict[Value, ValuePlace | None] | None = None
    """The values that marks replace, and where they were seen first.

    None for the trajectory of a log, whose texts have the values themselves.
    """

    approved: Approved | None = None
    """The run as it was approved; None if a log was read."""

    @property
    def all_calls(self) -> Iterator[RecordedCall]:
        """The calls of the run and all calls inside them."""
        return with_inner(self.calls)

    @property
    def is_failure_message(self) -> bool:
        """The log is text that holds only a message that the agent could not run."""
        is_failed = self.level == "text" and self.run.state == "error"
        return is_failed and not self.calls and self.run.text is None


class ComparedRun(Struct):
    """A run in one comparison, with its calls as they are aligned."""

    recorded: Trajectory
    """The run."""

    rules: Normaliser
    """The rules for its strings, perhaps with the directory of another run."""

    calls: list[AlignedCall]
    """The calls of the run itself, in the order in which they started."""

    lent_directory: str = ""
    """The directory of another run, if paths of this one are relative to that."""

    inferred_directory: str = ""
    """The directory that its paths show, if they are relative to that."""

    @property
    def all_calls(self) -> Iterator[AlignedCall]:
        """The calls of the run and all calls inside them."""
        return with_inner(self.calls)

    @property
    def aligned(self) -> dict[int, AlignedCall]:
        """All calls, by the identity of the calls as they are recorded."""
        return {id(call.recorded): call for call in self.all_calls}


class ComparedAgents(Struct, frozen=True):
    """The agents of two runs."""

    names: tuple[str, str]
    """Their names, such as `Claude Code`."""

    versions: tuple[str, str]
    """Their versions; "" where a log records none."""

    unrecorded: tuple[tuple[str, ...], tuple[str, ...]]
    """The facts that each log does not record, in a few words each."""

    @property
    def is_one(self) -> bool:
        """Both runs are of one agent, whose logs are of two kinds."""
        return len({*self.names}) == 1

    @property
    def spelled(self) -> tuple[str, str]:
        """Both names with their versions, as in `Codex 0.46.0`."""
        (a, b), (version_a, version_b) = self.names, self.versions
        return f"{a} {version_a}".rstrip(), f"{b} {version_b}".rstrip()


class ComparedDirectories(Struct, frozen=True):
    """The directories of two runs, where a log records none."""

    are_lacking: tuple[bool, bool]
    """The log has paths from the root, and records no directory."""

    lent: tuple[str, str]
    """The directory of the other run, if paths are relative to it."""

    inferred: tuple[str, str]
    """The directory that the paths of the run show, if they are relative to it."""


def compared_run(run: Trajectory, manner: Manner = EXACT) -> ComparedRun:
    """Return a run whose calls are compared in one manner."""
    return ComparedRun(run, run.normaliser, aligned(run.calls, manner))


_Call = TypeVar("_Call", RecordedCall, AlignedCall)


def with_inner(calls: list[_Call]) -> Iterator[_Call]:
    """Yield calls, each followed by those made inside."""
    for call in calls:
        yield call
        if call.children:
            yield from with_inner(call.children)


def retries_of(calls: list[RecordedCall], how: ArgumentsCount) -> int:
    """Count the retries among calls, and among those made inside each of them.

    `how` says how much of the arguments counts. Calls made at once have no order: one
    that ended well is a retry of one that failed.
    """
    tries = (
        (_retry_key(calls[place], how), calls[place].outcome == "ok")
        for batch in batches_of(ends_of(calls, "partial"))
        for place in sorted(batch, key=lambda place: calls[place].outcome == "ok")
    )
    return count_retries(tries) + sum(retries_of(call.children, how) for call in calls)


def _retry_key(call: RecordedCall, how: ArgumentsCount) -> bytes:
    forms = call.forms
    if how == "exact":
        # The other keys take much longer.
        return (forms.fragment or forms.usual).key[:SHORT_KEY]
    return keys_of(call, forms, forms.usual, Manner(how)).retry


def are_across(a: Trajectory, b: Trajectory) -> bool:
    """Return True for runs of two agents, or of one whose logs are of two kinds.

    A log of text does not count, since any text may be read as one.
    """
    if "text" in (a.level, b.level) or not (a.run.agent and b.run.agent):
        return False
    if a.run.agent != b.run.agent:
        return True
    is_approved = a.approved is not None or b.approved is not None
    return _are_of_two_kinds(a, b) and not is_approved


def _are_of_two_kinds(a: Trajectory, b: Trajectory) -> bool:
    """Return True if the logs of two runs of one agent do not record the same.

    Only one records how its run ended, or both its version and its directory.
    """
    if (a.run.state is None) != (b.run.state is None):
        return True
    has_version = [bool(run.run.agent_version) for run in (a, b)]
    has_directory = [
        bool(run.run.directory) and not run.has_named_directory for run in (a, b)
    ]
    return has_version == has_directory and len({*has_version}) > 1


def compared_by_fragment(calls: Iterable[RecordedCall]) -> int:
    """Count the edits that ended well, but whose effect is not recorded."""
    return sum(
        call.kind in EDITS and call.outcome == "ok" and call.forms.effect is None
        for call in calls
    )
