"""The parser of a command line that has more than usual words, or an error."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from convert.errors import UsageError, nearest
from convert.options.option_set import Option, OptionSet
from convert.wording.numbers import in_words


class Parser(argparse.ArgumentParser):
    """A parser for sets of options; raises UsageError.

    `command` is the words that run the command; `commands_with` returns the commands
    that have an option.
    """

    def __init__(
        self,
        command: str,
        *sets: type[OptionSet],
        commands_with: Callable[[str], list[str]] = lambda flag: [],
    ) -> None:
        self._commands_with = commands_with
        # argparse looks for no translations of its messages, which are reworded below:
        # to look imports locale, which takes 1 of 25 ms.
        vars(argparse)["_"] = str
        super().__init__(
            prog=command,
            # Before options and logs in any order are parsed, argparse would write one.
            usage="",
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
        """Raise UsageError in words of ours."""
        for pattern, words in _WORDS:
            message = re.sub(pattern, words, message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def given(self, arguments: list[str]) -> tuple[list[str], dict[str, Any]]:
        """Return the logs and the options of a line; words after `--` are logs."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        found, unknown = self.parse_known_intermixed_args(arguments[:end])
        if unknown:
            self.error(self._unknown(unknown))
        options = vars(found)
        return [*options.pop("logs"), *arguments[end + 1 :]], options

    def _unknown(self, words: list[str]) -> str:
        """Return the message about the words that the parser does not know.

        A word without a dash is the value of the unknown option before it.
        """

        names = [word.partition("=")[0] for word in words if word.startswith("-")]
        plural = "s" if len(names) > 1 else ""
        message = f"unknown option{plural} {', '.join(names or words)}"
        if len(names) == 1 and (meant := self._meant(names[0])):
            return f"{message} (did you mean {meant}?)"
        if len(names) == 1 and (others := self._commands_with(names[0])):
            return f"{message}, which is for {in_words(others)}"
        flags = [flag for flag in self._option_string_actions if len(flag) > 2]
        near = nearest(names[0], flags, 0.75) if len(names) == 1 else None
        return f"{message} (did you mean {near}?)" if near else message

    def _meant(self, name: str) -> str | None:
        """Return the words for an option that other programs have."""
        word = name.lstrip("-").lower()
        if word in _FORMATS:
            has_format = "--format" in self._option_string_actions
            return f"-t {word}" if has_format else f"runconv LOG -t {word}"
        return _MEANT.get(name)


_FORMATS = {
    "text",
    "markdown",
    "md",
    "html",
    "json",
    "csv",
    "ndjson",
    "jsonl",
    "parquet",
    "junit",
    "github",
    "gitlab",
    "unified",
    "table",
    "patch",
    "summary",
    "atif",
    "messages",
}
# Options of other programs, and the words that do the same here.
_MEANT = {
    **dict.fromkeys(("-V", "--version"), "runconv --version"),
    **dict.fromkeys(("-F", "--watch", "--tail", "--follow"), "runconv show -F LOG"),
    **dict.fromkeys(("--out", "--output-file", "--outfile", "--save"), "-o PATH"),
    **dict.fromkeys(("-o", "--output"), "runconv LOG -o PATH"),
    **dict.fromkeys(("-t", "--to", "--format"), "runconv LOG -t FORMAT"),
    **dict.fromkeys(("--output-format", "--type", "--as"), "-t FORMAT"),
    **dict.fromkeys(("--no-color", "--no-colour", "--plain"), "--color never"),
    **dict.fromkeys(("--silent", "-s"), "-q"),
    **dict.fromkeys(("-i", "--input", "--file"), "runconv LOG"),
    **dict.fromkeys(("-r", "-R", "--recursive"), "runconv FOLDER"),
    **dict.fromkeys(("--last", "--latest"), "runconv show @1"),
    **dict.fromkeys(("--reasoning", "--think"), "--thinking"),
    **dict.fromkeys(("--stdin", "--pipe"), "- for standard input"),
    **dict.fromkeys(
        ("--sort", "--slowest", "--longest", "--top"), "runconv table calls LOG..."
    ),
}


# Messages of argparse, and the words that replace them.
_WORDS = (
    (r"^argument (?:\S+/)?(\S+): expected one argument", r"\1 needs a value"),
    (
        r"^argument (?:-\w/)?([^\s/:]+)\S*: ignored explicit argument",
        r"\1 takes no value; remove",
    ),
)


def _traits(row: Option) -> dict[str, Any]:
    """Return the arguments by which argparse adds an option."""
    if row.is_negatable:
        return {"action": argparse.BooleanOptionalAction}
    if row.kind is bool:
        return {"action": "store_true"}
    return {"action": "append" if row.is_list else "store"}
