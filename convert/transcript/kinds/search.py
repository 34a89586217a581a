"""Calls that search, with their findings as lists."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from convert.tools.phrases_and_outcomes import phrase
from convert.transcript.builder import SectionBuilder, language_of, ours
from convert.transcript.fields import Fields, GlobOutput, LineFound, LinesFound, cleaned
from convert.transcript.pieces import Finding, Item
from convert.wording.escapes import harmless_line
from convert.wording.numbers import count
from convert.wording.styles import Style, Styled

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
            is_cut = is_cut or _is_cut(fields)
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


def _is_cut(found: Fields) -> bool:
    """Return True if the agent or its search program dropped findings."""
    return found.flag("clientTruncated") or found.flag("ripgrepTruncated")


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
            if found_lines := entry.struct(LinesFound):
                lines = found_lines.matches
            else:
                lines = entry.objects_as(LineFound, "matches")
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
