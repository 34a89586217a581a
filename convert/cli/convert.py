"""The command `convert`, which is implied: logs to one output.

A folder of outputs, one for each log, is the work of the wing `scale`.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from convert import registry
from convert.cli.commands import ConvertOptions, Given
from convert.errors import ExitStatus, UsageError
from convert.options.conversion import Options, Reading
from convert.version import __version__

if TYPE_CHECKING:
    from convert.cli.destination import Destination
    from convert.cli.logs import Named
    from convert.cli.progress import Progress
    from convert.formats import Writer
    from convert.pipeline import Conversion


class Request:
    """The request that a command line makes."""

    def __init__(self, given: Given) -> None:
        self.logs = given.logs
        self.command = given.of(ConvertOptions)
        self.options = given.of(Options)
        self.reading = given.of(Reading)
        self.given = given

    def use_settings(self) -> None:
        """Take the options of a settings file that the command line does not name."""
        from convert.cli.settings import settings_in_file, with_settings

        file = settings_in_file(self.command.config, "convert")
        given = self.given.values(Options) | self.given.values(Reading)
        values = with_settings(given, file)
        of_reading = Reading.options().keys() & values.keys()
        self.reading = Reading(**{name: values.pop(name) for name in of_reading})
        self.options = Options(**values)

    def use_noise(self) -> None:
        """Take the settings for noise that comparisons have."""
        from convert.cli.settings import noise_in_file

        noise = noise_in_file(self.command.config)
        self.options = self.options.replace(**noise)


def main(given: Given) -> int:
    """Convert every log; return the worst exit status."""
    asked = Request(given)
    if asked.command.version or asked.command.example:
        from convert.cli.destination import print_text

        print_text(_about(asked))
        return ExitStatus.CONVERTED
    if asked.command.schema:
        return _print_schema(asked)
    if not asked.logs and os.isatty(0):
        from convert.cli.help import overview

        os.write(2, overview().encode())
        return ExitStatus.TROUBLE
    return _run(asked)


def _about(asked: Request) -> str:
    """Return the version or an example."""
    if asked.command.version:
        return f"runconv {__version__}\n"
    from convert.cli.help import example

    if asked.given.names != {"example"}:
        raise UsageError(
            "--example takes no other option; to keep the log:"
            " runconv --example > run.ndjson"
        )
    return example(asked.logs)


def _print_schema(asked: Request) -> int:
    """Print the JSON Schema of the format that is named; return the exit status."""
    from convert.cli.help import print_schema
    from convert.formats import writers
    from convert.pipeline import find_writer

    name = asked.command.target
    schema = find_writer(name, "--to").schema if name is not None else ""
    if not schema:
        named = [f"-t {each}" for each, row in writers().items() if row.schema]
        raise UsageError(f"--schema takes {' or '.join(named)}")
    return print_schema(schema, asked.given, "target")


def _run(asked: Request) -> int:
    """Convert every log; return the worst exit status."""
    from convert.cli.destination import is_folder
    from convert.cli.logs import plain_logs
    from convert.cli.messages import use_colours

    asked.use_settings()
    command = asked.command
    use_colours(command.color)
    path = command.output
    target, conversion = _conversion(asked)
    if path == "":
        raise UsageError("--output needs a path")
    folder = path if path and is_folder(path) else ""
    if command.engine != "local" or command.scheduler is not None:
        from convert.cli.folders import check_engine

        check_engine(command.engine, command.scheduler)
        if not folder:
            raise UsageError(
                f"--engine {command.engine} writes a file per log; name a folder, as in"
                " -o FOLDER/"
            )
    named = plain_logs(asked.logs, command)
    if named is None:
        # Imported here: a file or standard input needs nothing of it.
        from convert.cli.folders import named_logs

        named = named_logs(asked.logs, command, folder)
    if command.resume:
        from convert.cli.folders import check_resume

        check_resume(folder, named.paths)
    if not folder:
        _check_one_log(named, target, conversion.options)
    if path is None or path == "-":
        return _to_standard_output(named, target, conversion, command)
    from convert.cli.output_files import exit_on_signals

    exit_on_signals()
    convert = registry.row("folders", "convert") if folder else _to_file
    status: int = convert(named, path, target, conversion, command)
    return status


def _conversion(asked: Request) -> tuple[Writer, Conversion]:
    """Return the format to write and the conversion; raises UsageError."""
    from convert.pipeline import Conversion, check_source, find_writer

    command = asked.command
    check_source(command.source)
    name = command.target if command.target is not None else _target_of(command.output)
    target = find_writer(name, "--to")
    if target.takes_noise:
        asked.use_noise()
    options = asked.options.replace(at_end=command.output not in (None, "-"))
    return target, Conversion(command.source, name, command.run, asked.reading, options)


def _target_of(path: str | None) -> str:
    """Return the name of the format for the suffix of an output, or the default.

    Raises UsageError for a suffix that is that of no format.
    """
    from convert.cli.destination import is_folder, named_by_suffix
    from convert.formats import DEFAULT, writers

    if not path or is_folder(path):
        return DEFAULT
    suffixes = {name: writer.suffixes for name, writer in writers().items()}
    return named_by_suffix(path, suffixes, "format", "-t") or DEFAULT


def _to_standard_output(
    named: Named, target: Writer, conversion: Conversion, command: ConvertOptions
) -> int:
    from msgspec.structs import replace

    from convert.cli.destination import (
        escape_for_display,
        escape_for_runner,
        is_coloured,
        refuse_input,
        standard_output,
    )

    refuse_input(1, "standard output", named.paths)
    is_headed = target.is_headed and (len(named.logs) > 1 or named.is_many)
    has_colours = target.is_coloured and is_coloured(command.color, 1)
    if has_colours:
        options = conversion.options.replace(colours=True)
        conversion = replace(conversion, options=options)
    # Coloured output has been escaped for a terminal.
    escapes = escape_for_runner if has_colours else escape_for_display
    with standard_output(escapes(target.shown_as, 1)) as destination:
        return _convert_logs(named, destination, conversion, command, is_headed)


def _to_file(
    named: Named,
    path: str,
    target: Writer,
    conversion: Conversion,
    command: ConvertOptions,
) -> int:
    from convert.cli.destination import refuse_input
    from convert.cli.output_files import named_output

    refuse_input(path, path, named.paths)
    with named_output(path, follows_link=True, shown_as=target.shown_as) as destination:
        return _convert_logs(named, destination, conversion, command)


def _check_one_log(named: Named, target: Writer, options: Options) -> None:
    """Refuse options that a single output of several logs cannot have."""
    if len(named.logs) > 1 or named.is_many:
        if target.is_document:
            if target.takes_noise:
                raise UsageError(
                    "a trajectory holds a single log; use -o FOLDER/ for several"
                )
            raise UsageError(
                "a page holds a single log; runconv stats LOG... -o all.html makes a"
                " page of all runs, and -t html -o FOLDER/ a page of each log"
            )
        for name in target.options_for_one_log:
            if getattr(options, name):
                flag = Options.options()[name].flags[-1]
                raise UsageError(
                    f"{flag} needs a single log; use -o FOLDER/ for several"
                )


def _convert_logs(
    named: Named,
    destination: Destination,
    conversion: Conversion,
    command: ConvertOptions,
    is_headed: bool = False,
) -> int:
    """Convert all logs to one output."""
    from convert.cli.logs import convert_log_to

    # A bar between the lines of an output is in their way.
    is_watched = not (command.quiet or destination.is_terminal)
    results = []
    with _progress(named, conversion, is_watched) as progress:
        for log in named.logs:
            results.append(
                convert_log_to(destination, log, conversion, command, is_headed)
            )
            if progress:
                progress.add_logs(1)
    if not named.is_many:
        return max(result.status for result in results)
    from convert.cli.progress import end

    return end(named, results, command.quiet)


def _progress(
    named: Named, conversion: Conversion, is_watched: bool
) -> contextlib.AbstractContextManager[Progress | None]:
    """Return the progress of the reading; None for standard input."""
    if not is_watched or "-" in named.paths:
        return contextlib.nullcontext()
    from convert.cli.progress import progress_of

    times = 2 if conversion.reading.redact else 1
    return progress_of(named.paths, times=times, is_wanted=True)
