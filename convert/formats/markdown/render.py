"""The pieces of a transcript as Markdown: one function for each, and one for all."""

from __future__ import annotations

from convert.formats.markdown.prose import contained
from convert.transcript.clips import Clip
from convert.transcript.pieces import (
    CallSection,
    Code,
    Collapsible,
    CollapsibleText,
    Fact,
    FactTable,
    FileChange,
    FileChanges,
    Heading,
    Item,
    Items,
    Note,
    Part,
    Piece,
    Prose,
    Step,
    Steps,
    Text,
    Title,
)
from convert.wording.markdown import cell, code, fenced, inline, link, summary
from convert.wording.markdown import text as escaped
from convert.wording.numbers import count
from convert.wording.words import Words

_RULE = "---"
_GROWING = (Prose, Items)


def render(piece: Piece) -> str:
    """One piece: blocks with an empty line between them, and a line feed at the end."""
    return "\n\n".join(_piece(piece)) + "\n"


def _piece(piece: Piece) -> list[str]:
    match piece:
        case CallSection():
            return _call(piece)
        case Title(text=text):
            return [f"# {_ended(escaped(text))}"]
        case Heading(name=name):
            return [f"## {name}"]
        case FactTable(facts=facts):
            return [_table(facts)]
        case Text(text=text, follows=follows):
            return [*([_RULE] if follows else []), *_prose(text)]
        case CollapsibleText(summary=said, text=text):
            return _details([Words(said, "ours")], _prose(text))
        case FileChanges(changes=changes, omitted=omitted):
            return _changes(changes, omitted)


def _call(call: CallSection) -> list[str]:
    heading = f"### {call.number}. {_ended(_sentence(call))}"
    return [heading, *_folded(call)]


def _sentence(call: CallSection) -> str:
    """What a call did and what came of it."""
    notes = ", ".join(map(escaped, call.notes))
    return inline(call.title) + (f" – {notes}" if notes else "")


def _folded(call: CallSection) -> list[str]:
    if not call.parts:
        return ["… left out …"] if call.is_bare else []
    return _details(call.summary, _parts(call.parts), is_open=not call.is_ok)


def _ended(heading: str) -> str:
    """A heading that ends in no mark which would close it."""
    bare = heading.rstrip("#")
    return heading if bare == heading else f"{bare}\\{heading[len(bare) :]}"


def _details(said: list[Words], blocks: list[str], is_open: bool = False) -> list[str]:
    """An element that a reader opens; an empty line makes its content Markdown."""
    opened = "<details open>" if is_open else "<details>"
    return [f"{opened}\n<summary>{summary(said)}</summary>", *blocks, "</details>"]


def _parts(parts: list[Part] | list[Step]) -> list[str]:
    """Blocks of all parts; a rule keeps apart what would grow into one list."""
    blocks: list[str] = []
    above: Part | Step | None = None
    for part in parts:
        if isinstance(above, _GROWING) and isinstance(part, _GROWING):
            blocks.append(_RULE)
        blocks += _part(part)
        above = part
    return blocks


def _part(part: Part | Step) -> list[str]:
    match part:
        case Code(text=text, language=language):
            return [_code(text, language)]
        case Prose(text=text):
            return _prose(text)
        case Note(line=line):
            return [inline(line, is_start=True)]
        case Items():
            return [_items(part)]
        case Collapsible(summary=said, parts=parts):
            return _details(said, _parts(parts))
        case Steps():
            return _steps(part)
        case CallSection():
            return [f"**{part.number}.** {_sentence(part)}", *_folded(part)]


def _code(text: Clip, language: str) -> str:
    note = text.note
    if not note:
        return fenced(text.head, language)
    head = text.head if text.head.endswith("\n") or not text.head else f"{text.head}\n"
    return fenced(f"{head}{note}\n{text.tail}", language)


def _prose(text: Clip) -> list[str]:
    tail = f"{text.opener}\n{text.tail}" if text.opener else text.tail
    blocks = [contained(text.head), text.note, contained(tail)]
    return [block for block in blocks if block]


def _items(items: Items) -> str:
    lines = [_item(item) for item in items.items]
    if items.omitted:
        lines.append(f"- … {count(items.omitted, 'entry', 'entries')} omitted …")
    return "\n".join(lines)


def _item(item: Item) -> str:
    # A bare `-` would underline what stands above it.
    said = inline(item.line, is_start=True).strip() or "(no text)"
    if item.url:
        said = link(said, item.url)
    box = "" if item.is_done is None else ("[x] " if item.is_done else "[ ] ")
    return f"{'  ' * item.level}- {box}{said}"


def _steps(steps: Steps) -> list[str]:
    head, tail = steps.steps[: steps.head], steps.steps[steps.head :]
    blocks = _parts(head)
    if steps.omitted:
        blocks.append(f"… {count(steps.omitted, 'step')} omitted …")
    return blocks + _parts(tail)


def _table(facts: list[Fact]) -> str:
    names = [fact.name.capitalize() for fact in facts]
    rows = [names, ["---"] * len(facts), [cell(fact.line) for fact in facts]]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _changes(changes: list[FileChange], omitted: int) -> list[str]:
    lines = []
    for change in changes:
        figures = ""
        if change.added is not None and change.removed is not None:
            figures = f"+{change.added:,} −{change.removed:,}"
        what = ", ".join(filter(None, (change.status, figures)))
        lines.append(f"- {code(change.path)} – {what}")
    if omitted:
        lines.append(f"- … {count(omitted, 'file')} omitted …")
    said = [Words(f"{count(len(changes) + omitted, 'file')} changed", "ours")]
    return _details(said, ["\n".join(lines)])
