"""Markdown of a log as lines of styled text.

The Markdown of rich would frame and centre headings, and change with its version.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from convert.show.text import Text, joined, styled, visible, wrapped
from convert.wording import compiled

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

# Deeper parts are not indented any more.
_LEAST_CELLS = 24
_CODE = "cyan"
_GAP = "  "
# Signs that may mean something in Markdown: anywhere, and at the start of a line.
_SIGNS = "\\`*_[<&|~\r\0"
_SIGNS_AT_START = frozenset("-+=#>")


def prose_lines(markdown: str, cells: int, style: str = "") -> list[Text]:
    """Return Markdown as lines of so many cells; all of it has the style."""
    if _is_plain(markdown):
        return _paragraphs(markdown, cells, style)
    tree, parser = _tree_and_parser()
    return _blocks(tree(parser.parse(markdown)).children, cells, style)


def prose_line(markdown: str, style: str = "") -> Text:
    """Return one line of Markdown, such as a title."""
    if "\n" not in markdown and _is_plain(markdown):
        return visible(markdown, style)
    tree, parser = _tree_and_parser()
    return _spans(tree(parser.parseInline(markdown)).children, style)


def _is_plain(markdown: str) -> bool:
    """Return True for a text that is sure to be paragraphs without styles and links.

    Without the parser, `show` takes a third fewer instructions for a small log.
    """
    lines = markdown.split("\n")
    has_signs = any(map(markdown.__contains__, _SIGNS))
    return not has_signs and not any(map(_may_begin_block, lines))


def _may_begin_block(line: str) -> bool:
    """Return True for a line that may be more than one of a paragraph.

    White space at its start or end may mean code, a break, or nothing.
    """
    first = line[:1]
    if first.isdecimal():
        return compiled(r"\d+[.)]").match(line) is not None
    return first in _SIGNS_AT_START or line != line.strip()


def _paragraphs(markdown: str, cells: int, style: str) -> list[Text]:
    """Return plain paragraphs as lines, as those of the parser would be."""
    lines: list[Text] = []
    for paragraph in markdown.split("\n\n"):
        if not (words := paragraph.strip("\n")):
            continue
        if lines:
            lines.append(Text())
        rows = visible(words).plain.split("\n")
        lines += wrapped(joined((styled(row, style) for row in rows), " "), cells)
    return lines


@functools.cache
def _tree_and_parser() -> tuple[type[SyntaxTreeNode], MarkdownIt]:
    from markdown_it.tree import SyntaxTreeNode

    from convert.pages.prose import markdown_parser

    return SyntaxTreeNode, markdown_parser()


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
    widths = [max(cell.cells for cell in column) for column in columns]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > cells:
        lines = [joined(row, " · ") for row in rows]
        return [line for each in lines for line in wrapped(each, cells)]
    lines = []
    for row in rows:
        filled = [
            cell + Text(" " * (width - cell.cells) + _GAP)
            for cell, width in zip(row, widths, strict=False)
        ]
        lines.append(joined(filled).stripped())
    return lines


def _spans(nodes: Iterable[SyntaxTreeNode], style: str) -> Text:
    """Return the text of inline Markdown."""
    return joined(_span(node, style) for node in nodes)


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
