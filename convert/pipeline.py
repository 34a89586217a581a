"""The way from the bytes of a log to the bytes of another format."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from convert.errors import (
    InputError,
    NotALogError,
    RunconvError,
    UsageError,
    Warn,
    ignore,
    with_nearest,
)
from convert.formats import (
    LOSSLESS,
    Reader,
    Writer,
    agents,
    candidates,
    format_named,
    formats,
    openings,
    readers,
    writers,
)
from convert.model.events import End, EndOfLog, Event, Needs, Result, Start, Turn
from convert.model.run import Run, collect
from convert.options.conversion import Options, Reading
from convert.options.option_set import invalid_value
from convert.source.lines import File, OpenFile, do_nothing, is_regular, read_file
from convert.source.reading import lines_of_log, sniff
from convert.wording.paths import is_document, local_path, shown

# A log: its path, its content, or its content in pieces, as from an open binary file.
Log = str | os.PathLike[str] | bytes | bytearray | memoryview | Iterable[bytes]

# A longer str is not a path: it quotes a log in the message.
_LONGEST_PATH = 1000
# How much of a text is checked for being a log, in bytes.
_LONGEST_HEAD = 8192


class Conversion(Struct, frozen=True):
    """A conversion: its formats, its run and its options."""

    source: str
    """The format of the log, or `auto` to detect it."""

    target: str
    """The format to write."""

    run: int | None
    """The number of the only run to convert, from 1; negative from the end."""

    reading: Reading
    """How the log is read."""

    options: Options
    """The options of the writers."""


def events_of(
    log: Log, source: str, needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Yield the events of a log; parts that `needs` does not name may be missing."""
    reader, lines, reading = recognised(log, source, reading, warn, needs.turns)
    needs = with_blocks(needs, source)
    again = None
    if needs.unrecorded_text:
        leaves_texts = reader.leaves_texts and not needs.last_words
        again = _to_read_again(log) if leaves_texts else None
        if again is None:
            needs = replace(needs, text=True, unrecorded_text=False)
    events = reader.read(lines, needs, reading, warn)
    if again is None:
        return events
    both = Needs(text=True, result=True)
    return with_unrecorded(
        events, lambda: events_of(again, source, both, reading, ignore)
    )


def with_blocks(needs: Needs, source: str) -> Needs:
    """Return needs that ask for the parts of messages if a format is forced."""
    return needs if is_detected(source) else replace(needs, blocks=True)


def recognised(
    log: Log, source: str, reading: Reading, warn: Warn, has_turns: bool = False
) -> tuple[Reader, Iterable[bytes], Reading]:
    """Return the reader of a log, detected for `auto`, its lines and how to read them.

    With `redact`, the log is read for its secrets first (`with_known`), unless that has
    been done. Raises UsageError if secrets are to be redacted and the reader cannot do
    that: otherwise they would be shown all the same.
    """
    if reading.redact and reading.known is None:
        reading = with_known(log, source, reading)
    pieces = _pieces(log)
    reader, lines = _reader_of(pieces, source, reading, warn, has_turns)
    return reader, lines, _with_path(reader, pieces, reading)


def _with_path(reader: Reader, pieces: Iterable[bytes], reading: Reading) -> Reading:
    """Return how a log is read, which may have files of the same run next to it."""
    if reader.has_files_beside and isinstance(pieces, File):
        return reading.replace(path=pieces.path)
    return reading


def with_known(log: Log, source: str, reading: Reading) -> Reading:
    """Read a log for its secrets, and add them to those that are known.

    They are then replaced above their first place, too, and in another log that is
    read likewise. A log that can be read only once adds none: two pipes know nothing of
    each other, so that a log is the same as itself. Errors show when it is read again.
    """
    from convert.redact.redactor import Known

    pieces = _pieces(log)
    if not isinstance(pieces, File | list):
        return reading
    if reading.known is None:
        reading = reading.replace(known=Known())
    try:
        reader, lines = _reader_of(pieces, source, reading, ignore)
        reading_all = _with_path(reader, pieces, reading)
        for _ in reader.read(lines, Needs(), reading_all, ignore):
            pass
    except RunconvError:
        pass
    return reading


def _reader_of(
    pieces: Iterable[bytes],
    source: str,
    reading: Reading,
    warn: Warn,
    has_turns: bool = False,
) -> tuple[Reader, Iterable[bytes]]:
    lines: Iterable[bytes]
    lines, marks = lines_of_log(pieces, reading, warn)
    detects = is_detected(source)
    if detects:
        stops = has_turns and marks is not None
        source, lines = sniff(lines, candidates(), openings(), agents, stops)
    reader = find_reader(source or LOSSLESS)
    if marks is not None:
        # Few logs have any.
        from convert.marked_runs import reader_of_tries

        reader = reader_of_tries(reader, source, marks)
    elif detects and reader.may_begin is not None:
        if reading.is_found:
            advice = "; name it to convert it"
            lines = _checked_head(lines, reader.may_begin, advice)
        elif isinstance(pieces, File) and is_document(pieces.path):
            advice = ", not a log; use -f text to read it as an answer"
            lines = _checked_head(lines, reader.may_begin, advice)
    if reading.redact and not reader.redacts:
        raise UsageError(f"{source} cannot be read with --redact; remove the option")
    return reader, lines


def format_brings_settings(log: Log, source: str) -> bool:
    """Return True if a log is known to hold settings before it is read.

    A log that can be read only once is not checked.
    """
    pieces = _pieces(log)
    if not isinstance(pieces, File | list):
        return False
    try:
        return _reader_of(pieces, source, Reading(), ignore)[0].brings_settings
    except RunconvError:
        return False


def _checked_head(
    lines: Iterable[bytes], may_begin: Callable[[str], bool], advice: str
) -> Iterable[bytes]:
    """Return the lines of a log whose head may be one; raises NotALogError."""
    lines = iter(lines)
    head: list[bytes] = []
    for block in lines:
        head.append(block)
        if sum(map(len, head)) > _LONGEST_HEAD:
            break
    if not may_begin(b"".join(head).decode(errors="replace")):
        raise NotALogError(f"a text without an action line{advice}")
    return itertools.chain(head, lines)


def _pieces(log: Log) -> Iterable[bytes]:
    """Return the bytes of a log in pieces."""
    if isinstance(log, str | os.PathLike):
        path = local_path(os.fspath(log))
        is_like_content = path.lstrip().startswith("{") or "\n" in path
        if (is_like_content or len(path) > _LONGEST_PATH) and not os.path.exists(path):
            advice = "pass the content as bytes: text.encode()"
            raise InputError(f"a str is a path; {advice}")
        name = repr(shown(path))

        if is_regular(path):
            return File(path, _advice, name)
        return read_file(path, do_nothing, _advice, name)
    if isinstance(log, File | OpenFile):
        return log
    if isinstance(log, bytes | bytearray | memoryview):
        return [bytes(log)]
    if isinstance(log, Iterable):
        return _checked(log)
    raise TypeError(
        f"a log is a path, an open binary file or bytes, not {type(log).__name__}"
    )


def _advice(error: Exception) -> str:
    return "; check the path"


def _to_read_again(log: Log) -> Log | None:
    """Return a log to be read a second time; None if it is kept instead, as a pipe."""
    pieces = _pieces(log)
    if isinstance(pieces, File | OpenFile):
        return pieces.reopened()
    return log if isinstance(pieces, list) else None


def _checked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces of bytes; raise TypeError for a file that is open in text mode."""
    for piece in pieces:
        if isinstance(piece, Run):
            raise TypeError(
                "compare takes a run or a log on each side;"
                " pick a run, as in `(run,) = convert.read_runs(path)`"
            )
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(
                f"a log consists of bytes, not {type(piece).__name__};"
                " open a file in binary mode, as in open(path, 'rb')"
            )
        yield bytes(piece)


def convert_log(
    log: Log,
    conversion: Conversion,
    warn: Warn,
    watch: Callable[[Event], None] | None = None,
    *,
    has_last_words: bool = False,
    has_turns: bool = False,
) -> Iterator[bytes]:
    """Convert a log as it arrives.

    `watch` is called with each `Start`, `End` and `EndOfLog`, and with each `Turn` if
    `has_turns`. With `has_last_words`, an `End` has the last words of a failed run,
    whatever is written.
    """
    options = conversion.options
    writer = find_writer(conversion.target)
    needs = writer.needs(options)
    if has_last_words:
        needs = replace(needs, last_words=True)
    if has_turns and watch is not None:
        needs = replace(needs, turns=True)
    events = events_of(log, conversion.source, needs, conversion.reading, warn)
    events = only(events, conversion.run)
    return writer.write(_watched(events, watch) if watch else events, options, warn)


def is_detected(source: str) -> bool:
    """Return True if the format of a log is not named."""
    return source.lower() == "auto"


def find_reader(name: str, option: str = "format") -> Reader:
    """Return the reader of a format; raises UsageError, which names the `option`."""
    row = formats().get(format_named(name))
    return (row and row.reader) or _refuse_format(name, option, ["auto", *readers()])


def check_source(name: str, option: str = "--from") -> None:
    """Raise UsageError, which names the `option`, unless a format can be read."""
    if not is_detected(name):
        find_reader(name, option)


def find_writer(name: str, option: str = "to") -> Writer:
    """Return the writer of a format; raises UsageError, which names the `option`."""
    row = formats().get(format_named(name))
    return (row and row.writer) or _refuse_format(name, option, [*writers()])


def _refuse_format(name: str, option: str, names: list[str]) -> NoReturn:
    rows = [row for row in formats().values() if row.name in names]
    agent = name.lower() or "none"
    own = [row.name for row in rows if row.agent.lower().split(" ")[0] == agent]
    advice = with_nearest(name, names, f"choose from {', '.join(names)}")
    if own:
        advice = f"choose from its formats: {', '.join(own)}"
    raise invalid_value(option, name, advice)


# Looked up by type: to be no instance of a struct takes long to see.
_WATCHED = frozenset([Start, End, EndOfLog])


def _watched(
    events: Iterable[Event], watch: Callable[[Event], None]
) -> Iterator[Event]:
    for event in events:
        kind = type(event)
        if kind in _WATCHED:
            watch(event)
        elif kind is Turn:
            # Writers know nothing of it.
            watch(event)
            continue
        yield event


def only(events: Iterable[Event], number: int | None) -> Iterator[Event]:
    """Return the events of one run: the `number`-th, from the end if negative.

    From the end, `number` runs are held back. None is for all runs.
    """
    return iter(events) if number is None else _only(events, number)


def _only(events: Iterable[Event], number: int) -> Iterator[Event]:
    held: dict[int, list[Event]] = {}
    count = 0
    for event in events:
        if isinstance(event, EndOfLog):
            chosen = count + 1 + number if number < 0 else number
            yield from held.get(chosen, ())
            yield event
            if not 1 <= chosen <= count:
                runs = "1 run" if count == 1 else f"{count} runs"
                raise InputError(f"there is no run {number}; the log holds {runs}")
            return
        count = max(count, event.run)
        if event.run == number:
            yield event
        elif event.run > count + number and number < 0:
            held.setdefault(event.run, []).append(event)
            held.pop(count + number, None)


def with_unrecorded(
    events: Iterable[Event], again: Callable[[], Iterable[Event]]
) -> Iterator[Event]:
    """Add its segments to a run, before a result that does not record the text.

    `again` returns the events of the same log with their texts and results, and is
    called only if there is such a result. The runs end in the same order there. Raises
    InputError if the log has another result there: then it is another log.
    """
    runs: Iterator[Run] | None = None
    for event in events:
        if isinstance(event, Result) and event.text is None:
            runs = collect(again()) if runs is None else runs
            yield from _run_of_result(runs, event).segments
        yield event


def _run_of_result(runs: Iterator[Run], result: Result) -> Run:
    """Return the run of a result from a log that is read again."""
    for run in runs:
        if run.number == result.run and run.result and run.result.raw == result.raw:
            return run
    raise InputError("the log has changed while it was read; convert it again")
