"""The work for a page grows only with the size of a log; it is counted, not timed."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import convert
from support.matrix import part

_STAMP = 1_790_000_000_000


def event(kind: str, number: int, **members: Any) -> dict[str, Any]:
    stamp = {"session_id": "s", "timestamp_ms": _STAMP + 1000 * number}
    return {"type": kind, **stamp, **members}


def said(number: int) -> dict[str, Any]:
    content = [{"type": "text", "text": f"Part {number}."}]
    message = {"role": "assistant", "content": content}
    return event("assistant", number, message=message, model_call_id=f"m{number}")


def thought_and_said(number: int) -> list[dict[str, Any]]:
    delta = event("thinking", number, subtype="delta", text="Hm.")
    return [delta, event("thinking", number, subtype="completed"), said(number)]


def never_ended(number: int) -> list[dict[str, Any]]:
    body = {"readToolCall": {"args": {"path": "a.py"}}}
    named = {"subtype": "started", "call_id": f"c{number}"}
    return [event("tool_call", number, **named, tool_call=body)]


def of_its_own(number: int) -> list[dict[str, Any]]:
    return [each | {"session_id": f"s{number}"} for each in never_ended(number)]


def work(log: bytes) -> int:
    """Return how many functions are called for the page of a log."""
    calls = 0

    def count(frame: Any, what: str, argument: Any) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    sys.setprofile(count)
    try:
        list(convert.convert([log], "html", thinking=True))
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("events", "step"),
    part([(thought_and_said, 60), (never_ended, 30), (of_its_own, 8)], 3),
)
def test_work_grows_like_the_log(
    events: Callable[[int], list[dict[str, Any]]], step: int
) -> None:
    logs = [
        b"".join(
            json.dumps(line).encode() + b"\n"
            for number in range(count * step)
            for line in events(number)
        )
        for count in (1, 1, 2, 3)
    ]

    # The first page loads modules.
    _, one, two, three = map(work, logs)

    assert three - two < 1.2 * (two - one)


def outputs(count: int, lines: int) -> Iterator[bytes]:
    """Yield a log of commands that print so many lines each."""
    for number in range(count):
        text = "".join(f"{number} passed, {line} left\n" for line in range(lines))
        done = {"success": {"stdout": text, "exitCode": 0}}
        body = {
            "shellToolCall": {"args": {"command": f"make {number}"}, "result": done}
        }
        named = {"subtype": "completed", "call_id": f"c{number}"}
        yield json.dumps(event("tool_call", number, **named, tool_call=body)).encode()
        yield b"\n"


def most_memory(log: Iterator[bytes]) -> int:
    """Return the most memory that the page of a log takes, while it is read."""
    tracemalloc.start()
    for _ in convert.convert(log, "html"):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.seldom
def test_a_page_does_not_keep_outputs_that_it_does_not_show() -> None:
    count, lines = 60, 2000
    longest = max(map(len, outputs(1, lines)))
    most_memory(outputs(1, 1))

    short, long = (most_memory(outputs(count, each)) for each in (50, lines))

    # A line is read whole, and decoded; the page shows as much of both.
    assert long - short < 10 * longest < count * longest / 5
