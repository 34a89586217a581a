"""The lines that hostile logs consist of, and runs of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

Event = dict[str, Any]
_STAMP = 1_793_180_000_000
_INIT = {"subtype": "init", "cwd": "/home/dev/shop"}


def line(kind: str, **members: Any) -> Event:
    """Return an event of the one session."""
    return {"type": kind, **members, "session_id": "s", "timestamp_ms": _STAMP}


def asked(text: str) -> Event:
    """Return a prompt."""
    content = [{"type": "text", "text": text}]
    return line("user", message={"role": "user", "content": content})


def said(*texts: str, **members: Any) -> Event:
    """Return an assistant's line; a delta, unless a member says otherwise."""
    content = [{"type": "text", "text": text} for text in texts]
    message = {"role": "assistant", "content": content}
    return line("assistant", message=message, **members)


def started(number: int, kind: str, args: Any, **members: Any) -> Event:
    """Return the first line of a call."""
    named = {"subtype": "started", "call_id": f"c{number}"} | members
    return line("tool_call", **named, tool_call={f"{kind}ToolCall": {"args": args}})


def called(number: int, kind: str, args: Any, success: Any, **members: Any) -> Event:
    """Return the last line of a call that went well."""
    body = {"args": args, "result": {"success": success}}
    named = {"subtype": "completed", "call_id": f"c{number}"} | members
    return line("tool_call", **named, tool_call={f"{kind}ToolCall": body})


def read(number: int, path: str = "a.py", **members: Any) -> Event:
    """Return a call that read a file."""
    return called(number, "read", {"path": path}, {"content": "x\n"}, **members)


def at(number: int) -> Event:
    """Return the time of a line, a second later than that of the number before."""
    return {"timestamp_ms": _STAMP + 1000 * number}


def read_at(number: int) -> Event:
    """Return a call that read a file at a time of its own."""
    return read(number, f"{number % 9}.py") | at(number)


def failed(number: int) -> Event:
    """Return a call that ran a command, which failed."""
    body = {
        "args": {"command": f"make {number}"},
        "result": {"failure": {"exitCode": 1, "stderr": "It failed.\n"}},
    }
    named = {"subtype": "completed", "call_id": f"c{number}"}
    return line("tool_call", **named, tool_call={"shellToolCall": body}) | at(number)


def shell(number: int, command: str, output: str = "") -> Event:
    """Return a call that ran a command."""
    success = {"exitCode": 0, "stdout": output}
    return called(number, "shell", {"command": command}, success)


def edit(number: int, path: str, before: str, after: str) -> Event:
    """Return a call that changed a file."""
    contents = {"beforeFullFileContent": before, "afterFullFileContent": after}
    return called(number, "edit", {"path": path}, contents)


def served(value: Any) -> Event:
    """Return a call of a server's tool with some result."""
    args = {"name": "m-x", "args": {}, "providerIdentifier": "m", "toolName": "x"}
    return called(1, "mcp", args, value)


def query(number: int, *, is_named: bool) -> Event:
    """Return a query about a call, which its id or only the page identifies."""
    args = {"url": "https://example.com"}
    if is_named:
        args["toolCallId"] = f"c{number}"
    asks = {"id": number, "webFetchRequestQuery": {"args": args}}
    return line("interaction_query", subtype="request", query=asks)


def answered(number: int) -> Event:
    """Return the answer to a query."""
    answer = {"id": number, "webFetchRequestResponse": {"approved": {}}}
    return line("interaction_query", subtype="response", response=answer)


def ended(result: str = "Done.") -> Event:
    """Return the result of a run."""
    return line("result", subtype="success", is_error=False, result=result)


def of_session(number: int, event: Event) -> Event:
    """Return an event of another session."""
    return {**event, "session_id": f"s{number}"}


def init() -> Event:
    """Return the first line of a run."""
    return line("system", **_INIT)


def run(events: Iterable[Event], result: str = "Done.") -> Iterator[Event]:
    """Yield the events of a run that holds these."""
    yield init()
    yield asked("Do it.")
    yield from events
    yield ended(result)


def words(n: int, seed: int) -> list[str]:
    """Return n words by chance."""
    dice = random.Random(seed)
    return [f"word{dice.randrange(500)}" for _ in range(n)]


def lines_that_differ(n: int, side: int) -> str:
    """Return n lines; every seventh line differs on each side."""
    return "".join(f"line {i} {side if i % 7 == 0 else ''}\n" for i in range(n))


def digits(n: int, step: int, side: int) -> str:
    """Return n lines of one digit."""
    return "".join(f"{(i * step + side) % 10}\n" for i in range(n))


def nested_lists(n: int, side: int) -> Any:
    """Return n lists in lists, five deep, with other numbers on each side."""
    dice = random.Random(side)

    def grow(depth: int) -> Any:
        if not depth:
            return dice.randrange(50)
        return [grow(depth - 1) for _ in range(4)]

    return [grow(4) for _ in range(n)]


def steps(n: int) -> Event:
    """Return a subagent that made n calls."""
    reading = {"args": {"path": "a.py"}, "result": {"success": {}}}
    made = [
        {"toolCall": {"readToolCall": reading, "toolCallId": f"t{i}"}} for i in range(n)
    ]
    return called(1, "task", {"prompt": "Find it"}, {"conversationSteps": made})


def nested_steps(number: int) -> Event:
    """Return a subagent in ten subagents, whose last call failed."""
    body: Any = {"error": {"errorMessage": "No such file"}}
    step: Any = {"readToolCall": {"args": {"path": "a.py"}, "result": body}}
    for depth in range(10):
        made = {"toolCall": step | {"toolCallId": f"t{number}-{depth}"}}
        result = {"success": {"conversationSteps": [made]}}
        step = {"taskToolCall": {"args": {"prompt": "Find it"}, "result": result}}
    named = {"subtype": "completed", "call_id": f"c{number}"}
    return line("tool_call", **named, tool_call=step) | at(number)


def to_dos(n: int, side: int) -> Event:
    """Return a list of n tasks; every fifth task differs on each side."""
    tasks = [
        {"id": f"{i}", "content": f"Task {i} {side if i % 5 == 0 else ''}"}
        for i in range(n)
    ]
    return called(1, "updateTodos", {"todos": tasks}, {"todos": tasks})
