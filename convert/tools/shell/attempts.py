"""The attempt of a command, such as tests, which a later command can recover.

An option of a check that is not in checks.ini counts as one that selects tests, so
that in doubt two commands differ.
"""

from __future__ import annotations

import functools
import os
import posixpath
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from convert.tools.shell.identity import (
    ALIASES,
    PREPARATION,
    RUN_IS_IMPLIED,
    SEVERAL_TARGETS,
    SUBCOMMANDS,
    innermost,
    name_of,
)
from convert.tools.shell.status import Words, deciding_commands
from convert.tools.shell.syntax import UNKNOWN, invocation_of
from convert.wording.sections import read_sections, words_of

# They only pass on or show the output of others.
_PASSING_ON = {"tee", "export", "pushd"}


class Attempt(Struct, frozen=True):
    """All attempts of a command."""

    attempts: tuple[SimpleAttempt, ...] = ()
    """The attempts of its programs; empty if they are not known.

    Preparation does not count, nor do programs that only look if another one acts.
    """

    passed: tuple[SimpleAttempt, ...] = ()
    """Those of them that ended well if the command did."""

    place: str = ""
    """The folder into which it changes first; empty if it stays where it is."""

    @property
    def checks(self) -> tuple[SimpleAttempt, ...]:
        """The known checks among its attempts."""
        return tuple(each for each in self.attempts if each.is_check)

    @property
    def is_check(self) -> bool:
        """One of its attempts is a check, of checks.ini or by its name: `make test`."""
        return any(each.verifies for each in self.attempts)


@functools.lru_cache(maxsize=1024)
def attempt_of(command: str) -> Attempt:
    """Return the attempt of a command."""
    decided = deciding_commands(command)
    simple = [words for words in decided.commands if not is_preparation(words)]
    acting = simple
    if len(simple) > 1:
        # Imported here: most commands run one program, which counts in any case.
        from convert.tools.shell.harmless import program_changes_nothing

        acting = [words for words in simple if not program_changes_nothing(words)]
        acting = acting or simple
    known = {
        words: simple_attempt_of(words)
        for words in acting
        if UNKNOWN not in "".join(words)
    }
    passed = [known[words] for words in decided.passed if words in known]
    place = place_of(decided.commands)
    if len(known) < len({*acting}) or UNKNOWN in place:
        return Attempt()
    return Attempt(tuple(known[words] for words in acting), tuple(passed), place)


def is_preparation(words: Words) -> bool:
    """Return True for a command that only prepares others, or passes on outputs."""
    name = name_of(words[0])
    return name in PREPARATION or name in _PASSING_ON


def place_of(commands: Sequence[Words]) -> str:
    """Return the folder into which the first commands change."""
    place = ""
    for words in commands:
        match words:
            case ("cd", folder):
                place = posixpath.join(place, folder)
            case _ if not is_preparation(words):
                break
    return posixpath.normpath(place) if place else ""


class Check(Struct, frozen=True):
    """The options and other words of a check that do not select tests.

    Without operands, it checks everything.
    """

    flags: tuple[str, ...] = ()
    """Those without a value."""

    values: tuple[str, ...] = ()
    """Those whose value is the next word, or joined to them."""

    narrowing: tuple[str, ...] = ()
    """Options with a value that only exclude some of the tests."""

    everything: tuple[str, ...] = (".",)
    """Operands that mean everything, and words that say nothing."""

    alone: str = ""
    """The operand that it takes if there is none; empty if that is everything."""

    below: str = ""
    """The suffix of a folder with which it includes the folders below it."""


_MOST_FOLDERS = 16


class SimpleAttempt(Struct, frozen=True):
    """The attempt of a simple command, without its wrappers and its display options."""

    program: str
    """The program, or the program and its subcommand."""

    options: tuple[str, ...]
    """The options; of a check, only those that select tests."""

    operands: tuple[str, ...]
    """The other words; none for a check of everything."""

    @property
    def is_check(self) -> bool:
        """It is a check of checks.ini."""
        return self.program in CHECKS

    @property
    def verifies(self) -> bool:
        """It is a check, of checks.ini or by its name."""
        if self.is_check or self.is_among(_CHECKING):
            return True
        names = {name.partition(":")[0] for name in self.called}
        return bool(names & _CHECKING.subcommands)

    @property
    def changes_the_world(self) -> bool:
        """It records, moves or sends work, and is no check of it."""
        if self.program in SEVERAL_TARGETS and self.called:
            return {*self.called} <= _OTHERS.subcommands
        return self.is_among(_OTHERS) or self.hands_on

    @property
    def hands_on(self) -> bool:
        """It sends the work to others, as a push and a script of a deployment do."""
        script = self.program.rpartition("/")[2].partition(".")[0]
        name = re.split("[-_]", script, maxsplit=1)[0]
        return self.is_among(_HANDING_ON) or name in _HANDING_ON.subcommands

    def is_among(self, names: _Names) -> bool:
        """Return True if names have the program, or what it is called with."""
        called = {*self.called}
        commands = {self.program, *(f"{self.program} {name}" for name in called)}
        return bool(commands & names.programs or called & names.subcommands)

    @property
    def called(self) -> Sequence[str]:
        """The subcommands, targets or the script of a package that it runs, if any."""
        if self.program not in SUBCOMMANDS:
            return ()
        known = SUBCOMMANDS[self.program]
        if self.program in SEVERAL_TARGETS:
            words = invocation_of(self.operands, known.values).operands
            # A target may name its project: `:app:test`.
            return [word.rpartition(":")[2] for word in words if "=" not in word]
        words = invocation_of(self.operands, known.values, until_operand=True).operands
        words = [word for word in words if not word.startswith("-")]
        if words[:1] == ["run"]:
            return words[1:2]
        return words[: 1 + (words[:1] != [] and words[0] in known.deeper)]

    @property
    def wider(self) -> Iterator[SimpleAttempt]:
        """This, and all checks that check at least the same."""
        if not self.is_check:
            yield self
            return
        check = CHECKS[self.program]
        others = [
            each
            for each in self.options
            if each.partition(" ")[0].partition("=")[0] not in check.narrowing
        ]
        for options in {self.options: None, tuple(others): None}:
            for operands in _around(self.operands, check.below):
                yield SimpleAttempt(self.program, options, operands)


def simple_attempt_of(words: Sequence[str]) -> SimpleAttempt:
    """Return the attempt of a simple command."""
    name, *rest = innermost(words)
    if name in SUBCOMMANDS:
        name, rest = _with_subcommand(name, rest)
    if (check := CHECKS.get(name)) is None:
        return SimpleAttempt(name, (), tuple(rest))
    options, operands = _sorted(check, rest)
    return SimpleAttempt(name, options, operands)


def _with_subcommand(name: str, words: Sequence[str]) -> tuple[str, list[str]]:
    """Return `npm test` for `npm run test` if it is a check, and the other words."""
    found = invocation_of(words, SUBCOMMANDS[name].values, until_operand=True).operands
    before = [*words[: len(words) - len(found)]]
    if name in RUN_IS_IMPLIED and found[:1] == ["run"]:
        found = found[1:]
    for length in (2, 1):
        whole = " ".join([name, *found[:length]])
        whole = ALIASES.get(whole, whole)
        if whole in CHECKS:
            return whole, [*before, *found[length:]]
    return name, [*words]


def _sorted(
    check: Check, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options and the operands that select tests."""
    options: set[str] = set()
    operands: set[str] = set()
    rest = iter(words)
    for word in rest:
        if word in check.values:
            next(rest, None)
        elif word in check.narrowing:
            options.add(f"{word} {next(rest, '')}")
        elif not word.startswith("-"):
            operands.add(word)
        elif not _is_shown_only(check, word):
            options.add(word)
    if not operands and check.alone:
        operands = {check.alone}
    operands -= {*check.everything}
    cleaned = {operand.removeprefix("./").rstrip("/") for operand in operands}
    return tuple(sorted(options)), tuple(sorted(cleaned))


def _is_shown_only(check: Check, word: str) -> bool:
    """Return True if an option selects no tests."""
    name, is_joined, _ = word.partition("=")
    if word in check.flags or (is_joined and name in check.values):
        return True
    if word.startswith("--"):
        return False
    return word[:2] in check.values or all(f"-{x}" in check.flags for x in word[1:])


def _around(operands: tuple[str, ...], below: str) -> Iterator[tuple[str, ...]]:
    """Yield operands, and those that name at least as much: a folder, nothing."""
    yield operands
    if len(operands) == 1:
        [word] = operands
        for _ in range(_MOST_FOLDERS):
            word = word[: max(word.rfind("/"), word.rfind("::"), 0)]
            if word:
                yield (f"{word}{below}",)
    if operands:
        yield ()


_CELLS = frozenset(
    {
        *("flags", "values", "narrowing", "everything", "alone", "below"),
        *("programs", "subcommands", "command", "options"),
    }
)


class _Names(Struct, frozen=True):
    """Programs, and subcommands of any program, that have something in common."""

    programs: frozenset[str]
    """The programs, and subcommands of one program: `npm ci`."""

    subcommands: frozenset[str]
    """The subcommands, and the scripts of packages."""

    options: frozenset[str]
    """The options that make a difference."""


def _read_checks() -> tuple[dict[str, Check], dict[str, _Names]]:
    """Return the known checks, and the names of other commands by their heading."""
    checks: dict[str, Check] = {}
    others: dict[str, _Names] = {}
    for heading, cells in read_sections(
        os.path.dirname(__file__), "checks.ini", _CELLS
    ):
        if not heading.startswith("check: "):
            programs = frozenset(words_of(cells, "programs")).union(
                cells.get("command", ())
            )
            subcommands = frozenset(words_of(cells, "subcommands"))
            options = frozenset(words_of(cells, "options"))
            others[heading] = _Names(programs, subcommands, options)
            continue
        check = Check(
            words_of(cells, "flags"),
            words_of(cells, "values"),
            words_of(cells, "narrowing"),
            words_of(cells, "everything") or (".",),
            cells.get("alone", [""])[0],
            cells.get("below", [""])[0],
        )
        checks |= dict.fromkeys(heading.removeprefix("check: ").split(", "), check)
    return checks, others


CHECKS, _NAMES = _read_checks()
_CHECKING, _OTHERS = _NAMES["other checks"], _NAMES["no checks"]
_HANDING_ON = _NAMES["handing on"]
IDLE = _NAMES["idle"]
FORMATTERS, ON_DEMAND = _NAMES["formatters"], _NAMES["formatters on demand"]
