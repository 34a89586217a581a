"""The entries of a run: its calls as rows, reasoning, remarks, and chapters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from msgspec import Struct

from convert.facts.failed_calls import FAILED, FailureClass
from convert.facts.repeats import path_of
from convert.facts.time_spent import moments_of
from convert.model.events import UNFINISHED, Outcome, ToolCall
from convert.tools.phrases_and_outcomes import (
    outcome_note,
    phrase,
    status_word,
    without_hook_name,
)
from convert.tools.subjects import target_line
from convert.tools.table import Lane, full_name, short_name, tool_of, tools
from convert.transcript.pieces import CallSection, Code, Collapsible, Part
from convert.transcript.shortened_texts import Clip, lines_of
from convert.wording import compiled
from convert.wording.escapes import harmless_line, one_line, strip_controls, truncate
from convert.wording.numbers import numbered

# How many last lines of the output of a failed call are kept.
_LAST_LINES = 6
# Such as `FAIL`, the last line of `go test`, and a rule across the screen.
_SAYS_NOTHING = r"[\W_]*(?i:fail|failed|failure|error|errors|ko|exit)?[\W_]*"

Item = TypeVar("Item")


class CallRow(Struct, kw_only=True):
    """One call among the calls of a run."""

    number: str
    """Its number; `5.2` is a step of call 5."""

    lane: Lane
    """The lane of the picture that holds it."""

    label: str
    """The kind of call, in a word."""

    subject: str
    """The subject, on one line."""

    path: str
    """The one file that it reads or changes; empty for any other call."""

    outcome: Outcome
    """How it ended."""

    ending: str
    """Its end in a few words: `exit 124`, `rejected`; empty if it ended well."""

    why: str
    """The last line that a failed call printed, else its message; empty for none."""

    last_lines: list[str]
    """The last lines that a failed call printed, else its message."""

    earlier_lines: int
    """The number of lines that it printed before these."""

    started: int | None
    """When it started, in milliseconds since the start of the run."""

    ended: int | None
    """When it ended; None if that is not recorded, or if it never did."""

    line: int
    """The number of the line of the log on which it ended."""

    failure: FailureClass | None = None
    """How it went wrong; None if it did not, or if its status is an answer."""

    hidden: str = ""
    """The number of tests that failed in a call that ended well."""

    section: CallSection | None
    """The section that shows it; None while it is open."""

    began_line: int = 0
    """The number of the line of the log on which it began."""

    inside: list[CallRow] = []
    """The calls of the subagent that it started."""

    @property
    def around(self) -> str:
        """The number of the call around it; empty for a call of the run itself."""
        return self.number.rpartition(".")[0]

    @property
    def with_inside(self) -> Iterator[CallRow]:
        """The call, then those inside it and inside these."""
        yield self
        for row in self.inside:
            yield from row.with_inside

    @property
    def at(self) -> int | None:
        """When it started; when it ended, if the log records only that."""
        return self.ended if self.started is None else self.started

    @property
    def is_open(self) -> bool:
        """It never ended."""
        return self.outcome.status == "unfinished"

    @property
    def has_failed(self) -> bool:
        """It is one of the failed calls."""
        return self.failure in FAILED


def call_row(
    call: ToolCall,
    number: str,
    directory: str,
    section: CallSection | None,
    failure: FailureClass | None = None,
    hidden: str = "",
) -> CallRow:
    """Return the row of a call that has ended, and how it went wrong.

    `hidden` is the number of tests that failed in a call that ended well.
    """
    outcome = call.outcome or UNFINISHED
    tool = tool_of(call.kind)
    why, last_lines, earlier_lines = _failure(outcome, section, hidden)
    started, ended = moments_of(call)
    return CallRow(
        number=number,
        lane=tool.lane,
        label=label_of(call),
        subject=truncate(_subject(call, directory, section), 400),
        path=path_of(call, directory),
        outcome=outcome,
        ending=_ending(outcome, hidden),
        why=why,
        last_lines=last_lines,
        earlier_lines=earlier_lines,
        started=started,
        ended=ended,
        line=call.line,
        failure=failure,
        began_line=call.started_line,
        hidden=hidden,
        section=section,
    )


def amend(
    row: CallRow, outcome: Outcome, failure: FailureClass | None, hidden: str
) -> None:
    """Correct the row of a call by a later line of the log about its end."""
    row.outcome, row.ending = outcome, _ending(outcome, hidden)
    row.failure, row.hidden = failure, hidden
    why, last_lines, earlier_lines = _failure(outcome, row.section, hidden)
    row.why, row.last_lines, row.earlier_lines = why, last_lines, earlier_lines


def label_of(call: ToolCall) -> str:
    """Return the kind of a call, in a word; one that makes a new file writes it."""
    return tool_of("write").label if call.is_new_file else tool_of(call.kind).label


def _subject(call: ToolCall, directory: str, section: CallSection | None) -> str:
    """Return the subject of a call; without a target, its action."""
    if call.kind not in tools():
        return short_name(full_name(call))
    if target := target_line(call, directory):
        return harmless_line(target)
    if section is not None:
        return one_line("".join(words.text for words in section.title))
    return phrase(call.kind)


def _ending(outcome: Outcome, hidden: str) -> str:
    """Return how a call ended, without the reason; `hidden` tests failed in it."""
    if outcome.status == "ok":
        return f"hid {hidden}" if hidden else ""
    if outcome.exit_code is not None or outcome.signal:
        return outcome_note(outcome)
    return status_word(outcome.status)


def _failure(
    outcome: Outcome, section: CallSection | None, hidden: str
) -> tuple[str, list[str], int]:
    """Return why a call failed: in a line, and the last lines that it printed.

    Where it printed none, both are its message. The number of earlier lines comes last.
    """
    if outcome.status == "ok" and not hidden:
        return "", [], 0
    message = strip_controls(outcome.message).strip()
    printed = _printed(section.parts) if section is not None else []
    says_nothing = compiled(_SAYS_NOTHING).fullmatch
    telling = (line for line in reversed(printed) if not says_nothing(line))
    why = next(telling, printed[-1]) if printed else without_hook_name(message)
    lines = printed or [*filter(None, message.split("\n"))]
    last = [line.rstrip()[:400] for line in lines[-_LAST_LINES:]]
    return truncate(one_line(why), 160), last, len(lines) - len(last)


def _printed(parts: list[Part]) -> list[str]:
    """Return the lines of the last output among some parts, without a blank end."""
    for part in reversed(parts):
        match part:
            case Code(text=text, role="output"):
                lines = [line.text for line in lines_of(text)]
                lines += text.tail.splitlines() if isinstance(text, Clip) else []
                while lines and not lines[-1].strip():
                    lines.pop()
                if lines:
                    return lines
            case Collapsible(parts=inner):
                if lines := _printed(inner):
                    return lines
    return []


class Thought(Struct, frozen=True):
    """A block of the agent's reasoning."""

    text: Clip
    took: int | None
    """How long the agent took for it, in milliseconds; None if not recorded."""


class Remark(Struct, frozen=True):
    """A line of ours between calls, or a later prompt."""

    text: str


Entry = CallRow | Thought | Remark


class Chapter(Struct):
    """Words of the agent, and the calls that follow them."""

    words: list[str]
    entries: list[Entry]

    @property
    def rows(self) -> list[CallRow]:
        """The calls."""
        return [entry for entry in self.entries if isinstance(entry, CallRow)]


class Unresolved(Struct, frozen=True):
    """A failure that no later call recovered, with those that are the same."""

    row: CallRow
    """The last of them."""

    numbers: list[str]
    """The numbers of all of them."""

    @property
    def times(self) -> str:
        """The number of times it happened, and the calls; empty for once."""
        return times_in_words(self.numbers, len(self.numbers))


def times_in_words(numbers: list[str], total: int) -> str:
    """Return the number of times a failure happened, and the calls; empty for once."""
    return f"×{total:,}: {numbered('call', numbers[:10], total)}" if total > 1 else ""


def first_and_rest(items: list[Item], most: int) -> list[list[Item]]:
    """Return the first items, and the folded rest; without empty lists."""
    return [group for group in (items[:most], items[most:]) if group]


def parts_of(chapter: Chapter) -> list[list[Entry]]:
    """Return the entries of a chapter, in parts if it has many calls."""
    # More calls than this are split, into parts of 50.
    if len(chapter.rows) <= 80:
        return [chapter.entries]
    parts: list[list[Entry]] = [[]]
    calls = 0
    for entry in chapter.entries:
        if isinstance(entry, CallRow):
            if calls and calls % 50 == 0:
                parts.append([])
            calls += 1
        parts[-1].append(entry)
    return parts


def number_range(rows: list[CallRow]) -> str:
    """Write the numbers of calls that follow one another: `3–17`."""
    if not rows:
        return ""
    first, last = rows[0].number, rows[-1].number
    return first if first == last else f"{first}–{last}"


def unresolved_heading(unresolved: list[Unresolved]) -> str:
    """Return the heading of the list of unresolved calls."""
    refused = [each.row.failure == "rejected" for each in unresolved]
    if not any(refused):
        return "Unresolved failures"
    return f"Unresolved {'refusals' if all(refused) else 'failures and refusals'}"
