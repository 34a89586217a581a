"""The times of the calls of a run, and the calls that were made together."""

from __future__ import annotations

import itertools

from msgspec import Struct

from convert.model.events import ToolCall
from convert.wording.numbers import duration, offset, utc


def longest_duration(call: ToolCall) -> str:
    """Say how long a call took at most; "" if its duration is known, or nothing is.

    One that was refused did nothing.
    """
    if call.longest_ms is None or (call.outcome and call.outcome.status == "rejected"):
        return ""
    return f"at most {duration(call.longest_ms)}"


def end_of(call: ToolCall) -> str:
    """Return the offset of the end of a call without a recorded start."""
    since = call.ended_since_start_ms
    return "" if since is None or since < 0 else f"ended {offset(since)}"


class CallTimes:
    """Follows the calls of one run in the order in which they start or end."""

    def __init__(self) -> None:
        self.has_clock = False
        """The transcript has a line that says where offsets count from."""
        self._last = ""

    def clock(self, call: ToolCall) -> str:
        """Say where offsets count from, for the first call that has one; "" if none."""
        started, since = call.started_ms, call.since_start_ms
        if self.has_clock or started is None or since is None or since < 0:
            return ""
        counted = self._counted("+0:12", started - since)
        return f"{counted}, and appear where they change."

    def clock_of_ends(self, call: ToolCall) -> str:
        """Say the same for the first call that has only a time of its end."""
        ended, since = call.ended_ms, call.ended_since_start_ms
        if self.has_clock or ended is None or since is None:
            return ""
        return (
            f"{self._counted('ended +0:12', ended - since)}. The log records only when"
            " calls ended, so a call took at most the time since the end before."
        )

    def _counted(self, example: str, first_ms: int) -> str:
        self.has_clock = True
        stamp = utc(first_ms)
        date = f", {stamp} UTC" if stamp else ""
        return (
            f"Times such as {example} count from the first timestamp of the run{date}"
        )

    def offset(self, call: ToolCall) -> str:
        """Return the offset of a call; "" if it is that of the call before."""
        since = call.since_start_ms
        if since is None and not self._last:
            # Many logs record no times.
            return ""
        written = "" if since is None or since < 0 else offset(since)
        if written == self._last:
            return ""
        self._last = written
        return written


# Two calls are in parallel if one starts before the other ends, and requested together
# if one response of the model made both. A subagent is neither with its own calls.
# A call names the latest of the calls that were open when it started, and the other
# way round: with thousands of calls that never end, all pairs would fill the memory.
_MOST_OPEN = 100
_MOST_RESPONSES = 8
_NONE: frozenset[int] = frozenset()


class _Open(Struct):
    """A call that has not ended."""

    id: str
    response_id: str
    others: set[int] = set()
    """The calls that were open when it started, and those that started since."""

    kin: set[int] = set()
    """The numbers of the subagent around it and of the calls inside it."""

    packed: list[int] = []
    """More of the others, as ranges: the first number and the last of each."""

    def pack(self) -> None:
        """Keep the others as ranges, since no more of them may come.

        With thousands of calls that never end, sets would take ten times the room.
        """
        for number in sorted(self.others):
            if self.packed and self.packed[-1] == number - 1:
                self.packed[-1] = number
            else:
                self.packed += (number, number)
        self.others = set()

    def all_others(self) -> set[int]:
        """Return the calls that were open at the same time."""
        ranges = zip(self.packed[::2], self.packed[1::2], strict=True)
        return self.others.union(*(range(begin, end + 1) for begin, end in ranges))


class ParallelCalls:
    """Follows the calls of one run; memory grows only with the open ones."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        # The open calls by their ids.
        self._numbers: dict[str, int] = {}
        # The calls of the last responses.
        self._responses: dict[str, set[int]] = {}

    def start(self, call: ToolCall) -> None:
        """Add a call when its first line arrives."""
        own = _Open(call.id, call.response_id)
        if self._open:
            self._start_next_to(call, own)
        self._open[call.number] = own
        if call.id:
            self._numbers[call.id] = call.number
        if not call.response_id:
            return
        responses = self._responses
        if (made := responses.get(call.response_id)) is None:
            responses[call.response_id] = {call.number}
            if len(responses) > _MOST_RESPONSES:
                del responses[next(iter(responses))]
        elif len(made) <= _MOST_OPEN:
            made.add(call.number)

    def _start_next_to(self, call: ToolCall, own: _Open) -> None:
        """Note that a call is open at the same time as others, or inside one."""
        latest = list(itertools.islice(reversed(self._open), _MOST_OPEN + 1))
        if len(latest) > _MOST_OPEN:
            self._open[latest.pop()].pack()
        own.others.update(latest)
        for number in latest:
            self._open[number].others.add(call.number)
        if call.parent and (around := self._numbers.get(call.parent)) is not None:
            self._open[around].kin.add(call.number)
            own.kin.add(around)

    def end(self, call: ToolCall) -> tuple[list[int], list[int]]:
        """Forget a call that ends.

        Returns the numbers of the calls in parallel with it, and of the others that
        were requested with it.
        """
        own = self._open.pop(call.number)
        if self._numbers.get(own.id) == call.number:
            del self._numbers[own.id]
        others = own.all_others() if own.packed else own.others
        made = self._responses.get(own.response_id, _NONE)
        if not others and len(made) <= (call.number in made):
            # Most calls are alone.
            return [], []
        kin = own.kin | {call.number}
        return sorted(others - kin), sorted(made - kin - others)


def numbers_in_words(numbers: list[int]) -> str:
    """Write numbers in rising order: `3`, `3 and 4`, `3, 7 to 9 and 12`, or nothing."""
    if len(numbers) <= 2:
        return " and ".join(map(str, numbers))
    parts: list[str] = []
    groups = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    for _, group in groups:
        run = [number for _, number in group]
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
