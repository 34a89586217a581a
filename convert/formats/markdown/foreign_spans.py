"""The text inside a block of foreign Markdown: HTML, images, links, code spans.

A code span here must be one for every parser of the result, so everything that code
hosts and parsers read differently is escaped.
"""

from __future__ import annotations

import bisect
import re

from convert.wording.compiled import compiled
from convert.wording.markdown import ATTRIBUTES, TAG, code

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
# These must not stand in code beside other backticks, where marked ends the code.
_MARKUP = re.compile(r"<|\]\(|!\[")
# Places where backticks may not begin code: the target of a link, and an address in
# plain text, which code hosts read as a link up to white space and others do not.
# Backslashes may not escape there either, and both readings have to be safe.
_IN_URL = (
    rf"\\*(?:`|!(?=\[)|{LINK_TARGET}|{ATTRIBUTES}|\{{(?=[^{{}}]*(?:\{{|\Z))"
    r"|(?P<html><(?=[A-Za-z/!?])))"
)
# An image.
IMAGE = r"!\["
_PIPE = re.compile(r"(?<!\\)\|")
_FOOTNOTE = re.compile(r"(\n[ \t]*)(\[\^)")
_BEFORE_LAST = r"\1\\\2"
_TICKS = re.compile("`+")


def sanitise_cells(row: str, in_html: bool) -> str:
    """Sanitise a row of a table, where a code span ends at a pipe."""
    return "|".join(sanitise_text(cell, in_html) for cell in _PIPE.split(row))


def sanitise_text(content: str, in_html: bool, has_code: bool = True) -> str:
    """Sanitise the text of a block: HTML, images, definitions become text or links.

    With `in_html`, code spans that hold HTML become elements.
    """
    closers: dict[int, list[int]] = {}
    for run in _TICKS.finditer(content if has_code else ""):
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
        safe = _FOOTNOTE.sub(
            _BEFORE_LAST, compiled(_IN_URL).sub(_escape_in_url, match["url"])
        )
        return safe.replace("$", "&#36;") if has_formula else safe
    if match["address"]:
        bangs = "\\!" * len(match["bangs"])
        return f"{bangs}[{match['alt'] or 'image'}]{match['address']}"
    if match["html"]:
        return "&lt;"
    if match["comment"]:
        return "\\%\\%"
    if match["dollars"]:
        return "\\$\\$"
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
        # Two tildes inside may end what began before the span.
        is_element = (in_html or "~~" in span) and TAG.search(span) is not None
        if is_element and "\n" not in span:
            return end, code(span.strip("`"))
        in_label = "](" in span and content.find("[", 0, match.start()) >= 0
        if not is_element and not in_label and not _is_cut(span):
            return end, span
    return match.end(), "\\`" * length


def _is_cut(span: str) -> bool:
    """Return True if some parser ends a code span before its end."""
    if compiled(_BLOCK_ROW).search(span):
        return True
    return "`" in span.strip("`") and _MARKUP.search(span) is not None
