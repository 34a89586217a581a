"""Calls that plan and delegate: to-do lists, plans, questions, modes and subagents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from convert.facts.failed_calls import FailureClass, judge
from convert.model.events import Event, Segment, Thinking, ToolCall
from convert.tools.phrases_and_outcomes import phrase
from convert.tools.subjects import subject_of
from convert.transcript.builder import LONGEST_TITLE, SectionBuilder, Shared, ours
from convert.transcript.fields import Fields
from convert.transcript.pieces import (
    Collapsible,
    Item,
    Items,
    Note,
    Part,
    Prose,
    Step,
    Steps,
)
from convert.transcript.shortened_texts import whole
from convert.transcript.timing import end_of
from convert.wording.escapes import one_line, strip_controls, truncate
from convert.wording.numbers import count
from convert.wording.styles_and_columns import Inline, Styled

# In characters: of the changes that a heading names.
_LONGEST = 42
_STATES = {"IN_PROGRESS": " – in progress", "CANCELLED": " – cancelled"}
# How a task that is new in a state is called.
_CHANGES = {
    "COMPLETED": "finished",
    "CANCELLED": "cancelled",
    "IN_PROGRESS": "started",
    "PENDING": "open",
}


def read_todos(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the to-do list."""
    _add_tasks(output.objects("todos"), section)


def update_todos(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the change of the to-do list, or the change that was requested."""
    listed = output.objects("todos")
    if not (listed and section.has_good_output):
        _add_tasks(listed or arguments.objects("todos"), section)
        return
    before, after = section.shared.tasks, dict(map(_task, listed))
    section.shared.tasks = after
    if not before:
        _add_tasks(listed, section)
        return
    changed = [todo for todo in listed if before.get(_task(todo)[0]) != _task(todo)[1]]
    removed = [content for key, (content, _) in before.items() if key not in after]
    changes = _changes_in_words(changed, removed) or "no changes"
    section.notes.append(f"{_count(listed)} ({changes})")
    section.summary = ours("changes")
    gone = [
        Item(line=[Styled(one_line(text)), *ours(" – removed")]) for text in removed
    ]
    section.items([*_tasks(changed), *gone], "argument")


def _add_tasks(todos: list[Fields], section: SectionBuilder) -> None:
    """Show a whole to-do list."""
    if todos and section.has_good_output:
        section.notes.append(_count(todos))
    if todos:
        section.begin("tasks", count(len(todos), "task"))
    section.items(_tasks(todos), "argument")


def _count(todos: list[Fields]) -> str:
    done = sum(_state(todo) == "COMPLETED" for todo in todos)
    return f"{done:,} of {len(todos):,} done"


def _changes_in_words(changed: list[Fields], removed: list[str]) -> str:
    """Write the first changes on a short line: `finished: Read it; 2 more changes`."""
    by_state: dict[str, list[str]] = {name: [] for name in _CHANGES.values()}
    for todo in changed:
        name = _CHANGES.get(_state(todo), "changed")
        by_state.setdefault(name, []).append(one_line(todo.text("content")))
    by_state["removed"] = [one_line(content) for content in removed]
    changes = [(name, text) for name, texts in by_state.items() for text in texts]
    line = last = ""
    for place, (name, text) in enumerate(changes):
        gap = ", " if name == last else f"{'; ' if line else ''}{name}: "
        if len(line) + len(gap) + len(text) > _LONGEST and line:
            return f"{line}; {count(len(changes) - place, 'more change')}"
        line += gap + truncate(text, _LONGEST)
        last = name
    return line


def _task(todo: Fields) -> tuple[str, tuple[str, str]]:
    """Return the id of a task, or its content, with its content and its state."""
    content = todo.text("content")
    return todo.text("id") or content, (content, _state(todo))


def _state(todo: Fields) -> str:
    return todo.text("status").removeprefix("TODO_STATUS_").upper()


def _tasks(todos: list[Fields]) -> list[Item]:
    items = []
    for todo in todos:
        state = _state(todo)
        line = [
            Styled(one_line(todo.text("content"))),
            Styled(_STATES.get(state, ""), "ours"),
        ]
        # A box that is not ticked reads as a task that is still to do.
        is_done = None if state == "CANCELLED" else state == "COMPLETED"
        items.append(Item(line=line, is_done=is_done))
    return items


def create_plan(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the plan, its tasks and its phases."""
    section.called("Created plan: ", one_line(arguments.text("name")))
    section.begin("plan").prose(arguments.text("overview"))
    section.prose(arguments.text("plan"))
    section.items(_tasks(arguments.objects("todos")), "command")
    for phase in arguments.objects("phases"):
        section.note("", one_line(phase.text("name")), "plain")
        section.items(_tasks(phase.objects("todos")), "command")
    section.mention("kept in ", output.text("planUri"))


def ask_question(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show each question with its options; chosen ones are ticked."""
    questions = arguments.objects("questions")
    answers = {
        answer.text("questionId"): answer for answer in output.objects("answers")
    }
    section.called("Asked: ", one_line(arguments.text("title")))
    if section.call.arm == "async":
        section.notes.append("answer comes later")
    if questions:
        section.summary = ours(count(len(questions), "question"))
    for question in questions:
        answer = answers.get(question.text("id"), Fields({}, {}))
        section.parts += _question(question, answer, bool(answers))


def _question(question: Fields, answer: Fields, is_answered: bool) -> list[Part]:
    chosen = answer.texts("selectedOptionIds")
    options = [
        Item(
            line=[Styled(one_line(option.text("label") or option.text("id")))],
            is_done=option.text("id") in chosen if is_answered else None,
        )
        for option in question.objects("options")
    ]
    parts: list[Part] = [Note([Styled(one_line(question.text("prompt")))])]
    if options:
        parts.append(Items(options, "command"))
    if text := one_line(answer.text("freeformText")):
        parts.append(Note([Styled("answer: ", "ours"), Styled(text)]))
    return parts


def switch_mode(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the modes before and after, and the explanation."""
    before, after = output.text("fromModeId"), output.text("toModeId")
    if before:
        modes = [before, after or arguments.text("targetModeId")]
        section.notes.append(" → ".join(one_line(mode) for mode in modes if mode))
    section.begin("why").prose(arguments.text("explanation"))


def reflect(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the agent's reflections, each under its subject."""
    section.begin("reflections")
    for name, label in (
        ("unexpectedActionOutcomes", "unexpected outcomes"),
        ("relevantInstructions", "relevant instructions"),
        ("scenarioAnalysis", "analysis"),
        ("criticalSynthesis", "synthesis"),
        ("nextSteps", "next steps"),
    ):
        if text := arguments.text(name):
            section.label(ours(label))
            section.prose(text)


_FAILURE_WORDS: dict[FailureClass, str] = {
    "failed": "failed",
    "hidden": "failed",
    "rejected": "refused",
    "unfinished": "unfinished",
}


def task(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the prompt, each step of the subagent, and its answer."""
    section.title = _subagent_title(arguments, section)
    section.notes.append(one_line(arguments.text("model")))
    section.milliseconds = output.number("durationMs")
    if is_background := output.flag("isBackground"):
        section.notes.append("in the background")
    section.mention("resumes ", arguments.text("resume"))
    prompt = arguments.text("prompt")
    section.begin("prompt")
    if len(prompt) > LONGEST_TITLE or prompt.strip() != section.title[-1].text:
        section.prose(prompt, "argument")
    if section.call.steps is not None:
        has_answer = add_steps(section, output.text("content"))
        others = output.value("conversationSteps") or output.value("resultSuffix")
        if not (is_background or has_answer or others):
            section.notes.append("no answer")
    else:
        section.begin("answer").prose(output.text("content"), "output")
    section.begin("steps of an unknown kind").json(output.value("conversationSteps"))
    section.begin("remark of the agent").prose(output.text("resultSuffix"), "output")
    section.begin("transcript").place("kept in ", output.text("transcriptPath"))


def _subagent_title(arguments: Fields, section: SectionBuilder) -> Inline:
    """Say which kind of subagent ran, and for which task."""
    is_new = not arguments.text("resume")
    title = ours(phrase("task") if is_new else "Resumed subagent")
    subject = subject_of("task", section.call.arguments or {})
    recorded = arguments.value("prompt")
    if kind := " ".join(word for word in subject.words if word != recorded):
        title += [Styled(" ", "ours"), Styled(strip_controls(kind))]
    description = one_line(arguments.text("description"))
    if about := description or one_line(arguments.text("prompt")):
        title += [Styled(": ", "ours"), Styled(about)]
    return title


def add_steps(section: SectionBuilder, recorded: str = "") -> bool:
    """Add the texts and calls of a subagent, and its reasoning if that is shown.

    A text that it ends with is its answer, unless another one is recorded apart from
    the steps. Returns False if there should be one and there is none.
    """
    events = section.call.steps or []
    has_thinking = section.shared.has_thinking
    number = f"{section.shared.prefix}{section.call.number}."
    shared = Shared(section.shared.directory, has_thinking, prefix=number)
    steps: list[Step] = []
    answer = _final_text(events) if section.has_good_output else None
    if answer is not None and recorded.strip() not in ("", answer.text.strip()):
        answer = None
    for event in events:
        if event is answer:
            continue
        match event:
            case Segment(text=text):
                steps += _step_prose(text)
            case Thinking(text=text) if has_thinking:
                steps += [
                    Collapsible(ours("thinking"), [thought])
                    for thought in _step_prose(text)
                ]
            case ToolCall():
                steps.append(section.section_of(event, shared, end_of(event)))
    if calls := list(_calls_inside(section.call)):
        failures = _failures_inside(calls)
        section.notes.append(f"{count(len(calls), 'call')}{failures}")
        section.has_failed_inside = bool(failures)
    if steps:
        section.begin("steps", count(len(steps), "step"))
        section.parts.append(Steps(steps))
    if answer is not None:
        section.begin("answer")
        section.parts += _step_prose(answer.text)
    elif recorded:
        section.begin("answer").prose(recorded, "output")
    return bool(answer or recorded) or not section.has_good_output


def _final_text(events: list[Event]) -> Segment | None:
    """Return the text that a subagent ends with; None if it ends with a call."""
    for event in reversed(events):
        match event:
            case Segment(text=text) if text.strip():
                return event
            case ToolCall():
                break
    return None


def _calls_inside(call: ToolCall) -> Iterator[ToolCall]:
    """Yield the calls of a subagent, and those of its own subagents."""
    for step in call.calls:
        yield step
        yield from _calls_inside(step)


def _failures_inside(calls: list[ToolCall]) -> str:
    """Say how many calls did not succeed: ` (1 failed)`; empty if all did."""
    classes = [judge(call).failure for call in calls]
    counts = Counter(_FAILURE_WORDS[each] for each in classes if each is not None)
    words = dict.fromkeys(_FAILURE_WORDS.values())
    shown = [f"{counts[word]:,} {word}" for word in words if counts[word]]
    return f" ({', '.join(shown)})" if shown else ""


def _step_prose(text: str) -> list[Prose]:
    """Return the text of a step, if it has any."""
    text = strip_controls(text)
    return [Prose(whole(text), "output")] if text.strip() else []
