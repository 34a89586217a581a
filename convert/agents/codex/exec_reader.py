"""codex-exec: events of the lines that `codex exec --json` prints.

{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Done."}}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from convert.agents.codex.exec_items import (
    CALLS,
    Failure,
    Item,
    ItemCall,
    Line,
    decoding_for,
    facts_of,
)
from convert.agents.codex.tokens import TokenCounts
from convert.agents.lines import read_lines
from convert.agents.run import AgentRun, Emit
from convert.errors import Warn
from convert.model.events import UNFINISHED, Event, Incident, IncidentKind, State
from convert.model.needs import Needs
from convert.options import Reading
from convert.source.unknown_types import UnknownTypes
from convert.wording.escapes import repair_surrogates


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of `codex exec`."""
    return read_lines(
        blocks, decoding_for, lambda needs, _: _Log(needs), needs, reading, warn
    )


# A run is a process of Codex: it begins with `thread.started` and holds one turn or
# several. Its end comes when the next one begins or the log ends, since another turn
# may follow; all other events come with their lines.
class _Log:
    """A log while it is read: the run that is open, and the runs before it."""

    def __init__(self, needs: Needs) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        self._needs = needs
        self._count = 0
        self._run: Process | None = None
        self._last = 0

    def read(self, line: Line, number: int) -> None:
        """Read a line."""
        if line.type == "thread.started":
            self.end(self._last)
            self._open().know(session=line.thread_id or "")
        process = self._run or self._open()
        self._last = number
        if not process.take(line, number):
            kind = line.item.kind or "unnamed" if line.item else ""
            self.unknown.add(f"{line.type}/{kind}" if kind else line.type)

    def end(self, last: int) -> None:
        """End the run that is open."""
        if self._run is not None:
            self._run.end(last)
            self._run = None

    def _open(self) -> Process:
        self._count += 1
        self._run = Process(self._count, self._needs, self.events.append)
        return self._run


_AGENT = "Codex"
_ITEMS = ("item.started", "item.updated", "item.completed")
_TURNS = ("turn.started", "turn.completed", "turn.failed")
# An item has the whole plan when it is completed.
_KNOWN = ("thread.started", *_TURNS, "error", "item.plan.delta")
_MESSAGES = ("agent_message", "assistant_message")
_OTHERS = (*_MESSAGES, "reasoning", "error")
# A list of tasks is repeated with each change; a change of files is made at once.
_HELD = ("todo_list", "file_change")
_ATTEMPT = re.compile(r"(?i)reconnecting\D*(\d{1,6})/\d+")


class Process:
    """One run of Codex: its turns, and the known facts of its end."""

    def __init__(self, number: int, needs: Needs, emit: Emit) -> None:
        self._run = AgentRun(number, needs, emit, _AGENT)
        self._tokens = TokenCounts()
        # How the last turn ended; None while it is open.
        self._state: State | None = None
        self._reason = ""
        # The texts of messages that have begun and not ended.
        self._open_texts: dict[str, str] = {}
        # Items whose calls are made when they are over, as those of other items are
        # not in parallel with them.
        self._held: dict[str, Item] = {}

    def take(self, line: Line, number: int) -> bool:
        """Read a line; return False if its type is not known."""
        run, item, kind = self._run, line.item, line.type
        if not run.has_started:
            run.begin(number)
        if item is not None and kind in _ITEMS:
            return self._take_item(item, number, kind == "item.completed")
        if kind == "turn.started":
            self._state = None
            run.forget_ended()
        elif kind == "turn.completed":
            self._tokens.add(line.usage)
            self._state, self._reason = "success", ""
        elif kind == "turn.failed":
            self._state, self._reason = "error", _message(line)
        elif kind == "error":
            self._add_incident("error", _message(line), number)
        return kind in _KNOWN

    def know(self, session: str) -> None:
        """Keep the id of the thread."""
        self._run.set_facts(session=session)

    def end(self, last: int) -> None:
        """End the run as its last turn did, or where its log breaks off."""
        run = self._run
        error = run.last_error
        for text in self._open_texts.values():
            self._say(text, last)
        open_calls = run.open_calls
        for call in open_calls:
            run.end_call(last, call, UNFINISHED)
        for item in self._held.values():
            # A list of tasks is as it was last, and a change may not have been made.
            self._make_calls(item, last, item.kind == "todo_list")
        if self._state is None and error is not None:
            run.finish(last, "error", error, has_result=False)
            return
        if self._state is None:
            is_open = bool(open_calls or run.open_calls)
            run.finish(last, "unfinished" if is_open else "cut", has_result=False)
            return
        run.close_text(last)
        run.result(
            last,
            text=run.last_text,
            is_error=self._state == "error",
            tokens=self._tokens.tokens,
        )
        run.finish(last, self._state, self._reason)

    def _take_item(self, item: Item, number: int, is_over: bool) -> bool:
        """Read an item that begins, goes on or is over."""
        kind = item.kind
        if kind in CALLS:
            self._take_calls(item, number, is_over)
            return True
        if kind in _MESSAGES:
            self._take_message(item.id or "", item.text or "", number, is_over)
        elif kind == "reasoning" and is_over:
            self._run.thinking(number, item.text or "")
        elif kind == "error" and is_over:
            # The agent goes on after it: hints are recorded so as well.
            self._add_incident("warning", item.message or item.text or "", number)
        return kind in _OTHERS

    def _take_message(self, id: str, text: str, number: int, is_over: bool) -> None:
        if is_over:
            self._open_texts.pop(id, None)
            self._say(text, number)
        else:
            self._open_texts[id] = text

    def _take_calls(self, item: Item, number: int, is_over: bool) -> None:
        """Read an item that makes calls."""
        id = item.id or ""
        if item.kind not in _HELD:
            self._make_calls(item, number, is_over)
        elif is_over:
            self._held.pop(id, None)
            self._make_calls(item, number, is_over)
        else:
            self._held[id] = item

    def _make_calls(self, item: Item, number: int, is_over: bool) -> None:
        """Begin the calls of an item, and end them if it is over."""
        id = item.id or ""
        calls, facts = CALLS[item.kind](item), facts_of(item)
        step = id if len(calls) > 1 else ""
        for place, call in enumerate(calls):
            name = f"{id}.{place}" if place else id
            self._take_call(call, name, step, number, is_over, facts)

    def _say(self, text: str, number: int) -> None:
        """Add a message, which is a segment of its own."""
        self._run.close_text(number)
        self._run.text(number, text)
        self._run.close_text(number)

    def _take_call(
        self,
        call: ItemCall,
        id: str,
        step: str,
        number: int,
        is_over: bool,
        facts: list[Any],
    ) -> None:
        """Begin a call unless it has begun, and end it if it is over."""
        run = self._run
        opened = run.call(id)
        if opened is None:
            if not (is_over or id) or run.repeats_call(id, *facts):
                return
            opened = run.begin_call(number, id, call.call, response_id=step)
        # The arguments may be known only when the call is over.
        opened.call = call.call
        run.remember_call(id, *facts)
        if is_over:
            new = call.is_new_file
            run.end_call(number, opened, call.outcome, call.output, is_new_file=new)

    def _add_incident(self, kind: IncidentKind, message: str, number: int) -> None:
        """Add a failure that did not end the turn."""
        message = repair_surrogates(message)
        note = Incident(run=self._run.number, line=number, kind=kind, message=message)
        if found := _ATTEMPT.match(message):
            note.kind, note.attempt = "retry", int(found[1])
        self._run.incident(note)


def _message(line: Line) -> str:
    match line.error:
        case Failure(message=str(message)) | str(message):
            return message
    return line.message or ""
