"""The median of a figure: of an even number of runs, the mean of the two in the middle.

`stats` shows figures that some run has, and takes the lower of the two.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable


def median_of(values: Iterable[int | None]) -> int | float | None:
    """Return the median of the values that are recorded; None if none is.

    It is whole, or half of a whole number.
    """
    recorded = [value for value in values if value is not None]
    if not recorded:
        return None
    median = statistics.median(recorded)
    return int(median) if median == int(median) else median
