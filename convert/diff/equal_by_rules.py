"""The values of two runs that were equal by a rule alone, so that none is hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.values import PairedValue

_DIRECTORIES = ("cwd", "home", "agent")


class EqualByRules(Struct, frozen=True):
    """How many values were equal by each rule alone, and which."""

    counts: Counter[str]
    """The number of values, or of calls where a rule evens out a spelling."""

    values: list[PairedValue]
    """The values that belong together."""


def equal_by_rules(
    calls: Iterable[tuple[ComparedCall, ComparedCall]],
    directories: tuple[dict[str, str], dict[str, str]],
    values: list[PairedValue],
) -> EqualByRules:
    """Return what made equal calls of two runs equal.

    `directories` are those that were replaced in either run, by their rules.
    """
    counts: Counter[str] = Counter()
    for one, other in calls:
        counts.update(_rules(one, other, directories))
    # A directory is one value, however many calls name it.
    used = [
        PairedValue(rule, directories[0].get(rule, ""), directories[1].get(rule, ""))
        for rule in _DIRECTORIES
        if counts.pop(rule, 0)
    ]
    pairs = [*used, *values]
    return EqualByRules(counts + Counter(pair.rule for pair in pairs), pairs)


def _rules(
    one: ComparedCall,
    other: ComparedCall,
    directories: tuple[dict[str, str], dict[str, str]],
) -> Iterator[str]:
    """Yield the rules without which two equal calls would differ."""
    if one.steering_key != other.steering_key:
        yield "argument"
    if one.recorded_key == other.recorded_key:
        return
    rules = sorted({*one.hits, *other.hits})
    found = [
        rule
        for rule in rules
        if (
            directories[0].get(rule) != directories[1].get(rule)
            if rule in _DIRECTORIES
            else one.hits.get(rule) != other.hits.get(rule)
        )
    ]
    if not found and one.values == other.values:
        found = [rule for rule in rules if rule not in _DIRECTORIES]
    yield from found
