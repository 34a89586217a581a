"""Facts that two logs of the same runs have in common, whatever format they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import convert
from convert.errors import ignore
from convert.facts import edits_of
from convert.formats import writers
from convert.model import EVERYTHING, Event, Run, ToolCall, collect
from convert.options import Options, Reading
from convert.pipeline import events_of
from convert.tools import FOREIGN, outcome_name, reason_of

Warning = tuple[int | None, str, str]


def events_in(log: bytes, format: str = "auto") -> list[Event] | None:
    """Return all that a log records; None if it is none."""
    try:
        return [*events_of([log], format, EVERYTHING, Reading(), ignore)]
    except convert.RunconvError:
        return None


def written(
    events: Iterable[Event], to: str, **options: Any
) -> tuple[bytes, list[str]]:
    """Return the events in another format, and the notices."""
    notices: list[str] = []
    made = writers()[to].write(
        iter(events),
        Options(**options),
        lambda _, reason, action: notices.append(f"{reason}, {action}"),
    )
    return b"".join(made), notices


def runs_in(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the contents of each run."""
    return [_of_run(run) for run in collect(events)]


def without_an_end(run: dict[str, Any]) -> dict[str, Any]:
    """Return a run as it reads back without a result, if its log has no end of it."""
    if run["state"] in ("success", "error"):
        return run
    kept = dict(run) | {"tokens": None}
    if "reason" in run:
        # Only a mark of `runconv run` says why such a run broke off.
        kept |= {"reason": ""}
    if "texts" in run:
        # A text that only the result has is said before the end.
        said = run["texts"] or [*filter(None, [run["text"]])]
        kept |= {"duration": None, "texts": said, "text": "".join(said) or None}
    return kept


def _of_run(run: Run) -> dict[str, Any]:
    result = run.result
    return {
        "session": run.session,
        "directory": run.directory,
        "model": run.model,
        "prompts": run.prompts,
        "thinking": run.thinking,
        "texts": run.texts,
        "text": run.text,
        "state": run.state,
        "reason": run.reason,
        "duration": result.duration_ms if result else None,
        "tokens": result.tokens if result else None,
        "incidents": [
            (each.kind, each.message, each.status, each.attempt, each.details)
            for each in run.incidents
            # Cursor's stream has no place for a mere warning.
            if each.kind != "warning"
        ],
        "calls": [of_call(call) for call in run.calls],
    }


def of_call(call: ToolCall) -> dict[str, Any]:
    """Return the contents of a call, without its times."""
    assert call.outcome is not None
    return {
        "kind": call.kind,
        "name": call.name if call.kind in FOREIGN else "",
        "arguments": call.arguments or {},
        "outcome": outcome_name(call.outcome),
        "reason": reason_of(call.outcome),
        "output": _output(call),
        "is new": call.is_new_file and call.outcome.status == "ok",
        "parent": call.parent,
        "response": call.response_id,
        "steps": None if call.steps is None else [*map(_of_step, call.steps)],
    }


def _output(call: ToolCall) -> dict[str, Any]:
    """Return the output of a call, without the words that its outcome repeats."""
    outcome = call.outcome
    assert outcome is not None
    if not isinstance(call.output, dict):
        return {"content": call.output} if call.output else {}
    members = dict(call.output)
    if outcome.status != "ok":
        why = (outcome.message, reason_of(outcome))
        told = {"reason": why, "error": why, "signal": (outcome.signal,)}
        told["exitCode"] = (outcome.exit_code,)
        members = {k: v for k, v in members.items() if v not in told.get(k, ())}
    if call.is_new_file and isinstance(said := members.get("message"), str):
        # The words for a new file.
        members["message"] = re.sub(r"Wrote contents to .*\n?", "", said)
    return {name: value for name, value in members.items() if value != ""}


def _of_step(step: Event) -> Any:
    if isinstance(step, ToolCall):
        return of_call(step)
    return type(step).__name__, getattr(step, "text", "")


def gists_in(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the rest of each run where calls have the names of another agent.

    Texts that nothing parts are one text, and a call that a subagent made is inside of
    the call that started it, as a step of that or as a call of the run.
    """
    return [_gist_of_run(run) for run in collect(events)]


# How such calls are passed differs between agents.
_PASSED_OTHERWISE = ("edit", "write", "updateTodos", "askQuestion", "task", "webFetch")


def _gist_of_run(run: Run) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    found: dict[str, dict[str, Any]] = {}
    for call in run.calls:
        parent = found.get(call.parent) if call.parent else None
        _add_gist(call, calls if parent is None else parent["inside"], found)
    names = ("session", "directory", "model", "prompts", "thinking", "state", "reason")
    kept = {name: value for name, value in _of_run(run).items() if name in names}
    tokens = run.result.tokens if run.result else None
    said = "".join(run.texts)
    if run.state is None:
        said = said or run.text or ""
    return {**kept, "text": said, "tokens": tokens, "calls": calls}


def _lines(call: ToolCall) -> list[tuple[int, int] | None]:
    """Return how many lines each change adds and removes, if it is known where."""
    return [
        None if edit.diff and "@@ -" not in edit.diff else edit.counts
        for edit in edits_of(call)
    ]


def _add_gist(
    call: ToolCall, to: list[dict[str, Any]], found: dict[str, dict[str, Any]]
) -> None:
    assert call.outcome is not None
    arguments = call.arguments or {}
    if call.kind in _PASSED_OTHERWISE:
        arguments = {"path": arguments.get("path")}
    gist: dict[str, Any] = {
        "kind": "edit" if call.kind == "write" else call.kind,
        "name": call.name if call.kind in FOREIGN else "",
        "outcome": call.outcome.status,
        "exit code": call.outcome.exit_code,
        "arguments": arguments,
        "lines": _lines(call) if call.kind in ("edit", "write") else [],
        "inside": [],
    }
    to.append(gist)
    if call.id:
        found[call.id] = gist
    for step in call.steps or ():
        if isinstance(step, ToolCall):
            _add_gist(step, gist["inside"], found)
