"""Longer runs for pages: many calls, some of which fail, with the agent's words."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

_BEGIN = 1_790_000_000_000
_SESSION = "5f3b"
_DIRECTORY = "/home/dev/shop"


@functools.cache
def long_run(calls: int, seed: int = 3, has_times: bool = True) -> bytes:
    """Return the log of a run that migrates a shop, part by part."""
    dice = random.Random(seed)
    clock = _BEGIN
    prompt = "Migrate the shop to the new `price` module and keep all tests green."
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": _DIRECTORY, "model": "Auto"},
        {"type": "user", "message": _message(prompt)},
    ]
    for number in range(calls):
        clock += dice.randrange(50, 4000)
        part = number // 37
        if number % 37 == 0:
            words = f"Now part {part}: the files in `src/part_{part}`, then the tests."
            stamped = {"timestamp_ms": clock, "model_call_id": f"m{number}"}
            events.append({"type": "assistant", "message": _message(words), **stamped})
        call_id = f"c{number}"
        arguments, body = _call(dice, part, number)
        usual = {"type": "tool_call", "call_id": call_id}
        started = {"subtype": "started", "tool_call": arguments, "timestamp_ms": clock}
        clock += dice.choice([20, 40, 300, 1500, 9000])
        ended = {"subtype": "completed", "tool_call": body, "timestamp_ms": clock}
        events += [usual | started, usual | ended]
    words = "All parts are migrated, and **all tests pass**."
    events.append({"type": "assistant", "message": _message(words)})
    result = {"type": "result", "subtype": "success", "duration_ms": clock - _BEGIN}
    events.append(result)
    for event in events:
        event["session_id"] = _SESSION
        if not has_times:
            event.pop("timestamp_ms", None)
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


@functools.cache
def retold(log: bytes, seed: int = 5) -> bytes:
    """Return the log of another run of the same task: some calls are other ones.

    About ten in a hundred calls are dropped, ten have other arguments and five end
    otherwise.
    """
    dice = random.Random(seed)
    fates: dict[str, float] = {}
    told = []
    for event in map(json.loads, log.splitlines()):
        if event["type"] == "tool_call":
            fate = fates.setdefault(event["call_id"], dice.random())
            if fate < 0.1:
                continue
            _retell(event["tool_call"], fate)
        elif event["type"] == "assistant":
            [part] = event["message"]["content"]
            part["text"] = part["text"].replace("**all tests pass**", "most tests pass")
        told.append(f"{json.dumps(event)}\n")
    return "".join(told).encode()


def _retell(call: dict[str, Any], fate: float) -> None:
    """Change the arguments of a call, or how it ended."""
    [(kind, body)] = call.items()
    if fate < 0.2 and kind == "shellToolCall":
        body["args"]["command"] += " --last-failed"
    elif fate < 0.2 and "success" in body.get("result", ()):
        body["result"]["success"]["afterFullFileContent"] = "a\nd\n"
    elif fate > 0.95 and kind == "shellToolCall" and "result" in body:
        is_failed = "failure" in body["result"]
        arm = "success" if is_failed else "failure"
        body["result"] = {arm: {"stdout": "", "exitCode": int(not is_failed)}}


def _message(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _call(
    dice: random.Random, part: int, number: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a call as its first line has it, and as its last one does."""
    path = f"{_DIRECTORY}/src/part_{part}/file_{dice.randrange(9)}.py"
    kind = dice.choice(["read", "read", "grep", "edit", "shell", "shell"])
    has_failed = dice.random() < 0.12
    lines = dice.randrange(1, 40)
    output = "".join(f"line {at} of call {number}\n" for at in range(lines))
    arguments: dict[str, Any] = {"path": path}
    result: dict[str, Any] = {"success": {"content": output}}
    if kind == "shell":
        arguments = {"command": f"pytest -q tests/test_{part}.py -k case_{number % 5}"}
        arm = "failure" if has_failed else "success"
        result = {arm: {"stdout": output, "exitCode": int(has_failed)}}
    elif kind == "edit" and has_failed:
        result = {"error": {"error": "The text to replace was not found."}}
    elif kind == "edit":
        contents = {"beforeFullFileContent": "a\nb\n", "afterFullFileContent": "a\nc\n"}
        result = {"success": contents}
    elif kind == "grep":
        arguments = {"pattern": "price", "path": path}
    body = {"args": arguments, "result": result}
    return {f"{kind}ToolCall": {"args": arguments}}, {f"{kind}ToolCall": body}


def many_runs(total: int) -> dict[str, bytes]:
    """Return logs by their names: two models with some tasks, five times each."""
    return dict(map(one_of_many, range(total)))


def one_of_many(number: int) -> tuple[str, bytes]:
    """Return one of these logs and its name."""
    dice = random.Random(number)
    version, task = "ab"[number % 2], number // 10
    calls = min(int(dice.lognormvariate(3.2, 0.6)) + 3, 140)
    lines = long_run(calls, seed=number).replace(
        b'"model": "Auto"', f'"model": "Composer {version.upper()}"'.encode()
    )
    lines = lines.replace(b"Migrate the shop to", b"Task %d: move to" % task)
    *others, result = lines.splitlines(keepends=True)
    chance = dice.random()
    tokens = dice.randrange(40, 90) * calls
    usage = {"inputTokens": 900 * calls, "outputTokens": tokens}
    told = json.loads(result) | {"usage": usage}
    if chance < 0.06:
        told |= {"subtype": "error", "is_error": True}
    log = [*others, f"{json.dumps(told)}\n".encode()]
    if 0.06 <= chance < 0.1:
        log = others[: len(others) // 2]
    return f"{version}/task-{task}/{number % 10 // 2 + 1}.ndjson", b"".join(log)
