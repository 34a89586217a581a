"""claude-stream: events of the lines that `claude -p` prints as stream-json.

{"type":"assistant","message":{"id":"msg_01","content":[{"type":"tool_use","id":
"toolu_01","name":"Bash","input":{"command":"ls"}}]},"session_id":"7da1…"}

Amp and Qwen Code print the same events. `--output-format json` prints only the last
of them, a `result`, or with `--verbose` all in an array.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from convert.agents.claude.messages import (
    ClaudeMessages,
    Delta,
    Message,
    OpenRun,
    Piece,
    Scalar,
    as_message,
    details_for,
    message_for,
    text_of_message,
    unneeded,
)
from convert.agents.claude.usage import (
    ModelUsage,
    ProcessCosts,
    Usage,
    tokens_of,
    whole,
)
from convert.agents.lines import SeenLines, milliseconds_of, read_lines
from convert.agents.run import AgentRun
from convert.agents.tool_names import call_of
from convert.cursor import END_NOT_RECORDED
from convert.errors import Warn
from convert.model.events import CallDetail, Event, Needs, State
from convert.options.conversion import Reading
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import Decoding, narrow


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of Claude Code's stream."""
    return read_lines(blocks, _decoding_for, StreamReader, needs, reading, warn)


# A run begins at its `system/init`, or at the first message of its session if there is
# none, and ends at its `result`. An init after that begins another run of the session.
# Hooks print lines before the init; they begin no run. The most runs that are open at
# once: memory must not grow with the log.
_MOST_OPEN = 1000
_SYNTHETIC = "<synthetic>"


class StreamReader:
    """The runs of a log while it is read: lines go in, events come out."""

    def __init__(self, needs: Needs, warn: Warn) -> None:
        self.unknown = UnknownTypes()
        self._needs = needs
        self._warn = warn
        self.events: list[Event] = []
        self._count = 0
        self._has_summary = False
        self._seen = SeenLines()
        self._costs = ProcessCosts()
        # Repeated calls are known by their own ids.
        self._has_texts = needs.text or needs.thinking
        # The id of the last piece, which a log that holds each line twice repeats.
        self._last_piece: str | None = ""
        self._current: OpenRun | None = None
        # The open runs by session, the one that had a line last at the end.
        self._open: OrderedDict[str, OpenRun] = OrderedDict()

    def read(self, line: Line, number: int) -> None:
        """Read one line."""
        read = _READERS.get(line.type)
        if read is None:
            self.unknown.add(line.type)
        else:
            read(self, line, number)

    def end(self, last: int) -> None:
        """End the runs that have no result, and the log."""
        if not self._count:
            # All lines are of types that begin no run: then they are one.
            self._begin(Line(""), last).run.begin(last)
        for open_run in list(self._open.values()):
            self._cut(open_run, last)

    def _read_message(self, line: Line, number: int) -> None:
        if self._has_texts and self._seen.is_repeated(line.uuid):
            return
        open_run = self._current
        if open_run is None or line.session_id != open_run.session:
            open_run = self._find(line) or self._begin(line, number)
        run, message, at = open_run.run, as_message(line.message), None
        if line.timestamp is not None:
            at = milliseconds_of(line.timestamp)
            run.stamp(at)
        if line.type == "user":
            open_run.error = None
            run.begin(number)
            is_prompt = not (line.parent_tool_use_id or line.isSynthetic or line.isMeta)
            details = line.tool_use_result
            is_prompt = is_prompt and details is None
            open_run.messages.user(number, message, details, at, is_prompt=is_prompt)
            return
        open_run.is_under_way = True
        is_error = message.model == _SYNTHETIC and isinstance(line.error, str)
        words = text_of_message(message).strip() if is_error else ""
        open_run.error = (words, line.error) if is_error else None
        parent = line.parent_tool_use_id or ""
        if not parent:
            open_run.clear_pieces()
        if not run.has_started:
            if message.model != _SYNTHETIC and not parent:
                run.set_facts(model=message.model or "")
            run.begin(number)
        open_run.messages.assistant(number, message, parent, at)

    def _read_piece(self, line: Line, number: int) -> None:
        if line.parent_tool_use_id or not isinstance(line.event, Piece):
            return
        if line.uuid and line.uuid == self._last_piece:
            return
        self._last_piece = line.uuid
        open_run = self._find(line)
        if open_run is None:
            delta = line.event.delta
            if not (isinstance(delta, Delta) and (delta.text or delta.thinking)):
                return
            open_run = self._begin(line, number)
        open_run.add_piece(line.event)

    def _read_system(self, line: Line, number: int) -> None:
        if line.subtype == "init":
            self._read_init(line, number)
        elif line.subtype == "api_retry":
            details = {
                "max_retries": line.max_retries,
                "retry_delay_ms": line.retry_delay_ms,
                "error_status": line.error_status,
            }
            run = (self._find(line) or self._begin(line, number)).run
            run.incident(
                number, "retry", line.error, attempt=line.attempt, details=details
            )
        elif line.subtype == END_NOT_RECORDED and (ended := self._find(line)):
            ended.release_pieces(number)
            ended.run.finish(number, None)
            self._forget(ended)
        else:
            self.unknown.add(f"system/{line.subtype}")

    def _read_init(self, line: Line, number: int) -> None:
        open_run = self._find(line)
        if open_run is not None and open_run.is_under_way:
            self._cut(open_run, number - 1)
            open_run = None
        open_run = open_run or self._begin(line, number)
        open_run.run.set_facts(
            session=line.session_id or "",
            directory=line.cwd or "",
            model=line.model or "",
            permission_mode=line.permissionMode or line.permission_mode or "",
            version=line.claude_code_version or line.qwen_code_version or "",
        )
        start = open_run.run.start
        self.unknown.build = "claude-stream", start.agent, start.agent_version
        open_run.run.begin(number)

    def _read_result(self, line: Line, number: int) -> None:
        if self._seen.is_repeated(line.uuid):
            return
        open_run = self._find(line)
        if open_run is None:
            open_run = self._begin(line, number)
            # The object of `--output-format json` is a whole run.
            open_run.run.start.level = "result"
            if self._needs.calls and not self._has_summary:
                action = "" if self._needs.text else "-t answer shows the answer"
                self._warn(None, "a json summary records no tool calls", action)
            self._has_summary = True
        run = open_run.run
        open_run.release_pieces(number)
        denials = line.permission_denials
        for denial in denials if isinstance(denials, list) else ():
            match denial:
                case {"tool_use_id": str(id), **rest}:
                    name, given = rest.get("tool_name"), rest.get("tool_input")
                    arguments = given if isinstance(given, dict) else None
                    call = call_of(name if isinstance(name, str) else "", arguments)
                    open_run.messages.refuse(number, id, call.arguments)
        run.result(
            number,
            text=_text_of(line),
            is_error=_has_failed(line),
            duration_ms=whole(line.duration_ms),
            tokens=tokens_of(line.usage),
            turns=whole(line.num_turns),
            cost_usd=self._costs.of_run(
                line.session_id or "", line.total_cost_usd, line.modelUsage
            ),
        )
        state: State = "error" if _has_failed(line) else "success"
        name = open_run.error[1] if open_run.error else None
        names = [line.api_error_status, name, line.terminal_reason, line.subtype]
        run.finish(number, state, _reason_of(line), names=names)
        self._forget(open_run)

    def _find(self, line: Line) -> OpenRun | None:
        """Return the open run of a line, and make it the current one."""
        session = line.session_id or ""
        current = self._current
        if current is not None and session in ("", current.session):
            return current
        found = self._open.get(session)
        if found is None and current is not None and not current.session:
            # A run without a session takes the first one that it meets.
            del self._open[""]
            found, current.session = current, session
            self._open[session] = current
        if found is not None:
            self._open.move_to_end(session)
            self._current = found
        return found

    def _begin(self, line: Line, number: int) -> OpenRun:
        """Open a run, which starts when something happens in it."""
        if len(self._open) >= _MOST_OPEN:
            at_once = f"more than {_MOST_OPEN:,} runs at once"
            self._warn(number, at_once, "the one silent for longest ends here")
            self._cut(next(iter(self._open.values())), number - 1)
        self._count += 1
        session = line.session_id or ""
        agent = "Amp" if session.startswith("T-") else "Claude Code"
        if line.qwen_code_version or line.permission_mode:
            agent = "Qwen Code"
        run = AgentRun(self._count, self._needs, self.events.append, agent)
        run.set_facts(session=session)
        messages = ClaudeMessages(run, self._needs, self.unknown, self._warn)
        opened = self._open[session] = self._current = OpenRun(run, messages, session)
        return opened

    def _cut(self, open_run: OpenRun, last: int) -> None:
        """End a run without a result."""
        run = open_run.run
        open_run.release_pieces(last)
        if open_run.error is not None:
            text, name = open_run.error
            run.finish(last, "error", text or name, names=[name], has_result=False)
        else:
            state: State = "unfinished" if run.open_calls else "cut"
            run.finish(last, state, has_result=False)
        self._forget(open_run)

    def _forget(self, open_run: OpenRun) -> None:
        del self._open[open_run.session]
        if self._current is open_run:
            self._current = None


# Lines that say nothing about the agent's work: hooks, limits, progress, questions of
# a program that drives it.
_KNOWN = frozenset(
    {
        *("rate_limit_event", "tool_progress", "tool_use_summary", "auth_status"),
        *("control_request", "control_response", "control_cancel_request"),
        *("keep_alive", "prompt_suggestion"),
    }
)
_KNOWN_SYSTEM = frozenset(
    {
        *("thinking_tokens", "hook_started", "hook_progress", "hook_response"),
        *("status", "compact_boundary", "session_state_changed"),
        *("task_started", "task_progress", "task_updated", "task_notification"),
        *("files_persisted", "local_command_output", "elicitation_complete"),
    }
)
_PARTIAL = "stream_event"


class Line(msgspec.Struct, gc=False):
    """One line, with every member that some target reads.

    The most frequent members come first, in the agent's order, since msgspec looks for
    each member after the one before it.
    """

    type: str
    subtype: str | None = ""
    message: Message | str | None = None
    event: Piece | Scalar = None
    parent_tool_use_id: str | None = None
    session_id: str | None = ""
    uuid: str | None = ""
    timestamp: str | int | float | None = None
    tool_use_result: Any = None
    isSynthetic: bool | None = None
    isMeta: bool | None = None
    cwd: str | None = ""
    model: str | None = ""
    permissionMode: str | None = ""
    permission_mode: str | None = ""
    claude_code_version: str | None = ""
    qwen_code_version: str | None = ""
    is_error: bool | int | str | None = None
    duration_ms: int | float | None = None
    result: Any = None
    num_turns: int | float | None = None
    total_cost_usd: int | float | None = None
    usage: Usage | Scalar = None
    modelUsage: dict[str, ModelUsage | Scalar] | Scalar = None
    permission_denials: Any = None
    errors: Any = None
    api_error_status: Any = None
    terminal_reason: Any = None
    attempt: Any = None
    max_retries: Any = None
    retry_delay_ms: Any = None
    error_status: Any = None
    error: Any = None


@functools.cache
def _decoding_for(needs: Needs) -> Decoding[Line]:
    """Return how lines are decoded for the needs of a target."""
    has_pieces = needs.text or needs.thinking
    has_all = needs.calls == CallDetail.EVERYTHING
    unread = unneeded(
        event=has_pieces,
        usage=needs.figures,
        duration_ms=needs.figures,
        num_turns=needs.figures,
        total_cost_usd=needs.figures,
        modelUsage=needs.figures,
        timestamp=needs.text or needs.figures or has_all,
        tool_use_result=needs.text or needs.calls > CallDetail.NONE,
    )
    skipped = _KNOWN if has_pieces else _KNOWN | {_PARTIAL}
    types = {
        "message": message_for(needs) | str | None,
        "tool_use_result": details_for(needs),
    }
    line = narrow(Line, unread, types)

    def significant(lines: list[Line]) -> Sequence[int]:
        return [
            index
            for index, line in enumerate(lines)
            if line.type not in skipped and line.subtype not in _KNOWN_SYSTEM
        ]

    return Decoding(
        line,
        msgspec.json.Decoder(line),
        significant,
        own_member="session_id",
        has_values=needs.calls >= CallDetail.ARGUMENTS,
    )


def _has_failed(line: Line) -> bool:
    """Return True if a result says that its run failed.

    Runs that an error of the model's interface ended are a `success` with `is_error`;
    those that reached their limit of turns were no errors in builds of 2025.
    """
    flag = line.is_error
    is_set = flag.lower() == "true" if isinstance(flag, str) else bool(flag)
    return is_set or (line.subtype or "").startswith("error")


def _text_of(line: Line) -> str | None:
    """Return the text of a result; None if it records none."""
    is_empty = not line.result and _has_failed(line)
    return line.result if isinstance(line.result, str) and not is_empty else None


def _reason_of(line: Line) -> str:
    """Return the reason why a run failed: its errors, its text or its subtype.

    It is "" if the run did not fail. The text of a run that was stopped is no reason.
    """
    if not _has_failed(line):
        return ""
    recorded = line.errors if isinstance(line.errors, list) else []
    errors = [error.strip() for error in recorded if isinstance(error, str)]
    if any(errors):
        return "; ".join(filter(None, errors))
    subtype = line.subtype or ""
    if not subtype.startswith("error") and (text := _text_of(line)):
        return text.strip()
    return subtype


_READERS: dict[str, Callable[[StreamReader, Line, int], None]] = {
    "assistant": StreamReader._read_message,
    "user": StreamReader._read_message,
    _PARTIAL: StreamReader._read_piece,
    "system": StreamReader._read_system,
    "result": StreamReader._read_result,
}
