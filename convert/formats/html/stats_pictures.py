"""How the figures of many runs spread, as dots or bars of one size."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.pictures.distribution import (
    Distribution,
    Dot,
    distribution,
    dots,
    heights,
)
from convert.stats.metrics import METRIC, Metric
from convert.stats.quantiles import Spread
from convert.stats.statistics import Statistics
from convert.stats.summary import FATES, Fate, RunSummary
from convert.wording.numbers import count

_DISTRIBUTIONS = {
    "calls": "Calls",
    "time_ms": "Time",
    "failed": "Failed calls",
    "tokens_out": "Tokens out",
}
# More runs than this are drawn as bars.
_MOST_DOTS = 400
# In pixels: the narrowest picture, a dot with its gap, the middle of the lowest row,
# and the height of all rows.
_NARROWEST, _DOT, _BASE, _HEIGHT = 240, 6, 93, 90
# Dots are smaller where more than 15 are above one another.
_ROWS = (_HEIGHT // _DOT, 24)
_LETTER = 6


class Part(Struct, frozen=True):
    """A part of a bar, or a dot: places in per cent or in pixels."""

    fate: Fate
    x: float
    y: float
    width: float = 0
    height: float = 0
    run: int = 0


class Picture(Struct, frozen=True, kw_only=True):
    """How a figure spreads: its dots or bars, its ticks, and the same in words."""

    title: str
    dots: list[Part]
    radius: float
    bars: list[Part]
    ticks: list[tuple[float, str, str]]
    words: str
    most: str
    most_run: int


def pictures(statistics: Statistics, numbers: dict[int, int]) -> Iterator[Picture]:
    """Yield the pictures; `numbers` are those of the rows of runs, by their ids."""
    for name, title in _DISTRIBUTIONS.items():
        metric = METRIC[name]
        known = [
            (value, run)
            for run in sorted(statistics.runs, key=lambda run: FATES.index(run.fate))
            if (value := metric.value(run)) is not None
        ]
        if known:
            spread = statistics.total.spread(name)
            yield _picture(metric, title, known, spread, len(statistics.runs), numbers)


def _picture(
    metric: Metric,
    title: str,
    known: list[tuple[int, RunSummary]],
    spread: Spread,
    runs: int,
    numbers: dict[int, int],
) -> Picture:
    made = distribution(known, metric.unit == "time")
    pitch, drawn = _dots(made, runs)
    written = metric.written
    words = f"median {written(spread.median)}, 90 % up to {written(spread.p90)}"
    if spread.recorded < runs:
        words = f"{words}, of {count(spread.recorded, 'run')} that record it"
    _, most_run = max(known, key=lambda pair: pair[0])
    return Picture(
        title=title,
        dots=[
            Part(run.fate, dot.x, _BASE - pitch * dot.row, run=numbers[id(run)])
            for dot in drawn or ()
            for run in (dot.item,)
        ],
        radius=round(pitch * 0.43, 1),
        bars=[] if drawn is not None else [*_bars(made)],
        ticks=_ticks(made, metric, spread),
        words=words,
        most=f"most {written(spread.most)}",
        most_run=numbers[id(most_run)],
    )


def _dots(
    made: Distribution[RunSummary], runs: int
) -> tuple[float, list[Dot[RunSummary]] | None]:
    """Return the height of a row and the dots; None for these if there are too many."""
    for rows in _ROWS if runs <= _MOST_DOTS else ():
        drawn = dots(made, _NARROWEST, _DOT, rows)
        if drawn is not None:
            highest = max((dot.row for dot in drawn), default=0) + 1
            return min(_DOT, _HEIGHT / highest), drawn
    return _DOT, None


def _bars(made: Distribution[RunSummary]) -> Iterator[Part]:
    """Yield the parts of the bars of many runs."""
    fates: Distribution[Fate] = Distribution(
        made.top,
        [[run.fate for run in runs] for runs in made.places],
        made.has_rest,
        made.is_whole,
    )
    width = 100 / len(made.places)
    for place, parts in enumerate(heights(fates, FATES)):
        for fate, low, high in parts:
            y = _BASE + _DOT / 2 - _HEIGHT * (low + high)
            yield Part(fate, place * width, y, width * 0.85, _HEIGHT * high)


def _ticks(
    made: Distribution[RunSummary], metric: Metric, spread: Spread
) -> list[tuple[float, str, str]]:
    """Return place, label and class of the marks at the median and at 90 %."""
    ticks = []
    for value, class_ in ((spread.median, "median"), (spread.p90, "")):
        if value is not None:
            ticks.append((made.middle(value), metric.written(value), class_))
    if made.has_rest:
        ticks.append((100.0, f"> {metric.written(made.top)}", "rest"))
    kept: list[tuple[float, str, str]] = []
    for tick in ticks:
        if all(abs(tick[0] - other[0]) >= _room(tick, other) for other in kept):
            kept.append(tick)
    return kept


def _room(*ticks: tuple[float, str, str]) -> float:
    """Return how far labels must be from one another, in per cent of the width."""
    letters = sum(len(label) for _, label, _ in ticks) / 2
    return 100 * (letters + 1) * _LETTER / _NARROWEST
