"""text: an action line for each tool call; answer: only the final message.

    Read file
    Ran terminal command: pytest -q (exit 1)
    Run cut off after 16.0 s: no result

The documentation of 2025.08 shows such lines. The last line is the end of a run that
did not succeed. Today's agent prints only its final message under the same name. So a
line that is no action line belongs to the answer, a text without any is all answer,
and a log of `answer` is read as `text`.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from convert.errors import Warn
from convert.facts import by_parent
from convert.model.events import (
    OK,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Incident,
    Needs,
    Start,
    ToolCall,
)
from convert.model.run import Run, collect, fold
from convert.options.conversion import Options, Reading
from convert.source.lines import Gap
from convert.tools.phrases_and_outcomes import action_parts, phrases_in
from convert.wording.escapes import escape_controls, repair_surrogates

if TYPE_CHECKING:
    from convert.wording.styles_and_columns import Colour

_INDENT = b"  "


def may_begin(head: str) -> bool:
    """Return True if a text begins with an action line, or is a failure message.

    Any text may be an answer, but few of the texts in a folder are one.
    """
    from convert.cursor.incidents import is_failure_message
    from convert.cursor.text_reader import is_action_line

    first = next(filter(str.strip, head.splitlines()), "")
    return is_action_line(first) or is_failure_message(head)


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read action lines as tool calls, and the rest as the answer.

    A target is kept as one text, because its arguments are not known.
    """
    from convert.cursor.text_reader import TextReader

    _warn_of_missing(needs, warn)
    lines = _lines(blocks, warn)
    redacted = None
    if reading.redact:
        lines, redacted = _redacted(lines, reading)
    text = TextReader(needs, warn)
    yield text.start(1)
    for number, line in lines:
        yield from text.add(number, line)
    yield from text.end()
    yield EndOfLog(run=0, line=text.last_line, redacted=redacted)


def _warn_of_missing(needs: Needs, warn: Warn) -> None:
    if needs.raw or needs.calls == CallDetail.EVERYTHING:
        warn(None, "text records no prompt, arguments, outputs, ids or times", "")
    elif needs.result:
        warn(None, "text records no state, ids or durations", "")


def _redacted(
    lines: Iterable[tuple[int, str]], reading: Reading
) -> tuple[Iterator[tuple[int, str]], dict[str, int]]:
    """Return the lines without secrets, and counts; a private key has many lines."""
    from convert.redact.redactor import Redactor

    text = "".join([line for _, line in lines])
    redactor = Redactor(reading.redact_patterns, reading.known)
    # A secret that is found below is one above as well.
    redactor.learn(text)
    text = redactor.text(text)
    return enumerate(io.StringIO(text, newline="\n"), 1), dict(redactor.counts)


def _lines(blocks: Iterable[bytes], warn: Warn) -> Iterator[tuple[int, str]]:
    """Yield each line with its number and its line feed, if it has one."""
    number = 0
    for block in blocks:
        if isinstance(block, Gap):
            number += 1
            warn(number, block.reason, "skipped")
            continue
        # A carriage return before a line feed belongs to the end of the line.
        for raw in io.BytesIO(block.replace(b"\r\n", b"\n")):
            number += 1
            line = raw.decode(errors="replace")
            if "\ufffd" in line and line.encode() != raw:
                warn(number, "invalid UTF-8", "replaced")
            yield number, line


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write a line for each tool call when it ends, and one for a run without success.

    The lines of a subagent's calls follow that of the call that started it, indented.
    With `answer`, the answers as well.
    """
    runs: dict[int, Run] = {}
    lines = _Lines(options)
    above = "answer" if options.follows and options.answer else ""
    for event in by_parent(events):
        match event:
            case ToolCall():
                if event.outcome is None or event.is_repeated:
                    continue
                if above == "answer":
                    yield b"\n"
                above = "line"
                yield lines.line(event, runs[event.run].directory)
                if event.steps:
                    yield from lines.inside(event, runs[event.run].directory, _INDENT)
            case EndOfLog() | Incident():
                # The end of the run shows its outcome.
                pass
            case Start():
                fold(runs.setdefault(event.run, Run(number=event.run)), event)
            case End():
                run = runs.pop(event.run)
                fold(run, event)
                is_open = run.ends_in_call and run.state is None
                if options.answer and run.answer is None and is_open:
                    warn(event.line, NO_ANSWER, "skipped")
                if options.answer and run.answer is not None:
                    answer = (
                        escape_controls(run.answer) if options.colours else run.answer
                    )
                    yield paragraph(answer, follows=bool(above))
                    above = "answer"
                if _has_end_line(event, run):
                    yield (b"\n" if above == "answer" else b"") + lines.end(event)
                    above = "line"
                elif above == "answer" and _ends_like_a_run(run.answer):
                    yield b"\n"
                    above = ""
            case _:
                fold(runs[event.run], event)


def _painted(text: str, colour: Colour) -> str:
    """Return a text in a colour, with all else escaped that controls the terminal."""
    from convert.wording.styles_and_columns import painted

    return painted(escape_controls(text), colour)


def _has_end_line(end: End, run: Run) -> bool:
    """Return True if the end of a run gets a line.

    A stream that was made of text has no session and no times, and records no end.
    """
    if end.state == "cut" and run.level != "text":
        has_times = end.span_ms is not None
        return bool(run.session or has_times or end.interrupted or end.reason)
    return end.state not in (None, "success")


def _ends_like_a_run(answer: str | None) -> bool:
    """Return True if the last line of an answer reads like the end of a run.

    An empty line below it distinguishes it from one.
    """
    from convert.cursor.text_reader import read_run_end

    *_, last = (answer or "").rstrip("\n").split("\n")
    return read_run_end(last) is not None


class _Lines:
    """Writes action lines."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def line(self, call: ToolCall, directory: str) -> bytes:
        """Return the line of a call that has ended in a run with a directory."""
        options = self._options
        if not options.detail and call.outcome == OK:
            lines = _lines_of_kinds(options.language)
            line = lines.get("write" if call.is_new_file else call.kind)
            if line is not None:
                return line
        words, note = action_parts(call, directory, options.language, options.detail)
        if options.colours and call.outcome is not None:
            has_failed = call.outcome.status == "error"
            words = escape_controls(words)
            note = _painted(note, "red" if has_failed else "yellow")
        return f"{words}{note}\n".encode()

    def inside(self, call: ToolCall, directory: str, indent: bytes) -> Iterator[bytes]:
        """Yield the lines of the calls inside a call."""
        for step in call.calls:
            yield indent + self.line(step, directory)
            yield from self.inside(step, directory, indent + _INDENT)

    def end(self, end: End) -> bytes:
        """Return the line of a run that did not end well, with its reason as recorded.

        Texts may be read or not, and the line is the same.
        """
        from convert.cursor.text_reader import run_end_line

        recorded = replace(end, last_words="")
        line = run_end_line(recorded, self._options.language)
        if self._options.colours:
            line = _painted(line, "red")
        return f"{line}\n".encode()


@functools.cache
def _lines_of_kinds(language: str) -> dict[str, bytes]:
    """Return the lines of calls that succeeded, which most lines are, by kind."""
    return {
        kind: f"{phrase}\n".encode()
        for kind, phrase in phrases_in(language)["calls"].items()
    }


NO_ANSWER = "the run that ends here has no final message"


def write_answer(
    events: Iterable[Event], options: Options, warn: Warn
) -> Iterator[bytes]:
    """Write the final message of each run when it ends, an empty line between two."""
    follows = options.follows
    for run in collect(events):
        if run.answer is None:
            why = f": {run.reason}" if run.reason else ""
            warn(run.last_line, NO_ANSWER, f"skipped{why}")
            continue
        yield paragraph(run.answer, follows)
        follows = True


def paragraph(answer: str, follows: bool) -> bytes:
    """Return an answer that ends in one newline, after an empty line if it follows."""
    text = repair_surrogates(answer).rstrip("\n")
    above = "\n" if follows else ""
    return f"{above}{text}\n".encode()
