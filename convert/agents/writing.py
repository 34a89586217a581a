"""Texts of results, arguments, ids of calls, turns and times, for all writers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from convert.agents.lines import RecentIds
from convert.agents.outputs import first_text
from convert.errors import Warn
from convert.model.events import Segment, ToolCall
from convert.model.json_lines import json_text
from convert.tools.phrases_and_outcomes import reason_of
from convert.tools.table import FOREIGN, NOISE, tool_of
from convert.wording.digests import blake2b
from convert.wording.numbers import count

Members = dict[str, Any]


def text_of_output(call: ToolCall) -> str:
    """Return the output of a call as text; "" if none is recorded."""
    found = _text(call)
    if found is None and call.output:
        return json_text(call.output)
    return found or ""


def _text(call: ToolCall) -> str | None:
    """Return the text that a call returned; None if its output is no text."""
    match call.steps:
        case [*_, Segment(text=answer)]:
            return answer
    if not isinstance(call.output, dict):
        return call.output if isinstance(call.output, str) else None
    found = _text_of_kind(call.kind, call.output)
    if found is None:
        # The members that hold the text of a tool, the plainest first.
        names = (
            tool_of(call.kind).text_member,
            *("interleavedOutput", "content", "markdown", "text", "answer", "results"),
        )
        texts = (call.output.get(name) for name in names)
        found = next((text for text in texts if isinstance(text, str)), None)
    return found


def _text_of_kind(kind: str, output: Members) -> str | None:
    """Return the text of an output in the form of its kind; None if it has another."""
    match kind, output:
        case "shell", _:
            return _shell(output)
        case "edit", _:
            # The effect of an edit, where its message does not have it.
            return first_text(output, "message", "diffString") or None
        case "glob", {"files": [*files]}:
            are_texts = all(isinstance(file, str) for file in files)
            return "\n".join(files) if are_texts else None
        case "grep", {"workspaceResults": dict(roots)}:
            lines = [line for found in roots.values() for line in _findings(found)]
            return "\n".join(lines)
        case "mcp", {"content": [*blocks]}:
            return "\n".join(filter(None, map(_block, blocks)))
        case "webSearch", {"references": [*pages]}:
            texts = (_reference(page) for page in pages if isinstance(page, dict))
            return "\n".join(filter(None, texts))
    return None


def text_of_result(call: ToolCall) -> str:
    """Return the text that the model got from a call, which may have failed.

    The exit code of a failed command comes before its output.
    """
    outcome = call.outcome
    if outcome is None or outcome.status == "ok":
        return text_of_output(call)
    if outcome.exit_code is not None:
        return f"Exit code {outcome.exit_code}\n{_printed(call)}".rstrip("\n")
    reason = outcome.message or reason_of(outcome)
    if not reason:
        return _text(call) or ""
    return "\n".join(filter(None, [reason, _printed(call)]))


def _printed(call: ToolCall) -> str:
    """Return the output of a command; "" for any other call."""
    if call.kind != "shell" or not isinstance(call.output, dict):
        return ""
    return _shell(call.output) or ""


def _shell(output: Members) -> str | None:
    whole = output.get("interleavedOutput")
    if isinstance(whole, str) and whole:
        return whole
    streams = [output.get("stdout"), output.get("stderr")]
    texts = [text for text in streams if isinstance(text, str)]
    if not texts:
        return "" if output.keys() <= {"exitCode", "signal"} else None
    first, *rest = [text for text in texts if text] or [""]
    between = "" if first.endswith("\n") else "\n"
    return between.join([first, *rest])


def _findings(found: Any) -> Iterator[str]:
    match found:
        case {"files": {"files": [*files]}}:
            yield from (file for file in files if isinstance(file, str))
        case {"count": {"counts": [*counts]}}:
            for each in counts:
                match each:
                    case {"file": str(file), "count": int(number)}:
                        yield f"{file}:{number}"
        case {"content": {"matches": [*files]}}:
            for file in files:
                match file:
                    case {"file": str(path), "matches": [*matches]}:
                        yield from (_match(path, each) for each in matches)


def _match(path: str, match: Any) -> str:
    members = match if isinstance(match, dict) else {}
    mark = "-" if members.get("isContextLine") else ":"
    number = members.get("lineNumber")
    place = "" if number is None else f"{number}{mark}"
    return f"{path}{mark}{place}{members.get('content', '')}"


def _block(block: Any) -> str:
    """Return the text of a block; Cursor nests it one level deeper."""
    match block:
        case {"text": str(text)} | {"text": {"text": str(text)}}:
            return text
        case {"image": {**picture}}:
            return f"({picture.get('mimeType') or 'image'})"
        case {"type": "image" | "document" | "audio" as kind}:
            return f"({block.get('mimeType') or kind})"
    return json_text(block) if isinstance(block, dict) else str(block)


def _reference(page: Members) -> str:
    parts = (page.get(name) for name in ("title", "url", "chunk"))
    return "\n".join(part for part in parts if isinstance(part, str) and part)


# Comparisons ignore these as well, but the model wrote them.
_PASSED = frozenset(
    {"description", "explanation", "model", "shellId", "taskId", "timeout"}
)


def passed_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the arguments that the model passed, without ids and parsed commands."""
    arguments = call.arguments or {}
    if call.kind in FOREIGN:
        return arguments
    added = {*NOISE.arguments, *tool_of(call.kind).noise.arguments} - _PASSED
    return {name: value for name, value in arguments.items() if name not in added}


# The ids of Cursor hold line feeds.
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]+")
# A long id is cut and ends with a digest of the whole id, so that it is the same
# everywhere and differs from other ids. The number of hexadecimal digits:
_DIGITS = 12


class CallIds:
    """The ids of the open calls of a run, by the numbers of the calls.

    None has more than `longest` characters; 0 means any number.
    """

    def __init__(self, longest: int = 0) -> None:
        self._longest = longest
        self._open: dict[int, str] = {}
        self._taken = RecentIds()
        # The last open call that has an id in the log.
        self._own: dict[str, str] = {}

    def has(self, call: ToolCall) -> bool:
        """Return True if a call is open."""
        return call.number in self._open

    def begin(self, call: ToolCall) -> str:
        """Return the id of a call that begins: its own, unless that is taken."""
        own = self._allowed(call.id)
        id = own if own and self._taken.add(own) else f"call-{call.number}"
        while id != own and not self._taken.add(id):
            id += "_"
        self._open[call.number] = id
        if call.id:
            self._own[call.id] = id
        return id

    def of(self, call: ToolCall) -> str:
        """Return the id of an open call."""
        return self._open[call.number]

    def named(self, id: str) -> str:
        """Return the id of the open call that has an id in the log, else that id."""
        return self._own.get(id) or self._allowed(id)

    def end(self, call: ToolCall) -> None:
        """Forget a call that has ended."""
        id = self._open.pop(call.number, "")
        if self._own.get(call.id) == id:
            del self._own[call.id]

    def _allowed(self, id: str) -> str:
        """Return an id with the characters and of the length that are allowed."""
        own = _NOT_IN_IDS.sub("_", id)
        if not 0 < self._longest < len(own):
            return own
        whole = id.encode(errors="surrogatepass")
        digits = blake2b(whole, digest_size=_DIGITS // 2).hexdigest()
        return f"{own[: self._longest - _DIGITS - 1]}-{digits}"


# A response of the model holds thoughts, a text and calls, in this order. A log records
# them one by one; some give the calls of one response an id that they share.
class Turns:
    """The messages of a run, by their numbers from 1."""

    def __init__(self) -> None:
        self.number = 0
        """The number of the last message."""

        self._response = ""
        self._is_open = self._has_calls = self._has_text = False

    def say(self) -> int:
        """Return the message of a text or a thought; after calls, it is another."""
        if not self._is_open or self._has_calls:
            self._begin("")
        return self.number

    def say_alone(self) -> int:
        """Return the message of a text; after another text, it is another."""
        if self._has_text:
            self.close()
        number = self.say()
        self._has_text = True
        return number

    def call(self, response: str) -> int:
        """Return the message of a call, which a response with this id made."""
        if response and response == self._response:
            self._is_open = True
        elif not self._is_open or (response and self._response):
            self._begin(response)
        self._response = response or self._response
        self._has_calls = True
        return self.number

    def close(self) -> None:
        """End the message: the next one is not the assistant's."""
        self._is_open = False

    def _begin(self, response: str) -> None:
        self.number += 1
        self._response = response
        self._is_open, self._has_calls = True, False
        self._has_text = False


def timestamp(milliseconds: int | None) -> str | None:
    """Return a time as ISO 8601; None for one that no calendar has."""
    if milliseconds is None:
        return None
    try:
        at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def warn_of_prompts(lacking: int, what: str, of_user: str, warn: Warn) -> None:
    """Warn once of runs without a request, which programs may refuse."""
    if lacking:
        reason = f"{count(lacking, what)} without a user {of_user}"
        warn(None, reason, "some programs refuse that")
