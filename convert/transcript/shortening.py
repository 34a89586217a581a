"""How much of a call is shown: nothing of its output, a preview, or all."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from convert.options import ToolOutput
from convert.transcript.clips import clip, clip_markdown
from convert.transcript.pieces import (
    CallSection,
    Code,
    Collapsible,
    Item,
    Items,
    Note,
    Part,
    Prose,
    Role,
    Step,
    Steps,
)
from convert.wording.numbers import byte_count, count
from convert.wording.words import Words

_MOST_LINES = 20
_MOST_BYTES = 2000
_MOST_PARTS = 40
# A command stays whole.
_SHORTENED: set[Role | None] = {"argument", "output"}


def most_items(tool_output: ToolOutput) -> int | None:
    """How many entries of a list are shown at most; None for all."""
    return None if tool_output == "full" else _MOST_LINES


def shorten(call: CallSection, tool_output: ToolOutput) -> CallSection:
    """A call with as much of its output as is asked for; a command stays whole."""
    if tool_output == "full":
        return call
    parts = _fewer(call.parts)
    if tool_output == "none":
        parts = _without_output(parts)
    for role in {part.role for part in parts} & _SHORTENED:
        parts = _shared(parts, role, _MOST_LINES, _MOST_BYTES)
    return replace(call, parts=parts)


def shorten_to(call: CallSection, most_bytes: int) -> CallSection:
    """A call of which commands, arguments and output take about so many bytes each."""
    parts = _fewer(call.parts)
    for role in ("command", "argument", "output"):
        parts = _shared(parts, role, most_bytes, most_bytes)
    return replace(call, parts=parts)


def _fewer(parts: list[Part]) -> list[Part]:
    """The first and the last of very many parts."""
    if len(parts) <= _MOST_PARTS:
        return parts
    half = _MOST_PARTS // 2 - 1
    omitted = count(len(parts) - 2 * half, "part")
    note = Note([Words(f"… {omitted} omitted …", "ours")])
    return [*parts[:half], note, *parts[-half:]]


def bytes_of(call: CallSection) -> int:
    """How many bytes of text the parts of a call hold."""
    return _step_extent(call)[1]


def heading_only(call: CallSection) -> CallSection:
    """A call of which nothing is left but its heading."""
    return replace(call, parts=[], is_bare=call.is_bare or bool(call.parts))


def _without_output(parts: list[Part]) -> list[Part]:
    """Parts without output, and without the labels that stand above it."""
    kept: list[Part] = []
    for part in parts:
        if part.role != "output":
            kept.append(part)
        elif kept and _is_label(kept[-1]):
            kept.pop()
    return kept


def _is_label(part: Part) -> bool:
    """Whether a part only says what stands below it."""
    if not isinstance(part, Note):
        return False
    last = part.line[-1]
    return last.style == "ours" and last.text.endswith(":")


def _shared(
    parts: list[Part], role: Role | None, most_lines: int, most_bytes: int
) -> list[Part]:
    """Parts of which those of a role share what there is room for.

    The smaller ones come first: what they do not use is left to the others.
    """
    places = [at for at, part in enumerate(parts) if part.role == role]
    if not places:
        return parts
    parts = list(parts)
    if len(places) == 1:
        [at] = places
        parts[at] = _within(parts[at], most_lines, most_bytes)
        return parts
    places.sort(key=lambda at: _extent(parts[at]))
    for others, at in enumerate(places):
        left = len(places) - others
        parts[at] = _within(parts[at], most_lines // left, most_bytes // left)
        lines, bytes_ = _extent(parts[at])
        most_lines = max(most_lines - lines, 0)
        most_bytes = max(most_bytes - bytes_, 0)
    return parts


def _extent(part: Part) -> tuple[int, int]:
    """How many lines and bytes a part takes."""
    match part:
        case Code(text=text) | Prose(text=text):
            return text.lines, text.bytes
        case Items(items=items):
            return len(items), sum(map(_width, items))
        case Steps(steps=steps):
            return _sum(map(_step_extent, steps))
        case Collapsible(parts=parts):
            return _sum(map(_extent, parts))
    return 0, 0


def _sum(extents: Iterable[tuple[int, int]]) -> tuple[int, int]:
    lines = bytes_ = 0
    for extent in extents:
        lines += extent[0]
        bytes_ += extent[1]
    return lines, bytes_


def _width(item: Item) -> int:
    return 1 + byte_count("".join([item.url, *[words.text for words in item.line]]))


def _within(part: Part, most_lines: int, most_bytes: int) -> Part:
    """A part that is no longer than this."""
    match part:
        case Code(text=text):
            return Code(clip(text, most_lines, most_bytes), part.language, part.role)
        case Items():
            return _first(part, most_lines, most_bytes)
        case Prose() | Collapsible():
            return _said_within(part, most_lines, most_bytes)
        case Steps():
            return _outline(part, most_lines, most_bytes)
    return part


def _first(part: Items, most_lines: int, most_bytes: int) -> Items:
    """The first entries of a list: findings stand in the order of what was searched."""
    kept = 0
    for width in map(_width, part.items[:most_lines]):
        most_bytes -= width
        if most_bytes < 0:
            break
        kept += 1
    if kept == len(part.items):
        return part
    return Items(part.items[:kept], part.role, part.omitted + len(part.items) - kept)


def _outline(part: Steps, most_lines: int, most_bytes: int) -> Steps:
    """The first and last steps of a subagent, with as much of each as there is room.

    The smaller ones come first, as in a call; a call that has no room shows no parts.
    """
    head = part.head if part.omitted else len(part.steps)
    steps = list(part.steps)
    if len(steps) > most_lines:
        head = min(head, most_lines - most_lines // 2)
        tail = min(len(steps) - head, most_lines // 2)
        del steps[head : len(steps) - tail]
    omitted = part.omitted + len(part.steps) - len(steps)
    places = sorted(range(len(steps)), key=lambda at: _step_extent(steps[at]))
    for others, at in enumerate(places):
        left = len(places) - others
        step = _step_within(steps[at], max(most_lines // left, 2), most_bytes // left)
        lines, bytes_ = _step_extent(step)
        most_lines, most_bytes = max(most_lines - lines, 0), max(most_bytes - bytes_, 0)
        steps[at] = step
    return Steps(steps, head, omitted)


def _step_extent(step: Step) -> tuple[int, int]:
    if not isinstance(step, CallSection):
        return _extent(step)
    return _sum(map(_extent, step.parts))


def _step_within(step: Step, most_lines: int, most_bytes: int) -> Step:
    """A step that takes no more than this; a call that is too long shows nothing."""
    if not isinstance(step, CallSection):
        return _said_within(step, most_lines, most_bytes)
    lines, bytes_ = _step_extent(step)
    if lines <= most_lines and bytes_ <= most_bytes:
        return step
    return heading_only(step)


def _said_within(
    part: Prose | Collapsible, most_lines: int, most_bytes: int
) -> Prose | Collapsible:
    if isinstance(part, Prose):
        return replace(part, text=clip_markdown(part.text, most_lines, most_bytes))
    inner = [_within(inner, most_lines, most_bytes) for inner in part.parts]
    return replace(part, parts=inner)
