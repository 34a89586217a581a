"""The steps of a run, in every way that agents take them or might."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from support.generated.specimens import kinds, specimen, specimen_of
from support.generated.teller import Teller
from support.generated.values import reworded, word

_NOISE = [
    *(b"npm warn deprecated", b"", b"\xff\xfe", b"{", b"}", b"[", b"null", b'{"a":1}'),
    *(b'{"type":', b"Error: it broke", b"ActionRequiredError: You've hit your limit"),
    *(b"T: [internal] lost", b"\x1b[2K\r", b"  ", b"Read file", b"::error::x", b"42"),
    *(b'{"type":"tool_call","subtype":"sta', b'"type":"x"}', b"data: ", b"\0\0", b"]"),
]


def text(teller: Teller) -> None:
    teller.flush(word(teller.dice))


def deltas(teller: Teller) -> None:
    """Say something in pieces, and most often at once after them."""
    pieces = [word(teller.dice) for _ in range(teller.dice.choice([0, 1, 2, 5]))]
    for piece in pieces:
        teller.say(piece, timestamp_ms=teller.now())
    whole = "".join(pieces)
    match teller.dice.randrange(5):
        case 0:
            teller.texts.append(whole)
        case 1:
            teller.flush(whole + word(teller.dice))
        case 2:
            teller.flush("".join(pieces[1:]))
        case _:
            teller.flush(whole)


def recap(teller: Teller) -> None:
    """Say all of it, or its end, again."""
    again = "".join(teller.texts[-teller.dice.choice([1, 2, 99]) :])
    stamp = {"timestamp_ms": teller.now()} if teller.dice.random() < 0.5 else {}
    teller.say(again, **stamp)


def thinking(teller: Teller) -> None:
    thought = {"type": "thinking"}
    for _ in range(teller.dice.choice([0, 1, 3])):
        delta = {"subtype": "delta", "text": word(teller.dice)}
        teller.add(thought | delta | {"timestamp_ms": teller.now()})
    if teller.dice.random() < 0.8:
        whole = {"text": word(teller.dice)} if teller.dice.random() < 0.2 else {}
        teller.add(thought | {"subtype": "completed"} | whole)


def call(teller: Teller) -> None:
    for event in teller.new_call():
        teller.add(event)


def parallel_calls(teller: Teller) -> None:
    """Start several calls and end them in another order, not all of them."""
    calls = [teller.new_call() for _ in range(teller.dice.choice([2, 2, 2, 3, 6]))]
    for started, _ in calls:
        teller.add(started)
    teller.dice.shuffle(calls)
    for _, ended in calls[: teller.dice.choice([1, 9, 9])]:
        teller.add(ended)
        if teller.dice.random() < 0.2:
            teller.dice.choice([text, thinking, deltas])(teller)


def odd_call(teller: Teller) -> None:
    """Start or end a call twice, not at all, late, or under the id of another."""
    started, ended = teller.new_call()
    match teller.dice.randrange(7):
        case 0:
            events = [started, started, ended]
        case 1:
            events = [started, ended, ended]
        case 2:
            events = [ended]
        case 3:
            events = [started]
        case 4:
            events = [ended, started]
        case 5:
            events = [started]
            teller.late.append(ended)
        case _:
            other = teller.opened(teller.new_call()[1], started["call_id"])
            events = [started, other[0], other[1], ended]
    for event in events:
        teller.add(dict(event))


def calls_without_ids(teller: Teller) -> None:
    for event in (*teller.new_call(), *teller.new_call()):
        teller.add({key: it for key, it in event.items() if key != "call_id"})


def query(teller: Teller) -> None:
    """Ask for leave before a call or in it, with or without an answer."""
    started, ended = teller.new_call()
    at = teller.dice.randrange(10_000)
    asked = specimen_of("interaction_query/request", at)
    replied = specimen_of("interaction_query/response", at)
    for holder in [
        it for it in asked.get("query", {}).values() if isinstance(it, dict)
    ]:
        inner = holder.get("args", holder)
        inner["toolCallId"] = started["call_id"]
    order = [[asked, replied, started, ended], [started, asked, replied, ended]]
    order += [[asked, ended], [asked, started], [asked, asked, replied, replied]]
    for event in teller.dice.choice(order):
        teller.add(event)


def subagent(teller: Teller) -> None:
    """Let another agent make calls, which may let another one."""
    ended = specimen_of("tool_call/completed taskToolCall success", 0)
    body: Any = {"args": {"prompt": word(teller.dice), "description": "d"}}
    for _ in range(teller.dice.choice([1, 1, 1, 2, 5])):
        inner = [
            _conversation_step(teller) for _ in range(teller.dice.choice([0, 1, 3]))
        ]
        inner.append({"toolCall": {"taskToolCall": body}})
        steps = {"conversationSteps": inner, "isBackground": False}
        body = {"args": {"prompt": "p"}, "result": {"success": steps}}
    ended["tool_call"] = {"taskToolCall": body}
    for event in teller.opened(ended, f"task_{teller.calls}"):
        teller.add(event)


def _conversation_step(teller: Teller) -> Any:
    said = {"text": word(teller.dice)}
    match teller.dice.randrange(3):
        case 0:
            return {"assistantMessage": said}
        case 1:
            return {"thinkingMessage": said}
    return {"toolCall": teller.new_call()[1].get("tool_call")}


def plans(teller: Teller) -> None:
    """Make a plan, and change the list of tasks."""
    items: list[Any] = []
    for at in range(teller.dice.choice([1, 2, 4])):
        state = teller.dice.choice(["pending", "in_progress", "completed", "", 7])
        item = {"id": str(at % 3), "content": word(teller.dice), "status": state}
        items.append(item)
        merge = teller.dice.random() < 0.5
        arguments = {"todos": [item] if merge else items, "merge": merge}
        result = {"success": {"todos": items, "totalCount": len(items)}}
        ended = {"type": "tool_call", "subtype": "completed"}
        ended["tool_call"] = {
            "updateTodosToolCall": {"args": arguments, "result": result}
        }  # type: ignore[assignment]
        for event in teller.opened(ended, f"todo_{at}"):
            teller.add(event)


def edits(teller: Teller) -> None:
    """Change one file several times, forth and back, by edits and by writing."""
    path = teller.dice.choice(["a.py", "/home/dev/shop/a.py", word(teller.dice)])
    contents = [word(teller.dice) * teller.dice.choice([1, 3]) for _ in range(2)]
    for before, after in itertools.pairwise(
        [*contents, contents[0], word(teller.dice)]
    ):
        done: Any = {"path": path, "beforeFullFileContent": before}
        done["afterFullFileContent"] = after
        if teller.dice.random() < 0.3:
            done = {"path": path, "diffString": f"-{before}\n+{after}"}
        tool = teller.dice.choice(["editToolCall", "editToolCall", "writeToolCall"])
        body = {"args": {"path": path}, "result": {"success": done}}
        ended = {"type": "tool_call", "subtype": "completed", "tool_call": {tool: body}}
        teller.calls += 1
        for event in teller.opened(ended, f"edit_{teller.calls}"):
            teller.add(event)


def incident(teller: Teller) -> None:
    """Lose the connection, try again, or report an error of the system."""
    beginnings = ["connection", "retry", "system/", "error", "result/error"]
    beginning = teller.dice.choice(beginnings)
    teller.add(specimen_of(beginning, teller.dice.randrange(10_000)))


def any_specimen(teller: Teller) -> None:
    """Add an event of the kind whose turn it is."""
    every = kinds()
    event = specimen(every[teller.number % len(every)], teller.dice.randrange(99))
    teller.add(reworded(event, teller.dice, teller.dice.choice([0, 0, 0.3])))


def unknown(teller: Teller) -> None:
    """Add an event that no agent has written yet."""
    members = {"detail": word(teller.dice), "list": [word(teller.dice), 1, None]}
    teller.add({"type": teller.dice.choice(["novelty", word(teller.dice)]), **members})


def init(teller: Teller) -> None:
    """Begin the run; seldom as another agent does, whose logs are refused."""
    index = teller.dice.randrange(99) if teller.dice.random() < 0.1 else 0
    event = specimen_of("system/init", index)
    if index == 0:
        event.pop("uuid", None)
    teller.add(event)


def prompt(teller: Teller) -> None:
    content = [{"type": "text", "text": word(teller.dice)}]
    content *= teller.dice.choice([0, 1, 1, 2])
    teller.add({"type": "user", "message": {"role": "user", "content": content}})


def noise(teller: Teller) -> None:
    """Add a line that is no event."""
    teller.events.append(teller.dice.choice(_NOISE))


def result(teller: Teller) -> None:
    """End the run in one of the ways in which results are written."""
    event = specimen_of("result/", teller.dice.randrange(10_000))
    texts = ["".join(teller.texts), "".join(teller.texts[-1:]), word(teller.dice), None]
    event["result"] = teller.dice.choices(texts, [6, 2, 1, 1])[0]
    teller.add(event)


STEPS: dict[str, Callable[[Teller], None]] = {
    step.__name__.replace("_", " "): step
    for step in (
        *(text, deltas, recap, thinking, call, parallel_calls, odd_call, query),
        *(calls_without_ids, subagent, plans, edits, incident, any_specimen, unknown),
        *(init, prompt, noise, result),
    )
}
