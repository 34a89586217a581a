"""markdown: a transcript to read, to paste and to keep.

events -> transcript (pieces) -> render -> bytes

Most Markdown of the log stays as it is; `foreign_markdown` is loaded for the first text
that does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.facts.changed_files import FileChange
from convert.model.events import Event
from convert.options.conversion import Options
from convert.transcript.fact_list import in_figures
from convert.transcript.pieces import (
    Block,
    CallSection,
    Code,
    Collapsible,
    CollapsibleText,
    Correction,
    Ending,
    Fact,
    FactList,
    FileChanges,
    Finding,
    FoldedCalls,
    Heading,
    Item,
    Items,
    Label,
    Note,
    Omitted,
    Part,
    Piece,
    Prose,
    Remark,
    Step,
    Steps,
    Text,
    Title,
)
from convert.transcript.run import pieces
from convert.transcript.shortened_texts import Clip, Excerpts, omission
from convert.wording import compiled
from convert.wording.markdown import (
    ATTRIBUTES,
    at_start,
    code,
    fenced,
    inline,
    link,
    summary,
)
from convert.wording.markdown import text as escaped
from convert.wording.numbers import count
from convert.wording.styles_and_columns import Inline, Styled


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the transcript of each run, each piece when it is complete.

    All of it waits for the end of the log with front matter or a limit, which need
    that, or if nobody reads before. The verdict and the answer then come first.
    """
    is_late = options.at_end or options.front_matter or options.max_bytes is not None
    if is_late:
        options = options.replace(at_end=True)
    found = pieces(events, options)
    front_matter = None
    if options.front_matter:
        from convert.write.front_matter import FrontMatter

        front_matter = FrontMatter()
        found = front_matter.recorded(found)
    gap = "\n" if options.follows else ""
    if options.max_bytes is not None:
        from convert.write.limit import limited

        for block in limited(found, options.max_bytes, render, front_matter):
            yield f"{gap}{block}".encode(errors="replace")
            gap = "\n"
    elif is_late:
        from convert.write.ended import verdict_first

        yield from verdict_first(found, _encoded, gap, front_matter)
    else:
        for piece in found:
            yield _encoded(piece, gap)
            gap = "\n"


def _encoded(piece: Piece, gap: str) -> bytes:
    """Write the blocks of a piece with an empty line between all of them.

    Each block is encoded on its own, since a dash in one of them would make all take
    two bytes a character: that saves 5 % of a transcript.
    """
    blocks = _piece(piece) or [""]
    blocks[0] = gap + blocks[0]
    blocks[-1] += "\n"
    return b"\n\n".join([block.encode("utf-8", "replace") for block in blocks])


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
            heading = f"### {piece.prefix}{piece.number}. {_closed(_sentence(piece))}"
            return [heading, *_call_parts(piece)]
        case Text(text=text, follows=follows):
            blocks = _prose(text, in_html=False)
            return [_RULE, *blocks] if follows else blocks
        case Title(text=text):
            return [f"# {_closed(escaped(text))}"]
        case Heading(name=name):
            return [f"## {name}"]
        case Ending(sentence=sentence):
            return [f"**{escaped(sentence)}**"]
        case FactList(facts=facts):
            return ["\n".join(map(_fact, facts))]
        case Remark(line=line, follows=follows):
            return [*([_RULE] if follows else []), f"*{inline(line)}*"]
        case CollapsibleText(summary=line, text=text):
            return _details([Styled(line, "ours")], _prose(text, in_html=True))
        case Block(part=part):
            return _part(part)
        case FoldedCalls(first=first, last=last):
            return [f"**{first} to {last}.** {folded_in_words(piece)}"]
        case Correction(number=number, outcome=outcome):
            return [f"**{number}.** a later line of the log says: {escaped(outcome)}"]
        case FileChanges(changes=changes, omitted=omitted):
            return _changes(changes, omitted)


def _sentence(call: CallSection) -> str:
    """Write the action of a call, its notes and its time."""
    notes = [*map(escaped, call.remarks)]
    if call.when:
        notes.append(call.when)
    title = inline(call.title)
    return f"{title} – {', '.join(notes)}" if notes else title


def _call_parts(call: CallSection) -> list[str]:
    if not call.parts:
        return [_omission(call.omitted)] if call.omitted else []
    return _details(call.summary, _parts(call.parts), is_open=not call.is_ok)


def _omission(omitted: Omitted) -> str:
    """Say how much of a call is omitted."""
    if omitted.bytes:
        return omission(omitted.lines, omitted.bytes)
    entries = count(omitted.lines, "line") if omitted.lines else "details"
    return f"… {entries} omitted from this page …"


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
    """Write code; a note on omitted lines is between two fences."""
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
    return [block for block in [head, text.note, tail] if block]


def _items(items: Items) -> str:
    lines = [
        _finding(item) if isinstance(item, Finding) else _item(item)
        for item in items.items
    ]
    if items.skipped:
        lines.insert(0, f"- {count(items.skipped, 'earlier one')} omitted")
    if items.omitted:
        entries = count(items.omitted, "entry", "entries")
        lines.append(f"- … {entries} omitted from this page …")
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
        blocks.append(f"… {count(steps.omitted, 'step')} omitted from this page …")
    return blocks + _parts(tail)


def _fact(fact: Fact) -> str:
    return f"- **{fact.name.capitalize()}:** {inline(fact.line)}"


def _changes(changes: list[FileChange], omitted: int) -> list[str]:
    lines = [f"- {code(each.path)} – {in_figures(each)}" for each in changes]
    if omitted:
        lines.append(f"- … {count(omitted, 'file')} omitted from this page …")
    return _details([Styled("changed files", "ours")], ["\n".join(lines)])


# In characters; the parser takes some seconds for 1 MB of nothing but markup.
_LONGEST = 200_000
# A text without these signs and line beginnings stays as it is. Patterns that begin
# with a literal search long texts without any in a tenth of the time.
_SIGNS = "<!]%${"
_SIGNED = (
    r"<[A-Za-z/!?]|!\[|\]:|\]\((?!https?://[^\s()<>`]*\))|%%|\$\$"
    rf"|{ATTRIBUTES}"
)
_BEGUN = re.compile(
    r"\n(?=[ \t>=:~*+\-\d.)#`/])(?:[ \t>]*(?:=+|-+)[ \t]*(?=\n)"
    r"|[ \t]*(?:::include|[:~][ \t])|\ {0,3}>>>"
    r"|(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){6,}|[ \t]{10,}(?:[>*+-]|\d)"
    r"|[ \t>*+\-\d.)]*(?:\#|```|~~~|/[a-z_]+(?:[ \t\n])))"
)
# Spaces without meaning: they indent neither code nor the content of a list.
_INDENT = r"\A {1,3}(?=[^\s>*+\-\d#`~])"


def sanitise_markdown(text: str, in_html: bool = False) -> str:
    """Return Markdown that affects nothing around it and loads nothing.

    Headings move below the outline, HTML and definitions become text, images become
    links, and an open code fence is closed. Code stays as it is. Text that is nested
    too deep, or that other parsers read differently, is shown as its source.

    `in_html` says that an element of HTML is around the text, where some parsers read
    no Markdown but fences.
    """
    text = text.strip("\n").rstrip()
    if text.startswith(" "):
        text = compiled(_INDENT).sub("", text)
    if len(text) > _LONGEST:
        return fenced(text, "markdown")
    if not _needs_changes(text):
        return text
    from convert.write.foreign_markdown import UnsafeError, edited

    try:
        return edited(text, in_html)
    except (RecursionError, UnsafeError):
        return fenced(text, "markdown")


def _needs_changes(text: str) -> bool:
    """Return True if something in a text may affect the document around it."""
    if any(map(text.__contains__, _SIGNS)) and compiled(_SIGNED).search(text):
        return True
    # A formula may end inside code, or code inside a formula.
    has_formula = "$" in text and "`" in text and text.count("$") > 1
    return has_formula or _BEGUN.search(f"\n{text}\n") is not None


# The noun for a call of a kind, and for several of them.
_NOUNS = {
    **dict.fromkeys(["read", "readMcpResource"], ("read", "reads")),
    **dict.fromkeys(["ls", "listMcpResources", "getMcpTools"], ("listing", "listings")),
    **dict.fromkeys(["grep", "glob", "semSearch", "webSearch"], ("search", "searches")),
    **dict.fromkeys(["webFetch", "fetch"], ("fetch", "fetches")),
    **dict.fromkeys(["edit", "write", "delete"], ("edit", "edits")),
    "shell": ("command", "commands"),
    "task": ("subagent", "subagents"),
    "mcp": ("MCP call", "MCP calls"),
    **dict.fromkeys(
        ["updateTodos", "readTodos"], ("to-do list update", "to-do list updates")
    ),
}
_OTHER = ("other call", "other calls")


def folded_in_words(folded: FoldedCalls) -> str:
    """Count calls and their kinds, the commonest first."""
    nouns: Counter[tuple[str, str]] = Counter()
    for kind, calls in folded.kinds.items():
        nouns[_NOUNS.get(kind, _OTHER)] += calls
    counted = [count(calls, *noun) for noun, calls in nouns.most_common()]
    return f"{count(folded.calls, 'call')}: {', '.join(counted)}"
