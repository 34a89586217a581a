"""When the calls of a run started, as far as that says something."""

from __future__ import annotations

from convert.model.events import ToolCall
from convert.wording.numbers import offset, utc


class CallTimes:
    """Follows the calls of one run in the order in which they start."""

    def __init__(self) -> None:
        self.has_clock = False
        """The first call that has a time has told what offsets count from."""
        self._last = ""

    def clock(self, call: ToolCall) -> str:
        """Say what offsets count from, for the first call that has one; "" if none."""
        started, since = call.started_ms, call.since_start_ms
        if self.has_clock or started is None or since is None or since < 0:
            return ""
        self.has_clock = True
        stamp = utc(started - since)
        date = f", {stamp} UTC" if stamp else ""
        return (
            f"Times such as +0:12 count from the first timestamp of the run{date}, "
            "and stand where they change."
        )

    def offset(self, call: ToolCall) -> str:
        """Return the offset of a call; "" if it is that of the call before."""
        since = call.since_start_ms
        written = "" if since is None or since < 0 else offset(since)
        if written == self._last:
            return ""
        self._last = written
        return written
