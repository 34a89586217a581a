"""The conversion of many logs into a folder, one file for each, on an engine.

With `--resume`, logs that are done and unchanged are skipped.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from convert.cli.log_conversion import FAILED, LogResult, convert_log_to
from convert.cli.logs import NamedLog, name_of
from convert.cli.messages import say
from convert.cli.options import ConvertOptions
from convert.cli.output_files import NewFile, named_output
from convert.cli.terminal import shown_path
from convert.errors import ExitStatus, OutputError
from convert.pipeline import Conversion
from convert.scale.resume import (
    Entry,
    Manifest,
    digest_of,
    key_of,
    known_state,
    log_read,
    look_up_all,
    place_in,
    result_of,
    say_left_out,
)
from convert.source.stores import State, state_now, state_of

if TYPE_CHECKING:
    from convert.cli.logs import Named
    from convert.cli.progress import Progress
    from convert.formats import Writer
    from convert.scale.engines.jobs import Steps


def convert_into_folder(
    named: Named,
    path: str,
    target: Writer,
    conversion: Conversion,
    command: ConvertOptions,
) -> int:
    """Convert each log to a file in a folder; return the worst exit status."""
    from convert.cli.folders import paths_in
    from convert.cli.totals import end
    from convert.scale.engines import opened

    paths = paths_in(named.logs, path, target.suffixes[0])
    outputs = [Output(*each) for each in zip(named.logs, paths, strict=True)]
    if command.resume:
        results = _results_of_rest(outputs, path, conversion, command)
        return end(named, results, command.quiet)
    convert = functools.partial(convert_into, conversion, command)
    with (
        opened(command.engine, command.scheduler, path) as engine,
        _progress(outputs, conversion, command) as progress,
    ):
        results = [*engine.results_of(convert, outputs, FAILED, progress)]
    return end(named, results, command.quiet)


def _results_of_rest(
    outputs: list[Output], path: str, conversion: Conversion, command: ConvertOptions
) -> list[LogResult]:
    """Convert the logs that are not done yet; return the results of all."""
    from convert.scale.engines import opened

    asked = digest_of(conversion, command.strict, command.exit_status)
    rest = Rest(outputs, path, asked)
    rest.say_left_out(command.quiet)
    if not rest.outputs:
        return rest.results([])
    convert = functools.partial(convert_and_look, conversion, command)
    with (
        opened(command.engine, command.scheduler, path) as engine,
        rest.noted(),
        _progress(rest.outputs, conversion, command) as progress,
    ):
        made = engine.results_of(
            convert, rest.outputs, NOT_CONVERTED, progress, rest.note
        )
        return rest.results(made)


def _progress(
    outputs: list[Output], conversion: Conversion, command: ConvertOptions
) -> contextlib.AbstractContextManager[Progress | None]:
    from convert.cli.progress import progress_of

    times = 2 if conversion.reading.redact else 1
    paths = [output.path for output in outputs]
    return progress_of(paths, times=times, is_wanted=not command.quiet)


class Output(Struct, frozen=True):
    """A log, and the file that it becomes."""

    log: NamedLog
    to: str

    @property
    def path(self) -> str:
        """The path of the log."""
        return self.log.path

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of the log alone."""
        return self.log.paths


def convert_into(
    conversion: Conversion,
    command: ConvertOptions,
    output: Output,
) -> Steps[LogResult]:
    """Convert one log into a folder; one that fails does not stop the others.

    Yields the file once it is complete, to be synced with those of other logs.
    """
    log = output.log
    try:
        with named_output(
            output.to, follows_link=False, show_on=lambda _: None
        ) as destination:
            result = convert_log_to(destination, log, conversion, command)
            if isinstance(destination, NewFile) and destination.is_wanted:
                destination.complete()
                yield destination
        return result
    except OutputError as error:
        say(error.message)
        return LogResult(error.exit_status)
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        from convert.cli.failures import failure_in_words

        say(f"{shown_path(name_of(log.path))}: {failure_in_words(error)}")
        return LogResult(ExitStatus.TROUBLE)


# A log is known by its path and state, and what was made of it by the states of its
# files. A digest holds whatever else decides about the files.
class Converted(Struct, frozen=True):
    """The result of a log, and the state of its file; None if there is none."""

    result: LogResult
    file: State | None = None


NOT_CONVERTED = Converted(FAILED)


def convert_and_look(
    conversion: Conversion, command: ConvertOptions, output: Output
) -> Steps[Converted]:
    """Convert one log into a folder, and look at the file when it has its name."""
    result = yield from convert_into(conversion, command, output)
    return Converted(result, state_now(output.to) if result.is_log else None)


class Rest:
    """The outputs of a command, and which of them are to be made."""

    def __init__(self, outputs: list[Output], folder: str, asked: str) -> None:
        self._outputs = outputs
        self._asked = asked
        self._manifest = Manifest(folder)
        self._pieces = [place_in(output.to, folder) for output in outputs]
        self._before = self._manifest.entries()
        if self._before:
            look_up_all(folder)
        self._states = [known_state(output.path) for output in outputs]
        self._results = {
            number: result
            for number in range(len(outputs))
            if (result := self._result_before(number)) is not None
        }
        self._missing = [
            number for number in range(len(outputs)) if number not in self._results
        ]
        self.outputs = [outputs[number] for number in self._missing]
        """Those that are to be made."""

    def say_left_out(self, is_quiet: bool) -> None:
        """Say how many logs are left out."""
        say_left_out(sum(each.is_log for each in self._results.values()), is_quiet)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Let `note` add to the manifest for the block."""
        ours = {self._pieces[number] for number in self._missing}
        entries = self._before.values()
        self._manifest.begin(entry for entry in entries if entry.piece not in ours)
        self._before = {}
        try:
            yield
        finally:
            self._manifest.end()

    def note(self, at: int, made: Converted) -> None:
        """Add one of `outputs` to the manifest, unless it has failed."""
        number = self._missing[at]
        result, state = made.result, self._states[number]
        has_failed = made.file is None or result.status >= ExitStatus.TROUBLE
        if state is None or (result.is_log and has_failed):
            return
        piece = self._pieces[number]
        log = log_read(self._outputs[number].log, state, result)
        files = {piece: made.file} if made.file else {}
        self._manifest.add(Entry(piece, self._asked, [log], files))

    def results(self, made: Iterable[Converted]) -> list[LogResult]:
        """Return the results of all outputs, with those of `outputs` that come."""
        for number, each in zip(self._missing, made, strict=True):
            self._results[number] = each.result
        return [self._results[number] for number in range(len(self._outputs))]

    def _result_before(self, number: int) -> LogResult | None:
        """Return the result of an output that is done; None if it is to be made."""
        entry = self._before.get(self._pieces[number])
        if entry is None or entry.asked != self._asked or len(entry.logs) != 1:
            return None
        [log], output = entry.logs, self._outputs[number]
        if log.log != key_of(output.path) or log.state != self._states[number]:
            return None
        if log.is_log:
            is_there = entry.made == {entry.piece: state_of(output.to)}
        else:
            is_there = output.log.is_found
        return result_of(log) if is_there else None
