"""When the calls of a run started or ended, as far as that says something."""

from __future__ import annotations

from convert.model.events import ToolCall
from convert.wording.numbers import duration, offset, utc


def at_most(call: ToolCall) -> str:
    """Say how long a call took at most, if only that is known; "" if not.

    One that was refused did nothing.
    """
    if call.longest_ms is None or (call.outcome and call.outcome.status == "rejected"):
        return ""
    return f"at most {duration(call.longest_ms)}"


def end_of(call: ToolCall) -> str:
    """Return the offset of the end of a call of which only that is recorded."""
    since = call.ended_since_start_ms
    return "" if since is None or since < 0 else f"ended {offset(since)}"


class CallTimes:
    """Follows the calls of one run in the order in which they start or end."""

    def __init__(self) -> None:
        self.has_clock = False
        """The first call that has a time has told what offsets count from."""
        self._last = ""

    def clock(self, call: ToolCall) -> str:
        """Say what offsets count from, for the first call that has one; "" if none."""
        started, since = call.started_ms, call.since_start_ms
        if self.has_clock or started is None or since is None or since < 0:
            return ""
        counted = self._counted("+0:12", started - since)
        return f"{counted}, and stand where they change."

    def clock_of_ends(self, call: ToolCall) -> str:
        """Say the same for the first call of which only the end has a time."""
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
        written = "" if since is None or since < 0 else offset(since)
        if written == self._last:
            return ""
        self._last = written
        return written
