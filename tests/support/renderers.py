"""Parsers of Markdown that people use, and the active parts of the pages they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import markdown
import mistune
from cmarkgfm.cmark import Options, markdown_to_html_with_extensions
from markdown_it import MarkdownIt

# The elements that Markdown makes without raw HTML and images.
_ELEMENTS = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr"),
    *("pre", "code", "em", "strong", "del", "s", "a", "br", "input", "sup", "section"),
    *("table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd"),
    *("mark", "ins", "sub", "ruby", "rt", "rp"),
    # Formulas, and the footnotes of some parsers.
    *("span", "div", "svg", "path", "eq", "eqn"),
    # Those of transcripts.
    *("details", "summary"),
}
_WITHOUT_END = {"br", "hr", "input"}
_SCHEMES = ("http", "https", "mailto", "ftp", "xmpp")
# cmark reads the word before one of these with it; no browser knows such a scheme.
_ENDINGS = ("-xmpp", "-mailto")
_MISTUNE = mistune.create_markdown(
    escape=False,
    plugins=["table", "strikethrough", "url", "task_lists", "footnotes", "math"],
)
_MISTUNE_PLUGINS = mistune.create_markdown(
    escape=False,
    plugins=[
        *("table", "strikethrough", "url", "task_lists", "footnotes", "math", "ruby"),
        *("def_list", "abbr", "mark", "insert", "superscript", "subscript", "spoiler"),
    ],
)
_MARKDOWN_IT = MarkdownIt("gfm-like", {"html": True, "linkify": False})


def _cmark(text: str) -> str:
    return markdown_to_html_with_extensions(
        text,
        options=Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES,
        extensions=["table", "strikethrough", "autolink", "tasklist"],
    )


RENDERERS: dict[str, Callable[[str], str]] = {
    "cmark-gfm": _cmark,
    "markdown-it-py": _MARKDOWN_IT.render,
    "mistune": lambda text: str(_MISTUNE(text)),
    "Python-Markdown": lambda text: markdown.markdown(
        text, extensions=["tables", "fenced_code", "footnotes"]
    ),
    # As MkDocs reads pages.
    "Python-Markdown, extra": lambda text: markdown.markdown(
        text, extensions=["extra", "toc", "admonition"]
    ),
    "mistune, all plugins": lambda text: str(_MISTUNE_PLUGINS(text)),
}


class Page(HTMLParser):
    """A page that a parser has made, with raw HTML and every address let through."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.acting: list[str] = []
        """Elements that are none of Markdown, handlers, and addresses of scripts."""
        self.outline: list[tuple[int, str]] = []
        """The level and the text of each heading of the first three levels."""
        self.around: dict[str, list[str]] = {}
        """The elements around each word in capitals, outermost first."""
        self.elements: set[str] = set()
        self.rows: list[int] = []
        """The number of cells in each row of a table."""
        self.code: list[str] = []
        """The text of each block of code."""
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            self.acting.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action"):
                self.acting.append(f"{name}={value}")
            if name == "href" and not _is_harmless(value or ""):
                self.acting.append(f"{name}={value}")
        if tag in ("h1", "h2", "h3"):
            self.outline.append((int(tag[1]), ""))
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("th", "td"):
            self.rows[-1] += 1
        if tag == "pre":
            self.code.append("")
        if tag not in _WITHOUT_END:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.outline and f"h{self.outline[-1][0]}" in self._open:
            level, text = self.outline.pop()
            self.outline.append((level, text + data))
        if "pre" in self._open:
            self.code[-1] += data
        for word in re.findall("[A-Z]{8,}", data):
            self.around[word] = [*self._open]


def _is_harmless(address: str) -> bool:
    """Return True if an address has no scheme for a browser, or one of the web."""
    found = re.match(
        r"([a-z][a-z0-9+.-]*):", re.sub(r"[\x00-\x20]", "", address.lower())
    )
    return found is None or found[1] in _SCHEMES or found[1].endswith(_ENDINGS)
