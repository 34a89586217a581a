"""The formats: a module each, and a row each in one table.

A reader turns blocks of lines into events, a writer turns events into bytes; both are
generators. A new format is a module, a row here and a golden case; the command line,
its help, `diff` and the tests pick it up. No other module names a format.

stream_json       one event a line, as the agent writes it
result_json       the summary of a run
text              a line for each call; text_reader: read back, run_ends: how runs end
agent             whose formats these are
failure_messages  what the agent prints when it cannot run
answer            the final message
markdown          a transcript
html              a page to look at
patch             what a run changed in files
trajectory        what a run did, as somebody approved it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from convert.errors import Warn
from convert.formats import (
    answer,
    html,
    markdown,
    patch,
    result_json,
    stream_json,
    text,
    trajectory,
)
from convert.formats.stream_json import recognition
from convert.model.events import Event, Level
from convert.model.needs import EVERYTHING, CallDetail, Needs
from convert.options import Options, Reading
from convert.source.sniff import Candidates, Recognise
from convert.wording.sanitise import ShownAs

Read = Callable[[Iterable[bytes], Needs, Reading, Warn], Iterator[Event]]
Write = Callable[[Iterable[Event], Options, Warn], Iterator[bytes]]


class Reader(Struct, frozen=True):
    """How logs of a format are read."""

    read: Read
    """Yields the events of blocks of lines, as far as they are needed."""

    level: Level
    """The level at which `diff` compares such logs."""

    compared: Needs
    """The parts of them that `diff` reads.

    A reader warns about what it lacks only if that is needed, and `diff` has its own
    words for it.
    """

    keeps: dict[str, str]
    """A few words on what a conversion keeps, by the format that is written."""

    recognise: Recognise | None = None
    """Tells such logs by their first records.

    None if they have to be named, or have an `opening`.
    """

    may_begin: Callable[[str], bool] | None = None
    """Tells if a file that was found in a folder may be a log, by its first lines.

    None if `recognise` accepts logs alone.
    """

    opening: re.Pattern[bytes] | None = None
    """Matches the beginning of each such log, where the rest may be damaged."""

    brings_settings: bool = False
    """True if such a log holds settings, which are those of a log beside it as well."""

    redacts: bool = False
    """True if `read` replaces secrets when `Reading.redact` asks for it.

    Otherwise such logs cannot be read with it.
    """


class Writer(Struct, frozen=True):
    """How a format is written."""

    write: Write
    """Yields the bytes of a stream of events."""

    needs: Callable[[Options], Needs]
    """Returns what `write` reads of the events."""

    suffixes: tuple[str, ...]
    """The suffixes of its files, the usual one first."""

    shown_as: ShownAs = "json"
    """How output is made harmless where a terminal or the log of a runner shows it.

    Characters that control either are escaped, in JSON so that the values stay. In the
    log of a runner, bytes for another program stay as they are.
    """

    is_coloured: bool = False
    """True if `write` can colour its output, as `Options.colours` asks for it.

    It then also escapes what controls a terminal.
    """

    is_headed: bool = True
    """On standard output, the name of each log stands above its part if there are many.

    False for lines of JSON.
    """

    if_empty: str = ""
    """The notice for a log that makes no output; "" if none is due."""

    is_document: bool = False
    """Each log makes a document of its own, so that several need a folder."""

    takes_noise: bool = False
    """The settings of comparisons say what is noise in it."""

    options_for_one_log: tuple[str, ...] = ()
    """Options that make one document, so that several logs cannot share an output."""


class Format(Struct, frozen=True):
    """The shape of a log."""

    name: str
    """The name that users type."""

    what: str
    """A description in a few words."""

    reader: Reader | None = None
    """None if it is only written."""

    writer: Writer | None = None
    """None if it is only read."""


_TEXT_IS_COMPARED = Needs(text=True, calls=CallDetail.OUTCOMES)
_ROWS = (
    Format(
        "stream-json",
        "NDJSON, one event a line",
        Reader(
            stream_json.read,
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps={
                "stream-json": "every event, byte for byte",
                "json": "the result event, byte for byte",
                "text": "every tool call with its outcome",
                "answer": "the last segment that is not empty",
                "markdown": "prompt, text and tool calls with their output",
                "html": "the same, with a timeline",
                "patch": "the net change of each file",
                "trajectory": "calls with arguments and outcomes, texts, net changes",
            },
            recognise=recognition.recognise,
            redacts=True,
        ),
        Writer(
            stream_json.write,
            lambda options: Needs(raw=True),
            (".ndjson", ".jsonl"),
            is_headed=False,
        ),
    ),
    Format(
        "json",
        "one result object a run",
        Reader(
            result_json.read,
            level="result",
            compared=Needs(result=True, text=True, figures=True),
            keeps={
                "stream-json": "the result event",
                "json": "the object, byte for byte",
                "text": "no tool calls; the answer with --answer",
                "answer": "the whole text",
                "markdown": "the text, the state, the duration, the tokens",
                "html": "the same",
                "patch": "nothing: no changes of files",
                "trajectory": "the text, the state",
            },
            recognise=recognition.recognise_summary,
            redacts=True,
        ),
        Writer(
            result_json.write,
            lambda options: Needs(result=True, text=True),
            (".json",),
            is_headed=False,
        ),
    ),
    Format(
        "text",
        "action lines, one for each tool call",
        Reader(
            text.read,
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={
                "stream-json": "tool calls without arguments, the answer",
                "json": "the answer",
                "text": "the action lines; the answer with --answer",
                "answer": "the lines that are not action lines",
                "markdown": "the action lines as calls, the answer",
                "html": "the same, in their order",
                "patch": "nothing: no contents of files",
                "trajectory": "the action lines as calls, the answer",
            },
            recognise=text.recognise,
            may_begin=text.may_begin,
            redacts=True,
        ),
        Writer(
            text.write,
            lambda options: Needs(
                calls=CallDetail.ARGUMENTS if options.detail else CallDetail.OUTCOMES,
                text=options.answer,
            ),
            (".txt",),
            shown_as="text",
            is_coloured=True,
            if_empty="no tool calls; -t answer shows the answer",
        ),
    ),
    Format(
        "answer",
        "the final message alone; read as text",
        Reader(
            text.read,
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={},
            redacts=True,
        ),
        Writer(
            answer.write,
            lambda options: Needs(text=True),
            (".txt",),
            shown_as="text",
        ),
    ),
    Format(
        "markdown",
        "a transcript for people",
        writer=Writer(
            markdown.write,
            lambda options: replace(EVERYTHING, thinking=options.thinking),
            (".md", ".markdown"),
            shown_as="text",
            options_for_one_log=("max_bytes", "front_matter"),
        ),
    ),
    Format(
        "html",
        "a page to look at, in one file",
        writer=Writer(
            html.write,
            lambda options: EVERYTHING,
            (".html", ".htm"),
            shown_as="text",
            is_document=True,
        ),
    ),
    Format(
        "patch",
        "what the run changed in files, for git apply",
        writer=Writer(
            patch.write,
            lambda options: Needs(calls=CallDetail.EVERYTHING, figures=True),
            (".patch", ".diff"),
            shown_as="bytes",
        ),
    ),
    Format(
        "trajectory",
        "what a run did, approved to compare later runs with",
        Reader(
            trajectory.read,
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps={
                "stream-json": "prompt, calls with their arguments, text",
                "json": "the text and the state",
                "text": "every tool call with its outcome",
                "answer": "the last segment that is not empty",
                "markdown": "prompt, text and tool calls without output",
                "html": "the same",
                "patch": "nothing: no contents of files",
                "trajectory": "every byte that it holds",
            },
            opening=trajectory.OPENING,
            brings_settings=True,
            redacts=True,
        ),
        Writer(
            trajectory.write,
            lambda options: replace(EVERYTHING, thinking=False),
            (".json",),
            is_document=True,
            takes_noise=True,
        ),
    ),
)
FORMATS = {format.name: format for format in _ROWS}
# What a conversion writes unless the user says otherwise.
DEFAULT = "text"
# Keeps every event, also those of types that are not known.
LOSSLESS = "stream-json"


def readers() -> dict[str, Reader]:
    """Return the formats that can be read, by their names."""
    return {name: row.reader for name, row in FORMATS.items() if row.reader}


def candidates() -> Candidates:
    """Return the formats that can be told by the content of a log."""
    return {
        name: reader.recognise
        for name, reader in readers().items()
        if reader.recognise is not None
    }


def openings() -> Mapping[str, re.Pattern[bytes]]:
    """Return the formats that can be told by how a log begins."""
    return {
        name: reader.opening for name, reader in readers().items() if reader.opening
    }


def writers() -> dict[str, Writer]:
    """Return the formats that can be written, by their names."""
    return {name: row.writer for name, row in FORMATS.items() if row.writer}


def called(name: str) -> str:
    """Return the format that a name stands for: its own, or a suffix of its files."""
    name = name.lower()
    if name in FORMATS:
        return name
    suffixed = (
        format for format, writer in writers().items() if f".{name}" in writer.suffixes
    )
    return next(suffixed, name)


def kept(target: str) -> dict[str, str]:
    """Return what a conversion to a format keeps, by the format that is read."""
    return {
        name: reader.keeps[target]
        for name, reader in readers().items()
        if target in reader.keeps
    }
