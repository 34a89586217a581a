"""The result of a call of Claude Code: how the call ended, and its output.

A log has the text that the model was given (`content`). Some builds also record an
object of the tool (`tool_use_result`, `toolUseResult` in session files); the calls of
subagents, Amp and Qwen Code have none.
"""

from __future__ import annotations

from typing import Any

import msgspec

from convert.agents.tool_names import CallResult, Members, NativeCall
from convert.model.events import OK, Image, Outcome
from convert.source.lines import REFUSED
from convert.source.ndjson import members_of
from convert.wording import compiled
from convert.wording.numbers import size

# The tools that are given the whole content of a file.
_WRITERS = {"Write", "create", "create_file", "write", "write_file", "write_to_file"}


def result_of(
    call: NativeCall,
    content: Any,
    is_error: bool,
    details: Any = None,
    directory: str = "",
) -> CallResult:
    """Return how a call ended, and its output.

    `content` is a text or a list of blocks, `details` the object of the tool, and
    `directory` that of the run, if it is known.
    """
    text = text_of_content(content)
    outcome = outcome_of_text(call.kind, text, is_error)
    details = details if isinstance(details, dict) else {}
    # A command that was stopped, or failed in the background, has an output as well.
    if outcome == OK:
        facts = (details.get(name) for name in ("interrupted", "exitCode", "status"))
        outcome = outcome_of_details(call.kind, *facts)
        output = _output(call, content, text, details, directory)
    elif call.kind == "shell" and (found := _exit_code_of(text)):
        output = {"interleavedOutput": found[1], "exitCode": found[0]}
    else:
        output = None
    return CallResult(
        outcome,
        output,
        arm=_state_of_task(call.kind, details),
        is_new_file=is_new_file(call.kind, text, details.get("type"), is_error),
        duration_ms=_duration_of(details),
    )


def is_new_file(kind: str, text: str, change: Any, is_error: bool) -> bool:
    """Return True if an edit created its file, by its text or its type of change."""
    if kind != "edit" or is_error:
        return False
    words = ("File created successfully at", "Successfully created and wrote to new")
    return change == "create" or text.startswith(words)


def _duration_of(details: dict[str, Any]) -> int | None:
    """Return how many milliseconds a tool says that it took."""
    units = (("durationMs", 1), ("totalDurationMs", 1), ("durationSeconds", 1000))
    known = ((details.get(name), unit) for name, unit in units)
    times = (
        round(value * unit)
        for value, unit in known
        if isinstance(value, int | float) and 0 <= value < 1e12
    )
    return next(times, None)


def _output(
    call: NativeCall, content: Any, text: str, details: dict[str, Any], directory: str
) -> Any:
    # Only some targets need outputs.
    from convert.agents.claude.outputs import output_of
    from convert.agents.outputs import content_without_numbers, output_of_text

    if call.kind == "mcp":
        return {"content": _blocks_of_content(content)}
    if call.kind == "task":
        text = text_of_content(details.get("content")) or text
    found = output_of(call, text, details, directory) if details else None
    if found is not None:
        return found
    if call.kind == "edit":
        # The text says only that the file was changed, which the outcome does as well.
        content = (call.arguments or {}).get("streamContent")
        is_whole = call.native in _WRITERS and isinstance(content, str)
        return {"afterFullFileContent": content} if is_whole and not details else None
    if call.kind == "read":
        return content_without_numbers(text)
    return output_of_text(call.kind, text)


def _state_of_task(kind: str, details: dict[str, Any]) -> str:
    if kind != "await":
        return ""
    task = details.get("task")
    state = (task if isinstance(task, dict) else details).get("status")
    if not isinstance(state, str):
        return ""
    goes_on = state in ("running", "pending", "not_ready", "timeout")
    return "stillRunning" if goes_on else "complete"


# A result says that a call failed, and its text says why. The texts come from logs of
# 2.0.28 to 2.1.238. Only the end of a run lists the refused calls for certain. If a
# command printed nothing, the text is only `Exit code 1`.
_EXIT = r"(?:Error: )?Exit code (\d{1,9})(?:\r?\n|$)"
_TAGGED = r"(?s)<tool_use_error>(.*)</tool_use_error>"
_INTERRUPTED = "[Request interrupted by user"
_REFUSED = (
    r"The user doesn't want to (?:proceed|take this action)"
    r"|This command requires approval"
    r"|This (?:Bash|PowerShell) command contains"
    r"|PreToolUse:\S+ hook (?:error|stopped|blocked)"
    r"|Command (?:contains|invokes|spawns)\b"
    r"|Contains simple_expansion"
    r"|Claude requested permissions"
    r"|Permission (?:to use|for) .{1,200}? (?:has been|was) denied"
)
# Our writer has these words for a refusal, without a reason or with one.
_DENIED = r"(?s)Permission to use \S{1,200} has been denied(?:\.|: (.*))"


def outcome_of_text(kind: str, text: str, is_error: bool) -> Outcome:
    """Return how a call of a kind ended, by the text of its result."""
    if not is_error:
        return OK
    if tagged := compiled(_TAGGED).fullmatch(text.strip()):
        return Outcome("error", message=tagged[1].strip())
    plain = text.removeprefix("Error: ")
    if plain.startswith(_INTERRUPTED):
        return Outcome("rejected", arm="interrupted", message=plain)
    if denied := compiled(_DENIED).fullmatch(plain):
        return Outcome("rejected", message=denied[1] or "")
    if compiled(_REFUSED).match(plain):
        return Outcome("rejected", message=plain)
    if kind == "shell" and (code := _exit_code_of(text)):
        return Outcome("error", exit_code=code[0])
    return Outcome("error", message=text)


def outcome_of_details(
    kind: str, interrupted: Any, exit_code: Any, status: Any
) -> Outcome:
    """Return how a call ended by the object of its tool, if its result is no error."""
    if kind == "shell" and interrupted is True:
        return Outcome("error", message="interrupted")
    if kind == "await":
        if type(exit_code) is int and exit_code:
            return Outcome("error", exit_code=exit_code)
        if status == "failed":
            return Outcome("error", message="failed")
    return OK


def _exit_code_of(text: str) -> tuple[int, str] | None:
    """Return the exit code that a text begins with, and the output of the command."""
    found = compiled(_EXIT).match(text)
    if found is None:
        return None
    # A command that failed has another code than 0.
    return (int(found[1]), text[found.end() :]) if int(found[1]) else None


def values_of(content: Any) -> Any:
    """Return the content of a result, which may still be JSON."""
    if not isinstance(content, msgspec.Raw):
        return content
    try:
        return msgspec.json.decode(content)
    except REFUSED:
        # Half an emoji, which the standard library accepts; few logs need it.
        return members_of(b'{"content":%b}' % bytes(content)).get("content")


def text_of_content(content: Any) -> str:
    """Return the texts of a result, joined; pictures and files by type and size."""
    match content:
        case str():
            return content
        case [*blocks]:
            shown = (
                _text_of_block(block) for block in blocks if isinstance(block, dict)
            )
            return "\n".join(filter(None, shown))
    return ""


def _blocks_of_content(content: Any) -> str | list[Members]:
    """Return the result of a server's tool as such a server returns it."""
    match content:
        case [*blocks]:
            return [
                _block_for_mcp(block) for block in blocks if isinstance(block, dict)
            ]
    return text_of_content(content)


def image_of(block: Members) -> Image:
    """Return the type and the size of a picture or a document."""
    media_type, data = _source(block)
    # Four characters of base64 are three bytes.
    size = len(data.rstrip("=")) * 3 // 4
    return Image(media_type, size if data else None)


def _text_of_block(block: Members) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "tool_reference", "tool_name": str(name)}:
            return name
        case {"type": "image" | "document"}:
            picture = image_of(block)
            what = picture.media_type or str(block["type"])
            return f"({what}, {size(picture.size)})" if picture.size else f"({what})"
    return ""


def _block_for_mcp(block: Members) -> Members:
    match block:
        case {"type": "image" | "document" as kind}:
            media_type, data = _source(block)
            return {"type": kind, "data": data, "mimeType": media_type}
    return block


def _source(block: Members) -> tuple[str, str]:
    """Return the type and the data of a picture; "" if one is not recorded."""
    source = block.get("source")
    places = [block, source if isinstance(source, dict) else {}]
    kinds = [place.get("media_type") or place.get("mimeType") for place in places]
    found = (kinds, [place.get("data") for place in places])
    kind, data = (
        next((value for value in values if value and isinstance(value, str)), "")
        for values in found
    )
    return kind, data
