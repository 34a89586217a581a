"""The parser of a command line, made from the options of its command."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn, TypeVar

from convert.errors import UsageError
from convert.options.option_set import Option, OptionSet

S = TypeVar("S", bound=OptionSet)


class Given:
    """What a command line says: the logs, and the options that it names."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.logs: list[str] = asked.logs
        self._asked = vars(asked)

    def values(self, kind: type[OptionSet]) -> dict[str, Any]:
        """Return the options of a set that are named, by their names in Python."""
        return {
            name: row.parsed(self._asked[name])
            for name, row in kind.options().items()
            if name in self._asked
        }

    def of(self, kind: type[S]) -> S:
        """Return a set, with the defaults of the options that are not named."""
        return kind(**self.values(kind))


class Parser(argparse.ArgumentParser):
    """A parser for sets of options; raises UsageError.

    `command` is what the user types to run the command.
    """

    def __init__(self, command: str, *sets: type[OptionSet]) -> None:
        _keep_english()
        super().__init__(
            prog=command,
            add_help=False,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
            # The help is ours. Without a width, argparse imports shutil to find one.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        )
        self.add_argument("logs", nargs="*", metavar="LOG", default=[])
        for kind in sets:
            for row in kind.options().values():
                self.add_argument(*row.flags, dest=row.name, **_traits(row))

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the arguments."""
        for pattern, words in _WORDS:
            message = re.sub(pattern, words, message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def given(self, arguments: list[str]) -> Given:
        """Parse a command line; all words after `--` are logs."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        asked = self.parse_intermixed_args(arguments[:end])
        asked.logs = [*asked.logs, *arguments[end + 1 :]]
        return Given(asked)


def _keep_english() -> None:
    """Keep argparse from looking for translations of its messages.

    They are reworded below. To look imports locale, which takes 1 of 25 ms.
    """
    vars(argparse)["_"] = str


# Messages of argparse, and the words that replace them.
_WORDS = (
    (r"^unrecognized arguments: (.*)", r"unknown option \1"),
    (r"^argument (?:-\w/)?(\S+): expected one argument", r"\1 needs a value"),
    (r"^argument (?:-\w/)?(\S+): ignored explicit argument", r"\1 takes no value, not"),
)


def _traits(row: Option) -> dict[str, Any]:
    """Return what argparse is told about an option."""
    if row.is_negatable:
        return {"action": argparse.BooleanOptionalAction}
    if row.kind is bool:
        return {"action": "store_true"}
    return {"action": "append" if row.is_list else "store"}
