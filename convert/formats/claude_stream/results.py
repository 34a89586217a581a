"""How a run ended, as the `result` line records it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from convert.agents.claude.tokens import whole
from convert.agents.tools import NativeCall, call_of
from convert.formats.claude_stream.wire import Line, ModelUsage
from convert.model.cost import ProcessCosts, recorded_cost

# More milliseconds than any run has.
_BEYOND_BELIEF = 1e15


def has_failed(line: Line) -> bool:
    """Return True if a result says that its run failed.

    Runs that an error of the model's interface ended are a `success` with `is_error`;
    those that reached their limit of turns were no errors in builds of 2025.
    """
    flag = line.is_error
    is_set = flag.lower() == "true" if isinstance(flag, str) else bool(flag)
    return is_set or (line.subtype or "").startswith("error")


def text_of(line: Line) -> str | None:
    """Return the text of a result; None if it records none."""
    if not isinstance(line.result, str) or (not line.result and has_failed(line)):
        return None
    return line.result


def reason_of(line: Line) -> str:
    """Return why a run failed: the errors, the text, else the subtype.

    "" if it did not fail. The text of a run that was stopped is what was said last.
    """
    if not has_failed(line):
        return ""
    errors = line.errors if isinstance(line.errors, list) else []
    told = [error.strip() for error in errors if isinstance(error, str)]
    if any(told):
        return "; ".join(filter(None, told))
    subtype = line.subtype or ""
    if not subtype.startswith("error") and (text := text_of(line)):
        return text.strip()
    return subtype


def cost_of(line: Line, costs: ProcessCosts) -> Decimal | None:
    """Return the cost of a run, whose result has the sums of its process so far."""
    usage = line.modelUsage if isinstance(line.modelUsage, dict) else {}
    by_model = {
        model: cost
        for model, used in usage.items()
        if isinstance(used, ModelUsage)
        and (cost := recorded_cost(used.costUSD)) is not None
    }
    total = recorded_cost(line.total_cost_usd)
    return costs.of_run(line.session_id or "", total, by_model)


def turns_of(line: Line) -> int | None:
    """Return the number of turns that a result records; None if it records none."""
    return whole(line.num_turns)


def milliseconds(value: float | None) -> int | None:
    """Return a duration as an integer; None if it is negative or beyond belief."""
    return round(value) if value is not None and 0 <= value < _BEYOND_BELIEF else None


def refused_calls(line: Line) -> Iterator[tuple[str, NativeCall]]:
    """Yield the ids of the calls that a result says were refused, and the calls."""
    denials = line.permission_denials
    for denial in denials if isinstance(denials, list) else ():
        match denial:
            case {"tool_use_id": str(id), **rest}:
                name, given = rest.get("tool_name"), rest.get("tool_input")
                arguments = given if isinstance(given, dict) else None
                yield id, call_of(name if isinstance(name, str) else "", arguments)
