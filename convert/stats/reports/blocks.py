"""Bars and histograms of blocks, or of plain signs where there are no blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convert.pictures.distribution import distribution
from convert.stats.summary import FATES, Fate

_HEIGHTS = "▁▂▃▄▅▆▇█"
_PLAIN_HEIGHTS = ".:-=+*#@"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FATES: Mapping[Fate, str] = dict(zip(FATES, "█▓▚░▒·", strict=True))
_PLAIN_FATES: Mapping[Fate, str] = dict(zip(FATES, "#=x.~?", strict=True))


def sign_of(fate: Fate, has_blocks: bool) -> str:
    """Return the sign of an outcome in a bar."""
    return (_FATES if has_blocks else _PLAIN_FATES)[fate]


def shares(counts: Mapping[Fate, int], width: int) -> dict[Fate, int]:
    """Divide a width by counts; each gets one column at least."""
    total = sum(counts.values())
    exact = {key: number * width / total for key, number in counts.items()}
    given = {key: max(int(part), 1) for key, part in exact.items()}
    while (rest := width - sum(given.values())) != 0:
        step = 1 if rest > 0 else -1
        able = [key for key in given if given[key] + step > 0]
        key = max(able, key=lambda key: (exact[key] - given[key]) * step)
        given[key] += step
    return given


def bar(share: float, width: int, has_blocks: bool) -> str:
    """Return a bar for a share of the width, at least a sliver unless it is nothing."""
    if not share:
        return ""
    if not has_blocks:
        return "#" * max(round(share * width), 1)
    whole, part = divmod(max(round(share * width * 8), 1), 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")


def histogram(
    values: Sequence[int], is_time: bool, width: int, has_blocks: bool
) -> str:
    """Return how many values there are in each place, from 0 to the largest."""
    if not values or width < 2:
        return ""
    # The last place is for values beyond the end of the axis.
    made = distribution([(value, value) for value in values], is_time, width - 1)
    most = max(map(len, made.places))
    signs = _HEIGHTS if has_blocks else _PLAIN_HEIGHTS
    wide = max(width // len(made.places), 1) if made.is_whole else 1
    drawn = [
        signs[-(-len(items) * len(signs) // most) - 1] if items else " "
        for items in made.places
    ]
    return "".join(sign.ljust(min(wide, 4)) for sign in drawn).rstrip()
