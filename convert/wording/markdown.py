"""Text of a log, escaped for its place in a Markdown document."""

from __future__ import annotations

import functools
import itertools
import re

from convert.wording import compiled
from convert.wording.escapes import escape_controls, one_line
from convert.wording.styles_and_columns import Inline, Style, Styled

# Attributes of the text before them, which some parsers know: {: onclick=run() },
# with other braces in them. More than eight braces are escaped unseen.
ATTRIBUTES = r"\{(?=:|(?:[^{}\n]*\{){0,7}[^{}\n]*\S=\S|(?:[^{}\n]*\{){8})"
# An underscore inside a word means nothing. A tilde and a dollar need a partner.
_SPECIAL = re.compile(r"[\\`*\[\]|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|%(?=%)")
# Everything that may be special; most texts have none, which this finds faster.
_MARK = re.compile(r"[\\`*\[\]|_&%~$<{]")
_BLOCK = r"(?:#{1,6}|[-+])(?=\s|$)|>|-{2,}|={2,}|/(?=[a-z_]+(?:\s|$))"
_BEGINNINGS = frozenset("#-+>=/")
# A path without Markdown or a mention, which is written as text unless `www.` in it
# makes a link.
_PLAIN_PATH = re.compile(
    r"(?=[\W\d_]*[^\W\d_])[./-]*+(?:[^\W_]++(?:_[^\W_]++)*+[./-]*+)+"
)
# The beginning of an element, a comment or a declaration.
TAG = "<[A-Za-z/!?]"
# Everything that may mean something in Markdown, inside of an element too.
_SIGN = r"[\\`*_\[\]|~$%&<>@#{]|=(?==)|:(?=[:/])|(?i:(?<=www)\.)"
_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Mentions of people and of issues, after code and addresses, which hold none.
_MENTIONED = (
    r"(?P<fence>`{3,}|~{3,})[\s\S]*?(?:(?P=fence)|\Z)|(?P<mark>`+)[^`]*(?P=mark)"
    r"|\]\([^)\n]*\)|https?://\S+"
    r"|(?<![\w`@])(?P<linked>@\w[\w-]*(?:/[\w.-]+)?|(?:[\w.-]+/[\w.-]+)?[#!]\d+"
    r"|(?i:GH)-\d+)"
)
# In characters: words that are kept as they are written.
_LONGEST_SHORT = 100


def inline(line: Inline, is_start: bool = False) -> str:
    """Write a line of a heading, a paragraph or a list; `is_start` of its block."""
    # As `_written` does, without its calls: most words of a run are written here.
    written = "".join(
        [
            code(words.text)
            if words.style == "code"
            else _short(words.text, words.style)
            if len(words.text) < _LONGEST_SHORT
            else _long(words.text, words.style)
            for words in line
        ]
    )
    return _start(written) if is_start else written


def at_start(string: str, style: Style) -> str:
    """Write text of a style where a block begins."""
    if len(string) < _LONGEST_SHORT:
        return _short_at_start(string, style)
    return _start(_written(string, style))


def text(string: str) -> str:
    """Write literal text on one line."""
    return (_short if len(string) < _LONGEST_SHORT else _long)(string, "plain")


def without_links(string: str) -> str:
    """Write literal text on one line, as code if a platform would make links of it.

    GitHub and GitLab link mentions of people, numbers of issues and addresses, and
    notify the people.
    """
    return code(string) if is_linked(string) else text(string)


def is_linked(string: str) -> bool:
    """Return True if a platform would make links of something in a text."""
    linked = compiled(r"(?i)@\w|#\d|://|\bwww\.|\bGH-\d|!\d")
    return linked.search(string) is not None


def unlinked(string: str) -> str:
    """Write literal text on one line, and each word of it with a link as code."""
    if not is_linked(string):
        return text(string)
    words = itertools.groupby(one_line(string).split(" "), is_linked)
    return " ".join(
        (code if linked else text)(" ".join(group)) for linked, group in words
    )


def without_mentions(markdown: str) -> str:
    """Return Markdown with people and issues that it mentions as code.

    Platforms notify these people, and close these issues.
    """
    if not is_linked(markdown):
        return markdown
    return compiled(_MENTIONED).sub(
        lambda found: f"`{found[0]}`" if found["linked"] else found[0], markdown
    )


def code(string: str) -> str:
    """Write a code span; empty for no text."""
    string = _safe(string)
    if "<" in string and compiled(TAG).search(string):
        return _code_element(string)
    if "`" not in string:
        return f"`{string}`" if string else ""
    mark = "`" * (longest_run(string) + 1)
    gap = " " if string[0] == "`" or string[-1] == "`" else ""
    return f"{mark}{gap}{string}{gap}{mark}"


def _code_element(string: str) -> str:
    """Write code as HTML, for parsers that know no code spans inside of HTML."""
    escaped = compiled(_SIGN).sub(
        lambda sign: _NAMES.get(sign[0], f"&#{ord(sign[0])};"), string
    )
    return f"<code>{escaped}</code>"


def cell(line: Inline) -> str:
    """Write a line into a cell of a table, where a pipe also ends a code span."""
    return "".join(
        _code_in_cell(words)
        if words.style in ("code", "path")
        else _written(words.text, words.style)
        for words in line
    )


def _code_in_cell(words: Styled) -> str:
    written = _written(words.text, words.style)
    if "\\|" in written:
        # Parsers read a backslash before a pipe in different ways.
        return _code_element(_safe(words.text))
    return written.replace("|", "\\|")


def summary(line: Inline) -> str:
    """Write a line into a `summary` element: HTML, not Markdown."""
    return "".join(
        [
            (_short_in_html if len(words.text) < _LONGEST_SHORT else _in_html)(
                words.text, words.style
            )
            for words in line
        ]
    )


def _in_html(string: str, style: Style) -> str:
    """Write text of a style as HTML on one line; our own keeps spaces at its ends."""
    line = string.replace("\n", " ") if style == "ours" else _safe(string)
    # `html` and its table of entities take 3 ms to load.
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if style in ("code", "path") and escaped.strip():
        return f"<code>{escaped}</code>"
    return escaped


def _safe(string: str) -> str:
    """Put text of the log on one line, with nothing hidden in it."""
    if string.isascii() and string.isprintable() and "  " not in string:
        return string.strip()
    return escape_controls(one_line(string))


_short_in_html = functools.lru_cache(maxsize=2048)(_in_html)


def fenced(string: str, language: str) -> str:
    """Write a fenced code block that nothing in the text can close."""
    fence = "`" * max(3, longest_run(string) + 1) if "`" in string else "```"
    end = "" if string.endswith("\n") else "\n"
    return f"{fence}{language}\n{string}{end}{fence}"


def link(label: str, url: str) -> str:
    """Write a link to the web; any other address as code after the text."""
    if not url.lower().startswith(("http://", "https://")):
        return f"{label} ({code(url)})"
    # Few runs show links.
    from urllib.parse import quote

    address = quote(one_line(url), safe=":/?#[]@!$&'*+,;=%~-._")
    return f"[{label}]({address})"


def longest_run(string: str) -> int:
    """Return the length of the longest run of backticks."""
    if "`" not in string:
        return 0
    return max(map(len, compiled("`+").findall(string)), default=0)


def _written(string: str, style: Style) -> str:
    """Write text of a style; a run shows short ones again and again, except code."""
    if style == "code":
        return code(string)
    return (_short if len(string) < _LONGEST_SHORT else _long)(string, style)


def _long(string: str, style: Style) -> str:
    """Write text of a style, of any length."""
    if style == "ours":
        return _escaped(string.replace("\n", " "))
    string = _safe(string)
    if style == "path":
        # A path is text if nothing in it needs escaping, else code.
        is_plain = "www." not in string and _PLAIN_PATH.fullmatch(string)
        return string if is_plain else code(string)
    return _escaped(string)


def _escaped(string: str) -> str:
    if _MARK.search(string) is None:
        return string
    string = _SPECIAL.sub(r"\\\g<0>", string)
    if string.count("~") > 1 or string.count("$") > 1:
        string = compiled(r"[~$]").sub(r"\\\g<0>", string)
    # Not a backslash, which parsers show in a text that they take for an address.
    if "{" in string:
        string = compiled(ATTRIBUTES).sub("&#123;", string)
    return string.replace("<", "&lt;")


_short = functools.lru_cache(maxsize=2048)(_long)


def _start(string: str) -> str:
    """Escape a beginning that would make the line a heading, a list and so on."""
    first = string[:1]
    if first.isdecimal():
        match = compiled(r"(\d{1,9})([.)])(?=\s|$)").match(string)
        return f"{match[1]}\\{string[match.end(1) :]}" if match else string
    return (
        f"\\{string}"
        if first in _BEGINNINGS and compiled(_BLOCK).match(string)
        else string
    )


@functools.lru_cache(maxsize=2048)
def _short_at_start(string: str, style: Style) -> str:
    return _start(_written(string, style))
