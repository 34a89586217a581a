"""What the commands share in reading their arguments."""

from __future__ import annotations

import argparse
from typing import NoReturn

from convert.errors import UsageError


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError and adds no options of its own.

    `command` is what the user types to get at it.
    """

    def __init__(self, command: str = "runconv") -> None:
        super().__init__(prog=command, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the arguments."""
        message = message.replace("ignored explicit argument", "takes no value, not")
        raise UsageError(f"{message}; see {self.prog} --help")

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Parse a command line; what stands behind `--` is the name of a log."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        asked = self.parse_intermixed_args(arguments[:end])
        asked.logs += arguments[end + 1 :]
        return asked


def run_number(text: str) -> int:
    """The number of a run: from 1, or negative from the end."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not the number of a run; 1 is the first, -1 the last"
        )
    return int(text)
