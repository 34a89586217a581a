"""The command `convert`, which is implied: logs to outputs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from convert.cli.arguments import Parser
from convert.cli.options import ConvertOptions
from convert.errors import ExitStatus, NoResultError, OutputError, UsageError
from convert.options import Options, Reading

if TYPE_CHECKING:
    from convert.cli.output import Output
    from convert.formats import Format
    from convert.model import Event
    from convert.pipeline import Conversion


class Asked:
    """What a command line asks for."""

    def __init__(self, arguments: list[str]) -> None:
        sets = (ConvertOptions, Options, Reading)
        given = Parser("runconv", *sets).given(arguments)
        self.logs = given.logs
        self.command = given.of(ConvertOptions)
        self.options = given.of(Options)
        self.reading = given.of(Reading)


def run(asked: Asked) -> int:
    """Convert every log; return the worst exit status."""
    from convert.cli.logs import check_logs
    from convert.cli.output import named_output, standard_output
    from convert.cli.paths import is_folder, paths_in, refuse_input
    from convert.cli.signals import unwind_on_signals

    logs = asked.logs or ["-"]
    command = asked.command
    target, conversion = _conversion(asked)
    check_logs(logs)
    if command.output is None or command.output == "-":
        _check_one_log(target, asked.options, logs)
        refuse_input(1, "standard output", logs)
        with standard_output(_show(target, os.isatty(1))) as output:
            return max(_convert_log(log, output, conversion, command) for log in logs)
    if not command.output:
        raise UsageError("--output needs a path")
    unwind_on_signals()
    if is_folder(command.output):
        from convert.cli.workers import each

        outputs = paths_in(logs, command.output, target.suffixes[0])
        convert = functools.partial(_convert_into, conversion, command)
        return max(each(convert, outputs))
    _check_one_log(target, asked.options, logs)
    refuse_input(command.output, command.output, logs)
    show_on = functools.partial(_show, target)
    with named_output(command.output, follows_link=True, show_on=show_on) as output:
        return max(_convert_log(log, output, conversion, command) for log in logs)


def _conversion(asked: Asked) -> tuple[Format, Conversion]:
    """Return the format to write and the conversion; raises UsageError."""
    from convert.pipeline import Conversion, find_format, reader

    command = asked.command
    if command.source != "auto":
        reader(command.source, "--from")
    named = command.target if command.target is not None else _target_of(command.output)
    target = find_format(named, "--to")
    return target, Conversion(
        command.source, target.name, command.run, asked.reading, asked.options
    )


def _check_one_log(target: Format, options: Options, logs: list[str]) -> None:
    """Refuse what can be true of one log only where several go into one output."""
    if len(logs) > 1 and target.name == "markdown":
        for name in ("max_bytes", "front_matter"):
            if getattr(options, name):
                flag = Options.options()[name].flags[-1]
                raise UsageError(
                    f"{flag} needs a single log; use -o FOLDER/ for several"
                )


def _convert_into(
    conversion: Conversion, command: ConvertOptions, log: str, path: str
) -> int:
    """Convert one log into a folder; a name that cannot be written stops no other."""
    from convert.cli.messages import say
    from convert.cli.output import named_output

    try:
        with named_output(path, follows_link=False, show_on=lambda _: None) as output:
            return _convert_log(log, output, conversion, command)
    except OutputError as error:
        say(error.message)
        return error.exit_status
    except BrokenPipeError:
        return 141


def _convert_log(
    log: str, output: Output, conversion: Conversion, command: ConvertOptions
) -> int:
    """Convert one log; an error in it is printed and does not stop the others."""
    from msgspec.structs import replace

    from convert.cli.logs import open_log
    from convert.model import End, EndOfLog
    from convert.pipeline import convert_log

    has_failed = False

    def watch(event: Event) -> None:
        nonlocal has_failed
        if isinstance(event, End):
            has_failed = has_failed or event.state != "success"
            if event.state is None and command.exit_status:
                warn(None, "text records no state", "counted as a failure")
        elif isinstance(event, EndOfLog):
            opened.messages.end(event.line, event.unknown, event.redacted)

    options = conversion.options.replace(follows=not output.is_empty)
    conversion = replace(conversion, options=options)
    with open_log(
        log, is_quiet=command.quiet, is_strict=command.strict, flush=output.flush
    ) as opened:
        warn = opened.messages.warn
        for lines in convert_log(opened.pieces, conversion, warn, watch):
            output.write(lines)
    if opened.error is not None:
        has_results = isinstance(opened.error, NoResultError) and not output.is_empty
        output.is_wanted = output.is_wanted or has_results
        return opened.error.exit_status
    output.is_wanted = True
    is_failure = command.exit_status and has_failed
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
