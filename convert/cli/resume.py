"""The logs that `--resume` leaves out: done before, and unchanged since.

A log is known by its path and state, and what was made of it by the states of its
files. A digest holds whatever else decides about the files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from convert.cli.folders import NamedLog
from convert.cli.log_conversion import FAILED, LogResult, Output, convert_into
from convert.cli.manifest import Entry, LogRead, Manifest, ToldOf
from convert.cli.messages import say
from convert.errors import ExitStatus, UsageError
from convert.options.option_set import OptionSet
from convert.storage import State, is_url, joined, shown, state_now, state_of
from convert.version import __version__

if TYPE_CHECKING:
    from convert.cli.engines import Steps
    from convert.cli.options import ConvertOptions
    from convert.pipeline import Conversion


def check(folder: str, logs: Iterable[str]) -> None:
    """Raise UsageError if nothing can be known to be done."""
    if not folder:
        raise UsageError("--resume is for a folder; name one, as in -o FOLDER/")
    if "-" in logs:
        raise UsageError(
            "--resume reads files alone; name a log in place of standard input"
        )


class Converted(Struct, frozen=True):
    """The result of a log, and the state of its file; None if there is none."""

    result: LogResult
    file: State | None = None


NOT_CONVERTED = Converted(FAILED)
"""The result of a log whose worker died."""


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


def digest_of(*asked: Any) -> str:
    """Return what is the same only for the same version, options and so on."""
    plain = msgspec.to_builtins(
        [__version__, *asked], order="deterministic", enc_hook=OptionSet.as_dict
    )
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:32]


def key_of(path: str) -> str:
    """Return the name by which a log is known again, in whatever folder one is."""
    return path if is_url(path) else os.path.abspath(path)


def known_state(path: str) -> State | None:
    """Return the state of a log; None if it can never be known to be unchanged.

    A pipe cannot, and nor can a URL that holds credentials: they are not written down.
    """
    if is_url(path):
        state = state_of(path) if shown(path) == path else None
        return state if state is None or state.version else None
    return state_of(path) if os.path.isfile(path) else None


def log_read(
    log: NamedLog, state: State, result: LogResult, told: ToldOf | None = None
) -> LogRead:
    """Return what the manifest holds about a log that has been read."""
    status, warned, is_log = result.status, result.has_warnings, result.is_log
    name = key_of(log.path)
    return LogRead(name, log.path, state, int(status), warned, is_log, told)


def result_of(log: LogRead) -> LogResult:
    """Return how the reading of a log ended, as the manifest has it."""
    return LogResult(log.status, log.has_warnings, log.is_log)


def place_in(path: str, folder: str) -> str:
    """Return the path of a file in a folder, which begins with the folder's."""
    return path.removeprefix(joined(folder, ""))


def look_up_all(folder: str) -> None:
    """Look up all objects below a URL at once."""
    if is_url(folder):
        from convert.storage.listing import paths_below

        paths_below(folder)


def say_left_out(logs: int, is_quiet: bool) -> None:
    """Say how many logs are left out."""
    if logs and not is_quiet:
        from convert.wording.numbers import count

        what = "done before and unchanged, not read again (--resume)"
        say(f"notice: {count(logs, 'log')} {what}", None)
