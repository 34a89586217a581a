"""The pieces of each run, one run after the other."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from convert.facts import by_parent
from convert.facts.run_figures import RunFigures
from convert.model.events import (
    OK,
    End,
    EndOfLog,
    Event,
    Incident,
    Prompt,
    Result,
    Segment,
    Start,
    Thinking,
    ToolCall,
)
from convert.model.run import recorded_answer
from convert.options.conversion import Options
from convert.transcript.builder import Shared, ours
from convert.transcript.call_sections import call_section
from convert.transcript.fact_list import facts_at_start, sections_at_end
from convert.transcript.incidents import Endings, Trouble
from convert.transcript.pieces import (
    CallSection,
    CollapsibleText,
    Ending,
    FactList,
    Heading,
    Piece,
    Remark,
    Text,
    Title,
)
from convert.transcript.room_of_parts import bytes_of, most_items, shorten, shorten_to
from convert.transcript.shortened_texts import whole
from convert.transcript.timing import CallTimes, ParallelCalls, end_of
from convert.wording.digests import blake2b
from convert.wording.escapes import one_line, strip_controls, truncate
from convert.wording.numbers import size
from convert.wording.styles_and_columns import Styled

# In characters.
_LONGEST_TITLE = 80
# Bytes that a part of a waiting call may always take.
_LEAST = 250


def pieces(events: Iterable[Event], options: Options) -> Iterator[Piece]:
    """Yield the pieces of every run, one run after the other."""
    # Ordered, as finding the first of a dict takes long when many before it are gone.
    runs: OrderedDict[int, _RunTranscript | Start] = OrderedDict()
    for event in by_parent(events):
        run = runs.get(event.run)
        if not isinstance(run, _RunTranscript):
            if isinstance(event, EndOfLog):
                continue
            if run is None and isinstance(event, Start):
                # A run that has only begun takes no room: there may be thousands.
                runs[event.run] = event
                continue
            begun, run = run, _RunTranscript(event.run, options)
            runs[event.run] = run
            if begun is not None:
                run.add(begun)
        run.add(event)
        waiting = run.waiting
        if run.has_ended or (waiting and waiting[0].piece is not None):
            yield from _ready(runs)


def _ready(runs: OrderedDict[int, _RunTranscript | Start]) -> list[Piece]:
    """Return the pieces that wait for nothing; remove the runs that are complete."""
    complete: list[Piece] = []
    while runs:
        first = next(iter(runs.values()))
        if isinstance(first, Start):
            break
        first.release_into(complete)
        if not first.has_ended:
            break
        del runs[first.number]
    return complete


class _Slot(Struct):
    """The place of a piece in the order of the transcript."""

    piece: Piece | None
    """The piece; None as long as its call is open."""

    offset: str = ""
    """When its call started; empty if that is not shown."""


class _RunTranscript:
    """Turns the events of one run into pieces, and keeps those that wait."""

    def __init__(self, number: int, options: Options) -> None:
        self.number = number
        self.has_ended = False
        # Read once: to read an option for each call takes long.
        self._has_thinking = options.thinking
        self._has_verdict = options.at_end
        self._tool_output = options.tool_output
        self._shared = Shared("", options.thinking, most_items(self._tool_output))
        self._start = Start(run=0, line=0)
        self._has_title = False
        self._heading = ""
        self._figures = RunFigures()
        self._text_digest = blake2b()
        # The hash of the last text, which is the result of some agents, in place of the
        # text, so that open runs take little memory; None before the first one.
        self._last_hash: int | None = None
        self._is_after_text = False
        self._result_text = ""
        self._result: Result | None = None
        self._trouble = Trouble()
        # The last text, as long as it may be the answer.
        self._held = ""
        # The last text, whatever follows it.
        self._said = ""
        self.waiting: deque[_Slot] = deque()
        self._open: dict[int | tuple[int, ...], _Slot] = {}
        self._parallel = ParallelCalls()
        self._times = CallTimes()
        self._endings = Endings()
        # How many bytes commands, arguments and output of a waiting call may take.
        self._limit = options.max_bytes
        self._most_bytes = self._limit or 0
        self._waiting_bytes = 0

    def release_into(self, complete: list[Piece]) -> None:
        """Add the pieces before the first open call to a list, and forget them."""
        waiting = self.waiting
        while waiting and (piece := waiting[0].piece) is not None:
            complete.append(piece)
            waiting.popleft()
        if not waiting:
            self._waiting_bytes = 0

    def add(self, event: Event) -> None:
        """Add an event; the title waits for the first one after the start."""
        if isinstance(event, ToolCall):
            if event.is_repeated:
                # The call is shown as it ended first, and counted as it ended last.
                self._figures.add(event)
                if correction := self._endings.correction(event):
                    self._put(correction)
            else:
                if not self._has_title:
                    self._begin("")
                self._call(event)
            return
        self._figures.add(event)
        if isinstance(event, Start):
            self._start = event
            self._shared.directory = event.directory
            return
        if not self._has_title:
            self._begin(strip_controls(event.text) if isinstance(event, Prompt) else "")
        self._show(event)

    def _show(self, event: Event) -> None:
        """Add the pieces of an event below their heading."""
        match event:
            case Prompt():
                if self._held:
                    self._release_text("Run")
                self._add_prompt(event)
            case Segment():
                self._hold_text(event.text)
            case Thinking() if self._has_thinking:
                if self._held:
                    self._release_text("Run")
                if text := strip_controls(event.text).strip():
                    self._put_heading("Run")
                    self._put(CollapsibleText("Thinking", whole(text)))
            case Incident():
                self._trouble.add(event)
            case Result():
                self._add_result(event)
            case End():
                self._end(event)

    def _begin(self, prompt: str) -> None:
        self._has_title = True
        start = self._start
        # Without the mark of a heading.
        lines = (one_line(line).lstrip("# ") for line in prompt.split("\n"))
        first = next(filter(None, lines), "")
        agent = start.agent or "Agent"
        named = f"{agent} run {one_line(start.session)[:8]}".rstrip()
        self._put(Title(truncate(first, _LONGEST_TITLE) or named))
        if facts := facts_at_start(start):
            self._put(FactList(facts))

    def _put_heading(self, name: str) -> None:
        """Put a heading above the next pieces, unless it is there already."""
        if name != self._heading:
            self._heading = name
            self._put(Heading(name))

    def _put(self, piece: Piece | None) -> _Slot:
        slot = _Slot(piece)
        self.waiting.append(slot)
        self._is_after_text = False
        return slot

    def _add_prompt(self, prompt: Prompt) -> None:
        """Add a prompt; pictures are named."""
        text = strip_controls(prompt.text)
        if not (text.strip() or prompt.images):
            return
        self._put_heading("Prompt")
        if text.strip():
            self._put(Text(whole(text)))
        for image in prompt.images:
            kind = one_line(strip_controls(image.media_type)) or "image"
            about = kind if image.size is None else f"{kind}, {size(image.size)}"
            self._put(Remark([Styled("picture: ", "ours"), Styled(about)]))

    def _hold_text(self, text: str) -> None:
        """Hold a text until the next event shows if it is the answer."""
        encoded = text.encode(errors="replace")
        self._text_digest.update(encoded)
        # A tenth of the time that another digest takes.
        self._last_hash = hash(encoded)
        shown = strip_controls(text)
        if shown.strip():
            if self._held:
                self._release_text("Run")
            self._held, self._said = shown, text

    def _release_text(self, heading: str) -> None:
        """Add the text that is held below a heading."""
        self._put_heading(heading)
        self._put(Text(whole(self._held), follows=self._is_after_text))
        self._is_after_text = True
        self._held = ""

    def _call(self, call: ToolCall) -> None:
        self._figures.add_call(call)
        at = call.place if call.around else call.number
        if (slot := self._open.get(at)) is None:
            times = self._times
            offset = times.offset(call)
            if offset and not times.has_clock and (line := times.clock(call)):
                # Above the text before the first call.
                self._put_heading("Run")
                self._put(Remark(ours(line), follows=self._is_after_text))
            if self._held:
                self._release_text("Run")
            if self._heading != "Run":
                self._put_heading("Run")
            slot = self._open[at] = self._put(None)
            slot.offset = offset
            if not call.around:
                self._parallel.start(call)
        if call.outcome is not None:
            if call.ended_ms is not None:
                self._add_end(call, slot)
            together = ([], []) if call.around else self._parallel.end(call)
            section = call_section(call, self._shared, slot.offset, *together)
            if call.outcome is not OK:
                self._endings.add(call)
                if call.outcome.status == "unfinished":
                    self._trouble.add_unfinished(section)
            slot.piece = shorten(section, self._tool_output)
            del self._open[at]
            if self._limit is not None:
                self._waiting_bytes += self._tightened(slot)
                self._tighten(self._limit)

    def _add_end(self, call: ToolCall, slot: _Slot) -> None:
        """Add when a call ended, if the log does not record when it started."""
        if line := self._times.clock_of_ends(call):
            # Above the first call, which may still be open.
            open_ = (at for at, each in enumerate(self.waiting) if each.piece is None)
            self.waiting.insert(next(open_), _Slot(Remark(ours(line))))
        slot.offset = end_of(call)

    def _tighten(self, limit: int) -> None:
        """Shorten waiting calls, so that they take no more than the transcript may."""
        while self._waiting_bytes > limit and self._most_bytes > _LEAST:
            self._most_bytes //= 2
            self._waiting_bytes = sum(map(self._tightened, self.waiting))

    def _tightened(self, slot: _Slot) -> int:
        """Shorten a waiting call, and return the bytes that it takes then."""
        if not isinstance(slot.piece, CallSection):
            return 0
        slot.piece = shorten_to(slot.piece, self._most_bytes)
        return bytes_of(slot.piece)

    def _add_result(self, result: Result) -> None:
        """Keep the recorded text if it differs from the text of the run."""
        self._result = result
        text = result.text or ""
        if not strip_controls(text).strip():
            return
        encoded = text.encode(errors="replace")
        if self._last_hash is None and not result.is_error:
            self._hold_text(text)
        elif result.is_error and hash(encoded) != self._last_hash:
            is_all = blake2b(encoded).digest() == self._text_digest.digest()
            self._result_text = "" if is_all else strip_controls(text)

    def _end(self, end: End) -> None:
        is_answer = end.state in ("success", None) and self._start.level != "result"
        if is_answer:
            self._take_recorded(end)
        if self._held:
            self._release_text("Answer" if is_answer else "Run")
        recorded = (self._result.text or "").strip() if self._result else ""
        is_known = end.reason == recorded or self._trouble.explains(end)
        reason = "" if is_known else strip_controls(end.reason).strip()
        texts = reason, self._result_text
        sections = sections_at_end(
            self._start, end, self._trouble, self._figures, texts
        )
        for piece in sections:
            self._put(piece)
        if self._has_verdict:
            self._put(Ending(self._verdict(end)))
        self.has_ended = True

    def _verdict(self, end: End) -> str:
        # A transcript that appears while the agent runs has none.
        from convert.facts.verdict import reason_of, verdict

        return verdict(end, self._figures, reason_of(end, self._result)).sentence

    def _take_recorded(self, end: End) -> None:
        """Hold the recorded text if that is the answer, and not the last text."""
        recorded = recorded_answer(self._result, self._said, end.ends_in_call)
        shown = strip_controls(recorded or "")
        if recorded == self._said or not shown.strip():
            return
        if self._held:
            self._release_text("Run")
        self._held = shown
