"""The facts of a run in words: its name, its figures, the files it touched."""

from __future__ import annotations

from msgspec import Struct

from convert.facts.figures import Figures, FileChange
from convert.model.cost import dollars, reporter_in_words
from convert.model.events import Start
from convert.pages.entries import CallRow, Chapter, Entry, Unresolved
from convert.pages.run_picture import RunPicture
from convert.pages.timeline import Bar, Timeline, clock
from convert.transcript.fact_list import refused_line
from convert.wording.numbers import count, duration, tokens_out
from convert.wording.paths import place_of
from convert.wording.styles import Inline, Styled

# More calls than this are split, and into so many.
_MOST_IN_CHAPTER = 80
_IN_PART = 50


def title_of_run(title: str, name: str, start: Start) -> str:
    """Return the name of a run: its prompt, its log, or its session."""
    return title or name or f"{start.agent or 'Agent'} run {start.session[:8]}".rstrip()


def agent_of(start: Start) -> str:
    """Return the agent and its version; "" for a text, which any may have written."""
    if start.level == "text":
        return ""
    return f"{start.agent} {start.agent_version}".strip()


def figures_in_words(run: RunPicture) -> list[tuple[str, str, str, bool]]:
    """Return name, value and addition of each figure, and whether that is bad."""
    figures = run.figures
    found = []
    if run.length is not None:
        found.append(("took", duration(run.length), "", False))
    if figures.calls is not None:
        is_bad = bool(figures.failed)
        found.append(("calls", f"{figures.calls:,}", failed_in_words(figures), is_bad))
    if run.changes:
        found.append(("changed", _changed(run.changes), "", False))
    spent = {"agent": run.agent, "commands": run.commands, "other calls": run.others}
    for name, time in spent.items():
        # Other calls are named if they took half of one per cent of the run.
        if time is not None and run.length:
            if name == "other calls" and 200 * time < run.length:
                continue
            share = f"{round(100 * time / run.length)} %"
            found.append((name, duration(time), share, False))
    if tokens := figures.tokens:
        words = [] if tokens.fresh is None else [f"{tokens.fresh:,} in"]
        if tokens.output is not None:
            written = tokens_out(tokens.output, tokens.final, tokens.responses)
            words.append(f"{written} out")
        if words:
            found.append(("tokens", ", ".join(words), "", False))
    if figures.cost_usd is not None:
        reported = reporter_in_words(figures.cost_by)
        found.append(("cost", dollars(figures.cost_usd), reported, False))
    if run.recovered:
        found.append(("connection", run.recovered, "recovered", False))
    return found


def unrecorded_in_words(run: RunPicture) -> str:
    """Return the facts that a log does not record, on a line; "" if it has all."""
    return f"Not recorded: {', '.join(run.unrecorded)}." if run.unrecorded else ""


def failed_in_words(figures: Figures) -> str:
    """Return how many calls failed, as the verdict counts them; empty for none.

    A call that hides failed tests is one of them. Refused ones are not, nor are those
    whose status is an answer; these are counted next to them.
    """
    answers = figures.answers or 0
    failed = f"{figures.failed:,} failed" if figures.failed else ""
    refused = f"{figures.rejected:,} refused" if figures.rejected else ""
    open_ = f"{figures.unfinished:,} unfinished" if figures.unfinished else ""
    verb = "is an answer" if answers == 1 else "are answers"
    answered = f"{count(answers, 'status', 'statuses')} that {verb}" if answers else ""
    return ", ".join(filter(None, (failed, refused, open_, answered)))


def refused_in_words(run: RunPicture) -> Inline:
    """Return the subjects refused several times, on a line; empty for once or never."""
    if (run.figures.rejected or 0) < 2:
        return []
    return [Styled("Refused ", "ours"), *refused_line(run.refused)]


def unresolved_heading(unresolved: list[Unresolved]) -> str:
    """Return the heading of the list of unresolved calls."""
    refused = [each.row.failure == "rejected" for each in unresolved]
    if not any(refused):
        return "Unresolved failures"
    return f"Unresolved {'refusals' if all(refused) else 'failures and refusals'}"


def _changed(changes: list[FileChange]) -> str:
    """Return how many files changed, and by how many lines that are recorded."""
    files = count(len(changes), "file")
    known = [
        (change.added, change.removed)
        for change in changes
        if change.added is not None and change.removed is not None
    ]
    if not known:
        return files
    added, removed = map(sum, zip(*known, strict=True))
    some = f" in {len(known):,}" if len(known) < len(changes) else ""
    return f"{files} +{added:,} −{removed:,}{some}"


def parts_of(chapter: Chapter) -> list[list[Entry]]:
    """Return the entries of a chapter, in parts if it has many calls."""
    if len(chapter.rows) <= _MOST_IN_CHAPTER:
        return [chapter.entries]
    parts: list[list[Entry]] = [[]]
    calls = 0
    for entry in chapter.entries:
        if isinstance(entry, CallRow):
            if calls == _IN_PART:
                parts.append([])
                calls = 0
            calls += 1
        parts[-1].append(entry)
    return parts


def number_range(rows: list[CallRow]) -> str:
    """Write the numbers of calls that follow one another: `3–17`."""
    if not rows:
        return ""
    first, last = rows[0].number, rows[-1].number
    return first if first == last else f"{first}–{last}"


def moment(milliseconds: int | None) -> str:
    """Write when a call started or ended; empty if that is not recorded."""
    if milliseconds is None or milliseconds < 0:
        return ""
    return "0:00" if milliseconds < 1000 else clock(milliseconds)


class TouchedFile(Struct, kw_only=True):
    """A file, and the calls that read or changed it."""

    path: str
    reads: int = 0
    edits: int = 0
    """The edits that ended well."""

    change: FileChange | None = None
    """The net change; None if it is as before."""

    marks: list[Bar] = []
    """The calls, in the order of their starts."""


def touched_files(picture: RunPicture, timeline: Timeline) -> list[TouchedFile]:
    """Return the files of a run, the most edited ones first."""
    directory = picture.start.directory
    files: dict[str, TouchedFile] = {}
    for row, bar in zip(picture.drawn_rows, timeline.bars, strict=True):
        if not row.path:
            continue
        key = place_of(row.path, directory).key
        file = files.setdefault(key, TouchedFile(path=row.path))
        file.marks.append(bar)
        file.reads += row.lane == "look" and row.outcome.status == "ok"
        file.edits += row.lane == "edit" and row.outcome.status == "ok"
    for change in picture.changes:
        # Subagents changed some of these.
        key = place_of(change.path, directory).key
        files.setdefault(key, TouchedFile(path=change.path)).change = change
    return sorted(
        files.values(), key=lambda file: (-file.edits, file.change is None, -file.reads)
    )
