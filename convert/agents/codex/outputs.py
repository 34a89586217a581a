"""Outputs of tools, searches, changes and tokens, as the formats of Codex record them.

Codex gives its model outputs in four forms, by version:

0.40   {"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}, as text
0.66   Exit code: 0, Wall time: 0.1 seconds, Output:, a line each
0.130  Chunk ID: 94bd74, Wall time: …, Process exited with code 0, …, Output:
2026   a list of {"type":"input_text","text":…}, the first with `Script completed`

A text in none of these forms is all output, unless it begins as failures do.
"""

from __future__ import annotations

from typing import Any

import msgspec

from convert.agents.lines import added
from convert.agents.tool_names import NativeCall, RecordedCall, call_of
from convert.model.events import OK, Outcome, OutcomeStatus, Tokens
from convert.model.json_lines import json_text
from convert.wording import compiled
from convert.wording.escapes import repair_surrogates

_LINE = (
    r"(?:"
    r"(?:Exit code:|Process exited with code) (?P<code>-?\d{1,10})"
    r"|Wall time:? (?P<seconds>\d{1,9}(?:\.\d{1,20})?) seconds"
    r"|(?P<running>Process running with session ID|Script running with cell ID) \S+"
    r"|Script (?P<script>completed|failed|terminated)"
    r"|Chunk ID: \S+"
    r"|Original token count: \d+"
    r"|Total output lines: \d+"
    r"|(?P<output>(?:Final output|Output):)"
    r")(?:\r?\n|\Z)"
)
# The lines of 0.66 and 0.130 as most outputs have them, for one match instead of five.
_USUAL = (
    r"(?:Exit code: (-?\d{1,10})|Chunk ID: \S+)\n"
    r"Wall time: (\d{1,9}(?:\.\d{1,20})?) seconds\n"
    r"(?:Process exited with code (-?\d{1,10})\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:\n"
)
_REJECTED = (
    r"(?:exec command |patch |command )?rejected by (?:user|policy|configuration)"
    r"|approval policy is [^;]*; reject"
    r"|`[^`]*` rejected: "
    r"|This action was rejected"
    r"|user (?:rejected|cancelled) MCP tool call"
    r"|(?:exec_command|write_stdin) failed.*Rejected\("
)
_INTERRUPTED = r"aborted(?: by user)?(?: after [\d.]+s)?\s*\Z"
_FAILED = (
    r"failed in sandbox|execution error|apply_patch verification failed"
    r"|(?:exec_command|write_stdin) failed|failed to parse (?:function|exec_command)"
    r"|unsupported (?:custom tool )?call|tool call error|unable to locate image"
)


class ToolOutput(msgspec.Struct, frozen=True):
    """A tool's output, taken apart."""

    outcome: Outcome
    """How the call ended."""

    text: str
    """The text that the tool printed, without the lines of Codex."""

    exit_code: int | None = None
    """The exit code of a command; None if it is not recorded."""

    duration_ms: int | None = None
    """How long it took; None if it is not recorded."""

    arm: str = ""
    """`stillRunning` or `interrupted`; "" for any other end."""

    @property
    def shell(self) -> dict[str, Any]:
        """The output of a command, by the names of the model."""
        code = {} if self.exit_code is None else {"exitCode": self.exit_code}
        goes_on = {"isBackground": True} if self.arm == "stillRunning" else {}
        return {"interleavedOutput": self.text, **code, **goes_on}


def tool_output(output: Any) -> ToolOutput:
    """Return the facts of an output, in whichever form it is recorded."""
    if isinstance(output, str):
        inner = _structured(output) if output.startswith('{"') else None
        return inner or _of_usual(output) or _of_text(output)
    match output:
        case {"output": str(text), "metadata": dict(metadata)}:
            return _of_metadata(text, metadata)
        case {"content": content, **rest}:
            text = text_of(content)
            has_failed = rest.get("success") is False
            return failure(text) if has_failed else tool_output(text)
    return _of_text(text_of(output))


def text_of(output: Any) -> str:
    """Return the texts of an output; each picture in it is a line that says so."""
    match output:
        case None:
            return ""
        case str():
            return output
        case [*parts]:
            return "".join(map(_part, parts))
    return json_text(output)


def _part(part: Any) -> str:
    match part:
        case {"text": str(text)}:
            return text
        case {"type": str(kind)}:
            return f"[{kind}]\n"
    return text_of(part)


def _structured(output: str) -> ToolOutput | None:
    """Return the facts of a text in the form of 0.40; None for any other."""
    try:
        found = msgspec.json.decode(repair_surrogates(output))
    except (msgspec.MsgspecError, RecursionError):
        return None
    match found:
        case {"output": str(text), "metadata": dict(metadata)}:
            return _of_metadata(text, metadata)
    return None


def _of_metadata(text: str, metadata: dict[str, Any]) -> ToolOutput:
    code, seconds = metadata.get("exit_code"), metadata.get("duration_seconds")
    duration = round(seconds * 1000) if isinstance(seconds, int | float) else None
    exit_code = code if isinstance(code, int) else None
    return ToolOutput(_ended(exit_code), text, exit_code, duration)


def _of_usual(text: str) -> ToolOutput | None:
    """Return the result of `_of_text` for a text that begins as most do; else None."""
    found = compiled(_USUAL).match(text)
    if found is None:
        return None
    first, seconds, last = found.groups()
    if last is None and first is None:
        return None
    code = int(first if last is None else last)
    rest = text[found.end() :]
    return ToolOutput(_ended(code), rest, code, round(float(seconds) * 1000))


def _of_text(text: str) -> ToolOutput:
    """Return the facts in the lines before an output, and the output."""
    at = 0
    facts: dict[str, str] = {}
    line_at = compiled(_LINE).match
    while "output" not in facts and (line := line_at(text, at)):
        if line.lastgroup is not None:
            facts[line.lastgroup] = line[line.lastgroup]
        at = line.end()
    rest = text[at:]
    code = int(facts["code"]) if "code" in facts else None
    seconds = facts.get("seconds")
    duration = round(float(seconds) * 1000) if seconds else None
    outcome, arm = OK, ""
    if "running" in facts:
        arm = "stillRunning"
    elif code is not None:
        outcome = _ended(code)
    elif facts.get("script") in ("failed", "terminated") or is_failure(rest):
        failed = failure(rest or f"script {facts['script']}")
        outcome, arm = failed.outcome, failed.arm
    return ToolOutput(outcome, rest, code, duration, arm)


def _ended(code: int | None) -> Outcome:
    return Outcome("error", exit_code=code) if code else OK


def is_failure(text: str) -> bool:
    """Return True if a text begins like a reason why a call failed."""
    reasons = (_FAILED, _REJECTED, _INTERRUPTED)
    return any(compiled(words).match(text) for words in reasons)


def failure(text: str) -> ToolOutput:
    """Return the known facts of a call that failed, or that somebody refused."""
    message = text.strip()
    if compiled(_INTERRUPTED).match(message):
        return ToolOutput(Outcome("rejected", message=message), text, arm="interrupted")
    reason = message.removeprefix("Script error:").strip()
    is_refused = compiled(_REJECTED).match(reason)
    status: OutcomeStatus = "rejected" if is_refused else "error"
    return ToolOutput(Outcome(status, message=message), text)


def web_call(action: Any, query: str) -> NativeCall:
    """Return the call that searches the web, or that opens a page of it."""
    match action:
        case {"url": str(url), **rest}:
            pattern = {"pattern": rest["pattern"]} if "pattern" in rest else {}
            arguments = {"url": url, **pattern}
            return NativeCall("webFetch", native="web_search", arguments=arguments)
        case {"query": str(found)}:
            query = query or found
    return call_of("web_search", {"query": query})


def calls_of_changes(
    changes: list[Any], native: str, outcome: Outcome
) -> list[RecordedCall]:
    """Return a call for each change of which a log has only the path and the kind."""
    return [_change(change, native, outcome) for change in changes]


def _change(change: Any, native: str, outcome: Outcome) -> RecordedCall:
    match change:
        case {"path": str(path), "kind": "delete"}:
            call = NativeCall("delete", native=native, arguments={"path": path})
            return RecordedCall(call, outcome=outcome)
        case {"path": str(path), **rest}:
            call = call_of(native, {"path": path})
            is_new = rest.get("kind") == "add"
            return RecordedCall(call, None, is_new, outcome)
    return RecordedCall(call_of(native, {}), outcome=outcome)


class Usage(msgspec.Struct, gc=False):
    """The tokens of a thread so far; those of the cache are among the input."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None


class TokenCounts:
    """Adds up sums that begin again when a thread is resumed."""

    def __init__(self) -> None:
        self._before = Usage()
        self._last: Usage | None = None

    def add(self, usage: Usage | None) -> None:
        """Take the sum so far; one that is smaller than the last has begun again."""
        if usage is None:
            return
        last = self._last or Usage()
        if _is_less(usage.input_tokens, last.input_tokens) or _is_less(
            usage.output_tokens, last.output_tokens
        ):
            self._before = self._total(last)
        self._last = usage

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the run; None if its log records none."""
        if self._last is None:
            return None
        total = self._total(self._last)
        read, written = total.cached_input_tokens, total.cache_write_input_tokens
        fresh = total.input_tokens
        if fresh is not None:
            fresh = max(fresh - (read or 0) - (written or 0), 0)
        return Tokens(fresh, total.output_tokens, read, written)

    def _total(self, last: Usage) -> Usage:
        pairs = zip(
            msgspec.structs.astuple(self._before),
            msgspec.structs.astuple(last),
            strict=True,
        )
        return Usage(*(added(before, count) for before, count in pairs))


def _is_less(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other
