"""What two logs of the same runs have in common, whatever format they are in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import convert
from convert.errors import ignore
from convert.formats import writers
from convert.model.events import Event, ToolCall
from convert.model.needs import EVERYTHING
from convert.model.run import Run, collect
from convert.options import Options, Reading
from convert.pipeline import events_of
from convert.tools.every_tool import FOREIGN
from convert.tools.outcomes import outcome_name
from convert.tools.reasons import reason_of

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
    """Return what each run consists of."""
    return [_of_run(run) for run in collect(events)]


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
        ],
        "calls": [of_call(call) for call in run.calls],
    }


def of_call(call: ToolCall) -> dict[str, Any]:
    """Return what a call consists of, without its times."""
    assert call.outcome is not None
    return {
        "kind": call.kind,
        "name": call.name if call.kind in FOREIGN else "",
        "arguments": call.arguments or {},
        "outcome": outcome_name(call.outcome),
        "reason": reason_of(call.outcome),
        "output": call.output or {},
        "is new": call.is_new_file,
        "parent": call.parent,
        "response": call.response_id,
        "steps": None if call.steps is None else [*map(_of_step, call.steps)],
    }


def _of_step(step: Event) -> Any:
    if isinstance(step, ToolCall):
        return of_call(step)
    return type(step).__name__, getattr(step, "text", "")
