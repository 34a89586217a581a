"""How calls ended, for a later line of the log that says otherwise."""

from __future__ import annotations

from convert.model.events import OK, Outcome, ToolCall
from convert.tools.outcomes import outcome_name, outcome_note
from convert.transcript.pieces import Correction
from convert.wording.sanitise import truncate

# How many calls that did not succeed are kept, and the characters of an outcome.
_MOST = 1000
_LONGEST = 200


class Endings:
    """The last calls that did not succeed; any other one that has ended did."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}

    def add(self, call: ToolCall) -> None:
        """Add a call that ends."""
        outcome = call.outcome
        if outcome is OK or outcome is None or outcome == OK:
            return
        self._outcomes[call.shown_number] = outcome
        if len(self._outcomes) > _MOST:
            del self._outcomes[next(iter(self._outcomes))]

    def correction(self, frame: ToolCall) -> Correction | None:
        """Return how a call ended by a further frame; None if that is known."""
        outcome = frame.outcome
        number = frame.shown_number
        known = self._outcomes.get(number, OK)
        if outcome is None or outcome_name(outcome) == outcome_name(known):
            return None
        self._outcomes[number] = outcome
        return Correction(number, truncate(outcome_note(outcome), _LONGEST))
