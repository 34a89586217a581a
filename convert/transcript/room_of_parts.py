"""Shorten the parts of a call: to no output, a preview, or a number of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from convert.options.conversion import ToolOutput
from convert.transcript.pieces import (
    CallSection,
    Code,
    Collapsible,
    Finding,
    Item,
    Items,
    Label,
    Note,
    Omitted,
    Part,
    Prose,
    Role,
    Step,
    Steps,
)
from convert.transcript.shortened_texts import (
    Clip,
    Excerpts,
    clip,
    clip_markdown,
    diff_excerpts,
    excerpts_of,
    is_small,
)
from convert.wording.numbers import byte_count, count
from convert.wording.styles_and_columns import Styled

_MOST_LINES = 20
_MOST_BYTES = 2000
# A call that failed may take this many times as much.
_MORE_OF_FAILURE = 2
_MOST_PARTS = 40
# Commands stay whole.
_SHORTENED: tuple[Role, ...] = ("argument", "output")

_PartOrStep = TypeVar("_PartOrStep", Part, Step)


def most_items(tool_output: ToolOutput) -> int | None:
    """Return how many entries of a list are shown; None for all."""
    return None if tool_output == "full" else _MOST_LINES


def shorten(call: CallSection, tool_output: ToolOutput) -> CallSection:
    """Keep as much of a call's output as `--tool-output` asks for; commands stay."""
    if tool_output == "full":
        return call
    parts = _fewer(call.parts)
    if tool_output == "none":
        call, parts = _without_output_noted(call, parts)
    is_ok = call.is_ok
    more = 1 if is_ok else _MORE_OF_FAILURE
    places = _places(parts)
    for role in _SHORTENED:
        if role in places:
            within = partial(_within, is_failure=not is_ok and role == "output")
            parts = _share_room(
                parts, places[role], within, more * _MOST_LINES, more * _MOST_BYTES
            )
    # Most calls are short.
    return call if parts is call.parts else replace(call, parts=parts)


def shorten_to(call: CallSection, most_bytes: int) -> CallSection:
    """Shorten commands, arguments and output to about `most_bytes` each."""
    parts = _fewer(call.parts)
    for role, places in _places(parts).items():
        if role is not None:
            within = partial(_within, is_failure=not call.is_ok and role == "output")
            parts = _share_room(parts, places, within, most_bytes, most_bytes)
    return replace(call, parts=parts)


def _fewer(parts: list[Part]) -> list[Part]:
    """Keep the first and the last of very many parts."""
    if len(parts) <= _MOST_PARTS:
        return parts
    half = _MOST_PARTS // 2 - 1
    omitted = count(len(parts) - 2 * half, "part")
    note = Note([Styled(f"… {omitted} omitted from this page …", "ours")])
    return [*parts[:half], note, *parts[-half:]]


def bytes_of(call: CallSection) -> int:
    """Count the bytes of text in the parts of a call."""
    return _extent(call)[1]


def heading_only(call: CallSection) -> CallSection:
    """Drop all parts of a call."""
    if not call.parts:
        return call
    lines, bytes_ = _sum(map(_measured, _inner(call.parts)))
    omitted = Omitted(lines, bytes_, frozenset(filter(None, _contents(call))))
    return replace(call, parts=[], omitted=omitted)


def _without_output_noted(
    call: CallSection, parts: list[Part]
) -> tuple[CallSection, list[Part]]:
    """Return a call whose summary says that output is omitted, and the other parts."""
    kept = _without_output(parts)
    if not kept or len(kept) == len(parts):
        return call, kept
    note = Styled(" – without output", "ours")
    return replace(call, summary=[*call.summary, note]), kept


def _without_output(parts: list[Part]) -> list[Part]:
    """Remove output and the labels above it."""
    kept: list[Part] = []
    for part in parts:
        if part.role != "output":
            kept.append(part)
        elif kept and isinstance(kept[-1], Label):
            kept.pop()
    return kept


def _places(parts: list[Part]) -> dict[Role | None, list[int]]:
    """Return the places of the parts of each role."""
    places: dict[Role | None, list[int]] = {}
    for at, part in enumerate(parts):
        places.setdefault(part.role, []).append(at)
    return places


def _share_room(
    items: list[_PartOrStep],
    places: list[int],
    within: Callable[[_PartOrStep, int, int], _PartOrStep],
    most_lines: int,
    most_bytes: int,
) -> list[_PartOrStep]:
    """Shorten the items at some places, which share the room.

    The smaller ones come first, and the others share the room that they do not use.
    """
    if len(places) == 1:
        [at] = places
        item = within(items[at], most_lines, most_bytes)
        if item is not items[at]:
            items = list(items)
            items[at] = item
        return items
    items = list(items)
    places = sorted(places, key=lambda at: _extent(items[at]))
    for sharing, at in zip(range(len(places), 0, -1), places, strict=True):
        items[at] = within(items[at], most_lines // sharing, most_bytes // sharing)
        lines, bytes_ = _extent(items[at])
        most_lines = max(most_lines - lines, 0)
        most_bytes = max(most_bytes - bytes_, 0)
    return items


def _extent(part: Part | Step) -> tuple[int, int]:
    """Count the lines and bytes of a part, or of all parts of a call."""
    match part:
        case Code(text=text) | Prose(text=text):
            return text.lines, text.bytes
        case Items(items=items):
            return len(items), _widths(items)
        case Steps(steps=steps):
            return _sum(map(_extent, steps))
        case Collapsible(parts=parts) | CallSection(parts=parts):
            return _sum(map(_extent, parts))
    return 0, 0


def _sum(extents: Iterable[tuple[int, int]]) -> tuple[int, int]:
    lines = bytes_ = 0
    for extent in extents:
        lines += extent[0]
        bytes_ += extent[1]
    return lines, bytes_


def _widths(items: Sequence[Item | Finding]) -> int:
    """Count the bytes of all entries; joining them takes less than one by one."""
    return len(items) + byte_count("".join([item.written for item in items]))


def _within(
    part: Part, most_lines: int, most_bytes: int, is_failure: bool = False
) -> Part:
    """Shorten a part, perhaps of a failure, to a number of lines and of bytes."""
    match part:
        case Code(text=text) if text.lines <= most_lines and text.bytes <= most_bytes:
            return part
        case Code(text=text, language="diff"):
            return replace(part, text=diff_excerpts(text, most_lines, most_bytes))
        case Code(text=Clip() as text) if not is_failure:
            return Code(clip(text, most_lines, most_bytes), part.language, part.role)
        case Code(text=text):
            return replace(part, text=excerpts_of(text, most_lines, most_bytes))
        case Items():
            return _first(part, most_lines, most_bytes)
        case Prose() | Collapsible():
            return _prose_within(part, most_lines, most_bytes)
        case Steps():
            return _outline(part, most_lines, most_bytes)
    return part


def _first(part: Items, most_lines: int, most_bytes: int) -> Items:
    """Keep the first entries of a list: findings are in the order of the search."""
    if len(part.items) <= most_lines and _widths(part.items) <= most_bytes:
        return part
    kept = 0
    for item in part.items[:most_lines]:
        most_bytes -= _widths([item])
        if most_bytes < 0:
            break
        kept += 1
    rest = part.items[kept:]
    if not part.omitted and is_small(len(rest), _widths(rest)):
        return part
    return Items(part.items[:kept], part.role, part.omitted + len(part.items) - kept)


def _outline(part: Steps, most_lines: int, most_bytes: int) -> Steps:
    """Keep the first and last steps of a subagent, which share the room."""
    head = part.head if part.omitted else len(part.steps)
    steps = list(part.steps)
    if len(steps) > most_lines:
        head = min(head, most_lines - most_lines // 2)
        tail = min(len(steps) - head, most_lines // 2)
        del steps[head : len(steps) - tail]
    omitted = part.omitted + len(part.steps) - len(steps)
    places = list(range(len(steps)))
    steps = _share_room(steps, places, _step_within, most_lines, most_bytes)
    return Steps(steps, head, omitted)


def _step_within(step: Step, most_lines: int, most_bytes: int) -> Step:
    """Shorten a step; a call that is too long loses all its parts."""
    most_lines = max(most_lines, 2)
    if not isinstance(step, CallSection):
        return _prose_within(step, most_lines, most_bytes)
    lines, bytes_ = _extent(step)
    fits = lines <= most_lines and bytes_ <= most_bytes
    return step if fits else heading_only(step)


def _prose_within(
    part: Prose | Collapsible, most_lines: int, most_bytes: int
) -> Prose | Collapsible:
    if isinstance(part, Prose):
        return replace(part, text=clip_markdown(part.text, most_lines, most_bytes))
    inner = [_within(inner, most_lines, most_bytes) for inner in part.parts]
    return replace(part, parts=inner)


# The name for the output of a kind, if not output.
_OUTPUTS = {
    **dict.fromkeys(["read", "write", "edit", "delete"], "file contents"),
    **dict.fromkeys(["grep", "glob", "semSearch", "webSearch"], "search results"),
    **dict.fromkeys(["webFetch", "fetch"], "web pages"),
    **dict.fromkeys(["updateTodos", "readTodos"], "tasks"),
    "ls": "lists of files",
}


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


def _measured(part: Part) -> tuple[int, int]:
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
    """Name the contents of the parts of a call; "" for text that its heading shows."""
    output = _OUTPUTS.get(call.kind, "output")
    for part in call.parts:
        match part:
            case Code(language="diff"):
                yield "diffs"
            case Code(text=Clip() as text, role="command"):
                titled = [words.text.strip() for words in call.title]
                is_shown = text.head.strip() in titled and not text.tail
                yield "" if is_shown else "commands"
            case Steps():
                yield "steps of subagents"
            case Prose():
                yield "texts"
            case Code(role=role) | Items(role=role):
                is_list = isinstance(part, Items)
                yield output if role == "output" or is_list else "arguments"
