"""The fences in foreign Markdown: their first lines, their ends, and those in lists.

A parser that knows no fences in lists reads what they hold as Markdown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from convert.formats.markdown.foreign_spans import IMAGE, LINK_TARGET
from convert.transcript.code_languages import language_of
from convert.wording.compiled import compiled
from convert.wording.markdown import TAG, code

if TYPE_CHECKING:
    from markdown_it.token import Token

_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")
# How the agent cites a file: ```12:18:src/price.py
_CITATION = r"(\d{1,9}):(\d{1,9}):(\S.*)"
# The language of a fence, as all parsers read it.
_LANGUAGE = re.compile(r"[\w.+#-]*")
_OTHER_WHITE = re.compile(r"[^\S \t]+")
# Code that must not act where a parser knows no fences in lists: elements, handlers,
# abbreviations, and definitions of addresses that may run a script.
_ACTIVE = (
    r"(?im)^[ \t]*(?:\*\[[^\[\]\n]*\]:|\[[^\[\]\n]*\]:[ \t]*\n?[ \t]*\S*[:&])"
    r"|<[\s/]*(?:script|img|svg|iframe|object|embed|style|link|meta|base|form|input"
    r"|video|audio|body|html|math|details|summary|a)\b|\bon\w+\s*="
)
# A block that ends the code span that Python-Markdown makes of a fence in a list, or
# stands in the place of it.
_BLOCK = (
    r"(?i)(?:\A|\n)(?:\s*\n"
    r"|[ \t]*(?:[>#]|(?:[*+:-]|\d+\.)[ \t]|(?:[*_-][ \t]*){3,}\n|\[[^\]\n]*\]:|!!!)"
    r"|[ ]{0,3}</?(?:address|article|aside|blockquote|canvas|center|colgroup|d[dlt]"
    r"|div|fieldset|fig\w+|footer|group|h\d|h\w*r|iframe|legend|li|main|map|menu"
    r"|nav|noscript|ol|option|output|p|pre|progress|section|t\w+|ul)\b)"
)
# A heading in a fence, or the underline of one, and what stands before it.
_HEADING_ROW = r"([ \t>*+:\-\d.]*)#|([ \t>]*)(?:=+|-+)[ \t]*\Z"


def edit_fence(lines: list[str | None], token: Token) -> None:
    """Close an open fence, and put what its first line says into a line of its own."""
    begin, end = token.map or (0, 0)
    line = lines[begin] or ""
    indent = line.partition(token.markup)[0]
    if token.level == 0:
        # Not every parser knows a fence that is indented.
        _unindent(lines, begin, end, len(indent))
        if indent and any(_closes(line, token) for line in lines[begin + 1 : end - 1]):
            raise UnsafeError
        indent = ""
        if _is_closed(lines, token):
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
    label, language = _told(info)
    gap = "\n" if follows_text(lines, begin) else ""
    lines[begin] = f"{gap}{indent}**{label}**\n\n{indent}{token.markup}{language}"


def follows_text(lines: list[str | None], number: int) -> bool:
    """Return True if no blank line stands before a line."""
    above = lines[number - 1] if number else None
    return above is not None and above[-1:] not in ("", "\n")


class UnsafeError(Exception):
    """Text that is too large or too ambiguous to change, and is shown as its source."""


def _unindent(lines: list[str | None], begin: int, end: int, most: int) -> None:
    """Remove up to so many spaces from the beginning of some lines."""
    for number in range(begin, end):
        line = lines[number] or ""
        spaces = len(line) - len(line.lstrip(" "))
        lines[number] = line[min(spaces, most) :]


def _is_active(code: str) -> bool:
    """Return True if code would do more than stand there if a parser knows no code."""
    return any(compiled(each).search(code) for each in (_ACTIVE, LINK_TARGET, IMAGE))


def _is_no_code(lines: list[str | None], fence: Token) -> bool:
    """Return True if a fence in a list holds headings or HTML for Python-Markdown.

    It knows no such fence, but reads backticks as a code span up to the next block.
    """
    last = (lines[-1] or "").strip(" \t>")
    if len(lines) == 1 or not last.startswith(fence.markup):
        return True
    if any(_is_heading(line or "") for line in lines[1:]):
        return True
    return TAG.search(fence.content) is not None and (
        fence.markup.startswith("~")
        or fence.markup in fence.content
        or compiled(_BLOCK).search(fence.content) is not None
    )


def _is_heading(line: str) -> bool:
    """Return True if Python-Markdown may read a line of a fence in a list as a heading.

    It does so after it has removed marks and multiples of four spaces.
    """
    match = compiled(_HEADING_ROW).match(line)
    if match is None:
        return False
    before = (match[1] or match[2] or "").expandtabs(4)
    return before.strip() != "" or len(before) % 4 == 0


def _told(info: str) -> tuple[str, str]:
    """Return what the first line of a fence says as a label, and the language of it."""
    if cited := compiled(_CITATION).fullmatch(info):
        first, last, path = cited.groups()
        extent = f"line {first}" if first == last else f"lines {first} to {last}"
        return f"{code(path)}, {extent}", language_of(path) or "text"
    language = info.split(maxsplit=1)[0]
    return code(info), language if _LANGUAGE.fullmatch(language) else "text"


def _is_closed(lines: list[str | None], fence: Token) -> bool:
    begin, end = fence.map or (0, 0)
    return end - 1 > begin and _closes(lines[end - 1], fence)


def _closes(line: str | None, fence: Token) -> bool:
    closing = _CLOSING.fullmatch(line or "")
    return closing is not None and closing[1].startswith(fence.markup)
