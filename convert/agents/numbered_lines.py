"""The content of a file that an agent shows with a number before each line."""

from __future__ import annotations

import re
from typing import Any

# Claude Code writes `     1→` or, since 2.1, `1` and a tab.
NUMBERED = re.compile(r" *(\d{1,9})(?:→|\t)(.*)", re.DOTALL)
# The agent reminds the model of something below the content, on lines without numbers.
_REMINDER = "\n<system-reminder>"


def content_of(text: str, numbered: re.Pattern[str] = NUMBERED) -> dict[str, Any]:
    """Return the content without numbers, and which lines it is.

    A text whose lines are not all numbered, one after the other, stays as it is. The
    groups of `numbered` are the number of a line and the line.
    """
    shown = text.partition(_REMINDER)[0].rstrip("\n")
    found = [numbered.fullmatch(line) for line in shown.split("\n")]
    numbers = [int(each[1]) for each in found if each]
    if not numbers or len(numbers) < len(found):
        return {"content": text}
    first, last = numbers[0], numbers[-1]
    if numbers != list(range(first, last + 1)):
        return {"content": text}
    lines = [each[2] for each in found if each]
    place = {"startLine": first, "endLine": last}
    return {"content": "\n".join(lines), "readRange": place}
