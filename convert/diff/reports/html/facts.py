"""The figures of both runs side by side, with bars."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from convert.diff.changes import RunComparison
from convert.diff.reports.about import few
from convert.diff.reports.appearance import NO_STATE, Look
from convert.diff.reports.figure_words import used_tokens_in_words
from convert.facts.figures import unlike_tokens
from convert.facts.run_reasons import reason_in_words
from convert.model.cost import dollars, fractions_of
from convert.wording.numbers import duration

_NOT_RECORDED = "–"


class Fact(Struct, frozen=True):
    """A row of the table."""

    name: str
    a: str
    b: str
    change: str
    """The change from A to B; empty if it says nothing."""

    shares: tuple[float, float] | None = None
    """Both values in per cent of the larger one; None for what is no number."""

    anchor: str = ""
    """The id of the part of the page that lists what is counted; empty for none."""


def facts_of(run: RunComparison, look: Look, unresolved: str) -> list[Fact]:
    """Return the facts that a side records.

    `unresolved` is the id of the list of unresolved failures; empty without one.
    """
    a, b = run.figures
    changed = _changed_files(run)
    lengths = [side.length if side else None for side in (run.a, run.b)]
    facts = [
        Fact("log", look.a, look.b, ""),
        *_agents(run),
        _words("model", *(side.run.model if side else "" for side in (run.a, run.b))),
        _words("ended", *_states(run)),
        _words("reason", *_reasons(run)),
        _number("took", lengths[0], lengths[1], duration, _ratio),
        _number("calls", a.calls, b.calls, "{:,}".format, _difference),
        _number("failed", a.failed, b.failed, "{:,}".format, _difference),
        replace(
            _number(
                "unresolved", a.unresolved, b.unresolved, "{:,}".format, _difference
            ),
            anchor=unresolved,
        ),
        *_tokens(run),
        _cost(a.cost_usd, b.cost_usd),
        _number("files changed", *changed, "{:,}".format, _difference),
    ]
    return [fact for fact in facts if {fact.a, fact.b} != {_NOT_RECORDED}]


def _tokens(run: RunComparison) -> list[Fact]:
    """Return the tokens; of two agents also with those that came from a cache."""
    a, b = run.figures
    change = _no_change if unlike_tokens(a, b) else _ratio
    used = _number("tokens", a.used_tokens, b.used_tokens, "{:,}".format, change)
    if any(each.tokens and each.tokens.is_least for each in (a, b)):
        words = [used_tokens_in_words(each) or _NOT_RECORDED for each in (a, b)]
        used = replace(used, a=words[0], b=words[1], shares=None)
    if run.agents is None or a.all_tokens is None or b.all_tokens is None:
        return [used]
    name = "tokens with the cache"
    return [used, _number(name, a.all_tokens, b.all_tokens, "{:,}".format, _ratio)]


def _cost(a: Decimal | None, b: Decimal | None) -> Fact:
    one, other = (_NOT_RECORDED if cost is None else dollars(cost) for cost in (a, b))
    if a is None or b is None:
        return Fact("cost", one, other, "")
    fact = _number("cost", fractions_of(a), fractions_of(b), str, _ratio)
    return replace(fact, a=one, b=other)


def _agents(run: RunComparison) -> list[Fact]:
    """Return a row for the agents, if they differ."""
    return [_words("agent", *run.agents.spelled)] if run.agents else []


def _states(run: RunComparison) -> tuple[str, str]:
    """Return how both runs ended; a text says nothing of it unless it is a failure."""
    if "status" in run.not_compared and not any(run.states):
        return "", ""
    a, b = (state or NO_STATE for state in run.states)
    return a, b


def _reasons(run: RunComparison) -> tuple[str, str]:
    """Return why both runs ended without success, with the kind of the reason."""
    a, b = (side.run if side else None for side in (run.a, run.b))
    one, other = (
        ": ".join(filter(None, (each.reason_kind, reason_in_words(each))))
        if each
        else ""
        for each in (a, b)
    )
    return one, other


def _changed_files(run: RunComparison) -> tuple[int | None, int | None]:
    if run.level != "calls":
        return None, None
    return sum(file.a is not None for file in run.files), sum(
        file.b is not None for file in run.files
    )


def _words(name: str, a: str, b: str) -> Fact:
    one, other = (few(words) or _NOT_RECORDED for words in (a, b))
    return Fact(name, one, other, "same" if one == other else "")


def _number(
    name: str,
    a: int | None,
    b: int | None,
    show: Callable[[int], str],
    change: Callable[[int, int], str],
) -> Fact:
    one, other = (_NOT_RECORDED if n is None else show(n) for n in (a, b))
    if a is None or b is None:
        return Fact(name, one, other, "")
    largest = max(a, b)
    shares = (100 * a / largest, 100 * b / largest) if largest else (0.0, 0.0)
    return Fact(name, one, other, "same" if one == other else change(a, b), shares)


def _ratio(a: int, b: int) -> str:
    if not a:
        return ""
    ratio = b / a
    return f"×{ratio:,.0f}" if ratio >= 100 else f"×{ratio:.2f}"


def _no_change(a: int, b: int) -> str:
    """Return nothing, since the two figures are not of the same kind."""
    return ""


def _difference(a: int, b: int) -> str:
    return f"+{b - a:,}" if b > a else f"−{a - b:,}"
