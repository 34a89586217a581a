"""The output of a tool of opencode, as the members in which its kind shows it.

A tool returns texts that are made for a model: framed, with numbers before the lines.
"""

from __future__ import annotations

import re
from typing import Any

from convert.agents.numbered_lines import content_of
from convert.agents.outputs import output_of_text
from convert.formats.opencode.wire import SaidInFull, exit_code_of

_NONE_FOUND = "No files found"
# The frame around a file or a folder, in builds of 2025 and of 2026.
_FRAME = re.compile(
    r"(?:<path>.*?</path>\n<type>\w+</type>\n)?"
    r"<(file|content|entries)>\n?(.*)\n</\1>",
    re.DOTALL,
)
_NOTE = re.compile(r"\n*\n\(([^\n]*)\)\Z")
_NUMBERED = re.compile(r"([0-9]{1,9})(?:: |\| )(.*)", re.DOTALL)
_TOTAL = re.compile(r"total ([0-9]+) lines|of ([0-9]+)\b")
_TASK = re.compile(r"\n*<task_metadata>.*</task_metadata>\s*\Z", re.DOTALL)
_MATCH = re.compile(r"  Line ([0-9]+): (.*)", re.DOTALL)


def output_of(kind: str, said: SaidInFull, text: str) -> Any:
    """Return the output of a call that has not failed by itself."""
    match kind:
        case "shell":
            return _shell(said, text)
        case "read":
            return _read(said, text)
        case "glob":
            return _glob(said, text)
        case "grep":
            return _grep(said, text)
        case "task":
            text = _TASK.sub("", text)
    return output_of_text(kind, text)


def _shell(said: SaidInFull, text: str) -> dict[str, Any]:
    printed = "" if text == "(no output)" else text
    code = exit_code_of(said.exit)
    known = {} if code is None else {"exitCode": code}
    return {"interleavedOutput": printed, **known}


def _read(said: SaidInFull, text: str) -> dict[str, Any]:
    match said.display:
        case {
            "text": str(content),
            "lineStart": int(first),
            "lineEnd": int(last),
            "totalLines": int(total),
        }:
            lines = {"startLine": first, "endLine": last}
            return {"content": content, "totalLines": total, "readRange": lines}
    frame = _FRAME.match(text)
    if frame is None:
        return {"content": text}
    note = _NOTE.search(frame[2])
    inside = frame[2][: note.start()] if note else frame[2]
    output = content_of(inside, _NUMBERED)
    lines_of_all = _TOTAL.search(note[1]) if note else None
    if lines_of_all and "readRange" in output:
        output["totalLines"] = int(lines_of_all[1] or lines_of_all[2])
    return output


def _glob(said: SaidInFull, text: str) -> dict[str, Any]:
    listed = _NOTE.sub("", text) if said.truncated is True else text
    files = listed.split("\n") if listed and listed != _NONE_FOUND else []
    cut = {"clientTruncated": True} if said.truncated is True else {}
    return {"files": files, **cut}


def _grep(said: SaidInFull, text: str) -> dict[str, Any]:
    """Return the matches by file; the text as it is if it has another form."""
    head, _, listed = text.partition("\n")
    if text != _NONE_FOUND and not re.match(r"Found [0-9]+ match", head):
        return {"content": text}
    files: list[dict[str, Any]] = []
    for line in listed.split("\n"):
        if match := _MATCH.fullmatch(line):
            if not files:
                return {"content": text}
            found = {"lineNumber": int(match[1]), "content": match[2]}
            files[-1]["matches"].append(found)
        elif line.endswith(":"):
            files.append({"file": line[:-1], "matches": []})
        elif line and not line.startswith("("):
            return {"content": text}
    cut = {"clientTruncated": True} if said.truncated is True else {}
    return {"workspaceResults": {"": {"content": {"matches": files, **cut}}}}
