"""Calls that run a subagent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.facts.judged import FailureClass, judged
from convert.model.events import Event, Segment, Thinking, ToolCall
from convert.tools.subjects import subject_of
from convert.tools.table import TOOLS
from convert.transcript.call_times import end_of
from convert.transcript.clips import whole
from convert.transcript.fields import Fields
from convert.transcript.pieces import Collapsible, Prose, Step, Steps
from convert.transcript.section_builder import (
    LONGEST_TITLE,
    SectionBuilder,
    Shared,
    ours,
)
from convert.wording.numbers import count
from convert.wording.sanitise import one_line, strip_controls
from convert.wording.words import Inline, Words

_FAILURES: dict[FailureClass, str] = {
    "failed": "failed",
    "hidden": "failed",
    "rejected": "refused",
    "unfinished": "unfinished",
}


def task(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the prompt, each step of the subagent, and its answer."""
    section.title = _title(arguments, section)
    if model := one_line(arguments.text("model")):
        section.notes.append(model)
    section.milliseconds = output.number("durationMs")
    if output.flag("isBackground"):
        section.notes.append("in the background")
    if resumed := arguments.text("resume"):
        section.note("resumes ", resumed)
    prompt = arguments.text("prompt")
    section.begin("prompt")
    if len(prompt) > LONGEST_TITLE or prompt.strip() != section.title[-1].text:
        section.prose(prompt, "argument")
    if section.call.steps is not None:
        has_answer = add_steps(section.call.steps, section, output.text("content"))
        others = ("conversationSteps", "resultSuffix")
        is_over = not output.flag("isBackground")
        if (
            is_over
            and not has_answer
            and not any(output.value(name) for name in others)
        ):
            section.notes.append("no answer")
    else:
        _add_answer(output.text("content"), section)
    section.begin("steps of an unknown kind")
    section.json(output.value("conversationSteps"))
    section.begin("remark of the agent")
    section.prose(output.text("resultSuffix"), "output")
    section.begin("transcript")
    if path := output.text("transcriptPath"):
        section.note("kept in ", section.path(path))


def _add_answer(text: str, section: SectionBuilder) -> None:
    """Add an answer that the log holds apart from the steps."""
    section.begin("answer")
    section.prose(text, "output")


def _title(arguments: Fields, section: SectionBuilder) -> Inline:
    """Say which kind of subagent ran, and what it was asked."""
    is_new = not arguments.text("resume")
    title = ours(TOOLS["task"].phrases.en if is_new else "Resumed subagent")
    subject = subject_of("task", section.call.arguments or {})
    recorded = arguments.value("prompt")
    kind = " ".join(word for word in subject.words if word != recorded)
    if kind:
        title += [Words(" ", "ours"), Words(strip_controls(kind))]
    description = one_line(arguments.text("description"))
    prompt = arguments.text("prompt")
    if description or prompt:
        about = description or one_line(prompt)
        title += [Words(": ", "ours"), Words(about)]
    return title


def add_steps(events: list[Event], section: SectionBuilder, recorded: str = "") -> bool:
    """Add the texts and calls of a subagent, and its reasoning if that is shown.

    A text that it ends with is its answer, unless another one is recorded apart from
    the steps. Returns False if there should be one and there is none.
    """
    # Imported here, since that module needs this one for its own steps.
    from convert.transcript.call_sections import call_section

    has_thinking = section.shared.has_thinking
    number = f"{section.shared.prefix}{section.call.number}."
    shared = Shared(section.shared.directory, has_thinking, prefix=number)
    steps: list[Step] = []
    answer = _answer(events) if section.has_good_output else None
    if answer is not None and recorded.strip() not in ("", answer.text.strip()):
        answer = None
    for event in events:
        if event is answer:
            continue
        match event:
            case Segment(text=text):
                steps += _prose(text)
            case Thinking(text=text) if has_thinking:
                steps += [
                    Collapsible(ours("thinking"), [thought]) for thought in _prose(text)
                ]
            case ToolCall():
                steps.append(call_section(event, shared, end_of(event)))
    if calls := list(_calls(events)):
        failures = _failures(calls)
        section.notes.append(f"{count(len(calls), 'call')}{failures}")
        section.has_failed_inside = bool(failures)
    if steps:
        section.begin("steps", count(len(steps), "step"))
        section.parts.append(Steps(steps))
    if answer is not None:
        section.begin("answer")
        section.parts += _prose(answer.text)
    elif recorded:
        _add_answer(recorded, section)
    return bool(answer or recorded) or not section.has_good_output


def _answer(events: list[Event]) -> Segment | None:
    """Return the text that a subagent ends with; None if it ends with a call."""
    for event in reversed(events):
        match event:
            case Segment(text=text) if text.strip():
                return event
            case ToolCall():
                break
    return None


def _calls(events: list[Event]) -> Iterator[ToolCall]:
    """Yield the calls of a subagent, and those of its own subagents."""
    for event in events:
        if isinstance(event, ToolCall):
            yield event
            yield from _calls(event.steps or [])


def _failures(calls: list[ToolCall]) -> str:
    """Say how many calls did not succeed: ` (1 failed)`; empty if all did."""
    classes = [judged(call).failure for call in calls]
    counts = Counter(_FAILURES[each] for each in classes if each is not None)
    words = dict.fromkeys(_FAILURES.values())
    shown = [f"{counts[word]:,} {word}" for word in words if counts[word]]
    return f" ({', '.join(shown)})" if shown else ""


def _prose(text: str) -> list[Prose]:
    """Return the text of a step, if it has any."""
    text = strip_controls(text)
    return [Prose(whole(text), "output")] if text.strip() else []
