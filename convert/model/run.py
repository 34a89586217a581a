"""A run: a fold over its events; and the cost of a run.

A cost is in US dollars, as the log records it; none is estimated. It is a decimal
number, so that sums and differences have no binary fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from convert.model.events import (
    Approved,
    End,
    EndOfLog,
    Event,
    Incident,
    Level,
    Prompt,
    ReasonKind,
    Result,
    Segment,
    Start,
    State,
    Thinking,
    ToolCall,
)


class CallPlace(Struct, frozen=True):
    """The place of a tool call among the events of its run, counted from 1."""

    started: int
    """The event that recorded the call first."""

    ended: int
    """The event that ended it, or that recorded it first if it is open."""


class Run(Struct, kw_only=True):
    """One execution of the agent, from prompt to final result."""

    number: int
    """The number of the run in its log, from 1."""

    level: Level = "calls"
    """How much of a run the format of the log records."""

    agent: str = ""
    """The name of the agent, such as `Cursor`."""

    agent_version: str = ""
    """The version of the agent; "" if not recorded."""

    session: str = ""
    """The id of the session; runs that were resumed share one. "" if not recorded."""

    directory: str = ""
    """The directory in which the agent worked; "" if not recorded."""

    model: str = ""
    """The name of the model, as the log shows it; "" if not recorded."""

    prompts: list[str] = []
    """The user's requests."""

    segments: list[Segment] = []
    """The assistant's text, cut at tool calls and interaction queries."""

    thinking: list[str] = []
    """The blocks of reasoning."""

    calls: list[ToolCall] = []
    """The tool calls, in the order in which they started."""

    call_places: list[CallPlace] = []
    """The place of each call among the events, which shows calls made in parallel."""

    event_count: int = 0
    """The number of events folded so far."""

    result: Result | None = None
    """The recorded end and figures of the run; None if its log records neither."""

    incidents: list[Incident] = []
    """The incidents of the run, in order."""

    state: State | None = None
    """How the run ended; None if the format does not record it."""

    reason: str = ""
    """The reason why the run failed; "" if the log does not say."""

    last_words: str = ""
    """The last message, if the reason is all messages joined, as `End` has it."""

    reason_kind: ReasonKind = ""
    """Its kind: a quota, the network, authentication, a cut, the agent or a tool.

    "" if the run succeeded, or its end is not recorded.
    """

    interrupted: Literal["", "reconnecting", "retry"] = ""
    """The agent was reconnecting or retrying when the run was cut; "" if neither."""

    ends_in_call: bool = False
    """No text follows the last call, as `End` has it."""

    span_ms: int | None = None
    """The milliseconds from the first timestamp to the last.

    None if the run has a result, or its log no timestamps.
    """

    started_ms: int | None = None
    """The first timestamp of the run's lines, in ms since 1970; None without one."""

    ended_ms: int | None = None
    """The last timestamp of the run's lines, in ms since 1970; None without one."""

    approved: Approved | None = None
    """The run as it was approved, if its log is a trajectory."""

    first_line: int = 0
    """The number of the first line of the run, from 1."""

    last_line: int = 0
    """The number of the last line of the run, from 1."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for json.dumps and the like.

        The members are the fields, and `text` and `answer`; those of calls, segments
        and the result are their fields. `approved`, `call_places`, `event_count` and
        `result.raw` are missing. A step of a subagent names its kind in `event`.
        """
        return _plain(self) | {"text": self.text, "answer": self.answer}

    @property
    def has_result(self) -> bool:
        """The log records the end of the run; without it, it may record figures."""
        return self.result is not None and self.state not in ("cut", "unfinished")

    @property
    def text(self) -> str | None:
        """The whole text of the assistant: as recorded, else the segments joined."""
        if self.result is not None and self.result.text is not None:
            return self.result.text
        return "".join(self.texts) if self.segments else None

    @property
    def answer(self) -> str | None:
        """The final message: the last segment that is not blank, or the result.

        None for a run that ends in a call, unless its log says how it ended.
        """
        said = (text for text in reversed(self.texts) if text.strip())
        last = next(said, self.text)
        if recorded := recorded_answer(self.result, last or "", self.ends_in_call):
            return recorded
        if self.ends_in_call and self.state is None:
            return self.result.text if self.result else None
        return last

    @property
    def texts(self) -> list[str]:
        """The text of each segment; the recorded result decides on halved ones."""
        texts = [segment.text for segment in self.segments]
        recorded = self.result.text if self.result else None
        if recorded is None or "".join(texts) == recorded:
            return texts
        # Few logs have segments that differ from the recorded text.
        return restore_halved(self.segments, recorded) or texts


def recorded_answer(result: Result | None, said: str, ends_in_call: bool) -> str | None:
    """Return the recorded text of a run, if that is its final message.

    It is where no text follows the last call, and where the last text is not its end:
    some agents record all text of a run, and others only the last.
    """
    if result is None or result.is_error or not (result.text or "").strip():
        return None
    said = said.strip()
    is_said = said and (result.text or "").rstrip().endswith(said)
    return None if is_said and not ends_in_call else result.text


_NOT_IN_DICT = {
    *("approved", "call_places", "event_count", "raw"),
    *("around", "texts_before"),
}


def _plain(value: Struct) -> dict[str, Any]:
    """Return the fields of a struct; the values of a tool are plain already."""
    members: dict[str, Any] = {}
    for name in value.__struct_fields__:
        if name in _NOT_IN_DICT:
            continue
        member = getattr(value, name)
        if isinstance(member, Struct):
            member = _plain(member)
        elif name == "cost_usd" and member is not None:
            # Imported here: most runs record no cost.
            member = json_number(member)
        elif name in ("segments", "calls", "incidents"):
            member = [_plain(item) for item in member]
        elif name == "steps" and member is not None:
            member = [{"event": type(item).__name__} | _plain(item) for item in member]
        members[name] = member
    return members


def collect(events: Iterable[Event]) -> Iterator[Run]:
    """Fold a stream of events into runs, each yielded when it ends."""
    runs: dict[int, Run] = {}
    for event in events:
        if isinstance(event, EndOfLog):
            continue
        run = runs.setdefault(event.run, Run(number=event.run))
        fold(run, event)
        if isinstance(event, End):
            yield runs.pop(event.run)


def fold(run: Run, event: Event) -> None:
    """Add an event to its run."""
    run.first_line = run.first_line or event.line
    run.last_line = event.line
    run.event_count += 1
    match event:
        case Start():
            _copy(_OF_START, event, run)
        case Prompt():
            run.prompts.append(event.text)
        case Thinking():
            run.thinking.append(event.text)
        case Segment():
            run.segments.append(event)
        case ToolCall():
            _place(run, event)
        case Result():
            run.result = event
        case Approved():
            run.approved = event
        case Incident():
            run.incidents.append(event)
        case End():
            _copy(_OF_END, event, run)


_OF_START = ("agent", "agent_version", "session", "directory", "model", "level")
_OF_END = (
    *("state", "reason", "last_words", "reason_kind", "interrupted", "span_ms"),
    *("started_ms", "ended_ms", "ends_in_call"),
)


def _copy(names: Iterable[str], event: Event, run: Run) -> None:
    for name in names:
        setattr(run, name, getattr(event, name))


def _place(run: Run, call: ToolCall) -> None:
    """Put a call where it started; a later frame updates the earlier one."""
    at = run.event_count
    if call.number > len(run.calls):
        run.calls.append(call)
        run.call_places.append(CallPlace(at, at))
        return
    index = call.number - 1
    if call.is_repeated:
        run.calls[index] = updated(run.calls[index], call)
    else:
        run.calls[index] = call
        run.call_places[index] = replace(run.call_places[index], ended=at)


def updated(call: ToolCall, frame: ToolCall) -> ToolCall:
    """Return a call that has ended with the facts of a further frame."""
    arguments = {**(call.arguments or {}), **(frame.arguments or {})}
    outcome = frame.outcome or call.outcome
    updated = replace(call, arguments=arguments or None, outcome=outcome)
    if frame.output is not None:
        updated.output, updated.steps = frame.output, frame.steps
        updated.arm = frame.arm
    return updated


_MOST_OFFSETS = 1000
# How many offsets a segment may add to those that are followed, on average.
_MOST_FOLLOWED = 20
_Reading = tuple[str, "_Reading"] | None


def restore_halved(segments: list[Segment], recorded: str) -> list[str] | None:
    """Return the texts of segments, some of the halved ones doubled, as recorded.

    Follows every offset that the text may have reached. Returns None if no choice makes
    the recorded text, or if there are too many such offsets.
    """
    if not any(segment.is_halved for segment in segments):
        return None
    reached: dict[int, _Reading] = {0: None}
    followed = -_MOST_OFFSETS
    for segment in segments:
        readings = [segment.text, segment.text * 2][: 1 + segment.is_halved]
        reached = {
            offset + len(text): (text, before)
            for offset, before in reached.items()
            for text in readings
            if recorded.startswith(text, offset)
        }
        followed += len(reached) - _MOST_FOLLOWED
        if len(reached) > _MOST_OFFSETS or followed > 0:
            return None
    reading = reached.get(len(recorded))
    texts = []
    while reading is not None:
        text, reading = reading
        texts.append(text)
    return texts[::-1] or None


# More dollars than any run costs.
_BEYOND_BELIEF = 10**9
# A program that adds up binary fractions records 0.30000000000000004.
_DIGITS = 12
_FRACTION = Decimal(1).scaleb(-_DIGITS)
# A smaller cost has two digits that count.
_SHOWN_IN_CENTS = Decimal("0.1")


def recorded_cost(value: Any) -> Decimal | None:
    """Return a number of dollars; None if it is none, negative or beyond belief."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value < _BEYOND_BELIEF:
        return None
    return Decimal(repr(value)).quantize(_FRACTION).normalize()


def total_cost(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Return the sum of the costs that are recorded; None if none is."""
    recorded = [cost for cost in costs if cost is not None]
    return sum(recorded, Decimal()) if recorded else None


def json_number(cost: Decimal) -> int | float:
    """Return a cost as a number of JSON."""
    return int(cost) if cost == cost.to_integral_value() else float(cost)


def fractions_of(cost: Decimal) -> int:
    """Return a cost as a whole number of its smallest fractions."""
    return int(cost.scaleb(_DIGITS))


def cost_of_fractions(fractions: int) -> Decimal:
    """Return the cost that so many fractions make."""
    return Decimal(fractions).scaleb(-_DIGITS).normalize()


def dollars(cost: Decimal) -> str:
    """Write a cost for people: `$0.42`, `$1,204.50`, `$0.0036`."""
    if not cost:
        return "$0"
    digits = 2 if abs(cost) >= _SHOWN_IN_CENTS else 1 - cost.adjusted()
    sign = "-" if cost < 0 else ""
    return f"{sign}${abs(cost):,.{digits}f}"


def cost_in_words(cost: Decimal, by: str) -> str:
    """Write a cost and who reports it."""
    return f"{dollars(cost)}, {reporter_in_words(by)}"


def reporter_in_words(by: str) -> str:
    """Write who reports a cost: an agent, or else the log."""
    return f"as {by} reports it" if by else "as the log records it"
