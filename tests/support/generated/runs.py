"""The events of a log: one run or several, in turn or at once."""

from __future__ import annotations

import random

from support.generated.steps import STEPS
from support.generated.teller import Event, Teller

# A run has fewer steps than this, most often few.
_MOST = 6
_SESSIONS = ["0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21", "s2", "", "`|<b>"]


def tell(number: int, dice: random.Random, parts: set[str]) -> list[Event]:
    """Return the events of a log: one run or several, in turn or at once."""
    count = dice.choice([1, 1, 1, 1, 1, 2, 2, 3])
    sessions = [dice.choice(_SESSIONS) for _ in range(count)]
    runs = [
        _run(number + at, session, dice, parts) for at, session in enumerate(sessions)
    ]
    if dice.random() < 0.7 or count == 1:
        return [event for run in runs for event in run]
    parts.add("sessions at once")
    merged = []
    while runs:
        run = dice.choice(runs)
        merged += run[:2]
        del run[:2]
        runs = [run for run in runs if run]
    return merged


def _run(
    number: int, session: str, dice: random.Random, parts: set[str]
) -> list[Event]:
    teller = Teller(number, session, dice)
    names = [*STEPS]
    chosen = [names[number % len(names)]]
    chosen += dice.choices(names, k=min(dice.randrange(_MOST), dice.randrange(_MOST)))
    dice.shuffle(chosen)
    frame = dice.randrange(10)
    if frame < 8:
        chosen[:0] = ["init", "prompt"] if frame < 7 else ["prompt"]
    if frame % 5:
        chosen.append("result")
    for name in chosen:
        STEPS[name](teller)
    parts.update(f"step {name}" for name in chosen)
    return [*teller.events, *teller.late]


def has_session(event: Event) -> bool:
    """Return True for an event of a session, not for noise."""
    return isinstance(event, dict) and "session_id" in event
