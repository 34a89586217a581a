"""Changes of behaviour in words, for readers without statistics.

A change is written in three ways: in the words of findings (`shell npm test`), as a
sentence with its shares (`All 4 runs now run npm test; none did before.`), and as a
theme that names nothing of its case. A theme follows a number of cases, in the plural:
`8 of 10 cases` + ` ` + `run the tests before the edit now`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from convert.diff.checks import PASSED
from convert.options.settings import Category, Severity
from convert.suites.behaviour.actions import (
    CHANGES,
    Action,
    Verb,
    are_checked,
    check_of,
    is_order_of_change,
    name_of,
    object_of,
    short,
    theme_of_arguments,
    theme_of_call,
    theme_of_order,
    theme_of_outcome,
    verb_of,
    with_now,
)
from convert.suites.behaviour.traits import Kind, Trait
from convert.suites.case_result import Change
from convert.tools.phrases_and_outcomes import outcome_in_words
from convert.wording.styles_and_columns import fit

_LONGEST = 200
# How many arguments are named that differ.
_MOST_NAMES = 3


class Shares(NamedTuple):
    """How many runs of two versions do something."""

    a: int
    of_a: int
    b: int
    of_b: int

    @property
    def growth(self) -> int:
        """How much larger the share of the last version is, in whole numbers."""
        return self.b * self.of_a - self.a * self.of_b

    @property
    def is_total(self) -> bool:
        """All runs of one version do it, and none of the other."""
        return abs(self.growth) == self.of_a * self.of_b

    @property
    def is_less(self) -> bool:
        """A smaller share of the runs of the last version does it."""
        return self.growth < 0


class ChangeFacts(Struct, frozen=True, kw_only=True):
    """A change with all that its words depend on."""

    kind: Kind
    trait: Trait
    shares: Shares
    actions: tuple[Action, ...]
    """The call, program or file; both calls of an order, the earlier one first."""

    replaced: Action | None = None
    """The call that all other runs make in place of it."""

    is_turned: bool = False
    """All runs of one version do it, and all of the other do the opposite."""

    names: tuple[str, ...] = ()
    """The arguments that differ."""

    is_only_file: bool = False
    """The runs of the case change one file at most."""

    @property
    def severity(self) -> Severity:
        """The severity of a change of the call, which is larger if that acts."""
        return "major" if self.actions[0].acts else "minor"


def change_of(facts: ChangeFacts, *, p: float, log: str, line: int | None) -> Change:
    """Return a change in words, with a log that shows it."""
    category, severity, what, sentence, theme = _ABOUT[facts.kind](facts)
    return Change(
        category=category,
        severity=severity,
        what=fit(what, _LONGEST),
        sentence=sentence,
        theme=theme,
        a=facts.shares.a,
        of_a=facts.shares.of_a,
        b=facts.shares.b,
        of_b=facts.shares.of_b,
        p=p,
        log=log,
        line=line,
    )


# The category and the severity of a change, its words, its sentence and its theme.
_Words = tuple[Category, Severity, str, str, str]


def _about_call(facts: ChangeFacts) -> _Words:
    [action], shares, times = facts.actions, facts.shares, facts.trait.times
    severity, verb, what = facts.severity, verb_of(action), action.label
    if other := facts.replaced:
        verb = verb.and_then(f"instead of {object_of(other)}")
        what = f"{other.label} -> {what}"
        sentence = _sentence(verb, shares)
        if shares.is_total:
            sentence = f"{_all(shares.of_b)} runs now {verb.many}."
        return "args", severity, what, sentence, theme_of_arguments(action)
    sentence = _sentence(verb, shares)
    if times > 1:
        often = "more than once" if times == 2 else f"{times} times or more"
        what = f"{what} ({often})"
        sentence = _sentence(verb.and_then(often), shares)
        if times == 2 and shares.is_total and shares.is_less:
            now = f"{_all(shares.of_b)} runs now {verb.many} at most once"
            sentence = f"{now}; before, all did so more often."
    category: Category = "removed" if shares.is_less else "added"
    theme = theme_of_call(action, is_less=shares.is_less, is_again=times > 1)
    return category, severity, what, sentence, theme


def _about_order(facts: ChangeFacts) -> _Words:
    first, second = facts.actions
    theme = theme_of_order(first, second, is_less=facts.shares.is_less)
    verb, then = verb_of(first), verb_of(second)
    verb = Verb(
        f"{verb.many} before they {then.many}", f"{verb.one} before it {then.one}"
    )
    sentence = _sentence(verb, facts.shares)
    if not are_checked(first, second):
        if facts.is_turned:
            was = f"{then.many} before they {verb_of(first).many}"
            sentence = f"Runs used to {was}; now it is the other way round."
        what = f"{first.label}: before {second.label}"
        # A commit takes other work then.
        severity: Severity = "major" if is_order_of_change(first, second) else "minor"
        return "moved", severity, what, sentence, theme
    is_before = first.kind == "shell"
    command, edit = (first, second) if is_before else (second, first)
    how = "before" if is_before else "after"
    if facts.is_turned:
        sentence = _turned_check(facts, command, edit, is_before=is_before)
    what = f"{command.label}: {how} {edit.label}"
    return "verification", "major", what, sentence, theme


def _turned_check(
    facts: ChangeFacts, command: Action, edit: Action, *, is_before: bool
) -> str:
    """Return that a command comes before an edit now, or after it."""
    check = check_of(command)
    what = "the edit" if facts.is_only_file else f"the edit of {short(edit.about)}"
    was, now = ("after", "before") if is_before else ("before", "after")
    name = check.name.removeprefix("the ") if check.is_many else check.name
    run = "they run" if check.is_many else "it runs"
    return f"{_upper(name)} used to run {was} {what}; now {run} {now} it."


def _about_arguments(facts: ChangeFacts) -> _Words:
    [action], shares = facts.actions, facts.shares
    more = len(facts.names) - _MOST_NAMES
    names = [*facts.names[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])]
    what = f"{action.label}: {', '.join(names) or 'arguments'}"
    is_edit, verb = action.kind in CHANGES, verb_of(action)
    if shares.is_total and not shares.is_less:
        way = "in another way" if is_edit else "with other arguments"
        sentence = f"{_all(shares.of_b)} runs now {verb.many} {way}."
    elif shares.is_total:
        way = "in the way" if is_edit else "with the arguments"
        sentence = f"No run {verb.one} {way} that {_of_all(facts)} shared before."
    else:
        way = "in one and the same way" if is_edit else "with the same arguments"
        sentence = _sentence(verb.and_then(way), shares)
    return "args", facts.severity, what, sentence, theme_of_arguments(action)


def _about_outcome(facts: ChangeFacts) -> _Words:
    [action], shares = facts.actions, facts.shares
    outcome = facts.trait.other.decode(errors="replace")
    how, no_longer = _ENDS.get(outcome, _FAILS)
    name, well = name_of(action), "passed" if check_of(action).is_known else "worked"
    if not facts.is_turned:
        now, before = _in(shares.b, shares.of_b), _in(shares.a, shares.of_a)
        sentence = f"{name} {how} {now} now, and {before} before."
    elif shares.is_less:
        before = _in(shares.a, shares.of_a)
        sentence = f"{name} {no_longer} any more, as it did {before} before."
    else:
        sentence = f"{name} now {how} {_in(shares.b, shares.of_b)}; it {well} before."
    theme = theme_of_outcome(action, how, is_less=shares.is_less)
    what = f"{action.label}: {outcome_in_words(outcome)}"
    return "outcome", "critical", what, _upper(sentence), theme


# A call that ends so, and one that no longer does.
_FAILS = ("fails", "does not fail")
_ENDS = {
    "rejected": ("is refused", "does not get refused"),
    "unfinished": ("does not end", "does not stay unfinished"),
}


def _about_check(facts: ChangeFacts) -> _Words:
    [action], shares = facts.actions, facts.shares
    name = check_of(action).name
    if facts.kind == "check":
        what = PASSED
        verb = Verb("pass", "passes").and_then(f"{name} after the last change")
    elif facts.trait.other == b"none":
        what = "no test passed"
        verb = Verb("run", "runs").and_then(f"{name} without any test that passes")
    else:
        what = "tests failed"
        verb = Verb("leave", "leaves").and_then(f"{name} failing")
    theme = with_now(verb.many, is_less=shares.is_less)
    category: Category = "verification" if facts.kind == "check" else "tests"
    return category, "major", f"{action.label}: {what}", _sentence(verb, shares), theme


def _about_file(facts: ChangeFacts) -> _Words:
    [action], shares = facts.actions, facts.shares
    path = short(action.about)
    if facts.kind == "content":
        verb = Verb("leave", "leaves").and_then(f"{path} with the same content")
        sentence = _sentence(verb, shares)
        if shares.is_total and not shares.is_less:
            sentence = f"{_all(shares.of_b)} runs now leave {path} with other content."
        theme = "leave a file with other content now"
        return "files", "major", f"{action.about}: content", sentence, theme
    done = "delete" if facts.trait.other == b"deleted" else "change"
    more = "one file fewer" if shares.is_less else "one more file"
    sentence = _sentence(Verb(f"{done} {path}", f"{done}s {path}"), shares)
    return "files", "major", f"{action.about}: {done}d", sentence, f"{done} {more} now"


def _about_output(facts: ChangeFacts) -> _Words:
    [action] = facts.actions
    verb = Verb("get", "gets").and_then(f"the same output of {name_of(action)}")
    theme = "get another output of a call now"
    sentence = _sentence(verb, facts.shares)
    return "output", facts.severity, f"{action.label}: output", sentence, theme


def _about_runs(facts: ChangeFacts) -> _Words:
    number = facts.trait.times
    verb = Verb("consist", "consists").and_then(f"of {number} runs or more")
    theme = "have another number of runs in a log now"
    sentence = _sentence(verb, facts.shares, "log")
    return "runs", "critical", f"run {number} of a log", sentence, theme


def _about_text(facts: ChangeFacts) -> _Words:
    verb = Verb("give", "gives").and_then("one and the same answer")
    sentence = _sentence(verb, facts.shares)
    if facts.shares.is_total and facts.shares.is_less:
        sentence = (
            f"No run gives the answer any more that {_of_all(facts)} gave before."
        )
    elif facts.shares.is_total:
        sentence = f"{_all(facts.shares.of_b)} runs now give another answer."
    return "text", "minor", "final text", sentence, "give another answer now"


_ABOUT: dict[Kind, Callable[[ChangeFacts], _Words]] = {
    **dict.fromkeys(("call", "program"), _about_call),
    "order": _about_order,
    "args": _about_arguments,
    "outcome": _about_outcome,
    **dict.fromkeys(("check", "tests"), _about_check),
    **dict.fromkeys(("file", "content"), _about_file),
    "output": _about_output,
    "runs": _about_runs,
    "text": _about_text,
}


def _of_all(facts: ChangeFacts) -> str:
    return _all(facts.shares.of_a).lower()


def _sentence(verb: Verb, shares: Shares, noun: str = "run") -> str:
    """Return how many runs do something now, and how many did before."""
    a, of_a, b, of_b = shares
    before = f"{_of(a, of_a)} did before"
    if not b:
        return f"No {noun} {verb.one} any more; {before}."
    does = verb.one if b == 1 else verb.many
    if shares.is_less:
        return f"Only {b} of {of_b} {noun}s still {does}; {before}."
    now = _all(b) if b == of_b else f"{b} of {of_b}"
    return f"{now} {noun}s now {does}; {before}."


def _all(number: int) -> str:
    return "Both" if number == 2 else f"All {number}"


def _of(number: int, of: int) -> str:
    if number == of:
        return _all(of).lower()
    return f"{number} of {of}" if number else "none"


def _in(number: int, of: int) -> str:
    """Return in how many runs."""
    return f"in {_of(number, of)} runs" if number else "in no run"


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
