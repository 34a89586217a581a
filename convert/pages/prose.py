"""Markdown of a log as HTML that cannot leave its place, run or fetch anything."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from convert.wording.escapes import escape_controls, one_line

# The schemes that a link may have; other links stay text.
_SCHEMES = {"http", "https", "mailto"}
# Signs that begin or end something in Markdown. Each takes the parser up to 15 µs.
_SIGNS = "\n[]!*_`<&~|"
_MOST_SIGNS = 20_000
_AS_WRITTEN = (
    f"Shown as it is written: it has more than {_MOST_SIGNS:,} signs of Markdown."
)


def prose(markdown: str) -> str:
    """Return the HTML of Markdown; HTML in it stays text.

    A text with more signs than people write is shown as it is.
    """
    text = escape_controls(markdown)
    if sum(map(text.count, _SIGNS)) > _MOST_SIGNS:
        note = f'<p class="left-out">{_AS_WRITTEN}</p>'
        return f"{note}<pre><code>{escape(text)}</code></pre>"
    return str(_parser().render(text))


def prose_line(markdown: str) -> str:
    """Return the HTML of one line of Markdown, such as a title."""
    return str(_parser().renderInline(escape_controls(markdown)))


def plain_text(markdown: str) -> str:
    """Return the first words of Markdown on one line, without its signs."""
    words: list[str] = []
    for block in _parser().parse(escape_controls(markdown[:2000])):
        children = block.children or ([block] if block.content else [])
        words += [child.content or " " for child in children]
        words.append(" ")
    return one_line("".join(words))


@functools.cache
def _parser() -> MarkdownIt:
    parser = markdown_parser()
    parser.validateLink = is_safe  # type: ignore[method-assign]
    for name, rule in (
        # A heading of the log would change the outline of the page.
        ("heading_open", lambda *_: '<p class="heading">'),
        ("heading_close", lambda *_: "</p>\n"),
        ("image", _image),
        ("link_open", _open_link),
        # The policy of the page forbids the style of an aligned column.
        ("th_open", lambda *_: "<th>"),
        ("td_open", lambda *_: "<td>"),
    ):
        parser.add_render_rule(name, rule)
    return parser


def is_safe(url: str) -> bool:
    """Return True for a link with a harmless scheme."""
    try:
        return urlsplit(url.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def _image(_: RendererHTML, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return escape(f"[image: {tokens[place].content}]")


def _open_link(_: RendererHTML, tokens: Sequence[Token], place: int, *__: Any) -> str:
    address = escape(str(tokens[place].attrGet("href") or ""))
    return f'<a href="{address}" rel="noopener noreferrer nofollow">'


def markdown_parser() -> MarkdownIt:
    """Return a new parser, which its caller may change."""
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
