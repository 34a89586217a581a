"""The verdict of a comparison in one line, with its reasons."""

from __future__ import annotations

from collections import Counter

from convert.diff.changes import Comparison, Finding
from convert.diff.reports.appearance import arrow, shown, times
from convert.wording.numbers import count


def verdict(compared: Comparison) -> str:
    """Return the verdict with its reasons: `different (major): args; info: model`."""
    word = "different" if compared.is_different else "same"
    reasons = _reasons(compared.findings, is_alone=True)
    return f"{word} ({compared.severity})" + (f": {reasons}" if reasons else "")


def is_same(compared: Comparison) -> bool:
    """Return True if all findings are for information only."""
    return not compared.is_different and compared.severity in ("none", "info")


def same_line(compared: Comparison) -> str:
    """Return the line for two logs that are the same, with what was compared."""
    parts = [part for part in (_calls_of(compared), *_ends_of(compared)) if part]
    more = _reasons(compared.findings)
    if compared.not_compared:
        more = "; ".join(filter(None, [more, not_compared(compared)]))
    compared_parts = ", ".join(parts) or "nothing was compared"
    return f"same: {compared_parts}" + (f"; {more}" if more else "")


def not_compared(compared: Comparison) -> str:
    """Return the parts that were not compared."""
    return f"not compared: {', '.join(compared.not_compared)}"


def _calls_of(compared: Comparison) -> str:
    if compared.level != "calls":
        return ""
    runs = f" in {len(compared.runs)} runs" if len(compared.runs) > 1 else ""
    counts = compared.counts
    calls = (
        count(counts.b, "call")
        if counts.a == counts.b
        else (f"{counts.a:,} -> {count(counts.b, 'call')}")
    )
    return calls + runs


def _ends_of(compared: Comparison) -> list[str]:
    a, b = compared.states
    states = "" if "status" in compared.not_compared else arrow(a or "", b or "")
    texts = [run.text for run in compared.runs if run.text]
    if "text" in compared.not_compared or not texts:
        return [states]
    is_same = all(text.is_equal for text in texts)
    return [states, "result same" if is_same else "result differs"]


def _reasons(findings: list[Finding], is_alone: bool = False) -> str:
    """Return the categories of findings: those that matter, the others, the waived.

    `is_alone` leaves out the word `info` if all findings are for information.
    """
    matter = {f.category for f in findings if f.severity != "info"}
    informs = {f.category for f in findings if f.severity == "info" and not f.waived}
    waived = Counter((f.category, f.waived) for f in findings if f.waived)
    parts = []
    if matter:
        parts.append(", ".join(sorted(matter)))
    if informs - matter:
        word = "info: " if matter or not is_alone else ""
        parts.append(f"{word}{', '.join(sorted(informs - matter))}")
    if waived:
        words = (
            f"{category}{times(total)} ({shown(by or '')})"
            for (category, by), total in sorted(waived.items(), key=str)
        )
        parts.append(f"waived: {', '.join(words)}")
    return "; ".join(parts)
