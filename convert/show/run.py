"""A run that has ended, and the parts that it shares with one that goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from convert.facts.verdict import Tone
from convert.pages.entries import (
    CallRow,
    Chapter,
    Entry,
    Remark,
    Thought,
    number_range,
    parts_of,
    unresolved_heading,
)
from convert.pages.run_picture import (
    RunPicture,
    agent_of,
    figures_in_words,
    refused_in_words,
    title_of_run,
    unrecorded_in_words,
)
from convert.show.calls import (
    CallLines,
    failure_lines,
    timeline_lines,
)
from convert.show.prose import prose_line, prose_lines
from convert.show.text import INDENT, Text, cut, styled, visible, wrapped
from convert.transcript import pieces
from convert.transcript.pieces import Block, Items, Piece
from convert.wording.escapes import harmless_line
from convert.wording.numbers import count, duration

_EDGE = "▌ "
_BETWEEN = " · "
_TONES: dict[Tone, str] = {
    "bad": "red",
    "warning": "yellow",
    "good": "blue",
    "unknown": "dim",
}


def head_lines(title: str, facts: list[str], cells: int) -> list[Text]:
    """Return the name of a run, and facts of it."""
    about = _filled(map(harmless_line, facts), cells)
    return [
        *wrapped(prose_line(title, "bold"), cells),
        *(row for line in about for row in wrapped(visible(line, "dim"), cells)),
    ]


def rule(number: int, cells: int) -> Text:
    """Return the line above a run in a log of several."""
    words = f"── Run {number:,} "
    return styled(words + "─" * (cells - len(words)), "dim")


def chapter_heading(words: list[str], cells: int) -> list[Text]:
    """Return words of the agent that begin a chapter."""
    return prose_lines("\n\n".join(words), cells, "bold")


def verdict_lines(run: RunPicture, cells: int) -> list[Text]:
    """Return how a run ended, its figures, and the facts that its log lacks."""
    edge = styled(_EDGE, _TONES[run.verdict.tone])
    missing = unrecorded_in_words(run)
    refused = visible("".join(words.text for words in refused_in_words(run)))
    return [
        *wrapped(styled(run.verdict.sentence, "bold"), cells, edge, edge),
        *(edge + Text(line) for line in _figures(run, cells - len(_EDGE))),
        *(wrapped(refused, cells, edge, edge) if refused else []),
        *(wrapped(styled(missing, "dim"), cells, edge, edge) if missing else []),
    ]


def entry_lines(entry: Thought | Remark, cells: int) -> list[Text]:
    """Return the lines of reasoning, or of a remark of ours."""
    if isinstance(entry, Thought):
        took = "" if entry.took is None else f" for {duration(entry.took)}"
        words = styled(f"Thought{took}: ", "dim") + visible(entry.text.head, "dim")
        return wrapped(words, cells, Text(INDENT))
    indent = Text(INDENT)
    return wrapped(visible(entry.text, "dim"), cells, indent) if entry.text else []


def _figures(run: RunPicture, cells: int) -> list[str]:
    """Return the figures of a run as lines; one that is longer breaks at its commas."""
    words = []
    for name, value, more, _ in figures_in_words(run):
        match name:
            case "calls":
                value = count(run.figures.calls or 0, "call")
            case "connection" | "cost" | "tokens":
                value = f"{name} {value}"
            case "agent":
                value, more = f"{name} {more} of the time", ""
            case "commands" | "other calls":
                value, more = f"{name} {more}", ""
        figure = ", ".join(filter(None, (value, more)))
        words += figure.split(", ") if len(figure) > cells else [figure]
    return _filled(words, cells)


def _filled(words: Iterable[str], cells: int) -> list[str]:
    """Join words to lines, and break these only between words."""
    lines: list[str] = []
    for word in filter(None, words):
        if lines and len(lines[-1]) + len(_BETWEEN) + len(word) <= cells:
            lines[-1] += _BETWEEN + word
        else:
            lines.append(word)
    return lines


_MOST_FAILURES = 5
_INSET = "  "


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
    """Yield each run in two lines: its name, and how it ended."""
    yield styled(count(len(runs), "run"), "bold")
    for run in runs:
        title = Text(f"{run.number:>5} ") + visible(_heading_of(run, ""))
        yield cut(title, cells)
        yield cut(Text(INDENT) + verdict_lines(run, cells)[0], cells)


def _heading_of(run: RunPicture, name: str) -> str:
    return title_of_run(run.title, name, run.start)


def _facts(run: RunPicture, name: str) -> list[str]:
    """Return the agent, the model, the start, the length of the prompt and the log."""
    lines = run.prompts[0].count("\n") + 1 if run.prompts else 0
    prompt = f"prompt of {count(lines, 'line')}" if lines > 1 else ""
    named = "" if name == _heading_of(run, name) else name
    return [agent_of(run.start), run.start.model, run.began, prompt, named]


def _failures(run: RunPicture, cells: int) -> Iterator[Text]:
    """Yield the failures that no later call recovered, the last one first."""
    failures = run.unresolved_failures
    if not failures:
        return
    order = ", the last one first" if len(failures) > 1 else ""
    head = styled(unresolved_heading(failures), "bold")
    total = sum(len(failure.numbers) for failure in failures)
    yield cut(head + styled(f"  {total:,}{order}", "dim"), cells)
    for failure in failures[:_MOST_FAILURES]:
        yield from failure_lines(failure, cells)
    if more := sum(len(failure.numbers) for failure in failures[_MOST_FAILURES:]):
        yield styled(f"{INDENT}{more:,} more", "dim")


def _went_wrong(run: RunPicture, cells: int) -> Iterator[Text]:
    """Yield the incidents of the run, and its unfinished calls."""
    if run.went_wrong:
        yield styled("What went wrong", "bold")
    for piece in run.went_wrong:
        for line in _incident_lines(piece):
            yield from wrapped(line, cells, Text(_INSET))


def _incident_lines(piece: Piece) -> Iterator[Text]:
    """Yield the lines of a remark or of a list."""
    match piece:
        case pieces.Remark(line=words):
            yield visible("".join(word.text for word in words))
        case Block(Items() as items):
            if items.skipped:
                yield styled(f"{count(items.skipped, 'earlier one')} omitted", "dim")
            for item in items.items:
                yield Text("• ") + visible(item.written)
            if items.omitted:
                yield styled(f"{items.omitted:,} more", "dim")


def _answer(run: RunPicture, cells: int) -> Iterator[Text]:
    if run.answer:
        yield styled("Final answer", "bold")
        for line in prose_lines(run.answer, cells - len(_INSET)):
            yield Text(_INSET) + line if line else line


def _chapters(run: RunPicture, cells: int) -> Iterator[list[Text]]:
    """Yield the lines of each chapter, or of each part of a long one."""
    has_times = any(
        row.at is not None or (row.section and row.section.took) for row in run.rows
    )
    calls = CallLines(6, has_times)
    for chapter in run.chapters:
        for place, entries in enumerate(parts_of(chapter)):
            lines = _heading(run, chapter, place, entries, cells)
            for entry in entries:
                if isinstance(entry, CallRow):
                    lines += calls.of(entry, cells, run.unresolved)
                else:
                    lines += entry_lines(entry, cells)
            yield lines


def _heading(
    run: RunPicture, chapter: Chapter, place: int, entries: list[Entry], cells: int
) -> list[Text]:
    """Return the agent's words above a chapter, or the numbers of its calls."""
    if chapter.words and not place:
        return chapter_heading(chapter.words, cells)
    numbers = number_range([row for row in entries if isinstance(row, CallRow)])
    is_only = len(run.chapters) == 1 and not place
    return [styled(f"Calls {numbers}", "bold")] if numbers and not is_only else []
