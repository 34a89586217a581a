"""Patches in the form of Codex's `apply_patch`: one change for each named file.

    *** Begin Patch
    *** Update File: src/cart.py
    @@ def total(items):
    -    return 0
    +    return sum(items)
    *** End Patch

The hunks have no line numbers. A patch that breaks these rules is one call with the
whole patch, since nobody knows which files it would have changed.
"""

from __future__ import annotations

import posixpath
from typing import Any, Literal

from msgspec import Struct

from convert.agents.outputs import headers
from convert.agents.tool_names import NativeCall, RecordedCall, renamed
from convert.wording import compiled

ChangeKind = Literal["add", "update", "delete", "move"]

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILE = r"\*\*\* (Add|Update|Delete) File: (.*\S)\s*"
_CHANGES: dict[str, ChangeKind] = {
    "Add": "add",
    "Update": "update",
    "Delete": "delete",
}
_MOVE = r"\*\*\* Move to: (.*\S)\s*"
# A line of a hunk; an empty line of context may have lost its blank.
_IN_HUNK = (" ", "+", "-", "@@")
# A shell command may pass a patch and do nothing else.
_COMMAND = (
    r"(?s)\s*(?:cd\s+(?P<quote>['\"]?)(?P<directory>[^'\"\n]+?)(?P=quote)\s*&&\s*)?"
    r"apply_?patch\s*<<-?\s*(['\"]?)(?P<word>\w+)\3[ \t]*\r?\n"
    r"(?P<patch>.*?)\n[ \t]*(?P=word)\s*"
)


class FileChange(Struct):
    """The change of one file in a patch."""

    kind: ChangeKind
    """The kind of change; a file that is moved may be changed as well."""

    path: str
    """The path of the file, as the patch has it."""

    target: str = ""
    """The path to which it is moved; "" if it stays."""

    lines: list[str] = []
    """The lines of its hunks, or those of a new file after their `+`."""

    @property
    def content(self) -> str:
        """The content of a new file."""
        return "".join(f"{line[1:]}\n" for line in self.lines)

    @property
    def hunks(self) -> list[list[str]]:
        """The lines of each hunk of a file that is updated, without their heads."""
        hunks: list[list[str]] = []
        for line in self.lines:
            if line.startswith("@@"):
                hunks.append([])
            else:
                hunks[-1].append(line)
        return [hunk for hunk in hunks if hunk]

    @property
    def diff(self) -> str:
        """The diff, with headers that name the file where it is afterwards.

        Empty if no line is changed, and for a file that is deleted.
        """
        if not self.lines:
            return ""
        is_new = self.kind == "add"
        begin = f"@@ -0,0 +1,{len(self.lines)} @@\n" if is_new else ""
        hunks = "".join(f"{line}\n" for line in self.lines)
        return headers(self.target or self.path, is_new) + begin + hunks

    @property
    def patch(self) -> str:
        """The part of the patch that is about this file."""
        verb = "Update" if self.kind == "move" else self.kind.capitalize()
        move = [f"*** Move to: {self.target}"] if self.target else []
        file = f"*** {verb} File: {self.path}"
        return "\n".join([_BEGIN, file, *move, *self.lines, _END])


def calls_of_patch(
    patch: str, native: str = "apply_patch", directory: str = ""
) -> list[RecordedCall]:
    """Return a call for each file of a patch; one for all if it is damaged.

    `directory` is the one to which a command changed before. A file that is moved is
    two files: one that is edited at its new place, and one that is deleted.
    """
    calls = []
    for change in changes_of(patch):
        change.path = _under(directory, change.path)
        change.target = _under(directory, change.target)
        calls += _calls(change, native)
    return calls or [RecordedCall(_whole(patch, native, directory), {})]


def changes_of(patch: str) -> list[FileChange]:
    """Return the changes of the files of a patch, in order; none if it is damaged."""
    lines = patch.strip().split("\n")
    if len(lines) < 2 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        return []
    changes: list[FileChange] = []
    head_of = compiled(_FILE).fullmatch
    for line in lines[1:-1]:
        if found := head_of(line):
            changes.append(FileChange(_CHANGES[found[1]], found[2]))
        elif not changes or not _add_line(changes[-1], line):
            return []
    return changes


def patch_in(command: Any) -> tuple[str, str] | None:
    """Return the patch that a command applies, and the directory that it changes to.

    None for a command that does anything else.
    """
    match command:
        case ["apply_patch" | "applypatch", str(patch)]:
            return patch, ""
        case str() if "*** Begin Patch" in command:
            if found := compiled(_COMMAND).fullmatch(command):
                return found["patch"], found["directory"] or ""
    return None


def _add_line(change: FileChange, line: str) -> bool:
    """Add a line to the change of a file; return False if it cannot belong there."""
    if change.kind == "delete":
        return not line.strip()
    if change.kind == "add":
        change.lines.append(line)
        return line.startswith("+")
    is_first = not (change.lines or change.target)
    if is_first and (move := compiled(_MOVE).fullmatch(line)):
        change.kind, change.target = "move", move[1]
        return True
    if line.strip() == "*** End of File":
        return True
    if not change.lines and not line.startswith("@@"):
        # The first hunk may lack its header.
        change.lines.append("@@")
    change.lines.append(line or " ")
    return line.startswith(_IN_HUNK) or line in ("", "\r")


def _calls(change: FileChange, native: str) -> list[RecordedCall]:
    deleted = {"path": change.path}
    deletion = RecordedCall(NativeCall("delete", native=native, arguments=deleted), {})
    if change.kind == "delete":
        return [deletion]
    if change.kind == "add":
        arguments = {"path": change.path, "content": change.content}
        return [RecordedCall(_edit(native, arguments), _output(change), True)]
    arguments = {"path": change.target or change.path, "patch": change.patch}
    if not change.target:
        return [RecordedCall(_edit(native, arguments), _output(change))]
    moved = _edit(native, {**arguments, "movedFrom": change.path})
    return [RecordedCall(moved, _output(change)), deletion]


def _output(change: FileChange) -> dict[str, Any]:
    marks = [line[:1] for line in change.lines]
    counts = {"linesAdded": marks.count("+"), "linesRemoved": marks.count("-")}
    return {"path": change.target or change.path, "diffString": change.diff, **counts}


def _whole(patch: str, native: str, directory: str) -> NativeCall:
    """Return the call for a damaged patch; its path is known if it names one file."""
    heads = filter(None, map(compiled(_FILE).fullmatch, patch.split("\n")))
    named = [head[2] for head in heads]
    path = {"path": _under(directory, named[0])} if len(named) == 1 else {}
    return _edit(native, {**path, "patch": patch})


def _edit(native: str, arguments: dict[str, Any]) -> NativeCall:
    """Return an edit, whichever tool got the patch."""
    return NativeCall("edit", native=native, arguments=renamed("edit", arguments))


def _under(directory: str, path: str) -> str:
    return posixpath.join(directory, path) if directory and path else path
