"""The changes that a call made to files, as its log records them.

A log may hold the contents before and after, or only a diff, or only the fragment that
the agent passed to the tool. Diffs of some builds contradict themselves, so contents
count more, and a fragment says nothing about the place of a change.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import IO, Any, Final

from msgspec import Struct

from convert.model.events import ToolCall
from convert.wording.diffs import (
    changed_lines,
    count_changes,
    hunks_of,
    without_headers,
)


class Missing(Enum):
    """The reason why there is no content."""

    ABSENT = "absent"
    """There is no such file."""

    UNRECORDED = "not recorded"
    """The log does not say."""


ABSENT: Final = Missing.ABSENT
UNRECORDED: Final = Missing.UNRECORDED
Content = str | Missing


class ContentsInFile:
    """Contents in a file without a name, which goes with the last of their places."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def places_of(self, contents: Iterable[str]) -> dict[str, PlaceInFile]:
        """Write contents into the file; return where they are.

        Those for which the system has no room are not in the result.
        """
        import tempfile

        places: dict[str, PlaceInFile] = {}
        with contextlib.suppress(OSError):
            if self._file is None:
                # Not for a block only: the places need it.
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            for content in contents:
                places[content] = self._written(content, self._file)
        return places

    def _written(self, content: str, file: IO[bytes]) -> PlaceInFile:
        octets = memoryview(content.encode(errors="surrogatepass"))
        place = PlaceInFile(self, file.seek(0, os.SEEK_END), len(octets))
        while octets:
            # A disk that is nearly full takes a part of them.
            octets = octets[file.write(octets) :]
        return place

    def content_at(self, place: PlaceInFile) -> str:
        """Read the content at a place."""
        assert self._file is not None
        self._file.seek(place.begin)
        return self._file.read(place.size).decode(errors="surrogatepass")


class PlaceInFile(Struct, frozen=True):
    """The place of a content that is in a file, and not in memory."""

    file: ContentsInFile
    begin: int
    size: int


def kept_content(place: Content | PlaceInFile) -> Content:
    """Return a content, which may be in a file."""
    if isinstance(place, PlaceInFile):
        return place.file.content_at(place)
    return place


# Separates two hunks of an effect.
_BETWEEN = "@@\n"


class FileEdit(Struct, frozen=True):
    """One change of one file."""

    path: str
    """The path as recorded."""

    before: Content
    """The content of the file before."""

    after: Content
    """The content of the file after."""

    diff: str = ""
    """The recorded diff, where a content is not recorded; "" if there is none."""

    @property
    def counts(self) -> tuple[int, int] | None:
        """The number of lines added and removed; None if that is not recorded."""
        before, after = text_of(self.before), text_of(self.after)
        if before is not None and after is not None:
            return count_changes(before, after)
        return changed_lines(self.diff) if self.diff else None


class Replacement(Struct, frozen=True):
    """One text that an edit was to replace by another."""

    old: str
    new: str
    is_everywhere: bool
    """Every place that has the old text was to change."""


def requested_replacements(arguments: dict[str, Any]) -> list[Replacement] | None:
    """Return the replacements that an edit was asked for; None if they are not known.

    The log may not record which changes they made.
    """
    many = arguments.get("multiStrReplace")
    edits = many.get("edits") if isinstance(many, dict) else None
    found = []
    for edit in edits if isinstance(edits, list) else [arguments.get("strReplace")]:
        match edit:
            case {"oldText": str(old), "newText": str(new), **others}:
                found.append(Replacement(old, new, others.get("replaceAll") is True))
            case _:
                return None
    return found


def requested_diff(replacements: list[Replacement]) -> str:
    """Return replacements as a diff without numbers of lines; "" if none changes any.

    A text may begin and end within a line, which is shown as a line.
    """
    effects = []
    for each in replacements:
        are_whole = each.old[-1:] in ("", "\n") and each.new[-1:] in ("", "\n")
        end = "" if are_whole else "\n"
        effects += [hunk.body for hunk in hunks_of(each.old + end, each.new + end)]
    return _BETWEEN.join(effects)


def text_of(content: Content) -> str | None:
    """Return a content as a text, empty for no file; None if it is not recorded."""
    if content is UNRECORDED:
        return None
    return "" if content is ABSENT else content


def edits_of(call: ToolCall) -> list[FileEdit]:
    """Return the changes that a call made to files, in the order of the log.

    A call that failed or was rejected changed nothing.
    """
    read = _KINDS.get(call.kind)
    if read is None or call.outcome is None:
        return []
    if call.outcome.status != "ok" and call.kind not in _IN_PARTS:
        return []
    output = call.output if isinstance(call.output, dict) else {}
    return [edit for edit in read(call, call.arguments or {}, output) if edit.path]


def are_changes(edits: Iterable[FileEdit]) -> bool:
    """Return True if the log says that one of these edits changed a file."""
    return any(edit.before is UNRECORDED or edit.before != edit.after for edit in edits)


def effect_of(edit: FileEdit) -> str | None:
    """Return the lines that an edit removed and added, and three of context.

    Each line follows its mark, as in a diff, but no number gives its place. Making a
    file is the same as filling an empty one: logs of 2025 say only that a file was
    written. None if a log has only the fragment that was passed to the tool.
    """
    before, after = text_of(edit.before), text_of(edit.after)
    if before is None or after is None:
        return _effect_of_diff(edit)
    effect = _BETWEEN.join(hunk.body for hunk in hunks_of(before, after))
    # Making an empty file is more than changing nothing.
    return effect or ("" if after else "empty file\n")


def _effect_of_diff(edit: FileEdit) -> str | None:
    """Return the effect that a recorded diff shows; None if it shows no line."""
    lines = [
        _BETWEEN if line.startswith("@@") else f"{line}\n"
        for line in without_headers(edit.diff).split("\n")
        if line
    ]
    if edit.before is ABSENT:
        # Some builds remove an empty line from a file that was not there.
        lines = [line for line in lines if line.startswith(("+", "\\"))]
    has_changes = any(line.startswith(("+", "-")) for line in lines)
    return "".join(lines).removeprefix(_BETWEEN) if has_changes else None


def _edit(
    call: ToolCall, arguments: dict[str, Any], output: dict[str, Any]
) -> Iterator[FileEdit]:
    before = _content(output, "beforeFullFileContent")
    after = _content(output, "afterFullFileContent")
    diff = _text(output, "diffString")
    if call.is_new_file and not text_of(before):
        # An old content is recorded of a file that was there, but for a diff or a
        # message.
        says_made = diff[:13] == "--- /dev/null" or "Wrote contents" in _text(
            output, "message"
        )
        if says_made or not isinstance(before, str):
            before = ABSENT
            if after is UNRECORDED:
                after = _content(arguments, "streamContent")
    if UNRECORDED not in (before, after):
        diff = ""
    yield FileEdit(_path(arguments, output), before, after, diff)


def _write(
    call: ToolCall, arguments: dict[str, Any], output: dict[str, Any]
) -> Iterator[FileEdit]:
    after = _content(arguments, "fileText", "file_text", "contents", "content")
    yield FileEdit(_path(arguments, output), ABSENT, after)


def _delete(
    call: ToolCall, arguments: dict[str, Any], output: dict[str, Any]
) -> Iterator[FileEdit]:
    yield FileEdit(_path(arguments, output), _content(output, "prevContent"), ABSENT)


def _apply_agent_diff(
    call: ToolCall, arguments: dict[str, Any], output: dict[str, Any]
) -> Iterator[FileEdit]:
    """Yield the changes of another agent."""
    changes = output.get("appliedChanges")
    for change in changes if isinstance(changes, list) else ():
        if not isinstance(change, dict) or change.get("error"):
            continue
        before = _content(change, "beforeContent")
        after = _content(change, "afterContent")
        if change.get("changeType") == "CHANGE_TYPE_CREATED":
            before = ABSENT
        elif change.get("changeType") == "CHANGE_TYPE_DELETED":
            after = ABSENT
        yield FileEdit(_path(change, {}), before, after)


def local_steps_of(call: ToolCall) -> list[ToolCall]:
    """Return the calls of a subagent, unless it worked on another machine."""
    environment = str((call.arguments or {}).get("environment"))
    return [] if environment.endswith("CLOUD") else call.calls


def _path(arguments: dict[str, Any], output: dict[str, Any]) -> str:
    return _text(arguments, "path", "filePath") or _text(output, "path")


def _text(members: dict[str, Any], *names: str) -> str:
    """Return the first of these members that is a non-empty string."""
    values = map(members.get, names)
    return next((it for it in values if isinstance(it, str) and it), "")


def _content(members: dict[str, Any], *names: str) -> Content:
    """Return the first of these members that is a string, which may be empty."""
    values = map(members.get, names)
    return next((it for it in values if isinstance(it, str)), UNRECORDED)


_KINDS: dict[str, Callable[..., Iterable[FileEdit]]] = {
    "edit": _edit,
    "write": _write,
    "delete": _delete,
    "applyAgentDiff": _apply_agent_diff,
    "task": lambda call, arguments, output: itertools.chain.from_iterable(
        map(edits_of, local_steps_of(call))
    ),
}
# Some of their changes may apply where others fail.
_IN_PARTS = {"applyAgentDiff", "task"}
# The kinds of calls that may change files and say how.
EDITING = frozenset(_KINDS)
