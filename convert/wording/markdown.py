"""Text of a log, escaped for the place in Markdown where it stands.

CommonMark 0.31 and the extensions of GitHub, GitLab and Obsidian: tables, footnotes,
`%%` comments, `$` formulas, and commands that GitLab runs at the start of a line.
"""

from __future__ import annotations

import functools
import html
import re
from urllib.parse import quote

from convert.wording.sanitise import escape_controls, one_line
from convert.wording.words import Inline, Words

# An underscore inside a word means nothing. A tilde and a dollar need a partner.
_SPECIAL = re.compile(r"[\\`*\[\]|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|%(?=%)")
_PAIRED = re.compile(r"[~$]")
# All that may be special, to tell in a third of the time that nothing is.
_MARK = re.compile(r"[\\`*\[\]|_&%~$<]")
_BLOCK = re.compile(r"(?:#{1,6}|[-+])(?=\s|$)|>|-{2,}|={2,}|/(?=[a-z_]+(?:\s|$))")
_BEGINNINGS = frozenset("#-+>=/")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
# A path that is shown as text: nothing in it is Markdown, a link or a mention.
_PLAIN_PATH = re.compile(
    r"(?=.*[^\W\d_])(?!.*www\.)(?:[^\W_]|[./-]|(?<=[^\W_])_(?=[^\W_]))+"
)
_BACKTICKS = re.compile("`+")


def inline(line: Inline, is_start: bool = False) -> str:
    """A line for a heading, a paragraph or an entry; `is_start` of its block."""
    said = _words(line[0]) if len(line) == 1 else "".join(map(_words, line))
    return _start(said) if is_start else said


def text(said: str) -> str:
    """Words that mean themselves, on one line."""
    return _escaped(_harmless(said))


def code(said: str) -> str:
    """A code span; empty for no text."""
    said = _harmless(said)
    if "`" not in said:
        return f"`{said}`" if said else ""
    mark = "`" * (longest_run(said) + 1)
    gap = " " if said[0] == "`" or said[-1] == "`" else ""
    return f"{mark}{gap}{said}{gap}{mark}"


def cell(line: Inline) -> str:
    """A line for a cell of a table, where a pipe ends a code span, too."""
    return "".join(
        _words(words).replace("|", "\\|")
        if words.style in ("code", "path")
        else _words(words)
        for words in line
    )


def summary(line: Inline) -> str:
    """A line for a `summary` element: HTML, not Markdown."""
    said = []
    for words in line:
        escaped = html.escape(_one(words), quote=False)
        if words.style in ("code", "path") and escaped.strip():
            escaped = f"<code>{escaped}</code>"
        said.append(escaped)
    return "".join(said)


def fenced(said: str, language: str) -> str:
    """A fence that nothing in the text can close."""
    fence = "`" * max(3, longest_run(said) + 1)
    end = "" if said.endswith("\n") else "\n"
    return f"{fence}{language}\n{said}{end}{fence}"


def link(said: str, url: str) -> str:
    """A link to the web; any other address as code behind the words."""
    if not url.lower().startswith(("http://", "https://")):
        return f"{said} ({code(url)})"
    address = quote(one_line(url), safe=":/?#[]@!$&'*+,;=%~-._")
    return f"[{said}]({address})"


def longest_run(said: str) -> int:
    """The length of the longest run of backticks."""
    if "`" not in said:
        return 0
    return max(map(len, _BACKTICKS.findall(said)), default=0)


def _one(words: Words) -> str:
    """Words on one line, harmless to read; blanks of ours at the ends stay."""
    if words.style == "ours":
        return words.text.replace("\n", " ")
    return _harmless(words.text)


def _harmless(said: str) -> str:
    """Words of the log on one line, with nothing hidden in them."""
    if said.isascii() and said.isprintable() and "  " not in said:
        return said.strip()
    return escape_controls(one_line(said))


def _words(words: Words) -> str:
    if words.style == "code":
        return code(words.text)
    if words.style == "path":
        said = _harmless(words.text)
        return _short_path(said) if len(said) < 100 else _path(said)
    return _escaped(_one(words))


def _path(said: str) -> str:
    """A path as text where it can stand as it is, else as code."""
    return said if _PLAIN_PATH.fullmatch(said) else code(said)


# A run shows the same paths again and again.
_short_path = functools.lru_cache(maxsize=512)(_path)


def _escaped(said: str) -> str:
    if _MARK.search(said) is None:
        return said
    said = _SPECIAL.sub(r"\\\g<0>", said)
    if said.count("~") > 1 or said.count("$") > 1:
        said = _PAIRED.sub(r"\\\g<0>", said)
    # Not a backslash: in what code hosts take for an address that would be text.
    return said.replace("<", "&lt;")


def _start(said: str) -> str:
    """Escape what would make a block of a line that begins with it."""
    first = said[:1]
    if first.isdecimal():
        match = _NUMBERED.match(said)
        return f"{match[1]}\\{said[match.end(1) :]}" if match else said
    return f"\\{said}" if first in _BEGINNINGS and _BLOCK.match(said) else said
