"""Subagents: what they were asked, and what they did."""

from __future__ import annotations

from convert.model import Segment, Thinking, ToolCall
from convert.tools.kinds import TOOLS, subject
from convert.transcript.clips import whole
from convert.transcript.fields import Fields
from convert.transcript.pieces import Fold, Prose, Step, Steps
from convert.transcript.shown import Shown, ours
from convert.wording.figures import count
from convert.wording.harmless import one_line, plain
from convert.wording.words import Words


def task(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The prompt, then each step, nested."""
    # The steps are shown like any call, by the module that needs this one first.
    from convert.transcript.calls import show

    prompt = arguments.text("prompt")
    description = one_line(arguments.text("description"))
    words, _ = subject(shown.call, shown.directory)
    kind = " ".join(word for word in words if word != arguments.value("prompt"))
    shown.title = [Words(TOOLS["task"].verb, "ours")]
    if kind:
        shown.title += [Words(" ", "ours"), Words(plain(kind))]
    if description or prompt:
        what = description or one_line(prompt)
        shown.title += [Words(": ", "ours"), Words(what)]
    if model := one_line(arguments.text("model")):
        shown.notes.append(model)
    shown.milliseconds = output.number("durationMs")
    if output.flag("isBackground"):
        shown.notes.append("in the background")
    if prompt.strip():
        shown.parts.append(Fold(ours("prompt"), [Prose(whole(prompt), "argument")]))
    steps: list[Step] = []
    for step in shown.call.steps or ():
        match step:
            case Segment(text=text) if plain(text).strip():
                steps.append(Prose(whole(plain(text)), "output"))
            case Thinking(text=text) if shown.has_thinking and plain(text).strip():
                said = Prose(whole(plain(text)), "output")
                steps.append(Fold(ours("thinking"), [said]))
            case ToolCall():
                nested = show(step, shown.directory, shown.has_thinking)
                shown.changes += nested.changes
                steps.append(nested)
    calls = [step for step in shown.call.steps or () if isinstance(step, ToolCall)]
    shown.summary = ours("what the subagent was asked")
    if shown.call.steps is not None:
        shown.notes.append(count(len(calls), "call"))
    if steps:
        what = f"what the subagent did: {count(len(steps), 'step')}"
        shown.summary = ours(what)
        shown.parts.append(Steps(steps))
    shown.json(output.value("conversationSteps"))
    shown.prose(output.text("resultSuffix"), "output")
    if path := output.text("transcriptPath"):
        shown.note("its transcript is in ", path)
