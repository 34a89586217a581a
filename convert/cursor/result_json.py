"""json: the `result` object of a run, as `--output-format json` prints it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from convert.cursor import stream_json
from convert.cursor.wire import usage_of
from convert.errors import NoResultError, Warn
from convert.model.events import CallDetail, Event, Needs, Start
from convert.model.json_lines import json_bytes, json_line
from convert.model.run import Run, collect, json_number
from convert.options.conversion import Options, Reading
from convert.source.lines import REFUSED
from convert.source.ndjson import members_of

_NULL = msgspec.Raw(b"null")
_NO_TEXT = rb"\s*:\s*null"


def read(
    blocks: Iterable[bytes], needs: Needs, reading: Reading, warn: Warn
) -> Iterator[Event]:
    """Read `result` objects: one is the summary of a run, several are of several.

    They are the `result` events of stream-json, so its reader reads them.
    """
    if needs.raw or needs.calls == CallDetail.EVERYTHING:
        warn(None, "a json summary records no prompt, tool calls or times", "")
    elif needs.calls:
        warn(None, "a json summary records no tool calls", "-t answer shows the answer")
    needs = Needs(
        raw=needs.raw, result=needs.result, text=needs.text, figures=needs.figures
    )
    for event in stream_json.read(blocks, needs, reading, warn):
        if isinstance(event, Start):
            event.level = "result"
        yield event


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the result of each run as recorded; raises NoResultError if a run has none.

    A result without text gets the text that the run's segments make.
    """
    count = 0
    missing = []
    for run in collect(events):
        count += 1
        if run.result is not None and run.result.raw:
            yield _with_text(run.result.raw, run.text) + b"\n"
        elif run.has_result or run.state == "success":
            yield json_line(_object_of(run))
        elif run.state is None and run.text is not None:
            # A format that records no state has no result to miss.
            yield json_line({"type": "result", "result": run.text})
        elif options.partial:
            yield json_line(_object_of(run))
        else:
            missing.append(run)
    if missing:
        raise NoResultError(_where_missing(missing, count))


def _with_text(recorded: bytes, text: str | None) -> bytes:
    """Return a result event as recorded; a missing or null text is filled in."""
    if text is None:
        return recorded
    members: dict[str, Any]
    try:
        members = msgspec.json.decode(recorded, type=dict[str, msgspec.Raw])
    except REFUSED:
        # Hardly any log needs it.
        if members_of(recorded).get("result") is not None:
            return recorded
        return _with_result_member(recorded, json_bytes(text))
    if members.get("result") not in (None, _NULL):
        return recorded
    return json_bytes({**members, "result": text})


def _with_result_member(recorded: bytes, text: bytes) -> bytes:
    """Return an object that msgspec refuses with a text as its result.

    Half an emoji in another member, or values nested too deeply, stay as they are. An
    object inside may have such a member as well.
    """
    from convert.source.nesting import BRACKET_BYTES

    depth = 0
    for token in BRACKET_BYTES.finditer(recorded):
        if token[0] in b"{[":
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
        elif depth == 1 and token[0] == b'"result"':
            null = re.compile(_NO_TEXT).match(recorded, token.end())
            if null is not None:
                return recorded[: null.end() - 4] + text + recorded[null.end() :]
    return recorded.rstrip()[:-1] + b',"result":' + text + b"}"


def _object_of(run: Run) -> dict[str, Any]:
    """Return the object of a run whose log has none: the run may lack a result."""
    result = run.result
    members: dict[str, Any] = {"type": "result"}
    if result is None and run.state == "success":
        # The status with which an agent of text exited says so.
        members |= {"subtype": "success", "is_error": False}
    elif result is None or not run.has_result:
        members |= {"subtype": "incomplete", "is_error": True}
    else:
        # Some formats record figures, and not how a run ended.
        is_known = run.state is not None
        members |= {
            "subtype": ("error" if result.is_error else "success")
            if is_known
            else None,
            "duration_ms": result.duration_ms,
            "is_error": result.is_error if is_known else None,
        }
    members |= {
        "result": run.text or "",
        "error": None if run.has_result else run.reason or None,
        "session_id": run.session or None,
    }
    if result is not None and result.cost_usd is not None:
        members["cost_usd"] = json_number(result.cost_usd)
    if result is not None and result.tokens:
        members["usage"] = usage_of(result.tokens)
    return {name: value for name, value in members.items() if value is not None}


def _where_missing(runs: list[Run], count: int) -> str:
    """Return the runs without a result, and their last lines."""
    if count == 1:
        # Most messages end in a full stop, and more follows here.
        reason = f": {runs[0].reason.rstrip('.')}" if runs[0].reason else ""
        where = f"the run ends at line {runs[0].last_line} without a result{reason}"
    else:
        reasons = (f": {run.reason}" if run.reason else "" for run in runs)
        ends = [
            f"run {run.number} (ends at line {run.last_line}{reason})"
            for run, reason in zip(runs[:3], reasons, strict=False)
        ]
        more = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
        where = f"without a result: {', '.join(ends)}{more}"
    return f"{where}; --partial writes an incomplete object"
