"""Calls that run a subagent."""

from __future__ import annotations

from convert.model import Segment, Thinking, ToolCall
from convert.tools.subjects import subject_of
from convert.tools.table import TOOLS
from convert.transcript.clips import whole
from convert.transcript.fields import Fields
from convert.transcript.pieces import Collapsible, Prose, Step, Steps
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line, strip_controls
from convert.wording.words import Words


def task(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the prompt, then each step of the subagent."""
    # Imported here, since that module needs this one for its own steps.
    from convert.transcript.call_sections import call_section

    prompt = arguments.text("prompt")
    description = one_line(arguments.text("description"))
    subject = subject_of("task", section.call.arguments or {})
    kind = " ".join(word for word in subject.words if word != arguments.value("prompt"))
    section.title = [Words(TOOLS["task"].phrases.en, "ours")]
    if kind:
        section.title += [Words(" ", "ours"), Words(strip_controls(kind))]
    if description or prompt:
        what = description or one_line(prompt)
        section.title += [Words(": ", "ours"), Words(what)]
    if model := one_line(arguments.text("model")):
        section.notes.append(model)
    section.milliseconds = output.number("durationMs")
    if output.flag("isBackground"):
        section.notes.append("in the background")
    if prompt.strip():
        section.parts.append(
            Collapsible(ours("prompt"), [Prose(whole(prompt), "argument")])
        )
    steps: list[Step] = []
    for step in section.call.steps or ():
        match step:
            case Segment(text=text) if strip_controls(text).strip():
                steps.append(Prose(whole(strip_controls(text)), "output"))
            case Thinking(text=text) if (
                section.has_thinking and strip_controls(text).strip()
            ):
                thought = Prose(whole(strip_controls(text)), "output")
                steps.append(Collapsible(ours("thinking"), [thought]))
            case ToolCall():
                nested = call_section(step, section.directory, section.has_thinking)
                section.changes += nested.changes
                steps.append(nested)
    calls = [step for step in section.call.steps or () if isinstance(step, ToolCall)]
    section.summary = ours("what the subagent was asked")
    if section.call.steps is not None:
        section.notes.append(count(len(calls), "call"))
    if steps:
        what = f"what the subagent did: {count(len(steps), 'step')}"
        section.summary = ours(what)
        section.parts.append(Steps(steps))
    section.json(output.value("conversationSteps"))
    section.prose(output.text("resultSuffix"), "output")
    if path := output.text("transcriptPath"):
        section.note("its transcript is in ", path)
