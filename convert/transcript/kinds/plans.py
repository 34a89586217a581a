"""Calls that plan: to-do lists, plans, questions and modes."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item, Items, Note, Part
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.numbers import count
from convert.wording.sanitise import one_line
from convert.wording.words import Words

_STATES = {"IN_PROGRESS": " – in progress", "CANCELLED": " – cancelled"}


def todos(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the to-do list after the call, or the change that was requested."""
    recorded = output.objects("todos") or arguments.objects("todos")
    items = _tasks(recorded)
    done = sum(item.is_done is True for item in items)
    if items and section.has_good_output:
        section.notes.append(f"{done:,} of {len(items):,} done")
    section.summary = ours(count(len(items), "task"))
    section.items(items, "argument")


def _tasks(todos: list[Fields]) -> list[Item]:
    items = []
    for todo in todos:
        state = todo.text("status").removeprefix("TODO_STATUS_")
        line = [
            Words(one_line(todo.text("content"))),
            Words(_STATES.get(state, ""), "ours"),
        ]
        items.append(Item(line=line, is_done=state == "COMPLETED"))
    return items


def create_plan(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the plan, its tasks and its phases."""
    name = one_line(arguments.text("name"))
    if name:
        section.title = [Words("Created plan: ", "ours"), Words(name)]
    section.summary = ours("the plan")
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
    modes = [before, after or arguments.text("targetModeId")]
    section.notes.append(" → ".join(one_line(mode) for mode in modes if mode))
    section.summary = ours("why")
    section.prose(arguments.text("explanation"))


def reflect(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the agent's reflections, each under its subject."""
    section.summary = ours("what it says")
    for name, label in (
        ("unexpectedActionOutcomes", "unexpected outcomes:"),
        ("relevantInstructions", "relevant instructions:"),
        ("scenarioAnalysis", "analysis:"),
        ("criticalSynthesis", "synthesis:"),
        ("nextSteps", "next steps:"),
    ):
        if text := arguments.text(name):
            section.note(label)
            section.prose(text)
