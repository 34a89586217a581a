"""Calls that read and change files."""

from __future__ import annotations

from convert.tools.kinds import TOOLS
from convert.transcript.clips import Clip
from convert.transcript.code_languages import language_of, media_type_of
from convert.transcript.edits import (
    changed_lines,
    diff_of,
    has_headers,
    unified_diff,
)
from convert.transcript.fields import Fields
from convert.transcript.pieces import Change, Item, Note, What
from convert.transcript.shown import Shown, encoded, ours
from convert.wording.figures import count, size
from convert.wording.words import Words

# What some renderers show of lists in lists.
_DEEPEST = 6
_WHAT: dict[str, What] = {"created": "new", "deleted": "deleted"}


def read(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The content, or how much there is of what is no text."""
    path = arguments.text("path", "filePath") or output.text("path")
    if data := output.text("data"):
        shown.notes.append(encoded(data, media_type_of(path)))
        return
    if "dataBlobId" in output or "contentBlobId" in output:
        length = size(output.number("fileSize") or 0)
        shown.notes.append(
            f"{media_type_of(path) or 'content'}, {length}, not in the log"
        )
        return
    content = output.text("content")
    if content:
        shown.notes.append(_range(output, shown.clip(content)))
        shown.summary = ours(shown.extent(content))
        shown.code(content, language_of(path))
    elif shown.is_ok:
        shown.notes.append("empty")
    if output.flag("exceededLimit"):
        shown.notes.append("cut by the agent")


def _range(output: Fields, content: Clip) -> str:
    """How many lines were read, and which if they are not all."""
    total = output.number("totalLines")
    if "readRange" not in output:
        return count(content.lines, "line")
    read = output.fields("readRange")
    first, last = read.number("startLine"), read.number("endLine")
    if None in (total, first, last) or (first == 1 and last == total):
        return count(content.lines, "line")
    return f"lines {first:,} to {last:,} of {total:,}"


def edit(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The diff of an edit; the content of a file that it made or was to make."""
    path = arguments.text("path", "filePath") or output.text("path")
    if shown.call.is_new_file:
        content = output.text("afterFullFileContent") or arguments.text("streamContent")
        _created(path, content or _added(output.text("diffString")), shown)
        return
    seen = shown.path(path)
    diff = diff_of(output, seen)
    if diff:
        added, removed = changed_lines(diff)
        shown.notes.append(f"+{added:,} −{removed:,}")
        shown.summary = ours(
            f"{count(added, 'line')} added, {count(removed, 'line')} removed"
        )
        shown.code(diff, "diff")
        if shown.is_ok:
            shown.changes.append(Change(seen, added, removed))
    elif shown.is_ok:
        shown.notes.append("no change recorded")
    else:
        content = arguments.text("streamContent")
        said = f"the edit: {shown.extent(content)}" if content else "the edit"
        shown.summary = ours(said)
        shown.code(content, language_of(path))
    if not diff:
        names = ("strReplace", "multiStrReplace", "applyPatch")
        asked = {name: arguments.value(name) for name in names if name in arguments}
        shown.json(asked, "argument")


def write(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The content of a new file, as logs of 2025 hold it."""
    path = arguments.text("path", "filePath") or output.text("path")
    names = ("fileText", "file_text", "contents", "content")
    is_recorded = any(name in arguments for name in names)
    _created(path, arguments.text(*names) if is_recorded else None, shown)


def _created(path: str, content: str | None, shown: Shown) -> None:
    """Show the content of a new file, if it is recorded."""
    tool = TOOLS["write"]
    shown.title = ours(tool.phrase)
    if path:
        shown.title = [Words(f"{tool.verb} ", "ours"), Words(shown.path(path), "path")]
    if content is not None:
        shown.notes.append(
            count(shown.clip(content).lines, "line") if content else "empty"
        )
        shown.summary = ours(shown.extent(content))
        shown.code(content, language_of(path))
    if path and shown.is_ok:
        added = None if content is None else shown.clip(content).lines
        shown.changes.append(Change(shown.path(path), added, 0, "new"))


def _added(diff: str) -> str:
    """The lines that a diff adds."""
    added = [line[1:] for line in diff.split("\n") if line.startswith("+")]
    if has_headers(diff):
        # The header of the new file is none of them.
        del added[:1]
    return "".join(f"{line}\n" for line in added)


def delete(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The content that is gone."""
    path = arguments.text("path", "filePath") or output.text("path")
    content = output.text("prevContent")
    bytes_ = output.number("fileSize")
    if bytes_ is not None:
        shown.notes.append(size(bytes_))
    if kind := output.text("actualType"):
        shown.notes.append(f"is a {kind}")
    shown.summary = ours(f"what was deleted: {shown.extent(content)}")
    shown.code(content, language_of(path))
    if shown.is_ok:
        removed = shown.clip(content).lines if "prevContent" in output else None
        change = Change(shown.path(path), 0, removed, "deleted")
        shown.changes.append(change)


def ls(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The tree of a directory, folders first."""
    root = output.fields("directoryTreeRoot")
    items: list[Item] = []
    waiting = _children(root)
    levels = [0] * len(waiting)
    while waiting:
        child, level = waiting.pop(), levels.pop()
        items.append(Item(line=[Words(_name(child), "path")], level=level))
        inner = _children(child)
        waiting += inner
        levels += [min(level + 1, _DEEPEST)] * len(inner)
    folders = sum(item.line[0].text.endswith("/") for item in items)
    files = len(items) - folders
    if shown.is_ok:
        total = root.number("numFiles")
        shown.notes.append(count(files if total is None else total, "file"))
    shown.summary = ours(f"{count(folders, 'folder')}, {count(files, 'file')}")
    shown.items(items)


def _children(folder: Fields) -> list[Fields]:
    """What is in a folder, the last first."""
    inner = folder.objects("childrenDirs") + folder.objects("childrenFiles")
    return inner[::-1]


def _name(child: Fields) -> str:
    """A file by its name; a folder by the last part of its path, with a slash."""
    if path := child.text("absPath"):
        return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] + "/"
    return child.text("name")


def apply_agent_diff(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The diff of each file that another agent changed."""
    changes = output.objects("appliedChanges")
    shown.notes.append(count(len(changes), "file"))
    shown.summary = ours(count(len(changes), "changed file"))
    for change in changes:
        path = shown.path(change.text("path"))
        diff = unified_diff(
            change.text("beforeContent"), change.text("afterContent"), path
        )
        kind = change.text("changeType").removeprefix("CHANGE_TYPE_").lower()
        line = [Words(kind or "changed"), Words(": ", "ours"), Words(path, "code")]
        shown.parts.append(Note(line))
        shown.code(diff, "diff")
        if error := change.text("error"):
            shown.code(error, "text", "argument")
        else:
            what = _WHAT.get(kind, "")
            shown.changes.append(Change(path, *changed_lines(diff), what))


def blame_by_file_path(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The history as text."""
    _text(output.text("content"), shown)


def ai_attribution(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The files asked for, and the answer as text."""
    files = [
        Item(line=[Words(shown.path(path), "path")])
        for path in arguments.texts("filePaths")
    ]
    shown.items(files, "argument")
    _text(output.text("attributionText"), shown)


def _text(text: str, shown: Shown) -> None:
    if text:
        shown.notes.append(count(shown.clip(text).lines, "line"))
        shown.summary = ours(shown.extent(text))
    shown.code(text, "text")
