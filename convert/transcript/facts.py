"""What is recorded of a run, gathered while it goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from convert.model import Result, Start, State, Tokens
from convert.transcript.pieces import CallSection, Fact, FileChange
from convert.wording.numbers import count, duration
from convert.wording.sanitise import one_line, strip_controls, truncate
from convert.wording.words import Style, Words

_STATES: dict[State, str] = {
    "success": "success",
    "error": "error",
    "cut": "cut off: the run has no result",
    "unfinished": "unfinished: the run has no result, and a call is open",
}
_LONGEST = 200
_FAILURES = {"error": "failed", "rejected": "rejected", "unfinished": "unfinished"}
_TOKENS = {
    "input": "in",
    "output": "out",
    "cache_read": "cache read",
    "cache_write": "cache write",
}


class Record:
    """The facts of one run."""

    def __init__(self) -> None:
        self._has_calls = True
        self._calls = 0
        self._outcomes: Counter[str] = Counter()
        self._changes: dict[str, FileChange] = {}

    def start(self, start: Start) -> list[Fact]:
        """What is known when a run begins."""
        self._has_calls = not start.is_summary
        values: dict[str, tuple[str, Style]] = {
            "model": (start.model, "plain"),
            "session": (start.session, "code"),
            "directory": (start.directory, "code"),
        }
        facts = []
        for name, (value, style) in values.items():
            if said := truncate(one_line(strip_controls(value)), _LONGEST):
                facts.append(Fact(name, [Words(said, style)], {name: said}))
        return facts

    def add(self, call: CallSection) -> None:
        """Count a call and the files that it changed."""
        self._calls += 1
        self._outcomes[call.outcome.status] += 1
        for change in call.changes:
            known = self._changes.get(change.path)
            if known is not None:
                what = change.status if change.status == "deleted" else known.status
                change = FileChange(
                    change.path,
                    _sum(known.added, change.added),
                    _sum(known.removed, change.removed),
                    what,
                )
            self._changes[change.path] = change

    def end(self, state: State | None, result: Result | None) -> list[Fact]:
        """What is known when a run ends."""
        facts = []
        if state is not None:
            facts.append(_fact("state", _STATES[state], {"state": state}))
        if result is not None and result.duration_ms is not None:
            took = result.duration_ms
            facts.append(_fact("duration", duration(took), {"duration_ms": took}))
        # A format that records no state is silent about calls, too, if it shows none.
        if self._has_calls and (self._calls or state is not None):
            facts.append(self._called())
        if self._changes:
            facts.append(self._changed())
        if result is not None and result.tokens is not None:
            facts += _tokens(result.tokens)
        return facts

    @property
    def changes(self) -> list[FileChange]:
        """The files changed, in the order in which they were changed first."""
        return list(self._changes.values())

    def _called(self) -> Fact:
        failures = []
        values = {"tool_calls": self._calls}
        for status, word in _FAILURES.items():
            number = self._outcomes[status]
            values[f"tool_calls_{word}"] = number
            if number:
                failures.append(f"{number:,} {word}")
        said = f" ({', '.join(failures)})" if failures else ""
        return _fact("tool calls", f"{self._calls:,}{said}", values)

    def _changed(self) -> Fact:
        added = sum(change.added or 0 for change in self.changes)
        removed = sum(change.removed or 0 for change in self.changes)
        values = {
            "files_changed": len(self.changes),
            "lines_added": added,
            "lines_removed": removed,
        }
        said = f"{count(len(self.changes), 'file')}, +{added:,} −{removed:,}"
        return _fact("changed", said, values)


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)


def _fact(name: str, said: str, values: Mapping[str, str | int]) -> Fact:
    return Fact(name, [Words(said, "ours")], values)


def _tokens(tokens: Tokens) -> list[Fact]:
    counts = {name: getattr(tokens, name) for name in _TOKENS}
    known = {name: number for name, number in counts.items() if number is not None}
    if not known:
        return []
    said = ", ".join(f"{number:,} {_TOKENS[name]}" for name, number in known.items())
    values = {f"tokens_{name}": number for name, number in known.items()}
    return [_fact("tokens", said, values)]
