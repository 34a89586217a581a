"""The formats: a row each in one open table, and the cells of a row.

A reader turns blocks of lines into events, a writer turns events into bytes; both are
generators. A new format is a module, a row and a golden case; the command line, its
help, `diff` and the tests find it in the table. A wing adds its rows to FORMATS. No
other module names a format.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from convert import registry
from convert.errors import Warn
from convert.model.events import EVERYTHING, CallDetail, Event, Level, Needs
from convert.options.conversion import Options, Reading
from convert.source.recognition import (
    Candidates,
    Certainty,
    Opening,
    Openings,
    Recognise,
)
from convert.wording.escapes import ShownAs

Read = Callable[[Iterable[bytes], Needs, Reading, Warn], Iterator[Event]]
Write = Callable[[Iterable[Event], Options, Warn], Iterator[bytes]]


class Reader(Struct, frozen=True):
    """How logs of a format are read."""

    read: Read
    """Yields the needed events of blocks of lines."""

    level: Level
    """The level at which `diff` compares such logs."""

    compared: Needs
    """The parts of them that `diff` reads.

    A reader warns about missing parts only if they are needed, and `diff` has its own
    words for them.
    """

    keeps: dict[str, str]
    """The facts that a conversion keeps, in a few words, by the written format.

    For the formats of wings, `Writer.keeps` has them. Empty for a format that is read
    as another one.
    """

    recognise: Recognise | None = None
    """Recognises such logs by their first records.

    None if they have to be named, or have an `opening`.
    """

    may_begin: Callable[[str], bool] | None = None
    """Returns True if a file found in a folder may be a log, by its first lines.

    None if `recognise` accepts only logs.
    """

    opening: Opening | None = None
    """The beginning of each such log, where the rest may be damaged."""

    brings_settings: bool = False
    """True if such a log holds settings, which apply to the other log as well."""

    leaves_texts: bool = False
    """True if `read` can leave texts to a second reading (`Needs.unrecorded_text`)."""

    has_files_beside: bool = False
    """True if other files of a run may lie next to its log (`Reading.path`)."""

    tested: dict[str, tuple[str, ...]] = {}
    """The oldest and the newest build of each agent whose logs were read in tests.

    Versions if the logs name them, or else the months in which they were written.
    """

    redacts: bool = False
    """True if `read` replaces secrets when `Reading.redact` asks for it.

    Otherwise such logs cannot be read with it.
    """


class Writer(Struct, frozen=True):
    """How a format is written."""

    write: Write
    """Yields the bytes of a stream of events."""

    needs: Callable[[Options], Needs]
    """Returns the parts of the events that `write` reads."""

    suffixes: tuple[str, ...]
    """The suffixes of its files, the usual one first."""

    keeps: dict[str, str] = {}
    """The facts that it keeps, by the format that is read, or by its level."""

    shown_as: ShownAs = "json"
    """How output is made harmless where a terminal or the log of a runner shows it.

    Characters that control either are escaped, in JSON so that the values stay. In the
    log of a runner, bytes for another program stay as they are.
    """

    is_coloured: bool = False
    """True if `write` can colour its output, as `Options.colours` asks for it.

    It then also escapes the characters that control a terminal.
    """

    is_headed: bool = True
    """On standard output, each of several logs has its name above its part.

    False for lines of JSON.
    """

    if_empty: str = ""
    """The notice for a log that makes no output; "" if none is due."""

    is_document: bool = False
    """Each log makes a document of its own, so that several need a folder."""

    takes_noise: bool = False
    """The settings of comparisons define its noise."""

    schema: str = ""
    """The file in the package with the JSON Schema of its output; "" for none."""

    options_for_one_log: tuple[str, ...] = ()
    """Options that make one document, so that several logs cannot share an output."""


class Format(Struct, frozen=True):
    """The shape of a log."""

    name: str
    """The name that users type."""

    description: str
    """A few words on it."""

    reader: Reader | None = None
    """None if it is only written."""

    writer: Writer | None = None
    """None if it is only read."""

    agent: str = ""
    """The agent that writes it; "" for a format that runconv writes of any log."""


def later(function: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called, by its full name.

    A log of one format does not wait for the modules of the others.
    """
    module, _, name = function.rpartition(".")

    def call(*arguments: Any) -> Any:
        return getattr(_imported(module), name)(*arguments)

    return call


_imported = functools.cache(importlib.import_module)


AGENT_KEEPS = {
    "stream-json": "events of Cursor: text, calls with output, duration, tokens, cost",
    "json": "the text, the state, the duration, the tokens, the cost",
    "text": "every tool call with its outcome",
    "answer": "the last segment that is not empty",
    "markdown": "prompt, text, calls with their output, state, duration, tokens, cost",
    "html": "as markdown, with a timeline if times are recorded",
    "patch": "the net change of each file, where recorded",
    "trajectory": "calls with arguments and outcomes, texts, net changes",
}

# A merge may have left its markers above.
_MARKERS = rb"\s*(?:(?:<{7}|\|{7}|={7})[^\n]*\n\s*)*"
TRAJECTORY = Opening(
    b'"trajectory"', _MARKERS + rb"\{" + _MARKERS + rb'"trajectory"\s*:\s*[0-9]'
)
"""How each trajectory begins; another agent has a list in a member of this name."""


_OF_CURSOR: dict[str, tuple[str, ...]] = {"Cursor": ("August 2025", "September 2026")}
_TEXT_IS_COMPARED = Needs(text=True, calls=CallDetail.OUTCOMES)
ROWS = (
    Format(
        "stream-json",
        "NDJSON, one event a line",
        Reader(
            later("convert.cursor.stream_json.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps=AGENT_KEEPS
            | {
                "stream-json": "every event, byte for byte",
                "json": "the result event, byte for byte",
            },
            recognise=later("convert.cursor.recognise"),
            leaves_texts=True,
            tested=_OF_CURSOR,
            redacts=True,
        ),
        Writer(
            later("convert.cursor.stream_json.write"),
            lambda options: Needs(raw=True),
            (".ndjson", ".jsonl"),
            is_headed=False,
        ),
        agent="Cursor",
    ),
    Format(
        "json",
        "one result object a run",
        Reader(
            later("convert.cursor.result_json.read"),
            level="result",
            compared=Needs(result=True, text=True, figures=True),
            keeps={
                "stream-json": "the result event",
                "json": "the object, byte for byte",
                "text": "no tool calls; the answer with --answer",
                "answer": "the whole text",
                "markdown": "the text, the state, the duration, the tokens",
                "html": "as markdown",
                "patch": "nothing: no changes of files",
                "trajectory": "the text, the state",
            },
            recognise=later("convert.cursor.recognise_summary"),
            tested=_OF_CURSOR,
            redacts=True,
        ),
        Writer(
            later("convert.cursor.result_json.write"),
            lambda options: Needs(
                result=True,
                text=options.partial,
                unrecorded_text=not options.partial,
                figures=True,
            ),
            (".json",),
            is_headed=False,
        ),
        agent="Cursor",
    ),
    Format(
        "text",
        "action lines, one for each tool call",
        Reader(
            later("convert.cursor.text.read"),
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={
                "stream-json": "tool calls without arguments, the answer",
                "json": "the answer",
                "text": "the action lines; the answer with --answer",
                "answer": "the lines that are not action lines",
                "markdown": "the action lines as calls, the answer",
                "html": "as markdown, in their order",
                "patch": "nothing: no contents of files",
                "trajectory": "the action lines as calls, the answer",
            },
            recognise=lambda records, in_prose: Certainty.READABLE,
            may_begin=later("convert.cursor.text.may_begin"),
            tested=_OF_CURSOR,
            redacts=True,
        ),
        Writer(
            later("convert.cursor.text.write"),
            lambda options: Needs(
                calls=CallDetail.ARGUMENTS if options.detail else CallDetail.OUTCOMES,
                text=options.answer,
            ),
            (".txt",),
            shown_as="text",
            is_coloured=True,
            if_empty="no tool calls; -t answer shows the answer",
        ),
        agent="Cursor",
    ),
    Format(
        "answer",
        "only the final message; read as text",
        Reader(
            later("convert.cursor.text.read"),
            level="text",
            compared=_TEXT_IS_COMPARED,
            keeps={},
            redacts=True,
        ),
        Writer(
            later("convert.cursor.text.write_answer"),
            lambda options: Needs(text=True),
            (".txt",),
            shown_as="text",
        ),
        agent="Cursor",
    ),
    Format(
        "markdown",
        "a transcript for people",
        writer=Writer(
            later("convert.write.markdown.write"),
            lambda options: replace(EVERYTHING, thinking=options.thinking),
            (".md", ".markdown"),
            shown_as="text",
            options_for_one_log=("max_bytes", "front_matter"),
        ),
    ),
    Format(
        "summary",
        "the text for a pull request",
        writer=Writer(
            later("convert.pages.run_summary.write"),
            lambda options: replace(EVERYTHING, thinking=False),
            (".summary.md",),
            keeps={
                "calls": "how it ended, figures, failures, changes, 25 lines in all",
                "result": "how it ended, the beginning of the text",
                "text": "how many calls failed, the beginning of the answer",
            },
            shown_as="text",
        ),
    ),
    Format(
        "html",
        "a page to look at, in one file",
        writer=Writer(
            later("convert.pages.run_page.write"),
            lambda options: EVERYTHING,
            (".html", ".htm"),
            shown_as="text",
            is_document=True,
        ),
    ),
    Format(
        "patch",
        "the changes of the run to files, for git apply",
        writer=Writer(
            later("convert.write.patch.write"),
            lambda options: Needs(calls=CallDetail.EVERYTHING, figures=True),
            (".patch", ".diff"),
            shown_as="bytes",
        ),
    ),
    Format(
        "trajectory",
        "an approved run, to compare later runs with",
        Reader(
            later("convert.write.trajectory.read"),
            level="calls",
            compared=replace(EVERYTHING, thinking=False),
            keeps={
                "stream-json": "prompt, calls with their arguments, text",
                "json": "the text and the state",
                "text": "every tool call with its outcome",
                "answer": "the last segment that is not empty",
                "markdown": "prompt, text and tool calls without output",
                "html": "as markdown",
                "patch": "nothing: no contents of files",
                "trajectory": "every byte that it holds",
            },
            opening=TRAJECTORY,
            brings_settings=True,
            redacts=True,
        ),
        Writer(
            later("convert.diff.write"),
            lambda options: replace(EVERYTHING, thinking=False),
            (".json",),
            is_document=True,
            takes_noise=True,
            schema="write/trajectory.schema.json",
        ),
    ),
)
__all__ = ["Format", "Read", "Reader", "Write", "Writer"]

# A conversion writes this unless the user says otherwise.
DEFAULT = "text"
# Keeps every event, also those of types that are not known.
LOSSLESS = "stream-json"


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by their names: those of the core, then those of wings."""
    added = (
        format
        for wing in registry.names("formats")
        for format in registry.row("formats", wing)
    )
    return {format.name: format for format in (*ROWS, *added)}


def readers() -> dict[str, Reader]:
    """Return the formats that can be read, by their names."""
    return {name: row.reader for name, row in formats().items() if row.reader}


def candidates() -> Candidates:
    """Return the formats that recognise their logs by records."""
    return {
        name: row.reader.recognise
        for name, row in formats().items()
        if row.reader and row.reader.recognise
    }


def openings() -> Openings:
    """Return the formats that recognise their logs by the beginning."""
    return {
        name: row.reader.opening
        for name, row in formats().items()
        if row.reader and row.reader.opening
    }


def agents() -> list[str]:
    """Return the agents whose logs are read, in the order of the table."""
    rows = formats().values()
    named = [(row.agent, *row.reader.tested) for row in rows if row.reader]
    return [*dict.fromkeys(name for names in named for name in names if name)]


def writers() -> dict[str, Writer]:
    """Return the formats that can be written, by their names."""
    return {name: row.writer for name, row in formats().items() if row.writer}


def format_named(name: str) -> str:
    """Return the format of a name: its own, or a suffix of its files."""
    name = name.lower()
    if name in formats():
        return name
    suffixed = (
        format for format, writer in writers().items() if f".{name}" in writer.suffixes
    )
    return next(suffixed, name)


def kept(target: str) -> dict[str, str]:
    """Return the facts that a conversion to a format keeps, by the format read."""
    added = writers()[target].keeps
    kept = {
        name: reader.keeps.get(target) or added.get(name) or added.get(reader.level)
        for name, reader in readers().items()
        if reader.keeps
    }
    return {name: words for name, words in kept.items() if words}
