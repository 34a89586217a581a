"""What the commands share in reading their arguments."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, NoReturn

from convert.errors import UsageError

if TYPE_CHECKING:
    from convert.options import Reading


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError and adds no options of its own.

    `command` is what the user types to get at it.
    """

    def __init__(self, command: str = "runconv") -> None:
        super().__init__(
            prog=command,
            add_help=False,
            allow_abbrev=False,
            # The help is ours; without a width, argparse imports what finds one, and
            # with it all that compresses.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        )

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


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def number_of_bytes(text: str) -> int:
    """A number of bytes: 65536, 200MB, 1.5G; a kB is 1,000 of them."""
    match = re.fullmatch(
        r"(\d{1,15}(?:\.\d{1,9})?) ?([kmg]?)b?", text.lower(), re.ASCII
    )
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of bytes")
    return int(float(match[1]) * _UNITS[match[2]])


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a log is read."""
    parser.add_argument("--max-line", type=number_of_bytes, default="200MB")
    parser.add_argument("--max-input", type=number_of_bytes, default="10GB")
    parser.add_argument("--redact", action="store_true")
    parser.add_argument("--redact-pattern", action="append", default=[])


def reading(asked: argparse.Namespace) -> Reading:
    """How a log is to be read. Raises UsageError for a pattern that is none."""
    from convert.options import Reading

    if asked.redact_pattern:
        from convert.redact import check_patterns

        check_patterns(asked.redact_pattern)
    return Reading(
        max_line=asked.max_line,
        max_input=asked.max_input,
        redact=asked.redact or bool(asked.redact_pattern),
        redact_patterns=tuple(asked.redact_pattern),
    )


def run_number(text: str) -> int:
    """The number of a run: from 1, or negative from the end."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not the number of a run; 1 is the first, -1 the last"
        )
    return int(text)
