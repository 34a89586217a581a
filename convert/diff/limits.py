"""Limits for what a run uses: against the baseline, or for the candidate alone."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from msgspec import Struct

from convert.diff.changes import RunComparison
from convert.facts.figures import unlike_tokens
from convert.options.settings import Category, Settings
from convert.options.values import milliseconds


class Limit(Struct, frozen=True):
    """A limit that the settings ask for, with the figures to check."""

    category: Category
    """The category of the finding if the limit is exceeded."""

    what: str
    """The name of the figure in messages."""

    option: str
    """The option that sets the limit, with its value."""

    baseline: int | Decimal | None
    """The figure of the baseline; None if its log does not record it."""

    candidate: int | Decimal | None
    """The figure of the candidate; None if its log does not record it."""

    is_exceeded: bool
    """The candidate is above the limit."""

    missing: list[str]
    """The sides that do not record a figure that the limit needs."""


def limits(compared: RunComparison, settings: Settings) -> Iterator[Limit]:
    """Yield the limits that the settings ask for."""
    for row in _ROWS:
        if row.ratio is not None and getattr(settings, row.ratio) is not None:
            yield _of_growth(row, compared, settings)
        if getattr(settings, row.most) is not None:
            yield _of_candidate(row, compared, settings)


class Growth(Struct, frozen=True):
    """A limit for how a figure grows, by the names of the settings."""

    what: str
    """The name of the figure in messages."""

    figure: str
    """The member of the figures of a run."""

    ratio: str
    """How many times the figure of the baseline the candidate may have."""

    floor: str
    """A candidate up to this figure has not grown too much."""


class _Row(Struct, frozen=True):
    """The limits of one figure, by the names of the settings."""

    category: Category
    what: str

    figure: str
    """The member of the figures of a run."""

    most: str
    """How much the candidate may use."""

    ratio: str | None = None
    """How many times the figure of the baseline the candidate may have."""

    floor: str = ""
    """A candidate up to this figure has not grown too much."""


_ROWS = (
    _Row(
        "duration",
        "duration",
        figure="duration_ms",
        most="max_duration",
        ratio="max_duration_ratio",
        floor="min_duration_ms",
    ),
    _Row(
        "usage",
        "tokens",
        figure="used_tokens",
        most="max_tokens",
        ratio="max_tokens_ratio",
        floor="min_tokens",
    ),
    _Row("usage", "cost", figure="cost_usd", most="max_cost"),
    _Row(
        "calls",
        "calls",
        figure="calls",
        most="max_calls",
        ratio="max_calls_ratio",
        floor="min_calls",
    ),
    _Row("errors", "errors", figure="failed", most="max_errors"),
)


GROWTH = tuple(
    Growth(row.what, row.figure, row.ratio, row.floor) for row in _ROWS if row.ratio
)

_KINDS = {"input": "input", "output": "output", "cache_read": "cached"}
_NOT_FINAL = "final count of output tokens"

# The settings that are limits for the candidate alone.
FOR_CANDIDATE = tuple(row.most for row in _ROWS)


def _of_growth(row: _Row, compared: RunComparison, settings: Settings) -> Limit:
    """Return the limit for the candidate as a multiple of the baseline."""
    assert row.ratio is not None
    ratio, floor = getattr(settings, row.ratio), getattr(settings, row.floor)
    was, now = (getattr(figures, row.figure) for figures in compared.figures)
    what, missing = _missing(row, compared)
    is_exceeded = False
    if was is not None and now is not None and not missing:
        is_exceeded = (now / was if was else float("inf")) > ratio and now > floor
    option = f"--{row.ratio.replace('_', '-')} {ratio:g}"
    return Limit(row.category, what, option, was, now, is_exceeded, missing)


def _missing(row: _Row, compared: RunComparison) -> tuple[str, list[str]]:
    """Return the figure that a ratio lacks, and the sides that do not record it.

    Tokens have no ratio where one side alone records those of a cache.
    """
    sides = dict(zip(("baseline", "candidate"), compared.figures, strict=True))
    kind = unlike_tokens(*compared.figures) if row.category == "usage" else ""
    if kind:
        lack = [
            side
            for side, figures in sides.items()
            if figures.tokens is None
            or getattr(figures.tokens, kind) is None
            or (kind == "output" and figures.tokens.is_least)
        ]
        if None in [figures.exact_tokens for figures in compared.figures]:
            return _NOT_FINAL, lack
        return f"{_KINDS[kind]} tokens", lack
    found = {side: getattr(each, row.figure) for side, each in sides.items()}
    return row.what, [side for side, figure in found.items() if figure is None]


def _of_candidate(row: _Row, compared: RunComparison, settings: Settings) -> Limit:
    """Return the limit for the candidate alone."""
    most = getattr(settings, row.most)
    was, now = (getattr(figures, row.figure) for figures in compared.figures)
    allowed = milliseconds(most) if isinstance(most, str) else most
    if isinstance(now, Decimal):
        allowed = Decimal(repr(allowed))
    is_exceeded = now is not None and now > allowed
    # A lower bound below the limit leaves it open.
    tokens = compared.figures[1].tokens if row.figure == "used_tokens" else None
    is_open = now is None or bool(tokens and tokens.is_least and not is_exceeded)
    missing = ["candidate"] if is_open else []
    what = row.what if now is None or not is_open else _NOT_FINAL
    option = f"--{row.most.replace('_', '-')} {most}"
    return Limit(row.category, what, option, was, now, is_exceeded, missing)
