"""The values of two runs that were equal by a rule alone, so that none is hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from convert.diff.compared_call import ComparedCall
from convert.diff.values import PairedValue

# The rules for directories, and how a run names one that it does not write out.
_DIRECTORIES = {"cwd": ".", "home": "~", "agent": "~"}
# The rule for commands that change to the directory in which they are.
_CHANGE_OF_DIRECTORY = "cd"

# How often each rule changed something in a string.
Hits = Mapping[str, int]


class EqualByRules(Struct, frozen=True):
    """How many values were equal by each rule alone, and which."""

    counts: Counter[str]
    """The number of values, or of calls where a rule evens out a spelling."""

    values: list[PairedValue]
    """The values that belong together."""


def equal_by_rules(
    calls: Iterable[tuple[ComparedCall, ComparedCall]],
    texts: Iterable[tuple[Hits, Hits]],
    directories: tuple[dict[str, str], dict[str, str]],
    values: list[PairedValue],
) -> EqualByRules:
    """Return what made equal calls and texts of two runs equal.

    `texts` are what the rules changed in texts that are recorded differently,
    `directories` those that were replaced in either run, by their rules.
    """
    counts: Counter[str] = Counter()
    commands = []
    for one, other in calls:
        for rule in _rules_of_calls(one, other, directories):
            if rule == _CHANGE_OF_DIRECTORY:
                commands.append(_as_recorded(one, other))
            else:
                counts[rule] += 1
    for hits, other_hits in texts:
        counts.update(_rules(hits, other_hits, directories) or _all(hits, other_hits))
    # A directory is one value, however many calls name it.
    used = [
        PairedValue(rule, *(side.get(rule, relative) for side in directories))
        for rule, relative in _DIRECTORIES.items()
        if counts.pop(rule, 0)
    ]
    pairs = [*used, *commands, *values]
    return EqualByRules(counts + Counter(pair.rule for pair in pairs), pairs)


def _as_recorded(one: ComparedCall, other: ComparedCall) -> PairedValue:
    """Return two commands, one of which changed to the directory that it was in."""
    a, b = (call.recorded_command or call.subject for call in (one, other))
    return PairedValue(_CHANGE_OF_DIRECTORY, a, b)


def _rules_of_calls(
    one: ComparedCall,
    other: ComparedCall,
    directories: tuple[dict[str, str], dict[str, str]],
) -> Iterator[str]:
    """Yield the rules without which two equal calls would differ."""
    # Across agents, only the subject has been compared.
    is_subject = one.is_across and one.compared_by == "subject"
    keys = one.steering_key, other.steering_key
    if None not in keys and keys[0] != keys[1] and not is_subject:
        yield "argument"
    if one.recorded_key == other.recorded_key:
        return
    found = _rules(one.hits, other.hits, directories)
    if not found and one.values == other.values:
        found = _all(one.hits, other.hits)
    yield from (rule for rule in found if rule != "default" or not is_subject)


def _rules(
    hits: Hits, other_hits: Hits, directories: tuple[dict[str, str], dict[str, str]]
) -> list[str]:
    """Return the rules that changed other things in two strings, or other times."""
    return [
        rule
        for rule in sorted({*hits, *other_hits})
        if (
            directories[0].get(rule) != directories[1].get(rule)
            if rule in _DIRECTORIES
            else hits.get(rule) != other_hits.get(rule)
        )
    ]


def _all(hits: Hits, other_hits: Hits) -> list[str]:
    """Return the rules of which one must have made two strings equal."""
    return sorted({*hits, *other_hits} - {*_DIRECTORIES})
