"""The calls of a step, and how each ended in documents of any program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from convert.agents.atif.document import (
    NONE,
    Call,
    CallFacts,
    ObservationResult,
    OutputFacts,
    Step,
    found_in,
    member_value,
    text_of,
    text_of_value,
)
from convert.agents.claude.results import outcome_of_text, result_of
from convert.agents.codex.apply_patch import calls_of_patch
from convert.agents.codex.outputs import tool_output
from convert.agents.outputs import output_of_text
from convert.agents.tool_names import CallResult, NativeCall, call_of
from convert.cursor.tool_calls import read_frame
from convert.cursor.wire import Scalar, wire
from convert.errors import ignore
from convert.model.events import OK, UNFINISHED, CallDetail, Needs, Outcome
from convert.source.lines import REFUSED
from convert.source.ndjson import coerce
from convert.wording.escapes import repair_surrogates

# Documents by runconv have the end of a call in `extra`. In documents of other writers,
# the parts of the agent's own log that Harbor keeps show it, or else the words of the
# agent.
#
# Harbor adds this to the text of a result of Claude Code: the same text again, or facts
# that are in `extra` as well.
_ADDED = re.compile(
    r"\n\n(?:\[(?:stdout|stderr|exit_code|interrupted|is_image|metadata)\].*)?"
    r"(?:\n\n\[error\] tool reported failure)?\Z"
    r"|\n*\[error\] tool reported failure\Z",
    re.DOTALL,
)
_FAILED = "[error] tool reported failure"
_EXIT = re.compile(r"^\[exit_code\] (-?\d{1,9})$", re.MULTILINE)


class EndedCall(msgspec.Struct):
    """A call with how it ended."""

    call: NativeCall
    facts: CallFacts
    """The facts that runconv kept of it."""

    id: str
    result: CallResult
    place: int = 0
    """The place of its result among those of the other calls of the step."""

    references: list[str] = []
    """The ids of the trajectories of a subagent that it ran."""


def calls_of(
    step: Step, agent: str, is_last: bool, needs: Needs
) -> Iterator[EndedCall]:
    """Yield the calls of a step of an agent.

    `is_last` is True if no step comes after it.
    """
    calls = step.tool_calls or []
    for call, back in zip(calls, _results_by_call(step), strict=True):
        facts = found_in(call.extra, CallFacts) or CallFacts()
        id = call.tool_call_id or "" if facts.id is None else facts.id
        places = (at for at, each in enumerate(step.results) if each is back)
        place = next(places, len(step.results))
        if facts.status is not None:
            native = _native(call, facts, _arguments(call, facts, needs))
            kept = _own_result(native, facts, back, needs)
            yield EndedCall(native, facts, id, kept, place, _references(back))
            continue
        for at, (native, result) in enumerate(
            _foreign_calls(call, agent, back, is_last, needs)
        ):
            own = f"{id}.{at}" if at and id else id
            yield EndedCall(native, facts, own, result, place, _references(back))


def lost_results(step: Step) -> int:
    """Return how many results of a step are those of no call of it."""
    backs = _results_by_call(step)
    return sum(not any(each is back for back in backs) for each in step.results)


def _references(back: ObservationResult | None) -> list[str]:
    """Return the ids of the trajectories to which a result refers."""
    found = back.subagent_trajectory_ref if back else None
    references = found if isinstance(found, list) else [found]
    return [each.trajectory_id for each in references if each and each.trajectory_id]


def _arguments(call: Call, facts: CallFacts, needs: Needs) -> dict[str, Any] | None:
    if needs.calls < CallDetail.ARGUMENTS or not facts.has_arguments:
        return None
    value = member_value(call.arguments)
    return value if isinstance(value, dict) else {"input": value}


def _foreign_calls(
    call: Call, agent: str, back: ObservationResult | None, is_last: bool, needs: Needs
) -> Iterator[tuple[NativeCall, CallResult]]:
    """Yield the calls of another writer: one, or one for each file of a patch."""
    if agent == "cursor-cli" and call.function_name.endswith("ToolCall"):
        # Harbor keeps the agent's own objects.
        yield _cursor_call(call, back, needs)
        return
    native = call_of(call.function_name, _arguments(call, CallFacts(), needs))
    result = _foreign_result(native, agent, back, is_last)
    match member_value(call.arguments):
        case {"input": str(patch)} | {"patch": str(patch)} if (
            patch and call.function_name == "apply_patch"
        ):
            for each in calls_of_patch(patch, call.function_name):
                output = each.output if result.outcome == OK else result.output
                new = each.is_new_file
                yield (
                    each.call,
                    msgspec.structs.replace(result, output=output, is_new_file=new),
                )
        case _:
            yield native, result


def _results_by_call(step: Step) -> list[ObservationResult | None]:
    """Return the result of each call of a step: by its id, or else by its place."""
    calls = step.tool_calls or []
    by_id = {back.source_call_id: back for back in step.results if back.source_call_id}
    unnamed = [back for back in step.results if not back.source_call_id]
    if len(unnamed) == len(calls):
        return [*unnamed]
    return [by_id.get(call.tool_call_id or "") for call in calls]


def _native(
    call: Call, facts: CallFacts, arguments: dict[str, Any] | None
) -> NativeCall:
    if facts.kind is None:
        return call_of(call.function_name, arguments)
    name = call.function_name if facts.name is None else facts.name
    kind, name, native = map(repair_surrogates, (facts.kind, name, facts.native))
    return NativeCall(kind, name, native, arguments)


def _own_result(
    call: NativeCall, facts: CallFacts, back: ObservationResult | None, needs: Needs
) -> CallResult:
    """Return how a call ended as runconv kept it."""
    outcome = Outcome(
        facts.status or "ok",
        facts.exit_code,
        facts.error,
        facts.message,
        facts.signal,
    )
    has_output = needs.calls == CallDetail.EVERYTHING
    output = _own_output(call.kind, back) if back and has_output else None
    return CallResult(
        OK if outcome == OK else outcome,
        output,
        facts.arm,
        facts.is_new_file,
        facts.duration_ms,
    )


def _own_output(kind: str, back: ObservationResult) -> Any:
    kept = found_in(back.extra, OutputFacts) or OutputFacts()
    if not kept.has_output:
        return None
    text = text_of(back.content)
    if kept.output is NONE:
        return output_of_text(kind, text)
    output = member_value(kept.output)
    if not kept.text_members or not isinstance(output, dict):
        return output
    return output | dict.fromkeys(kept.text_members, text)


def _foreign_result(
    call: NativeCall, agent: str, back: ObservationResult | None, is_last: bool
) -> CallResult:
    """Return how a call ended, by the result that another writer kept."""
    if back is None:
        # Harbor drops results without a text.
        return CallResult(UNFINISHED if is_last else OK)
    content = member_value(back.content)
    extra = member_value(back.extra)
    match extra:
        case {"tool_result_metadata": {"raw_tool_result": {"content": said}, **rest}}:
            is_error = rest.get("is_error") is True
            return result_of(call, said, is_error, rest.get("tool_use_result"))
    text = text_of_value(content)
    if agent == "codex":
        how = tool_output(text)
        output = how.shell if call.kind == "shell" else None
        if how.outcome == OK and output is None:
            output = output_of_text(call.kind, how.text)
        return CallResult(how.outcome, output, how.arm, duration_ms=how.duration_ms)
    if agent == "claude-code":
        return _harbor_result(call, text, extra)
    match extra:
        case {"exit_code": int(code)} if code:
            return CallResult(
                Outcome("error", exit_code=code), output_of_text(call.kind, text)
            )
    if _error_flag(extra):
        return CallResult(Outcome("error", message=text))
    return CallResult(OK, output_of_text(call.kind, text))


def _harbor_result(call: NativeCall, text: str, extra: Any) -> CallResult:
    """Return how a call of Claude Code ended, without the lines that Harbor adds."""
    flag, code = _error_flag(extra), _EXIT.search(text)
    plain = _ADDED.sub("", text)
    if code and not plain.startswith("Exit code"):
        plain = f"Exit code {code[1]}\n{plain}"
    is_error = bool(code or flag or text.endswith(_FAILED))
    if not is_error and flag is None:
        # The words may be those of a failure.
        outcome = outcome_of_text(call.kind, plain, is_error=True)
        is_error = outcome != Outcome("error", message=plain)
    return result_of(call, plain, is_error)


def _error_flag(extra: Any) -> bool | None:
    """Return the flag in `extra` that says if a call failed; None without any."""
    match extra:
        case (
            {"tool_result_is_error": bool(flag)}
            | {"is_error": bool(flag)}
            | {"tool_result_metadata": {"is_error": bool(flag)}}
        ):
            return flag
    return None


def _cursor_call(
    call: Call, back: ObservationResult | None, needs: Needs
) -> tuple[NativeCall, CallResult]:
    """Return a call and how it ended, by the objects that Cursor wrote."""
    body: dict[str, Any] = {"args": member_value(call.arguments)}
    try:
        # The object of a result is the text of the content.
        result = msgspec.json.decode(text_of(back.content) if back else "null")
    except REFUSED:
        result = None
    if result is not None:
        body["result"] = result
    of_needs = wire(needs)
    coerced = coerce(
        {call.function_name: body},
        dict[str, of_needs.body | Scalar],  # type: ignore[name-defined]
        0,
        ignore,
    )
    frame = read_frame(coerced, of_needs, 0, ignore)
    return (
        NativeCall(frame.kind, frame.name, arguments=frame.arguments),
        CallResult(
            frame.outcome or UNFINISHED,
            frame.output,
            frame.arm,
            frame.is_new_file,
            frame.duration_ms,
        ),
    )
