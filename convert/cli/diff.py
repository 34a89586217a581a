"""The command `diff`: two logs to a report and an exit status."""

from __future__ import annotations

import argparse
import contextlib
import os
from typing import TYPE_CHECKING, Any

from convert.cli.arguments import Parser, add_reading, reading, run_number
from convert.cli.colour import Paint, painter
from convert.cli.logs import check_logs, name_of, open_log
from convert.cli.messages import say
from convert.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from convert.diff import Comparison, Settings, Side

_FORMATS = ("table", "unified", "json", "markdown")
_LEAST_WIDTH = 40
_USUAL_WIDTH = 100
# Those that are lists, separated by commas or repeated.
_LISTS = ("allow-extra", "ignore", "ignore-arg", "keep-arg", "require")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the arguments of a comparison; settings that are not named are absent."""
    parser = Parser("runconv diff")
    parser.add_argument("logs", nargs="*", metavar="LOG")
    parser.add_argument("-f", "--from", dest="source", default="auto")
    parser.add_argument("--from-a")
    parser.add_argument("--from-b")
    parser.add_argument("--run", type=run_number)
    add_reading(parser)
    parser.add_argument("--format", default="table")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--width", type=_width)
    parser.add_argument("--name", default="default")
    parser.add_argument("--color", default="auto")
    parser.add_argument("--config")
    parser.add_argument("--exit-zero", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    for name in ("fail-on", "order", "args", "match", "text"):
        parser.add_argument(f"--{name}", default=argparse.SUPPRESS)
    for name in ("outputs", "raw"):
        action = argparse.BooleanOptionalAction
        parser.add_argument(f"--{name}", action=action, default=argparse.SUPPRESS)
    for name in _LISTS:
        parser.add_argument(f"--{name}", action="append", default=argparse.SUPPRESS)
    parser.add_argument("--scrub", action="append", default=argparse.SUPPRESS)
    for name in ("similarity", "duration-ms", "tokens", "calls"):
        kind = _ratio if name == "similarity" else _number
        parser.add_argument(f"--min-{name}", type=kind, default=argparse.SUPPRESS)
    for name in ("duration", "tokens", "calls"):
        name = f"--max-{name}-ratio"
        parser.add_argument(name, type=_ratio, default=argparse.SUPPRESS)
    return parser.parse(arguments)


def _width(text: str) -> int:
    number = _number(text)
    if not _LEAST_WIDTH <= number <= 10_000:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no width; choose from {_LEAST_WIDTH} to 10000 columns"
        )
    return number


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def _ratio(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 on")
    return number


def run(asked: argparse.Namespace) -> int:
    """Compare two logs and print the report; return the exit status."""
    if len(asked.logs) != 2:
        raise UsageError(
            "diff takes two logs, the baseline and the candidate;"
            " see runconv diff --help"
        )
    check_logs(asked.logs)
    if asked.format not in _FORMATS:
        choices = ", ".join(_FORMATS)
        raise UsageError(f"no report '{asked.format}'; choose one of {choices}")
    paint = painter(asked.color, is_plain=asked.format in ("json", "markdown"))
    settings = _settings(asked)
    compared = _compare(asked, settings)
    if compared is None:
        return ExitStatus.TROUBLE
    if not asked.quiet:
        _print(asked, compared, paint)
    is_failure = compared.is_different and not asked.exit_zero
    return ExitStatus.DIFFERENT if is_failure else ExitStatus.SAME


def _compare(asked: argparse.Namespace, settings: Settings) -> Comparison | None:
    """Compare the logs; None, when it has been said, where one cannot be read."""
    from convert.diff import compare_sides

    a = _read(asked.logs[0], asked.from_a or asked.source, asked, settings)
    b = _read(asked.logs[1], asked.from_b or asked.source, asked, settings)
    if a is None or b is None:
        return None
    compared = compare_sides(a, b, settings)
    if not asked.quiet:
        _say_what_is_unknown(compared)
    return compared


def _read(
    log: str, source: str, asked: argparse.Namespace, settings: Settings
) -> Side | None:
    """Read one side; an error in it is printed, so that both sides are looked at."""
    from convert.diff import read_side

    with open_log(log, is_quiet=asked.quiet, is_strict=asked.strict) as opened:
        warn = opened.messages.warn
        side = read_side(
            opened.pieces, source, asked.run, reading(asked), settings, warn
        )
        opened.messages.end(side.lines, {}, side.redacted)
        return side
    return None


def _say_what_is_unknown(compared: Comparison) -> None:
    """Name the limits that were asked for and cannot be held against anything."""
    from convert.diff.findings import limits

    for run in compared.runs:
        for limit in limits(run, compared.settings) if run.a and run.b else ():
            sides = (("baseline", limit.baseline), ("candidate", limit.candidate))
            for side, figure in sides:
                if figure is None:
                    what = f"no {limit.what} recorded in the {side}"
                    say(f"{what}, {limit.option} not checked")


def _settings(asked: argparse.Namespace) -> Settings:
    """The settings of the file, and over them those of the command line."""
    from convert.diff.settings import Settings, settings_of

    names = {name.replace("_", "-") for name in Settings.__struct_fields__}
    given: dict[str, Any] = {}
    for name, value in vars(asked).items():
        name = name.replace("_", "-")
        if name in names:
            is_list = name in _LISTS
            given[name] = _split(value) if is_list else value
    values = _from_file(asked.config)
    for name, value in given.items():
        is_added_to = isinstance(value, list) and name in values
        values[name] = [*values[name], *value] if is_added_to else value
    return settings_of(values)


def _split(texts: list[str]) -> list[str]:
    """The words of lists that are separated by commas."""
    words = (word.strip() for text in texts for word in text.split(","))
    return [word for word in words if word]


def _from_file(path: str | None) -> dict[str, Any]:
    """The settings of a file that is named, or of the nearest pyproject.toml."""
    from convert.diff.settings import read_settings

    if path is not None:
        try:
            with open(path, "rb") as file:
                return read_settings(path, file.read())
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"cannot read {path}: {why}; check --config") from error
    folder = os.getcwd()
    while True:
        path = os.path.join(folder, "pyproject.toml")
        with contextlib.suppress(OSError), open(path, "rb") as file:
            # Most have no settings for this; then reading TOML is not worth the wait.
            data = file.read()
            found = read_settings(path, data) if b"runconv" in data else {}
            if found:
                return found
        if os.path.dirname(folder) == folder:
            return {}
        folder = os.path.dirname(folder)


def _print(asked: argparse.Namespace, compared: Comparison, paint: Paint) -> None:
    from convert.cli.output import standard_output
    from convert.diff.reports import report
    from convert.diff.reports.lines import Look
    from convert.wording.sanitise import escape_runner_commands, repair_surrogates

    look = Look(
        a=name_of(asked.logs[0]),
        b=name_of(asked.logs[1]),
        is_full=asked.full,
        is_verbose=asked.verbose,
        width=asked.width or _width_of_terminal(),
        name=asked.name,
    )
    # All of it is made before any is printed: trouble leaves nothing behind.
    lines = list(report(asked.format)(compared, look))
    is_in_runner = os.environ.get("GITHUB_ACTIONS") == "true" and asked.format != "json"
    with standard_output(escape_runner_commands if is_in_runner else None) as output:
        for line in lines:
            output.write(f"{repair_surrogates(paint(line))}\n".encode())


def _width_of_terminal() -> int:
    """The width of the terminal, and a fixed one where there is none."""
    try:
        return max(os.get_terminal_size(1).columns, _LEAST_WIDTH)
    except OSError:
        return _USUAL_WIDTH
