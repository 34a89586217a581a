"""The lines of opencode as structs, and the outputs of its tools by kind."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from convert.agents.outputs import (
    content_without_numbers,
    first_text,
    headers,
    output_of_text,
    unified_diff,
)
from convert.agents.tool_names import NativeCall, RecordedCall
from convert.model.events import CallDetail, Needs
from convert.model.json_lines import json_text
from convert.source.ndjson import Decoding
from convert.wording import compiled
from convert.wording.diffs import changed_lines, without_headers

# Targets without arguments and outputs do not decode them.
Milliseconds = int | float | None
# In milliseconds since 1970, in the year 5138.
_BEYOND_BELIEF = 1e14


class Span(msgspec.Struct):
    """When a part began and ended, in milliseconds since 1970."""

    start: Milliseconds = None
    end: Milliseconds = None


class Metadata(msgspec.Struct):
    """The metadata of a tool that shows its calls and their outcome."""

    exit: Any = msgspec.UNSET
    """The exit code; None if the command did not end by itself."""

    files: Any = None
    """The files that a patch changed."""


class FullMetadata(Metadata):
    """The metadata of a tool."""

    display: Any = None
    """The content that was read, without the frame around it."""

    diff: Any = None
    filediff: Any = None
    """The contents before and after an edit, or its diff."""

    exists: Any = None
    """True if the file that was written existed before."""

    truncated: Any = None
    """True if findings are missing."""


class ToolState(msgspec.Struct):
    """How a tool ended."""

    status: str = ""
    """`completed` or `error`."""

    error: Any = None
    """The message of an error."""

    output: msgspec.Raw = msgspec.Raw(b"null")
    """The output of the tool, in JSON."""

    metadata: Metadata | None = None
    time: Span | None = None


class FullToolState(ToolState):
    """How a tool ended, its input and its metadata."""

    input: Any = None
    metadata: FullMetadata | None = None


class Cache(msgspec.Struct):
    """Tokens that a cache saved, or keeps."""

    read: int | None = None
    write: int | None = None


class Usage(msgspec.Struct):
    """The tokens of one response."""

    total: int | None = None
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache: Cache | None = None


class Part(msgspec.Struct, rename={"message": "messageID", "call": "callID"}):
    """The part that a line is about."""

    id: str = ""
    """The id of the part; a part that comes again has changed since."""

    message: str = ""
    """The id of the model's response."""

    tool: str = ""
    """The name of the tool."""

    call: str = ""
    """The id of the call."""

    state: ToolState | None = None
    """How the tool ended."""

    text: str = ""
    """A text, or the reasoning."""

    time: Span | None = None

    reason: str = ""
    """Why a response ended, such as `stop` or `tool-calls`."""

    tokens: Usage | None = None

    cost: int | float | None = None
    """The cost of a response in US dollars."""


class FullPart(Part):
    """A part with all that is recorded of its tool."""

    state: FullToolState | None = None


class Line(msgspec.Struct, rename={"session": "sessionID"}):
    """One event."""

    type: str
    timestamp: Milliseconds = None
    session: str = ""
    """The id of the session."""

    part: Part | None = None
    error: Any = None
    """The failure, in an event of the type `error`."""

    rejected: Any = None
    """The permissions that were refused, in an event of the type `done`."""


class FullLine(Line):
    """An event for targets that show arguments or outputs."""

    part: FullPart | None = None


@functools.cache
def decoding(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for some needs."""
    has_arguments = needs.calls >= CallDetail.ARGUMENTS
    line = FullLine if has_arguments else Line
    decoder = msgspec.json.Decoder[Line](line)
    return Decoding(line, decoder, own_member="sessionID", has_values=has_arguments)


def exit_code_of(value: Any) -> int | None:
    """Return an exit code, which may be written as a text; None if there is none."""
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value[:20])
    return value if isinstance(value, int) else None


def message_of(error: Any) -> str:
    """Return the words of an error."""
    match error:
        case {"data": {"message": str(message)}} if message:
            return message
        case {"message": str(message)} if message:
            return message
        case {"name": str(name)} if name:
            return name
        case str():
            return error
    return json_text(error)


def whole_ms(milliseconds: Milliseconds) -> int | None:
    """Return a time without fractions of a millisecond; None for one beyond belief."""
    if milliseconds is None or not 0 <= milliseconds < _BEYOND_BELIEF:
        return None
    return int(milliseconds)


# Tools return texts for a model: in frames, with numbers before the lines.
_NONE_FOUND = "No files found"
# The frame around a file or a folder, in builds of 2025 and of 2026.
_FRAME = (
    r"(?s)(?:<path>.*?</path>\n<type>\w+</type>\n)?"
    r"<(file|content|entries)>\n?(.*)\n</\1>"
)
_NOTE = r"\n*\n\(([^\n]*)\)\Z"
_NUMBERED = r"(?s)([0-9]{1,9})(?:: |\| )(.*)"
_TOTAL = r"total ([0-9]+) lines|of ([0-9]+)\b"
_TASK = r"(?s)\n*<task_metadata>.*</task_metadata>\s*\Z"
_MATCH = r"(?s)  Line ([0-9]+): (.*)"


def output_of(kind: str, metadata: FullMetadata, text: str) -> Any:
    """Return the output of a call that has not failed by itself."""
    cut = {"clientTruncated": True} if metadata.truncated is True else {}
    match kind:
        case "shell":
            code = exit_code_of(metadata.exit)
            printed = {"interleavedOutput": "" if text == "(no output)" else text}
            return printed if code is None else {**printed, "exitCode": code}
        case "read":
            return _read(metadata, text)
        case "glob":
            listed = compiled(_NOTE).sub("", text) if cut else text
            files = listed.split("\n") if listed and listed != _NONE_FOUND else []
            return {"files": files, **cut}
        case "grep":
            return _grep(text, cut)
        case "task":
            text = compiled(_TASK).sub("", text)
    return output_of_text(kind, text)


def _read(metadata: FullMetadata, text: str) -> dict[str, Any]:
    match metadata.display:
        case {
            "text": str(content),
            "lineStart": int(first),
            "lineEnd": int(last),
            "totalLines": int(total),
        }:
            lines = {"startLine": first, "endLine": last}
            return {"content": content, "totalLines": total, "readRange": lines}
    frame = compiled(_FRAME).match(text)
    if frame is None:
        return {"content": text}
    note = compiled(_NOTE).search(frame[2])
    inside = frame[2][: note.start()] if note else frame[2]
    output = content_without_numbers(inside, _NUMBERED)
    lines_of_all = compiled(_TOTAL).search(note[1]) if note else None
    if lines_of_all and "readRange" in output:
        output["totalLines"] = int(lines_of_all[1] or lines_of_all[2])
    return output


def _grep(text: str, cut: dict[str, Any]) -> dict[str, Any]:
    """Return the matches by file; the text as it is if it has another form."""
    head, _, listed = text.partition("\n")
    if text != _NONE_FOUND and not re.match(r"Found [0-9]+ match", head):
        return {"content": text}
    files: list[dict[str, Any]] = []
    for line in listed.split("\n"):
        if match := compiled(_MATCH).fullmatch(line):
            if not files:
                return {"content": text}
            found = {"lineNumber": int(match[1]), "content": match[2]}
            files[-1]["matches"].append(found)
        elif line.endswith(":"):
            files.append({"file": line[:-1], "matches": []})
        elif line and not line.startswith("("):
            return {"content": text}
    return {"workspaceResults": {"": {"content": {"matches": files, **cut}}}}


def patched_files(tool: str, files: Any) -> list[RecordedCall]:
    """Return a call for each file that a patch changed; none for any other tool."""
    if tool not in ("apply_patch", "patch") or not isinstance(files, list):
        return []
    return [
        _patched(tool, file, path)
        for file in files
        if isinstance(file, dict) and (path := first_text(file, "movePath", "filePath"))
    ]


def _patched(tool: str, file: dict[str, Any], path: str) -> RecordedCall:
    change, arguments = file.get("type"), {"path": path}
    if change == "delete":
        return RecordedCall(NativeCall("delete", native=tool, arguments=arguments), {})
    before, after = file.get("before"), file.get("after")
    is_new = change == "add"
    diff = first_text(file, "patch", "diff")
    if not diff and isinstance(before, str) and isinstance(after, str):
        diff = unified_diff(None if is_new else before, after, path)
    members = _members(diff, path, is_new)
    if is_new and file.get("additions") == 0:
        members["afterFullFileContent"] = ""
    call = NativeCall("edit", native=tool, arguments=arguments)
    return RecordedCall(call, members, is_new)


def change_of(
    arguments: dict[str, Any], metadata: FullMetadata, text: str
) -> dict[str, Any]:
    """Return the recorded change of an edit."""
    path = first_text(arguments, "filePath", "path")
    found = metadata.filediff if isinstance(metadata.filediff, dict) else {}
    match found:
        case {"before": str(before), "after": str(after)}:
            return {
                "message": text,
                "beforeFullFileContent": before,
                "afterFullFileContent": after,
                **_members(unified_diff(before, after, path), path),
            }
    recorded = metadata.diff
    diff = recorded if isinstance(recorded, str) else first_text(found, "patch")
    is_new, written = metadata.exists is False, arguments.get("content")
    if not diff and is_new and isinstance(written, str):
        diff = unified_diff(None, written, path)
    members = _members(_indented(diff, arguments), path, is_new)
    if isinstance(written, str):
        members["afterFullFileContent"] = written
    return {"message": text, **members}


def _members(diff: str, path: str, is_new: bool = False) -> dict[str, Any]:
    """Return a diff with headers, and how many lines it adds and removes."""
    hunks = without_headers(diff)
    if not hunks.startswith("@@"):
        return {}
    added, removed = changed_lines(hunks)
    return {
        "diffString": headers(path, is_new) + hunks,
        "linesAdded": added,
        "linesRemoved": removed,
    }


def _indented(diff: str, arguments: dict[str, Any]) -> str:
    """Return a diff with the indentation that its lines have in common.

    opencode removes it. The texts that were passed to the tool show it if they begin at
    the start of a line.
    """
    given = [arguments.get("oldString"), arguments.get("newString")]
    texts = (text for text in given if isinstance(text, str))
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    changed = re.findall(r"^[-+](?![-+]{2} )(.*\S.*)$", diff, re.MULTILINE)
    indent = _indent(changed, lines)
    return re.sub(r"^([-+ ](?![-+]{2} ))(?=.*\S)", rf"\1{indent}", diff, flags=re.M)


def _indent(changed: Iterable[str], lines: list[str]) -> str:
    """Return the white space before a changed line that a diff lacks."""
    for line, whole in itertools.product(changed, lines):
        indent = whole.removesuffix(line)
        if indent and indent != whole and not indent.strip():
            return indent
    return ""
