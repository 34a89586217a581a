"""Text of a log, made safe for a line, a terminal or the log of a CI runner.

A log is untrusted: its text must not control the terminal or the machine that shows
it. Patterns are compiled on first use, so that a pipe filter does not wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from convert.wording import compiled

ShownAs = Literal["text", "json", "bytes"]
"""The escapes that output may have: `bytes` for another program stay as they are."""

# Everything that moves a cursor, reorders or hides text: C0 and C1 controls, DEL,
# direction marks, characters without width, lone surrogates. The variation
# selectors of emoji (U+FE0E and U+FE0F) stay.
_CONTROL = "\\x00-\\x1f\\x7f-\\x9f"
_HIDDEN = (
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f"
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0"
    "\\ufff0-\\ufffb\\ufffe\\uffff\\ud800-\\udfff\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a"
    "\\U000e0000-\\U000e0fff"
)
# A zero-width joiner between two emoji makes them one and stays.
_EMOJI = (
    "[\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2194-\\u21aa\\u231a-\\u23ff\\u24c2"
    "\\u25aa-\\u25fe\\u2600-\\u27bf\\u2934\\u2935\\u2b05-\\u2b55\\u3030\\u303d\\u3297"
    "\\u3299\\ufe0f\\U0001f000-\\U0001faff]"
)
# Terminal sequences (ECMA-48): strings such as titles and links, CSI, other escapes.
# A string without an end is not a sequence; then its first two characters are one.
_SEQUENCE = (
    "\\x1b[PX\\]^_][^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)"
    "|(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]"
    "|\\x1b[ -/]*[0-~]"
)
_ASCII_CONTROLS = [chr(code) for code in (*range(9), *range(11, 32), 127)]
_CONTROLS = [*_ASCII_CONTROLS, *map(chr, range(128, 160))]
_ASCII_CONTROL_BYTES = "".join(_ASCII_CONTROLS).encode()
# In characters: in a shorter text, all controls are removed faster than each is found.
_MOST_TRANSLATED = 1500
_CLEANED = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]"
# Those of them that are removed and do not become a visible sign.
_REMOVED = "[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]"
_UNSAFE = f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f{_HIDDEN}]"
# Those of the hidden characters that Python calls printable.
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\ufe00\ufe01\ufe02"
    "\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\uffa0"
).union(map(chr, range(0xE0100, 0xE01F0)))
# In characters: a shorter text is compared faster than it is matched.
_MOST_COMPARED = 100
_JOINER = "\u200d"
_JOINED = f"{_EMOJI}{_JOINER}{_EMOJI}"


def one_line(text: str) -> str:
    """Put text on one line: collapse white space, escape control characters."""
    if text.isprintable() and "  " not in (line := text.strip()):
        # The only white space in it are single spaces.
        return line
    line = " ".join(text.split())
    return line if line.isprintable() else compiled(f"[{_CONTROL}]").sub(_escape, line)


def harmless_line(text: str) -> str:
    """Put text of a log on one line, without terminal sequences and controls."""
    line = text.strip(" \t\n")
    # Code is mostly no more than indented.
    if line.isprintable() and "  " not in line:
        return line
    return one_line(strip_controls(text))


def truncate(text: str, longest: int) -> str:
    """Cut a line to a number of characters, at a word if one is near, and add `…`."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    word = kept.rfind(" ")
    return (kept[:word] if word > longest // 2 else kept).rstrip() + "…"


def escape_controls(text: str) -> str:
    """Escape controls of a terminal and hidden characters; line feeds and tabs stay."""
    if text.isprintable():
        if text.isascii() or (len(text) < _MOST_COMPARED and _UNSEEN.isdisjoint(text)):
            return text
    elif text.isascii() and not has_controls(text):
        return text
    return compiled(_UNSAFE).sub(_escape, text)


def safe_line(text: str) -> str:
    """Return text from a log on one line, without characters that do harm."""
    return escape_controls(one_line(text))


def escape_controls_in_json(text: str) -> str:
    """Escape the same characters in JSON, as `\\uXXXX`, which keeps its values."""
    return compiled(_UNSAFE).sub(_escape_in_json, text)


def escape_runner_commands(text: str) -> str:
    """Break up the commands `::` and `##[`, which a GitHub runner executes in a log.

    The runner also starts a line at a carriage return and ignores characters without
    width.
    """
    starts = f"(^|\\r)((?:(?![\\r\\n])[\\s{_CONTROL}{_HIDDEN}])*)::"
    text = compiled(starts, re.MULTILINE).sub(r"\1\2: :", text)
    return text.replace("##[", "## [")


def escape_runner_commands_in_json(text: str) -> str:
    """Break up the commands in JSON, which keeps its values; none begins a line."""
    return text.replace("##[", "#\\u0023[")


# These end a property of a command.
_IN_PROPERTIES = {ord(":"): "%3A", ord(","): "%2C"}


def runner_command(name: str, text: str = "", **properties: str) -> str:
    """Return a command to a GitHub runner; no text in it ends it or begins another."""
    stated = ",".join(
        f"{each}={_in_command(escape_controls(value)).translate(_IN_PROPERTIES)}"
        for each, value in properties.items()
        if value
    )
    return f"::{name}{stated and f' {stated}'}::{_in_command(text)}"


def _in_command(text: str) -> str:
    """Return text as the runner takes it: a command ends at a line feed."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escape_runner_commands(text)


# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@")


def harmless_cell(text: str) -> str:
    """Return text of a log on one line, which no spreadsheet takes for a formula."""
    text = safe_line(repair_surrogates(text))
    return f"'{text}" if text.startswith(_FORMULA) else text


def strip_controls(text: str) -> str:
    """Remove terminal sequences and control characters; lines end in a line feed.

    A NUL, and a carriage return inside a line, become visible signs. Text without any
    of this is returned as it is.
    """
    if text.isprintable() or _is_last_clean(text):
        return text
    text = repair_surrogates(text)
    if not has_controls(text):
        _keep_clean(text)
        return text
    text = compiled(_SEQUENCE).sub("", text).replace("\r\n", "\n")
    text = text.replace("\0", "\u2400").replace("\r", "\u240d")
    return compiled(_CLEANED).sub("", text)


# The last text without controls.
_last_clean = [""]
# In characters: a longer one is not kept in memory.
_MOST_KEPT = 100_000


def _is_last_clean(text: str) -> bool:
    """Return True for the last text without controls, which is not searched again.

    Tests are counted in the same output that a transcript shows: this saves 2 % of it.
    """
    return text is _last_clean[0]


def _keep_clean(text: str) -> None:
    if len(text) <= _MOST_KEPT:
        _last_clean[0] = text


def spans_without_controls(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each part of a text that `strip_controls` keeps.

    The signs that become visible ones stay.
    """
    at = 0
    for match in compiled(f"(?:{_SEQUENCE})|{_REMOVED}").finditer(text):
        if at < match.start():
            yield at, match.start()
        at = match.end()
    if at < len(text):
        yield at, len(text)


def resolve_overwrites(text: str) -> str:
    """Return the output of a program as a terminal shows it in the end.

    A carriage return lets the text after it overwrite the line, as progress bars do.
    """
    if "\r" in text:
        text = compiled(_SEQUENCE).sub("", text).replace("\r\n", "\n")
        text = compiled("^[^\\n]*\\r(?=[^\\r\\n])", re.MULTILINE).sub("", text)
        text = text.replace("\r", "")
    return strip_controls(text)


def show_controls(text: str) -> str:
    """Replace control characters by visible signs; line feeds and tabs stay."""
    return compiled(_CLEANED).sub(_sign, repair_surrogates(text))


def _sign(match: re.Match[str]) -> str:
    """Return the sign of a control character; an escape for those without one."""
    code = ord(match[0])
    if code > 0x7F:
        return f"\\x{code:02x}"
    return "\u2421" if code == 0x7F else chr(0x2400 + code)


def repair_surrogates(text: str) -> str:
    """Make text encodable in UTF-8: join surrogate pairs, replace lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def has_controls(text: str) -> bool:
    """Return True if a text has control characters other than line feeds and tabs.

    Searching for each one takes a tenth of the time of a pattern. A short text is
    translated, which takes a fifth of that.
    """
    if not text.isascii():
        return any(map(text.__contains__, _CONTROLS))
    if len(text) <= _MOST_TRANSLATED:
        octets = text.encode()
        return len(octets.translate(None, _ASCII_CONTROL_BYTES)) < len(octets)
    return any(map(text.__contains__, _ASCII_CONTROLS))


def _escape(match: re.Match[str]) -> str:
    if _joins_emoji(match):
        return match[0]
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    if _joins_emoji(match):
        return match[0]
    if match[0] < " ":
        # Between values, where JSON has white space: inside strings it is escaped.
        return " "
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _joins_emoji(match: re.Match[str]) -> bool:
    # A pattern of its own: with the rest, all emoji take 1 ms to compile.
    if match[0] != _JOINER:
        return False
    return compiled(_JOINED).match(match.string, match.start() - 1) is not None
