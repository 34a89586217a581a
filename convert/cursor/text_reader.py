"""The events of a text: the calls, the end of each run, and the answer.

    Run failed: ActionRequiredError: You've hit your usage limit
    Run cut off after 16.0 s: a tool call is unfinished

Such a line says how a run ended, in every language. A run that succeeded has none, and
neither has one whose end is not recorded. All phrases are ours. They are read back, so
no two of them are alike.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from msgspec.structs import replace

from convert.cursor import AGENT
from convert.errors import EMPTY_LOG, NoEventsError, Warn
from convert.facts.run_reasons import CUTS, Cut, reason_in_words, set_reason_kind
from convert.model.events import (
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
from convert.tools import PLAIN
from convert.tools.phrases_and_outcomes import (
    in_all_languages,
    phrases_in,
    read_phrase,
    read_reason,
)
from convert.wording.escapes import repair_surrogates, strip_controls
from convert.wording.numbers import duration

# The indent of a line for each call around its call.
_INDENT = "  "
# How many runs without a tool call may end one after the other below an answer.
_MOST_ENDS = 1000


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
        # The lines below the last empty one, which may be ends; None if they are many.
        self._last_paragraph: list[str] | None = []
        self._is_empty = True
        self._is_open = False
        # The last call, if others may be inside it, and those that lead to the last
        # line inside it.
        self._held: ToolCall | None = None
        self._around: list[ToolCall] = []
        self.last_line = 0

    def start(self, number: int) -> Start:
        """Begin the run with its first line."""
        return Start(run=self._run, line=number, agent=AGENT, level="text")

    def add(self, number: int, line: str) -> Iterator[Event]:
        """Read a line; yield the tool call if it is an action line."""
        self.last_line = number
        self._is_empty = self._is_empty and not line.strip()
        plain = strip_controls(line) if "\x1b" in line else line
        if self._held is not None:
            if plain.startswith(_INDENT) and self._add_inside(number, plain):
                return
            yield from self._release()
        call = _call(plain, is_leading=self._leading == number - 1)
        if call is None:
            yield from self._add_other(number, line, plain)
            return
        if self._end is not None:
            yield from self._next_run(self._end, number)
        if self._has_targets and not call.about:
            # Once is enough: all lines of a log are of one kind.
            self._has_targets = False
            self._warn(number, "action line without a target", "none shown")
        self._calls += 1
        self._leading += 1
        self._last_paragraph = []
        self._is_open = self._is_open or call.outcome == UNFINISHED
        call.run, call.number = self._run, self._calls
        call.line = call.started_line = number
        if call.kind in PLAIN:
            yield call
        else:
            self._held, self._around = call, [call]

    def _add_inside(self, number: int, line: str) -> bool:
        """Add a call inside the one that is held; return False for any other line."""
        inner = line.lstrip(" ")
        depth = (len(line) - len(inner)) // len(_INDENT)
        call = _call(inner, is_leading=self._leading == number - 1)
        if call is None or depth > len(self._around):
            return False
        around = self._around[depth - 1]
        around.steps = around.steps or []
        call.run, call.number = 0, len(around.steps) + 1
        call.line = call.started_line = number
        around.steps.append(call)
        self._around[depth:] = [call]
        self._leading += 1
        self._is_open = self._is_open or call.outcome == UNFINISHED
        return True

    def _release(self) -> Iterator[Event]:
        """Yield the call that is held."""
        if self._held is not None:
            yield self._held
        self._held, self._around = None, []

    def _next_run(self, end: End, number: int) -> Iterator[Event]:
        """End the run, because an action line or another end follows its end."""
        yield replace(end, run=self._run, line=number - 1)
        self._end = None
        self._run += 1
        self._calls = 0
        self._is_open = False
        yield self.start(number)

    def _add_other(self, number: int, line: str, plain: str) -> Iterator[Event]:
        """Read a line that is no action line: the end of a run, or of the answer.

        `plain` is the line without colours.
        """
        # It may be the end of a run below the action lines that the text begins with.
        is_leading = self._leading == number - 1 and (self._calls or self._end)
        if is_leading and (end := read_run_end(plain)):
            if self._end is not None:
                yield from self._next_run(self._end, number)
            self._end = end
            self._leading += 1
            return
        self._note_line(line)
        if self._needs.raw or self._needs.result or self._needs.text:
            self._answer += line.encode()

    def end(self) -> Iterator[Event]:
        """Yield the answer and the end of the run; raise InputError if all is empty."""
        if self._is_empty:
            raise NoEventsError(EMPTY_LOG)
        yield from self._release()
        ends = self._ends_below()
        if ends and self._end is not None:
            yield from self._next_run(self._end, self._leading + 1)
        yield from self._messages_or_answer(ends)
        for number, end in enumerate(ends, self.last_line - len(ends) + 1):
            if self._end is not None:
                yield from self._next_run(self._end, number)
            self._end = end
        # The text may not record the end of its run.
        open_end = End(run=1, line=0, state="unfinished", reason_kind="cut")
        unknown = open_end if self._is_open else End(run=1, line=0, state=None)
        end = self._end or unknown
        yield replace(end, run=self._run, line=self.last_line)

    def _messages_or_answer(self, ends: list[End]) -> Iterator[Event]:
        """Yield the messages that a text is, or else the answer above the ends."""
        messages = [] if ends else self._failure()
        answer = self._answer.decode()
        if ends:
            answer = answer.removesuffix("".join(self._last_paragraph or ()))
        if self._leading:
            answer = answer.strip("\n")
        elif self._needs.calls and not self._needs.text and not (self._end or ends):
            action = "all of it is the answer; -t answer shows it"
            self._warn(None, "no action lines", action)
        for message in messages:
            yield Incident(
                run=self._run, line=self.last_line, kind="error", message=message
            )
        if answer and not messages:
            yield Segment(run=self._run, line=self.last_line, text=answer)

    def _ends_below(self) -> list[End]:
        """Return the ends of runs that are below the answer.

        An empty line is above them and none below, as one is below an answer whose last
        line reads like an end. Without tool calls, they must be the whole text.
        """
        below = self._last_paragraph or []
        if not self._leading and len(below) < self.last_line:
            return []
        ends = [end for line in below if (end := read_run_end(line)) is not None]
        return ends if len(ends) == len(below) else []

    def _note_line(self, line: str) -> None:
        """Keep lines that may be ends of runs, or the message of a failure."""
        if not line.strip():
            self._last_paragraph = []
        elif self._last_paragraph is not None:
            self._last_paragraph.append(line)
            if len(self._last_paragraph) > _MOST_ENDS:
                self._last_paragraph = None
        if self._is_long:
            return
        from convert.cursor.incidents import LONGEST

        self._first_lines += line
        self._is_long = len(self._first_lines) > LONGEST

    def _failure(self) -> list[str]:
        """Return the messages of a run that failed, if the text holds nothing else."""
        from convert.cursor.incidents import failure_messages

        if self._calls or self._is_long or self._end is not None:
            return []
        messages = failure_messages(self._first_lines)
        if messages:
            end = End(run=1, line=0, state="error", reason="; ".join(messages))
            self._end = set_reason_kind(end)
        return messages


def is_action_line(line: str) -> bool:
    """Return True for a line that is a call at the start of a text."""
    return _call(line, is_leading=True) is not None


def _call(line: str, is_leading: bool) -> ToolCall | None:
    """Parse an action line; return None for any other line.

    A line with a target reads much like prose, so it counts only among the action
    lines that a text begins with.
    """
    line = line.rstrip()
    note = _note(line)
    readings = [(line[: note.start()], _outcome(note))] if note else []
    for head, outcome in [*readings, (line, OK)]:
        for words, about in _splits(head, is_leading):
            if found := read_phrase(words, is_done=outcome == OK):
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


def _splits(head: str, is_leading: bool) -> Iterator[tuple[str, str]]:
    """Yield each possible phrase and target of a line, which a colon divides.

    The phrase may hold a colon itself, as in `Outil utilisé : NAME`.
    """
    yield head, ""
    at = 0
    while is_leading and at < 2 and head.count(": ") > at:
        at += 1
        parts = head.split(": ", at)
        yield ": ".join(parts[:at]), parts[at]


def _note(line: str) -> re.Match[str] | None:
    """Match an outcome in parentheses at the end of a line.

    A message may hold parentheses, so it begins at the first that fit.
    """
    if not line.endswith(")"):
        return None
    whole, message = _notes()
    found = message.search(line)
    begin = found.start() if found else line.rfind(" (")
    return whole.fullmatch(line, begin) if begin >= 0 else None


@functools.cache
def _notes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for an outcome in any language, and for the begin of one."""
    words = {
        status: "|".join(
            re.escape(word) for word in sorted({*in_all_languages("statuses", status)})
        )
        for status in phrases_in("en")["statuses"]
    }
    exits = "|".join(
        re.escape(text.format(""))
        for text in in_all_languages("ends of commands", "exit")
    )
    any_word = "|".join(f"(?P<{status}>{each})" for status, each in words.items())
    code = rf"(?:{exits})(?P<code>-?[1-9]\d{{0,9}})"
    return (
        re.compile(rf" \((?:{code}|(?:{any_word})(?:: (?P<message>.*))?)\)"),
        re.compile(rf" \((?:{'|'.join(words.values())}): "),
    )


def _outcome(note: re.Match[str]) -> Outcome:
    """Return the outcome that is in parentheses."""
    if note["code"]:
        return Outcome("error", exit_code=int(note["code"]))
    if note["unfinished"]:
        return UNFINISHED
    message = note["message"] or ""
    if note["rejected"]:
        return Outcome("rejected", message=message)
    return read_reason(message) if message else Outcome("error")


_SECTION = "ends of runs"
# Compiled only when a text is read.
_DURATION = r"(?:([\d,]+) h )?(?:(\d+) min(?: |\Z))?(?:([\d.]+) s)?|(\d+) ms"


def run_end_line(end: End, language: str = "en") -> str:
    """Return the line for the end of a run; "" for a success, or if unknown."""
    if end.state in (None, "success"):
        return ""
    reason = reason_in_words(end, language)
    phrases = phrases_in(language)[_SECTION]
    if end.state == "error":
        head = phrases["failed"]
        return repair_surrogates(f"{head}: {reason}" if reason else head)
    head = phrases["cut"]
    if end.span_ms is not None:
        head = phrases["cut_after"].format(duration(end.span_ms))
    return f"{head}: {reason}"


def read_run_end(line: str) -> End | None:
    """Return the end of a run from a line in any language; None for another line."""
    line = line.strip()
    for head in in_all_languages(_SECTION, "failed"):
        rest = line.removeprefix(head)
        if rest != line and (not rest or rest.startswith(": ")):
            reason = rest.removeprefix(": ")
            return set_reason_kind(End(run=1, line=0, state="error", reason=reason))
    match = _cut_heads().match(line)
    if match is None:
        return None
    why = line[match.end() :]
    if cut := _cuts().get(why):
        end = End(run=1, line=0, state=cut.state, interrupted=cut.interrupted)
    else:
        end = End(run=1, line=0, state="cut", reason=why)
    span = next(filter(None, match.groups()), None)
    end.span_ms = None if span is None else _milliseconds(span)
    return set_reason_kind(end)


@functools.cache
def _cuts() -> dict[str, Cut]:
    return {
        phrase: cut for cut in CUTS for phrase in in_all_languages(_SECTION, cut.name)
    }


@functools.cache
def _cut_heads() -> re.Pattern[str]:
    """Match the head of a cut run's line in any language, with the time as a group."""
    heads = [*map(re.escape, in_all_languages(_SECTION, "cut"))]
    for head in in_all_languages(_SECTION, "cut_after"):
        before, after = map(re.escape, head.split("{}"))
        heads.append(f"{before}([\\d,.]+ (?:ms|s|min|h)[\\w ]*?){after}")
    return re.compile(f"(?:{'|'.join(heads)}): ")


def _milliseconds(text: str) -> int | None:
    """Read back a time as `duration` writes it; None if it is none."""
    match = re.fullmatch(_DURATION, text)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = match.groups()
    if milliseconds:
        return int(milliseconds)
    total = int((hours or "0").replace(",", "")) * 3600 + int(minutes or 0) * 60
    return total * 1000 + round(float(seconds or 0) * 1000)
