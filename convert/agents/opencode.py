"""opencode: events of the lines that `opencode run --format json` prints.

{"type":"text","timestamp":1793180004200,"sessionID":"ses_49","part":{"text":"Done."}}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from convert.agents.lines import RecentIds, added, decoded, events_of, read_events
from convert.agents.opencode_lines import (
    Cache,
    FullMetadata,
    FullToolState,
    Line,
    Metadata,
    Part,
    ToolState,
    Usage,
    change_of,
    decoding,
    exit_code_of,
    message_of,
    output_of,
    patched_files,
    whole_ms,
)
from convert.agents.run import AgentRun
from convert.agents.tool_names import NativeCall, OpenCall, RecordedCall, call_of
from convert.errors import Warn
from convert.model.events import (
    OK,
    UNFINISHED,
    Event,
    Needs,
    Outcome,
    State,
    Tokens,
    Turn,
)
from convert.model.run import recorded_cost, total_cost
from convert.options.conversion import Reading
from convert.source.look_alikes import UnknownTypes
from convert.source.ndjson import EventBlock
from convert.wording import compiled


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read the events of a log of opencode."""

    def follow(
        lines: Iterable[EventBlock[Line]], needs: Needs, warn: Warn
    ) -> Iterator[Event]:
        return events_of(OpencodeReader(needs), lines, OpencodeReader.read_block)

    return read_events(blocks, decoding, follow, needs, reading, warn)


# Builds of 2026 end a log with `done`, older builds with nothing. A model that stops
# does not end the run: it may have summarised a long session, and go on. These are the
# reasons why a response breaks off.
_FAILURES = {
    "length": "the response reached its limit of tokens",
    "content-filter": "a filter withheld the response",
    "error": "the model ended in an error",
}
# A run goes on after these reasons: a tool runs, or the reason is not known.
_GOES_ON = ("", "tool-calls", "unknown")


class OpencodeReader:
    """The runs of a log while it is read: lines go in, events come out."""

    def __init__(self, needs: Needs) -> None:
        self.events: list[Event] = []
        self.unknown = UnknownTypes()
        self._needs = needs
        self._count = 0
        self._session = ""
        self._run: AgentRun | None = None
        # The types of lines that say nothing here, once their run has begun.
        self._quiet = set() if needs.turns else {"step_start"}
        if not needs.text:
            self._quiet.add("text")
        if not needs.thinking:
            self._quiet.add("reasoning")

    def _begin(self, line: Line) -> AgentRun:
        self._count += 1
        run = AgentRun(self._count, self._needs, self.events.append, "opencode")
        run.set_facts(session=line.session)
        self._run, self._session = run, line.session
        self._seen = RecentIds()
        self._reason = ""
        # The last `Turn` said that the run may be over.
        self._may_be_over = False
        self._errors: list[str] = []
        self._names: list[object] = []
        self._tokens: Tokens | None = None
        self._cost: Decimal | None = None
        return run

    def read_block(self, block: EventBlock[Line]) -> None:
        """Read the lines of a block, and only some of a run that goes on."""
        events, numbers, quiet = block.events, block.numbers, self._quiet
        goes_on = self._run is not None
        if goes_on and {line.session for line in events} == {self._session}:
            for at in [at for at, line in enumerate(events) if line.type not in quiet]:
                self.read(events[at], numbers[at])
            if self._run is not None:
                self._skip_to_end_of(self._run, events)
        else:
            for line, number in zip(events, numbers, strict=True):
                self.read(line, number)

    def read(self, line: Line, number: int) -> None:
        """Read one line."""
        if line.type not in _TYPES:
            self.unknown.add(line.type)
            return
        run = self._run
        if run is not None and line.session and self._session not in ("", line.session):
            self.end(number - 1)
            run = None
        run = run or self._begin(line)
        run.stamp(whole_ms(line.timestamp))
        run.begin(number)
        part = line.part
        if line.type == "error":
            from convert.facts.run_reasons import names_in

            message = message_of(line.error)
            if message not in self._errors:
                self._errors.append(message)
            self._names = [*names_in(line.error)]
        elif line.type == "done":
            rejected = line.rejected if isinstance(line.rejected, list) else []
            self._end(run, number, rejected)
        # A part comes again when opencode prunes old outputs.
        elif part is not None and (
            _is_under_way(part) or not part.id or self._seen.add(part.id)
        ):
            self._read_part(run, line.type, part, number)
        if self._needs.turns and self._run is not None:
            self._note_turn(line, number)

    def _note_turn(self, line: Line, number: int) -> None:
        """Report if the run may be over with this line, or goes on after all."""
        stops = line.type == "step_finish" and self._reason not in _GOES_ON
        is_over = stops or line.type == "error"
        if is_over or (self._may_be_over and line.type == "step_start"):
            self._may_be_over = is_over
            self.events.append(Turn(run=self._count, line=number, is_over=is_over))

    def end(self, last: int) -> None:
        """End the run that is open."""
        if self._run is not None:
            self._end(self._run, last, None)

    def _skip_to_end_of(self, run: AgentRun, events: list[Line]) -> None:
        """Note how far the run has come with these lines, which may be read in part."""
        run.stamp(whole_ms(events[-1].timestamp))
        for line in reversed(events):
            if line.type in ("step_finish", "error", "done"):
                # After them, the run may be over.
                return
            if line.type in _TYPES:
                self._reason = ""
                return

    def _read_part(self, run: AgentRun, type: str, part: Part, number: int) -> None:
        self._reason = part.reason if type == "step_finish" else ""
        match type:
            case "step_finish":
                needs = self._needs
                has_figures = needs.figures or needs.result or needs.text
                if part.tokens is not None and has_figures:
                    self._tokens = _sum(self._tokens, part.tokens)
                self._cost = total_cost([self._cost, recorded_cost(part.cost)])
            case "tool_use":
                _add_call(run, part, number)
            case "text":
                run.text(number, part.text)
            case "reasoning":
                began = whole_ms(part.time.start) if part.time else None
                run.thinking(number, part.text, started_ms=began)

    def _end(self, run: AgentRun, number: int, rejected: list[Any] | None) -> None:
        """End the run, as its last lines say.

        `rejected` are the permissions that were refused, None if the run is not done.
        """
        self._run = None
        failure = "\n".join(self._errors) or _FAILURES.get(self._reason, "")
        refused = [each for each in rejected or () if isinstance(each, str)]
        if refused and self._reason in _GOES_ON:
            # The agent ends its run if nobody can give a permission.
            failure = failure or f"permission refused: {', '.join(refused)}"
        is_over = bool(failure) or rejected is not None or self._reason not in _GOES_ON
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
        state: State = "cut" if not is_over else "error" if failure else "success"
        run.finish(number, state, failure, names=self._names, has_result=False)


_TYPES = frozenset(
    {"tool_use", "text", "reasoning", "step_start", "step_finish", "error", "done"}
)


def _sum(tokens: Tokens | None, usage: Usage) -> Tokens:
    """Return the tokens of the responses so far and of one more."""
    known = tokens or Tokens()
    cache = usage.cache
    return Tokens(
        input=added(known.input, usage.input),
        output=added(known.output, _output(usage)),
        cache_read=added(known.cache_read, cache.read if cache else None),
        cache_write=added(known.cache_write, cache.write if cache else None),
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


_REJECTED = (
    "The user rejected permission",
    "The user has specified a rule which prevents you",
    "The user dismissed this question",
)
# The shell tool adds this text if it ended the command itself.
_STOPPED = r"(?s)\n*<(?:bash|shell)_metadata>\n(.*)\n</(?:bash|shell)_metadata>\s*\Z"


def _is_under_way(part: Part) -> bool:
    """Return True for a part about a call that goes on; a later part has its end."""
    state = part.state
    goes_on = state is not None and state.status in ("pending", "running")
    return bool(part.call) and goes_on


def _add_call(run: AgentRun, part: Part, line: int) -> None:
    """Add the calls of one part: one, or one for each file of a patch."""
    state = part.state or ToolState()
    if _is_under_way(part):
        if not run.has_ended_call(part.call):
            _opened(run, part, part.call, call_of(part.tool, _arguments(state)), line)
        return
    text = _text(state)
    stopped = compiled(_STOPPED).search(text) if "_metadata>" in text else None
    outcome = _outcome(state, stopped[1] if stopped else "")
    text = text[: stopped.start()] if stopped else text
    ended_ms = whole_ms(state.time.end) if state.time else None
    for at, each in enumerate(_calls(part.tool, state, text)):
        # Calls of one part have an id each.
        id = f"{part.call}.{at}" if at and part.call else part.call
        run.end_call(
            line,
            _opened(run, part, id, each.call, line),
            outcome,
            each.output,
            ended_ms=ended_ms,
            is_new_file=each.is_new_file and isinstance(state, FullToolState),
        )


def _opened(
    run: AgentRun, part: Part, id: str, call: NativeCall, line: int
) -> OpenCall:
    """Return the open call with an id, with its latest facts; begin it if needed."""
    opened = run.call(id) if id else None
    if opened is None:
        time = part.state.time if part.state else None
        began = whole_ms(time.start) if time else None
        return run.begin_call(
            line, id, call, started_ms=began, response_id=part.message
        )
    opened.call = call
    return opened


def _arguments(state: ToolState) -> dict[str, Any] | None:
    """Return the arguments of a call; None if they are not needed."""
    if not isinstance(state, FullToolState):
        return None
    return state.input if isinstance(state.input, dict) else {}


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


def _calls(tool: str, ended: ToolState, text: str) -> list[RecordedCall]:
    """Return the calls of a tool."""
    if files := patched_files(tool, _metadata(ended).files):
        return files
    arguments, metadata = _arguments(ended), ended.metadata or FullMetadata()
    call = call_of(tool, arguments)
    if arguments is None or not isinstance(metadata, FullMetadata):
        return [RecordedCall(call)]
    output = None
    if ended.status == "completed" and call.kind == "edit":
        output = change_of(arguments, metadata, text)
    elif ended.status == "completed":
        output = output_of(call.kind, metadata, text)
    return [RecordedCall(call, output, metadata.exists is False)]
