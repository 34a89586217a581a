"""The cells of a row in the table of formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from convert.errors import Warn
from convert.model.events import Event, Level
from convert.model.needs import Needs
from convert.options import Options, Reading
from convert.source.sniff import Opening, Recognise
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

    opening: Opening | None = None
    """The beginning of each such log, where the rest may be damaged."""

    brings_settings: bool = False
    """True if such a log holds settings, which are those of a log beside it as well."""

    leaves_texts: bool = False
    """True if `read` can leave texts to a second reading (`Needs.unrecorded_text`)."""

    has_files_beside: bool = False
    """True if other files of a run may lie next to its log (`Reading.path`)."""

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

    agent: str = ""
    """The agent whose logs are in it; "" for what runconv makes of any log."""

    others: tuple[str, ...] = ()
    """Other agents whose logs are in it as well."""


def later(function: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called, by its full name.

    A log of one format does not wait for the modules of the others.
    """
    module, _, name = function.rpartition(".")

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments)

    return call
