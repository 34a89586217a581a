"""Incidents, calls that never ended, and endings that a later line changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from convert.model.events import OK, End, Incident, Outcome, ToolCall
from convert.tools.phrases_and_outcomes import outcome_name, outcome_note
from convert.transcript.builder import json_text, ours
from convert.transcript.pieces import (
    Block,
    CallSection,
    Correction,
    Item,
    Items,
    Piece,
    Remark,
)
from convert.wording.escapes import harmless_line, truncate
from convert.wording.numbers import count, offset, utc
from convert.wording.styles_and_columns import Inline, Styled

# How many calls that did not succeed are kept, and the characters of an outcome.
_MOST_ENDINGS = 1000
_LONGEST_ENDING = 200


class Endings:
    """The last calls that did not succeed; any other one that has ended did."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}

    def add(self, call: ToolCall) -> None:
        """Add a call that ends."""
        if call.outcome is None or call.outcome == OK:
            return
        self._outcomes[call.shown_number] = call.outcome
        if len(self._outcomes) > _MOST_ENDINGS:
            del self._outcomes[next(iter(self._outcomes))]

    def correction(self, frame: ToolCall) -> Correction | None:
        """Return how a call ended by a further frame; None if that is known."""
        outcome = frame.outcome
        number = frame.shown_number
        known = self._outcomes.get(number, OK)
        if outcome is None or outcome_name(outcome) == outcome_name(known):
            return None
        self._outcomes[number] = outcome
        return Correction(number, truncate(outcome_note(outcome), _LONGEST_ENDING))


# How many are shown, and the characters of one.
_MOST_INCIDENTS = 20
_LONGEST_INCIDENT = 500
_MOST_CALLS = 10
# The states of a run without a result.
_CUT = ("cut", "unfinished")
_INCIDENT_NAMES = {
    "error": "error",
    "warning": "warning",
    "reconnecting": "connection lost",
    "reconnected": "reconnected",
    "connection": "connection",
    "retry": "retry",
    "task": "command in the background ended",
    "stopped": "commands in the background were stopped",
}
# Statuses that the name contains.
_SAID_BY_NAME = {"reconnecting", "reconnected", "starting", "error"}
_SAID_BY_NAME |= {"task_notification", "background_shell_timeout"}


class Trouble:
    """The last incidents of a run and its first open calls; others are counted."""

    def __init__(self) -> None:
        self._last: deque[Incident] = deque(maxlen=_MOST_INCIDENTS)
        # A command in the background that ends is nothing wrong by itself.
        self._count = self._wrong = 0
        # How often the connection was lost and came back, after how many attempts, and
        # how many incidents say that it is lost now.
        self._recovered = self._attempts = self._lost = 0
        self._unfinished: list[Item] = []
        self._unfinished_count = 0

    def add(self, incident: Incident) -> None:
        """Add the next incident."""
        # Those before it that are skipped count as of its kind.
        count = 1 + incident.earlier
        self._count += count
        self._wrong += count if incident.kind != "task" else 0
        if incident.kind == "reconnected" and self._lost:
            self._forget_loss()
            return
        self._lost = self._lost + count if incident.kind == "reconnecting" else 0
        self._last.append(incident)

    def _forget_loss(self) -> None:
        """Drop a loss of the connection from which the agent has recovered."""
        for _ in range(min(self._lost, len(self._last))):
            self._last.pop()
        self._attempts += self._lost
        self._count -= self._lost + 1
        self._wrong -= self._lost + 1
        self._lost = 0
        self._recovered += 1

    def recovered(self, end: End) -> str:
        """Say how often the connection was lost and came back; "" if it never was."""
        # A run that succeeds has its connection again, even if the log does not say so.
        lost = self._lost if end.state == "success" else 0
        times, attempts = self._recovered + (lost > 0), self._attempts + lost
        if not times:
            return ""
        often = "once" if times == 1 else f"{times:,} times"
        tried = f", {count(attempts, 'attempt')}" if attempts > times else ""
        return f"lost {often}{tried}"

    def add_unfinished(self, call: CallSection) -> None:
        """Add a call that has not ended."""
        self._unfinished_count += 1
        if len(self._unfinished) < _MOST_CALLS:
            line = [*ours(f"{call.prefix}{call.number}. "), *call.title]
            self._unfinished.append(Item(line=line))

    def explains(self, end: End) -> bool:
        """Return True if the incidents say why the run failed, or nobody does.

        That of a run that was cut off is one of them.
        """
        if end.state in _CUT:
            return True
        messages = {"", *(incident.message for incident in self._last)}
        return end.reason in messages or messages.issuperset(end.reason.split("; "))

    def incidents(self, end: End) -> Iterator[Piece]:
        """Yield the list of incidents, with the end of a run that broke off."""
        lost = self._lost if end.state == "success" else 0
        shown = [*self._last][: max(len(self._last) - lost, 0)]
        is_wrong = self._wrong > lost
        items = [*map(incident_line, shown)] if is_wrong else []
        earlier = self._count - lost - len(shown) if is_wrong else 0
        if end.state in _CUT:
            items.append(_how_cut(end))
        if items:
            yield Block(Items([Item(line=line) for line in items], skipped=earlier))

    def unfinished(self, end: End, follows: bool) -> Iterator[Piece]:
        """Yield the list of unfinished calls; they matter unless the run succeeded.

        `follows` says that a text is above.
        """
        if self._unfinished and end.state in (*_CUT, "error"):
            yield Remark(ours("Unfinished calls:"), follows=follows)
            omitted = self._unfinished_count - len(self._unfinished)
            yield Block(Items(self._unfinished, omitted=omitted))


def _how_cut(end: End) -> Inline:
    """Say when a run without a result ended, and why if the log says so."""
    words = "the run was cut off" if end.reason else "the log breaks off"
    started, ended = end.started_ms, end.ended_ms
    if ended is not None and (stamp := utc(ended)):
        is_dated = started is not None and ended >= started
        since = f" ({offset(ended - (started or 0))})" if is_dated else ""
        words = f"{words} at {stamp} UTC{since}"
    reason = _incident_text(end.reason)
    return [*ours(f"{words}: "), Styled(reason, "plain")] if reason else ours(words)


def incident_line(incident: Incident) -> Inline:
    """Put an incident into words: its name, how often, where, and why."""
    head = ", ".join([_INCIDENT_NAMES[incident.kind], *_incident_notes(incident)])
    if words := _incident_text(incident.message):
        is_alone = incident.kind == "error"
        return [*([] if is_alone else ours(f"{head}: ")), Styled(words, "plain")]
    if details := incident.details:
        words = _incident_text(json_text(details))
        return [*ours(f"{head}: "), Styled(words, "code")]
    return ours(head)


def _incident_notes(incident: Incident) -> list[str]:
    attempt, turns = incident.attempt, incident.checkpoint_turn
    notes = (
        "" if incident.status in _SAID_BY_NAME else harmless_line(incident.status),
        "" if attempt is None else f"attempt {attempt:,}",
        {None: "", True: "goes on", False: "from the start"}[incident.is_resume],
        "" if turns is None else f"{count(turns, 'turn')} kept",
        harmless_line(incident.endpoint),
    )
    return [truncate(note, _LONGEST_INCIDENT) for note in notes if note]


def _incident_text(text: str) -> str:
    return truncate(harmless_line(text), _LONGEST_INCIDENT)
