"""How text from a log is shown: on one line, on a terminal, in a runner's log.

A log is untrusted: what it holds must not steer the terminal or the machine that
shows it. Patterns are compiled on first use, so that a pipe filter does not wait.
"""

from __future__ import annotations

import functools
import re

# Everything that moves a cursor, reorders or hides text: C0 and C1 controls, DEL,
# marks of direction, characters without width, lone surrogates. The variation
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
# A string that never ends is no sequence; then its first two characters are.
_SEQUENCE = (
    "\\x1b[PX\\]^_][^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)"
    "|(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]"
    "|\\x1b[ -/]*[0-~]"
)
_ASCII_CONTROLS = [chr(code) for code in (*range(9), *range(11, 32), 127)]
_CONTROLS = [*_ASCII_CONTROLS, *map(chr, range(128, 160))]
_CLEANED = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]"
_UNSAFE = f"(?P<kept>(?<={_EMOJI})\\u200d(?={_EMOJI})|[\\n\\t])|[{_CONTROL}{_HIDDEN}]"


def one_line(text: str) -> str:
    """White space as single blanks, control characters visible; nothing is cut."""
    if text.isprintable() and "  " not in (said := text.strip()):
        # The only white space in it are single blanks.
        return said
    said = " ".join(text.split())
    return said if said.isprintable() else _pattern(f"[{_CONTROL}]").sub(_escape, said)


def truncate(text: str, longest: int) -> str:
    """A line cut at a word, if there is one near, with a mark where it goes on."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    word = kept.rfind(" ")
    return (kept[:word] if word > longest // 2 else kept).rstrip() + "…"


def escape_controls(text: str) -> str:
    """Text for a terminal: what would steer it or hide is shown as an escape.

    Line feeds and tabs stay.
    """
    if text.isascii() and (text.isprintable() or not _has_controls(text)):
        return text
    return _pattern(_UNSAFE).sub(_escape, text)


def escape_controls_in_json(text: str) -> str:
    """JSON for a terminal: the same values, `\\uXXXX` for what would steer it."""
    return _pattern(_UNSAFE).sub(_escape_in_json, text)


def escape_runner_commands(text: str) -> str:
    """Text for the log of a GitHub runner, which executes `::` and `##[` in it.

    To the runner a carriage return begins a line, too, and what has no width is not
    there.
    """
    starts = f"(^|\\r)((?:(?![\\r\\n])[\\s{_CONTROL}{_HIDDEN}])*)::"
    text = _pattern(starts, re.MULTILINE).sub(r"\1\2: :", text)
    return text.replace("##[", "## [")


def strip_controls(text: str) -> str:
    """Text without control characters: its lines end in a line feed alone.

    Terminal sequences go. A NUL, and a carriage return inside a line, are shown as
    signs. Text that holds nothing of this comes back as it is.
    """
    if text.isprintable():
        return text
    text = repair_surrogates(text)
    if not _has_controls(text):
        return text
    text = _pattern(_SEQUENCE).sub("", text).replace("\r\n", "\n")
    text = text.replace("\0", "\u2400").replace("\r", "\u240d")
    return _pattern(_CLEANED).sub("", text)


def resolve_overwrites(text: str) -> str:
    """What a program printed, as it stood at the end, without control characters.

    What stood in front of a carriage return was written over.
    """
    if "\r" in text:
        text = _pattern(_SEQUENCE).sub("", text).replace("\r\n", "\n")
        text = _pattern("^[^\\n]*\\r(?=[^\\r\\n])", re.MULTILINE).sub("", text)
        text = text.replace("\r", "")
    return strip_controls(text)


def show_controls(text: str) -> str:
    """Text with every control character shown as a sign; line feeds and tabs stay."""
    return _pattern("[\\x00-\\x08\\x0b-\\x1f]").sub(
        lambda match: chr(0x2400 + ord(match[0])), repair_surrogates(text)
    )


def repair_surrogates(text: str) -> str:
    """Text that UTF-8 can hold: halves of an emoji joined, a lone half replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _has_controls(text: str) -> bool:
    """Whether there are control characters in a text, line feeds and tabs aside.

    To look for each of them takes a tenth of the time of a pattern for all.
    """
    controls = _ASCII_CONTROLS if text.isascii() else _CONTROLS
    return any(map(text.__contains__, controls))


@functools.cache
def _pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _escape(match: re.Match[str]) -> str:
    if match.lastgroup == "kept":
        return match[0]
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    if match.lastgroup == "kept":
        return match[0]
    if match[0] < " ":
        # JSON holds these between its values only, as white space.
        return " "
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
