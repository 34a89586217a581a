"""Calls to the web."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item
from convert.transcript.shown import Shown, ours
from convert.wording.figures import count
from convert.wording.harmless import one_line
from convert.wording.words import Words

# What the body of an answer is, by a word in its type.
_LANGUAGES = ("json", "html", "xml", "markdown", "css", "javascript", "csv")


def web_search(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The pages as links; the text that came with them below.

    The first reference is none: it has no URL, and all the text (FORMAT 3.4).
    """
    references = output.objects("references")
    pages = [page for page in references if page.text("url")]
    if shown.is_ok:
        shown.notes.append(count(len(pages), "page"))
    shown.summary = ours(count(len(pages), "page"))
    shown.items(
        [
            Item(
                line=[Words(one_line(page.text("title") or page.text("url")))],
                url=page.text("url"),
            )
            for page in pages
        ]
    )
    for reference in references:
        shown.code(reference.text("chunk"), "markdown")


def web_fetch(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The page as Markdown, as it stands in the log."""
    page = output.text("markdown")
    if page:
        shown.notes.append(shown.extent(page))
    shown.summary = ours(shown.extent(page, "the page"))
    shown.code(page, "markdown")
    if path := output.fields("outputLocation").text("filePath"):
        shown.note("the whole page is in ", path)


def fetch(arguments: Fields, output: Fields, shown: Shown) -> None:
    """The answer of a server, in the language that its type names."""
    kind = output.text("contentType")
    content = output.text("content")
    if (status := output.number("statusCode")) is not None:
        shown.notes.append(f"status {status}")
    if kind:
        shown.notes.append(one_line(kind))
    language = next((name for name in _LANGUAGES if name in kind), "text")
    shown.summary = ours(shown.extent(content))
    shown.code(content, language)
