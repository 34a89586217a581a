"""The events of a run as steps, each a response of the model."""

from __future__ import annotations

from convert.agents.atif.document import (
    NONE,
    IncidentFacts,
    PictureFacts,
    StepFacts,
    raw,
)
from convert.model.events import Event, Incident, Prompt, Segment, Thinking, ToolCall
from convert.model.run import updated


# An event after the calls of a step have ended begins the next step, unless it is known
# to be of the same response.
class OpenStep:
    """A step while its calls go on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.facts = StepFacts()
        self.message = ""
        self.has_message = False
        self.reasoning: str | None = None
        self.began_ms: int | None = None
        # The calls by their numbers, in the order in which they began and ended.
        self.calls: dict[int, ToolCall] = {}
        self.ended: dict[int, None] = {}
        # The numbers of calls as they began and, negative, as they ended during it.
        self.order: list[int] = []

    @property
    def is_over(self) -> bool:
        """All of its calls have ended; False without any."""
        return 0 < len(self.calls) == len(self.ended)

    @property
    def unusual_order(self) -> list[int] | None:
        """The order of begins and ends; None if its calls began before one ended."""
        usual = [*self.calls, *(-number for number in self.ended)]
        return None if self.order == usual else self.order

    def is_of(self, number: int, responses: dict[int, str]) -> bool:
        """Return True if the response that made a call made the others as well."""
        if not self.calls:
            return True
        ids = {responses.get(other, "") for other in self.calls}
        response = responses.get(number, "")
        if response and ids != {""}:
            return response in ids
        return not self.is_over


class Steps:
    """The steps of a run, or of a subagent in it."""

    def __init__(self, started_ms: int | None, events: list[Event]) -> None:
        self._started_ms = started_ms
        self._steps: list[OpenStep] = []
        # The step of each call, by its number.
        self._places: dict[int, OpenStep] = {}
        # The response that made each call; a log may name it only when the call ends.
        self._responses = {
            event.number: event.response_id
            for event in events
            if isinstance(event, ToolCall) and event.response_id
        }
        for event in events:
            self._take(event)

    @property
    def is_empty(self) -> bool:
        """Nothing happened."""
        return not self._steps

    def _take(self, event: Event) -> None:
        match event:
            case Prompt():
                step = self._begin("user")
                step.message = event.text
                step.facts.pictures = [
                    PictureFacts(image.media_type, image.size) for image in event.images
                ] or None
            case Incident():
                step = self._begin("system")
                step.message = event.message
                step.facts.incident = IncidentFacts(
                    kind=event.kind,
                    status=event.status,
                    attempt=event.attempt,
                    endpoint=event.endpoint,
                    is_resume=event.is_resume,
                    checkpoint_turn=event.checkpoint_turn,
                    details=raw(event.details) if event.details else NONE,
                    earlier=event.earlier,
                )
            case Thinking():
                step = self._begin("agent")
                step.reasoning = event.text
                step.facts.thinking_started_ms = event.started_ms
                step.facts.thinking_ended_ms = event.ended_ms
            case Segment():
                step = self._current()
                if step.has_message or step.calls:
                    step = self._begin("agent")
                step.message, step.has_message = event.text, True
                step.facts.is_halved = event.is_halved
            case ToolCall():
                self._call(event)

    def say(self, text: str) -> None:
        """Add a text that is known from the result alone."""
        step = self._begin("agent")
        step.message = text
        step.facts.is_result = True

    def _begin(self, source: str) -> OpenStep:
        step = OpenStep(source)
        self._steps.append(step)
        return step

    def _current(self) -> OpenStep:
        """Return the last step if it is the agent's, else a new one."""
        if self._steps and self._steps[-1].source == "agent":
            return self._steps[-1]
        return self._begin("agent")

    def _call(self, call: ToolCall) -> None:
        step = self._places.get(call.number)
        if step is None:
            step = self._current()
            if not step.is_of(call.number, self._responses):
                step = self._begin("agent")
            self._places[call.number] = step
        known = step.calls.get(call.number)
        if known is None:
            step.order.append(call.number)
        is_again = call.is_repeated and known is not None
        step.calls[call.number] = updated(known, call) if is_again and known else call
        if call.outcome is not None and call.number not in step.ended:
            step.ended[call.number] = None
            # It may belong to an earlier step.
            self._steps[-1].order.append(-call.number)

    def complete(self, ended_ms: int | None = None) -> list[OpenStep]:
        """Return all steps, at least one, each with the time when it began.

        A request at the beginning has the first timestamp of the run, and a text at the
        end the last one.
        """
        if not self._steps:
            self._begin("system").facts.is_filler = True
        first, last = self._steps[0], self._steps[-1]
        for step in self._steps:
            step.began_ms = self._began_ms(step)
        if first.source == "user":
            first.began_ms = self._started_ms
        if last.has_message and last.began_ms is None:
            last.began_ms = ended_ms
        return self._steps

    def _began_ms(self, step: OpenStep) -> int | None:
        """Return when the reasoning of a step began, or else its first call."""
        since_start = step.facts.thinking_started_ms
        if since_start is not None and self._started_ms is not None:
            return self._started_ms + since_start
        calls = (call.started_ms for call in step.calls.values())
        return next((began for began in calls if began is not None), None)
