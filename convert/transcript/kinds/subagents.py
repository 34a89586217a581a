"""Calls that run a subagent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.model import UNFINISHED, Event, Segment, Thinking, ToolCall
from convert.tools.subjects import subject_of
from convert.tools.table import TOOLS
from convert.transcript.clips import whole
from convert.transcript.fields import Fields
from convert.transcript.pieces import Collapsible, Part, Prose, Step, Steps
from convert.transcript.section_builder import SectionBuilder, Shared, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line, strip_controls
from convert.wording.words import Inline, Words

_FAILURES = (
    ("error", "failed"),
    ("rejected", "rejected"),
    ("unfinished", "unfinished"),
)


def task(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the prompt, then each step of the subagent."""
    section.title = _title(arguments, section)
    if model := one_line(arguments.text("model")):
        section.notes.append(model)
    section.milliseconds = output.number("durationMs")
    if output.flag("isBackground"):
        section.notes.append("in the background")
    prompt = arguments.text("prompt")
    if prompt.strip():
        content: list[Part] = [Prose(whole(prompt), "argument")]
        section.parts.append(Collapsible(ours("prompt"), content))
    section.summary = ours("what the subagent was asked")
    if section.call.steps is not None:
        _add_steps(section.call.steps, section)
    section.json(output.value("conversationSteps"))
    section.prose(output.text("resultSuffix"), "output")
    if path := output.text("transcriptPath"):
        section.note("its transcript is in ", section.path(path))


def _title(arguments: Fields, section: SectionBuilder) -> Inline:
    """Say which kind of subagent ran, and what it was asked."""
    title = ours(TOOLS["task"].phrases.en)
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


def _add_steps(events: list[Event], section: SectionBuilder) -> None:
    """Add the texts and calls of a subagent, and its reasoning if that is shown."""
    # Imported here, since that module needs this one for its own steps.
    from convert.transcript.call_sections import call_section

    shared = Shared(section.shared.directory, section.shared.has_thinking)
    steps: list[Step] = []
    for event in events:
        match event:
            case Segment(text=text):
                steps += _prose(text)
            case Thinking(text=text) if shared.has_thinking:
                steps += [
                    Collapsible(ours("thinking"), [thought]) for thought in _prose(text)
                ]
            case ToolCall():
                steps.append(call_section(event, shared, []))
    if calls := list(_calls(events)):
        failures = _failures(calls)
        section.notes.append(f"{count(len(calls), 'call')}{failures}")
        section.has_failed_inside = bool(failures)
    if steps:
        extent = count(len(steps), "step")
        section.summary = ours(f"what the subagent did: {extent}")
        section.parts.append(Steps(steps))


def _calls(events: list[Event]) -> Iterator[ToolCall]:
    """Yield the calls of a subagent, and those of its own subagents."""
    for event in events:
        if isinstance(event, ToolCall):
            yield event
            yield from _calls(event.steps or [])


def _failures(calls: list[ToolCall]) -> str:
    """Say how many calls did not succeed: ` (1 failed)`; empty if all did."""
    counts = Counter[str]((call.outcome or UNFINISHED).status for call in calls)
    shown = [
        f"{counts[status]:,} {word}" for status, word in _FAILURES if counts[status]
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _prose(text: str) -> list[Prose]:
    """Return the text of a step, if it has any."""
    text = strip_controls(text)
    return [Prose(whole(text), "output")] if text.strip() else []
