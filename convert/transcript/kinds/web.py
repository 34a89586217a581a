"""Calls to the web."""

from __future__ import annotations

from convert.transcript.fields import Fields
from convert.transcript.pieces import Item
from convert.transcript.section_builder import SectionBuilder, ours
from convert.wording.numbers import count, in_words
from convert.wording.sanitise import one_line
from convert.wording.words import Words

# The languages of an answer, each a word in its content type.
_LANGUAGES = ("json", "html", "xml", "markdown", "css", "javascript", "csv")


def web_search(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the pages as links, then the text that came with them.

    The first reference is not a page: it has no URL, and its text lists the links that
    were found (builds of 2026).
    """
    references = output.objects("references")
    pages, links = _pages(references)
    if section.has_good_output:
        extent = count(len(pages), "page")
        section.notes.append(f"{links:,} links to {extent}" if links else extent)
    texts = [each for each in references if not _is_list_of(pages, each)]
    has_text = any("chunk" in reference for reference in texts)
    named = [*(["links"] if pages else []), *(["texts"] if has_text else [])]
    section.summary = ours(in_words(named)) if named else []
    section.items(
        [
            Item(line=[Words(one_line(title or url))], url=url)
            for url, title in pages.items()
        ]
    )
    for reference in texts:
        if chunk := reference.text("chunk"):
            title = one_line(reference.text("title", "url"))
            section.label([Words(title)] if title else ours("text"))
            section.code(chunk, "markdown")


def _pages(references: list[Fields]) -> tuple[dict[str, str], int]:
    """Return the titles of the pages that a search found, by their URLs.

    The number is that of the links in a text, if they are more than the pages.
    """
    pages: dict[str, str] = {}
    links = 0
    for reference in references:
        if url := reference.text("url"):
            pages[url] = reference.text("title") or pages.get(url, "")
            continue
        for line in reference.text("chunk").split("\n"):
            if link := _link(line):
                pages.setdefault(*link)
                links += 1
    return pages, links if links > len(pages) else 0


def _is_list_of(pages: dict[str, str], reference: Fields) -> bool:
    """Return True for a text that holds nothing but links to pages as listed."""
    if reference.text("url"):
        return False
    lines = reference.text("chunk").split("\n")
    links = [_link(line) for line in lines if line.strip() not in ("", "Links:")]
    return bool(links) and all(link and pages[link[0]] == link[1] for link in links)


def _link(line: str) -> tuple[str, str] | None:
    """Return the URL and the title of an entry of a list that begins with a link."""
    head, _, tail = line.partition("](")
    mark, bracket, title = head.partition("[")
    url = tail.split(maxsplit=1)[0].rstrip(".,;:") if tail.strip() else ""
    if not (bracket and url.endswith(")")) or mark.strip(" \t0123456789.*-"):
        return None
    return url[:-1], title


def web_fetch(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the page as recorded, in Markdown."""
    page = output.text("markdown")
    if page:
        section.notes.append(section.extent(page))
    section.begin("page")
    section.code(page, "markdown")
    if path := output.fields("outputLocation").text("filePath"):
        section.note("the whole page is in ", section.path(path))


def fetch(arguments: Fields, output: Fields, section: SectionBuilder) -> None:
    """Show the answer of a server, in the language of its content type."""
    kind = output.text("contentType")
    content = output.text("content")
    if (status := output.number("statusCode")) is not None:
        section.notes.append(f"status {status}")
    if kind:
        section.notes.append(one_line(kind))
    language = next((name for name in _LANGUAGES if name in kind), "text")
    section.begin("answer", f"answer, {section.extent(content)}")
    section.code(content, language)
