"""The conversion of many logs into a folder, one file for each, on an engine.

With `--resume`, logs that are done and unchanged are skipped.
"""

from __future__ import annotations

import functools

from msgspec import Struct

from convert.cli.commands import ConvertOptions
from convert.cli.destination import shown_path
from convert.cli.folders import paths_in
from convert.cli.logs import FAILED, LogResult, Named, NamedLog, convert_log_to, name_of
from convert.cli.messages import failure_in_words, say
from convert.cli.output_files import NewFile, named_output
from convert.cli.progress import end
from convert.errors import ExitStatus, OutputError
from convert.formats import Writer
from convert.pipeline import Conversion
from convert.scale.engines.jobs import Steps
from convert.scale.engines.run_jobs import run_jobs
from convert.scale.resume import (
    Entry,
    Manifest,
    Unfinished,
    digest_of,
    key_of,
    known_state,
    log_read,
    path_in,
    result_of,
    say_left_out,
)
from convert.source.places import State, paths_below, state_now, state_of
from convert.wording.paths import is_url


def convert_into_folder(
    named: Named,
    path: str,
    target: Writer,
    conversion: Conversion,
    command: ConvertOptions,
) -> int:
    """Convert each log to a file in a folder; return the worst exit status."""
    paths = paths_in(named.logs, path, target.suffixes[0], command.files_from)
    outputs = [Output(*each) for each in zip(named.logs, paths, strict=True)]
    results: dict[str, LogResult] = {}
    noting = None
    if command.resume:
        digest = digest_of(conversion, command.strict, command.exit_status)
        results, unfinished = _done_before(outputs, path, digest)
        say_left_out(sum(each.is_log for each in results.values()), command.quiet)
        noting = unfinished.noting()
    rest = [output for output in outputs if output.to not in results]
    work = functools.partial(convert_into, conversion, command)
    died = Converted(FAILED)
    made = run_jobs(
        work, rest, lambda _: died, command, conversion.reading, path, noting
    )
    for output, each in zip(rest, made, strict=True):
        results[output.to] = each.result
    return end(named, [results[to] for to in paths], command.quiet)


class Output(Struct, frozen=True):
    """A log, and the file that it becomes."""

    log: NamedLog
    to: str

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of the log."""
        return self.log.paths


class Converted(Struct, frozen=True):
    """The result of a log, and the state of its file, if the manifest needs it."""

    result: LogResult
    file: State | None = None


def convert_into(
    conversion: Conversion, command: ConvertOptions, output: Output
) -> Steps[Converted]:
    """Convert one log into a folder; one that fails does not stop the others.

    Yields the file once it is complete, to be synced with those of other logs. With
    `--resume`, the state of the file is read once it has its name.
    """
    log = output.log
    try:
        with named_output(output.to, follows_link=False) as destination:
            result = convert_log_to(destination, log, conversion, command)
            if isinstance(destination, NewFile) and destination.is_wanted:
                destination.complete()
                yield destination
    except OutputError as error:
        say(error.message)
        result = FAILED
    except Exception as error:
        say(f"{shown_path(name_of(log.path))}: {failure_in_words(error)}")
        result = FAILED
    is_noted = command.resume and result.is_log
    return Converted(result, state_now(output.to) if is_noted else None)


def _done_before(
    outputs: list[Output], folder: str, digest: str
) -> tuple[dict[str, LogResult], Unfinished[Output, Converted]]:
    """Return the results of finished outputs, by path, and how to note others."""
    manifest = Manifest(folder)
    before = manifest.entries()
    if before and is_url(folder):
        # All objects are looked up at once.
        paths_below(folder)
    pieces = {output.to: path_in(output.to, folder) for output in outputs}
    states = {output.to: known_state(output.log.path) for output in outputs}
    results = {}
    for output in outputs:
        entry = before.get(pieces[output.to])
        if entry is not None and entry.digest == digest and len(entry.logs) == 1:
            result = _result_before(entry, output, states[output.to])
            if result is not None:
                results[output.to] = result

    def entry_of(output: Output, made: Converted) -> Entry | None:
        result, state = made.result, states[output.to]
        has_failed = made.file is None or result.status >= ExitStatus.TROUBLE
        if state is None or (result.is_log and has_failed):
            return None
        piece = pieces[output.to]
        files = {piece: made.file} if made.file else {}
        return Entry(piece, digest, [log_read(output.log, state, result)], files)

    ours = {piece for to, piece in pieces.items() if to not in results}
    kept = [entry for piece, entry in before.items() if piece not in ours]
    return results, Unfinished(manifest, kept, entry_of)


def _result_before(
    entry: Entry, output: Output, state: State | None
) -> LogResult | None:
    """Return the result of an output that is done; None if it is to be made."""
    [log] = entry.logs
    if log.log != key_of(output.log.path) or log.state != state:
        return None
    if log.is_log:
        is_there = entry.made == {entry.piece: state_of(output.to)}
    else:
        is_there = output.log.is_found
    return result_of(log) if is_there else None
