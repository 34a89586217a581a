"""The figures of runs that are counted, the axes of figures, and the groups of runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from convert.facts.changed_files import FileChange
from convert.model.events import Tokens
from convert.model.run import cost_of_fractions, dollars, fractions_of, json_number
from convert.scale.stats.summary import RunSummary
from convert.wording.numbers import duration, utc


class Metric(Struct, frozen=True):
    """One figure of a run."""

    name: str
    """The name in reports that programs read."""

    heading: str
    """The name for people."""

    unit: Literal["number", "time", "cost"]
    """A cost is counted in fractions of a dollar, as `model.cost` has them."""

    value: Callable[[RunSummary], int | None]
    """Returns the figure; None if the log does not record it."""

    adds_up: bool = True
    """The sum over runs is shown."""

    is_usual: bool = True
    """It is shown to people even if it is 0 in all runs."""

    is_least: Callable[[RunSummary], bool] = lambda run: False
    """True if the figure of a run is a lower bound."""

    def of_run(self, run: RunSummary) -> str:
        """Write the figure of a run for people."""
        return self.written(self.value(run), is_least=self.is_least(run))

    def written(self, value: int | None, *, is_least: bool = False) -> str:
        """Write a value of the figure for people."""
        if value is None:
            return "–"
        if self.unit == "cost":
            exact = dollars(cost_of_fractions(value))
        else:
            exact = duration(value) if self.unit == "time" else f"{value:,}"
        return f"at least {exact}" if is_least else exact

    def plain(self, value: int | None) -> int | float | None:
        """Return a value of the figure for programs."""
        if value is None or self.unit != "cost":
            return value
        return json_number(cost_of_fractions(value))


def _longest_pause(run: RunSummary) -> int | None:
    pauses = run.spent.pauses
    if pauses is None:
        return None
    return max((end - begin for begin, end in pauses), default=0)


def _cost(run: RunSummary) -> int | None:
    cost = run.figures.cost_usd
    return None if cost is None else fractions_of(cost)


def _of_changes(
    number: Callable[[FileChange], int | None],
) -> Callable[[RunSummary], int | None]:
    """Return the sum over the files of a run; None if a number is not recorded."""

    def total(run: RunSummary) -> int | None:
        numbers = [number(change) for change in run.figures.file_changes or ()]
        known = [each for each in numbers if each is not None]
        is_known = run.figures.file_changes is not None and len(known) == len(numbers)
        return sum(known) if is_known else None

    return total


_NO_TOKENS = Tokens()


METRICS = (
    Metric("calls", "calls", "number", lambda run: run.figures.calls),
    Metric("failed", "failed calls", "number", lambda run: run.figures.failed),
    Metric(
        "hidden",
        "hid failures",
        "number",
        lambda run: run.figures.hidden,
        is_usual=False,
    ),
    Metric(
        "rejected",
        "refused calls",
        "number",
        lambda run: run.figures.rejected,
        is_usual=False,
    ),
    Metric(
        "unfinished",
        "unfinished",
        "number",
        lambda run: run.figures.unfinished,
        is_usual=False,
    ),
    Metric("unresolved", "unresolved", "number", lambda run: run.figures.unresolved),
    Metric("retries", "retries", "number", lambda run: run.figures.retries),
    Metric("repeats", "repeats", "number", lambda run: run.repeats),
    Metric("time_ms", "time", "time", lambda run: run.length),
    Metric("agent_ms", "agent", "time", lambda run: run.spent.agent),
    Metric("commands_ms", "commands", "time", lambda run: run.spent.commands),
    Metric("pause_ms", "longest pause", "time", _longest_pause, False),
    Metric("parallel_ms", "in parallel", "time", lambda run: run.spent.in_parallel),
    Metric("at_once", "at once", "number", lambda run: run.spent.at_once, False),
    Metric(
        "tokens_in",
        "tokens in",
        "number",
        lambda run: (run.figures.tokens or _NO_TOKENS).fresh,
    ),
    Metric(
        "tokens_cache_read",
        "from the cache",
        "number",
        lambda run: (run.figures.tokens or _NO_TOKENS).cache_read,
        is_usual=False,
    ),
    Metric(
        "tokens_out",
        "tokens out",
        "number",
        lambda run: (run.figures.tokens or _NO_TOKENS).output,
        is_least=lambda run: (run.figures.tokens or _NO_TOKENS).is_least,
    ),
    Metric("cost_usd", "cost", "cost", _cost, is_usual=False),
    Metric("files", "files changed", "number", _of_changes(lambda _: 1)),
    Metric(
        "lines_added", "lines added", "number", _of_changes(lambda file: file.added)
    ),
    Metric(
        "lines_removed",
        "lines removed",
        "number",
        _of_changes(lambda file: file.removed),
    ),
)
METRIC = {metric.name: metric for metric in METRICS}

By = Literal["folder", "model", "day", "prompt", "agent", "reason", "reason_kind"]
Key = Callable[[RunSummary], str | None]
# More groups are shown only if an option asks for them.
MOST_GROUPS = 12


def key_of(by: By, runs: Sequence[RunSummary]) -> Key:
    """Return the function that names the group of a run.

    Many folders are grouped by the first part of their paths, if a few groups result.
    """
    if by == "folder" and len({*map(_folder, runs)}) > MOST_GROUPS:
        firsts = {*map(_first_folder, runs)}
        return _first_folder if 1 < len(firsts) <= MOST_GROUPS else _folder
    return _KEYS[by]


def day_of(run: RunSummary) -> str | None:
    """Return the day on which a run began, in UTC."""
    return utc(run.started_ms)[:10] or None if run.started_ms is not None else None


def _folder(run: RunSummary) -> str:
    folder = run.log.replace("\\", "/").rpartition("/")[0]
    return f"{folder}/" if folder else "."


def _first_folder(run: RunSummary) -> str:
    first, slash, _ = _folder(run).partition("/")
    return f"{first}{slash}"


_KEYS: dict[By, Key] = {
    "folder": _folder,
    "model": lambda run: run.model or None,
    "day": day_of,
    "prompt": lambda run: run.title or None,
    "agent": lambda run: run.agent or None,
    "reason": lambda run: run.reason or None,
    "reason_kind": lambda run: run.reason_kind or None,
}

T = TypeVar("T")

# An axis has so many places, and one more for values beyond its end.
_PLACES = 44
# In per cent: this share of the values does not exceed the round number at the end.
_MOST_INSIDE = 98
_NICE = (1, 1.5, 2, 3, 4, 5, 6, 8)
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_NICE_TIMES = (
    *(seconds * _SECOND for seconds in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45)),
    *(minutes * _MINUTE for minutes in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45)),
    *(hours * _HOUR for hours in (1, 2, 3, 4, 6, 8, 12, 18, 24)),
)


class Distribution(Struct, Generic[T]):
    """Values by their places on an axis."""

    top: int
    """The end of the axis; larger values are in the place after it."""

    places: list[list[T]]
    """The items whose values are in each place, from the left."""

    has_rest: bool
    """The last place is for values beyond the end."""

    is_whole: bool
    """Each place is one whole number."""

    def place(self, value: int) -> int:
        """Return the place of a value."""
        if value > self.top:
            return len(self.places) - 1
        if self.is_whole:
            return value
        inside = len(self.places) - self.has_rest
        return min(value * inside // max(self.top, 1), inside - 1)

    def middle(self, value: int) -> float:
        """Return the middle of the place of a value, in per cent of the width."""
        return 100 * (self.place(value) + 0.5) / len(self.places)


def distribution(
    items: Sequence[tuple[int, T]], is_time: bool, places: int = _PLACES
) -> Distribution[T]:
    """Put items in the places of their values, none of which is negative."""
    values = sorted(value for value, _ in items)
    most = values[-1] if values else 0
    inside = values[-(-len(values) * _MOST_INSIDE // 100) - 1] if values else 0
    top = _round(inside, is_time)
    is_whole = not is_time and top < places
    if is_whole:
        top = inside
    inner = top + 1 if is_whole else places
    has_rest = most > top
    made: Distribution[T] = Distribution(
        top, [[] for _ in range(inner + has_rest)], has_rest, is_whole
    )
    for value, item in items:
        made.places[made.place(value)].append(item)
    return made


def _round(value: int, is_time: bool) -> int:
    """Return the least round number that is not less than a value."""
    if is_time and value > _NICE_TIMES[0] // 2:
        days = (days * 24 * _HOUR for days in itertools.count(2))
        return next(top for top in itertools.chain(_NICE_TIMES, days) if top >= value)
    exact = (each * 10**power for power in itertools.count() for each in _NICE)
    return next(int(top) for top in exact if top % 1 == 0 and top >= value)


class Dot(Struct, Generic[T], frozen=True):
    """A run among others: its place in per cent, its height in rows from below."""

    x: float
    row: int
    item: T


def dots(
    made: Distribution[T], width: float, size: float, most_rows: int
) -> list[Dot[T]] | None:
    """Return a dot for each item, side by side where a place has room.

    `width` is that of the picture and `size` that of a dot. Returns None if more rows
    than `most_rows` are needed.
    """
    share = 100 / len(made.places)
    most_columns = max(int(width * share / 100 / size), 1)
    found: list[Dot[T]] = []
    for place, items in enumerate(made.places):
        columns = min(most_columns, -(-len(items) // most_rows) or 1)
        if len(items) > columns * most_rows:
            return None
        gap = 100 * size / width
        left = (place + 0.5) * share - gap * (columns - 1) / 2
        found += (
            Dot(round(left + gap * (at % columns), 2), at // columns, item)
            for at, item in enumerate(items)
        )
    return found


def heights(
    places: Sequence[Sequence[T]], kinds: Sequence[T]
) -> list[list[tuple[T, float, float]]]:
    """Return the parts of each place's bar: kind, lower end and height, from 0 to 1."""
    most = max(map(len, places), default=0) or 1
    bars = []
    for items in places:
        at = 0.0
        parts = []
        for kind in kinds:
            if height := items.count(kind) / most:
                parts.append((kind, at, height))
            at += height
        bars.append(parts)
    return bars
