"""The line on the figures of two runs: how long they took and what they used."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

from convert.diff.changes import RunComparison
from convert.diff.reports.appearance import arrow
from convert.facts.figures import Figures, unlike_tokens
from convert.model.cost import dollars
from convert.wording.numbers import duration

N = TypeVar("N", int, Decimal)

# Duration and tokens change at every run; a smaller ratio is not shown.
_SHOWN_FROM = 1.1


def figures_in_words(run: RunComparison, is_verbose: bool) -> str:
    """Return the figures that both runs record and that differ, or all."""
    one, other = run.figures
    parts = []
    if one.duration_ms is not None and other.duration_ms is not None:
        parts += _figure("duration", one.duration_ms, other.duration_ms, is_verbose)
    parts += _tokens(run, is_verbose)
    if one.cost_usd is not None and other.cost_usd is not None:
        parts += _figure("cost", one.cost_usd, other.cost_usd, is_verbose)
    for name, a, b, is_usual in (
        ("errors", one.failed, other.failed, True),
        ("refused", one.rejected, other.rejected, False),
        ("unfinished", one.unfinished, other.unfinished, False),
        ("unresolved", one.unresolved, other.unresolved, True),
        ("retries", one.retries, other.retries, True),
    ):
        if a is None or b is None:
            continue
        if a != b or (is_verbose and (is_usual or a)):
            parts.append(f"{name} {arrow(str(a), str(b))}")
    return ", ".join(parts)


def _tokens(run: RunComparison, is_verbose: bool) -> list[str]:
    """Return the tokens of both runs; of two agents also with those of the cache.

    Agents differ in how much they read from a cache, if they record it at all.
    """
    one, other = run.figures
    if one.used_tokens is None or other.used_tokens is None:
        return []
    if unlike_tokens(one, other):
        used = arrow(*(used_tokens_in_words(each) for each in run.figures))
        are_final = None not in (one.exact_tokens, other.exact_tokens)
        return [f"tokens {used}{' (not of the same kinds)' if are_final else ''}"]
    parts = _figure("tokens", one.used_tokens, other.used_tokens, is_verbose)
    if run.agents and one.all_tokens is not None and other.all_tokens is not None:
        name = "tokens with the cache"
        parts += _figure(name, one.all_tokens, other.all_tokens, is_verbose)
    return parts


def used_tokens_in_words(figures: Figures) -> str:
    """Write the tokens that a run used, of which some may not be recorded."""
    if figures.used_tokens is None:
        return ""
    is_least = figures.tokens is not None and figures.tokens.is_least
    return f"{'at least ' if is_least else ''}{figures.used_tokens:,}"


def _figure(name: str, a: N, b: N, is_verbose: bool) -> list[str]:
    ratio = float(b / a) if a else 0.0
    is_near = a == b or (ratio and 1 / _SHOWN_FROM < ratio < _SHOWN_FROM)
    if is_near and not is_verbose:
        return []
    old, new = (_written(name, number) for number in (a, b))
    words = f"{name} {arrow(old, new)}"
    if ratio and a != b:
        words += f" (x{ratio:,.0f})" if ratio >= 100 else f" (x{ratio:.3g})"
    return [words]


def _written(name: str, number: int | Decimal) -> str:
    if isinstance(number, Decimal):
        return dollars(number)
    return duration(number) if name == "duration" else f"{number:,}"
