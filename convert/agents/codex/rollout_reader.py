"""codex-rollout: events of the files in which Codex keeps its sessions.

{"timestamp":"2026-11-20T11:31:02.118Z","type":"event_msg",
 "payload":{"type":"user_message","message":"Fix it."}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from convert.agents.codex.outputs import TokenCounts
from convert.agents.codex.rollout_calls import OpenCalls
from convert.agents.codex.rollout_lines import (
    CALLS,
    OTHER_EVENTS,
    OTHER_ITEMS,
    OTHER_LINES,
    OUTPUTS,
    PIECES,
    Block,
    Doubles,
    Info,
    Line,
    Payload,
    Source,
    as_event,
    decoding_for,
    images_in,
    text,
    text_in,
    without_citation,
)
from convert.agents.lines import milliseconds_of, read_lines
from convert.agents.run import AgentRun
from convert.errors import Warn
from convert.model.events import CallDetail, Event, Needs, State
from convert.options.conversion import Reading
from convert.source.look_alikes import UnknownTypes


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a session file of Codex."""
    return read_lines(blocks, decoding_for, SessionReader, needs, reading, warn)


class SessionReader:
    """The run of a session file while it is read: lines go in, events come out.

    A file is one run with all its turns. Codex writes several lines about one thing;
    the first one counts.
    """

    def __init__(self, needs: Needs, warn: Warn) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        # Without times of calls and thoughts, the first line and the last are enough.
        self._has_times = needs.calls == CallDetail.EVERYTHING or needs.thinking
        self._is_timed = True
        self._stamp: Any = None
        emit = self.events.append
        # The model comes after the first prompt.
        self._run = AgentRun(1, needs, emit, "Codex", has_late_model=True)
        self._calls = OpenCalls(self._run, needs, warn)
        self._tokens = TokenCounts()
        self._doubles = Doubles()
        self._has_texts = needs.text or needs.result
        # How the last turn ended; None while it is open, or if it is not recorded.
        self._state: State | None = None
        # The error of the open turn, and the reason why the last turn failed.
        self._error = self._reason = ""
        self._error_names: list[object] = []
        self._records_turns = False
        self._answer: str | None = None
        self._duration_ms: int | None = None

    def read(self, line: Line, number: int) -> None:
        """Read a line."""
        self._stamp = line.timestamp
        at = None
        if self._is_timed:
            at = milliseconds_of(line.timestamp)
            self._run.stamp(at)
            self._is_timed = self._has_times
        payload = line.payload
        if not isinstance(payload, Payload):
            if line.type not in OTHER_LINES:
                self.unknown.add(line.type)
            return
        name = payload.type or ""
        match line.type:
            case "response_item":
                if not self._item(payload, name, number, at):
                    self.unknown.add(f"response_item/{name or 'unnamed'}")
            case "event_msg":
                if not self._event(payload, name, number, at):
                    self.unknown.add(f"event_msg/{name or 'unnamed'}")
            case "session_meta":
                # The first one counts.
                self._run.set_facts(
                    session=text(payload.id),
                    directory=text(payload.cwd),
                    version=text(payload.cli_version),
                )
                version = self._run.start.agent_version
                self.unknown.build = "codex-rollout", "Codex", version
            case "turn_context":
                self._run.set_facts(
                    model=text(payload.model), directory=text(payload.cwd)
                )
                self._run.begin(number)
            case other if other not in OTHER_LINES:
                self.unknown.add(other)

    def end(self, last: int) -> None:
        """End the run as its last turn did, or where its file breaks off."""
        run = self._run
        run.stamp(milliseconds_of(self._stamp))
        error = run.last_error
        is_open = self._calls.finish(last)
        run.close_text(last)
        if self._state is None and error is not None:
            # Nothing of the agent follows the error.
            self._state, self._reason = "error", self._error
        tokens = self._tokens.tokens
        if self._state == "cut" or (self._records_turns and self._state is None):
            if tokens is not None:
                run.result(last, text=None, tokens=tokens)
            is_unfinished = is_open and self._state is None
            run.finish(last, "unfinished" if is_unfinished else "cut", has_result=False)
        else:
            if self._records_turns or tokens is not None:
                answer = self._answer
                if answer is None:
                    is_over = self._state is not None
                    answer = run.last_text if is_over else run.text_after_calls
                took = self._duration_ms if self._records_turns else run.span_ms
                run.result(
                    last,
                    text=answer,
                    is_error=self._state == "error",
                    duration_ms=took,
                    tokens=tokens,
                )
            run.finish(
                last,
                self._state,
                self._reason,
                names=self._error_names,
                has_result=self._records_turns,
            )

    def _item(self, item: Payload, name: str, line: int, at: int | None) -> bool:
        """Read an item of the conversation with the model."""
        if name in CALLS:
            self._calls.begin(item, line, at)
        elif name in OUTPUTS:
            self._calls.end(item, line, at)
        elif name == "message":
            # Messages of the user and of the developer are contexts or copies.
            if item.role == "assistant":
                self._say("item", without_citation(text_in(item.content)), line)
        elif name == "reasoning":
            parts = item.summary or item.content
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, Block):
                    self._think("item", part.text or "", line)
        else:
            return name in OTHER_ITEMS
        return True

    def _event(self, event: Payload, name: str, line: int, at: int | None) -> bool:
        """Read an event for people."""
        if read := _EVENT_READERS.get(name):
            read(self, event, line, at)
            return True
        return name in OTHER_EVENTS or name.endswith(PIECES)

    def _turn_item(self, event: Payload, line: int, at: int | None) -> None:
        """Read an item of a turn, as builds since the summer of 2026 write it."""
        inner = as_event(event.item)
        if inner is None:
            return
        match inner.type:
            case "user_message":
                self._prompt("turn item", inner, line)
            case "agent_message":
                self._say("turn item", text(inner.message), line)
            case "agent_reasoning":
                self._think("turn item", text(inner.text), line)
            case _:
                self._calls.add_event(inner, line, at)

    def _prompt(self, source: Source, event: Payload, line: int) -> None:
        """Add a request; builds of 2025 wrote contexts as such events as well."""
        words = text(event.message)
        if event.kind in (None, "plain") and not self._doubles.is_repeated(
            source, words
        ):
            self._state = None
            self._run.prompt(line, words, images_in(event.images))

    def _say(self, source: Source, words: str, line: int) -> None:
        """Add a message of the agent, which is a segment of its own."""
        if not (words and self._has_texts):
            self._run.last_incident = None
            return
        if not self._doubles.is_repeated(source, words):
            self._run.say(line, words)

    def _think(self, source: Source, words: str, line: int) -> None:
        if words and not self._doubles.is_repeated(source, words):
            self._run.thinking(line, words)

    def _begin_turn(self) -> None:
        self._records_turns, self._state, self._answer = True, None, None
        self._error = self._reason = ""
        self._error_names = []

    def _end_turn(self, event: Payload) -> None:
        self._records_turns, self._state = True, "success"
        said, took = event.last_agent_message, event.duration_ms
        self._answer = said if isinstance(said, str) else None
        if self._error and not self._answer:
            self._state, self._reason = "error", self._error
        if isinstance(took, int | float) and took >= 0:
            self._duration_ms = (self._duration_ms or 0) + round(took)

    def _abort_turn(self, event: Payload, line: int) -> None:
        self._state = "cut"
        reason = f"turn aborted: {text(event.reason)}".rstrip(": ")
        self._run.incident(line, "error", reason)

    def _fail(self, event: Payload, line: int) -> None:
        """Note an error; a turn without an answer after it has failed."""
        from convert.facts.run_reasons import names_in

        self._error = text(event.message) or "error"
        self._error_names = [*names_in(event.codex_error_info)]
        self._run.incident(line, "error", event.message)


_EVENT_READERS: dict[str, Callable[[SessionReader, Payload, int, int | None], None]] = {
    "user_message": lambda run, event, line, at: run._prompt("event", event, line),
    "agent_message": lambda run, event, line, at: run._say(
        "event", text(event.message), line
    ),
    "agent_reasoning": lambda run, event, line, at: run._think(
        "event", text(event.text), line
    ),
    "item_completed": lambda run, event, line, at: run._turn_item(event, line, at),
    "exec_command_end": lambda run, event, line, at: run._calls.add_event(
        event, line, at
    ),
    "patch_apply_end": lambda run, event, line, at: run._calls.add_event(
        event, line, at
    ),
    "mcp_tool_call_end": lambda run, event, line, at: run._calls.add_event(
        event, line, at
    ),
    "web_search_end": lambda run, event, line, at: run._calls.add_search(
        event, line, at
    ),
    "token_count": lambda run, event, line, at: run._tokens.add(
        event.info.total_token_usage if isinstance(event.info, Info) else None
    ),
    "task_started": lambda run, event, line, at: run._begin_turn(),
    "turn_started": lambda run, event, line, at: run._begin_turn(),
    "task_complete": lambda run, event, line, at: run._end_turn(event),
    "turn_complete": lambda run, event, line, at: run._end_turn(event),
    "turn_aborted": lambda run, event, line, at: run._abort_turn(event, line),
    "error": lambda run, event, line, at: run._fail(event, line),
    "stream_error": lambda run, event, line, at: run._run.incident(
        line, "retry", event.message
    ),
    "warning": lambda run, event, line, at: run._run.incident(
        line, "warning", event.message
    ),
    "guardian_warning": lambda run, event, line, at: run._run.incident(
        line, "warning", event.message
    ),
}
