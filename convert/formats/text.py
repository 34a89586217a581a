"""text: one action line for each tool call, as the documentation of 2025.08 shows it.

    Read file
    Ran terminal command: pytest -q (exit 1)

Today's agent prints its final message alone under the same name. So a line that is no
action line belongs to the answer, and a text without any is all answer.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Iterable, Iterator

from convert.errors import InputError, Warn
from convert.formats.answer import paragraph
from convert.formats.stream_json.wire import AGENT
from convert.model import (
    OK,
    UNFINISHED,
    CallDetail,
    End,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    Run,
    Segment,
    Start,
    State,
    ToolCall,
    fold,
)
from convert.options import Options, Reading
from convert.source.lines import Gap
from convert.source.sniff import Certainty, Record

# Compiled only when a text is read.
_NOTE = (
    r" \((?:exit (?P<code>-?[1-9]\d{0,9})"
    r"|(?P<status>error|rejected|unfinished)(?:: (?P<message>.*))?)\)"
)
_MESSAGE = r" \((?:error|rejected|unfinished): "


def recognise(records: list[Record], in_prose: bool) -> Certainty:
    """Accept any readable text."""
    return Certainty.READABLE


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read action lines as tool calls, and the rest as the answer.

    A target is kept as a whole, because its arguments are not known.
    """
    _warn_of_missing(needs, warn)
    yield Start(run=1, line=1, agent=AGENT, level="text")
    lines = _lines(blocks, warn)
    redacted = None
    if reading.redact:
        lines, redacted = _redacted(lines, reading)
    text = _Text(needs, warn)
    for number, line in lines:
        if (call := text.add(number, line)) is not None:
            yield call
    yield from text.end()
    yield EndOfLog(run=0, line=text.last_line, redacted=redacted)


def _warn_of_missing(needs: Needs, warn: Warn) -> None:
    if needs.raw or needs.calls == CallDetail.EVERYTHING:
        reason = "text records no prompt, arguments, outputs, ids or times"
        warn(None, reason, "left out")
    elif needs.result:
        warn(None, "text records no state, ids or durations", "left out")


class _Text:
    """The lines of a log that have been read."""

    def __init__(self, needs: Needs, warn: Warn) -> None:
        self._needs = needs
        self._warn = warn
        self._has_targets = needs.calls >= CallDetail.ARGUMENTS
        self._answer = bytearray()
        # The first lines of the answer, and nothing if it has many.
        self._first_lines = ""
        self._is_long = False
        self._calls = 0
        self._is_empty = True
        self._is_open = False
        self.last_line = 0

    def add(self, number: int, line: str) -> ToolCall | None:
        """Read a line; return the tool call if it is an action line."""
        self.last_line = number
        self._is_empty = self._is_empty and not line.strip()
        call = _call(line, is_leading=self._calls == number - 1)
        if call is None:
            self._keep(line)
            if self._needs.raw or self._needs.result or self._needs.text:
                self._answer += line.encode()
            return None
        if self._has_targets and not call.about:
            # Once is enough: all lines of a log are of one kind.
            self._has_targets = False
            self._warn(number, "action line without a target", "none shown")
        self._calls += 1
        self._is_open = self._is_open or call.outcome == UNFINISHED
        call.line = call.started_line = number
        call.number = self._calls
        return call

    def end(self) -> Iterator[Event]:
        """Yield the answer and the end of the run; raise InputError if all is empty."""
        if self._is_empty:
            raise InputError(
                "the log is empty; check that the agent wrote its output to it"
            )
        answer = self._answer.decode()
        if self._calls:
            answer = answer.strip("\n")
        elif self._needs.calls and not self._needs.text:
            action = "all of it is the answer; -t answer shows it"
            self._warn(None, "no action lines", action)
        if answer:
            yield Segment(run=1, line=self.last_line, text=answer)
        yield End(run=1, line=self.last_line, state=self._state)

    def _keep(self, line: str) -> None:
        """Keep a line of the answer, unless it is too long for a failure's message."""
        if self._is_long:
            return
        from convert.formats.failure_messages import LONGEST

        self._first_lines += line
        self._is_long = len(self._first_lines) > LONGEST

    @property
    def _state(self) -> State | None:
        from convert.formats.failure_messages import is_failure_message

        if self._is_open:
            return "unfinished"
        is_answer = self._calls or self._is_long
        is_failure = not is_answer and is_failure_message(self._first_lines)
        return "error" if is_failure else None


def _redacted(
    lines: Iterable[tuple[int, str]], reading: Reading
) -> tuple[Iterator[tuple[int, str]], dict[str, int]]:
    """Return the lines without secrets, and counts; a private key has many lines."""
    from convert.redact import Redactor

    text = "".join([line for _, line in lines])
    redactor = Redactor(reading.redact_patterns)
    text = redactor.text(text, redactor.suspected(text))
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
    """Write a line for each tool call when it ends, and with `answer` the answers."""
    runs: dict[int, Run] = {}
    lines = _Lines(options)
    above = "answer" if options.follows and options.answer else ""
    for event in events:
        match event:
            case ToolCall():
                if event.outcome is None or event.is_repeated:
                    continue
                if above == "answer":
                    yield b"\n"
                above = "line"
                yield lines.line(event, runs[event.run].directory)
            case EndOfLog():
                pass
            case Start():
                fold(runs.setdefault(event.run, Run(number=event.run)), event)
            case End():
                run = runs.pop(event.run)
                if options.answer and run.answer is not None:
                    yield paragraph(run.answer, follows=bool(above))
                    above = "answer"
            case _:
                fold(runs[event.run], event)


class _Lines:
    """Writes action lines; the first one loads `tools`, so a filter starts sooner."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._is_bare = not options.detail

    def line(self, call: ToolCall, directory: str) -> bytes:
        """Return the line of a call that has ended in a run with a directory."""
        if self._is_bare and call.outcome == OK:
            line = self._of_kinds.get("write" if call.is_new_file else call.kind)
            if line is not None:
                return line
        from convert.tools.action_lines import action_line

        options = self._options
        text = action_line(call, directory, options.language, options.detail)
        return f"{text}\n".encode()

    @functools.cached_property
    def _of_kinds(self) -> dict[str, bytes]:
        """The lines of calls that succeeded, which most lines are, by their kinds."""
        from convert.tools.table import TOOLS

        language = self._options.language
        return {
            kind: f"{getattr(tool.phrases, language)}\n".encode()
            for kind, tool in TOOLS.items()
        }


def _call(line: str, is_leading: bool) -> ToolCall | None:
    """Parse an action line; return None for any other line.

    A line with a target reads much like prose, so it counts only among the action
    lines that a text begins with.
    """
    from convert.tools.phrase_lookup import read_phrase

    line = line.rstrip()
    note = _note(line)
    readings = [(line[: note.start()], _outcome(note))] if note else []
    for head, outcome in [*readings, (line, OK)]:
        about = ""
        found = read_phrase(head)
        if found is None and is_leading:
            words, _, about = head.partition(": ")
            found = read_phrase(words)
        if found is not None:
            kind, name = found
            return ToolCall(
                run=1,
                line=0,
                number=0,
                id="",
                kind=kind,
                name=name,
                outcome=outcome,
                about=about,
            )
    return None


def _note(line: str) -> re.Match[str] | None:
    """Match an outcome in parentheses at the end of a line.

    A message may hold parentheses, so it begins at the first that fit.
    """
    if not line.endswith(")"):
        return None
    message = re.search(_MESSAGE, line)
    begin = message.start() if message else line.rfind(" (")
    return re.compile(_NOTE).fullmatch(line, begin) if begin >= 0 else None


def _outcome(note: re.Match[str]) -> Outcome:
    """Return the outcome that is in parentheses."""
    if note["code"]:
        return Outcome("error", exit_code=int(note["code"]))
    if note["status"] == "unfinished":
        return UNFINISHED
    message = note["message"] or ""
    if note["status"] == "rejected":
        return Outcome("rejected", message=message)
    from convert.tools.reasons import read_reason

    return read_reason(message) if message else Outcome("error")
