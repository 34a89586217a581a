"""The parser of Markdown that a log holds: CommonMark and tables, HTML stays text."""

from __future__ import annotations

from markdown_it import MarkdownIt


def markdown_parser() -> MarkdownIt:
    """Return a new parser, which its caller may change."""
    parser = MarkdownIt("commonmark", {"html": False})
    return parser.enable(["table", "strikethrough"])
