"""How long a run took."""

from __future__ import annotations

from convert.model.events import End
from convert.model.run import Run


def run_length(end: End | Run, duration_ms: int | None) -> int | None:
    """Return how long a run took: to its last timestamp, or as the agent says.

    In milliseconds; None if the log records neither.
    """
    span = None
    if end.started_ms is not None and end.ended_ms is not None:
        span = max(end.ended_ms - end.started_ms, 0)
    lengths = [each for each in (span, duration_ms) if each is not None]
    return max(lengths) if lengths else None
