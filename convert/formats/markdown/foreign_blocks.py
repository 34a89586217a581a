"""The blocks of foreign Markdown, changed so that they affect nothing around them.

The text is parsed as it will be read in the result: without raw HTML, since every `<`
that could begin some is escaped, and without link definitions, which would apply to
the whole document. So a code block here is a code block there.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from convert.formats.markdown.foreign_fences import (
    UnsafeError,
    edit_fence,
    follows_text,
)
from convert.formats.markdown.foreign_spans import sanitise_cells, sanitise_text
from convert.wording.compiled import compiled

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Headings begin below `###`, which is for calls alone.
_BELOW = 3
# Some parsers give up at 20 levels, and a list is two.
_MOST_NESTED_BLOCKS = 14
_MOST_LINES = 20_000
# The parser takes quadratic time for lists in quotations.
_MOST_QUOTED = 1000
_PREFIX = r"^[ \t>*+\-\d.)]*"
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*")
_DELIMITER = re.compile(r"^[ \t]*[|:-][ \t|:-]*$", re.MULTILINE)
# A row that cmark reads as a block, and our parser as the header of a table.
_NO_HEADER = rf"{_PREFIX}(?:#{{1,6}}[ \t]|`{{3}}|~{{3}})"
_IN_LIST = r"[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])"
_TRAILING = re.compile("#+$")
_BACKSLASH = r"\\\g<0>"
# Some parsers read these rows as headings: no space after the mark, a mixed underline.
_ROW_AS_HEADING = re.compile(r"\A(?:#|[=-]+\Z)")
# Indented text after these is a part of them for Python-Markdown, even as code here.
_CONTAINER_ENDS = ("blockquote_close", "bullet_list_close", "ordered_list_close")
# GitLab quotes the text between two such lines.
_QUOTED_BLOCK = re.compile("^ {0,3}>{3,}[ \t]*$", re.MULTILINE)
# MkDocs reads Markdown in what is indented after such a line.
_ADMONITION = re.compile(
    r"^ {0,3}(?:!!!|\?{3}|={3}[+!]? \")[^\n]*\n(?:[ \t]*\n)*(?: {4}| {0,3}\t)",
    re.MULTILINE,
)
_QUOTE = re.compile("^[ \t]*>", re.MULTILINE)
# Ends a line for some parsers, where code may begin then.
_SEPARATORS = re.compile("[\u2028\u2029]")
_EMPTY_ITEM = r"[ \t>]*(?:[*+-]|\d{1,9}[.)])[ \t]*"
_OTHER_WHITE = re.compile(r"[^\S \t]+")
_INDENTED_QUOTE = " {4,}>|[ ]*\t[ \t]*>"


def edited(text: str, in_html: bool) -> str:
    """Return a text with its blocks changed; raises if it has to be shown as source.

    See `sanitise_markdown` for `in_html`.
    """
    lines: list[str | None] = [*text.split("\n")]
    if (
        len(lines) > _MOST_LINES
        or len(_QUOTE.findall(text)) > _MOST_QUOTED
        or _QUOTED_BLOCK.search(text)
        or _ADMONITION.search(text)
        or ("`" in text and _SEPARATORS.search(text))
    ):
        raise UnsafeError
    tokens = _parser().parse(text)
    if any(token.level > _MOST_NESTED_BLOCKS for token in tokens):
        raise UnsafeError
    _edit(lines, tokens, in_html)
    return "\n".join(line for line in lines if line is not None)


def _edit(lines: list[str | None], tokens: list[Token], in_html: bool) -> None:
    """Change the lines of a text by its tokens; None removes a line."""
    heading: Token | None = None
    table_end = 0
    text_ends: set[int] = set()
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before and token.type == "code_block" and before.type in _CONTAINER_ENDS:
            raise UnsafeError
        begin, end = token.map or (0, 0)
        of_token = [line or "" for line in lines[begin:end]]
        _refuse_ambiguous(token, of_token, text_ends, in_html)
        match token.type:
            case "heading_open":
                heading = token
            case "paragraph_open":
                text_ends.add(end)
            case "table_open":
                table_end = end
                text_ends.add(end)
                _edit_table(lines, begin, end, in_html)
            case "inline" if begin >= table_end:
                _edit_rows(lines, begin, token.content, heading, in_html)
                heading = None
            case "hr" if token.level == 0 and follows_text(lines, begin):
                # Other parsers would underline the line above.
                lines[begin] = f"\n{lines[begin]}"
            case "fence":
                edit_fence(lines, token)


def _edit_table(lines: list[str | None], begin: int, end: int, in_html: bool) -> None:
    for number in range(begin, end):
        lines[number] = sanitise_cells(lines[number] or "", in_html)
    if end < len(lines) and _UNDERLINE.fullmatch(lines[end] or ""):
        # Other parsers would make a heading of the table.
        lines[end - 1] = f"{lines[end - 1]}\n"


def _refuse_ambiguous(
    token: Token, lines: list[str], text_ends: set[int], in_html: bool
) -> None:
    """Raise for a block that other parsers read differently."""
    match token.type:
        case "table_open":
            is_ambiguous = (
                compiled(_NO_HEADER).match(lines[0]) is not None
                or (token.level == 0 and compiled(_IN_LIST).match(lines[0]) is not None)
                or "|" not in lines[1]
            )
        case "blockquote_open":
            # A quotation that is indented as code.
            is_ambiguous = token.level == 0 and any(
                map(compiled(_INDENTED_QUOTE).match, lines)
            )
        case "code_block":
            # Indented code right after a paragraph or a table, in a list or in HTML.
            begin = token.map[0] if token.map else 0
            is_ambiguous = in_html or token.level > 0 or begin in text_ends
        case "list_item_open":
            # An item without text: one of the lines may underline the other.
            is_ambiguous = compiled(_EMPTY_ITEM).fullmatch(lines[0]) is not None
        case _:
            return
    if is_ambiguous:
        raise UnsafeError


def _edit_rows(
    lines: list[str | None],
    begin: int,
    content: str,
    heading: Token | None,
    in_html: bool,
) -> None:
    """Edit the text of a block in its lines, which may begin with other marks."""
    # A possible table gets no code spans, which a pipe could cut in two elsewhere.
    text = sanitise_text(content, in_html, _DELIMITER.search(content) is None)
    if _DEFINITION.match(text):
        text = f"\\{text}"
    rows = [_ROW_AS_HEADING.sub(_BACKSLASH, row.strip()) for row in text.split("\n")]
    places = []
    for number, (row, new) in enumerate(
        zip(content.split("\n"), rows, strict=True), begin
    ):
        line = lines[number] or ""
        places.append(line.rfind(row.strip()))
        if places[-1] < 0:
            raise UnsafeError
        lines[number] = line[: places[-1]] + new + line[places[-1] + len(row.strip()) :]
    if heading is not None:
        _lower(lines, heading, rows, (lines[begin] or "")[: places[0]])


def _lower(
    lines: list[str | None], heading: Token, rows: list[str], prefix: str
) -> None:
    """Move a heading below the outline; an underlined one becomes one line."""
    begin, end = heading.map or (0, 0)
    level = int(heading.tag[1])
    mark = "#" * min(level + _BELOW, 6)
    if heading.markup.startswith("#"):
        lines[begin] = (lines[begin] or "").replace("#" * level, mark, 1)
        return
    prefix = _OTHER_WHITE.sub("", prefix)
    lines[begin] = f"{prefix}{mark} {_TRAILING.sub(_BACKSLASH, ' '.join(rows))}"
    lines[begin + 1 : end] = [None] * (end - begin - 1)


@functools.cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks alone, without HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt(
        "commonmark", {"html": False, "maxNesting": 8 * _MOST_NESTED_BLOCKS}
    )
    parser.enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
