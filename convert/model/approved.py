"""An approved run: its trajectory, ready to be compared, and nothing else.

Marks such as `<id 1>` replace the values in its texts that a run makes anew. A member
that is missing has its default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from convert.errors import InputError
from convert.model import Level, ReasonKind, State


def edited_by_hand(wrong: str, line: int | None = None) -> InputError:
    """Return the error for a trajectory that no program has written."""
    advice = "a trajectory is not edited by hand, so remove it and approve the run anew"
    return InputError(f"{wrong}; {advice}", line)


Count = Annotated[int, Meta(ge=0)]


class ApprovedMember(
    Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A part of an approved run; a member that is not one of its fields is refused."""


class ApprovedTests(ApprovedMember):
    """The tests that a command ran, as its output counted them."""

    passed: Count | None = 0
    """How many passed; None if only the others are counted."""

    failed: Count = 0
    skipped: Count = 0
    errors: Count = 0
    unit: Literal["tests", "packages"] = "tests"


class ApprovedCall(ApprovedMember):
    """A tool call: its arguments, how it ended, and the calls parallel to it."""

    tool: str
    """The full name of the tool, with that of its server or function."""

    kind: str = ""
    """The kind of the tool in the model, if its name does not show it."""

    arguments: dict[str, Any] = {}
    """The normalised arguments; an edit has its path and its effect."""

    about: str = ""
    """The target, of a log that records that instead of arguments."""

    outcome: str = "ok"
    """How the call ended, as `ok`, `error(1)`, `rejected` or `unfinished`."""

    message: str = ""
    """The reason of an error, of a log that shows only an action line."""

    new: bool = False
    """An edit made its file."""

    batch: Count = 0
    """The number of the step that made it together with others; 0 if none did."""

    after: str = ""
    """The number of the call that started before it, if not the one above."""

    until: str = ""
    """The number of the last call that started before it ended, if that is another.

    By default, a call ends before the next one starts, but for those made inside it.
    """

    fragment: str = ""
    """A digest of the arguments of an edit that is compared by its effect."""

    changes: bool | None = None
    """True if it changed a file; None if the other members show that."""

    acts: bool | None = None
    """True if it may have changed something; None if the other members show that."""

    failed: bool | None = None
    """True if it is a failed call; None if the other members show that."""

    tests: ApprovedTests | None = None
    """The tests that a command ran; None if its output counted none."""

    calls: list[ApprovedCall] = []
    """The calls of a subagent."""


class ApprovedFile(ApprovedMember):
    """The net change of one file; its contents are digests."""

    path: str
    """The path after the rules for noise."""

    status: Literal["new", "deleted", "changed", "unknown"] = "changed"
    """`new`, `deleted` or `changed`, or `unknown` if a content is not recorded."""

    before: str = ""
    after: str = ""
    """Digests of the contents; empty if there is no content or none is recorded."""

    effect: str = ""
    """A digest of the change between them; empty if that is not recorded."""


class MadeValue(ApprovedMember):
    """Where a value that a run made was seen first; empty if no output shows it."""

    call: str = ""
    """The number of the call whose output showed it, as `3`, or as `1.2` inside 1."""

    around: str = ""
    """A digest of the text around it there."""

    ordinal: Count = 0
    """How many other values of the shape have the same text around them before it."""


class ApprovedRun(ApprovedMember):
    """One run; texts are lists of lines."""

    level: Level = "calls"
    """How much of the run its log recorded."""

    agent: str = "Cursor"
    """The name of the agent; a trajectory that names none is of Cursor."""

    prompt: list[str] | None = None
    """The user's requests; None if none are recorded."""

    state: State | None = None
    """How the run ended; None if its log did not record that."""

    reason: str = ""
    """The message of an agent that could not run at all."""

    reason_kind: ReasonKind = ""
    """The kind of reason why the run ended, if state and reason do not show it."""

    calls: list[ApprovedCall] = []
    """The tool calls, in the order in which they started."""

    files: list[ApprovedFile] = []
    """The files that differ in the end, by their paths."""

    made: dict[str, MadeValue] = {}
    """The values that the run made, by their marks."""

    narration: list[str] = []
    """The text before the answer, if the final text repeats it."""

    answer: list[str] | None = None
    """The last segment of the text; None if segments are not recorded."""

    text: list[str] | None = None
    """The final text, where narration and answer are not its two parts."""

    @property
    def all_calls(self) -> Iterator[ApprovedCall]:
        """The calls of the run, each followed by those inside it."""
        return _with_inner(self.calls)


def _with_inner(calls: list[ApprovedCall]) -> Iterator[ApprovedCall]:
    for call in calls:
        yield call
        yield from _with_inner(call.calls)


class ApprovedSettings(ApprovedMember, rename="kebab"):
    """The settings for noise that a trajectory was made with, by their long names."""

    ignore_arg: list[str] = []
    keep_arg: list[str] = []
    scrub: list[str] = []
    raw: bool = False
    rules: Annotated[int, Meta(ge=1)] = 1
    """The number of the rules for noise, which is no setting of the user."""
