"""Logs of any structure, made by number, so that tables and not luck decide on them.

specimens   an event of each kind that golden logs hold, and every member of them
values      texts and values for members, right and wrong
steps       the steps of a run, in every way in which agents do them; teller
            writes them, and runs puts them together
frames      how the events are written: lines, arrays, prefixes, noise, archives
planted     made-up secrets, put where they must not be shown
choices     values for every option, made from the options themselves
laws        the laws that hold for each log; an input tries a few of them
shrinking   the smallest log that still breaks a law
commands    the same for the command line
growing     logs that repeat a part of another, to see how time grows
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from support.generated import frames, planted, runs, values
from support.generated.specimens import Member, members, specimen

# One input in so many has a changed member, and secrets. They have no common divisor,
# so that both meet in some.
_STRUCK = 2
_WITH_SECRETS = 5


class Input(NamedTuple):
    """A generated log, and the facts that are known about it."""

    dice: random.Random
    """Makes the further choices."""

    log: bytes
    """The log as it is read."""

    retold: Callable[[], bytes]
    """Returns another telling of it, to compare with."""

    secrets: list[planted.Planted]
    """The secrets that it holds."""

    parts: frozenset[str]
    """The names of the steps, frames and changes that made it."""

    def shown(self, log: bytes, *outputs: str) -> list[str]:
        """Return its secrets that are in some outputs of the log or of a smaller one.

        A smaller or damaged log may lack the sign of a secret among other words.
        """
        is_sure = log == self.log and not self.is_found_elsewhere
        return [
            row.secret
            for row in self.secrets
            if any(row.secret in output for output in outputs)
            and (is_sure or row.is_whole_in(log))
        ]

    @property
    def is_in_context(self) -> bool:
        """Return True if only the words around a secret identify it."""
        return bool(self.parts & {"secret in context", "secret found elsewhere"})

    @property
    def is_found_elsewhere(self) -> bool:
        """Return True if a secret is one because of another place in the log."""
        return "secret found elsewhere" in self.parts


def made(seed: int, number: int) -> Input:
    """Make an input by number: each row of the tables has its turn."""
    dice = random.Random(f"{seed}/{number}/structured")
    parts: set[str] = set()
    events = _events(number, dice, parts)
    hidden: list[planted.Planted] = []
    if number % _WITH_SECRETS == 0:
        hidden = planted.plant(events, number, dice, parts)
    frame = frames.choose(number, dice)
    parts.add(f"frame {frame}")
    log = frames.write(frame, events, dice)

    def retold() -> bytes:
        return frames.write("lines", _retold(events, dice), dice)

    return Input(dice, log, retold, hidden, frozenset(parts))


def change_of(number: int) -> tuple[Member, str] | None:
    """Return the member that an input changes, and the way; None for most inputs."""
    if number % _STRUCK:
        return None
    turn = number // _STRUCK
    rows, ways = members(), [*values.WAYS]
    return rows[turn % len(rows)], ways[
        (turn // len(rows) + turn % len(rows)) % len(ways)
    ]


def _events(number: int, dice: random.Random, parts: set[str]) -> list[Any]:
    """Return the events of all runs, and an example of the member to change."""
    events = runs.tell(number, dice, parts)
    if change := change_of(number):
        member, way = change
        parts.update([f"member {member.name}", f"way {way}"])
        events.insert(dice.randint(0, len(events)), _changed(member, way, events, dice))
    return events


def _changed(member: Member, way: str, events: list[Any], dice: random.Random) -> Any:
    """Return an event whose member is changed, in the session of another."""
    event = specimen(member.kind, member.index)
    sessions = [it["session_id"] for it in events if runs.has_session(it)]
    if sessions:
        event["session_id"] = dice.choice(sessions)
    container = event
    for key in member.path[:-1]:
        container = container[key]
    values.WAYS[way](container, member.path[-1], dice)
    return event


def _retold(events: list[Any], dice: random.Random) -> list[Any]:
    """Return the events of another run of the same task: some gone, some exchanged."""
    told = [event for event in events if dice.random() > 0.1]
    if told and dice.random() < 0.3:
        a, b = dice.randrange(len(told)), dice.randrange(len(told))
        told[a], told[b] = told[b], told[a]
    return told
