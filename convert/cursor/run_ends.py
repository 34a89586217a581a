"""The last line of `text`: how a run ended, in every language.

    Run failed: ActionRequiredError: You've hit your usage limit
    Run cut off after 16.0 s: a tool call is unfinished

A run that succeeded has no such line, and neither has one whose end is not recorded.
All phrases are ours. They are read back, so no two of them are alike.
"""

from __future__ import annotations

import functools
import re

from convert.facts.run_reasons import CUTS, Cut, reason_in_words, set_reason_kind
from convert.model.events import End
from convert.tools.phrases import in_all_languages, phrases_in
from convert.wording.escapes import repair_surrogates
from convert.wording.numbers import duration

_SECTION = "ends of runs"
# Compiled only when a text is read.
_DURATION = r"(?:([\d,]+) h )?(?:(\d+) min(?: |\Z))?(?:([\d.]+) s)?|(\d+) ms"


def run_end_line(end: End, language: str = "en") -> str:
    """Return the line for the end of a run; "" if it succeeded, or nobody knows."""
    if end.state in (None, "success"):
        return ""
    reason = reason_in_words(end, language)
    phrases = phrases_in(language)[_SECTION]
    if end.state == "error":
        head = phrases["failed"]
        return repair_surrogates(f"{head}: {reason}" if reason else head)
    head = phrases["cut"]
    if end.span_ms is not None:
        head = phrases["cut_after"].format(duration(end.span_ms))
    return f"{head}: {reason}"


def read_run_end(line: str) -> End | None:
    """Return the end that a line in any language means; None for another line."""
    line = line.strip()
    for head in in_all_languages(_SECTION, "failed"):
        rest = line.removeprefix(head)
        if rest != line and (not rest or rest.startswith(": ")):
            reason = rest.removeprefix(": ")
            return set_reason_kind(End(run=1, line=0, state="error", reason=reason))
    head, _, why = line.rpartition(": ")
    cut = _cuts().get(why)
    match = _cut_heads().fullmatch(head) if cut else None
    if cut is None or match is None:
        return None
    span = next(filter(None, match.groups()), None)
    end = End(run=1, line=0, state=cut.state, interrupted=cut.interrupted)
    end.span_ms = None if span is None else _milliseconds(span)
    return set_reason_kind(end)


@functools.cache
def _cuts() -> dict[str, Cut]:
    return {
        phrase: cut for cut in CUTS for phrase in in_all_languages(_SECTION, cut.name)
    }


@functools.cache
def _cut_heads() -> re.Pattern[str]:
    """Match the head of a cut run's line in any language, with the time as a group."""
    heads = [*map(re.escape, in_all_languages(_SECTION, "cut"))]
    for head in in_all_languages(_SECTION, "cut_after"):
        before, after = map(re.escape, head.split("{}"))
        heads.append(f"{before}([\\d,.]+ (?:ms|s|min|h)[\\w ]*?){after}")
    return re.compile("|".join(heads))


def _milliseconds(text: str) -> int | None:
    """Read back a time as `duration` writes it; None if it is none."""
    match = re.fullmatch(_DURATION, text)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, milliseconds = match.groups()
    if milliseconds:
        return int(milliseconds)
    total = int((hours or "0").replace(",", "")) * 3600 + int(minutes or 0) * 60
    return total * 1000 + round(float(seconds or 0) * 1000)
