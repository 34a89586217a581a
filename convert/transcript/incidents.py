"""What went wrong in a run apart from its calls, for people."""

from __future__ import annotations

from collections import deque

from convert.model import Incident
from convert.transcript.pieces import Item, Items, Part
from convert.transcript.section_builder import json_text, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line, strip_controls, truncate
from convert.wording.words import Inline, Words

# How many are shown, and the characters of one.
_MOST = 20
_LONGEST = 500
_NAMES = {
    "error": "error",
    "reconnecting": "connection lost",
    "reconnected": "reconnected",
    "connection": "connection",
    "retry": "retry",
    "task": "command in the background ended",
    "stopped": "commands in the background were stopped",
}
# Statuses that the name says already.
_SAID = {"reconnecting", "reconnected", "starting", "error"}
_SAID |= {"task_notification", "background_shell_timeout"}


class WhatWentWrong:
    """The last incidents of a run; the others are only counted."""

    def __init__(self) -> None:
        self._last: deque[Incident] = deque(maxlen=_MOST)
        self._count = 0
        # A command in the background that ends is nothing wrong by itself.
        self._is_wrong = False

    def add(self, incident: Incident) -> None:
        """Add the next incident."""
        self._last.append(incident)
        self._count += 1
        self._is_wrong = self._is_wrong or incident.kind != "task"

    def part(self) -> Part | None:
        """Return the list of incidents; None if nothing went wrong."""
        if not self._is_wrong:
            return None
        items = [Item(line=_line(incident)) for incident in self._last]
        if earlier := self._count - len(items):
            words = f"{count(earlier, 'earlier one')} left out"
            items.insert(0, Item(line=ours(words)))
        return Items(items)


def _line(incident: Incident) -> Inline:
    """Put an incident into words: what happened, how often, where, and why."""
    head = ", ".join([_NAMES[incident.kind], *_notes(incident)])
    if words := _shown(incident.message):
        is_alone = incident.kind == "error"
        return [*([] if is_alone else ours(f"{head}: ")), Words(words, "plain")]
    if details := incident.details:
        words = _shown(json_text(details))
        return [*ours(f"{head}: "), Words(words, "code")]
    return ours(head)


def _notes(incident: Incident) -> list[str]:
    notes = []
    if incident.status and incident.status not in _SAID:
        notes.append(one_line(strip_controls(incident.status)))
    if incident.attempt is not None:
        notes.append(f"attempt {incident.attempt:,}")
    if incident.is_resume is not None:
        notes.append("goes on" if incident.is_resume else "from the start")
    if incident.checkpoint_turn is not None:
        notes.append(f"{count(incident.checkpoint_turn, 'turn')} kept")
    if incident.endpoint:
        notes.append(one_line(strip_controls(incident.endpoint)))
    return [truncate(note, _LONGEST) for note in notes]


def _shown(text: str) -> str:
    return truncate(one_line(strip_controls(text)), _LONGEST)
