"""Markdown of a log as HTML that cannot leave its place, run or fetch anything."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from convert.wording import compiled
from convert.wording.escapes import escape_controls, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

# The schemes that a link may have; other links stay text.
_SCHEMES = {"http", "https", "mailto"}
# Signs that begin or end something in Markdown. Each takes the parser up to 15 µs.
_SIGNS = "\n[]!*_`<&~|"
_MOST_SIGNS = 20_000
_AS_WRITTEN = (
    f"Shown as it is written: it has more than {_MOST_SIGNS:,} signs of Markdown."
)

# Words and code; all other marks inside of a line need a sign that these lack.
_SPANS = r"(?:[^\n\\`*_\[<&~\t\r\0]++|`[^`\n ][^`\n]*+`(?!`))++"
# A line that begins with a letter or with code begins nothing but a paragraph.
_LINE = rf"(?=[^\W\d_]|`){_SPANS}(?<!\s)"
_SIMPLE = rf"{_LINE}(?:\n++{_LINE})*+"


def prose(markdown: str) -> str:
    """Return the HTML of Markdown; HTML in it stays text.

    A text with more signs than people write is shown as it is.
    """
    text = escape_controls(markdown)
    if sum(map(text.count, _SIGNS)) > _MOST_SIGNS:
        note = f'<p class="left-out">{_AS_WRITTEN}</p>'
        return f"{note}<pre><code>{escape(text)}</code></pre>"
    if _is_simple(text):
        paragraphs = compiled("\n\n+").sub("</p>\n<p>", _html_of_simple(text))
        return f"<p>{paragraphs}</p>\n"
    return str(_parser().render(text))


def prose_line(markdown: str) -> str:
    """Return the HTML of one line of Markdown, such as a title."""
    text = escape_controls(markdown)
    if "\n" not in text and _is_simple(text):
        return _html_of_simple(text)
    return str(_parser().renderInline(text))


def plain_text(markdown: str) -> str:
    """Return the first words of Markdown on one line, without its signs."""
    text = escape_controls(markdown[:2000])
    if _is_simple(text):
        return one_line(text.replace("`", ""))
    return _parsed_words(text)


def _parsed_words(text: str) -> str:
    words: list[str] = []
    for block in _parser().parse(text):
        children = block.children or ([block] if block.content else [])
        words += [child.content or " " for child in children]
        words.append(" ")
    return one_line("".join(words))


def _is_simple(text: str) -> bool:
    """Return True for paragraphs of words and code, as most texts of an agent are.

    The parser of all Markdown takes 20 times as many instructions for them, and a fifth
    of those of a page of a small log to load.
    """
    return compiled(_SIMPLE).fullmatch(text) is not None


def _html_of_simple(text: str) -> str:
    """Return the HTML inside of the paragraphs of a simple text."""
    spans = escape(text, quote=False).replace('"', "&quot;").split("`")
    spans[1::2] = [f"<code>{code}</code>" for code in spans[1::2]]
    return "".join(spans)


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
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
