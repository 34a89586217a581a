"""How reports look: lines and their styles, and the words for calls that they share."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from msgspec import Struct

from convert.diff.agents_compared import ComparedAgents
from convert.diff.call_comparison import CallComparison
from convert.diff.changes import Finding, RunComparison
from convert.diff.compared_call import ComparedCall
from convert.model.run import Run
from convert.wording.sanitise import escape_controls, one_line, truncate

# Names of this many characters leave room for what differs.
_LONGEST_NAMES = 60
# The number of characters shown of a call or a text on a line without columns.
LONGEST = 1000
_LONGEST_OUTCOME = 100
NO_STATE = "not recorded"
APPROXIMATE = "approximate: too many calls or values to try all pairs"

LineStyle = Literal["", "removed", "added", "changed", "moved", "head"]


class ReportLine(NamedTuple):
    """A line of a report."""

    text: str
    """The line, without a line feed."""

    style: LineStyle = ""
    """The kind of line, which decides its colour."""


class Look(Struct, frozen=True):
    """How a report looks."""

    a: str = "baseline"
    """The name of the baseline."""

    b: str = "candidate"
    """The name of the candidate."""

    is_full: bool = False
    """Nothing is folded or shortened."""

    is_verbose: bool = False
    """Equal logs are shown too, with what the rules for noise did."""

    width: int = 100
    """The width of the table, in columns."""

    name: str = "default"
    """The name that tells comments on one pull request apart."""

    most_bytes: int = 58_000
    """The room for a comment, of which GitHub takes 65,536 characters."""

    settings_source: str = ""
    """The file with settings that was found, not named; empty if there was none."""

    logs: tuple[str, str] = ("", "")
    """The paths of the logs, for reports of CI."""

    root: str = ""
    """The folder of the repository that holds the logs; empty for the current one."""

    path: str = ""
    """The file that the report is written to; empty for standard output."""

    links: tuple[tuple[str, str], ...] = ()
    """The links above a page, to pages next to it: their words and addresses."""


def settings_note(look: Look) -> str:
    """Return where settings came from that nobody named; nothing if from nowhere."""
    source = shown(look.settings_source)
    return f"settings from {source}" if source else ""


def shown(text: str) -> str:
    """Return text from a log on one line, without characters that do harm."""
    return escape_controls(one_line(text))


def agents_in_words(agents: ComparedAgents) -> str:
    """Return the agents of two runs, as in `Cursor against Codex 0.46.0`.

    One agent with logs of two kinds is named once, unless its versions differ.
    """
    a, b = (truncate(shown(agent), _LONGEST_OUTCOME) for agent in agents.spelled)
    if not agents.is_one:
        return f"{a} against {b}"
    is_one_version = len({*filter(None, agents.versions)}) <= 1
    named = max(a, b, key=len) if is_one_version else f"{a} and {b}"
    return f"two kinds of logs of {named}"


def label(call: ComparedCall) -> str:
    """Return the tool of a call and what the call is about."""
    if call.action_line:
        return shown(call.action_line)
    return f"{shown(call.shown_tool)} {subject(call)}".rstrip()


def subject(call: ComparedCall) -> str:
    """Return what a call is about, with a sign for each line feed."""
    return shown(call.subject_with_feeds)


def label_of(comparison: CallComparison) -> str:
    """Return the label of a pair, both if the tool has another name."""
    a, b = comparison.a, comparison.b
    if a and b and comparison.has_other_tool:
        return arrow(*renamed(a, b))
    return label(comparison.call)


def renamed(a: ComparedCall, b: ComparedCall) -> tuple[str, str]:
    """Return how two calls are told apart, without the subject that both have."""
    if a.action_line or subject(a) != subject(b):
        return label(a), label(b)
    return shown(a.shown_tool), f"{shown(b.shown_tool)} {subject(b)}".rstrip()


def ending(call: ComparedCall) -> str:
    """Return how a call ended in brackets; nothing if it ended well."""
    return (
        ""
        if call.outcome == "ok"
        else f"[{truncate(shown(call.outcome), _LONGEST_OUTCOME)}]"
    )


def lone_ending(comparison: CallComparison) -> str:
    """Return how a call without a partner ended in brackets, also if it ended well.

    Nothing tells that of a pair, or of an action line, which says it itself.
    """
    call = comparison.call
    if comparison.is_paired or call.action_line:
        return ""
    return ending(call) or "[ok]"


def mark_of(comparison: CallComparison) -> str:
    """Return the mark of a pair in place, or of a call without a partner."""
    if not comparison.is_paired:
        return "+" if comparison.a is None else "-"
    if comparison.has_other_outcome:
        return "!"
    return "~" if comparison.is_changed else ""


def place_of(comparison: CallComparison, inside: tuple[tuple[int, int], ...]) -> str:
    """Return the numbers of a call in both runs: `3`, `3 -> 4`, or `2.1` inside 2."""
    a, b = numbers_of(comparison, inside)
    return arrow(a or b, b or a)


def numbers_of(
    comparison: CallComparison, inside: tuple[tuple[int, int], ...]
) -> tuple[str, str]:
    """Return the number of a call in each run: `3`, `2.1` inside 2, or "" for none."""
    a, b = (
        ".".join(map(str, [*(place[side] for place in inside), call.number]))
        if call
        else ""
        for side, call in enumerate((comparison.a, comparison.b))
    )
    return a, b


def lines_of(finding: Finding, run: RunComparison) -> tuple[int | None, int | None]:
    """Return the lines of a finding in both logs; None where a log has none."""
    if finding.comparison is not None:
        if finding.category == "args" and finding.comparison.has_other_effect:
            return _ended_lines(finding.comparison)
        return lines_of_calls(finding.comparison)
    if finding.file is not None:
        return finding.file.lines
    a, b = (
        _line_of(finding.category, side.run) if side else None
        for side in (run.a, run.b)
    )
    return a, b


def lines_of_calls(comparison: CallComparison) -> tuple[int | None, int | None]:
    """Return the lines where a call starts in both logs; None where it is not made."""
    a, b = (call.line if call else None for call in (comparison.a, comparison.b))
    return a, b


def _ended_lines(comparison: CallComparison) -> tuple[int | None, int | None]:
    """Return the lines that record the effects of a pair."""
    a, b = (call.ended_line if call else None for call in (comparison.a, comparison.b))
    return a, b


def _line_of(category: str, run: Run) -> int | None:
    """Return the line of a run that shows a difference of whole runs."""
    match category:
        case "runs" | "model" | "prompt":
            return run.first_line
        case "parallelism":
            return None
        case "text" | "narration" | "level":
            texts = [segment for segment in run.segments if segment.text.strip()]
            return texts[-1].line if texts else run.last_line
    return run.result.line if run.result else run.last_line


def where(look: Look, line_a: int | None, line_b: int | None) -> str:
    """Return lines of both logs as `(a.ndjson:3, b.ndjson:4)`; empty for none."""
    names = zip(short_names(look), (line_a, line_b), strict=True)
    places = ", ".join(f"{shown(name)}:{line}" for name, line in names if line)
    return f"({places})" if places else ""


def arrow(old: str, new: str) -> str:
    """Return `old -> new`, or one of them if they are the same."""
    return old if old == new else f"{old} -> {new}"


def times(total: int) -> str:
    """Return a count as ` x3`; nothing for one."""
    return f" x{total:,}" if total > 1 else ""


def short_names(look: Look) -> tuple[str, str]:
    """Return the names of the logs, long ones without the folders that they share.

    The head of a report shows them whole.
    """
    if look.is_full or len(look.a) + len(look.b) <= _LONGEST_NAMES:
        return look.a, look.b
    ones, others = re.split(r"(?<=[/\\])", look.a), re.split(r"(?<=[/\\])", look.b)
    pairs = enumerate(zip(ones[:-1], others[:-1], strict=False))
    shared = next((at for at, (one, other) in pairs if one != other), None)
    if shared is None:
        shared = min(len(ones), len(others)) - 1
    return "".join(ones[shared:]), "".join(others[shared:])
