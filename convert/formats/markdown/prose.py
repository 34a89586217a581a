"""Markdown of somebody else, made to stay in its place.

The text is read in the dialect that it has when it comes out: without raw HTML, since
every `<` that could begin some is escaped, and without definitions of links, which
would hold for the whole document. So what is code here is code there.
"""

from __future__ import annotations

import bisect
import functools
import re
from typing import TYPE_CHECKING

from convert.formats.markdown.escape import fenced

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Headings of others begin below `###`, which is for calls alone.
_BELOW = 3
_DEEPEST = 60
# Lists in quotations cost our parser lines times lines.
_MOST_QUOTED = 1000
_PREFIX = r"^[ \t>*+\-\d.)]*"
# A text without any of this stays as it is.
_TOUCHED = re.compile(
    r"<[A-Za-z/!?]|!\[|\]:|%%|^[ \t>]*(?:=+|-+)[ \t]*$"
    rf"|{_PREFIX}(?:#{{1,6}}(?:[ \t]|$)|```|~~~|/[a-z_]+(?:[ \t]|$))",
    re.MULTILINE,
)
_INLINE = re.compile(
    r"(?P<escaped>\\[!-/:-@\[-`{-~])"
    r"|(?P<url>(?i:https?://|ftp://|www\.)[^ \t\n\x0b\x0c]+"
    r"|\]\([ \t\n]*[^ \t\n]*(?:[ \t\n]+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
    r"|\((?:[^()\\]|\\.)*\))[^ \t\n\x0b\x0c]*)?)"
    r"|(?P<ticks>`+)"
    r"|(?P<link><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>`\\\x00-\x20]*>)"
    r"|(?P<html><(?=[A-Za-z/!?]))"
    r"|(?<!!)(?P<bangs>!*)!\[(?P<alt>[^\[\]`<\\\n]*)\](?P<address>\([^()\s<>`\\]+\))"
    r"|(?P<image>!(?=\[))"
    r"|(?P<definition>^[ \t]*\[(?=(?:[^\[\]\\]|\\.)*\]:))"
    r"|(?P<comment>%%)"
    r"|(?P<command>^[ \t]*/(?=[a-z_]+(?:[ \t]|$)))",
    re.MULTILINE | re.DOTALL,
)
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*")
_DELIMITER = re.compile(r"^[ \t]*[|:-][ \t|:-]*$", re.MULTILINE)
_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")
# A row that cmark, other than our parser, takes for a block and not for a table.
_NO_HEADER = re.compile(rf"{_PREFIX}(?:#{{1,6}}[ \t]|`{{3}}|~{{3}})")
_IN_LIST = re.compile(r"[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])")
_TRAILING = re.compile("#+$")
_BACKSLASH = r"\\\g<0>"
# Blanks that mean nothing: no code, and nothing whose inside they measure.
_INDENT = re.compile(r"\A {1,3}(?=[^\s>*+\-\d#`~])")
# A line that begins a block on some host, even between backticks.
_BLOCK_ROW = re.compile(r"\n[ \t]*(?:<|\[\^)")
# Where code spans may be none: the target of a link, if it is one, and an address in
# plain text, which code hosts take for a link up to white space, others not. There
# backslashes may mean nothing, too, and both readings have to be safe.
_IN_URL = re.compile(r"\\*(?:`|!(?=\[)|(?P<html><(?=[A-Za-z/!?])))")
_QUOTE = re.compile("^[ \t]*>", re.MULTILINE)
_INDENTED_QUOTE = re.compile(" {4,}>|[ ]*\t[ \t]*>")
_PIPE = re.compile(r"(?<!\\)\|")
_FOOTNOTE = re.compile(r"(\n[ \t]*)(\[\^)")
_BEFORE_LAST = r"\1\\\2"
_TICKS = re.compile("`+")


def contained(text: str) -> str:
    """Markdown that opens and closes nothing around it and loads nothing.

    Headings go below the outline, HTML and definitions become text, images links, and
    a fence that is open is closed. Code stays as it is. What is nested too deep to
    read, or what other parsers read in another way, is shown as its source.
    """
    text = _INDENT.sub("", text.strip("\n").rstrip())
    if _TOUCHED.search(text) is None:
        return text
    lines: list[str | None] = [*text.split("\n")]
    if len(_QUOTE.findall(text)) > _MOST_QUOTED:
        return fenced(text, "markdown")
    try:
        tokens = _parser().parse(text)
        if any(token.level > _DEEPEST for token in tokens):
            return fenced(text, "markdown")
        _edit(lines, tokens)
    except (RecursionError, _UnplacedError):
        return fenced(text, "markdown")
    return "\n".join(line for line in lines if line is not None)


class _UnplacedError(Exception):
    """Text whose place among its lines, or whose block, is not sure."""


def _edit(lines: list[str | None], tokens: list[Token]) -> None:
    """Change the lines of a text as its tokens say; None takes a line away."""
    heading: Token | None = None
    table_end = paragraph_end = 0
    for token in tokens:
        begin, end = token.map or (0, 0)
        match token.type:
            case "heading_open":
                heading = token
            case "table_open":
                table_end = end
                _check_table(token, lines[begin] or "", lines[begin + 1] or "")
                for number in range(begin, end):
                    lines[number] = _edited_cells(lines[number] or "")
                if end < len(lines) and _UNDERLINE.fullmatch(lines[end] or ""):
                    # Elsewhere it would make a heading of the table.
                    lines[end - 1] = f"{lines[end - 1]}\n"
            case "blockquote_open" if token.level == 0:
                if any(map(_INDENTED_QUOTE.match, filter(None, lines[begin:end]))):
                    # For our parser a quotation, for others text or code.
                    raise _UnplacedError
            case "paragraph_open":
                paragraph_end = end
            case "code_block" if begin == paragraph_end > 0:
                # Indented code cannot follow a paragraph; other parsers go on with it.
                raise _UnplacedError
            case "code_block" if token.level and "\t" in "".join(
                filter(None, lines[begin:end])
            ):
                # How far a tab indents inside of something else, parsers differ on.
                raise _UnplacedError
            case "inline" if begin >= table_end:
                _edit_rows(lines, begin, token.content)
                if heading is not None:
                    _lower(lines, heading, token.content.count("\n") + 1)
                    heading = None
            case "fence" if token.level == 0 and not _is_closed(lines, token):
                indent = (lines[begin] or "").partition(token.markup)[0]
                lines.append(indent + token.markup)


def _check_table(table: Token, header: str, delimiter: str) -> None:
    """Refuse a table that is something else for other parsers."""
    is_other = _NO_HEADER.match(header) or (table.level == 0 and _IN_LIST.match(header))
    if is_other or "|" not in delimiter:
        raise _UnplacedError


def _edit_rows(lines: list[str | None], begin: int, content: str) -> None:
    """Edit the text of a block where it stands in its lines, which begin elsewhere."""
    # What may be a table elsewhere gets no code: no pipe can then cut a span in two.
    edited = _edited(content, has_code=_DELIMITER.search(content) is None)
    if _DEFINITION.match(edited):
        edited = f"\\{edited}"
    for number, (row, new) in enumerate(
        zip(content.split("\n"), edited.split("\n"), strict=True), begin
    ):
        line = lines[number] or ""
        place = line.rfind(row.strip())
        if place < 0:
            raise _UnplacedError
        lines[number] = line[:place] + new.strip() + line[place + len(row.strip()) :]


def _lower(lines: list[str | None], heading: Token, rows: int) -> None:
    """Put a heading below the outline; one that is underlined becomes one line."""
    begin, end = heading.map or (0, 0)
    level = int(heading.tag[1])
    mark = "#" * min(level + _BELOW, 6)
    line = lines[begin] or ""
    if heading.markup.startswith("#"):
        lines[begin] = line.replace("#" * level, mark, 1)
        return
    prefix = line[: len(line) - len(line.lstrip(" \t>"))] if rows else ""
    said = " ".join((row or "").strip(" \t>") for row in lines[begin : begin + rows])
    lines[begin] = f"{prefix}{mark} {_TRAILING.sub(_BACKSLASH, said)}"
    lines[begin + 1 : end] = [None] * (end - begin - 1)


def _is_closed(lines: list[str | None], fence: Token) -> bool:
    begin, end = fence.map or (0, 0)
    last = _CLOSING.fullmatch(lines[end - 1] or "")
    return end - 1 > begin and last is not None and last[1].startswith(fence.markup)


def _edited_cells(row: str) -> str:
    """A row of a table, in which no code span reaches over a pipe."""
    return "|".join(_edited(cell) for cell in _PIPE.split(row))


def _edited(content: str, has_code: bool = True) -> str:
    """Text between blocks, with HTML, images and definitions as text or links."""
    closers: dict[int, list[int]] = {}
    for run in _TICKS.finditer(content if has_code else ""):
        closers.setdefault(len(run[0]), []).append(run.start())
    edited = []
    at = 0
    while (match := _INLINE.search(content, at)) is not None:
        edited.append(content[at : match.start()])
        at = match.end()
        if match["ticks"]:
            at, said = _code_span(content, match, closers)
            edited.append(said)
        elif match["url"]:
            safe = _IN_URL.sub(_escape_in_url, match["url"])
            edited.append(_FOOTNOTE.sub(_BEFORE_LAST, safe))
        elif match["address"]:
            bangs = "\\!" * len(match["bangs"])
            edited.append(f"{bangs}[{match['alt'] or 'image'}]{match['address']}")
        elif match["html"]:
            edited.append("&lt;")
        elif match["comment"]:
            edited.append("\\%\\%")
        elif match["escaped"] or match["link"]:
            edited.append(match[0])
        else:
            edited.append(f"{match[0][:-1]}\\{match[0][-1]}")
    return "".join([*edited, content[at:]])


def _escape_in_url(match: re.Match[str]) -> str:
    backslashes = len(match[0]) - 1
    if match["html"]:
        return "\\" * (backslashes - backslashes % 2) + "&lt;"
    return "\\" * (backslashes | 1) + match[0][-1]


def _code_span(
    content: str, match: re.Match[str], closers: dict[int, list[int]]
) -> tuple[int, str]:
    """A code span that begins here: where it ends, and itself.

    Backticks that nothing closes are escaped: cmark, which GitHub uses, forgets code
    spans behind them. So are those of a span that a block on some host would cut.
    """
    length = len(match["ticks"])
    starts = closers.get(length, [])
    place = bisect.bisect_left(starts, match.end())
    if place < len(starts):
        end = starts[place] + length
        span = content[match.start() : end]
        if _BLOCK_ROW.search(span) is None:
            return end, span
    return match.end(), "\\`" * length


@functools.cache
def _parser() -> MarkdownIt:
    """A parser of blocks alone, for text in which there is no HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 2 * _DEEPEST})
    parser.enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
