"""Logs whose every field tries to break out of a transcript, made by hypothesis."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from convert.tools import tools
from support.logs import SESSION

_FRAGMENTS = [
    *("`", "``", "```", "````", "~~~", "~~~~~", "\\", "\\\\"),
    *("</details>", "<details>", "</summary>", "<summary>", "<!--", "-->"),
    *("<b>", "<img src=x>", "<script>", "<a href='`'>", "<?", "<![CDATA["),
    *("# ", "## ", "### 9. Read x", "#", "===", "---", "***", "> ", "- ", "1. "),
    *("|", "| a | b |", "| --- | --- |", "![a](b)", "![a][b]", "[b]: /x", "[^1]: z"),
    *("http://x.y/", "www.x.y", "%%", "/close", "&lt;", "$", "~~", "*", "__", "@x"),
    *("[x](javascript:run())", "<javascript:x>", "{onclick=x}", "{#x onclick=x}"),
    *("$$", "\\(", "\\[", "*[Result]: x", ": x", "|\t", "<svg/onload=run()>", "\u3000"),
    *("&#x3c;img src=x&gt;", "&NewLine;", "\u00a0", "\u0085", "##[group]", "::debug::"),
    *("\u202e", "\u200f", "\u2028", "\x1b[31m", "\0", "\r", "\x9b", "\ufffd", "é"),
    *("\n", "\n", "\n", "\n\n", "    ", "  ", "\t", " ", "a", "word "),
]
texts = st.lists(st.sampled_from(_FRAGMENTS), max_size=14).map("".join)
# So long that a transcript with a limit leaves out a part of some.
long_texts = texts.map(lambda text: f"{text}\n" * 15)
# Members of arguments and results that some kind of tool reads.
_MEMBERS = [
    *("path", "filePath", "command", "workingDirectory", "description", "content"),
    *("prompt", "plan", "overview", "name", "title", "message", "error", "reason"),
    *("currentStep", "finalSummary", "explanation", "url", "taskId", "regex", "chars"),
    *("results", "markdown", "contentType", "deletedFile", "prevContent", "server"),
    *("prUrl", "branchName", "imageData", "screenshot", "log", "mimeType", "blob"),
    *("toModeId", "fromModeId", "uri", "nextSteps", "attributionText", "planUri"),
]
# It leaves the attribute, the element or the script that it is in, and then acts.
ACTING = (
    "\"'><x-log onx=run()></style></title></code></svg>]]>--><script>run()</script>"
    "<img src=x onerror=run()>"
)
# Where a page shows Markdown, these would act if their parts were not escaped.
ACTING_MARKDOWN = "\n\n".join(
    [
        ACTING,
        f"![<x-log onx=run()>](http://x/a.png) ![a\"b](http://x/?'> '{ACTING}')",
        "[a](javascript:run()) [b](http://x/\"onx=run()) [c](<http://x/'onx=run()>)",
        '<javascript:run()> <http://x/?"onx=run()> [d]\n\n[d]: javascript:run()',
        '```x"onx="run()\n<x-log onx=run()>\n```\n\n    <x-log>\n\n`<x-log onx=run()>`',
        "| a |\n|:-:|\n| <x-log onx=run()> |\n\n# <x-log>\n\n<x-log>\n<script>",
    ]
)
# By these members a reader knows what a line is.
_KINDS = {
    *("type", "subtype", "role", "status", "kind", "name", "tool", "version"),
    *("id", "uuid", "call_id", "callID", "toolCallId", "tool_use_id", "phase"),
    *("sessionId", "session_id", "sessionID", "parentUuid", "parentToolCallId"),
    *("timestamp", "schema_version", "source", "stop_reason"),
}


def hostile_copy(log: bytes, text: str) -> bytes:
    """Return a log with a text after each of its own, but for those of structure."""
    try:
        return json.dumps(_with_text(json.loads(log), text)).encode()
    except ValueError:
        return b"".join(_hostile_line(line, text) for line in log.splitlines())


def _hostile_line(line: bytes, text: str) -> bytes:
    try:
        return json.dumps(_with_text(json.loads(line), text)).encode() + b"\n"
    except ValueError:
        return line + text.encode() + b"\n"


def _with_text(value: Any, text: str, name: str = "") -> Any:
    match value:
        case dict():
            return {key: _with_text(each, text, key) for key, each in value.items()}
        case list():
            return [_with_text(each, text, name) for each in value]
        case str() if name not in _KINDS:
            return value + text
    return value


_numbers = st.sampled_from(["0", "17", "99999", "-1", "x"])
_SHOWN = [kind for kind, row in tools().items() if row.transcript != "services.as_json"]
KINDS = [*sorted(_SHOWN), "minted", "write`", "recordScreen"]

Draw = Callable[[st.SearchStrategy[Any]], Any]


def _result(draw: Draw, strings: st.SearchStrategy[str], kind: str) -> dict[str, Any]:
    """Draw the result of a successful call, hostile in each field."""
    one, two, three = draw(strings), draw(strings), draw(strings)
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
            return {"workspaceResults": {one[:20]: {"content": found}}}
        case "glob":
            return {"files": [one, two, three]}
        case "ls":
            inner = {"absPath": two, "childrenFiles": [{"name": three}]}
            root = {"childrenDirs": [inner], "childrenFiles": [{"name": one}]}
            return {"directoryTreeRoot": root}
        case "readLints":
            lints = [{"message": two, "severity": three}]
            return {"fileDiagnostics": [{"path": one, "diagnostics": lints}]}
        case "updateTodos" | "readTodos":
            return {"todos": [{"content": one, "status": two}, {"content": three}]}
        case "webSearch":
            pages = [{"title": one, "url": two}, {"url": "", "chunk": three}]
            return {"references": pages}
        case "mcp":
            image = {"image": {"data": "AA", "mimeType": two}}
            nested = {one: [two, {three: 1.5}]}
            return {"content": [{"text": {"text": one}}, image]} | nested
        case "task":
            call = {"readToolCall": {"args": {"path": one}, "result": {two: {}}}}
            steps = [
                {"assistantMessage": {"text": two}},
                {"toolCall": call},
                {"thinkingMessage": {"text": one}},
                {"assistantMessage": {"text": three}},
            ]
            return {"conversationSteps": steps}
        case "applyAgentDiff":
            change = {"path": one, "beforeContent": two, "afterContent": three}
            return {"appliedChanges": [change, {"path": two, "error": three}]}
    return _members(draw, strings) | {one: two}


def _members(draw: Draw, strings: st.SearchStrategy[str]) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(_MEMBERS), max_size=6))
    return {name: draw(strings) for name in names}


def _arguments(
    draw: Draw, strings: st.SearchStrategy[str], kind: str
) -> dict[str, Any]:
    text = draw(strings)
    if kind == "askQuestion":
        options = [{"id": "1", "label": text}]
        return {"questions": [{"id": text, "prompt": text, "options": options}]}
    name = {
        **dict.fromkeys(("read", "edit", "ls", "delete"), "path"),
        "shell": "command",
        "grep": "pattern",
        "glob": "globPattern",
        "webSearch": "searchTerm",
        "webFetch": "url",
        "task": "prompt",
    }.get(kind, text)
    return _members(draw, strings) | {name: text}


@st.composite
def hostile_logs(draw: Draw, strings: st.SearchStrategy[str] = texts) -> bytes:
    """A log of one run with up to four calls, with texts drawn from a strategy."""
    start = {"type": "system", "subtype": "init", "cwd": draw(strings)}
    lines: list[dict[str, Any]] = [
        start | {"model": draw(strings)},
        _message("user", draw(strings)),
    ]
    spoken = []
    for number in range(draw(st.integers(0, 4))):
        text = draw(strings)
        spoken.append(text)
        lines.append(_message("assistant", text) | {"model_call_id": str(number)})
        thought = {"type": "thinking", "subtype": "completed", "text": draw(strings)}
        lines.append(thought)
        kind = draw(st.sampled_from(KINDS))
        body: dict[str, Any] = {"args": _arguments(draw, strings, kind)}
        call = {"type": "tool_call", "call_id": f"c{number}"}
        key = f"{kind}ToolCall"
        lines.append(call | {"subtype": "started", "tool_call": {key: body}})
        arm = draw(st.sampled_from(["success", "success", "error", "rejected", ""]))
        if arm:
            result: Any = {"error": draw(strings), "reason": draw(strings)}
            if arm == "success":
                result = _result(draw, strings, kind)
            ended = {key: body | {"result": {arm: result}}}
            lines.append(call | {"subtype": "completed", "tool_call": ended})
    text = draw(strings)
    lines.append(_message("assistant", text))
    if draw(st.booleans()):
        recorded = "".join([*spoken, text]) if draw(st.booleans()) else draw(strings)
        ending = {"type": "result", "is_error": draw(st.booleans()), "result": recorded}
        lines.append(ending)
    session = draw(st.sampled_from([SESSION, "`|<b>", ""]))
    return b"".join(
        json.dumps(line | {"session_id": session}).encode() + b"\n" for line in lines
    )


@st.composite
def hostile_pairs(draw: Draw) -> tuple[bytes, bytes]:
    """Two hostile logs; the second may be the first with other texts."""
    log = draw(hostile_logs())
    if draw(st.booleans()):
        return log, draw(hostile_logs())
    changed = []
    for line in log.splitlines(keepends=True):
        kept = draw(st.sampled_from(["as it is", "as it is", "changed", "left out"]))
        if kept == "changed":
            line = line.replace(b"word ", b"other|` ").replace(b"<b>", b"</details>\\n")
        if kept != "left out":
            changed.append(line)
    return log, b"".join(changed)


def _message(role: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": role, "message": {"role": role, "content": content}}
