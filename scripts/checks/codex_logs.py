"""The calls and figures of logs of Codex, counted only from their JSON."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from checks.raw_calls import ABSENT, Call, Counted, Records, between, members, text

# A file that moves is deleted at its old place.
FILES = re.compile(
    r"^\*\*\* (Add|Update|Delete|Move)(?: File| to): (.*)$", re.MULTILINE
)
_EXEC_CALLS = (
    *("command_execution", "mcp_tool_call", "web_search", "todo_list"),
    *("collab_tool_call", "file_change"),
)
_ITEMS = ("local_shell_call", "web_search_call", "tool_search_call")
_AT_ONCE = ("web_search_call", "image_generation_call", "web_search_end")
_ENDS = (
    *("exec_command_end", "mcp_tool_call_end", "patch_apply_end", "web_search_end"),
    *("CommandExecution", "McpToolCall", "FileChange"),
)
_REFUSED = re.compile(
    r"(?:Script error:\s*)?(?:(?:exec command |patch |command )?rejected by"
    r" (?:user|policy|configuration)|approval policy is [^;]*; reject"
    r"|`[^`]*` rejected: |This action was rejected"
    r"|user (?:rejected|cancelled) MCP tool call"
    r"|(?:exec_command|write_stdin) failed.*Rejected\()"
    r"|aborted(?: by user)?(?: after [\d.]+s)?\s*\Z"
)
_FAILED = re.compile(
    r"failed in sandbox|execution error|apply_patch verification failed"
    r"|(?:exec_command|write_stdin) failed|failed to parse (?:function|exec_command)"
    r"|unsupported (?:custom tool )?call|tool call error|unable to locate image"
    r"|Script (?:failed|terminated)"
)
# The line before the output of a tool.
_HEAD = re.compile(
    r"(?:(?:Exit code:|Process exited with code|Wall time|Process running|Chunk ID:"
    r"|Script completed|Script running|Original token|Total output|Final output:"
    r"|Output:).*(?:\n|\Z))+"
)
_CODE = re.compile(r"(?:Exit code:|Process exited with code) (-?\d+)")


def count_exec(records: Records) -> Counted:
    """Count the contents of a log of `codex exec --json`."""
    held = Counted("Codex")
    known: dict[Any, list[Call]] = {}
    process = 0
    used: dict[int, Records] = {}
    for record in records:
        process += record.get("type") == "thread.started"
        if isinstance(record.get("usage"), dict):
            used.setdefault(process, []).append(record["usage"])
        item = record.get("item")
        if not isinstance(item, dict):
            continue
        kind = item.get("type", item.get("item_type"))
        if kind not in _EXEC_CALLS:
            continue
        # A model that is called through a proxy may number each of its calls 0.
        given = item.get("command"), item.get("changes")
        key = process, item.get("id"), str(given)
        changes = item.get("changes") or [{}]
        if key not in known:
            known[key] = [Call() for _ in changes]
            held.calls += known[key]
        if record.get("type") == "item.completed" or kind == "todo_list":
            for call, change in zip(known[key], changes, strict=True):
                _close_item(call, item, members(change))
    for usages in used.values():
        _use_all(held, usages)
    return held


def _close_item(call: Call, item: dict[str, Any], change: dict[str, Any]) -> None:
    """End a call as its item says."""
    code, status = item.get("exit_code"), item.get("status")
    code = int(code) if str(code).lstrip("-").isdigit() else None
    said = text(item.get("aggregated_output"))
    error = item.get("error")
    why = text(error) or text(members(error).get("message"))
    call.command = plain_command(item.get("command"))
    call.printed, call.exit_code = said, code
    if status == "declined":
        call.status = "rejected"
    elif code or status == "failed" or error is not None:
        is_unrun = code in (None, -1)
        is_refused = _REFUSED.match(why or (said.strip() if is_unrun else ""))
        call.status = "rejected" if is_refused else "error"
    else:
        call.status = "ok"
    if path := text(change.get("path")):
        kind = change.get("kind")
        call.changes = [
            (
                path,
                ABSENT if kind == "add" else None,
                ABSENT if kind == "delete" else None,
            )
        ]


def count_rollout(records: Records) -> Counted:
    """Count items, and the events of calls that no item makes, once each."""
    held = Counted("Codex")
    known: set[Any] = set()
    # The calls by their ids, and how many of them have ended.
    by_id: dict[Any, list[Call]] = {}
    alone: set[Any] = set()
    used: Records = []
    for record in records:
        payload = members(record.get("payload"))
        held.directory = held.directory or text(payload.get("cwd"))
        made = payload.get("item", payload)
        if not isinstance(made, dict):
            continue
        if payload.get("type") == "token_count":
            used.append(members(members(payload.get("info")).get("total_token_usage")))
        elif payload.get("type") in ("task_complete", "turn_complete"):
            held.last(payload.get("duration_ms"))
        kind = str(made.get("type"))
        id = made.get("call_id") or made.get("id")
        if kind.endswith("_output") and kind != "agent_output":
            for call in by_id.get(id, ()):
                close(call, made.get("output"))
            continue
        if not _makes_calls(made):
            continue
        if kind in _ENDS and id in by_id and id not in alone:
            for call in by_id[id]:
                _correct(call, made)
            continue
        # A search has no id in its item, and another one in its event.
        key = str(made["action"]) if "action" in made else id
        # Calls with one id differ in their arguments, which no event repeats.
        given = made.get("arguments", made.get("input"))
        if key and (key if given is None else (key, str(given))) in known:
            continue
        known |= {key, (key, str(given))}
        calls = _calls(made)
        held.calls += calls
        by_id[id] = [call for call in by_id.get(id, ()) if call.status == "unfinished"]
        by_id[id] += calls
        if kind in _ENDS:
            alone.add(id)
            for call in calls:
                call.status = "ok"
                _correct(call, made)
        elif kind in _AT_ONCE:
            for call in calls:
                call.status = "ok"
    _use_all(held, used)
    kinds = {members(record.get("payload")).get("type") for record in records}
    if held.tokens and not kinds & {
        "task_started",
        "turn_started",
        "task_complete",
        "turn_complete",
    }:
        held.last(between([record.get("timestamp") for record in records]))
    return held


def _makes_calls(made: dict[str, Any]) -> bool:
    kind = str(made.get("type"))
    is_item = kind in ("function_call", "custom_tool_call", *_ITEMS)
    return is_item or kind in _ENDS


def _calls(made: dict[str, Any]) -> list[Call]:
    """Return the calls of an item or of an event: one, or one for each file."""
    # A script may hold a patch as well.
    if calls := patching("" if made.get("name") == "exec" else str(made)):
        return calls
    changes = made.get("changes")
    if isinstance(changes, dict) and changes:
        return [_changing(path, members(change)) for path, change in changes.items()]
    call = Call()
    arguments = made.get("arguments")
    try:
        found = members(json.loads(arguments)) if isinstance(arguments, str) else {}
    except ValueError:
        found = {}
    found = found or members(made.get("action")) or made
    is_command = made.get("name") in (
        *("shell", "container.exec", "shell_command", "exec_command"),
        None,
    )
    if is_command:
        call.command = plain_command(found.get("command", found.get("cmd")))
    return [call]


def patching(given: str) -> list[Call]:
    """Return a call for each file of a patch, which JSON or Python may have quoted."""
    given = given.replace("\\\\n", "\n").replace("\\n", "\n")
    files = [*FILES.finditer(given)]
    calls = []
    for found, after in zip(files, [*files, None][1:], strict=True):
        is_moved = after is not None and after[1] == "Move"
        old = ABSENT if found[1] in ("Add", "Move") else None
        new = ABSENT if found[1] == "Delete" or is_moved else None
        path = found[2].strip().rstrip("\"'}\\ ")
        calls.append(Call(changes=[(path, old, new)]))
    return calls


def _changing(path: str, change: dict[str, Any]) -> Call:
    kind = change.get("type") or next(iter(change), "")
    return Call(
        changes=[
            (
                path,
                ABSENT if kind == "add" else None,
                ABSENT if kind == "delete" else None,
            )
        ]
    )


def close(call: Call, output: Any) -> None:
    """End a call as the output says that the model got."""
    if call.status != "unfinished":
        return
    said = output if isinstance(output, str) else text(output)
    code = None
    found = members(output)
    if said.startswith('{"'):
        try:
            found = members(json.loads(said))
        except ValueError:
            found = {}
    if "metadata" in found:
        said, code = (
            text(found.get("output")),
            members(found["metadata"]).get("exit_code"),
        )
    elif "content" in found:
        said = text(found["content"])
        if found.get("success") is False:
            call.status = "rejected" if _REFUSED.match(said.strip()) else "error"
            return
    head = _HEAD.match(said)
    if head and (match := _CODE.search(head[0])):
        code = int(match[1])
    call.printed = said[head.end() :] if head else said
    call.exit_code, call.has_output = code, True
    if code is not None:
        call.status = "error" if code else "ok"
    elif _REFUSED.match(call.printed.strip()):
        call.status = "rejected"
    else:
        call.status = "error" if _FAILED.match(call.printed) else "ok"


def _correct(call: Call, event: dict[str, Any]) -> None:
    """Note how a call ended, as the event next to its output says."""
    if call.status == "rejected":
        return
    said = next(
        (
            text(event[it])
            for it in ("stderr", "stdout", "aggregated_output")
            if text(event.get(it))
        ),
        "",
    )
    code, result = event.get("exit_code"), members(event.get("result"))
    inner = members(result.get("Ok"))
    is_bad = inner.get("is_error") or inner.get("isError")
    if event.get("status") == "declined":
        call.status = "rejected"
    elif event.get("success") is False or isinstance(result.get("Err"), str):
        why = text(result.get("Err")) or said
        call.status = "rejected" if _REFUSED.match(why.strip()) else "error"
    elif is_bad or event.get("error") or (isinstance(code, int) and code):
        call.status, call.exit_code = "error", code
    if isinstance(event.get("stderr"), str) and isinstance(event.get("stdout"), str):
        call.errors = event["stderr"]
        call.printed = event["stdout"] + event["stderr"] or call.printed


def plain_command(command: Any) -> str:
    """Return a command without the shell that Codex wraps it in."""
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError:
        words = None
    if isinstance(words, list) and len(words) == 3 and words[1] in ("-lc", "-c"):
        return text(words[2])
    if isinstance(command, list):
        return shlex.join(map(str, command))
    return text(command)


def _use_all(held: Counted, usages: Records) -> None:
    """Add the tokens of a thread, whose sum begins again when it is resumed."""
    last: dict[str, Any] = {}
    ends: Records = []
    for usage in filter(None, usages):
        for name in ("input_tokens", "output_tokens"):
            if (usage.get(name) or 0) < (last.get(name) or 0):
                ends.append(last)
                break
        last = usage
    for usage in filter(None, [*ends, last]):
        read = usage.get("cached_input_tokens")
        written = usage.get("cache_write_input_tokens")
        given = usage.get("input_tokens")
        if given is not None:
            given = max(given - (read or 0) - (written or 0), 0)
        held.use(
            input=given, output=usage.get("output_tokens"), read=read, written=written
        )
