"""Numbers written for people: `1,204 lines`, `9.1 kB`, `2 min 5 s`."""

from __future__ import annotations

import time

_YEAR_10000 = 253_402_300_800_000


def count(number: int, what: str, plural: str = "") -> str:
    """Write a number of things: `1 line`, `1,204 lines`."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def in_words(names: list[str]) -> str:
    """Write a list: `arguments`, `arguments and result`, `prompt, steps and answer`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def numbered(noun: str, numbers: list[str], total: int) -> str:
    """Name things by their numbers, and count the others: `calls 5 and 2 more`."""
    others = total - len(numbers)
    more = [f"{others:,} more"] if others > 0 else []
    return f"{noun if total == 1 else noun + 's'} {in_words([*numbers, *more])}"


def tokens_out(number: int, final: int | None, responses: int | None) -> str:
    """Write output tokens: `1,316`, `at least 1,316 (9 of 11 responses)`.

    They are a lower bound where the output of some responses is not final.
    """
    if responses is None:
        return f"{number:,}"
    return f"at least {number:,} ({final or 0:,} of {count(responses, 'response')})"


def size(number: int) -> str:
    """Write a number of bytes; 1 kB is 1,000 bytes."""
    if number < 1000:
        return f"{number} B"
    value = float(number)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


def duration(milliseconds: int) -> str:
    """Write a time in milliseconds: `426 ms`, `13.8 s`, `2 min 5 s`, `1 h 3 min`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min"


def offset(milliseconds: int) -> str:
    """Write a time after a start: `+0:12`, `+1:02:03`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    if minutes < 60:
        return f"+{minutes}:{seconds:02}"
    return f"+{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def utc(milliseconds: int) -> str:
    """Write a timestamp: `2026-03-02 10:00:00`, in UTC; empty after the year 9999.

    Windows knows no time before 1970, and none after the year 3000.
    """
    if milliseconds >= _YEAR_10000:
        return ""
    try:
        moment = time.gmtime(milliseconds // 1000)
    except OSError:
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S", moment)


def line_count(text: str) -> int:
    """Count the lines of a text, with a last one that has no line feed."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def byte_count(text: str) -> int:
    """Count the bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))
