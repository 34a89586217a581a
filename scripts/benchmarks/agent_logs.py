"""Logs of other agents to measure with, made from the calls of `logs`."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

_DICE = random.Random("agents")
_WORDS = [
    "price",
    "tax",
    "total",
    "order",
    "customer",
    "basket",
    "return",
    "value",
    "list",
    "index",
    "test",
]
_SESSION = "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"
_CODE = "\n".join(
    f"def {a}_{b}({b}: int) -> int: return {a}.{b}[{number}]"
    for number, (a, b) in enumerate(itertools.product(_WORDS * 4, _WORDS * 4))
)
_SIZES = (200, 800, 3_000, 9_000)
Line = dict[str, Any]


def write(path: Path, agent: str, size: int) -> None:
    """Write a log of one run of an agent with about `size` bytes."""
    begin, step, end = _AGENTS[agent]
    with path.open("wb") as log:
        written = sum(log.write(_line(line)) for line in begin())
        for number in itertools.count():
            if written >= size:
                break
            written += sum(log.write(_line(line)) for line in step(number))
        for line in end():
            log.write(_line(line))


def _line(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def _words(number: int) -> str:
    return " ".join(_DICE.choices(_WORDS, k=number))


def _output() -> str:
    length = _DICE.choice(_SIZES)
    begin = _DICE.randrange(len(_CODE) - length)
    return _CODE[begin : begin + length]


def _stamp(number: int) -> str:
    hours, rest = divmod(number, 3600)
    return f"2026-11-01T{hours % 24:02}:{rest // 60:02}:{rest % 60:02}.120Z"


def _claude_begin() -> list[Line]:
    return [
        {
            "type": "system",
            "subtype": "init",
            "cwd": "/home/dev/shop",
            "session_id": _SESSION,
            "tools": ["Bash", "Read"],
            "mcp_servers": [],
            "model": "claude-sonnet-5",
            "permissionMode": "default",
            "claude_code_version": "2.1.205",
            "uuid": "u0",
        }
    ]


def _claude_message(number: int, block: Line) -> Line:
    usage = {"input_tokens": 2, "cache_read_input_tokens": 40534, "output_tokens": 4}
    message = {"model": "claude-sonnet-5", "id": f"msg_{number}", "type": "message"}
    message |= {"role": "assistant", "content": [block], "usage": usage}
    return {
        "type": "assistant",
        "message": message,
        "parent_tool_use_id": None,
        "session_id": _SESSION,
        "uuid": f"a{number}",
        "request_id": "req_011",
    }


def _claude_result(number: int, output: str) -> Line:
    block = {"tool_use_id": f"toolu_{number}", "type": "tool_result", "content": output}
    is_shell = number % 2
    rich: Line = {"stdout": output, "stderr": "", "interrupted": False}
    if not is_shell:
        file = {"filePath": f"/home/dev/shop/{number}.py", "content": output}
        rich = {"type": "text", "file": {**file, "numLines": 9, "totalLines": 9}}
    return {
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "parent_tool_use_id": None,
        "session_id": _SESSION,
        "uuid": f"r{number}",
        "timestamp": _stamp(number),
        "tool_use_result": rich,
    }


def _claude_step(number: int) -> Iterator[Line]:
    if number % 3 == 0:
        yield _claude_message(number, {"type": "text", "text": _words(30)})
    use: Line = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash"}
    use["input"] = {"command": f"pytest -q {number}", "description": _words(5)}
    if number % 2 == 0:
        path = {"file_path": f"/home/dev/shop/{number}.py"}
        use |= {"name": "Read", "input": path}
    yield _claude_message(number, use)
    yield _claude_result(number, _output())


def _claude_end() -> list[Line]:
    text = _words(30)
    return [
        _claude_message(0, {"type": "text", "text": text}),
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "duration_ms": 9,
            "num_turns": 2,
            "result": text,
            "usage": {},
            "session_id": _SESSION,
            "total_cost_usd": 0.1,
        },
    ]


def _claude_deltas(number: int) -> Iterator[Line]:
    deltas = [_words(3) for _ in range(60)]
    for text in deltas:
        delta = {"type": "text_delta", "text": text}
        event = {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {
            "type": "stream_event",
            "event": event,
            "session_id": _SESSION,
            "parent_tool_use_id": None,
            "uuid": f"d{number}",
        }
    yield _claude_message(number, {"type": "text", "text": "".join(deltas)})
    yield from _claude_step(3 * number + 1)


def _session_begin() -> list[Line]:
    message = {"role": "user", "content": "Make the tests pass."}
    return [_in_session(0, {"type": "user", "message": message}, "p", None)]


def _in_session(number: int, line: Line, mark: str, parent: str | None) -> Line:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/shop",
        "sessionId": _SESSION,
        "version": "2.1.77",
        "gitBranch": "main",
        **line,
        "uuid": f"{mark}{number}",
        "timestamp": _stamp(number),
    }


def _session_step(number: int) -> Iterator[Line]:
    # The step before has three lines if it begins with a text.
    parent = f"{1 + (number % 3 == 1)}-{number - 1}" if number else "p0"
    for at, line in enumerate(_claude_step(number)):
        inner = {"type": line["type"], "message": line["message"]}
        if "tool_use_result" in line:
            inner["toolUseResult"] = line["tool_use_result"]
        yield _in_session(number, inner, f"{at}-", parent)
        parent = f"{at}-{number}"


def _exec_begin() -> list[Line]:
    started = {"type": "thread.started", "thread_id": _SESSION}
    return [started, {"type": "turn.started"}]


def _exec_step(number: int) -> Iterator[Line]:
    if number % 3 == 0:
        text = {"id": f"item_{number}m", "type": "agent_message", "text": _words(30)}
        yield {"type": "item.completed", "item": text}
    item = {
        "id": f"item_{number}",
        "type": "command_execution",
        "command": f"/bin/zsh -lc 'pytest -q {number}'",
        "aggregated_output": "",
        "exit_code": None,
        "status": "in_progress",
    }
    yield {"type": "item.started", "item": item}
    ended = {"aggregated_output": _output(), "exit_code": 0, "status": "completed"}
    yield {"type": "item.completed", "item": {**item, **ended}}


def _exec_end() -> list[Line]:
    usage = {"input_tokens": 103412, "cached_input_tokens": 87040, "output_tokens": 576}
    return [{"type": "turn.completed", "usage": usage}]


def _in_rollout(number: int, kind: str, payload: Line) -> Line:
    return {"timestamp": _stamp(number), "type": kind, "payload": payload}


def _rollout_begin() -> list[Line]:
    meta = {"id": _SESSION, "cwd": "/home/dev/shop", "cli_version": "0.130.0"}
    said = {"type": "user_message", "message": "Make the tests pass."}
    return [_in_rollout(0, "session_meta", meta), _in_rollout(0, "event_msg", said)]


def _rollout_step(number: int) -> Iterator[Line]:
    if number % 3 == 0:
        text = _words(30)
        content = [{"type": "output_text", "text": text}]
        message = {"type": "message", "role": "assistant", "content": content}
        yield _in_rollout(number, "response_item", message)
        said = {"type": "agent_message", "message": text}
        yield _in_rollout(number, "event_msg", said)
    call = {"type": "function_call", "name": "exec_command", "call_id": f"c{number}"}
    call["arguments"] = msgspec.json.encode({"cmd": f"pytest -q {number}"}).decode()
    yield _in_rollout(number, "response_item", call)
    head = "Chunk ID: 94bd74\nWall time: 0.0000 seconds\nProcess exited with code 0\n"
    output = f"{head}Original token count: 12\nOutput:\n{_output()}"
    ended = {"type": "function_call_output", "call_id": f"c{number}", "output": output}
    yield _in_rollout(number, "response_item", ended)


def _opencode_step(number: int) -> Iterator[Line]:
    def line(kind: str, part: Line) -> Line:
        stamp = 1793180000000 + number
        return {"type": kind, "timestamp": stamp, "sessionID": "ses_1", "part": part}

    yield line("step_start", {"id": f"prt_{number}", "type": "step-start"})
    if number % 3 == 0:
        yield line("text", {"type": "text", "text": _words(30)})
    output = _output()
    state = {
        "status": "completed",
        "input": {"command": f"pytest -q {number}"},
        "output": output,
        "metadata": {"output": output, "exit": 0},
        "time": {"start": 1793180000000, "end": 1793180000009},
    }
    part = {"type": "tool", "callID": f"c{number}", "tool": "bash", "state": state}
    yield line("tool_use", part)
    tokens = {"input": 2, "output": 3, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    yield line("step_finish", {"reason": "tool-calls", "cost": 0, "tokens": tokens})


def _nothing() -> list[Line]:
    return []


Begin = Callable[[], list[Line]]
_AGENTS: dict[str, tuple[Begin, Callable[[int], Iterator[Line]], Begin]] = {
    "claude-stream": (_claude_begin, _claude_step, _claude_end),
    "claude-stream, deltas": (_claude_begin, _claude_deltas, _claude_end),
    "claude-session": (_session_begin, _session_step, _nothing),
    "codex-exec": (_exec_begin, _exec_step, _exec_end),
    "codex-rollout": (_rollout_begin, _rollout_step, _nothing),
    "opencode": (_nothing, _opencode_step, _nothing),
}
NAMES = tuple(_AGENTS)
