"""The parts of a log that a writer asks for."""

from __future__ import annotations

from msgspec import Struct


class CallDetail:
    """How much of each tool call a writer reads; each level includes those before.

    They are numbers, which Python makes in a tenth of the time of an enum.
    """

    NONE = 0
    """No calls."""

    OUTCOMES = 1
    """Kind and name of a call, and how it ended."""

    ARGUMENTS = 2
    """Its arguments as well."""

    EVERYTHING = 3
    """Its output and its times as well, and an event when it starts."""


class Needs(Struct, frozen=True):
    """The parts of a log that a writer reads; a reader may leave the rest undecoded."""

    raw: bool = False
    """The bytes of every event (`Recorded`), and nothing else."""

    result: bool = False
    """How each run ended, with the bytes of the event that records it."""

    text: bool = False
    """Prompts and the assistant's text."""

    unrecorded_text: bool = False
    """The assistant's text of each run whose result does not record it.

    A log that can be read again is read for it where it is missing, and not before;
    other logs are read with `text`. Warnings about damaged texts come anyway.
    """

    thinking: bool = False
    """The reasoning."""

    calls: int = CallDetail.NONE
    """The tool calls: a `CallDetail`."""

    blocks: bool = False
    """The blocks of messages that are not read, which are counted.

    Asked for where the user names the format, since the log may be another agent's.
    With `text` or `unrecorded_text`, they are counted anyway.
    """

    figures: bool = False
    """How long a run took, the tokens it used, its model and its directory."""

    approved: bool = False
    """The runs of a trajectory as they were approved, next to their events."""


EVERYTHING = Needs(
    result=True,
    text=True,
    thinking=True,
    calls=CallDetail.EVERYTHING,
    figures=True,
    approved=True,
)
