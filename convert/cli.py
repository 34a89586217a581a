"""The command line: opens files, prints, and chooses the exit status."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

from convert import __version__
from convert.errors import (
    InputError,
    NoResultError,
    OutputError,
    RunconvError,
    UsageError,
)
from convert.help import FULL, SHORT
from convert.messages import Messages, say

if TYPE_CHECKING:
    from convert.formats import Format
    from convert.model import Event
    from convert.output import Output
    from convert.pipeline import Conversion


def run(arguments: list[str]) -> int:
    """Run one command line; its exit status."""
    try:
        return _run(arguments)
    except RunconvError as error:
        say(error.message)
        return error.exit_status


def _run(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command in ("convert", "formats"):
        arguments = arguments[1:]
    if command == "formats" and not {*arguments} <= {"-h", "--help"}:
        raise UsageError("formats takes no arguments; to convert a log: runconv LOG")
    asked = _parse(arguments)
    if asked.help or asked.version:
        _print(FULL if asked.help else f"runconv {__version__}\n")
        return 0
    if command == "formats":
        _print(_formats())
        return 0
    if not asked.logs and os.isatty(0):
        os.write(2, SHORT.encode())
        return 2
    return _convert(asked)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = message.replace("ignored explicit argument", "takes no value, not")
        raise UsageError(f"{message}; see runconv --help")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="runconv", add_help=False, allow_abbrev=False)
    parser.add_argument("logs", nargs="*", metavar="LOG")
    parser.add_argument("-f", "--from", dest="source", default="auto")
    parser.add_argument("-t", "--to", dest="target")
    parser.add_argument("-o", "--output")
    parser.add_argument("--run", type=_run_number)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--answer", action="store_true")
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--tool-output", default="preview")
    parser.add_argument("--max-bytes", type=_number_of_bytes)
    parser.add_argument("--thinking", action="store_true")
    parser.add_argument("--front-matter", action="store_true")
    parser.add_argument("--exit-status", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    asked = parser.parse_intermixed_args(arguments[:end])
    asked.logs += arguments[end + 1 :]
    return asked


def _run_number(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not the number of a run; 1 is the first, -1 the last"
        )
    return int(text)


def _number_of_bytes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of bytes")
    return int(text)


def _print(text: str) -> None:
    from convert.output import standard_output

    with standard_output(None) as output:
        output.write(text.encode())


def _formats() -> str:
    """Every format, and what a conversion to it keeps of each that logs are in."""
    from convert.formats import FORMATS

    lines = ["Formats that are read (-f) and written (-t). What is kept:\n"]
    for format in FORMATS.values():
        note = "" if format.read else "; written only"
        lines.append(f"\n{format.name}: {format.what}{note}\n")
        lines.extend(
            f"  from {name:<12} {kept}\n" for name, kept in format.keeps.items()
        )
    return "".join(lines)


def _convert(asked: argparse.Namespace) -> int:
    """Convert every log; the worst exit status."""
    from convert.options import Options, check
    from convert.output import named_output, standard_output
    from convert.paths import is_folder, paths_in, refuse_input
    from convert.pipeline import Conversion, find_format, reader

    if asked.source != "auto":
        reader(asked.source)
    named = asked.target if asked.target is not None else _target_of(asked.output)
    target = find_format(named)
    options = Options(
        detail=asked.detail,
        language=asked.lang,
        answer=asked.answer,
        partial=asked.partial,
        tool_output=asked.tool_output,
        max_bytes=asked.max_bytes,
        thinking=asked.thinking,
        front_matter=asked.front_matter,
    )
    check(options)
    conversion = Conversion(asked.source, target.name, asked.run, options)
    logs = asked.logs or ["-"]
    if logs.count("-") > 1:
        raise UsageError("standard input can be read only once; name - once")
    if asked.output is None or asked.output == "-":
        _check_one_log(target, asked, logs)
        refuse_input(1, "standard output", logs)
        with standard_output(_show(target, os.isatty(1))) as output:
            return max(_convert_log(log, output, conversion, asked) for log in logs)
    if not asked.output:
        raise UsageError("-o needs a path")
    _unwind_on_signals()
    if is_folder(asked.output):
        return max(
            _convert_into(path, log, conversion, asked)
            for log, path in paths_in(logs, asked.output, target.suffixes[0])
        )
    _check_one_log(target, asked, logs)
    refuse_input(asked.output, asked.output, logs)
    show_on = functools.partial(_show, target)
    with named_output(asked.output, follows_link=True, show_on=show_on) as output:
        return max(_convert_log(log, output, conversion, asked) for log in logs)


def _check_one_log(target: Format, asked: argparse.Namespace, logs: list[str]) -> None:
    """Refuse what can be true of one log only where several go into one output."""
    if len(logs) > 1 and target.name == "markdown":
        for option in ("max_bytes", "front_matter"):
            if getattr(asked, option):
                name = option.replace("_", "-")
                raise UsageError(f"--{name} is for one log, or several with -o FOLDER/")


def _convert_into(
    path: str, log: str, conversion: Conversion, asked: argparse.Namespace
) -> int:
    """Convert one log into a folder; a name that cannot be written stops no other."""
    from convert.output import named_output

    try:
        with named_output(path, follows_link=False, show_on=lambda _: None) as output:
            return _convert_log(log, output, conversion, asked)
    except OutputError as error:
        say(error.message)
        return error.exit_status


def _unwind_on_signals() -> None:
    """Let what ends the command politely leave no half file behind."""

    def leave(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)


def _convert_log(
    log: str, output: Output, conversion: Conversion, asked: argparse.Namespace
) -> int:
    """Convert one log; what stops it is said and does not stop the others."""
    from msgspec.structs import replace

    from convert.lines import chunks
    from convert.model import End, EndOfLog
    from convert.pipeline import convert_log

    name = "<stdin>" if log == "-" else log
    messages = Messages(name, is_quiet=asked.quiet, is_strict=asked.strict)
    has_failed = False

    def watch(event: Event) -> None:
        nonlocal has_failed
        if isinstance(event, End):
            has_failed = has_failed or event.state != "success"
            if event.state is None and asked.exit_status:
                messages.warn(None, "text records no state, taken for no success")
        elif isinstance(event, EndOfLog):
            messages.end(event.line, event.unknown)

    options = replace(conversion.options, follows=not output.is_empty)
    conversion = conversion._replace(options=options)
    try:
        with _opened(log) as file:
            pieces = chunks(file, output.flush)
            for lines in convert_log(pieces, conversion, messages.warn, watch):
                output.write(lines)
    except (InputError, NoResultError) as error:
        output.flush()
        messages.error(error)
        if isinstance(error, NoResultError) and not output.is_empty:
            output.is_wanted = True
        return error.exit_status
    output.is_wanted = True
    return 1 if asked.exit_status and has_failed else 0


@contextlib.contextmanager
def _opened(log: str) -> Iterator[int]:
    """Open a log to read; standard input is open already."""
    if log == "-":
        yield 0
        return
    try:
        file = os.open(log, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        what = f"cannot read it: {why}; check the path, or see runconv --help"
        raise InputError(what) from error
    try:
        yield file
    finally:
        os.close(file)


def _target_of(path: str | None) -> str:
    """The format that the suffix of an output names, else text."""
    from convert.formats import FORMATS

    suffix = os.path.splitext(path or "")[1].lower()
    if suffix in (".html", ".gz", ".bz2", ".xz", ".zst"):
        raise UsageError(f"cannot write {suffix} yet; name a format with -t")
    named = (name for name, format in FORMATS.items() if suffix in format.suffixes)
    return next(named, "text")


def _show(target: Format, is_terminal: bool) -> Callable[[str], str] | None:
    """How output is made harmless to the terminal or the runner that shows it."""
    from convert import display

    shows: list[Callable[[str], str]] = []
    if is_terminal:
        shows.append(display.visible if target.is_for_people else display.visible_json)
    if os.environ.get("GITHUB_ACTIONS") == "true" and target.is_for_people:
        shows.append(display.harmless_to_runner)
    if not shows:
        return None
    return lambda text: functools.reduce(lambda shown, show: show(shown), shows, text)
