"""The calls, errors and retries that an output shows, counted only from its text."""

from __future__ import annotations

import json
import re

_CALL = re.compile(r"### (\d+)\. .")
_STEP = re.compile(r"\*\*\d+(\.\d+)+\.\*\* .")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ENDS = ("Run failed", "Run cut off")
_WRONG = "## What went wrong"
# Said of a run that broke off, which is no trouble of its log.
_CUT = "- the log breaks off"
_RECOVERED = re.compile(
    r"- \*\*Connection:\*\* lost (.+?)(?:, ([\d,]+) attempts?)?, and recovered"
)
_UNFINISHED = "*Unfinished calls:*"


def action_lines(text: str) -> list[str]:
    """Return the lines of `text` for calls, without the line for a run's end."""
    return [line for line in text.splitlines() if not line.startswith(_ENDS)]


def headings(markdown: str) -> list[str]:
    """Return the headings of calls in a transcript, numbered from 1 in each run."""
    found = []
    number = 0
    for line in _outside_fences(markdown):
        match = _CALL.match(line)
        if match and int(match[1]) in (number + 1, 1):
            number = int(match[1])
            found.append(line)
    return found


def steps(markdown: str) -> list[str]:
    """Return the lines of calls inside others: `**2.1.** Read src/app.py`."""
    return [line for line in _outside_fences(markdown) if _STEP.match(line)]


def troubles(markdown: str) -> int:
    """Return how many troubles a transcript lists or counts, besides failed calls."""
    count = 0
    is_list = False
    for line in _outside_fences(markdown):
        if line.startswith(("## ", _UNFINISHED)):
            is_list = line.startswith(_WRONG)
        elif is_list and line.startswith("- ") and not line.startswith(_CUT):
            left_out = re.match(r"- (\d[\d,]*) earlier ", line)
            count += int(left_out[1].replace(",", "")) if left_out else 1
        elif found := _RECOVERED.match(line):
            times = (found[2] or found[1].removesuffix(" times")).replace(",", "")
            count += 1 if times == "once" else int(times)
    return count


def compared(report: str) -> int:
    """Return how many calls of the baseline a json report of `diff` counts."""
    return sum(run["counts"]["a"] for run in json.loads(report)["runs"])


def _outside_fences(markdown: str) -> list[str]:
    lines = []
    fence = ""
    for line in markdown.splitlines():
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif match:
            fence = match[1]
        else:
            lines.append(line)
    return lines
