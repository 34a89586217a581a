"""Builds the section of one call, and names the language of a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from convert.model.events import OK, ToolCall
from convert.transcript.pieces import (
    CallSection,
    Code,
    Finding,
    Item,
    Items,
    Label,
    Note,
    Part,
    Prose,
    Role,
)
from convert.transcript.shortened_texts import Clip, is_small, whole
from convert.wording import compiled
from convert.wording.escapes import one_line, repair_surrogates, strip_controls
from convert.wording.numbers import count, size
from convert.wording.paths import readable_path
from convert.wording.styles_and_columns import Inline, Style, Styled

# In characters: of a title, a note and a summary.
LONGEST_TITLE = 80
# Letters of both cases exclude hexadecimal digests, long lines exclude lists of names.
_BASE64 = (
    r"(?:data:(?P<type>[\w.+/-]*)[^,]{0,99},)?(?=[^a-z]{0,200}[a-z])"
    r"(?=[^A-Z]{0,200}[A-Z])(?P<data>(?:[\w+/-]{60,}\r?\n)*[\w+/-]+=*)\s*"
)
# Members that mean nothing to people.
_INTERNAL = {"toolCallId", "isReadonly", "hookAdditionalContexts"}
# The name of a block that holds all arguments.
ARGUMENTS = "arguments"
_MOST_NESTED_VALUES = 16
# Bytes; longer JSON is shown as it is.
_MOST_FORMATTED = 1_000_000


class Shared(Struct):
    """The state that the sections of a run share."""

    directory: str
    """The directory of the run, which paths are shown relative to."""

    has_thinking: bool
    """Reasoning of a subagent is shown."""

    most_items: int | None = None
    """The most entries that a list of findings gets; None for all."""

    prefix: str = ""
    """The numbers of the subagents around the calls: `5.`, `5.2.`; "" for none."""

    tasks: dict[str, tuple[str, str]] = {}
    """The content and the state of each task of the to-do list, as last shown."""


class NamedBlock(Struct, frozen=True):
    """The parts from a place to the next block."""

    place: int
    """The place of its first part."""

    name: str
    """The name above the block, if there are several blocks."""

    extent: str
    """The words of the summary for the block: its name, or how much it holds."""


class SectionBuilder(Struct):
    """Collects the parts of one call, whose texts `Fields` has cleaned."""

    call: ToolCall
    """The call, which has ended."""

    shared: Shared
    """The state that it shares with the other sections of its run."""

    section_of: Callable[[ToolCall, Shared, str], CallSection]
    """Makes the section of a call inside this one, with the time when that started."""

    title: Inline = []
    """The heading; empty for the phrase of the kind with its subject."""

    ending: str = ""
    """The ending of a call that did not end well; else empty."""

    notes: list[str] = []
    """Short remarks after the title; empty ones are dropped."""

    summary: Inline = []
    """The line that is shown when the parts are closed."""

    parts: list[Part] = []
    """Arguments and output."""

    blocks: list[NamedBlock] = []
    """The blocks among the parts that have names, in order."""

    milliseconds: int | None = None
    """The duration that the tool reports; None if it does not."""

    has_failed_inside: bool = False
    """A call that this one made did not succeed."""

    _clips: dict[int, Clip] = {}
    """The texts that have been measured, by their identity."""

    def clip(self, text: str) -> Clip:
        """Measure a text, once even if it is asked for again."""
        if (clip := self._clips.get(id(text))) is None:
            # A clip keeps its text, so that no other text gets its identity.
            clip = self._clips[id(text)] = whole(text)
        return clip

    def extent(self, text: str, what: str = "") -> str:
        """Write the length of a text: `12 lines, 1.2 kB`, or `12 lines of output`."""
        if not text:
            return f"no {what}" if what else "empty"
        clip = self.clip(text)
        lines = count(clip.lines, "line")
        return f"{lines} of {what}" if what else f"{lines}, {size(clip.bytes)}"

    @property
    def has_good_output(self) -> bool:
        """The call succeeded, and its output is recorded."""
        outcome = self.call.outcome
        return (outcome is OK or outcome == OK) and self.call.output is not None

    def called(self, lead: str, subject: str, style: Style = "plain") -> None:
        """Set the heading to our own words and a text of the log, if there is one."""
        if subject:
            self.title = [Styled(lead, "ours"), Styled(subject, style)]

    def counted(self, total: int, noun: str) -> None:
        """Note how many things a call found, if its output is recorded."""
        if self.has_good_output:
            self.notes.append(count(total, noun))

    def figure(self, number: int | None, write: Callable[[int], str]) -> None:
        """Note a number in words, if it is recorded."""
        if number is not None:
            self.notes.append(write(number))

    def begin(self, name: str, extent: str = "") -> SectionBuilder:
        """Begin a block, to which the next parts belong; without any there is none."""
        self.blocks.append(NamedBlock(len(self.parts), name, extent or name))
        return self

    def code(self, text: str, language: str = "", role: Role = "output") -> None:
        """Add preformatted text, if there is any."""
        if text:
            self.parts.append(Code(self.clip(text), language, role))

    def prose(self, text: str, role: Role = "command") -> None:
        """Add Markdown, if there is any."""
        if text.strip():
            self.parts.append(Prose(whole(text), role))

    def items(self, items: list[Item], role: Role = "output") -> None:
        """Add a list, if it has entries."""
        if items:
            self.parts.append(Items(items, role))

    def shown_of(self, total: int) -> int:
        """Return the number of findings that are shown of a total."""
        most = self.shared.most_items
        return total if most is None or is_small(total - most, 0) else most

    def findings(self, found: list[Finding], total: int) -> None:
        """Add the findings that are shown of a total."""
        if found:
            self.parts.append(Items(found, omitted=total - len(found)))

    def note(self, text: str, recorded: str = "", style: Style = "code") -> None:
        """Add a short paragraph: our own text, then text of the log."""
        line = [Styled(text, "ours"), *([Styled(recorded, style)] if recorded else [])]
        self.parts.append(Note(line))

    def mention(self, before: str, recorded: str, style: Style = "code") -> None:
        """Add a short paragraph on a text of the log, if there is one."""
        if recorded:
            self.note(before, recorded, style)

    def place(self, before: str, path: str, style: Style = "code") -> None:
        """Add a short paragraph on a path, if there is one."""
        if path:
            self.note(before, self.path(path), style)

    def label(self, line: Inline) -> None:
        """Add the name of the part that follows."""
        self.parts.append(Label(line))

    def json(self, value: Any, role: Role = "output") -> None:
        """Add a value as JSON, unless it is empty."""
        if value not in (None, {}, [], ""):
            self.code(json_text(value), "json", role)

    def text(self, text: str, language: str = "text") -> bool:
        """Add a text, JSON on several lines; return True for JSON."""
        formatted = formatted_json(text)
        self.code(formatted or text, "json" if formatted else language)
        return bool(formatted)

    def path(self, path: str) -> str:
        """Return a path as people read it in this run, on one line."""
        return one_line(readable_path(path, self.shared.directory))


def without_internal(members: dict[str, Any]) -> dict[str, Any]:
    """Return members without those that the agent keeps for itself."""
    return {name: members[name] for name in members if name not in _INTERNAL}


def ours(text: str) -> Inline:
    """Make a line of our own text."""
    return [Styled(text, "ours")]


def encoded(data: str, media_type: str) -> str:
    """Describe binary content in base64: `image/png, 34 kB`."""
    length = len("".join(data.split()).rstrip("=")) * 3 // 4
    return f"{one_line(media_type) or 'binary'}, {size(length)}"


def binary_in(text: str) -> str:
    """Describe a text that is nothing but base64; empty for any other."""
    # Shorter ones may be anything.
    match = compiled(_BASE64, re.ASCII).fullmatch(text) if len(text) >= 256 else None
    return encoded(match["data"], match["type"] or "base64") if match else ""


def formatted_json(text: str) -> str:
    """Return JSON indented, with its values as recorded; empty for any other text."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _MOST_FORMATTED:
        return ""
    try:
        return msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return ""


def json_text(value: Any) -> str:
    """Write a value as indented JSON; a description replaces binary content."""
    # Most runs show none.
    import json

    return strip_controls(
        json.dumps(_without_binary(value, 0), ensure_ascii=False, indent=2)
    )


def _without_binary(value: Any, depth: int) -> Any:
    match value:
        case dict() | list() if depth == _MOST_NESTED_VALUES:
            return "(nested deeper, omitted)"
        case dict():
            return {
                repair_surrogates(k): _without_binary(v, depth + 1)
                for k, v in value.items()
            }
        case list():
            return [_without_binary(item, depth + 1) for item in value]
        case str() if description := binary_in(value):
            return f"({description}, omitted)"
        case str():
            return repair_surrogates(value)
    return value


# The names are those that code hosts highlight. The tables are our own, so that a
# transcript does not change with a library.
_LANGUAGES = {
    "bash": "sh bash zsh bashrc zshrc profile",
    "batch": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs",
    "cmake": "cmake cmakelists.txt",
    "cpp": "cc cpp cxx hpp hh hxx",
    "csharp": "cs",
    "css": "css",
    "csv": "csv",
    "dart": "dart",
    "diff": "diff patch",
    "dockerfile": "dockerfile containerfile",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fsharp": "fs fsx",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle jenkinsfile",
    "haskell": "hs",
    "hcl": "hcl tf tfvars",
    "html": "html htm",
    "ini": "ini cfg conf editorconfig",
    "java": "java",
    "javascript": "js cjs mjs",
    "json": "json jsonc ndjson jsonl",
    "jsx": "jsx",
    "julia": "jl",
    "kotlin": "kt kts",
    "less": "less",
    "lua": "lua",
    "makefile": "mk makefile gnumakefile",
    "markdown": "md mdc mdx markdown",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "powershell": "ps1 psm1",
    "properties": "properties env",
    "protobuf": "proto",
    "python": "py pyi pyw",
    "r": "r",
    "ruby": "rb rake gemfile rakefile",
    "rust": "rs",
    "scala": "scala sbt",
    "scss": "scss",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts cts mts",
    "vue": "vue",
    "xml": "xml svg xsd xsl",
    "yaml": "yml yaml",
    "zig": "zig",
}
_BY_NAME = {
    name: language for language, names in _LANGUAGES.items() for name in names.split()
}


_MEDIA_TYPES = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "png": "image/png",
    "webp": "image/webp",
    "zip": "application/zip",
}


def media_type_of(path: str) -> str:
    """Return the media type of a binary file by its suffix; empty if unknown."""
    return _MEDIA_TYPES.get(path.rpartition(".")[2].lower(), "")


def language_of(path: str) -> str:
    """Return the language of a file by its name or suffix; empty if unknown."""
    if language := _BY_NAME.get(path.rpartition(".")[2].lower()):
        # Most names have a suffix that says it.
        return language
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_NAME.get(name.rpartition(".")[2], "")
