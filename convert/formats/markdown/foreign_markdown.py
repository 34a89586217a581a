"""Markdown of the log, changed so that it cannot escape its place in the document.

Most texts stay as they are. `foreign_blocks` is loaded for the first that does not.
"""

from __future__ import annotations

import re

from convert.wording.compiled import compiled
from convert.wording.markdown import ATTRIBUTES, fenced

# Characters; the parser takes some seconds for 1 MB of nothing but markup.
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
_INDENT = re.compile(r"\A {1,3}(?=[^\s>*+\-\d#`~])")


def sanitise_markdown(text: str, in_html: bool = False) -> str:
    """Return Markdown that affects nothing around it and loads nothing.

    Headings move below the outline, HTML and definitions become text, images become
    links, and an open code fence is closed. Code stays as it is. Text that is nested
    too deep, or that other parsers read differently, is shown as its source.

    `in_html` tells that an element of HTML is around the text, where some parsers read
    no Markdown but fences.
    """
    text = _INDENT.sub("", text.strip("\n").rstrip())
    if len(text) > _LONGEST:
        return fenced(text, "markdown")
    if not _needs_changes(text):
        return text
    from convert.formats.markdown.foreign_blocks import edited
    from convert.formats.markdown.foreign_fences import UnsafeError

    try:
        return edited(text, in_html)
    except (RecursionError, UnsafeError):
        return fenced(text, "markdown")


def _needs_changes(text: str) -> bool:
    """Return True if something in a text may affect the document around it."""
    if any(map(text.__contains__, _SIGNS)) and compiled(_SIGNED).search(text):
        return True
    # A formula and code, of which one may end in the other.
    if "$" in text and "`" in text and text.count("$") > 1:
        return True
    return _BEGUN.search(f"\n{text}\n") is not None
