"""What the reports share: how they look, and the words for calls and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.changes import Comparison, Finding, Matched, Row
from convert.diff.trajectory import Call
from convert.wording.numbers import count
from convert.wording.sanitise import escape_controls, one_line, truncate

# What is shown of a call, and of a text, on a line without columns.
LONGEST = 1000
_WORD = 100
APPROXIMATE = "alignment approximate: too many calls to try all pairs"

Style = Literal["", "removed", "added", "changed", "moved", "head"]


class Line(NamedTuple):
    """A line without its end, and what it stands for."""

    text: str
    style: Style = ""


class Look(Struct, frozen=True):
    """How a report looks: the names of the logs, and how much is shown.

    `width` is in columns; `name` tells several reports in one place apart.
    """

    a: str = "baseline"
    b: str = "candidate"
    is_full: bool = False
    is_verbose: bool = False
    width: int = 100
    name: str = "default"


def shown(text: str) -> str:
    """Text from a log on one line, harmless wherever it is shown."""
    return escape_controls(one_line(text))


def label(call: Call) -> str:
    """A call and what it is about."""
    return shown(call.label)


def ending(call: Call) -> str:
    """How a call ended, if that is not well."""
    return "" if call.outcome == "ok" else f"[{truncate(shown(call.outcome), _WORD)}]"


def mark_of(matched: Matched) -> str:
    """The mark of a pair in place."""
    if matched.has_other_outcome:
        return "!"
    return "~" if matched.is_changed else ""


def changed(rows: list[Row], above: str = "") -> Iterator[tuple[str, Matched]]:
    """The changed pairs with their numbers, those inside calls included."""
    for side, matched in rows:
        if matched.a is None or matched.b is None or (matched.is_moved and side == "b"):
            continue
        place = arrow(f"{above}{matched.a.number}", f"{above}{matched.b.number}")
        if matched.is_changed:
            yield place, matched
        yield from changed(matched.rows, f"{above}{matched.b.number}.")


def verdict(compared: Comparison) -> str:
    """The verdict with its reasons: `different (major): args; info: model`."""
    word = "different" if compared.is_different else "same"
    reasons = _reasons(compared.findings, is_alone=True)
    return f"{word} ({compared.severity})" + (f": {reasons}" if reasons else "")


def is_same(compared: Comparison) -> bool:
    """Whether nothing differs but for information."""
    return not compared.is_different and compared.severity in ("none", "info")


def same_line(compared: Comparison) -> str:
    """That two logs are the same, with what that means, on one line."""
    parts = [part for part in (_calls_of(compared), *_ends_of(compared)) if part]
    more = _reasons(compared.findings)
    if compared.not_compared:
        more = "; ".join(filter(None, [more, not_compared(compared)]))
    said = ", ".join(parts) or "nothing was compared"
    return f"same: {said}" + (f"; {more}" if more else "")


def not_compared(compared: Comparison) -> str:
    """What was not compared."""
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
    a, b = compared.status
    status = "" if "status" in compared.not_compared else arrow(a or "", b or "")
    texts = [run.text for run in compared.runs if run.text]
    if "text" in compared.not_compared or not texts:
        return [status]
    is_same = all(text.is_equal for text in texts)
    return [status, "result same" if is_same else "result differs"]


def arrow(old: str, new: str) -> str:
    """What it was and what it is, once if that is the same."""
    return old if old == new else f"{old} -> {new}"


def _reasons(findings: list[Finding], is_alone: bool = False) -> str:
    """The categories of findings: those that matter, for information, waived.

    `is_alone` where the severity stands in front.
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
            f"{category}{times(number)} ({shown(by or '')})"
            for (category, by), number in sorted(waived.items(), key=str)
        )
        parts.append(f"waived: {', '.join(words)}")
    return "; ".join(parts)


def times(number: int) -> str:
    """How often, if more than once."""
    return f" x{number:,}" if number > 1 else ""
