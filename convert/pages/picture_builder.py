"""The picture of a run, folded from its events.

The verdict comes first, so nothing is known before the run ends. The output of a call
is shortened when the call ends; the picture keeps the shortened form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from convert.facts import by_parent
from convert.facts.changed_files import file_changes_in
from convert.facts.failed_calls import Place
from convert.facts.figures import Figures, run_length, unrecorded
from convert.facts.run_figures import RunFigures
from convert.facts.time_spent import Span, TimedCall, time_spent
from convert.facts.verdict import reason_of, says_all, title_of, verdict
from convert.model.events import (
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
from convert.pages.entries import (
    CallRow,
    Chapter,
    Entry,
    Remark,
    Thought,
    amend,
    call_row,
)
from convert.pages.run_picture import RunPicture
from convert.transcript.builder import Shared
from convert.transcript.call_sections import call_section
from convert.transcript.incidents import Endings, Trouble
from convert.transcript.pieces import CallSection, Label, Part, Step, Steps
from convert.transcript.room_of_parts import most_items, shorten
from convert.transcript.shortened_texts import whole
from convert.wording.escapes import one_line, strip_controls, truncate


def run_pictures(events: Iterable[Event], options: Options) -> Iterator[RunPicture]:
    """Yield the picture of each run when it ends."""
    runs: dict[int, PictureBuilder] = {}
    for event in by_parent(events):
        if isinstance(event, EndOfLog):
            continue
        if event.run not in runs:
            runs[event.run] = PictureBuilder(event.run, options)
        runs[event.run].add(event)
        if isinstance(event, End):
            yield runs.pop(event.run).picture(event)


class PictureBuilder:
    """Folds the events of one run into its picture; the log may still be growing.

    `start` is the last known start of the run, `figures` are those so far.
    """

    def __init__(self, number: int, options: Options) -> None:
        self._number = number
        self._options = options
        self.start = Start(run=number, line=1)
        self._shared = Shared("", options.thinking, most_items(options.tool_output))
        self.figures = RunFigures()
        self._went_wrong = Trouble()
        self._endings = Endings()
        self._prompts: list[str] = []
        self._chapters = [Chapter([], [])]
        # The last chapter has more than words and reasoning.
        self._is_chapter_begun = False
        # The rows by number, and the places of open calls.
        self._rows: dict[Place, CallRow] = {}
        self._open: dict[Place, tuple[Chapter, int]] = {}
        self._thinking: list[Span] = []
        self._result: Result | None = None
        # The last text that is not blank.
        self._last_words = ""

    def add(self, event: Event) -> Entry | None:
        """Add an event of the run; return the entry that it completes."""
        self.figures.add(event)
        match event:
            case Start():
                self.start = event
                self._shared.directory = event.directory
            case ToolCall(is_repeated=True):
                return self._correct(event)
            case ToolCall():
                return self._add_call(event)
            case Prompt():
                return self._add_prompt(strip_controls(event.text).strip())
            case Segment():
                self._last_words = (
                    event.text if event.text.strip() else self._last_words
                )
                self._add_words(strip_controls(event.text).strip())
            case Thinking():
                return self._add_thought(event)
            case Incident():
                self._went_wrong.add(event)
            case Result():
                self._result = event
        return None

    def _add_prompt(self, text: str) -> Entry | None:
        if not text:
            return None
        self._prompts.append(text)
        if len(self._prompts) == 1:
            return None
        first = one_line(text.partition("\n")[0])
        return self._put(Remark(f"Prompt: {truncate(first, 160)}"))

    def _add_words(self, text: str) -> None:
        if not text:
            return
        # Reasoning leads to the words after it.
        if self._is_chapter_begun:
            self._chapters.append(Chapter([], []))
            self._is_chapter_begun = False
        self._chapters[-1].words.append(text)

    def _add_thought(self, thought: Thinking) -> Entry | None:
        begin, end = thought.started_ms, thought.ended_ms
        if begin is not None and end is not None:
            self._thinking.append((begin, end))
        text = thought.text if self._options.thinking else ""
        if not (text := strip_controls(text).strip()):
            return None
        took = None if begin is None or end is None else end - begin
        return self._put(Thought(whole(text), took))

    def _put(self, entry: Entry) -> Entry:
        self._chapters[-1].entries.append(entry)
        self._is_chapter_begun |= not isinstance(entry, Thought)
        return entry

    def _add_call(self, call: ToolCall) -> Entry | None:
        at = call.place
        if at not in self._open:
            chapter = self._chapters[-1]
            self._open[at] = chapter, len(chapter.entries)
            # Its row takes this place when it ends.
            self._put(Remark(""))
        if call.outcome is None:
            return None
        section = call_section(call, self._shared)
        row = self._row_of(call, at, section)
        if row.outcome.status == "unfinished":
            self._went_wrong.add_unfinished(section)
        self._endings.add(call)
        chapter, place = self._open.pop(at)
        chapter.entries[place] = row
        self._rows[at] = row
        return row

    def _row_of(self, call: ToolCall, at: Place, section: CallSection) -> CallRow:
        """Return the row of a call, with those of the calls of its subagent inside."""
        shared = self._shared
        number = ".".join(map(str, at))
        went_wrong = self.figures.class_and_hidden(at)
        row = call_row(call, number, shared.directory, section, *went_wrong)
        for step in call.steps or ():
            if isinstance(step, ToolCall):
                inner = call_section(
                    step,
                    Shared(shared.directory, shared.has_thinking, shared.most_items),
                )
                row.inside.append(self._row_of(step, (*at, step.number), inner))
        if row.inside:
            section = replace(section, parts=_without_calls(section.parts))
        row.section = shorten(section, self._options.tool_output)
        return row

    def _correct(self, frame: ToolCall) -> Entry | None:
        if correction := self._endings.correction(frame):
            went_wrong = self.figures.class_and_hidden(frame.place)
            row = self._rows.get(frame.place[:1])
            for each in row.with_inside if row else ():
                if each.number == frame.shown_number:
                    amend(each, frame.outcome or each.outcome, *went_wrong)
            words = f"A later line of the log says of call {correction.number}"
            return self._put(Remark(f"{words}: {correction.outcome}"))
        return None

    def picture(self, end: End) -> RunPicture:
        """Return the picture of the run, which has ended."""
        figures = self.figures.figures
        rows = [self._rows[place] for place in sorted(self._rows)]
        changes = file_changes_in(self.figures.changed_files.net)
        suspects = self.figures.changed_files.unnamed.possible_changes()
        length = run_length(end, figures.duration_ms)
        every = [each for row in rows for each in row.with_inside]
        timed = [
            TimedCall(row.lane, row.started, row.ended, row.is_open)
            for row in every
            if row.at is not None or "." not in row.number
        ]
        answer = self._take_answer(end)
        return RunPicture(
            number=self._number,
            start=self.start,
            end=end,
            title=self.title,
            prompts=self._prompts,
            verdict=verdict(end, self.figures, reason_of(end, self._result)),
            figures=figures,
            length=length,
            spent=time_spent(timed, length),
            changes=changes,
            suspects=None if changes else suspects,
            rows=rows,
            failures=self._failures(every),
            unresolved=set(self.figures.unresolved_numbers()),
            resolved_by=self.figures.resolutions,
            refused=self.figures.refused,
            answers=self.figures.answers,
            answer="" if says_all(end, answer) else answer,
            chapters=[chapter for chapter in self._chapters if chapter.entries],
            went_wrong=[
                *self._went_wrong.incidents(end),
                *self._went_wrong.unfinished(end, follows=False),
            ],
            recovered=self._went_wrong.recovered(end),
            unrecorded=self._unrecorded(end, figures, length),
            thinking=self._thinking,
        )

    def _unrecorded(self, end: End, figures: Figures, length: int | None) -> list[str]:
        """Return the missing facts; a log without calls lacks nearly everything.

        If the log does not record how the run ended, the verdict says so.
        """
        if self.start.level != "calls":
            return []
        has_prompt = bool(self._prompts)
        found = unrecorded(
            self.start, figures, has_prompt=has_prompt, state="success", length=length
        )
        # Tokens are recorded at the end of a run, which a log that breaks off lacks.
        has_end = end.state not in ("cut", "unfinished")
        return [what for what in found if has_end or what != "tokens"]

    @property
    def title(self) -> str:
        """The first line of the prompt; empty without a prompt."""
        return title_of(self._prompts)

    def _failures(self, rows: list[CallRow]) -> list[CallRow]:
        """Return the calls and steps that did not succeed, in their order."""
        counted = {
            number
            for status in ("error", "rejected", "unfinished")
            for number in self.figures.numbers(status)
        } | {*self.figures.hidden}
        failed = [row for row in rows if row.number in counted]
        return sorted(failed, key=lambda row: [*map(int, row.number.split("."))])

    def _take_answer(self, end: End) -> str:
        """Return the last words with no call after them; they are no chapter.

        If the recorded text is the final message and these are not, return that text.
        """
        last = self._chapters[-1]
        recorded = recorded_answer(self._result, self._last_words, end.ends_in_call)
        if recorded not in (None, self._last_words):
            return strip_controls(recorded or "").strip()
        if last.words and not last.rows:
            answer = "\n\n".join(last.words)
            last.words.clear()
            return answer
        recorded = strip_controls(self._result.text or "") if self._result else ""
        said = "".join(word for chapter in self._chapters for word in chapter.words)
        # The result of some agents is the last of their words.
        is_said = "".join(said.split()).endswith("".join(recorded.split()))
        return "" if is_said else recorded.strip()


def _without_calls(parts: list[Part]) -> list[Part]:
    """Return the parts of a subagent's section without its calls."""
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, Steps):
            said: list[Step] = [
                step for step in part.steps if not isinstance(step, CallSection)
            ]
            if not said:
                if kept and isinstance(kept[-1], Label):
                    kept.pop()
                continue
            part = Steps(said)
        kept.append(part)
    return kept
