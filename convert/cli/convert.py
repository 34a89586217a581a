"""The command `convert`, which is implied: logs to outputs."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from convert import __version__
from convert.cli.arguments import Parser
from convert.cli.options import ConvertOptions
from convert.errors import ExitStatus, NoResultError, OutputError, UsageError
from convert.options import Options, Reading

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.messages import Messages
    from convert.formats import Writer
    from convert.model.events import End, Event
    from convert.pipeline import Conversion


class Asked:
    """The request that a command line makes."""

    def __init__(self, arguments: list[str]) -> None:
        sets = (ConvertOptions, Options, Reading)
        given = Parser("runconv", *sets).given(arguments)
        self.logs = given.logs
        self.command = given.of(ConvertOptions)
        self.options = given.of(Options)
        self.reading = given.of(Reading)
        self._given = given

    def names_more_than(self, name: str) -> bool:
        """Tell whether options other than this one are named."""
        return self._given.names != {name}


def main(arguments: list[str]) -> int:
    """Run the command with these words; return the exit status."""
    from convert.cli.destination import print_text

    asked = Asked(arguments)
    if asked.command.help or asked.command.version or asked.command.example:
        print_text(_about(asked))
        return ExitStatus.CONVERTED
    if not asked.logs and os.isatty(0):
        from convert.cli.help import SHORT

        os.write(2, SHORT.encode())
        return ExitStatus.TROUBLE
    return _run(asked)


def _about(asked: Asked) -> str:
    """Return the help, the version or an example."""
    if asked.command.help:
        from convert.cli.help import convert_help

        return convert_help()
    if asked.command.version:
        return f"runconv {__version__}\n"
    from convert.cli.examples import example

    if asked.names_more_than("example"):
        raise UsageError(
            "--example takes no other option; to keep the log:"
            " runconv --example > run.ndjson"
        )
    return example(asked.logs)


def _run(asked: Asked) -> int:
    """Convert every log; return the worst exit status."""
    from convert.cli.logs import check_logs
    from convert.cli.paths import is_folder
    from convert.cli.signals import exit_on_signals

    logs = asked.logs or ["-"]
    path = asked.command.output
    target, conversion = _conversion(asked)
    check_logs(logs)
    if path == "":
        raise UsageError("--output needs a path")
    if path is None or path == "-":
        return _to_standard_output(logs, target, conversion, asked.command)
    exit_on_signals()
    convert = _into_folder if is_folder(path) else _to_file
    return convert(logs, path, target, conversion, asked.command)


def _conversion(asked: Asked) -> tuple[Writer, Conversion]:
    """Return the format to write and the conversion; raises UsageError."""
    from convert.pipeline import Conversion, find_reader, find_writer, is_detected

    command = asked.command
    if not is_detected(command.source):
        find_reader(command.source, "--from")
    name = command.target if command.target is not None else _target_of(command.output)
    target = find_writer(name, "--to")
    return target, Conversion(
        command.source, name, command.run, asked.reading, asked.options
    )


def _target_of(path: str | None) -> str:
    """Return the name of the format for the suffix of an output, or the default.

    Raises UsageError for a suffix that is that of no format.
    """
    from convert.cli.paths import COMPRESSED, is_folder
    from convert.formats import DEFAULT, writers

    suffix = os.path.splitext(path or "")[1].lower()
    if not (path and suffix) or is_folder(path):
        return DEFAULT
    if suffix in COMPRESSED:
        raise UsageError(
            "cannot write compressed files; write a plain file, then compress it"
        )
    for name, writer in writers().items():
        if suffix in writer.suffixes:
            return name
    known = dict.fromkeys(it for writer in writers().values() for it in writer.suffixes)
    raise UsageError(
        f"no format has the suffix {suffix}; choose from {', '.join(known)},"
        f" or name a format with -t: {', '.join(writers())}"
    )


def _to_standard_output(
    logs: list[str], target: Writer, conversion: Conversion, command: ConvertOptions
) -> int:
    from convert.cli.destination import standard_output
    from convert.cli.display import escape_for_display
    from convert.cli.paths import refuse_input

    _check_one_log(logs, target, conversion.options)
    refuse_input(1, "standard output", logs)
    is_headed = target.is_headed and len(logs) > 1
    escape = escape_for_display(target.shown_as, os.isatty(1))
    with standard_output(escape) as destination:
        return _convert_logs(logs, destination, conversion, command, is_headed)


def _to_file(
    logs: list[str],
    path: str,
    target: Writer,
    conversion: Conversion,
    command: ConvertOptions,
) -> int:
    from convert.cli.destination import named_output
    from convert.cli.display import escape_for_display
    from convert.cli.paths import refuse_input

    _check_one_log(logs, target, conversion.options)
    refuse_input(path, path, logs)
    show_on = functools.partial(escape_for_display, target.shown_as)
    with named_output(path, follows_link=True, show_on=show_on) as destination:
        return _convert_logs(logs, destination, conversion, command)


def _into_folder(
    logs: list[str],
    path: str,
    target: Writer,
    conversion: Conversion,
    command: ConvertOptions,
) -> int:
    from convert.cli.paths import paths_in
    from convert.cli.workers import convert_all

    outputs = paths_in(logs, path, target.suffixes[0])
    return max(
        convert_all(functools.partial(_convert_into, conversion, command), outputs)
    )


def _check_one_log(logs: list[str], target: Writer, options: Options) -> None:
    """Refuse options that a single output of several logs cannot have."""
    if len(logs) > 1:
        if target.is_document:
            raise UsageError("a page holds a single log; use -o FOLDER/ for several")
        for name in target.options_for_one_log:
            if getattr(options, name):
                flag = Options.options()[name].flags[-1]
                raise UsageError(
                    f"{flag} needs a single log; use -o FOLDER/ for several"
                )


def _convert_into(
    conversion: Conversion, command: ConvertOptions, log: str, path: str
) -> int:
    """Convert one log into a folder; one that fails does not stop the others."""
    from convert.cli.destination import named_output
    from convert.cli.logs import name_of
    from convert.cli.messages import say

    try:
        with named_output(path, follows_link=False, show_on=lambda _: None) as output:
            return _convert_log(log, output, conversion, command)
    except OutputError as error:
        say(error.message)
        return error.exit_status
    except BrokenPipeError:
        return ExitStatus.PIPE_CLOSED
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        from convert.cli.failures import failure_in_words

        say(f"{name_of(log)}: {failure_in_words(error)}")
        return ExitStatus.TROUBLE


def _convert_logs(
    logs: list[str],
    destination: Destination,
    conversion: Conversion,
    command: ConvertOptions,
    is_headed: bool = False,
) -> int:
    return max(
        _convert_log(log, destination, conversion, command, is_headed) for log in logs
    )


def _convert_log(
    log: str,
    destination: Destination,
    conversion: Conversion,
    command: ConvertOptions,
    is_headed: bool = False,
) -> int:
    """Convert one log; an error in it is printed and does not stop the others."""
    from msgspec.structs import replace

    from convert.cli.logs import name_of, open_log
    from convert.pipeline import convert_log

    destination.header = _header(log, destination.is_empty) if is_headed else b""
    options = conversion.options.replace(
        follows=not (destination.is_empty or is_headed),
        log_name=os.path.basename(name_of(log)) if log != "-" else "",
    )
    conversion = replace(conversion, options=options)
    flush = destination.flush
    with open_log(
        log, is_quiet=command.quiet, is_strict=command.strict, flush=flush
    ) as opened:
        watcher = _Watcher(opened.messages, command.exit_status)
        warn = opened.messages.warn
        pieces = convert_log(opened.pieces, conversion, warn, watcher.watch)
        if not _has_written(pieces, destination):
            watcher.end_empty(conversion)
            destination.write(b"")
    if opened.error is not None:
        if isinstance(opened.error, NoResultError) and not destination.is_empty:
            destination.is_wanted = True
        return opened.error.exit_status
    destination.is_wanted = True
    return ExitStatus.RUN_FAILED if watcher.has_failed else ExitStatus.CONVERTED


def _has_written(pieces: Iterable[bytes], destination: Destination) -> bool:
    """Write pieces as they come; return True unless all are empty."""
    has_written = False
    for piece in pieces:
        destination.write(piece)
        has_written = has_written or bool(piece)
    return has_written


def _header(log: str, is_first: bool) -> bytes:
    """Return the line above the output of a log, in the form of `head`."""
    from convert.cli.logs import name_of
    from convert.wording.sanitise import escape_controls, one_line

    name = escape_controls(one_line(name_of(log)))
    above = "" if is_first else "\n"
    return f"{above}==> {name} <==\n".encode(errors="replace")


class _Watcher:
    """Watches how runs end, for `--exit-status`, and prints the counts at the end."""

    def __init__(self, messages: Messages, counts_failures: bool) -> None:
        self._messages = messages
        self._counts_failures = counts_failures
        self._records_calls = False
        self._has_answer = False
        self.has_failed = False

    def watch(self, event: Event) -> None:
        """Take the start or the end of a run, or the end of the log."""
        from convert.formats import LOSSLESS
        from convert.model.events import End, EndOfLog, Start

        if isinstance(event, EndOfLog):
            fate = f"kept in {LOSSLESS}"
            self._messages.end(event.line, event.unknown, fate, event.redacted)
        elif isinstance(event, Start):
            self._records_calls = self._records_calls or event.level == "calls"
        elif isinstance(event, End):
            self._has_answer = self._has_answer or event.state in ("success", "error")
            if self._counts_failures:
                self._count(event)

    def _count(self, end: End) -> None:
        self.has_failed = self.has_failed or end.state != "success"
        if end.state not in (None, "success"):
            from convert.formats.run_ends import run_end_line

            self._messages.notice(end.line, run_end_line(end))
        if end.state is None:
            self._messages.warn(
                None,
                "the log does not record whether the run succeeded",
                "counted as a failure",
            )

    def end_empty(self, conversion: Conversion) -> None:
        """Print where to find the answer of a log from which nothing was written.

        A format that records no tool calls says so itself.
        """
        from convert.pipeline import find_writer

        notice = find_writer(conversion.target).if_empty
        is_asked = conversion.options.answer
        if notice and self._records_calls and self._has_answer and not is_asked:
            self._messages.notice(None, notice)
