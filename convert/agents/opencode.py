"""opencode: events of the lines that `opencode run --format json` prints.

{"type":"text","timestamp":1793180004200,"sessionID":"ses_49","part":{"text":"Done."}}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from msgspec.structs import replace

from convert.agents.lines import RecentIds, decoded, read_events
from convert.agents.opencode_lines import (
    Cache,
    FullMetadata,
    FullToolState,
    Line,
    Metadata,
    Part,
    Span,
    ToolState,
    Usage,
    change_of,
    decoding,
    exit_code_of,
    is_new_file,
    message_of,
    output_of,
    patched_files,
    whole_ms,
)
from convert.agents.run import AgentRun
from convert.agents.tools import NativeCall, OpenCall, call_of
from convert.errors import InputError, Warn
from convert.model.events import (
    OK,
    UNFINISHED,
    EndOfLog,
    Event,
    Needs,
    Outcome,
    State,
    Tokens,
)
from convert.model.run import recorded_cost, total_cost
from convert.options import Reading
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import EventBlock


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of opencode."""
    return read_events(blocks, decoding, follow, needs, reading, warn)


# The process that prints the log ends it with `done` (builds of 2026) or with nothing
# at all. A model that stops has not ended the run: it may have written a summary of a
# long session, and go on with that.
# Why a response broke off.
_FAILURES = {
    "length": "the response reached its limit of tokens",
    "content-filter": "a filter withheld the response",
    "error": "the model ended in an error",
}
# The response ends in order that a tool can run, or its end is not known.
_GOES_ON = ("", "tool-calls", "unknown")


def follow(
    blocks: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
) -> Iterator[Event]:
    """Yield the events of all runs of a log."""
    log = _Log(needs)
    last = 0
    has_lines = False
    for block in blocks:
        log.read(block)
        last = block.last
        has_lines = has_lines or bool(block.events)
        yield from log.out()
    if not has_lines:
        raise InputError("no events; is this a log of the agent?")
    log.end(last)
    yield from log.out()
    yield EndOfLog(run=0, line=last, unknown=log.unknown.counts)


class _Log:
    """The run that is open, and the events that are ready."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._ready: list[Event] = []
        self._count = 0
        self._run: _Run | None = None
        # The types of lines that say nothing here, once their run has begun.
        self._quiet = {"step_start"}
        if not needs.text:
            self._quiet.add("text")
        if not needs.thinking:
            self._quiet.add("reasoning")
        self.unknown = UnknownTypes()

    def read(self, block: EventBlock[Line]) -> None:
        """Read the lines of a block, and only some of a run that goes on."""
        events, numbers = block.events, block.numbers
        run = self._run
        if run is None or {line.session for line in events} != {run.session}:
            for line, number in zip(events, numbers, strict=True):
                self._take(line, number)
            return
        quiet = self._quiet
        for at in [at for at, line in enumerate(events) if line.type not in quiet]:
            self._take(events[at], numbers[at])
        if self._run is not None:
            self._run.skip_to_end_of(events)

    def _take(self, line: Line, number: int) -> None:
        if line.type not in _TYPES:
            self.unknown.add(line.type)
            return
        run = self._run
        if run is not None and line.session and run.session not in ("", line.session):
            run.end(number - 1)
            run = None
        if run is None:
            self._count += 1
            run = self._run = _Run(self._count, self._needs, self._ready, line, number)
        run.take(line, number)
        if line.type == "done":
            run.end(number)
            self._run = None

    def end(self, number: int) -> None:
        """End the open run; the log ends."""
        if self._run is not None:
            self._run.end(number)

    def out(self) -> list[Event]:
        """Return the events that are ready."""
        ready, self._ready[:] = [*self._ready], []
        return ready


class _Run:
    """One run while its lines are read."""

    def __init__(
        self, count: int, needs: Needs, ready: list[Event], line: Line, number: int
    ) -> None:
        self.session = line.session
        self._run = AgentRun(count, needs, ready.append, "opencode")
        self._has_figures = needs.figures or needs.result or needs.text
        self._seen = RecentIds()
        self._reason = ""
        self._errors: list[str] = []
        self._error_names: list[object] = []
        self._rejected: list[str] = []
        self._is_done = False
        self._tokens: Tokens | None = None
        self._cost: Decimal | None = None
        self._run.set_facts(session=line.session)
        self._run.stamp(whole_ms(line.timestamp))
        self._run.begin(number)

    def take(self, line: Line, number: int) -> None:
        """Read one line of the run."""
        self._run.stamp(whole_ms(line.timestamp))
        part = line.part
        if line.type == "error":
            from convert.facts.run_reasons import names_in

            message = message_of(line.error)
            if message not in self._errors:
                self._errors.append(message)
            self._error_names = [*names_in(line.error)]
        elif line.type == "done":
            self._is_done = True
            rejected = line.rejected if isinstance(line.rejected, list) else []
            self._rejected = [each for each in rejected if isinstance(each, str)]
        # A part comes again when opencode prunes old outputs.
        elif part is not None and (
            is_under_way(part) or not part.id or self._seen.add(part.id)
        ):
            self._take_part(line.type, part, number)

    def skip_to_end_of(self, events: list[Line]) -> None:
        """Note how far the run has come with these lines, which may be read in part."""
        self._run.stamp(whole_ms(events[-1].timestamp))
        for line in reversed(events):
            if line.type in _AT_END:
                return
            if line.type in _TYPES:
                self._reason = ""
                return

    def _take_part(self, type: str, part: Part, number: int) -> None:
        match type:
            case "step_finish":
                self._reason = part.reason
                if part.tokens is not None and self._has_figures:
                    self._tokens = _sum(self._tokens, part.tokens)
                self._cost = total_cost([self._cost, recorded_cost(part.cost)])
                return
            case "tool_use":
                add_call(self._run, part, number)
            case "text":
                self._run.text(number, part.text)
            case "reasoning":
                began = whole_ms(part.time.start) if part.time else None
                self._run.thinking(number, part.text, started_ms=began)
        self._reason = ""

    def end(self, number: int) -> None:
        """End the run, as its last lines say."""
        run = self._run
        failure = "\n".join(self._errors) or _FAILURES.get(self._reason, "")
        if self._is_done and self._rejected and self._reason in _GOES_ON:
            # The agent ends its run when nobody is there to give a permission.
            failure = failure or f"permission refused: {', '.join(self._rejected)}"
        is_over = bool(failure) or self._is_done or self._reason not in _GOES_ON
        if is_over or self._tokens is not None or self._cost is not None:
            run.result(
                number,
                text=None,
                is_error=bool(failure),
                # The log does not record how long the run took.
                duration_ms=run.span_ms if is_over else None,
                tokens=self._tokens,
                cost_usd=self._cost,
            )
        if not is_over:
            run.finish(number, "cut", has_result=False)
            return
        state: State = "error" if failure else "success"
        names = self._error_names
        run.finish(number, state, failure, names=names, has_result=False)


_TYPES = frozenset(
    {"tool_use", "text", "reasoning", "step_start", "step_finish", "error", "done"}
)
# After them, the run may be over.
_AT_END = frozenset({"step_finish", "error", "done"})


def _sum(tokens: Tokens | None, usage: Usage) -> Tokens:
    """Return the tokens of the responses so far and of one more."""
    known = tokens or Tokens()
    cache = usage.cache
    return Tokens(
        input=_added(known.input, usage.input),
        output=_added(known.output, _output(usage)),
        cache_read=_added(known.cache_read, cache.read if cache else None),
        cache_write=_added(known.cache_write, cache.write if cache else None),
    )


def _output(usage: Usage) -> int | None:
    """Return the output tokens with those of the reasoning.

    Some builds count these among the output, others apart; a total shows
    which.
    """
    if usage.output is None:
        return None
    if usage.total is None:
        # Reasoning that is a part of the output is not more than it.
        reasoning = usage.reasoning or 0
        return usage.output + reasoning * (reasoning > usage.output)
    cache = usage.cache or Cache()
    others = (usage.input, usage.output, cache.read, cache.write)
    apart = usage.total - sum(count or 0 for count in others)
    is_apart = apart > 0 and apart == usage.reasoning
    return usage.output + apart if is_apart else usage.output


def _added(count: int | None, more: int | None) -> int | None:
    return count if more is None else (count or 0) + more


_UNDER_WAY = ("pending", "running")
_REJECTED = (
    "The user rejected permission",
    "The user has specified a rule which prevents you",
    "The user dismissed this question",
)
# The shell tool adds it where it ended the command itself.
_STOPPED = re.compile(
    r"\n*<(?:bash|shell)_metadata>\n(.*)\n</(?:bash|shell)_metadata>\s*\Z", re.DOTALL
)


class _Call(NamedTuple):
    """A call with its output."""

    call: NativeCall
    output: Any = None
    is_new_file: bool = False


def is_under_way(part: Part) -> bool:
    """Return True for a part about a call that goes on; a later part has its end."""
    state = part.state
    return bool(part.call) and state is not None and state.status in _UNDER_WAY


def add_call(run: AgentRun, part: Part, line: int) -> None:
    """Add the calls of one part: one, or one for each file of a patch."""
    if is_under_way(part):
        _begin(run, part, line)
        return
    ended = part.state or ToolState()
    text = _text(ended)
    stopped = _STOPPED.search(text) if "_metadata>" in text else None
    outcome = _outcome(ended, stopped[1] if stopped else "")
    if not isinstance(ended, FullToolState):
        for call in _brief_calls(part.tool, ended):
            opened = _opened(run, part.call, call)
            opened = opened or run.begin_call(line, part.call, call)
            run.end_call(line, opened, outcome)
        return
    text = text[: stopped.start()] if stopped else text
    span = ended.time or Span()
    for at, each in enumerate(_calls(part.tool, ended, text)):
        # Calls of one part have an id each.
        id = f"{part.call}.{at}" if at and part.call else part.call
        opened = _opened(run, id, each.call) or run.begin_call(
            line,
            id,
            each.call,
            started_ms=whole_ms(span.start),
            response_id=part.message,
        )
        run.end_call(
            line,
            opened,
            outcome,
            each.output,
            ended_ms=whole_ms(span.end),
            is_new_file=each.is_new_file,
        )


def _begin(run: AgentRun, part: Part, line: int) -> None:
    """Begin a call that goes on, unless an earlier line has begun it."""
    state = part.state or ToolState()
    arguments = state.input if isinstance(state, FullToolState) else None
    known = arguments if isinstance(arguments, dict) else {}
    call = call_of(part.tool, known if isinstance(state, FullToolState) else None)
    if run.has_ended_call(part.call) or _opened(run, part.call, call):
        return
    span = state.time or Span()
    run.begin_call(
        line,
        part.call,
        call,
        started_ms=whole_ms(span.start),
        response_id=part.message,
    )


def _opened(run: AgentRun, id: str, call: NativeCall) -> OpenCall | None:
    """Return the open call with an id, as it is known now; None if there is none."""
    opened = run.call(id) if id else None
    if opened is not None:
        opened.call = call
    return opened


def _brief_calls(tool: str, ended: ToolState) -> list[NativeCall]:
    """Return the calls of a tool without their arguments."""
    call = call_of(tool)
    files = patched_files(tool, _metadata(ended).files)
    return [replace(call, kind=file.kind) for file in files] or [call]


def _text(ended: ToolState) -> str:
    """Return the output of a tool; "" if nothing here depends on it."""
    if not isinstance(ended, FullToolState) and _metadata(ended).exit is not None:
        return ""
    returned = decoded(ended.output)
    return returned if isinstance(returned, str) else ""


def _metadata(ended: ToolState) -> Metadata:
    return ended.metadata or Metadata()


def _outcome(ended: ToolState, stopped: str) -> Outcome:
    """Return how a call ended; `stopped` is why its command was ended."""
    if ended.status == "error":
        message = message_of(ended.error) if ended.error is not None else ""
        is_rejected = message.startswith(_REJECTED)
        return Outcome("rejected" if is_rejected else "error", message=message)
    if ended.status != "completed":
        # No build is known to print such a state.
        return UNFINISHED
    status = _metadata(ended).exit
    if code := exit_code_of(status):
        return Outcome("error", exit_code=code)
    return Outcome("error", message=stopped) if status is None and stopped else OK


def _calls(tool: str, ended: FullToolState, text: str) -> Iterator[_Call]:
    """Yield the calls of a tool."""
    files = patched_files(tool, _metadata(ended).files)
    for file in files:
        call = NativeCall(file.kind, native=tool, arguments={"path": file.path})
        yield _Call(call, file.output, file.is_new)
    if files:
        return
    arguments = ended.input if isinstance(ended.input, dict) else {}
    call = call_of(tool, arguments)
    metadata = ended.metadata or FullMetadata()
    output = None
    if ended.status == "completed":
        if call.kind == "edit":
            output = change_of(arguments, metadata, text)
        else:
            output = output_of(call.kind, metadata, text)
    yield _Call(call, output, is_new_file(metadata))
