"""Calls that plan: to-do lists, plans, questions and modes."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item, Items, Note, Part
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line, truncate
from convert.wording.words import Words

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
    """Show what the call changed in the to-do list, or the change that it asked for."""
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
    changes = _in_words(changed, removed) or "no changes"
    section.notes.append(f"{_count(listed)} ({changes})")
    section.summary = ours("changes")
    gone = [Item(line=[Words(one_line(text)), *ours(" – removed")]) for text in removed]
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


def _in_words(changed: list[Fields], removed: list[str]) -> str:
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
            Words(one_line(todo.text("content"))),
            Words(_STATES.get(state, ""), "ours"),
        ]
        # A box that is not ticked reads as a task that is still to do.
        is_done = None if state == "CANCELLED" else state == "COMPLETED"
        items.append(Item(line=line, is_done=is_done))
    return items


def create_plan(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the plan, its tasks and its phases."""
    name = one_line(arguments.text("name"))
    if name:
        section.title = [Words("Created plan: ", "ours"), Words(name)]
    section.begin("plan")
    section.prose(arguments.text("overview"))
    section.prose(arguments.text("plan"))
    section.items(_tasks(arguments.objects("todos")), "command")
    for phase in arguments.objects("phases"):
        section.note("", one_line(phase.text("name")), "plain")
        section.items(_tasks(phase.objects("todos")), "command")
    if place := output.text("planUri"):
        section.note("kept in ", place)


def ask_question(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show each question with its options; chosen ones are ticked."""
    questions = arguments.objects("questions")
    answers = {
        answer.text("questionId"): answer for answer in output.objects("answers")
    }
    title = one_line(arguments.text("title"))
    if title:
        section.title = [Words("Asked: ", "ours"), Words(title)]
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
            line=[Words(one_line(option.text("label") or option.text("id")))],
            is_done=option.text("id") in chosen if is_answered else None,
        )
        for option in question.objects("options")
    ]
    parts: list[Part] = [Note([Words(one_line(question.text("prompt")))])]
    if options:
        parts.append(Items(options, "command"))
    if text := one_line(answer.text("freeformText")):
        parts.append(Note([Words("answer: ", "ours"), Words(text)]))
    return parts


def switch_mode(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the modes before and after, and the explanation."""
    before, after = output.text("fromModeId"), output.text("toModeId")
    if before:
        modes = [before, after or arguments.text("targetModeId")]
        section.notes.append(" → ".join(one_line(mode) for mode in modes if mode))
    section.begin("why")
    section.prose(arguments.text("explanation"))


def reflect(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the agent's reflections, each under its subject."""
    section.begin("what it says")
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
