"""The calls and figures of logs of other agents, counted from their JSON alone.

As in `raw_log`, nothing here comes from the package. Each agent has a function that
takes the objects of a log in their order and returns what they hold: those of opencode
and ATIF are here, those of Claude Code and Codex in `claude_logs` and `codex_logs`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from checks import claude_logs, codex_logs, cursor_calls
from checks.raw_calls import (
    ABSENT,
    Call,
    Counted,
    Records,
    between,
    members,
    objects,
    text,
)

_REFUSED = (
    "The user rejected permission",
    "The user has specified a rule which prevents you",
    "The user dismissed this question",
)
_EDITING = (
    "delete",
    "edit",
    "write",
    "multiedit",
    "patch",
    "Edit",
    "Write",
    "MultiEdit",
)
_PATHS = ("filePath", "file_path", "path")
_STOPPED = re.compile(r"<(?:bash|shell)_metadata>\n")


def read(log: bytes) -> Counted | None:
    """Count the contents of a log of another agent; return None for any other log."""
    records = list(objects(log))
    for is_one, count in _AGENTS:
        if any(map(is_one, records)):
            return count(records)
    return None


def _opencode(records: Records) -> Counted:
    held = Counted("opencode")
    known: dict[Any, list[Call]] = {}
    finished: set[Any] = set()
    runs: dict[Any, Records] = {}
    steps: dict[Any, Records] = {}
    number = 0
    for record in records:
        run = record.get("sessionID"), number
        runs.setdefault(run, []).append(record)
        number += record.get("type") == "done"
        part = members(record.get("part"))
        # A part comes again when its output is pruned.
        key = (record.get("sessionID"), part["id"]) if part.get("id") else len(known)
        if record.get("type") == "step_finish" and key not in finished:
            finished |= {key} if part.get("id") else set()
            steps.setdefault(run, []).append(part)
        if record.get("type") != "tool_use":
            continue
        state = members(part.get("state"))
        if key not in known:
            known[key] = _opencode_calls(part, state)
            held.calls += known[key]
        for call in known[key]:
            _close_opencode(call, state)
    for run, of_run in runs.items():
        for part in steps.get(run, ()):
            _finish_step(held, part)
        # Only the end says how long a run took, and one that breaks off has none.
        if _is_over(of_run):
            held.last(between([record.get("timestamp") for record in of_run]))
    return held


def _is_over(run: Records) -> bool:
    """Return True if a run reached its end."""
    reasons = [members(record.get("part")).get("reason") for record in run]
    kinds = {record.get("type") for record in run}
    last = [*filter(None, reasons)][-1:]
    return bool(kinds & {"error", "done"}) or last not in ([], ["tool-calls"])


def _finish_step(held: Counted, part: dict[str, Any]) -> None:
    """Add the tokens and the cost of a response."""
    held.pay(part.get("cost"))
    tokens = part.get("tokens")
    if not isinstance(tokens, dict):
        return
    cache = members(tokens.get("cache"))
    output, reasoning = tokens.get("output"), tokens.get("reasoning") or 0
    given = (tokens.get("input"), output, cache.get("read"), cache.get("write"))
    if output is not None and reasoning:
        # Some builds count the reasoning among the output, others apart.
        rest = (tokens.get("total") or 0) - sum(number or 0 for number in given)
        is_apart = rest == reasoning if "total" in tokens else reasoning > output
        output += reasoning * is_apart
    held.use(
        input=tokens.get("input"),
        output=output,
        read=cache.get("read"),
        written=cache.get("write"),
    )


def _opencode_calls(part: dict[str, Any], state: dict[str, Any]) -> list[Call]:
    given = members(state.get("input"))
    if calls := codex_logs.patching(text(given.get("patchText"))):
        files = members(state.get("metadata")).get("files") or []
        for call, file in zip(calls, files, strict=False):
            [(path, old, new)] = call.changes
            call.changes = [(text(file.get("filePath")) or path, old, new)]
        return calls
    call = Call()
    path = next((text(given[it]) for it in _PATHS if text(given.get(it))), "")
    if part.get("tool") in ("bash", "shell"):
        call.command = text(given.get("command"))
    elif part.get("tool") in _EDITING and path:
        call.changes = [(path, None, None)]
    return [call]


def _close_opencode(call: Call, state: dict[str, Any]) -> None:
    if call.status != "unfinished" or state.get("status") not in ("completed", "error"):
        return
    said, code = text(state.get("output")), members(state.get("metadata")).get("exit")
    call.printed, call.exit_code = said, code if isinstance(code, int) else None
    error = state.get("error")
    if state["status"] == "error":
        message = text(error) or text(members(error).get("message"))
        call.status = "rejected" if message.startswith(_REFUSED) else "error"
    elif code or (code is None and _STOPPED.search(said)):
        call.status = "error"
    else:
        call.status = "ok"


def _atif(records: Records) -> Counted:
    held = Counted("ATIF")
    for number, record in enumerate(records):
        before = len(held.calls)
        _add_trajectory(held, record)
        own = len(held.calls)
        _add_inner(held, record)
        held.steps += len(held.calls) - own
        for call in held.calls[before:]:
            call.run = number
    return held


def _add_inner(held: Counted, trajectory: dict[str, Any]) -> None:
    """Add the calls of subagents, and of those that they ran."""
    for inner in trajectory.get("subagent_trajectories") or ():
        _add_steps(held, inner)
        _add_inner(held, inner)


def _add_trajectory(held: Counted, record: dict[str, Any]) -> None:
    """Add the calls and the figures of a document."""
    ours = members(members(record.get("extra")).get("runconv"))
    result = members(ours.get("result"))
    held.directory = held.directory or text(ours.get("directory"))
    _add_steps(held, record)
    final = members(record.get("final_metrics"))
    steps = [it for it in record.get("steps") or () if not it.get("is_copied_context")]
    metrics = [members(step.get("metrics")) for step in steps]
    span = between([step.get("timestamp") for step in steps]) if not ours else None
    held.last(result.get("duration_ms") if ours else span)
    for usage, prefix in ((final, "total_"), *((each, "") for each in metrics)):
        prompt, cached = (
            usage.get(f"{prefix}{it}_tokens") for it in ("prompt", "cached")
        )
        if prompt is None and usage.get(f"{prefix}completion_tokens") is None:
            continue
        kept = members(result.get("tokens"))
        made = members(usage.get("extra")).get("total_cache_creation_input_tokens")
        made = kept.get("cache_write", made)
        given = None if prompt is None else max(prompt - (cached or 0) - (made or 0), 0)
        held.use(
            input=kept.get("input", given) if kept else given,
            output=usage.get(f"{prefix}completion_tokens"),
            read=cached,
            written=made,
        )
        if prefix:
            break
    costs = [it.get("cost_usd") for it in metrics]
    total = final.get("total_cost_usd")
    for cost in costs if total is None else [total]:
        held.pay(cost)


def _add_steps(held: Counted, trajectory: dict[str, Any]) -> None:
    steps = [
        it for it in trajectory.get("steps") or () if not it.get("is_copied_context")
    ]
    agent = text(members(trajectory.get("agent")).get("name"))
    for step in steps:
        results = members(step.get("observation")).get("results") or []
        calls = step.get("tool_calls") or []
        for place, call in enumerate(calls):
            found = [
                it
                for it in results
                if it.get("source_call_id") == call.get("tool_call_id")
            ]
            unnamed = [it for it in results if not it.get("source_call_id")]
            if not found and len(unnamed) == len(calls):
                found = [unnamed[place]]
            back = found[0] if found else None
            held.calls += _atif_calls(call, back, agent, step is steps[-1])


def _atif_calls(
    made: dict[str, Any], back: dict[str, Any] | None, agent: str, is_last: bool
) -> list[Call]:
    """Return the calls of one: a patch is a call for each file."""
    given = members(made.get("arguments"))
    extra = members(made.get("extra"))
    said = text(members(back).get("content"))
    patch = text(given.get("input")) or text(given.get("patch"))
    is_patch = made.get("function_name") == "apply_patch" and "status" not in extra
    calls = codex_logs.patching(patch) if is_patch else []
    path = next((text(given[it]) for it in _PATHS if text(given.get(it))), "")
    name = text(extra.get("kind")) or text(made.get("function_name"))
    for call in calls or [Call()]:
        if name in _EDITING and path:
            old, new = _kept_contents(members(back), said)
            old = ABSENT if extra.get("is_new_file") else old
            call.changes = [(path, old, ABSENT if name == "delete" else new)]
        if name == "applyAgentDiff":
            kept = members(members(members(back).get("extra")).get("output"))
            call.changes = [*cursor_calls.changes_in(kept)]
        if isinstance(given.get("command"), str):
            call.command = given["command"]
        if "status" in extra:
            kept = members(members(members(back).get("extra")).get("output"))
            call.printed, call.errors = said, kept.get("stderr")
            call.has_output = back is not None
            call.status, call.exit_code = extra["status"], extra.get("exit_code")
        elif back is None:
            call.status = "unfinished" if is_last else "ok"
        else:
            _close_atif(call, made, said, back, agent)
        calls = calls or [call]
    return calls


def _kept_contents(back: dict[str, Any], said: str) -> tuple[Any, Any]:
    """Return the contents of a file before and after, as runconv keeps them."""
    kept = members(back.get("extra"))
    output = members(kept.get("output"))
    names = ("beforeFullFileContent", "afterFullFileContent")
    same = kept.get("text_members") or ()
    old, new = (said if name in same else output.get(name) for name in names)
    return old, new


def _close_atif(
    call: Call, made: dict[str, Any], said: str, back: dict[str, Any], agent: str
) -> None:
    """End a call by the words of its agent, or by those that Harbor keeps."""
    extra = members(back.get("extra"))
    kept = members(extra.get("tool_result_metadata"))
    known = {**extra, **kept, **members(kept.get("raw_tool_result"))}
    is_error = known.get("is_error") or known.get("tool_result_is_error")
    tail = "[error] tool reported failure"
    if agent == "codex":
        codex_logs.close(call, said)
    elif agent == "cursor-cli" and said.startswith("{"):
        tool = text(made.get("function_name"))
        body = {"args": made.get("arguments"), "result": json.loads(said)}
        ended = cursor_calls.as_ended({tool: body})
        call.status, call.exit_code = ended.status, ended.exit_code
        call.changes = ended.changes
    else:
        is_error = is_error or known.get("exit_code") or said.endswith(tail)
        block = {"is_error": bool(is_error)}
        claude_logs.close(call, said.removesuffix(tail), block, None)


def _is_atif(record: dict[str, Any]) -> bool:
    return str(record.get("schema_version", "")).startswith("ATIF-")


def _is_rollout(record: dict[str, Any]) -> bool:
    kinds = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
    return "payload" in record and record.get("type") in kinds


def _is_exec(record: dict[str, Any]) -> bool:
    kind = str(record.get("type"))
    return kind == "thread.started" or (kind.startswith("item.") and "item" in record)


def _is_opencode(record: dict[str, Any]) -> bool:
    return "sessionID" in record and ("part" in record or "error" in record)


def _is_session(record: dict[str, Any]) -> bool:
    return "sessionId" in record and "message" in record and "uuid" in record


def _is_stream(record: dict[str, Any]) -> bool:
    is_result = record.get("type") == "result" and "num_turns" in record
    return (
        is_result
        or "parent_tool_use_id" in record
        or "claude_code_version" in record
        or "qwen_code_version" in record
        or str(record.get("session_id", "")).startswith("T-")
    )


_AGENTS: tuple[
    tuple[Callable[[dict[str, Any]], bool], Callable[[Records], Counted]], ...
] = (
    (_is_atif, _atif),
    (_is_rollout, codex_logs.count_rollout),
    (_is_exec, codex_logs.count_exec),
    (_is_opencode, _opencode),
    (_is_session, claude_logs.count_session),
    (_is_stream, claude_logs.count_stream),
)
