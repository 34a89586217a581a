"""The facts of a run as a transcript lays them out: one row for each."""

from __future__ import annotations

from collections.abc import Mapping

from convert.facts.figures import Figures
from convert.model import End, Start, State, Tokens
from convert.transcript.pieces import Fact
from convert.wording.numbers import count, duration, utc
from convert.wording.sanitise import one_line, strip_controls, truncate
from convert.wording.words import Style, Words

_STATES: dict[State, str] = {
    "success": "success",
    "error": "error",
    "cut": "cut off: the run has no result",
    "unfinished": "unfinished: the run has no result, and a call is open",
}
_LONGEST = 200
_TOKENS = {
    "input": "in",
    "output": "out",
    "cache_read": "cache read",
    "cache_write": "cache write",
}


def facts_at_start(start: Start) -> list[Fact]:
    """Return what the log records when a run begins."""
    recorded: dict[str, tuple[str, Style]] = {
        "model": (start.model, "plain"),
        "session": (start.session, "code"),
        "directory": (start.directory, "code"),
        "permission mode": (start.permission_mode, "plain"),
    }
    facts = []
    for name, (text, style) in recorded.items():
        if value := truncate(one_line(strip_controls(text)), _LONGEST):
            key = name.replace(" ", "_")
            facts.append(Fact(name, [Words(value, style)], {key: value}))
    return facts


def facts_at_end(end: End, figures: Figures) -> list[Fact]:
    """Return what is known when a run ends."""
    facts = []
    if end.state is not None:
        facts.append(_fact("state", _STATES[end.state], {"state": end.state}))
    if end.started_ms is not None and end.ended_ms is not None:
        facts += _time(utc(end.started_ms), utc(end.ended_ms))
    if figures.duration_ms is not None:
        milliseconds = figures.duration_ms
        words = duration(milliseconds)
        facts.append(_fact("duration", words, {"duration_ms": milliseconds}))
    elif end.span_ms is not None:
        words = f"{duration(end.span_ms)} from the first timestamp to the last"
        facts.append(_fact("duration", words, {"timestamps_span_ms": end.span_ms}))
    if figures.calls is not None:
        facts.append(_calls(figures.calls, figures))
    if figures.file_changes:
        facts.append(_files(figures))
    if figures.tokens is not None:
        facts += _tokens(figures.tokens)
    if request := truncate(one_line(strip_controls(end.request_id)), _LONGEST):
        facts.append(Fact("request", [Words(request, "code")], {"request_id": request}))
    return facts


def _time(started: str, ended: str) -> list[Fact]:
    """Say when a run started and ended, the day once if it is the same."""
    if not (started and ended) or ended < started:
        return []
    values = {"started": _iso(started), "ended": _iso(ended)}
    if ended[:10] == started[:10]:
        ended = ended[11:]
    words = started if started.endswith(ended) else f"{started} to {ended}"
    return [_fact("timestamps", f"{words} UTC", values)]


def _iso(stamp: str) -> str:
    return stamp.replace(" ", "T") + "Z"


def _calls(calls: int, figures: Figures) -> Fact:
    failures = {
        "failed": figures.failed or 0,
        "rejected": figures.rejected or 0,
        "unfinished": figures.unfinished or 0,
    }
    values = {"tool_calls": calls}
    values |= {f"tool_calls_{word}": total for word, total in failures.items()}
    shown = [f"{total:,} {word}" for word, total in failures.items() if total]
    note = f" ({', '.join(shown)})" if shown else ""
    return _fact("tool calls", f"{calls:,}{note}", values)


def _files(figures: Figures) -> Fact:
    changes = figures.file_changes or []
    added = sum(change.added or 0 for change in changes)
    removed = sum(change.removed or 0 for change in changes)
    values = {
        "files_changed": len(changes),
        "lines_added": added,
        "lines_removed": removed,
    }
    words = f"{count(len(changes), 'file')}, +{added:,} −{removed:,}"
    return _fact("changed", words, values)


def _tokens(tokens: Tokens) -> list[Fact]:
    counts = {name: getattr(tokens, name) for name in _TOKENS}
    known = {name: total for name, total in counts.items() if total is not None}
    if not known:
        return []
    words = ", ".join(f"{total:,} {_TOKENS[name]}" for name, total in known.items())
    values = {f"tokens_{name}": total for name, total in known.items()}
    return [_fact("tokens", words, values)]


def _fact(name: str, words: str, values: Mapping[str, str | int]) -> Fact:
    return Fact(name, [Words(words, "ours")], values)
