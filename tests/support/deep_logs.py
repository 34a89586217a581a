"""Logs with one value nested deeply, in each position and each layout of lines."""

from __future__ import annotations

import json
from collections.abc import Callable

_SESSION = '"session_id":"s"'
_INIT = f'{{"type":"system","subtype":"init","cwd":"/x","model":"m",{_SESSION}}}'
_TEXT = (
    '{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]},'
    f"{_SESSION}}}"
)
_RESULT = (
    '{"type":"result","subtype":"success","is_error":false,"result":"Done.",'
    f'"duration_ms":5,{_SESSION}}}'
)

VALUES: dict[str, Callable[[int], str]] = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "objects": lambda depth: '{"a":' * depth + "1" + "}" * depth,
    "lists beside half an emoji": lambda depth: (
        f'["\\ud800",{"[" * (depth - 1)}{"]" * (depth - 1)}]'
    ),
    "lists around half an emoji": lambda depth: "[" * depth + '"\\ud800"' + "]" * depth,
}


def _call(tool: str, arguments: str, result: str = "", more: str = "") -> str:
    body = f'"args":{arguments}' + (f',"result":{result}' if result else "")
    subtype = "completed" if result else "started"
    return (
        f'{{"type":"tool_call","subtype":"{subtype}","call_id":"c",'
        f'"tool_call":{{"{tool}":{{{body}}}{more}}},{_SESSION}}}'
    )


def _event(kind: str, members: str) -> str:
    return f'{{"type":"{kind}",{members},{_SESSION}}}'


def _function(arguments: str) -> str:
    body = f'"name":"f","arguments":{json.dumps(arguments)}'
    return _call("function", "{}", '{"success":{}}').replace('"args":{}', body)


def _step(value: str) -> str:
    call = f'{{"args":{{"path":{value}}},"result":{{"success":{{"a":{value}}}}}}}'
    steps = f'[{{"toolCall":{{"readToolCall":{call}}}}}]'
    return _task(f'{{"success":{{"conversationSteps":{steps}}}}}')


def _task(result: str) -> str:
    return _call("taskToolCall", '{"prompt":"p"}', result)


_DONE = '{"success":{}}'
_PATH = '{"path":"x"}'
POSITIONS: dict[str, Callable[[str], list[str]]] = {
    "argument": lambda v: [_call("readToolCall", f'{{"path":"x","a":{v}}}', _DONE)],
    "argument of both lines": lambda v: [
        _call("readToolCall", f'{{"path":"x","a":{v}}}'),
        _call("readToolCall", f'{{"path":"x","a":{v}}}', _DONE),
    ],
    "argument that differs": lambda v: [
        _call("readToolCall", f'{{"path":"x","a":{v}}}'),
        _call("readToolCall", f'{{"path":"x","a":[{v}]}}', _DONE),
    ],
    "argument of a server": lambda v: [
        _call("mcpToolCall", f'{{"toolName":"t","args":{{"a":{v}}}}}', _DONE)
    ],
    "arguments": lambda v: [_call("readToolCall", v, _DONE)],
    "output": lambda v: [_call("readToolCall", _PATH, f'{{"success":{{"a":{v}}}}}')],
    "arm": lambda v: [_call("readToolCall", _PATH, f'{{"error":{v}}}')],
    "result of a call": lambda v: [_call("readToolCall", _PATH, v)],
    "content before an edit": lambda v: [
        _call("editToolCall", _PATH, f'{{"success":{{"beforeFullFileContent":{v}}}}}')
    ],
    "unknown tool": lambda v: [_call("mintedToolCall", v, f'{{"success":{v}}}')],
    "output of a command": lambda v: [
        _call(
            "shellToolCall",
            f'{{"command":"ls","a":{v}}}',
            f'{{"failure":{{"exitCode":1,"stdout":{v}}}}}',
        )
    ],
    "to-dos": lambda v: [
        _call(
            "updateTodosToolCall",
            f'{{"todos":[{{"content":"x","a":{v}}}]}}',
            f'{{"success":{{"todos":{v}}}}}',
        )
    ],
    "folder": lambda v: [
        _call("lsToolCall", _PATH, f'{{"success":{{"directoryTreeRoot":{v}}}}}')
    ],
    "beside a tool": lambda v: [_call("readToolCall", _PATH, _DONE, f',"new":{v}')],
    "unknown member": lambda v: [
        _event("thinking", f'"subtype":"delta","text":"x","new":{v}')
    ],
    "unknown event": lambda v: [_event("novelty", f'"a":{v}')],
    "picture": lambda v: [
        _event("user", f'"message":{{"content":[{{"type":"image","data":{v}}}]}}')
    ],
    "content of a message": lambda v: [
        _event("assistant", f'"message":{{"content":{v}}}')
    ],
    "message": lambda v: [_event("assistant", f'"message":{v}')],
    "text": lambda v: [
        _event("assistant", f'"message":{{"content":[{{"type":"text","text":{v}}}]}}')
    ],
    "error": lambda v: [_event("error", f'"message":"x","a":{v}')],
    "message of an error": lambda v: [_event("error", f'"error":{v}')],
    "connection": lambda v: [_event("connection", f'"subtype":"reconnecting","a":{v}')],
    "query": lambda v: [
        _event(
            "interaction_query",
            '"subtype":"request","query_type":"q",'
            f'"query":{{"id":1,"askQuestionInteractionQuery":{v}}}',
        )
    ],
    "response": lambda v: [
        _event(
            "interaction_query",
            f'"subtype":"response","query_type":"q","response":{{"id":1,"a":{v}}}',
        )
    ],
    "step of a subagent": lambda v: [_step(v)],
    "steps of a subagent": lambda v: [
        _task(f'{{"success":{{"conversationSteps":{v}}}}}')
    ],
    "arguments in a string": lambda v: [_function(v)],
    "argument in a string": lambda v: [_function(f'{{"a":{v}}}')],
    "output in a string": lambda v: [
        _call("readToolCall", _PATH, f'{{"success":{{"content":{json.dumps(v)}}}}}')
    ],
    "text of a server": lambda v: [
        _call(
            "mcpToolCall",
            '{"toolName":"t","args":{}}',
            f'{{"success":{{"content":[{{"text":{{"text":{json.dumps(v)}}}}}]}}}}',
        )
    ],
    "event of a recorder": lambda v: [
        json.dumps({"t": 1, "line": _call("readToolCall", f'{{"a":{v}}}', _DONE)})
    ],
    "member of a recorder": lambda v: [
        f'{{"t":1,"a":{v},"line":{json.dumps(_call("readToolCall", _PATH, _DONE))}}}'
    ],
    "member of the result": lambda v: [
        _event("result", f'"subtype":"success","a":{v}')
    ],
    "text of the result": lambda v: [
        _event("result", f'"subtype":"success","result":{v}')
    ],
    "result without text": lambda v: [
        _event("result", f'"subtype":"success","a":{v},"result":null')
    ],
    "usage": lambda v: [_event("result", f'"subtype":"success","usage":{v}')],
    "member of an init": lambda v: [_event("system", f'"subtype":"init","tools":{v}')],
    "no event": lambda v: [v],
    "object": lambda v: [f'{{"a":{v}}}'],
}


def _spread(event: str) -> str:
    """Write an event over lines."""
    inner = event[1:-1].replace(',"', ',\n "')
    return f"{event[0]}\n{inner}\n{event[-1]}\n"


LAYOUTS: dict[str, Callable[[list[str]], str]] = {
    "one on a line": lambda events: "".join(f"{event}\n" for event in events),
    "all on one line": lambda events: "".join(events) + "\n",
    "all on one line before empty ones": lambda events: (
        "".join(events) + "\n" * len(events)
    ),
    "over lines": lambda events: "".join(map(_spread, events)),
    "half an emoji beside": lambda events: "".join(
        event.replace('"s"', '"\\ud800"') + "\n" for event in events
    ),
    "after a prefix": lambda events: "".join(f"12:00 out: {e}\n" for e in events),
    "before text": lambda events: "".join(f"{event} and more\n" for event in events),
    "in an array": lambda events: "[" + ",".join(events) + "]",
    "after a torn event": lambda events: "".join(
        f'{{"type":"x","a":{event}\n' for event in events
    ),
    "invalid UTF-8": lambda events: "".join(
        f'{event[:-1]},"q":"\udcff"}}\n' if event[0] == "{" else f"{event}\n"
        for event in events
    ),
    "cut": lambda events: "\n".join(events)[:-1],
}


def deep_log(position: str, layout: str, value: str) -> bytes:
    """Return a log of one run with a value in some position."""
    events = [_INIT, *POSITIONS[position](value), _TEXT, _RESULT]
    return LAYOUTS[layout](events).encode(errors="surrogateescape")
