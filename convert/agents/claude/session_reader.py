"""claude-session: events of the files in which Claude Code keeps its sessions.

They are in `~/.claude/projects/`, one for each session and one for each of its
subagents.

{"parentUuid":"f370…","isSidechain":false,"cwd":"/home/ada/shop","sessionId":"7f2a…",
"version":"2.1.77","type":"user","message":{"role":"user","content":"Fix it."},
"uuid":"a91c…","timestamp":"2026-11-23T06:00:00.123Z"}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from convert.agents.claude.messages import (
    ClaudeMessages,
    Message,
    as_message,
    subagent_in,
    text_of_message,
)
from convert.agents.claude.results import image_of
from convert.agents.claude.session_files import (
    ATTACHMENT,
    KNOWN_SYSTEM,
    Line,
    SubagentFiles,
    decoding_for,
    queued_prompt,
)
from convert.agents.claude.usage import ResponseTokens
from convert.agents.lines import SeenLines, lines_of_file, milliseconds_of, read_lines
from convert.agents.run import AgentRun
from convert.errors import Warn
from convert.model.events import CallDetail, Event, IncidentKind, Needs, State
from convert.options.conversion import Reading
from convert.source.lines import File
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import EventBlock


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a session file of Claude Code."""

    def reader(needs: Needs, warn: Warn) -> SessionReader:
        def open_(file: File, warn: Warn) -> Iterable[EventBlock[Line]]:
            return lines_of_file(file, decoding_for(needs), reading, warn)

        has_files = bool(reading.path) and (needs.calls or needs.figures)
        files = SubagentFiles(reading.path, open_, warn) if has_files else None
        return SessionReader(needs, warn, files)

    return read_lines(blocks, decoding_for, reader, needs, reading, warn)


# A file is one run, even if the session was resumed. The reader takes lines in the
# order of the file, since a walk from the newest line to the root would lose calls. It
# adds the lines of a subagent at the result of the call that started it, from the
# subagent's own file or from the session's. A second prompt with the same parent means
# that the session was rewound; all branches are shown.
_AGENT = "Claude Code"
_FORMAT = "claude-session"
_SYNTHETIC = "<synthetic>"
_IN_SESSION = "lines of a subagent in the file of its session"
# The most incidents before the first answer that are kept.
_MOST_HELD = 100


class SessionReader:
    """The run of a file while it is read: lines go in, events come out."""

    def __init__(
        self, needs: Needs, warn: Warn, subagent_files: SubagentFiles | None
    ) -> None:
        self.unknown = UnknownTypes()
        self.events: list[Event] = []
        self._needs = needs
        self._warn = warn
        self._seen = SeenLines()
        # The lines that a prompt follows: a session that is rewound repeats one.
        self._parents_of_prompts = SeenLines()
        self._warnings: set[str] = set()
        self._subagent_files = subagent_files
        # The lines of subagents that no result has named yet, and the calls that
        # started the others.
        self._of_subagents: dict[str, list[tuple[int, Line]]] = {}
        self._started: dict[str, str] = {}
        self._count = 0
        self._session = ""
        self._run, self._messages = self._begin()
        self._held: list[Callable[[], None]] = []

    def read(self, line: Line, number: int) -> None:
        """Read one line."""
        if line.type in ("user", "assistant"):
            self._read_message(line, number)
        elif line.type == ATTACHMENT:
            self._read_queued(line, number)
        elif line.type != "system":
            self._add_unknown(line.type, line)
        elif line.subtype in ("api_error", "error"):
            self._read_error(line, number)
        elif line.subtype not in KNOWN_SYSTEM:
            self._add_unknown(f"system/{line.subtype}", line)

    def _add_unknown(self, name: str, line: Line) -> None:
        """Count an event; another build than the first may go on with the session."""
        self.unknown.add(name)
        if line.version:
            self.unknown.build = _FORMAT, _AGENT, line.version

    def end(self, last: int) -> None:
        """End the run."""
        self._release(last)
        self._warn_of_unstarted()
        error = self._run.last_error
        if (tokens := self._tokens.tokens) is not None:
            self._run.result(
                last,
                text=None,
                is_error=error is not None,
                duration_ms=self._run.span_ms,
                tokens=tokens,
            )
        state: State | None = None if error is None else "error"
        self._run.finish(last, state, error or "", has_result=False)

    def _begin(self) -> tuple[AgentRun, ClaudeMessages]:
        self._count += 1
        self._tokens = ResponseTokens()
        emit = self.events.append
        # The first answer names the model.
        run = AgentRun(self._count, self._needs, emit, _AGENT, has_late_model=True)
        # The first message shows if this is the file of a subagent.
        self._is_subagent: bool | None = None
        # `isSidechain` in the lines of the run, as the log has it.
        self._is_sidechain: bool | str | None = ""
        return run, ClaudeMessages(run, self._needs, self.unknown, self._warn)

    def _read_message(self, line: Line, number: int) -> None:
        if self._seen.is_repeated(line.uuid):
            return
        message, at = as_message(line.message), None
        # Most lines are of the agent and the session of the line before.
        if line.isSidechain is not self._is_sidechain:
            if self._is_of_subagent(line, number):
                self._count_tokens(line, message)
                return
            self._enter(line, number)
        elif line.sessionId != self._session:
            self._enter(line, number)
        self._count_tokens(line, message)
        if line.timestamp is not None:
            at = milliseconds_of(line.timestamp)
            self._run.stamp(at)
        if not self._run.has_started:
            model = message.model if line.type == "assistant" else ""
            self._run.set_facts(
                directory=line.cwd or "",
                permission_mode=line.permissionMode or "",
                version=line.version or "",
                model="" if model in (None, _SYNTHETIC) else model,
            )
            self.unknown.build = _FORMAT, _AGENT, self._run.start.agent_version
        if line.type == "user":
            self._read_user(line, message, number, at)
        elif line.isApiErrorMessage:
            name = line.error if isinstance(line.error, str) else None
            text = text_of_message(message)
            self._add_incident(number, "error", text, details={"name": name})
        else:
            # A message with nothing in it begins no run: the next may name the session.
            if not self._run.has_started and message.content:
                self._release(number)
            self._messages.assistant(number, message, "", at)

    def _count_tokens(self, line: Line, message: Message) -> None:
        """Count the tokens of a response, which may be a subagent's."""
        if line.type == "assistant" and message.model != _SYNTHETIC:
            is_final = bool(message.stop_reason)
            self._tokens.add(message.id or "", message.usage, is_final=is_final)

    def _read_user(
        self,
        line: Line,
        message: Message,
        number: int,
        at: int | None,
        *,
        is_subagent: bool = False,
    ) -> None:
        if line.toolUseResult is not None:
            self._read_subagents(line, message, number)
        is_own = line.isMeta or line.isCompactSummary or line.isVisibleInTranscriptOnly
        is_prompt = line.toolUseResult is None and not (is_subagent or is_own)
        is_asked = self._messages.user(
            number,
            message,
            line.toolUseResult,
            at,
            is_prompt=is_prompt,
            is_refused=bool(line.toolDenialKind),
        )
        if is_asked and self._parents_of_prompts.is_repeated(line.parentUuid):
            self._warn_once(number, "the session was rewound", "all branches are shown")

    def _is_of_subagent(self, line: Line, number: int) -> bool:
        """Return True for a line of a subagent in the file of another agent."""
        if self._is_subagent is None:
            self._is_subagent = bool(line.isSidechain)
            self._is_sidechain = line.isSidechain
        if not line.isSidechain or self._is_subagent:
            return False
        # Builds of 2025 kept them here.
        agent = line.agentId
        if not agent or self._needs.calls == CallDetail.NONE:
            self._warn_once(number, _IN_SESSION, "skipped")
        elif call := self._started.get(agent):
            self._read_of_subagent(line, number, call)
        else:
            self._of_subagents.setdefault(agent, []).append((number, line))
        return True

    def _read_subagents(self, line: Line, message: Message, number: int) -> None:
        """Read the lines of the subagents that a call started, before the call ends."""
        blocks, has_calls = message.content, self._needs.calls != CallDetail.NONE
        if not isinstance(blocks, list) or not (has_calls or self._needs.figures):
            return
        call = next((block.tool_use_id for block in blocks if block.tool_use_id), "")
        if not call or (has_calls and self._run.call(call) is None):
            return
        details = line.toolUseResult
        agent, _ = subagent_in(details)
        for at, each in self._of_subagents.pop(agent, ()):
            self._read_of_subagent(each, at, call)
        if agent:
            self._started[agent] = call
        if self._subagent_files is not None:
            for agent in self._subagent_files.started_by(call, details):
                for each in self._subagent_files.lines_of(agent):
                    is_message = each.type in ("user", "assistant")
                    if is_message and not self._seen.is_repeated(each.uuid):
                        self._count_tokens(each, as_message(each.message))
                        if has_calls:
                            self._read_of_subagent(each, number, call)

    def _read_of_subagent(self, line: Line, number: int, call: str) -> None:
        """Read a line of the subagent that a call started."""
        message = as_message(line.message)
        at = None if line.timestamp is None else milliseconds_of(line.timestamp)
        if line.type != "assistant":
            self._read_user(line, message, number, at, is_subagent=True)
        elif not line.isApiErrorMessage:
            self._messages.assistant(number, message, call, at)

    def _warn_of_unstarted(self) -> None:
        """Warn of subagents that no call of the session has started."""
        for lines in self._of_subagents.values():
            self._warn_once(lines[0][0], _IN_SESSION, "skipped")
        self._of_subagents.clear()
        files = self._subagent_files
        for agent in files.unread() if files is not None else ():
            if files and any(map(_has_call, files.lines_of(agent))):
                what = f"no call started the subagent of agent-{agent}.jsonl"
                self._warn(None, what, "its calls are skipped")

    def _enter(self, line: Line, number: int) -> None:
        """Begin another run at the first line of another session or agent."""
        session = line.sessionId or ""
        is_other = bool(self._session) and session != self._session
        is_first = line.parentUuid is None
        if is_first and (is_other or (self._is_subagent and not line.isSidechain)):
            self.end(number - 1)
            self._run, self._messages = self._begin()
            self._is_subagent = bool(line.isSidechain)
            self._is_sidechain = line.isSidechain
            self._session = ""
        if not self._session:
            self._session = session
            self._run.set_facts(session=session)

    def _read_queued(self, line: Line, number: int) -> None:
        """Read a prompt that the user wrote while the agent was at work."""
        if self._seen.is_repeated(line.uuid) or self._is_of_subagent(line, number):
            return
        match queued_prompt(line):
            case str(text):
                self._messages.ask(number, [text], [], True)
            case [*parts]:
                blocks = [part for part in parts if isinstance(part, dict)]
                found = (block.get("text") for block in blocks)
                texts = [text for text in found if text and isinstance(text, str)]
                pictures = [
                    image_of(block) for block in blocks if block.get("type") == "image"
                ]
                self._messages.ask(number, texts, pictures, True)

    def _read_error(self, line: Line, number: int) -> None:
        details = {
            "max_retries": line.maxRetries,
            "retry_delay_ms": line.retryInMs,
            "error_status": _status_in(line.error),
        }
        self._add_incident(
            number,
            "error" if line.retryAttempt is None else "retry",
            _message_in(line.error),
            attempt=line.retryAttempt,
            details=details,
        )

    def _add_incident(
        self, number: int, kind: IncidentKind, message: str, **facts: Any
    ) -> None:
        """Add an incident, or keep it until the model is known."""
        add: Callable[[], None] = functools.partial(
            self._run.incident, number, kind, message, **facts
        )
        if self._run.has_started:
            add()
        else:
            self._held = [*self._held, add][-_MOST_HELD:]

    def _release(self, number: int) -> None:
        """Start the run, and add the incidents before it."""
        self._run.begin(number)
        for add in self._held:
            add()
        self._held.clear()

    def _warn_once(self, number: int, what: str, done: str) -> None:
        """Warn once of a fault that a file may have many times."""
        if what not in self._warnings:
            self._warnings.add(what)
            self._warn(number, what, done)


def _status_in(error: Any) -> int | None:
    """Return the status of HTTP of an error; None if it has none."""
    from convert.facts.run_reasons import names_in

    names = names_in(error) if isinstance(error, dict) else ()
    return next((name for name in names if isinstance(name, int)), None)


def _has_call(line: Line) -> bool:
    content = as_message(line.message).content
    blocks = content if isinstance(content, list) else []
    return any(block.type == "tool_use" for block in blocks)


def _message_in(error: Any) -> str:
    """Return the words of an error, which may be inside of others."""
    for _ in range(4):
        match error:
            case str():
                return error
            case {"message": str(message)} if message:
                return message
            case {"error": inner} | {"cause": inner}:
                error = inner
    return ""
