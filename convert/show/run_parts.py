"""The parts of a run that ends and of one that goes on: its head, words, verdict."""

from __future__ import annotations

import itertools

from rich.text import Text

from convert.facts.verdict import Tone
from convert.pictures.rows import CallRow
from convert.pictures.run_picture import Entry, RunPicture, Thought
from convert.pictures.run_words import (
    figures_in_words,
    refused_in_words,
    unrecorded_in_words,
)
from convert.show.call_lines import call_line
from convert.show.cells import styled, visible, wrapped
from convert.show.prose_lines import prose_line, prose_lines
from convert.wording.numbers import count, duration
from convert.wording.sanitise import harmless_line

_EDGE = "▌ "
_BETWEEN = " · "
_INDENT = "      "
_STYLES: dict[Tone, str] = {
    "bad": "red",
    "warning": "yellow",
    "good": "blue",
    "unknown": "dim",
}


def head_lines(title: str, facts: list[str], cells: int) -> list[Text]:
    """Return what a run is called, and facts of it."""
    clean = map(harmless_line, facts)
    about = visible(_BETWEEN.join(filter(None, clean)), "dim")
    return [
        *wrapped(prose_line(title, "bold"), cells),
        *(wrapped(about, cells) if about else []),
    ]


def rule(number: int, cells: int) -> Text:
    """Return the line above a run in a log of several."""
    words = f"── Run {number:,} "
    return styled(words + "─" * (cells - len(words)), "dim")


def words_lines(words: list[str], cells: int) -> list[Text]:
    """Return words of the agent that begin a chapter."""
    return prose_lines("\n\n".join(words), cells, "bold")


def verdict_lines(run: RunPicture, cells: int) -> list[Text]:
    """Return how a run ended, its figures, and what its log does not record."""
    edge = styled(_EDGE, _STYLES[run.verdict.tone])
    missing = unrecorded_in_words(run)
    refused = visible("".join(words.text for words in refused_in_words(run)))
    return [
        *wrapped(styled(run.verdict.sentence, "bold"), cells, edge, edge),
        *(edge + Text(line) for line in _filled(_figures(run), cells - len(_EDGE))),
        *(wrapped(refused, cells, edge, edge) if refused else []),
        *(wrapped(styled(missing, "dim"), cells, edge, edge) if missing else []),
    ]


def entry_lines(entry: Entry, cells: int, has_times: bool) -> list[Text]:
    """Return the lines of a call, of reasoning, or of a remark of ours."""
    if isinstance(entry, CallRow):
        return [call_line(entry, cells, has_times)]
    if isinstance(entry, Thought):
        took = "" if entry.took is None else f" for {duration(entry.took)}"
        words = styled(f"Thought{took}: ", "dim") + visible(entry.text.head, "dim")
        return wrapped(words, cells, Text(_INDENT))
    indent = Text(_INDENT)
    return wrapped(visible(entry.text, "dim"), cells, indent) if entry.text else []


def _figures(run: RunPicture) -> list[str]:
    """Return the figures of a run, each in words."""
    words = []
    for name, value, more, _ in figures_in_words(run):
        match name:
            case "calls":
                calls = count(run.figures.calls or 0, "call")
                words.append(f"{calls}, {more}" if more else calls)
            case "connection":
                words.append(f"{name} {value}, {more}")
            case "agent" | "commands" | "other calls":
                words.append(f"{name} {more}")
            case "cost":
                words.append(f"{name} {value}, {more}")
            case _:
                words.append(value)
    return words


def _filled(words: list[str], cells: int) -> list[str]:
    """Join words to lines, and break these between words, or at their commas."""
    lines: list[str] = []
    fitting = (
        word.split(", ") if len(word) > cells else [word] for word in words if word
    )
    for word in itertools.chain.from_iterable(fitting):
        if lines and len(lines[-1]) + len(_BETWEEN) + len(word) <= cells:
            lines[-1] += _BETWEEN + word
        else:
            lines.append(word)
    return lines
