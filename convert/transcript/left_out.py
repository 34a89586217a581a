"""The parts of a call that are left out to save room, and how much that is."""

from __future__ import annotations

from collections.abc import Iterator

from convert.transcript.clips import Clip
from convert.transcript.excerpts import Excerpts
from convert.transcript.pieces import (
    CallSection,
    Code,
    Collapsible,
    Items,
    LeftOut,
    Part,
    Prose,
    Step,
    Steps,
)
from convert.wording.words import Inline

# The name for the output of a kind, if not output.
_OUTPUTS = {
    **dict.fromkeys(["read", "write", "edit", "delete"], "file contents"),
    **dict.fromkeys(["grep", "glob", "semSearch", "webSearch"], "search results"),
    **dict.fromkeys(["webFetch", "fetch"], "web pages"),
    **dict.fromkeys(["updateTodos", "readTodos"], "tasks"),
    "ls": "lists of files",
}


def left_out_of(call: CallSection) -> LeftOut:
    """Measure and name all that the parts of a call show, and what they omit."""
    lines, bytes_ = 0, 0
    for part in _inner(call.parts):
        more_lines, more_bytes = _extent(part)
        lines += more_lines
        bytes_ += more_bytes
    return LeftOut(lines, bytes_, frozenset(filter(None, _contents(call))))


def _inner(parts: list[Part] | list[Step]) -> Iterator[Part]:
    """Yield all parts that hold no others."""
    for part in parts:
        match part:
            case Steps(steps=steps):
                yield from _inner(steps)
            case Collapsible(parts=inner) | CallSection(parts=inner):
                yield from _inner(inner)
            case _:
                yield part


def _extent(part: Part) -> tuple[int, int]:
    """Count lines and bytes; those of entries that are omitted are not known."""
    match part:
        case Code(text=Clip() as text) | Prose(text=text):
            return text.lines + text.omitted_lines, text.bytes + text.omitted_bytes
        case Code(text=Excerpts() as text):
            gaps = text.excerpts
            lines = text.lines + sum(gap.omitted_lines for gap in gaps)
            return lines, text.bytes + sum(gap.omitted_bytes for gap in gaps)
        case Items():
            return len(part.items) + part.omitted + part.skipped, 0
    return 0, 0


def _contents(call: CallSection) -> Iterator[str]:
    """Name what the parts of a call hold; "" is what its heading shows as well."""
    output = _OUTPUTS.get(call.kind, "output")
    for part in call.parts:
        match part:
            case Code(language="diff"):
                yield "diffs"
            case Code(text=Clip() as text, role="command"):
                is_shown = _is_in(call.title, text.head) and not text.tail
                yield "" if is_shown else "commands"
            case Steps():
                yield "steps of subagents"
            case Prose():
                yield "texts"
            case Code(role=role) | Items(role=role):
                is_list = isinstance(part, Items)
                yield output if role == "output" or is_list else "arguments"


def _is_in(title: Inline, text: str) -> bool:
    return text.strip() in [words.text.strip() for words in title]
