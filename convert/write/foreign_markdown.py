"""Markdown of the log, changed by a parser so that it cannot escape its place."""

from __future__ import annotations

import bisect
import functools
import re
from typing import TYPE_CHECKING

from convert.transcript.builder import language_of
from convert.wording import compiled
from convert.wording.markdown import ATTRIBUTES, TAG, code

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The text is parsed as it will be read in the result: without raw HTML, since every `<`
# that could begin some is escaped, and without link definitions, which would apply to
# the whole document. So a code block here is a code block there.
# Some parsers give up at 20 levels, and a list is two.
_MOST_NESTED_BLOCKS = 14
_MOST_LINES = 20_000
# The parser takes quadratic time for lists in quotations.
_MOST_QUOTED = 1000
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*")
_DELIMITER = re.compile(r"^[ \t]*[|:-][ \t|:-]*$", re.MULTILINE)
# A row that cmark reads as a block, and our parser as the header of a table.
_NO_HEADER = r"^[ \t>*+\-\d.)]*(?:#{1,6}[ \t]|`{3}|~{3})"
_IN_LIST = r"[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])"
_BACKSLASH = r"\\\g<0>"
# Some parsers read these rows as headings: no space after the mark, a mixed underline.
_ROW_AS_HEADING = re.compile(r"\A(?:#|[=-]+\Z)")
# Indented text after these is a part of them for Python-Markdown, even as code here.
_CONTAINER_ENDS = ("blockquote_close", "bullet_list_close", "ordered_list_close")
# GitLab quotes the text between two such lines.
_QUOTED_BLOCK = "(?m)^ {0,3}>{3,}[ \t]*$"
# MkDocs reads Markdown in the indented lines after such a line.
_ADMONITION = (
    r"(?m)^ {0,3}(?:!!!|\?{3}|={3}[+!]? \")[^\n]*\n(?:[ \t]*\n)*(?: {4}| {0,3}\t)"
)
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
        or len(compiled("(?m)^[ \t]*>").findall(text)) > _MOST_QUOTED
        or compiled(_QUOTED_BLOCK).search(text)
        or compiled(_ADMONITION).search(text)
        # They end a line for some parsers, where code may begin then.
        or ("`" in text and compiled("[\u2028\u2029]").search(text))
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
        # A code span ends at a pipe.
        cells = re.split(r"(?<!\\)\|", lines[number] or "")
        lines[number] = "|".join(sanitise_text(cell, in_html) for cell in cells)
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
    if compiled(r"(?s)\[(?:[^\[\]\\]|\\.)*\]:").match(text):
        text = f"\\{text}"
    rows = [_ROW_AS_HEADING.sub(_BACKSLASH, row.strip()) for row in text.split("\n")]
    places = []
    for number, (row, new) in enumerate(zip(content.split("\n"), rows, strict=True)):
        old, line = row.strip(), lines[begin + number] or ""
        places.append(line.rfind(old))
        if places[-1] < 0:
            raise UnsafeError
        lines[begin + number] = line[: places[-1]] + new + line[places[-1] + len(old) :]
    if heading is not None:
        _lower(lines, heading, rows, (lines[begin] or "")[: places[0]])


def _lower(
    lines: list[str | None], heading: Token, rows: list[str], prefix: str
) -> None:
    """Move a heading below the outline; an underlined one becomes one line."""
    begin, end = heading.map or (0, 0)
    level = int(heading.tag[1])
    # Headings begin below `###`, which only calls have.
    mark = "#" * min(level + 3, 6)
    if heading.markup.startswith("#"):
        lines[begin] = (lines[begin] or "").replace("#" * level, mark, 1)
        return
    prefix = _OTHER_WHITE.sub("", prefix)
    lines[begin] = f"{prefix}{mark} {compiled('#+$').sub(_BACKSLASH, ' '.join(rows))}"
    lines[begin + 1 : end] = [None] * (end - begin - 1)


@functools.cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks without HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt(
        "commonmark", {"html": False, "maxNesting": 8 * _MOST_NESTED_BLOCKS}
    )
    parser.enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


# A parser that knows no fences in lists reads their content as Markdown.
_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")
# How the agent cites a file: ```12:18:src/price.py
_CITATION = r"(\d{1,9}):(\d{1,9}):(\S.*)"
# The language of a fence, as all parsers read it.
_LANGUAGE = re.compile(r"[\w.+#-]*")
# Code that must not act where a parser knows no fences in lists: elements, handlers,
# abbreviations, and definitions of addresses that may run a script.
_ACTIVE = (
    r"(?im)^[ \t]*(?:\*\[[^\[\]\n]*\]:|\[[^\[\]\n]*\]:[ \t]*\n?[ \t]*\S*[:&])"
    r"|<[\s/]*(?:script|img|svg|iframe|object|embed|style|link|meta|base|form|input"
    r"|video|audio|body|html|math|details|summary|a)\b|\bon\w+\s*="
)
# A block that ends the code span that Python-Markdown makes of a fence in a list, or
# takes its place.
_BLOCK = (
    r"(?i)(?:\A|\n)(?:\s*\n"
    r"|[ \t]*(?:[>#]|(?:[*+:-]|\d+\.)[ \t]|(?:[*_-][ \t]*){3,}\n|\[[^\]\n]*\]:|!!!)"
    r"|[ ]{0,3}</?(?:address|article|aside|blockquote|canvas|center|colgroup|d[dlt]"
    r"|div|fieldset|fig\w+|footer|group|h\d|h\w*r|iframe|legend|li|main|map|menu"
    r"|nav|noscript|ol|option|output|p|pre|progress|section|t\w+|ul)\b)"
)
# A heading in a fence, or the underline of one, and the text before it.
_HEADING_ROW = r"([ \t>*+:\-\d.]*)#|([ \t>]*)(?:=+|-+)[ \t]*\Z"


def edit_fence(lines: list[str | None], token: Token) -> None:
    """Close an open fence, and put the words after its mark into a line of its own."""
    begin, end = token.map or (0, 0)
    line = lines[begin] or ""
    indent = line.partition(token.markup)[0]
    if token.level == 0:
        # Not every parser knows a fence that is indented.
        _unindent(lines, begin, end, len(indent))
        if indent and any(_closes(line, token) for line in lines[begin + 1 : end - 1]):
            raise UnsafeError
        indent = ""
        if end - 1 > begin and _closes(lines[end - 1], token):
            lines[end - 1] = token.markup
        else:
            lines.append(token.markup)
    elif _is_active(token.content) or _is_no_code(lines[begin:end], token):
        raise UnsafeError
    info = token.info.strip()
    if _LANGUAGE.fullmatch(info):
        if _OTHER_WHITE.search(line):
            lines[begin] = f"{indent}{token.markup}{info}"
        return
    if not line.lstrip(" ").startswith(token.markup):
        # mistune fails where entities make a language of white space.
        if "<" in info or "&" in info or _is_active(info):
            raise UnsafeError
        return
    label, language = _label(info)
    gap = "\n" if follows_text(lines, begin) else ""
    lines[begin] = f"{gap}{indent}**{label}**\n\n{indent}{token.markup}{language}"


def follows_text(lines: list[str | None], number: int) -> bool:
    """Return True if no blank line is before a line."""
    above = lines[number - 1] if number else None
    return above is not None and above[-1:] not in ("", "\n")


class UnsafeError(Exception):
    """Text that is too large or too ambiguous to change, and is shown as its source."""


def _unindent(lines: list[str | None], begin: int, end: int, most: int) -> None:
    """Remove up to so many spaces from the beginning of some lines."""
    for number in range(begin, end):
        line = lines[number] or ""
        lines[number] = line[min(len(line) - len(line.lstrip(" ")), most) :]


def _is_active(code: str) -> bool:
    """Return True if code would have an effect where a parser knows no code."""
    return any(compiled(each).search(code) for each in (_ACTIVE, LINK_TARGET, IMAGE))


def _is_no_code(lines: list[str | None], fence: Token) -> bool:
    """Return True if a fence in a list holds headings or HTML for Python-Markdown.

    It knows no such fence, but reads backticks as a code span up to the next block.
    """
    last = (lines[-1] or "").strip(" \t>")
    is_open = len(lines) == 1 or not last.startswith(fence.markup)
    if is_open or any(_is_heading(line or "") for line in lines[1:]):
        return True
    return compiled(TAG).search(fence.content) is not None and (
        fence.markup.startswith("~")
        or fence.markup in fence.content
        or compiled(_BLOCK).search(fence.content) is not None
    )


def _is_heading(line: str) -> bool:
    """Return True if Python-Markdown may read a line of a fence in a list as a heading.

    It does so after it has removed marks and multiples of four spaces.
    """
    if (match := compiled(_HEADING_ROW).match(line)) is None:
        return False
    before = (match[1] or match[2] or "").expandtabs(4)
    return before.strip() != "" or len(before) % 4 == 0


def _label(info: str) -> tuple[str, str]:
    """Return the first line of a fence as a label, and the language that it names."""
    if cited := compiled(_CITATION).fullmatch(info):
        first, last, path = cited.groups()
        extent = f"line {first}" if first == last else f"lines {first} to {last}"
        return f"{code(path)}, {extent}", language_of(path) or "text"
    language = info.split(maxsplit=1)[0]
    return code(info), language if _LANGUAGE.fullmatch(language) else "text"


def _closes(line: str | None, fence: Token) -> bool:
    closing = _CLOSING.fullmatch(line or "")
    return closing is not None and closing[1].startswith(fence.markup)


# A code span here must be one for every parser of the result, so everything that code
# hosts and parsers read differently is escaped.
# How the address of a link begins: on the web, in the document, or a path. Parsers read
# entities, backslashes and white space in other addresses in different ways.
_ADDRESS = (
    r"(?:<?(?i:https?://|mailto:)|(?:[#/?.]|[\w-])[\w./?#=-]*(?:\)|[ \t]+[\"'])|\))"
)
# The end of the text of a link that may run a script.
LINK_TARGET = rf"\](?=\((?![ \t\n]*{_ADDRESS}))"
_INLINE = re.compile(
    r"(?P<escaped>\\[!-/:-;=-@\[-`{-~])"
    r"|(?P<dollars>\\?\$\$)"
    # An address that is none of the web, which may run a script.
    rf"|(?P<target>{LINK_TARGET})"
    r"|(?P<url>(?i:https?://|ftp://|www\.)[^ \t\n\x0b\x0c]+"
    r"|\]\([ \t\n]*[^ \t\n]*(?:[ \t\n]+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
    r"|\((?:[^()\\]|\\.)*\))[^ \t\n\x0b\x0c]*)?)"
    r"|(?P<ticks>`+)"
    r"|(?P<link><(?:(?:https?|ftp)://|mailto:[^\s<>`\\@/]+@)[^\s<>`\\\x00-\x20]*>)"
    r"|(?P<html>\\?<(?=[A-Za-z/!?]))"
    r"|(?<!!)(?P<bangs>!*)!\[(?P<alt>[^\[\]`<\\\n]*)\]"
    rf"(?P<address>\((?={_ADDRESS})[^()\s<>`\\]+\))"
    r"|(?P<image>!(?=\[))"
    r"|(?P<definition>^[ \t]*\*?\[(?=(?:[^\[\]\\]|\\.)*\]:))"
    rf"|(?P<attributes>{ATTRIBUTES})"
    r"|(?P<comment>%%)"
    r"|(?P<formula>\$)"
    r"|(?P<include>^[ \t]*(?::(?=:include)|[:~](?=[ \t])))"
    r"|(?P<command>^[ \t]*/(?=[a-z_]+(?:[ \t]|$)))",
    re.MULTILINE | re.DOTALL,
)
# A line that begins a block on some host, even between backticks.
_BLOCK_ROW = r"\n[ \t]*(?:<|\[\^|\*?\[[^\[\]\n]*\]:|:[ \t]|\$\$)"
# These must not be in code next to other backticks, where marked ends the code.
_MARKUP = r"<|\]\(|!\["
# Places where backticks may not begin code: the target of a link, and an address in
# plain text, which code hosts read as a link up to white space and others do not.
# Backslashes may not escape there either, and both readings have to be safe.
_IN_URL = (
    rf"\\*(?:`|!(?=\[)|{LINK_TARGET}|{ATTRIBUTES}|\{{(?=[^{{}}]*(?:\{{|\Z))"
    r"|(?P<html><(?=[A-Za-z/!?])))"
)
# The text of other markup, by its group.
_SAFE = {"html": "&lt;", "comment": "\\%\\%", "dollars": "\\$\\$"}
# An image.
IMAGE = r"!\["
_FOOTNOTE = r"(\n[ \t]*)(\[\^)"


def sanitise_text(content: str, in_html: bool, has_code: bool = True) -> str:
    """Sanitise the text of a block: HTML, images, definitions become text or links.

    With `in_html`, code spans that hold HTML become elements.
    """
    closers: dict[int, list[int]] = {}
    for run in compiled("`+").finditer(content if has_code else ""):
        closers.setdefault(len(run[0]), []).append(run.start())
    # A formula would end in code, if some parser begins one before it.
    has_formula = content.count("$") > 1 and "`" in content
    edited = []
    at = 0
    while (match := _INLINE.search(content, at)) is not None:
        edited.append(content[at : match.start()])
        at = match.end()
        if match["ticks"]:
            at, span = _code_span(content, match, closers, in_html)
            edited.append(span)
        else:
            edited.append(_escaped(match, in_html, has_formula))
    return "".join([*edited, content[at:]])


def _escaped(match: re.Match[str], in_html: bool, has_formula: bool) -> str:
    """Return markup, without backticks, as text or as a link."""
    if match["link"] and in_html:
        # An element for a parser that reads no Markdown here: <http:/onfocus=run()>
        return f"&lt;{match[0][1:-1]}&gt;"
    if match["url"]:
        safe = compiled(_IN_URL).sub(_escape_in_url, match["url"])
        safe = compiled(_FOOTNOTE).sub(r"\1\\\2", safe)
        return safe.replace("$", "&#36;") if has_formula else safe
    if match["address"]:
        bangs = "\\!" * len(match["bangs"])
        return f"{bangs}[{match['alt'] or 'image'}]{match['address']}"
    if text := _SAFE.get(match.lastgroup or ""):
        return text
    if match["escaped"] or match["link"] or (match["formula"] and not has_formula):
        return match[0]
    return f"{match[0][:-1]}\\{match[0][-1]}"


def _escape_in_url(match: re.Match[str]) -> str:
    backslashes = len(match[0]) - 1
    if match["html"]:
        return "\\" * (backslashes - backslashes % 2) + "&lt;"
    if match[0][-1] in "]{":
        # A backslash would be a part of the address for some parsers.
        return f"{match[0][:-1]}&#{ord(match[0][-1])};"
    return "\\" * (backslashes | 1) + match[0][-1]


def _code_span(
    content: str, match: re.Match[str], closers: dict[int, list[int]], in_html: bool
) -> tuple[int, str]:
    """Return the end of the code span that begins here, and the span.

    Backticks without a partner are escaped: cmark, which GitHub uses, then misses code
    spans after them. So are those of a span that some parser would cut, as marked does
    in the label of a link, and of one over several lines that would be an element.
    """
    length = len(match["ticks"])
    starts = closers.get(length, [])
    place = bisect.bisect_left(starts, match.end())
    if place < len(starts):
        end = starts[place] + length
        span = content[match.start() : end]
        # Two tildes inside may end a text that began before the span.
        may_act = in_html or "~~" in span
        is_element = may_act and compiled(TAG).search(span) is not None
        if is_element and "\n" not in span:
            return end, code(span.strip("`"))
        in_label = "](" in span and content.find("[", 0, match.start()) >= 0
        if not is_element and not in_label and not _is_cut(span):
            return end, span
    return match.end(), "\\`" * length


def _is_cut(span: str) -> bool:
    """Return True if some parser ends a code span before its end."""
    has_markup = "`" in span.strip("`") and compiled(_MARKUP).search(span)
    return bool(has_markup or compiled(_BLOCK_ROW).search(span))
