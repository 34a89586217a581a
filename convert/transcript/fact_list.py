"""The facts of a run as a transcript lists them, at its start and at its end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from convert.facts.changed_files import FileChange, PossibleChanges, file_changes_in
from convert.facts.figures import Figures, run_length
from convert.facts.run_figures import RunFigures
from convert.model.events import End, Start, State, Tokens
from convert.model.run import cost_in_words
from convert.transcript.builder import ours
from convert.transcript.incidents import Trouble
from convert.transcript.pieces import Fact, FactList, FileChanges, Heading, Piece, Text
from convert.transcript.shortened_texts import whole
from convert.wording.escapes import harmless_line, truncate
from convert.wording.numbers import count, duration, numbered, tokens_out, utc
from convert.wording.styles_and_columns import Inline, Style, Styled

_STATES: dict[State, str] = {
    "success": "success, as the agent reports it",
    "error": "error",
    "cut": "cut off: the log ends without a result",
    "unfinished": "unfinished: the log ends without a result",
}
_LONGEST = 200
# How many names of refused calls appear on their line, and how long they are.
_MOST_NAMES = 6
_LONGEST_NAME = 60
# How many calls are named of those that ended in one way.
_MOST_NUMBERS = 10
# More changed files, or longer paths, are not named among the facts.
_MOST_FILES = 3
# How calls go wrong, as data name it and as people read it.
_CLASSES = {"failed": "failed", "rejected": "refused", "unfinished": "unfinished"}
# The outcome of one call, or of several, if nothing stays unresolved.
_RESOLVED = {
    ("failed", True): ["resolved later"],
    ("failed", False): ["all resolved later"],
    ("rejected", True): ["nothing depends on it"],
    ("rejected", False): ["nothing depends on them"],
}
_TOKENS = {
    "input": "in",
    "output": "out",
    "cache_read": "cache read",
    "cache_write": "cache write",
}


def facts_at_start(start: Start) -> list[Fact]:
    """Return the facts that the log records when a run begins."""
    agent = f"{start.agent} {start.agent_version}" if start.agent_version else ""
    return _recorded(
        {
            "agent": (agent, "plain"),
            "model": (start.model, "plain"),
            "session": (start.session, "code"),
        }
    )


def _facts_of_machine(start: Start) -> list[Fact]:
    """Return the facts that say nothing of the work, which come last."""
    return _recorded(
        {
            "directory": (start.directory, "code"),
            "permission mode": (start.permission_mode, "plain"),
        }
    )


def _recorded(recorded: Mapping[str, tuple[str, Style]]) -> list[Fact]:
    facts = []
    for name, (text, style) in recorded.items():
        if value := truncate(harmless_line(text), _LONGEST):
            key = name.replace(" ", "_")
            facts.append(Fact(name, [Styled(value, style)], {key: value}))
    return facts


def facts_at_end(
    end: End,
    run: RunFigures,
    changes: list[FileChange],
    possible: PossibleChanges | None,
) -> list[Fact]:
    """Return the facts that are known when a run ends.

    `changes` are the files that the log names; `possible` may have changed others.
    """
    facts = []
    figures = run.figures
    if end.state is not None:
        facts.append(_state(end, end.state, figures.unfinished))
    if end.started_ms is not None and end.ended_ms is not None:
        facts += _time(utc(end.started_ms), utc(end.ended_ms))
    span = end.span_ms
    if span is None and figures.duration_ms is None:
        # The agent says how the run ended, and not how long it took.
        span = run_length(end, None) or None
    facts += _duration(figures.duration_ms, span)
    if figures.calls is not None:
        facts.append(_calls(figures.calls, figures, run))
    if (figures.rejected or 0) > 1:
        facts.append(Fact("refused", refused_line(run.refused), {}))
    if figures.calls:
        is_recorded = figures.unresolved is not None
        facts.append(_files(changes, possible, is_recorded=is_recorded))
    if figures.tokens is not None:
        facts += _tokens(figures.tokens)
    if figures.cost_usd is not None:
        words = cost_in_words(figures.cost_usd, figures.cost_by)
        facts.append(_fact("cost", words, {"cost_usd": figures.cost_usd}))
    if request := truncate(harmless_line(end.request_id), _LONGEST):
        facts.append(
            Fact("request", [Styled(request, "code")], {"request_id": request})
        )
    return facts


def _state(end: End, state: State, unfinished: int | None) -> Fact:
    """Say how a run ended, and which kind of reason it had."""
    words = _STATES[state]
    if end.reason:
        # The log says more than that it breaks off.
        words = words.partition(":")[0]
    if state == "unfinished" and unfinished:
        have = "has" if unfinished == 1 else "have"
        words += ": " if end.reason else ", and "
        words += f"{count(unfinished, 'call')} {have} not ended"
    values: dict[str, str] = {"state": state}
    if end.reason_kind:
        # Most runs succeed.
        from convert.facts.run_reasons import ENDED_BY, reason_in_words

        by = ENDED_BY.get(end.reason_kind)
        words = f"{words}; {by}" if by else words
        if reason := truncate(harmless_line(reason_in_words(end)), _LONGEST):
            values["reason"] = reason
        values["reason_kind"] = end.reason_kind
    return _fact("state", words, values)


def _time(started: str, ended: str) -> list[Fact]:
    """Say when a run started and ended, the day once if it is the same."""
    if not (started and ended) or ended < started:
        return []
    stamps = {"started": started, "ended": ended}
    values = {name: f"{it.replace(' ', 'T')}Z" for name, it in stamps.items()}
    if ended[:10] == started[:10]:
        ended = ended[11:]
    words = started if started.endswith(ended) else f"{started} to {ended}"
    return [_fact("timestamps", f"{words} UTC", values)]


def _duration(milliseconds: int | None, span_ms: int | None) -> list[Fact]:
    """Say how long a run took, and who says so."""
    if span_ms is not None:
        words = f"{duration(span_ms)} from the first timestamp to the last"
        return [_fact("duration", words, {"timestamps_span_ms": span_ms})]
    if milliseconds is not None:
        words = f"{duration(milliseconds)}, as the agent reports it"
        return [_fact("duration", words, {"duration_ms": milliseconds})]
    return []


def _calls(calls: int, figures: Figures, run: RunFigures) -> Fact:
    """Count the calls, and name those that did not succeed."""
    values = {"tool_calls": calls}
    shown = []
    for name, word in _CLASSES.items():
        total = values[f"tool_calls_{name}"] = getattr(figures, name) or 0
        if total:
            shown.append(f"{total:,} {word}: {_named(run.numbers(name), total)}")
        if name == "failed" and figures.hidden:
            values["tool_calls_hidden"] = figures.hidden
            shown.append(f"{_named(run.hidden, len(run.hidden))} hid failed tests")
        if total and figures.unresolved == 0:
            shown += _RESOLVED.get((name, total == 1), [])
    if figures.unresolved is not None:
        values["tool_calls_unresolved"] = figures.unresolved
    shown += filter(None, (_unresolved(figures, run), _answers(run)))
    note = f" ({'; '.join(shown)})" if shown else ""
    return _fact("tool calls", f"{calls:,}{note}", values)


def refused_line(refused: dict[str, list[str]]) -> Inline:
    """List the refused calls on one line: `5 times: git diff ×2, git status, …`."""
    total = sum(map(len, refused.values()))
    line: Inline = [Styled(f"{total:,} times: ", "ours")]
    for at, (name, numbers) in enumerate([*refused.items()][:_MOST_NAMES]):
        often = f" ×{len(numbers):,}" if len(numbers) > 1 else ""
        line += [Styled(", ", "ours")] * (at > 0)
        line += [Styled(truncate(harmless_line(name), _LONGEST_NAME), "code")]
        line += [Styled(often, "ours")] * bool(often)
    if len(refused) > _MOST_NAMES:
        line.append(Styled(", …", "ours"))
    return line


def _answers(run: RunFigures) -> str:
    """Say which calls only seem to have failed; "" if none do."""
    if not (total := len(run.answers)):
        return ""
    calls = _named(run.answers, total)
    if total == 1:
        return f"the status of {calls} is an answer"
    return f"the statuses of {calls} are answers"


def _unresolved(figures: Figures, run: RunFigures) -> str:
    """Say which calls stay unresolved; "" if none do, or if that says nothing."""
    unresolved, failed, refused = figures.unresolved, figures.failed, figures.rejected
    if not unresolved or not (failed or refused):
        return ""
    if unresolved == (failed or 0) + (refused or 0) + (figures.unfinished or 0):
        return "not resolved later" if unresolved == 1 else "none resolved later"
    return f"{unresolved:,} unresolved: {_named(run.unresolved_numbers(), unresolved)}"


def _named(numbers: Iterable[str], total: int) -> str:
    """Name the first of some calls, and count the others."""
    return numbered("call", [*itertools.islice(numbers, _MOST_NUMBERS)], total)


def _files(
    changes: list[FileChange], possible: PossibleChanges | None, *, is_recorded: bool
) -> Fact:
    """Count the changed files, or say that the log records none."""
    if not changes and possible is not None:
        words = f"none recorded; {possible.words} may have changed files"
        return _fact("changed", words, {})
    if not changes and not is_recorded:
        return _fact("changed", "none recorded", {})
    if not changes:
        return _fact("changed", "no file", {"files_changed": 0})
    words, lines = _lines(changes)
    values = {"files_changed": len(changes)} | lines
    if are_few(changes):
        return Fact("changed", _each(changes), values)
    return _fact("changed", f"{count(len(changes), 'file')}, {words}", values)


def are_few(changes: list[FileChange]) -> bool:
    """Return True if a fact can name all changed files."""
    paths = [change.path for change in changes]
    return len(paths) <= _MOST_FILES and max(map(len, paths)) <= _LONGEST


def _each(changes: list[FileChange]) -> Inline:
    """Name each file and its change."""
    line: Inline = []
    for change in changes:
        gap = [Styled("; ", "ours")] if line else []
        line += [*gap, Styled(change.path, "code")]
        line += [Styled(f", {in_figures(change)}", "ours")]
    return line


def in_figures(change: FileChange) -> str:
    """Describe the change of a file in a few words: `new, +3 −0`."""
    figures = "lines not recorded"
    if change.added is not None and change.removed is not None:
        figures = f"+{change.added:,} −{change.removed:,}"
    return ", ".join(filter(None, (change.status, figures)))


def _lines(changes: list[FileChange]) -> tuple[str, dict[str, int]]:
    """Count the changed lines that the log records."""
    added = sum(change.added or 0 for change in changes)
    removed = sum(change.removed or 0 for change in changes)
    unknown = sum(change.added is None for change in changes)
    if unknown == len(changes):
        return "lines not recorded", {}
    words = f"+{added:,} −{removed:,}"
    if unknown:
        return f"{words} (lines of {unknown:,} not recorded)", {}
    return words, {"lines_added": added, "lines_removed": removed}


def _tokens(tokens: Tokens) -> list[Fact]:
    counts = {name: getattr(tokens, name) for name in _TOKENS}
    known = {name: total for name, total in counts.items() if total is not None}
    if not known:
        return []
    written = {name: f"{total:,}" for name, total in known.items()}
    values = {f"tokens_{name}": total for name, total in known.items()}
    if tokens.is_least and tokens.output is not None:
        written["output"] = tokens_out(tokens.output, tokens.final, tokens.responses)
        values["tokens_output_is_final"] = False
    words = ", ".join(f"{total} {_TOKENS[name]}" for name, total in written.items())
    return [_fact("tokens", words, values)]


def _fact(name: str, words: str, values: Mapping[str, str | int | Decimal]) -> Fact:
    return Fact(name, [Styled(words, "ours")], values)


def sections_at_end(
    start: Start,
    end: End,
    trouble: Trouble,
    figures: RunFigures,
    texts: tuple[str, str],
) -> Iterator[Piece]:
    """Yield the trouble of a run, if it had any, and the result.

    The texts are the reason of a failure, unless an incident or the recorded result
    gives it, and the recorded result of a run that failed, unless it has been shown.
    """
    wrong = [*trouble.incidents(end)]
    shown = [Text(whole(text)) for text in texts if text]
    wrong += shown
    wrong += trouble.unfinished(end, follows=bool(shown))
    if wrong:
        yield from [Heading("What went wrong"), *wrong]
    if result := [*_result(start, end, trouble, figures)]:
        yield from [Heading("Result"), *result]


def _result(
    start: Start, end: End, trouble: Trouble, figures: RunFigures
) -> Iterator[Piece]:
    """Yield the facts and the files."""
    changes = file_changes_in(figures.changed_files.net)
    possible = None if changes else figures.changed_files.unnamed.possible_changes()
    facts = facts_at_end(end, figures, changes, possible)
    if words := trouble.recovered(end):
        facts.append(Fact("connection", ours(f"{words}, and recovered"), {}))
    if facts := [*facts, *_facts_of_machine(start)]:
        yield FactList(facts)
    if changes and not are_few(changes):
        yield FileChanges(changes)
