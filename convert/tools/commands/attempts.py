"""The attempt of a command, so that a later one can be told to make it good."""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Sequence

from msgspec import Struct

from convert.tools.commands.checks import Tried, tried
from convert.tools.commands.deciding import Words, deciding
from convert.tools.commands.identity import name_of
from convert.tools.commands.looking import looks
from convert.tools.commands.naming import PREPARATION
from convert.tools.commands.words import UNKNOWN

# They only hand on or show what others print.
_PASSING_ON = {"tee", "export", "pushd"}


class Attempt(Struct, frozen=True):
    """All that a command tries."""

    tried: tuple[Tried, ...] = ()
    """The attempts of its programs; empty if they are not known.

    Preparation is left out, and so are programs that only look if another one acts.
    """

    passed: tuple[Tried, ...] = ()
    """Those of them that ended well if the command did."""

    place: str = ""
    """The folder into which it changes first; empty if it stays where it is."""

    @property
    def checks(self) -> tuple[Tried, ...]:
        """The known checks among what it tries."""
        return tuple(each for each in self.tried if each.is_check)

    @property
    def is_check(self) -> bool:
        """It tries a check, of the tables or by its name: `make test`."""
        return any(each.verifies for each in self.tried)

    @property
    def has_passed_check(self) -> bool:
        """A check is among what ended well if the command did."""
        return any(each.verifies for each in self.passed)


@functools.lru_cache(maxsize=1024)
def attempt_of(command: str) -> Attempt:
    """Return what a command tries."""
    decided = deciding(command)
    simple = [words for words in decided.commands if not _is_preparation(words)]
    acting = [words for words in simple if not looks(words)] or simple
    known = {words: tried(words) for words in acting if UNKNOWN not in "".join(words)}
    passed = [known[words] for words in decided.passed if words in known]
    place = _place(decided.commands)
    if len(known) < len({*acting}) or UNKNOWN in place:
        return Attempt()
    return Attempt(tuple(known[words] for words in acting), tuple(passed), place)


def _is_preparation(words: Words) -> bool:
    name = name_of(words[0])
    return name in PREPARATION or name in _PASSING_ON


def _place(commands: Sequence[Words]) -> str:
    """Return the folder into which the first commands change."""
    place = ""
    for words in commands:
        match words:
            case ("cd", folder):
                place = posixpath.join(place, folder)
            case _ if not _is_preparation(words):
                break
    return posixpath.normpath(place) if place else ""
