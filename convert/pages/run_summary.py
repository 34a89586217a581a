"""summary: the text for a pull request, in at most 4 kB and 25 lines of Markdown.

How a run ended, its figures, unresolved failures, changed files, the answer, and the
calls in a fold. Each part has a share of the room; the answer and the calls take what
the parts above them leave. A reader sees the last run of a log, and a line of each of
those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from convert.errors import Warn
from convert.model.events import Event
from convert.options.conversion import Options
from convert.pages.entries import Unresolved
from convert.pages.picture_builder import run_pictures
from convert.pages.run_picture import (
    RunPicture,
    agent_of,
    changed_in_words,
    figures_in_words,
)
from convert.transcript.fact_list import in_figures
from convert.transcript.pieces import CallSection, FoldedCalls
from convert.transcript.room_of_parts import heading_only
from convert.wording.escapes import harmless_line, truncate
from convert.wording.markdown import (
    code,
    inline,
    is_linked,
    unlinked,
    without_mentions,
)
from convert.wording.numbers import count, numbered
from convert.wording.styles_and_columns import Styled
from convert.write.limit import fold, folded
from convert.write.markdown import folded_in_words, sanitise_markdown

MOST_BYTES = 4096
MOST_LINES = 25
# Bytes of the parts above the answer, at most.
_VERDICT, _FIGURES, _CHANGED = 500, 300, 400
_LINE, _SUBJECT, _NOTE = 160, 100, 60
_BREAK = "\\\n"
# How many failures, and how many earlier runs, have a line.
_MOST_FAILURES = 4
_MOST_RUNS = 3
_MOST_NUMBERS = 4
# Bytes and lines that the calls may always take.
_CALLS, _LINES_OF_CALLS = 600, 9
# An answer with less room is omitted.
_LEAST_ANSWER, _LEAST_LINES = 250, 5
# In characters: of the answer, no more is looked at.
_LONGEST_ANSWER = 2 * MOST_BYTES
# Figures that the summary has elsewhere, or that say nothing of the changes; and those
# that need their name.
_OMITTED = ("changed", "agent", "commands", "other calls")
_NAMED = ("tokens", "cost", "connection")


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the summary of the last run of a log, when the log has ended."""
    last: RunPicture | None = None
    others: list[tuple[int, str]] = []
    for run in run_pictures(events, options):
        if last is None or run.number > last.number:
            last, run = run, last
        if run is not None:
            others.append((run.number, run.verdict.sentence))
    if last is not None:
        gap = "\n" if options.follows else ""
        yield f"{gap}{summary_of(last, sorted(others))}".encode(errors="replace")


def summary_of(run: RunPicture, earlier: Sequence[tuple[int, str]] = ()) -> str:
    """Return the summary of a run, after those of other numbers and verdicts."""
    page = _Page()
    page.add(_head(run, len(earlier)))
    if earlier:
        page.add(_earlier(earlier))
    if failures := run.unresolved_failures:
        page.add(_failures(failures))
    entries = [heading_only(row.section) for row in run.rows if row.section]
    kept = (_CALLS, _LINES_OF_CALLS) if entries else (0, 0)
    if run.answer:
        page.add(_answer(run.answer, page.bytes - kept[0], page.lines - kept[1]))
    if entries:
        every = [row.section for row in run.every_row if row.section]
        page.add(_calls(folded_in_words(fold(every)), run.title, entries, page))
    return page.text


class _Page:
    """The blocks of a page, and the room that is left below them."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self.bytes, self.lines = MOST_BYTES, MOST_LINES

    def add(self, block: str) -> None:
        """Add a block with the empty line that precedes it; nothing for no text."""
        if block:
            self.bytes -= _bytes_of(block) + 2
            self.lines -= block.count("\n") + 1 + bool(self._blocks)
            self._blocks.append(block)

    @property
    def text(self) -> str:
        """The page."""
        return "\n\n".join(self._blocks) + "\n"


def _bytes_of(block: str) -> int:
    """Count bytes, with the spaces that escape commands in a runner's log."""
    size = len(block.encode(errors="replace"))
    return size + block.count("::") + block.count("##[")


def _fitting(string: str, most: int, written: Callable[[str], str]) -> str:
    """Write text of a log, cut so that it takes at most so many bytes."""
    string = truncate(string, most)
    while _bytes_of(shown := written(string)) > most:
        string = truncate(string, len(string) * 3 // 4)
    return shown


def _head(run: RunPicture, others: int) -> str:
    """Return the verdict, the figures and the changed files, a line each."""
    total = others + 1
    number = f"Run {run.number:,} of {total:,}: " if others else ""
    verdict = _fitting(run.verdict.sentence, _VERDICT, unlinked)
    names = map(harmless_line, (agent_of(run.start), run.start.model))
    about = [*(truncate(name, _NOTE) for name in names if name), *_figures(run)]
    figures = _fitting(" · ".join(about), _FIGURES, unlinked)
    lines = [f"**{number}{verdict}**", figures, _changed(run)]
    return _BREAK.join(filter(None, lines))


def _figures(run: RunPicture) -> Iterator[str]:
    for name, value, more, _ in figures_in_words(run):
        if name == "calls":
            value = count(run.figures.calls or 0, "call")
        if name not in _OMITTED:
            named = f"{name} {value}" if name in _NAMED else value
            yield f"{named}, {more}" if more else named


def _changed(run: RunPicture) -> str:
    """Return the changed files, as many as there is room for."""
    if not run.changes:
        suspects = run.suspects
        may = f"{suspects.words} may have changed files" if suspects else ""
        return f"No changed file is recorded; {may}." if may else ""
    line = f"Changed {changed_in_words(run.changes)}:"
    for at, change in enumerate(run.changes):
        left = len(run.changes) - at
        path = _fitting(change.path, _LINE, code)
        name = f"{path} {in_figures(change)}" if len(run.changes) > 1 else path
        if _bytes_of(f"{line}; {name}; {left:,} more") > _CHANGED:
            return f"{line}; {left:,} more"
        line = f"{line}{';' if at else ''} {name}"
    return line


def _earlier(earlier: Sequence[tuple[int, str]]) -> str:
    """Return the verdicts on the last runs before this one, a line each."""
    shown = earlier[-_MOST_RUNS:]
    lines = [
        f"Run {number:,}: {_fitting(sentence, _SUBJECT, unlinked)}"
        for number, sentence in shown
    ]
    if skipped := len(earlier) - len(shown):
        lines.insert(0, f"{count(skipped, 'earlier run')}.")
    return _BREAK.join(lines)


def _failures(failures: list[Unresolved]) -> str:
    """Return a list of unresolved failures, each with the line that says why."""
    is_long = len(failures) > _MOST_FAILURES
    shown = failures[: _MOST_FAILURES - 1] if is_long else failures
    lines = [*map(_failure, shown)]
    if more := sum(len(failure.numbers) for failure in failures[len(shown) :]):
        lines.append(f"- {more:,} more unresolved")
    return "\n".join(lines)


def _failure(failure: Unresolved) -> str:
    row, total = failure.row, len(failure.numbers)
    calls = numbered("Call", failure.numbers[:_MOST_NUMBERS], total)
    subject = _fitting(row.subject, _SUBJECT, code)
    note = f" – {_fitting(row.ending, _NOTE, unlinked)}" if row.ending else ""
    why = f": {_fitting(row.why, _LINE, code)}" if row.why else ""
    return f"- {calls} unresolved: {row.label} {subject}{note}{why}"


def _answer(answer: str, most_bytes: int, most_lines: int) -> str:
    """Return as much of the answer as fits, from its beginning."""
    if most_bytes < _LEAST_ANSWER or most_lines < _LEAST_LINES:
        return ""
    text = without_mentions(answer[:_LONGEST_ANSWER])
    lines, total = text.split("\n"), answer.count("\n") + 1
    of_all = f" ({count(total, 'line')}, shortened)"
    for most in range(min(len(lines), most_lines), 0, -1):
        kept = "\n".join(lines[:most])
        if len(kept) > most_bytes:
            continue
        name = "" if most == total else of_all
        block = f"**Answer{name}**\n\n{sanitise_markdown(kept)}"
        if block.count("\n") + 2 <= most_lines and _bytes_of(block) <= most_bytes:
            return block
    # A first line that is too long, or that only a fence makes harmless.
    most = most_bytes - len(f"**Answer{of_all}**\n\n")
    return f"**Answer{of_all}**\n\n{_fitting(harmless_line(answer), most, unlinked)}"


_Entries = list[CallSection | FoldedCalls]


def _calls(name: str, title: str, entries: list[CallSection], page: _Page) -> str:
    """Return the calls in a fold, more of them in one line where less room is left."""
    prompt = f"Prompt: {_fitting(title, _LINE, unlinked)}" if title else ""
    head = f"<details>\n<summary>{name}</summary>"
    fitting = page.bytes - _bytes_of(head) - len("\n\n\n\n</details>")
    fewer = folded(entries)
    shown: _Entries = [*entries]
    if len(_written(prompt, shown, 0)) > fitting:
        shown = fewer
    kept, lines = len(shown), page.lines - 6
    while _bytes_of(written := _written(prompt, shown, lines)) > fitting and kept > 2:
        kept = kept * 3 // 4
        shown = _without_middle(fewer, kept)
    if _bytes_of(written) > fitting:
        written = _written("", [fold(entries)], lines)
    return f"{head}\n\n{written}\n\n</details>"


def _without_middle(entries: _Entries, kept: int) -> _Entries:
    """Fold calls in the middle into one line."""
    head, tail = kept // 2, len(entries) - (kept - kept // 2 - 1)
    if tail - head < 2:
        return entries
    return [*entries[:head], fold(entries[head:tail]), *entries[tail:]]


def _written(prompt: str, entries: _Entries, most_lines: int) -> str:
    """Write entries as a list, or in one line where a list has no room."""
    written = [*filter(None, [prompt]), *map(_entry, entries)]
    if len(written) <= most_lines:
        return "\n".join(f"- {entry}" for entry in written)
    return "<br>".join(written)


def _entry(entry: CallSection | FoldedCalls) -> str:
    match entry:
        case FoldedCalls(first=first, last=last):
            return f"**{first} to {last}.** {folded_in_words(entry)}"
        case CallSection():
            title = inline([*map(_unlinked, entry.title)])
            if _bytes_of(title) > _LINE:
                plain = "".join(words.text for words in entry.title)
                title = _fitting(plain, _LINE, unlinked)
            notes = ", ".join(filter(None, (entry.ending, *entry.notes, entry.took)))
            note = f" – {_fitting(notes, _NOTE, unlinked)}" if notes else ""
            return f"**{entry.number}.** {title}{note}"


def _unlinked(words: Styled) -> Styled:
    is_bare = words.style == "plain" and is_linked(words.text)
    return Styled(words.text, "code") if is_bare else words
