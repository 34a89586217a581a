"""The pieces of a transcript as Markdown."""

from __future__ import annotations

from convert.facts.figures import FileChange
from convert.formats.markdown.foreign_markdown import sanitise_markdown
from convert.transcript.clips import Clip, omission
from convert.transcript.excerpts import Excerpts
from convert.transcript.pieces import (
    Block,
    CallSection,
    Code,
    Collapsible,
    CollapsibleText,
    Correction,
    Fact,
    FactList,
    FileChanges,
    Finding,
    FoldedCalls,
    Heading,
    Item,
    Items,
    Label,
    LeftOut,
    Note,
    Part,
    Piece,
    Prose,
    Remark,
    Step,
    Steps,
    Text,
    Title,
)
from convert.wording.markdown import at_start, code, fenced, inline, link, summary
from convert.wording.markdown import text as escaped
from convert.wording.numbers import count
from convert.wording.words import Inline, Words

_RULE = "---"
# A bare `-` would make a heading of the paragraph above.
_NO_TEXT = "(no text)"
# Looked up by type: to be no instance of a struct takes long to see.
_MERGING = frozenset([Prose, Items])


def render(piece: Piece) -> str:
    """Write a piece: blocks with an empty line between, and a line feed at the end."""
    return "\n\n".join(_piece(piece)) + "\n"


def _piece(piece: Piece) -> list[str]:
    match piece:
        case CallSection():
            return _call(piece)
        case Text(text=text, follows=follows):
            blocks = _prose(text, in_html=False)
            return [_RULE, *blocks] if follows else blocks
        case Title(text=text):
            return [f"# {_closed(escaped(text))}"]
        case Heading(name=name):
            return [f"## {name}"]
        case FactList(facts=facts):
            return ["\n".join(map(_fact, facts))]
        case Remark(line=line, follows=follows):
            return [*([_RULE] if follows else []), f"*{inline(line)}*"]
        case CollapsibleText(summary=line, text=text):
            return _details([Words(line, "ours")], _prose(text, in_html=True))
        case Block(part=part):
            return _part(part)
        case FoldedCalls(first=first, last=last):
            from convert.transcript.folded_calls import in_words

            return [f"**{first} to {last}.** {in_words(piece)}"]
        case Correction(number=number, outcome=outcome):
            return [f"**{number}.** a later line of the log says: {escaped(outcome)}"]
        case FileChanges(changes=changes, omitted=omitted):
            return _changes(changes, omitted)


def _call(call: CallSection) -> list[str]:
    heading = f"### {call.prefix}{call.number}. {_closed(_sentence(call))}"
    return [heading, *_call_parts(call)]


def _sentence(call: CallSection) -> str:
    """Write what a call did, its notes, and when that was."""
    notes = [*map(escaped, call.remarks)]
    if call.when:
        notes.append(call.when)
    title = inline(call.title)
    return f"{title} – {', '.join(notes)}" if notes else title


def _call_parts(call: CallSection) -> list[str]:
    if not call.parts:
        return [_note(call.left_out)] if call.left_out else []
    return _details(call.summary, _parts(call.parts), is_open=not call.is_ok)


def _note(left_out: LeftOut) -> str:
    """Say how much of a call is left out."""
    if left_out.bytes:
        return omission(left_out.lines, left_out.bytes)
    entries = count(left_out.lines, "line") if left_out.lines else "details"
    return f"… {entries} left out of this page …"


def _closed(heading: str) -> str:
    """Escape a `#` at the end of a heading, which would close it."""
    if heading[-1:] != "#":
        return heading
    bare = heading.rstrip("#")
    return f"{bare}\\{heading[len(bare) :]}"


def _details(line: Inline, blocks: list[str], is_open: bool = False) -> list[str]:
    """Write a `details` element; an empty line makes its content Markdown."""
    opened = "<details open>" if is_open else "<details>"
    return [f"{opened}\n<summary>{summary(line)}</summary>", *blocks, "</details>"]


def _parts(parts: list[Part] | list[Step]) -> list[str]:
    """Write all parts; a rule separates two that could merge into one list."""
    if len(parts) == 1:
        return _part(parts[0])
    blocks: list[str] = []
    above: type | None = None
    for part in parts:
        if above in _MERGING and type(part) in _MERGING:
            blocks.append(_RULE)
        blocks += _part(part)
        above = type(part)
    return blocks


def _part(part: Part | Step) -> list[str]:
    match part:
        case Code(text=text, language=language):
            return _code(text, language)
        case Prose(text=text):
            return _prose(text, in_html=True)
        case Note(line=line):
            return [inline(line, is_start=True)]
        case Label(line=line):
            return [f"**{inline(line)}:**"]
        case Items():
            return [_items(part)]
        case Collapsible(summary=line, parts=parts):
            return _details(line, _parts(parts))
        case Steps():
            return _steps(part)
        case CallSection():
            number = f"{part.prefix}{part.number}"
            return [f"**{number}.** {_sentence(part)}", *_call_parts(part)]


def _code(text: Clip | Excerpts, language: str) -> list[str]:
    """Write code; a note on lines that are left out stands between two fences."""
    if isinstance(text, Clip) and not text.omitted_bytes:
        return [fenced(text.head, language)]
    blocks = []
    for note, shown in text.shown():
        if note:
            blocks.append(note)
        if shown:
            blocks.append(fenced(shown, language))
    return blocks


def _prose(text: Clip, in_html: bool) -> list[str]:
    if not text.omitted_bytes:
        head = sanitise_markdown(text.head, in_html)
        return [head] if head else []
    tail = f"{text.opener}\n{text.tail}" if text.opener else text.tail
    head, tail = (sanitise_markdown(part, in_html) for part in (text.head, tail))
    blocks = [head, text.note, tail]
    return [block for block in blocks if block]


def _items(items: Items) -> str:
    lines = [
        _finding(item) if isinstance(item, Finding) else _item(item)
        for item in items.items
    ]
    if items.skipped:
        lines.insert(0, f"- {count(items.skipped, 'earlier one')} left out")
    if items.omitted:
        entries = count(items.omitted, "entry", "entries")
        lines.append(f"- … {entries} left out of this page …")
    return "\n".join(lines)


def _item(item: Item) -> str:
    label = inline(item.line, is_start=True).strip() or _NO_TEXT
    if item.url:
        label = link(label, item.url)
    if item.is_done is not None:
        label = f"[x] {label}" if item.is_done else f"[ ] {label}"
    return f"{'  ' * item.level}- {label}"


def _finding(found: Finding) -> str:
    indent = "  " * found.level
    if found.style == "code":
        return f"{indent}- {found.before}{code(found.text)}{found.after}"
    text = f"{found.before}{at_start(found.text, found.style)}{found.after}".strip()
    return f"{indent}- {text or _NO_TEXT}"


def _steps(steps: Steps) -> list[str]:
    head, tail = steps.steps[: steps.head], steps.steps[steps.head :]
    blocks = _parts(head)
    if steps.omitted:
        blocks.append(f"… {count(steps.omitted, 'step')} left out of this page …")
    return blocks + _parts(tail)


def _fact(fact: Fact) -> str:
    return f"- **{fact.name.capitalize()}:** {inline(fact.line)}"


def _changes(changes: list[FileChange], omitted: int) -> list[str]:
    from convert.transcript.fact_list import in_figures

    lines = []
    for change in changes:
        lines.append(f"- {code(change.path)} – {in_figures(change)}")
    if omitted:
        lines.append(f"- … {count(omitted, 'file')} left out of this page …")
    return _details([Words("changed files", "ours")], ["\n".join(lines)])
