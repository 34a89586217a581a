"""The formats: one module each, and one table that names them.

A reader turns blocks of lines into events, a writer events into bytes; both are
generators. A new format is a module, a line here and a golden case; help, the command
`formats` and the tests pick it up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from convert.errors import Warn
from convert.formats import answer, json, markdown, stream_json, text
from convert.model import EVERYTHING, CallDetail, Event, Needs
from convert.options import Options, Reading

Read = Callable[[Iterable[bytes], Needs, Reading, Warn], Iterator[Event]]
Write = Callable[[Iterable[Event], Options, Warn], Iterator[bytes]]


class Format(Struct, frozen=True):
    """A log's shape: how to read and write it, and what a conversion keeps.

    `read` is None for a format that is only written. `needs` says what the writer reads
    of the events. `keeps` says, for each format that can be read, what of it the output
    holds.
    """

    name: str
    what: str
    read: Read | None
    write: Write
    needs: Callable[[Options], Needs]
    suffixes: tuple[str, ...]
    keeps: dict[str, str]
    is_for_people: bool = False


FORMATS = {
    format.name: format
    for format in (
        Format(
            "stream-json",
            "NDJSON, one event a line",
            stream_json.read,
            stream_json.write,
            lambda options: Needs(raw=True),
            (".ndjson", ".jsonl"),
            {
                "stream-json": "every event, byte for byte",
                "json": "the result event",
                "text": "tool calls without arguments, the answer",
            },
        ),
        Format(
            "json",
            "one result object a run",
            json.read,
            json.write,
            lambda options: Needs(result=True, text=True),
            (".json",),
            {
                "stream-json": "the result event, byte for byte",
                "json": "the object, byte for byte",
                "text": "the answer",
            },
        ),
        Format(
            "text",
            "action lines, one for each tool call",
            text.read,
            text.write,
            lambda options: Needs(
                calls=CallDetail.ARGUMENTS if options.detail else CallDetail.OUTCOMES,
                text=options.answer,
            ),
            (".txt",),
            {
                "stream-json": "every tool call with its outcome",
                "json": "no tool calls; the answer with --answer",
                "text": "the action lines; the answer with --answer",
            },
            is_for_people=True,
        ),
        Format(
            "answer",
            "the final message alone; read as text",
            text.read,
            answer.write,
            lambda options: Needs(text=True),
            (".txt",),
            {
                "stream-json": "the last segment",
                "json": "the whole text",
                "text": "the lines that are no action lines",
            },
            is_for_people=True,
        ),
        Format(
            "markdown",
            "a transcript for people",
            None,
            markdown.write,
            lambda options: replace(EVERYTHING, thinking=options.thinking),
            (".md", ".markdown"),
            {
                "stream-json": "prompt, text and tool calls with what they gave",
                "json": "the text, the state, the duration, the tokens",
                "text": "the action lines as calls, the answer",
            },
            is_for_people=True,
        ),
    )
}
