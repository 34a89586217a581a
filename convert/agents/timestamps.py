"""The times of lines, as other agents write them."""

from __future__ import annotations

import datetime
from typing import Any


def milliseconds_of(value: Any) -> int | None:
    """Return a time such as `2026-11-23T06:00:00.123Z` in milliseconds since 1970.

    None if it is none. A time without a zone is in UTC, as these agents mean it.
    """
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    try:
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
