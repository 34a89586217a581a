"""Calls that read, change and search files; the findings are lists."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.facts.edits import requested_diff, requested_replacements
from convert.model.events import OK
from convert.tools.phrases_and_outcomes import phrase
from convert.transcript.builder import (
    SectionBuilder,
    encoded,
    language_of,
    media_type_of,
    ours,
)
from convert.transcript.fields import (
    Fields,
    GlobOutput,
    LineFound,
    LinesFound,
    ReadArguments,
    ReadOutput,
    cleaned,
)
from convert.transcript.pieces import Finding, Item, Note
from convert.transcript.shortened_texts import Clip
from convert.wording.diffs import (
    NOWHERE,
    changed_lines,
    has_headers,
    headers,
    unified_diff,
)
from convert.wording.escapes import harmless_line, show_controls, strip_controls
from convert.wording.numbers import count, size
from convert.wording.styles_and_columns import Style, Styled

# Heads a change that the log does not record as made.
_REQUESTED = "requested"
# The whole contents of a file before and after an edit.
_CONTENTS = ("beforeFullFileContent", "afterFullFileContent")
# Some renderers show no deeper lists.
_MOST_NESTED_LISTS = 6


def read(arguments: ReadArguments, output: ReadOutput, section: SectionBuilder) -> None:
    """Show the content, or the size of binary content."""
    path = cleaned(arguments.path or arguments.file_path) or cleaned(output.path)
    if data := cleaned(output.data):
        section.notes.append(encoded(data, media_type_of(path)))
        return
    if output.data_blob_id is not None or output.content_blob_id is not None:
        kind = media_type_of(path) or "content"
        section.notes.append(f"{kind}, {size(output.file_size or 0)}, not in the log")
        return
    if content := cleaned(output.content):
        clip = section.clip(content)
        section.notes.append(_range(output, clip))
        section.summary = ours(f"content, {size(clip.bytes)}")
        section.code(content, language_of(path))
    elif section.has_good_output:
        section.notes.append("empty")
    if output.exceeded_limit:
        section.notes.append("cut by the agent")


def _range(output: ReadOutput, content: Clip) -> str:
    """Say which lines were read, or how many if all were."""
    total, read = output.total_lines, output.read_range
    first, last = (read.start_line, read.end_line) if read else (None, None)
    if None in (total, first, last) or (first == 1 and last == total):
        return count(content.lines, "line")
    return f"lines {first:,} to {last:,} of {total:,}"


def edit(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the diff, or the content of a file that the edit made."""
    path = arguments.text("path", "filePath") or output.text("path")
    if section.call.is_new_file:
        _created(path, _new_content(arguments, output), section)
        return
    diff, added, removed = _diff_of(output, section.path(path))
    if diff:
        section.notes.append(f"+{added:,} −{removed:,}")
        section.summary = ours("diff")
        section.code(diff, "diff")
        return
    if section.has_good_output:
        are_known = all(name in output for name in _CONTENTS)
        section.notes.append("no change" if are_known else "no change recorded")
    elif content := arguments.text("streamContent"):
        extent = f"new text, {section.extent(content)}"
        section.begin("new text", extent).code(content, language_of(path))
    _requested(arguments, section)


def _requested(arguments: Fields, section: SectionBuilder) -> None:
    """Show the requested replacement, where the log does not record the change."""
    names = ("strReplace", "multiStrReplace", "applyPatch")
    asked = {name: arguments.value(name) for name in names if name in arguments}
    if not asked:
        return
    section.summary = ours(_REQUESTED)
    match asked:
        case {"applyPatch": {"patchContent": str(patch)}}:
            section.label(ours(_REQUESTED))
            section.code(strip_controls(patch), "diff", "argument")
            return
    replacements = requested_replacements(asked) or []
    if not (diff := requested_diff(replacements)):
        section.label(ours(_REQUESTED))
        section.json(asked, "argument")
        return
    everywhere = ", everywhere" * any(each.is_everywhere for each in replacements)
    added, removed = changed_lines(diff)
    if section.call.outcome == OK:
        # Most builds record only that the edit succeeded.
        section.notes = [f"+{added:,} −{removed:,} {_REQUESTED}{everywhere}"]
    section.label(ours(f"{_REQUESTED}{everywhere}"))
    section.code(strip_controls(diff), "diff", "argument")


def write(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the content of a new file, as logs of 2025 record it."""
    path = arguments.text("path", "filePath") or output.text("path")
    names = ("fileText", "file_text", "contents", "content")
    is_recorded = any(name in arguments for name in names)
    _created(path, arguments.text(*names) if is_recorded else None, section)


def _created(path: str, content: str | None, section: SectionBuilder) -> None:
    """Show the content of a new file, if it is recorded."""
    section.title = ours(phrase("write"))
    section.called("Created ", section.path(path) if path else "", "path")
    if content is not None:
        clip = section.clip(content)
        section.notes.append(count(clip.lines, "line") if content else "empty")
        section.summary = ours(f"content, {size(clip.bytes)}" if content else "")
        section.code(content, language_of(path))


def _new_content(arguments: Fields, output: Fields) -> str | None:
    """Return the content of a file that an edit made; None if it is not recorded."""
    content = output.text("afterFullFileContent") or arguments.text("streamContent")
    names = "afterFullFileContent", "diffString", "message"
    if "streamContent" in arguments or any(name in output for name in names):
        return content or _added(output.text("diffString"))
    return None


def _added(diff: str) -> str:
    """Return the lines that a diff adds."""
    added = [line[1:] for line in diff.split("\n") if line.startswith("+")]
    if has_headers(diff):
        # The header of the new file begins with a plus as well.
        del added[:1]
    return "".join(f"{line}\n" for line in added)


def delete(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the content that was deleted."""
    path = arguments.text("path", "filePath") or output.text("path")
    content = output.text("prevContent")
    section.figure(output.number("fileSize"), size)
    if kind := output.text("actualType"):
        section.notes.append(f"is a {kind}")
    extent = f"deleted content, {section.extent(content)}"
    section.begin("deleted content", extent).code(content, language_of(path))


def ls(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the tree of a directory, folders first."""
    root = output.fields("directoryTreeRoot")
    items: list[Item] = []
    waiting = _children(root)
    levels = [0] * len(waiting)
    while waiting:
        child, level = waiting.pop(), levels.pop()
        name = child.text("name")
        if path := child.text("absPath"):
            # The last part of a folder's path, with a slash.
            name = path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] + "/"
        items.append(Item(line=[Styled(name, "path")], level=level))
        inner = _children(child)
        waiting += inner
        levels += [min(level + 1, _MOST_NESTED_LISTS)] * len(inner)
    folders = sum(item.line[0].text.endswith("/") for item in items)
    files = len(items) - folders
    total = root.number("numFiles")
    section.counted(files if total is None else total, "file")
    if items:
        section.summary = ours(f"{count(folders, 'folder')}, {count(files, 'file')}")
    section.items(items)


def _children(folder: Fields) -> list[Fields]:
    """Return the entries of a folder in reverse order."""
    inner = folder.objects("childrenDirs") + folder.objects("childrenFiles")
    return inner[::-1]


def apply_agent_diff(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the diff of each file that another agent changed."""
    changes = output.objects("appliedChanges")
    section.notes.append(count(len(changes), "file"))
    section.begin("diffs")
    for change in changes:
        path = section.path(change.text("path"))
        kind = change.text("changeType").removeprefix("CHANGE_TYPE_").lower()
        before, after = change.text("beforeContent"), change.text("afterContent")
        diff = unified_diff(
            None if kind == "created" else before,
            None if kind == "deleted" else after,
            path,
        )
        line = [Styled(kind or "changed"), Styled(": ", "ours"), Styled(path, "code")]
        section.parts.append(Note(line))
        section.code(diff, "diff")
        section.code(change.text("error"), "text", "argument")


def blame_by_file_path(
    arguments: Fields, output: Fields, section: SectionBuilder
) -> None:
    """Show the history as text."""
    section.begin("history")
    _text(output.text("content"), section)


def ai_attribution(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the requested files, and the answer as text."""
    files = [
        Item(line=[Styled(section.path(path), "path")])
        for path in arguments.texts("filePaths")
    ]
    section.begin("files").items(files, "argument")
    section.begin("attribution")
    _text(output.text("attributionText"), section)


def _text(text: str, section: SectionBuilder) -> None:
    if text:
        section.notes.append(count(section.clip(text).lines, "line"))
    section.code(text, "text")


# A recorded diff may be absent, have no headers (builds of January 2026) or contradict
# its own counts (July 2026), as real logs show.
def _diff_of(output: Fields, path: str) -> tuple[str, int, int]:
    """Return the diff of an edit of a file, with its added and removed lines.

    Its headers name the file by `path`, which is relative to the directory of the run:
    then `git apply` takes it there.
    """
    recorded = output.text("diffString")
    is_headed = has_headers(recorded)
    added, removed = changed_lines(recorded)
    if all(name in output for name in _CONTENTS):
        counted = output.number("linesAdded"), output.number("linesRemoved")
        is_contradicted = any(
            count not in (None, lines)
            for count, lines in zip(counted, (added, removed), strict=True)
        )
        if is_contradicted or not is_headed:
            diff = _diff_of_contents(output, path)
            return diff, *changed_lines(diff)
    if is_headed:
        # Our own headers replace those of the log.
        old, new, hunks = recorded.split("\n", 2)
        is_new, is_deleted = (line[4:].strip() == NOWHERE for line in (old, new))
        return headers(path, is_new, is_deleted) + hunks, added, removed
    if recorded.startswith("@@ "):
        recorded = headers(path) + recorded
    return recorded, *changed_lines(recorded)


def _diff_of_contents(output: Fields, path: str) -> str:
    """Compute the diff of the contents before and after.

    If they differ only in control characters, such as line ends, the diff shows these
    as signs.
    """
    before, after = map(output.text, _CONTENTS)
    if before == after:
        before, after = (show_controls(str(output.value(name))) for name in _CONTENTS)
    return unified_diff(before, after, path)


# The agent can ask for lines, files, or the number of lines in each.
_MODES = ("content", "files", "count")


def grep(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the matches by file, or the files, or the number of matches in each."""
    results = output.fields("workspaceResults")
    roots = {root: results.fields(root) for root in results}
    if "activeEditorResult" in output:
        roots[""] = output.fields("activeEditorResult")
    found: list[_InFile] = []
    is_cut = has_matches = False
    for root, modes in roots.items():
        prefix = f"{root}/" if root and len(roots) > 1 else ""
        for mode in [name for name in _MODES if name in modes]:
            fields = modes.fields(mode)
            has_matches = has_matches or (mode != "files" and bool(fields))
            is_cut = is_cut or fields.flag("clientTruncated")
            is_cut = is_cut or fields.flag("ripgrepTruncated")
            found += _files(fields, mode, prefix)
    # The lines around a match can be all that the log has of a file.
    what = count(sum(file.matches != 0 for file in found), "file")
    if has_matches:
        matches = sum(file.matches or 0 for file in found)
        what = f"{count(matches, 'match', 'matches')} in {what}"
    if section.has_good_output:
        section.notes.append(what)
    if is_cut:
        section.notes.append("cut by the agent")
    section.summary = ours("matches" if has_matches else "files") if found else []
    total = sum(1 + len(file.lines) for file in found)
    section.findings(_matches(found, section, section.shown_of(total)), total)


class _InFile(Struct, frozen=True):
    """A file in which something was found."""

    path: str
    """The path as recorded."""

    matches: int | None
    """The number of matching lines; None if the log does not record it."""

    lines: list[LineFound]
    """The matching lines and those around them."""


def _files(found: Fields, mode: str, prefix: str) -> Iterator[_InFile]:
    """Yield each file that was found."""
    if mode == "files":
        for path in found.texts("files"):
            yield _InFile(prefix + _without_dot(path), None, [])
    elif mode == "count":
        for entry in found.objects("counts"):
            path = prefix + _without_dot(entry.text("file"))
            yield _InFile(path, entry.number("count"), [])
    else:
        for entry in found.objects("matches"):
            path = prefix + _without_dot(entry.text("file"))
            known = entry.struct(LinesFound)
            lines = known.matches if known else entry.objects_as(LineFound, "matches")
            context = [line.is_context_line for line in lines].count(True)
            yield _InFile(path, len(lines) - context, lines)


def _without_dot(path: str) -> str:
    """Return a path without the `./` or `.\\` of the search program, or `.//`."""
    return path[2:].lstrip("/\\") if path.startswith(("./", ".\\")) else path


def _matches(found: list[_InFile], section: SectionBuilder, most: int) -> list[Finding]:
    """Return an entry for each file, and one for each line below it, up to `most`."""
    shown: list[Finding] = []
    for file in found:
        if len(shown) == most:
            break
        matches = file.matches
        extent = "" if matches is None else f" – {count(matches, 'match', 'matches')}"
        shown.append(Finding(section.path(file.path), "path", after=extent))
        shown += map(_finding, file.lines[: most - len(shown)])
    return shown


def _finding(line: LineFound) -> Finding:
    text = harmless_line(line.content or "")
    number = line.line_number
    mark = " " if line.is_context_line else ": "
    before = "" if number is None else f"{number}{mark}"
    after = " …" if line.content_truncated else ""
    style: Style = "code" if text else "ours"
    return Finding(text or "(blank line)", style, before, after, 1)


def glob(arguments: Fields, output: GlobOutput, section: SectionBuilder) -> None:
    """Show the files."""
    files = output.files or []
    total = output.total_files
    section.counted(len(files) if total is None else total, "file")
    if output.client_truncated or output.ripgrep_truncated:
        section.notes.append("cut by the agent")
    section.summary = ours("files") if files else []
    shown = map(cleaned, files[: section.shown_of(len(files))])
    found = [Finding(path, "path") for path in map(section.path, shown)]
    section.findings(found, len(files))


def sem_search(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the code that was found, or the findings as text."""
    found = [result.fields("codeBlock") for result in output.objects("codeResults")]
    text = output.text("results")
    if found:
        section.notes.append(count(len(found), "result"))
    section.begin("explanation").prose(arguments.text("explanation"), "argument")
    section.begin("results", f"results, {section.extent(text)}" if text else "results")
    if text:
        section.code(text, "text")
        return
    for block in found:
        path = block.text("relativeWorkspacePath")
        section.note("", section.path(path), "path")
        section.code(block.text("contents"), language_of(path))


def read_lints(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the problems that a linter found, by file."""
    items = []
    problems = 0
    for file in output.objects("fileDiagnostics"):
        items.append(Item(line=[Styled(section.path(file.text("path")), "path")]))
        for diagnostic in file.objects("diagnostics"):
            problems += 1
            items.append(Item(line=_diagnostic(diagnostic), level=1))
    section.counted(problems, "problem")
    if paths := arguments.texts("paths"):
        section.title = ours(f"{phrase('readLints')} of ")
        section.title.append(Styled(section.path(paths[0]), "path"))
        if len(paths) > 1:
            section.title += ours(f" and {len(paths) - 1} more")
    if items:
        section.begin("problems")
    section.items(items)
    if len(paths) > 1:
        files = [Item(line=[Styled(section.path(path), "path")]) for path in paths]
        section.begin("files").items(files)


def _diagnostic(diagnostic: Fields) -> list[Styled]:
    start = diagnostic.fields("range").fields("start")
    place = [start.number("line"), start.number("column")]
    severity = diagnostic.text("severity").removeprefix("DIAGNOSTIC_SEVERITY_").lower()
    lead = ":".join(str(number) for number in place if number is not None)
    rule = " ".join(filter(None, (diagnostic.text("source"), diagnostic.text("code"))))
    problem = f"{lead} {severity}: {diagnostic.text('message')}"
    return [Styled(f"{problem} ({rule})" if rule else problem)]
