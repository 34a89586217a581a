"""The calls, texts and figures of Claude Code's logs, counted only from their JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from checks.raw_calls import (
    ABSENT,
    Call,
    Counted,
    Records,
    between,
    decimal,
    members,
    text,
    whole,
)

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_COMMANDS = ("Bash", "PowerShell", "run_shell_command")
_EDITING = (
    *("Edit", "MultiEdit", "NotebookEdit", "Write", "Delete", "edit", "replace"),
    *("write_file", "create_file", "edit_file"),
)
_PATHS = ("file_path", "notebook_path", "path", "filePath", "absolute_path")
_REFUSED = re.compile(
    r"(?:Error: )?(?:The user doesn't want to (?:proceed|take this action)"
    r"|This command requires approval|This (?:Bash|PowerShell) command contains"
    r"|PreToolUse:\S+ hook|Command (?:contains|invokes|spawns)\b"
    r"|Contains simple_expansion|Claude requested permissions"
    r"|Permission (?:to use|for) .*(?:has been|was) denied"
    r"|\[Request interrupted by user)",
    re.DOTALL,
)
_EXIT = re.compile(r"(?:Error: )?Exit code (\d+)(?:\r?\n|$)")


def count_stream(records: Records) -> Counted:
    """Count the contents of a log of `--output-format stream-json`."""
    held = Counted("Claude Code", has_calls=False)
    known: dict[Any, Call] = {}
    # By session, since those of two processes may take turns.
    runs: Counter[Any] = Counter()
    texts: dict[Any, str] = {}
    messages: dict[Any, Any] = {}
    paid: dict[Any, Any] = {}
    under_way: set[Any] = set()
    seen: set[Any] = set()
    for record in records:
        session = record.get("session_id")
        held.has_calls = held.has_calls or record.get("type") != "result"
        if record.get("type") in ("assistant", "user", "result"):
            line = record.get("uuid"), str(record.get("message"))
            if line in seen:
                continue
            seen |= {line} if line[0] else set()
        held.directory = held.directory or text(record.get("cwd"))
        if record.get("subtype") == "init" and session in under_way:
            # The run before it has no result.
            under_way.discard(session)
            runs[session] += 1
        run = session, runs[session]
        open_calls = {key[2]: call for key, call in known.items() if key[:2] == run}
        if record.get("type") == "result":
            _end(held, record, open_calls)
            _pay(held, record, paid)
            under_way.discard(session)
            runs[session] += 1
            said = texts.pop(session, "")
            if isinstance(record.get("result"), str) and not record.get("is_error"):
                held.results.append(record["result"])
                held.texts.append(said)
        # The results of the model's own host are in its messages.
        _return(record, record.get("tool_use_result"), open_calls)
        if record.get("type") != "assistant":
            continue
        under_way.add(session)
        is_inner = bool(record.get("parent_tool_use_id"))
        id = members(record.get("message")).get("id")
        if not is_inner and id != messages.get(session):
            messages[session] = id
            texts[session] = ""
        for block in _blocks(record):
            if block.get("type") in _CALLS:
                key = *run, block.get("id"), str(block.get("input"))
                if key not in known:
                    known[key] = _made(block)
                    known[key].run = run
                    held.calls.append(known[key])
                    open_calls[block.get("id")] = known[key]
                if not is_inner:
                    texts[session] = ""
            elif block.get("type") == "text" and not is_inner:
                texts[session] = texts.get(session, "") + block.get("text", "")
    return held


def count_session(records: Records) -> Counted:
    """Count the contents of a session file."""
    held = Counted("Claude Code")
    seen: set[Any] = set()
    known: dict[Any, Call] = {}
    used: dict[Any, dict[str, Any]] = {}
    lines = [record for record in records if "message" in record]
    for record in lines:
        if record.get("uuid") in seen:
            continue
        seen.add(record.get("uuid"))
        held.directory = held.directory or text(record.get("cwd"))
        if record.get("type") == "user":
            open_calls = {key[0]: call for key, call in known.items()}
            _return(record, record.get("toolUseResult"), open_calls)
        if record.get("type") != "assistant":
            continue
        message = members(record.get("message"))
        if isinstance(message.get("usage"), dict):
            used[message.get("id")] = message["usage"]
        for block in _blocks(record):
            if block.get("type") in _CALLS:
                key = block.get("id"), str(block.get("input"))
                if key not in known:
                    known[key] = _made(block)
                    held.calls.append(known[key])
    for usage in used.values():
        _use(held, usage)
    if used:
        held.last(between([record.get("timestamp") for record in lines]))
    return held


def _blocks(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = members(record.get("message")).get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            yield block


def _made(block: dict[str, Any]) -> Call:
    """Return the call of a block."""
    given = members(block.get("input"))
    name = text(block.get("name"))
    path = next((text(given[it]) for it in _PATHS if text(given.get(it))), "")
    call = Call()
    if name in _COMMANDS:
        call.command = text(given.get("command"))
    elif name in _EDITING and path:
        new = ABSENT if name == "Delete" else given.get("content")
        call.changes = [(path, None, new)]
    return call


def _return(record: dict[str, Any], details: Any, calls: dict[Any, Call]) -> None:
    """End the calls whose results a line has."""
    for block in _blocks(record):
        call = calls.get(block.get("tool_use_id"))
        is_end = str(block.get("type")).endswith("tool_result")
        if is_end and call is not None and call.status == "unfinished":
            close(call, text(block.get("content")), block, details)


def close(call: Call, said: str, block: dict[str, Any], details: Any) -> None:
    """End a call by the text of its result, and the object of its tool if any."""
    found = members(details)
    call.status = "error" if block.get("is_error") else "ok"
    call.printed, call.has_output = said, True
    if block.get("is_error"):
        code = _EXIT.match(said)
        if call.command and code and int(code[1]):
            call.exit_code = int(code[1])
            call.printed = said[code.end() :]
        elif _REFUSED.match(said) and "<tool_use_error>" not in said:
            call.status = "rejected"
        return
    if "stdout" in found:
        call.printed = text(found["stdout"]) + text(found.get("stderr"))
        call.errors = text(found.get("stderr"))
    is_bad_end = bool(found.get("exitCode")) or found.get("status") == "failed"
    if (call.command and found.get("interrupted") is True) or (
        "shellId" in found and is_bad_end
    ):
        call.status = "error"
    call.changes = [_with_contents(change, said, found) for change in call.changes]


def _with_contents(
    change: tuple[str, Any, Any], said: str, details: dict[str, Any]
) -> tuple[str, Any, Any]:
    """Return a change with the contents that the object of its tool has."""
    path, old, new = change
    if new is ABSENT:
        return change
    was = details.get("originalFile", details.get("originalFileContents"))
    if isinstance(was, str):
        old = was
    if details.get("type") == "create" or said.startswith("File created successfully"):
        old = ABSENT
    edit = details.get("oldString"), details.get("newString")
    if isinstance(was, str) and all(isinstance(part, str) for part in edit):
        new = was.replace(*edit, -1 if details.get("replaceAll") else 1)
    return path, old, new


def _end(held: Counted, record: dict[str, Any], calls: dict[Any, Call]) -> None:
    """Add the facts of the line at the end of a run."""
    for denial in record.get("permission_denials") or ():
        call = calls.get(members(denial).get("tool_use_id"))
        if call is not None:
            call.status = "rejected"
    held.last(record.get("duration_ms"))
    if isinstance(record.get("usage"), dict):
        _use(held, record["usage"])


def _use(held: Counted, usage: dict[str, Any]) -> None:
    given, read = usage.get("input_tokens"), usage.get("cache_read_input_tokens")
    # Qwen Code counts reads from the cache among the input.
    if "total_tokens" in usage and given is not None and read is not None:
        given = max((whole(given) or 0) - (whole(read) or 0), 0)
    held.use(
        input=given,
        output=usage.get("output_tokens"),
        read=read,
        written=usage.get("cache_creation_input_tokens"),
    )


def _pay(held: Counted, record: dict[str, Any], paid: dict[Any, Any]) -> None:
    """Add the cost of a run; the log has that of all runs of its process.

    A process begins again where the cost of a model, or of all, is less than before.
    """
    usage = members(record.get("modelUsage"))
    costs = {
        name: decimal(members(used).get("costUSD")) for name, used in usage.items()
    }
    models = {name: cost for name, cost in costs.items() if cost is not None}
    total = decimal(record.get("total_cost_usd"))
    total = sum(models.values()) if total is None and models else total
    if total is None:
        return
    before, of_models = paid.get(record.get("session_id"), (Decimal(0), {}))
    is_new = total < before or any(
        models.get(name, -1) < cost for name, cost in of_models.items() if models
    )
    held.pay(total if is_new else total - before)
    paid[record.get("session_id")] = total, models
