"""A run that has ended, from its verdict to its calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from convert.pictures.rows import CallRow
from convert.pictures.run_picture import Chapter, Entry, RunPicture
from convert.pictures.run_words import (
    agent_of,
    heading_of,
    number_range,
    parts_of,
    unresolved_heading,
)
from convert.show.call_lines import (
    failure_lines,
    have_times,
    output_lines,
    refusal_line,
)
from convert.show.cells import fitted, styled, visible, wrapped
from convert.show.prose_lines import prose_lines
from convert.show.run_parts import (
    entry_lines,
    head_lines,
    rule,
    verdict_lines,
    words_lines,
)
from convert.show.timeline_lines import timeline_lines
from convert.transcript.pieces import Block, Items, Piece, Remark
from convert.wording.numbers import count, utc

_MOST_FAILURES = 5
_MOST_OUTPUT = 6
_INDENT = "  "


def log_view(runs: Sequence[RunPicture], name: str, cells: int) -> Iterator[Text]:
    """Yield the lines of all runs of a log; several begin with a list of them."""
    if len(runs) > 1:
        yield from _list(runs, cells)
    for run in runs:
        if len(runs) > 1:
            yield Text()
            yield rule(run.number, cells)
        yield from run_view(run, name, cells)


def run_view(run: RunPicture, name: str, cells: int) -> Iterator[Text]:
    """Yield the lines of a run in a log of this name."""
    parts = [
        head_lines(_heading_of(run, name), _facts(run, name), cells),
        verdict_lines(run, cells),
        [*timeline_lines(run, cells)],
        [*_failures(run, cells)],
        [*_went_wrong(run, cells)],
        [*_answer(run, cells)],
        *_chapters(run, cells),
    ]
    for place, lines in enumerate(filter(None, parts)):
        if place:
            yield Text()
        yield from lines


def _list(runs: Sequence[RunPicture], cells: int) -> Iterator[Text]:
    """Yield each run in two lines: what it is called, and how it ended."""
    yield styled(count(len(runs), "run"), "bold")
    for run in runs:
        title = Text(f"{run.number:>5} ") + visible(_heading_of(run, ""))
        yield fitted(title, cells)
        yield fitted(Text(f"{_INDENT * 3}") + verdict_lines(run, cells)[0], cells)


def _heading_of(run: RunPicture, name: str) -> str:
    return heading_of(run.title, name, run.start)


def _facts(run: RunPicture, name: str) -> list[str]:
    """Return the agent, the model, the start, the length of the prompt and the log."""
    stamp = "" if run.end.started_ms is None else utc(run.end.started_ms)
    lines = run.prompts[0].count("\n") + 1 if run.prompts else 0
    prompt = f"prompt of {count(lines, 'line')}" if lines > 1 else ""
    named = "" if name == _heading_of(run, name) else name
    agent, time = agent_of(run.start), f"{stamp} UTC" if stamp else ""
    return [agent, run.start.model, time, prompt, named]


def _failures(run: RunPicture, cells: int) -> Iterator[Text]:
    """Yield the failures that no later call recovered, the last one first."""
    failures = run.unresolved_failures
    if not failures:
        return
    order = ", the last one first" if len(failures) > 1 else ""
    head = styled(unresolved_heading(failures), "bold")
    total = sum(len(failure.numbers) for failure in failures)
    yield fitted(head + styled(f"  {total:,}{order}", "dim"), cells)
    for failure in failures[:_MOST_FAILURES]:
        yield from failure_lines(failure, cells)
    if more := sum(len(failure.numbers) for failure in failures[_MOST_FAILURES:]):
        yield styled(f"{_INDENT * 3}{more:,} more", "dim")


def _went_wrong(run: RunPicture, cells: int) -> Iterator[Text]:
    """Yield what disturbed the run apart from its calls."""
    if run.went_wrong:
        yield styled("What went wrong", "bold")
    for piece in run.went_wrong:
        for line in _piece(piece):
            yield from wrapped(line, cells, Text(_INDENT))


def _piece(piece: Piece) -> Iterator[Text]:
    """Yield the lines of a remark or of a list."""
    match piece:
        case Remark(line=words):
            yield visible("".join(word.text for word in words))
        case Block(Items() as items):
            if items.skipped:
                yield styled(f"{count(items.skipped, 'earlier one')} left out", "dim")
            for item in items.items:
                yield Text("• ") + visible(item.written)
            if items.omitted:
                yield styled(f"{items.omitted:,} more", "dim")


def _answer(run: RunPicture, cells: int) -> Iterator[Text]:
    if run.answer:
        yield styled("What the agent said at the end", "bold")
        for line in prose_lines(run.answer, cells - len(_INDENT)):
            yield Text(_INDENT) + line if line else line


def _chapters(run: RunPicture, cells: int) -> Iterator[list[Text]]:
    """Yield the lines of each chapter, or of each part of a long one."""
    has_times = have_times(run.rows)
    reason = ""
    for chapter in run.chapters:
        for place, entries in enumerate(parts_of(chapter)):
            lines = _heading(run, chapter, place, entries, cells)
            for entry in entries:
                if not isinstance(entry, CallRow):
                    lines += entry_lines(entry, cells, has_times)
                    continue
                for row in entry.with_inside:
                    lines += entry_lines(row, cells, has_times)
                    if _is_worth_output(run, row):
                        lines += output_lines(row, cells, _MOST_OUTPUT)
                    elif row.failure == "rejected":
                        lines += refusal_line(row, reason, cells)
                        reason = row.why
            yield lines


def _heading(
    run: RunPicture, chapter: Chapter, place: int, entries: list[Entry], cells: int
) -> list[Text]:
    """Return the agent's words above a chapter, or which calls a part of it has."""
    if chapter.words and not place:
        return words_lines(chapter.words, cells)
    numbers = number_range([row for row in entries if isinstance(row, CallRow)])
    is_only = len(run.chapters) == 1 and not place
    return [styled(f"Calls {numbers}", "bold")] if numbers and not is_only else []


def _is_worth_output(run: RunPicture, row: CallRow) -> bool:
    return row.has_failed and row.number in run.unresolved
