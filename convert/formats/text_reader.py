"""Reading the lines of a text: the calls, the end of each run, and the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from convert.errors import InputError, Warn
from convert.formats.stream_json.wire import AGENT
from convert.model import (
    OK,
    UNFINISHED,
    CallDetail,
    End,
    Event,
    Incident,
    Needs,
    Outcome,
    Segment,
    Start,
    ToolCall,
)

_NOTE = (
    r" \((?:exit (?P<code>-?[1-9]\d{0,9})"
    r"|(?P<status>error|rejected|unfinished)(?:: (?P<message>.*))?)\)"
)
_MESSAGE = r" \((?:error|rejected|unfinished): "


class TextReader:
    """Turns the lines of a log of text into events, one after the other."""

    def __init__(self, needs: Needs, warn: Warn) -> None:
        self._needs = needs
        self._warn = warn
        self._has_targets = needs.calls >= CallDetail.ARGUMENTS
        self._answer = bytearray()
        # The first lines of the answer, and nothing if it has many.
        self._first_lines = ""
        self._is_long = False
        self._calls = 0
        # The action lines, and the ends of runs among them, that the text begins with.
        self._leading = 0
        self._run = 1
        # The end of the run, until another run begins.
        self._end: End | None = None
        self._last = ""
        self._is_empty = True
        self._is_open = False
        self.last_line = 0

    def start(self, number: int) -> Start:
        """Begin the run with its first line."""
        return Start(run=self._run, line=number, agent=AGENT, level="text")

    def add(self, number: int, line: str) -> Iterator[Event]:
        """Read a line; yield the tool call if it is an action line."""
        self.last_line = number
        self._is_empty = self._is_empty and not line.strip()
        call = _call(line, is_leading=self._leading == number - 1)
        if call is None:
            self._add_other(number, line)
            return
        if self._end is not None:
            yield from self._next_run(self._end, number)
        if self._has_targets and not call.about:
            # Once is enough: all lines of a log are of one kind.
            self._has_targets = False
            self._warn(number, "action line without a target", "none shown")
        self._calls += 1
        self._leading += 1
        self._last = ""
        self._is_open = self._is_open or call.outcome == UNFINISHED
        call.run, call.number = self._run, self._calls
        call.line = call.started_line = number
        yield call

    def _next_run(self, end: End, number: int) -> Iterator[Event]:
        """End the run, because an action line follows its end."""
        yield replace(end, run=self._run, line=number - 1)
        self._end = None
        self._run += 1
        self._calls = 0
        self._is_open = False
        yield self.start(number)

    def _add_other(self, number: int, line: str) -> None:
        """Read a line that is no action line: the end of a run, or of the answer."""
        if self._is_end(number, line):
            return
        self._keep(line)
        if self._needs.raw or self._needs.result or self._needs.text:
            self._answer += line.encode()

    def end(self) -> Iterator[Event]:
        """Yield the answer and the end of the run; raise InputError if all is empty."""
        if self._is_empty:
            raise InputError(
                "the log is empty; check that the agent wrote its output to it"
            )
        answer = self._without_end(self._answer.decode())
        messages = self._failure()
        if self._calls:
            answer = answer.strip("\n")
        elif self._needs.calls and not self._needs.text and not self._end:
            action = "all of it is the answer; -t answer shows it"
            self._warn(None, "no action lines", action)
        if messages:
            for message in messages:
                yield Incident(
                    run=self._run, line=self.last_line, kind="error", message=message
                )
        elif answer:
            yield Segment(run=self._run, line=self.last_line, text=answer)
        end = self._end or self._recorded_end
        yield replace(end, run=self._run, line=self.last_line)

    def _is_end(self, number: int, line: str) -> bool:
        """Return True for the end of a run; it counts below action lines only."""
        self._last = line if line.strip() else self._last
        if not self._calls or self._leading != number - 1:
            return False
        from convert.formats.run_ends import read_run_end

        end = read_run_end(line)
        self._end = end or self._end
        self._leading += end is not None
        return end is not None

    def _without_end(self, answer: str) -> str:
        """Return the answer without the end of the run, which may stand below it."""
        from convert.formats.run_ends import read_run_end

        is_below = self._calls or self._first_lines.strip() == self._last.strip()
        end = read_run_end(self._last) if is_below else None
        if end is None:
            return answer
        self._end = end
        return answer[: max(answer.rfind(self._last), 0)]

    def _keep(self, line: str) -> None:
        """Keep a line of the answer, unless it is too long for a failure's message."""
        if self._is_long:
            return
        from convert.formats.failure_messages import LONGEST

        self._first_lines += line
        self._is_long = len(self._first_lines) > LONGEST

    def _failure(self) -> list[str]:
        """Return the messages of a run that failed, if the text holds nothing else."""
        from convert.formats.failure_messages import failure_messages

        if self._calls or self._is_long or self._end is not None:
            return []
        messages = failure_messages(self._first_lines)
        if messages:
            reason = "; ".join(messages)
            self._end = End(run=1, line=0, state="error", reason=reason)
        return messages

    @property
    def _recorded_end(self) -> End:
        """The end of a text that does not say how its run ended."""
        return End(run=1, line=0, state="unfinished" if self._is_open else None)


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
