"""The output of a tool, from the members of its kind to the text that a model reads.

Agents other than Cursor record that text, and training sets hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from convert.formats.json_lines import json_text
from convert.model.events import Segment, ToolCall
from convert.tools.reasons import reason_of
from convert.tools.table import tool_of

Members = dict[str, Any]

# The members that hold the text of a tool, the plainest first.
_TEXTS = ("interleavedOutput", "content", "markdown", "text", "answer", "results")
# Members that say what an edit did, where its message does not.
_OF_EDITS = ("message", "diffString")


def text_of_output(call: ToolCall) -> str:
    """Return what a call returned; "" if nothing, or nothing is recorded."""
    found = _text(call)
    if found is None:
        return json_text(call.output) if call.output else ""
    return found


def _text(call: ToolCall) -> str | None:
    """Return the text that a call returned; None if it is no text."""
    match call.steps:
        case [*_, Segment(text=answer)]:
            return answer
    output = call.output
    if isinstance(output, str):
        return output
    if not isinstance(output, dict):
        return None
    read = _KINDS.get(call.kind)
    found = read(output) if read else None
    if found is None:
        texts = (output.get(name) for name in (tool_of(call.kind).text_member, *_TEXTS))
        found = next((text for text in texts if isinstance(text, str)), None)
    return found


def text_of_result(call: ToolCall) -> str:
    """Return what the model was told of a call that has ended, also if it failed.

    A command that failed says its exit code above what it printed.
    """
    outcome = call.outcome
    if outcome is None or outcome.status == "ok":
        return text_of_output(call)
    if outcome.exit_code is not None:
        return f"Exit code {outcome.exit_code}\n{printed(call)}".rstrip("\n")
    reason = outcome.message or reason_of(outcome)
    if not reason:
        return _text(call) or ""
    return "\n".join(filter(None, [reason, printed(call)]))


def printed(call: ToolCall) -> str:
    """Return what a command printed; "" for any other call."""
    is_known = call.kind == "shell" and isinstance(call.output, dict)
    return (is_known and _shell(call.output)) or ""


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


def _edit(output: Members) -> str | None:
    texts = (output.get(name) for name in _OF_EDITS)
    return next((text for text in texts if isinstance(text, str) and text), None)


def _glob(output: Members) -> str | None:
    match output:
        case {"files": [*files]} if all(isinstance(file, str) for file in files):
            return "\n".join(files)
    return None


def _grep(output: Members) -> str | None:
    """Return findings as search programs print them: `path:12:text`."""
    roots = output.get("workspaceResults")
    if not isinstance(roots, dict):
        return None
    return "\n".join(line for found in roots.values() for line in _found(found))


def _found(found: Any) -> Iterator[str]:
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


def _mcp(output: Members) -> str | None:
    match output.get("content"):
        case [*blocks]:
            return "\n".join(filter(None, map(_block, blocks)))
    return None


def _block(block: Any) -> str:
    """Return the text of a block, which Cursor puts one level deeper."""
    match block:
        case {"text": str(text)} | {"text": {"text": str(text)}}:
            return text
        case {"image": {**picture}}:
            return f"({picture.get('mimeType') or 'image'})"
        case {"type": "image" | "document" | "audio" as kind}:
            return f"({block.get('mimeType') or kind})"
    return json_text(block) if isinstance(block, dict) else str(block)


def _references(output: Members) -> str | None:
    """Return the pages that a search found, and the texts of others."""
    match output.get("references"):
        case [*pages]:
            texts = (_reference(page) for page in pages if isinstance(page, dict))
            return "\n".join(filter(None, texts))
    return None


def _reference(page: Members) -> str:
    parts = (page.get(name) for name in ("title", "url", "chunk"))
    return "\n".join(part for part in parts if isinstance(part, str) and part)


_KINDS: dict[str, Callable[[Members], str | None]] = {
    "shell": _shell,
    "edit": _edit,
    "glob": _glob,
    "grep": _grep,
    "mcp": _mcp,
    "webSearch": _references,
}
