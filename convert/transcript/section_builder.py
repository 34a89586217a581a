"""What a call shows, while the module of its kind says so."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from convert.model import OK, ToolCall
from convert.tools.subjects import relative
from convert.transcript.clips import Clip, whole
from convert.transcript.pieces import (
    Code,
    FileChange,
    Item,
    Items,
    Note,
    Part,
    Prose,
    Role,
)
from convert.wording.numbers import count, size
from convert.wording.sanitise import one_line, repair_surrogates, strip_controls
from convert.wording.words import Inline, Style, Words

# Long enough to be content, with letters of both cases, so no hexadecimal digest; in
# one line or in long ones, so no list of names.
_BASE64 = re.compile(
    r"(?:data:(?P<type>[\w.+/-]*)[^,]{0,99},)?(?=[^a-z]{0,200}[a-z])"
    r"(?=[^A-Z]{0,200}[A-Z])(?P<data>(?:[\w+/-]{60,}\r?\n)*[\w+/-]+=*)\s*",
    re.ASCII,
)
_SHORTEST = 256
_WHITE = re.compile(r"\s+")
_DEEPEST = 50


class SectionBuilder(Struct):
    """Gathers the parts of one call; texts come cleaned from `Fields`.

    Of findings `most_items` are made. `clips` are the texts that have been measured.
    """

    call: ToolCall
    directory: str
    has_thinking: bool
    most_items: int | None = None
    title: Inline = []
    notes: list[str] = []
    summary: Inline = []
    parts: list[Part] = []
    changes: list[FileChange] = []
    milliseconds: int | None = None
    clips: list[Clip] = []

    def clip(self, text: str) -> Clip:
        """A text to be measured and shown; the same one for the same text."""
        for clip in self.clips:
            if clip.head is text:
                return clip
        self.clips.append(whole(text))
        return self.clips[-1]

    def extent(self, text: str, what: str = "") -> str:
        """How much a text is: `12 lines, 1.2 kB`; with a word `12 lines of output`."""
        if not text:
            return f"no {what}" if what else "empty"
        clip = self.clip(text)
        many = count(clip.lines, "line")
        return f"{many} of {what}" if what else f"{many}, {size(clip.bytes)}"

    @property
    def is_ok(self) -> bool:
        """Whether the call did what it was to do, and the log says what came of it."""
        return self.call.outcome == OK and self.call.output is not None

    def code(self, text: str, language: str = "", role: Role = "output") -> None:
        """Show text as it is, if there is any."""
        if text:
            self.parts.append(Code(self.clip(text), language, role))

    def prose(self, text: str, role: Role = "command") -> None:
        """Show Markdown, if there is any."""
        if text.strip():
            self.parts.append(Prose(whole(text), role))

    def items(self, items: list[Item], role: Role = "output") -> None:
        """Show a list, if it has entries."""
        if items:
            self.parts.append(Items(items, role))

    def findings(self, number: int, items: Iterator[Item]) -> None:
        """Show a list of so many entries, of which no more are made than are shown."""
        kept = list(itertools.islice(items, self.most_items))
        if kept:
            self.parts.append(Items(kept, omitted=number - len(kept)))

    def note(self, text: str, of_log: str = "", style: Style = "code") -> None:
        """Show a short paragraph of ours, with words of the log behind it."""
        line = [Words(text, "ours"), *([Words(of_log, style)] if of_log else [])]
        self.parts.append(Note(line))

    def json(self, value: Any, role: Role = "output") -> None:
        """Show a value as JSON, if it holds anything."""
        if value not in (None, {}, [], ""):
            self.code(json_text(value), "json", role)

    def rest(self) -> None:
        """Show the output as JSON, but for what the outcome says already."""
        output, outcome = self.call.output, self.call.outcome
        if not isinstance(output, dict):
            return
        if outcome is not None and outcome.message:
            output = {
                name: value
                for name, value in output.items()
                if value not in ("", outcome.message)
            }
        self.json(output)

    def path(self, path: str) -> str:
        """A path as seen from the directory of the run."""
        return one_line(relative(path, self.directory))


def ours(text: str) -> Inline:
    """A line of our own words."""
    return [Words(text, "ours")]


def encoded(data: str, kind: str) -> str:
    """What is said instead of binary content in base64: `image/png, 34 kB`."""
    number = len(_WHITE.sub("", data).rstrip("=")) * 3 // 4
    return f"{one_line(kind) or 'binary'}, {size(number)}"


def binary_in(text: str) -> str:
    """What is said of a text that is nothing but base64; empty for any other."""
    match = _BASE64.fullmatch(text)
    if match is None or len(text) < _SHORTEST:
        return ""
    return encoded(match["data"], match["type"] or "base64")


def json_text(value: Any) -> str:
    """A value as indented JSON, with what is binary in it named and left out."""
    return strip_controls(json.dumps(_readable(value, 0), ensure_ascii=False, indent=2))


def _readable(value: Any, depth: int) -> Any:
    match value:
        case dict() | list() if depth == _DEEPEST:
            return "(nested deeper, left out)"
        case dict():
            return {
                repair_surrogates(k): _readable(v, depth + 1) for k, v in value.items()
            }
        case list():
            return [_readable(item, depth + 1) for item in value]
        case str() if said := binary_in(value):
            return f"({said}, left out)"
        case str():
            return repair_surrogates(value)
    return value
