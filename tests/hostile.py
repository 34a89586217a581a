"""Logs whose every field tries to break out of a transcript, made by hypothesis."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from logs import SESSION

_FRAGMENTS = [
    *("`", "``", "```", "````", "~~~", "~~~~~", "\\", "\\\\"),
    *("</details>", "<details>", "</summary>", "<summary>", "<!--", "-->"),
    *("<b>", "<img src=x>", "<script>", "<a href='`'>", "<?", "<![CDATA["),
    *("# ", "## ", "### 9. Read x", "#", "===", "---", "***", "> ", "- ", "1. "),
    *("|", "| a | b |", "| --- | --- |", "![a](b)", "![a][b]", "[b]: /x", "[^1]: z"),
    *("http://x.y/", "www.x.y", "%%", "/close", "&lt;", "$", "~~", "*", "__", "@x"),
    *("\u202e", "\u200f", "\u2028", "\x1b[31m", "\0", "\r", "\x9b", "\ufffd", "é"),
    *("\n", "\n", "\n", "\n\n", "    ", "  ", "\t", " ", "a", "word "),
]
texts = st.lists(st.sampled_from(_FRAGMENTS), max_size=14).map("".join)
_names = texts.map(lambda text: text[:20])
_numbers = st.sampled_from(["0", "17", "99999", "-1", "x"])


def _result(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """What a kind gives when all goes well, hostile in each field."""
    one, two, three = draw(texts), draw(texts), draw(texts)
    match kind:
        case "read":
            return {"content": one, "totalLines": 3, "fileSize": draw(_numbers)}
        case "shell":
            printed = {"interleavedOutput": one} if draw(st.booleans()) else {}
            return {"stdout": two, "stderr": three, "exitCode": 0, **printed}
        case "edit":
            contents = {"beforeFullFileContent": one, "afterFullFileContent": two}
            return contents if draw(st.booleans()) else {"diffString": three}
        case "grep":
            lines = [{"lineNumber": 3, "content": two}, {"content": three}]
            found = {"matches": [{"file": one, "matches": lines}]}
            return {"workspaceResults": {draw(_names): {"content": found}}}
        case "glob":
            return {"files": [one, two, three]}
        case "updateTodos":
            todos = [{"content": one, "status": two}, {"content": three}]
            return {"todos": todos}
        case "webSearch":
            pages = [{"title": one, "url": two}, {"url": "", "chunk": three}]
            return {"references": pages}
        case "mcp":
            content = [
                {"text": {"text": one}},
                {"image": {"data": "AA", "mimeType": two}},
            ]
            return {"content": content, "structuredContent": {one: [two, {three: 1.5}]}}
        case "task":
            call = {"readToolCall": {"args": {"path": one}, "result": {two: {}}}}
            steps = [
                {"assistantMessage": {"text": two}},
                {"toolCall": call},
                {"thinkingMessage": {"text": one}},
                {"assistantMessage": {"text": three}},
            ]
            return {"conversationSteps": steps}
    return {one: two, "message": three}


def _arguments(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    said = draw(texts)
    names = {
        "read": "path",
        "edit": "path",
        "shell": "command",
        "grep": "pattern",
        "glob": "globPattern",
        "webSearch": "searchTerm",
        "task": "prompt",
        "createPlan": "plan",
        "sendFinalSummary": "finalSummary",
    }
    extra = {"description": draw(texts), "name": draw(texts)}
    if kind == "askQuestion":
        options = [{"id": "1", "label": said}]
        return {"questions": [{"id": said, "prompt": said, "options": options}]}
    return {names.get(kind, said): said, **extra}


KINDS = [
    *("read", "shell", "edit", "grep", "glob", "updateTodos", "webSearch", "mcp"),
    *("task", "createPlan", "askQuestion", "sendFinalSummary", "minted"),
]


@st.composite
def hostile_logs(draw: st.DrawFn) -> bytes:
    """A log of one run with up to four calls."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": draw(texts), "model": draw(texts)},
        _said("user", draw(texts)),
    ]
    said = []
    for number in range(draw(st.integers(0, 4))):
        text = draw(texts)
        said.append(text)
        lines.append(_said("assistant", text) | {"model_call_id": str(number)})
        thought = {"type": "thinking", "subtype": "completed", "text": draw(texts)}
        lines.append(thought)
        kind = draw(st.sampled_from(KINDS))
        body: dict[str, Any] = {"args": _arguments(draw, kind)}
        call = {"type": "tool_call", "call_id": f"c{number}"}
        key = f"{kind}ToolCall"
        lines.append(call | {"subtype": "started", "tool_call": {key: body}})
        arm = draw(st.sampled_from(["success", "success", "error", "rejected", ""]))
        if arm:
            reason = {"error": draw(texts), "reason": draw(texts)}
            result = _result(draw, kind) if arm == "success" else reason
            ended = {key: body | {"result": {arm: result}}}
            lines.append(call | {"subtype": "completed", "tool_call": ended})
    text = draw(texts)
    lines.append(_said("assistant", text))
    if draw(st.booleans()):
        result = "".join([*said, text]) if draw(st.booleans()) else draw(texts)
        lines.append({"type": "result", "subtype": "success", "result": result})
    session = draw(st.sampled_from([SESSION, "`|<b>", ""]))
    return b"".join(
        json.dumps(line | {"session_id": session}).encode() + b"\n" for line in lines
    )


def _said(role: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": role, "message": {"role": role, "content": content}}
