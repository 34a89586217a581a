"""The command `convert`, which is implied: logs to outputs."""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from convert.cli.arguments import (
    Parser,
    add_reading,
    number_of_bytes,
    reading,
    run_number,
)
from convert.cli.logs import check_logs, open_log
from convert.cli.messages import say
from convert.errors import (
    ExitStatus,
    NoResultError,
    OutputError,
    UsageError,
)

if TYPE_CHECKING:
    from convert.cli.output import Output
    from convert.formats import Format
    from convert.model import Event
    from convert.pipeline import Conversion


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the arguments of a conversion."""
    parser = Parser()
    parser.add_argument("logs", nargs="*", metavar="LOG")
    parser.add_argument("-f", "--from", dest="source", default="auto")
    parser.add_argument("-t", "--to", dest="target")
    parser.add_argument("-o", "--output")
    parser.add_argument("--run", type=run_number)
    add_reading(parser)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--answer", action="store_true")
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--tool-output", default="preview")
    parser.add_argument("--max-bytes", type=number_of_bytes)
    parser.add_argument("--thinking", action="store_true")
    parser.add_argument("--front-matter", action="store_true")
    parser.add_argument("--exit-status", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    return parser.parse(arguments)


def run(asked: argparse.Namespace) -> int:
    """Convert every log; the worst exit status."""
    from convert.cli.output import named_output, standard_output
    from convert.cli.paths import is_folder, paths_in, refuse_input
    from convert.cli.signals import unwind_on_signals
    from convert.options import Options, check
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
    conversion = Conversion(
        asked.source, target.name, asked.run, reading(asked), options
    )
    logs = asked.logs or ["-"]
    check_logs(logs)
    if asked.output is None or asked.output == "-":
        _check_one_log(target, asked, logs)
        refuse_input(1, "standard output", logs)
        with standard_output(_show(target, os.isatty(1))) as output:
            return max(_convert_log(log, output, conversion, asked) for log in logs)
    if not asked.output:
        raise UsageError("-o needs a path")
    unwind_on_signals()
    if is_folder(asked.output):
        from convert.cli.workers import each

        outputs = paths_in(logs, asked.output, target.suffixes[0])
        convert = functools.partial(_convert_into, conversion, asked)
        return max(each(convert, outputs))
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
    conversion: Conversion, asked: argparse.Namespace, log: str, path: str
) -> int:
    """Convert one log into a folder; a name that cannot be written stops no other."""
    from convert.cli.output import named_output

    try:
        with named_output(path, follows_link=False, show_on=lambda _: None) as output:
            return _convert_log(log, output, conversion, asked)
    except OutputError as error:
        say(error.message)
        return error.exit_status
    except BrokenPipeError:
        return 141


def _convert_log(
    log: str, output: Output, conversion: Conversion, asked: argparse.Namespace
) -> int:
    """Convert one log; an error in it is printed and does not stop the others."""
    from msgspec.structs import replace

    from convert.model import End, EndOfLog
    from convert.pipeline import convert_log

    has_failed = False

    def watch(event: Event) -> None:
        nonlocal has_failed
        if isinstance(event, End):
            has_failed = has_failed or event.state != "success"
            if event.state is None and asked.exit_status:
                warn(None, "text records no state", "taken for no success")
        elif isinstance(event, EndOfLog):
            opened.messages.end(event.line, event.unknown, event.redacted)

    options = replace(conversion.options, follows=not output.is_empty)
    conversion = replace(conversion, options=options)
    with open_log(
        log, is_quiet=asked.quiet, is_strict=asked.strict, flush=output.flush
    ) as opened:
        warn = opened.messages.warn
        for lines in convert_log(opened.pieces, conversion, warn, watch):
            output.write(lines)
    if opened.error is not None:
        has_results = isinstance(opened.error, NoResultError) and not output.is_empty
        output.is_wanted = output.is_wanted or has_results
        return opened.error.exit_status
    output.is_wanted = True
    is_failure = asked.exit_status and has_failed
    return ExitStatus.RUN_FAILED if is_failure else ExitStatus.CONVERTED


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
    from convert.wording import sanitise

    shows: list[Callable[[str], str]] = []
    if is_terminal:
        shows.append(
            sanitise.escape_controls
            if target.is_for_people
            else sanitise.escape_controls_in_json
        )
    if os.environ.get("GITHUB_ACTIONS") == "true" and target.is_for_people:
        shows.append(sanitise.escape_runner_commands)
    if not shows:
        return None
    return lambda text: functools.reduce(lambda shown, show: show(shown), shows, text)
