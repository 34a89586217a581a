"""Styled text, measured in the cells of a terminal, and Markdown as such text.

A wide character takes two cells. The Markdown of rich would frame and centre headings,
and change with its version.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

from markdown_it.tree import SyntaxTreeNode
from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

from convert.pages.prose import markdown_parser
from convert.wording.escapes import escape_controls, repair_surrogates

INDENT = "      "
"""The indent of lines below a call, as wide as its number."""

_parser = functools.cache(markdown_parser)


def styled(text: str, style: str) -> Text:
    """Return text of ours; text that is added later does not get its style."""
    return Text().append(text, style)


def visible(text: str, style: str = "") -> Text:
    """Return text of a log; signs that would control or hide it become visible."""
    return styled(escape_controls(repair_surrogates(text)).expandtabs(4), style)


def cut(line: Text, cells: int) -> Text:
    """Return a line, cut with `…` at its end if it takes more cells."""
    if line.cell_len > cells:
        line = line.copy()
        line.truncate(max(cells, 0), overflow="ellipsis")
    return line


def wrapped(
    text: Text, cells: int, first: Text | None = None, others: Text | None = None
) -> list[Text]:
    """Return text as lines of at most so many cells.

    The first line begins with `first`, and the others with `others`.
    """
    first = first or Text()
    others = others or Text(" " * first.cell_len)
    room = max(cells - first.cell_len, 1)
    lines: list[Text] = []
    for line in text.wrap(_console(), room, overflow="fold") or [Text()]:
        line.rstrip()
        lines.append((others if lines else first) + line)
        lines[-1].rstrip()
    return lines


def at_both_ends(left: Text, right: Text, cells: int) -> Text:
    """Return a line with a text at its start, which may be cut, and one at its end."""
    right = cut(right, cells - 2)
    room = cells - right.cell_len - (1 if right else 0)
    left = cut(left, room)
    if not right:
        return left
    return left + Text(" " * (cells - left.cell_len - right.cell_len)) + right


def painted(line: Text) -> str:
    """Return a line with the escape sequences of its colours."""
    return "".join(
        style.render(text, color_system=ColorSystem.STANDARD) if style else text
        for text, style, _ in line.render(_console())
    )


@functools.cache
def _console() -> Console:
    """Return the console by which rich looks up styles; nothing is printed with it."""
    return Console(width=80, force_terminal=False, color_system=None)


# Deeper parts are not indented any more.
_LEAST_CELLS = 24
_CODE = "cyan"
_GAP = "  "


def prose_lines(markdown: str, cells: int, style: str = "") -> list[Text]:
    """Return Markdown as lines of so many cells; all of it has the style."""
    return _blocks(SyntaxTreeNode(_parser().parse(markdown)).children, cells, style)


def prose_line(markdown: str, style: str = "") -> Text:
    """Return one line of Markdown, such as a title."""
    return _spans(SyntaxTreeNode(_parser().parseInline(markdown)).children, style)


def _blocks(
    nodes: Iterable[SyntaxTreeNode], cells: int, style: str, is_tight: bool = False
) -> list[Text]:
    """Return blocks below one another, apart unless they are those of a tight list."""
    lines: list[Text] = []
    for node in nodes:
        if lines and not is_tight:
            lines.append(Text())
        lines += _block(node, cells, style)
    return lines


def _block(node: SyntaxTreeNode, cells: int, style: str) -> list[Text]:
    match node.type:
        case "heading":
            return wrapped(_spans(node.children, _with(style, "bold")), cells)
        case "bullet_list" | "ordered_list":
            return _list(node, cells, style)
        case "blockquote":
            return _quote(node, cells, style)
        case "fence" | "code_block":
            return _code(node, cells, style)
        case "table":
            return _table(node, cells, style)
        case "hr":
            return [styled("─" * min(cells, _LEAST_CELLS), _with(style, "dim"))]
    return wrapped(_spans(node.children, style), cells)


def _list(node: SyntaxTreeNode, cells: int, style: str) -> list[Text]:
    lines: list[Text] = []
    first = int(node.attrs.get("start", 1))
    is_tight = all(part.hidden for item in node.children for part in item.children[:1])
    for number, item in enumerate(node.children, first):
        mark = f"{number}. " if node.type == "ordered_list" else "• "
        if lines and not is_tight:
            lines.append(Text())
        room = cells - len(mark)
        inner = _blocks(item.children, max(room, _LEAST_CELLS), style, is_tight)
        other = " " * len(mark) if room >= _LEAST_CELLS else ""
        lines += _prefixed(inner or [Text()], styled(mark, style), Text(other))
    return [line for each in lines for line in wrapped(each, cells)]


def _quote(node: SyntaxTreeNode, cells: int, style: str) -> list[Text]:
    room = cells - 2
    if room < _LEAST_CELLS:
        return _blocks(node.children, cells, style)
    edge = styled("│ ", _with(style, "dim"))
    return _prefixed(_blocks(node.children, room, style), edge, edge)


def _prefixed(lines: list[Text], first: Text, others: Text) -> list[Text]:
    return [(others if at else first) + line for at, line in enumerate(lines)]


def _code(node: SyntaxTreeNode, cells: int, style: str) -> list[Text]:
    lines = node.content.removesuffix("\n").split("\n")
    indent = Text(_GAP)
    code = _with(style, _CODE)
    return [
        line for each in lines for line in wrapped(visible(each, code), cells, indent)
    ]


def _table(node: SyntaxTreeNode, cells: int, style: str) -> list[Text]:
    """Return a table with its columns in line; if there is no room, without."""
    rows = [
        [
            _spans(cell.children, _with(style, "bold" * (cell.type == "th")))
            for cell in row.children
        ]
        for part in node.children
        for row in part.children
    ]
    columns = itertools.zip_longest(*rows, fillvalue=Text())
    widths = [max(cell.cell_len for cell in column) for column in columns]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > cells:
        lines = [Text(" · ").join(row) for row in rows]
        return [line for each in lines for line in wrapped(each, cells)]
    lines = []
    for row in rows:
        line = Text()
        for cell, width in zip(row, widths, strict=False):
            line += cell + Text(" " * (width - cell.cell_len) + _GAP)
        line.rstrip()
        lines.append(line)
    return lines


def _spans(nodes: Iterable[SyntaxTreeNode], style: str) -> Text:
    """Return the text of inline Markdown."""
    line = Text()
    for node in nodes:
        line += _span(node, style)
    return line


def _span(node: SyntaxTreeNode, style: str) -> Text:
    match node.type:
        case "strong":
            return _spans(node.children, _with(style, "bold"))
        case "s":
            sign = styled("~~", style)
            return sign + _spans(node.children, style) + sign
        case "code_inline":
            return visible(node.content, _with(style, _CODE))
        case "link":
            return _link(node, style)
        case "image":
            return visible(f"[image: {node.content}]", style)
        case "softbreak":
            return Text(" ")
        case "hardbreak":
            return Text("\n")
    return (
        _spans(node.children, style) if node.children else visible(node.content, style)
    )


def _link(node: SyntaxTreeNode, style: str) -> Text:
    """Return the words of a link, and its address if they are others."""
    words = _spans(node.children, style)
    address = visible(str(node.attrs.get("href", "")))
    if address.plain in (words.plain, f"mailto:{words.plain}"):
        return words
    return (
        words
        + styled(" (", _with(style, "dim"))
        + styled(address.plain, _with(style, "dim"))
        + styled(")", _with(style, "dim"))
    )


def _with(style: str, more: str) -> str:
    return f"{style} {more}".strip()
