"""Logs to measure with, made from a seed in the shape of real ones of 2026."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

SESSION = "0b51c1de-7a40-4f0e-9a55-3c1d5e0f7a21"
_ROOT = "/home/dev/shop"
_INIT = {
    "subtype": "init",
    "apiKeySource": "login",
    "cwd": _ROOT,
    "model": "Auto",
    "permissionMode": "default",
}
_FIRST_MS = 1_793_180_000_000
_PROSE = "price tax total order customer basket return value list index test check"
_NAMES = "line file module function class name error result number string option"
_WORDS = f"{_PROSE} {_NAMES}".split()
_CODE = (
    "def {a}_{b}({c}: int, {b}: str) -> str:",
    "    if {a} is None or {b} == '{c}':",
    "        return {a}.{b}[{c}] + 1",
    '    """Say what the {a} of a {b} is."""',
    "",
    "    for {c} in {a}.{b}():",
    '        print(f"{{{c}}}: {a} {b}")',
)
_ODD = ("naïve café", "größer als", "→ next", "✓ done")


class Profile(NamedTuple):
    """One step of a run: the number of deltas, then of calls, and sizes of payloads."""

    name: str
    line: str
    deltas: int
    calls: int
    payloads: tuple[int, ...]


PROFILES = (
    Profile("mixed", "0.9 kB a line", 24, 2, (400, 3_000, 8_000, 28_000)),
    Profile("tool-heavy", "5 kB a line", 1, 3, (500, 4_000, 11_000, 34_000)),
    Profile("delta-heavy", "0.2 kB a line", 300, 1, (400,)),
)


def write(
    path: Path, profile: Profile, size: int, odd: bytes = b"", seed: str = ""
) -> None:
    """Write a log of one run with about `size` bytes.

    `odd` is written after each 30th line; it includes its line feed. Logs of one seed
    are alike.
    """
    with path.open("wb") as log:
        written = 0
        for number, line in enumerate(lines(profile, size, seed)):
            if odd and number % 30 == 29:
                log.write(odd)
            written += log.write(line)


def lines(profile: Profile, size: int, seed: str = "") -> Iterator[bytes]:
    """Yield the lines of a run until they have about `size` bytes."""
    writer = _Writer(profile, seed)
    yield writer.line("system", **_INIT)
    yield writer.message("user", "Make the tests pass.")
    while writer.size < size:
        yield from writer.step()
    text = writer.words(30)
    yield writer.message("assistant", text)
    yield writer.line(
        "result",
        subtype="success",
        duration_ms=writer.clock - _FIRST_MS,
        is_error=False,
        result=text,
    )


class _Writer:
    """Writes lines that share the dice and the clock."""

    def __init__(self, profile: Profile, seed: str) -> None:
        self.profile = profile
        self.size = 0
        self.clock = _FIRST_MS
        self._dice = random.Random(profile.name + seed)
        self._calls = 0
        # Made once: the payloads of calls are cut out of it.
        self._code, after = _code(profile.name)
        if not seed:
            self._dice.setstate(after)

    def line(self, kind: str, **members: Any) -> bytes:
        """Encode one event."""
        event = {"type": kind, **members, "session_id": SESSION}
        if kind in ("assistant", "thinking", "tool_call"):
            event["timestamp_ms"] = self.clock
        line = msgspec.json.encode(event) + b"\n"
        self.size += len(line)
        self.clock += 7
        return line

    def message(self, who: str, text: str, **members: Any) -> bytes:
        """Encode a message, or a delta of one."""
        message = {"role": who, "content": [{"type": "text", "text": text}]}
        return self.line(who, message=message, **members)

    def step(self) -> Iterator[bytes]:
        """Thinking, a text in deltas and once more whole, and calls side by side."""
        deltas = self.profile.deltas
        for _ in range(deltas // 3):
            yield self.line("thinking", subtype="delta", text=self.words(3))
        if deltas > 2:
            yield self.line("thinking", subtype="completed")
        parts = [self.words(3) for _ in range(deltas - deltas // 3)]
        for part in parts:
            yield self.message("assistant", part)
        step = f"59ff63a6-195e-463f-89ce-f26a820987bf-{self._calls}-c94p"
        yield self.message("assistant", "".join(parts), model_call_id=step)
        calls = [self._call() for _ in range(self.profile.calls)]
        for call_id, key, args, _, stamp in calls:
            yield self._frame("started", call_id, key, {"args": args}, stamp, step)
        for call_id, key, args, result, stamp in calls:
            body = {"args": args, "result": result}
            yield self._frame("completed", call_id, key, body, stamp, step)

    def words(self, number: int) -> str:
        """Make prose, a little of it not ASCII."""
        prose = " ".join(self._dice.choices(_WORDS, k=number))
        if self._dice.random() < 0.02:
            prose += f" {self._dice.choice(_ODD)}"
        return f" {prose}"

    def _frame(
        self,
        subtype: str,
        call_id: str,
        key: str,
        body: dict[str, Any],
        stamp: int,
        step: str,
    ) -> bytes:
        call = {
            key: body,
            "hookAdditionalContexts": [],
            "toolCallId": call_id,
            "startedAtMs": str(stamp),
        }
        if subtype == "completed":
            call["completedAtMs"] = str(self.clock)
        return self.line(
            "tool_call",
            subtype=subtype,
            call_id=call_id,
            tool_call=call,
            model_call_id=step,
        )

    def _call(self) -> tuple[str, str, dict[str, Any], dict[str, Any], int]:
        """Make a call: its id, key, arguments, result and start time."""
        self._calls += 1
        call_id = (
            f"call-bb11656a-e59e-4356-9866-5b206aedb390-{self._calls}\n"
            f"fc_35bc3e26-1dfc-9c07-b668-4c50a744b8f9_{self._calls}"
        )
        path = f"{_ROOT}/src/{self._dice.choice(_WORDS)}_{self._calls % 97}.py"
        payload = self._payload()
        make = self._dice.choices(
            (_read, _edit, _shell, _grep, _glob), (5, 3, 4, 2, 1)
        )[0]
        key, args, result = make(path, payload, self._dice)
        return call_id, key, args, {"success": result}, self.clock

    def _payload(self) -> str:
        length = self._dice.choice(self.profile.payloads)
        begin = self._dice.randrange(len(self._code) - length)
        text = self._code[begin : begin + length]
        return f"{text}\n# {_ODD[0]}\n" if self._dice.random() < 0.1 else f"{text}\n"


@functools.cache
def _code(name: str) -> tuple[str, tuple[Any, ...]]:
    """Make code for the logs of a profile; return it with the dice after it."""
    dice = random.Random(name)
    code = "\n".join(
        dice.choice(_CODE).format(
            a=dice.choice(_WORDS), b=dice.choice(_WORDS), c=dice.choice(_WORDS)
        )
        for _ in range(4_000)
    )
    return code, dice.getstate()


_Made = tuple[str, dict[str, Any], dict[str, Any]]


def _read(path: str, text: str, dice: random.Random) -> _Made:
    lines = text.count("\n")
    result = {
        "content": text,
        "isEmpty": False,
        "exceededLimit": False,
        "totalLines": lines,
        "fileSize": len(text),
        "path": path,
        "readRange": {"startLine": 1, "endLine": lines},
        "relatedCursorRulePaths": [],
        "relatedCursorRules": [],
    }
    return "readToolCall", {"path": path}, result


def _edit(path: str, text: str, dice: random.Random) -> _Made:
    # Three times the payload in one line would be another profile.
    before = text[: len(text) // 2].split("\n")
    at = dice.randrange(len(before))
    line = f"    # {dice.choice(_WORDS)}"
    after = [*before[:at], line, *before[at + 1 :]]
    shown = range(max(at - 3, 0), min(at + 4, len(before)))
    diff = [f"--- a/{path}", f"+++ b/{path}"]
    diff.append(
        f"@@ -{shown.start + 1},{len(shown)} +{shown.start + 1},{len(shown)} @@"
    )
    for place in shown:
        diff += [f"-{before[at]}", f"+{line}"] if place == at else [f" {before[place]}"]
    result = {
        "path": path,
        "linesAdded": 1,
        "linesRemoved": 1,
        "diffString": "\n".join(diff),
        "beforeFullFileContent": "\n".join(before),
        "afterFullFileContent": "\n".join(after),
        "message": f"The file {path} has been updated.",
    }
    return "editToolCall", {"path": path, "streamContent": line}, result


def _shell(path: str, text: str, dice: random.Random) -> _Made:
    command = f"pytest -q {path}"
    words = [{"type": "word", "value": word} for word in ("-q", path)]
    parsed = [{"name": "pytest", "args": words, "fullText": command}]
    args = {
        "command": command,
        "workingDirectory": "",
        "timeout": 30000,
        "simpleCommands": ["pytest"],
        "hasInputRedirect": False,
        "hasOutputRedirect": False,
        "parsingResult": {
            "parsingFailed": False,
            "executableCommands": parsed,
            "hasRedirects": False,
            "hasCommandSubstitution": False,
            "redirects": [],
        },
        "fileOutputThresholdBytes": "40000",
        "isBackground": False,
        "skipApproval": False,
        "timeoutBehavior": "TIMEOUT_BEHAVIOR_BACKGROUND",
        "hardTimeout": 86400000,
        "description": "Run the tests",
        "closeStdin": True,
    }
    # The output is recorded twice, as in real logs.
    printed = text[: len(text) // 2] + "\n"
    result = {
        "command": command,
        "workingDirectory": "",
        "exitCode": 0,
        "signal": "",
        "stdout": printed,
        "stderr": "",
        "executionTime": 1479,
        "interleavedOutput": printed,
        "localExecutionTimeMs": 280,
    }
    return "shellToolCall", args, result


def _grep(path: str, text: str, dice: random.Random) -> _Made:
    pattern = dice.choice(_WORDS)
    found = [
        {
            "lineNumber": number,
            "content": line,
            "contentTruncated": False,
            "isContextLine": False,
        }
        for number, line in enumerate(text.split("\n")[:40], 1)
    ]
    matches = [{"file": f"./{path.removeprefix(_ROOT)}", "matches": found}]
    content = {
        "matches": matches,
        "totalLines": len(found),
        "totalMatchedLines": len(found),
        "clientTruncated": False,
        "ripgrepTruncated": False,
    }
    args = {"pattern": pattern, "path": _ROOT, "caseInsensitive": False, "offset": 0}
    result = {
        "pattern": pattern,
        "path": _ROOT,
        "outputMode": "content",
        "workspaceResults": {_ROOT: {"content": content}},
    }
    return "grepToolCall", args, result


def _glob(path: str, text: str, dice: random.Random) -> _Made:
    files = [f"src/{word}.py" for word in dice.choices(_WORDS, k=30)]
    result = {
        "pattern": "",
        "path": _ROOT,
        "files": files,
        "totalFiles": len(files),
        "clientTruncated": False,
        "ripgrepTruncated": False,
    }
    return "globToolCall", {"targetDirectory": _ROOT, "globPattern": "**/*.py"}, result
