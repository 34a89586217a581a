"""Approved runs as bytes: JSON with one line for each call, file, mark and line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import NODEFAULT

from convert.model.approved import (
    ApprovedCall,
    ApprovedMember,
    ApprovedRun,
    ApprovedSettings,
)
from convert.source.coercion import fields_of
from convert.tools.names import kind_in
from convert.tools.table import tool_of
from convert.wording.sanitise import escape_controls_in_json

VERSION = 1
_STEP = "  "
# The infinite numbers of Python, and the strings that may hold such words.
_INFINITE = re.compile(r'("(?:[^"\\]|\\.)*")|(-?)Infinity')
_HALF_EMOJI = re.compile("[\ud800-\udfff]")


def laid_out(runs: list[ApprovedRun], settings: ApprovedSettings) -> bytes:
    """Return approved runs, and the settings that they were made with, as JSON."""
    text = escape_controls_in_json(f"{_document(runs, settings)}\n")
    # Half an emoji has no bytes.
    text = _HALF_EMOJI.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return text.encode()


def _document(runs: list[ApprovedRun], settings: ApprovedSettings) -> str:
    members = [f'"trajectory": {VERSION}']
    if made_with := dict(_members(settings)):
        members.append(f'"settings": {_inline(made_with)}')
    members.append(f'"runs": {_block("[", (_run(run) for run in runs), "]", 1)}')
    return _block("{", members, "}", 0)


def _run(run: ApprovedRun) -> str:
    members = []
    for name, value in _members(run):
        match name, value:
            case "calls", _:
                shown = _block("[", (_call(call, 4) for call in value), "]", 3)
            case "files", _:
                shown = _block("[", (_inline(dict(_members(f))) for f in value), "]", 3)
            case "made", _:
                pairs = (
                    f"{_inline(mark)}: {_inline(dict(_members(of)))}"
                    for mark, of in value.items()
                )
                shown = _block("{", pairs, "}", 3)
            case _, list():
                shown = _block("[", map(_inline, value), "]", 3)
            case _:
                shown = _inline(value)
        members.append(f'"{name}": {shown}')
    return _block("{", members, "}", 2)


def _call(call: ApprovedCall, depth: int) -> str:
    """Return a call on one line; each call inside it has a line of its own."""
    members = []
    for name, value in _members(call):
        match name:
            case "arguments":
                shown = _inline(_subject_first(call))
            case "tests":
                shown = _inline(dict(_members(value)))
            case "calls":
                inside = (_call(each, depth + 1) for each in value)
                shown = _block("[", inside, "]", depth)
            case _:
                shown = _inline(value)
        members.append(f'"{name}": {shown}')
    return f"{{{', '.join(members)}}}"


def _members(of: ApprovedMember) -> Iterator[tuple[str, Any]]:
    """Yield the members that do not have their defaults."""
    for field in fields_of(type(of)):
        value = getattr(of, field.name)
        default = field.default
        if field.default_factory is not NODEFAULT:
            default = field.default_factory()
        if value != default or type(value) is not type(default):
            yield field.encode_name, value


def _subject_first(call: ApprovedCall) -> dict[str, Any]:
    """Return the arguments, those first that say what the call is about."""
    subject = tool_of(call.kind or kind_in(call.tool)).subject
    names = subject.words + subject.paths if subject else ()
    first = {name: call.arguments[name] for name in names if name in call.arguments}
    return first | {n: v for n, v in call.arguments.items() if n not in first}


def _inline(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    if "Infinity" in text:
        # JSON has no other word for a number that is too large.
        text = _INFINITE.sub(lambda m: m[1] or f"{m[2]}1e999", text)
    return text


def _block(begin: str, parts: Iterable[str], end: str, depth: int) -> str:
    """Return an array or an object with a line for each part."""
    inner = _STEP * (depth + 1)
    lines = ",\n".join(inner + part for part in parts)
    return f"{begin}\n{lines}\n{_STEP * depth}{end}" if lines else begin + end
