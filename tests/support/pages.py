"""Checks of the pages that parsers make of transcripts and reports of hostile logs."""

from __future__ import annotations

from support.renderers import Page

_SECTIONS = {"Prompt", "Run", "What went wrong", "Answer", "Result"}
# The elements of a report; addresses in the text of a log become links.
_OF_REPORTS = {
    *("p", "br", "strong", "code", "pre", "details", "summary", "a", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
# These read no tables, or none inside of a fold.
_WITHOUT_TABLES = ("commonmark", "Python-Markdown")


def check_harmless(pages: dict[str, str]) -> None:
    """Raise AssertionError if parsers make something that acts."""
    for name, html in pages.items():
        _harmless(name, html)


def check_transcript(pages: dict[str, str]) -> None:
    """Raise AssertionError if parsers make something that acts, or other sections."""
    outlines = {}
    for name, html in pages.items():
        page = _harmless(name, html)
        # Some parsers add a heading above footnotes, which prose may have.
        outline = [heading for heading in page.outline if heading[1] != "Footnotes"]
        sections = {words for level, words in outline if level == 2}
        assert sections <= _SECTIONS, f"{name}: {sections - _SECTIONS}"
        outlines[name] = [level for level, _ in outline]
    _agree(outlines)


def check_report(pages: dict[str, str], *more: str) -> None:
    """Raise AssertionError if parsers make other elements, rows or code of a report.

    `more` are further elements that it has.
    """
    rows, code = {}, {}
    known = {*_OF_REPORTS, *more}
    for name, html in pages.items():
        page = _harmless(name, html)
        assert page.elements <= known, f"{name}: {page.elements - known}"
        # Some parsers drop white space at the ends of lines.
        code[name] = [block.split() for block in page.code]
        if not name.startswith(_WITHOUT_TABLES):
            rows[name] = page.rows
    _agree(code)
    _agree(rows)


def _harmless(name: str, html: str) -> Page:
    page = Page(html)
    assert page.acting == [], f"{name}: {page.acting[:3]}"
    return page


def _agree(readings: dict[str, object]) -> None:
    first, *others = readings.items()
    for name, reading in others:
        assert reading == first[1], f"{name} is unlike {first[0]}"
