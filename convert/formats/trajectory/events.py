"""The events that an approved run stands for, in the order in which it is laid out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from convert.facts.run_reasons import name_reason
from convert.formats.trajectory.parsing import Lines, Parsed
from convert.model.approved import ApprovedCall, ApprovedRun
from convert.model.events import (
    Approved,
    End,
    EndOfLog,
    Event,
    Prompt,
    Result,
    Segment,
    Start,
    ToolCall,
)
from convert.model.needs import CallDetail, Needs
from convert.tools.every_tool import end_a_run
from convert.tools.names import kind_in
from convert.tools.outcomes import outcome_called


def events_of(parsed: Parsed, needs: Needs) -> Iterator[Event]:
    """Yield the events of all runs."""
    document, lines, last_line = parsed
    ends = [each.run - 1 for each in lines[1:]] + [last_line]
    for number, run in enumerate(document.runs, 1):
        of_run, last = lines[number - 1], ends[number - 1]
        yield Start(
            run=number,
            line=of_run.run,
            agent=run.agent,
            level=run.level,
            has_outputs=False,
        )
        if needs.approved:
            yield Approved(
                run=number,
                line=of_run.run,
                approved=run,
                settings=document.settings,
                call_lines=of_run.calls,
                file_lines=of_run.files,
            )
        yield from _events_of_run(number, run, of_run, last, needs)
        end = End(run=number, line=last, state=run.state, reason=run.reason)
        end.reason_kind = run.reason_kind or name_reason(end).reason_kind
        tools = {kind_in(call.tool) for call in run.calls}
        is_all_told = run.state is None and bool(run.narration)
        has_text = bool(run.narration or run.answer)
        end.ends_in_call = (run.answer is None and is_all_told) or (
            not has_text and end_a_run(tools, run.state)
        )
        yield end
    yield EndOfLog(run=0, line=last_line)


def _events_of_run(
    number: int, run: ApprovedRun, lines: Lines, last: int, needs: Needs
) -> Iterator[Event]:
    if run.prompt is not None:
        yield Prompt(run=number, line=lines.run, text=_text(run.prompt))
    call_lines = iter(lines.calls)
    for place, call in enumerate(run.calls, 1):
        event = _call(number, place, call, call_lines)
        if needs.calls == CallDetail.EVERYTHING:
            # Without a start, calls would be at once that were not.
            yield ToolCall(
                run=number,
                line=event.line,
                number=place,
                id="",
                kind=event.kind,
                name=event.name,
                arguments=event.arguments,
                started_line=event.line,
            )
        yield event
    for lines_of_text in (run.narration, run.answer):
        if lines_of_text:
            yield Segment(run=number, line=last, text=_text(lines_of_text))
    if run.state in ("success", "error") and run.level != "text":
        whole = _text(run.narration) + _text(run.answer or [])
        text = _text(run.text) if run.text is not None else whole
        is_recorded = run.text is not None or run.answer is not None
        yield Result(
            run=number,
            line=last,
            text=text if is_recorded else None,
            is_error=run.state == "error",
        )


def _call(run: int, number: int, call: ApprovedCall, lines: Iterator[int]) -> ToolCall:
    line = next(lines)
    kind = call.kind or kind_in(call.tool)
    inside = zip(itertools.count(1), call.calls)
    return ToolCall(
        run=run,
        line=line,
        number=number,
        id="",
        kind=kind,
        name=call.tool.removeprefix(f"{kind}:") if call.tool != kind else "",
        arguments=call.arguments or None,
        outcome=outcome_called(call.outcome, call.message),
        steps=[_call(0, at, each, lines) for at, each in inside] or None,
        is_new_file=call.new,
        started_line=line,
        about=call.about,
    )


def _text(lines: list[str]) -> str:
    return "\n".join(lines)
