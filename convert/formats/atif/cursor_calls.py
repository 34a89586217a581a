"""The calls of Cursor in the documents of Harbor, which keeps its objects."""

from __future__ import annotations

from typing import Any

import msgspec

from convert.agents.claude.results import CallResult
from convert.agents.tools import NativeCall
from convert.errors import ignore
from convert.formats.atif.contents import text_of
from convert.formats.atif.document import Call, CameBack
from convert.formats.atif.facts import value_of
from convert.formats.stream_json.tool_calls import read_frame
from convert.formats.stream_json.wire import Scalar, wire
from convert.model.events import UNFINISHED
from convert.model.needs import Needs
from convert.source.coercion import coerce
from convert.source.ndjson import REFUSED


def cursor_call(
    call: Call, back: CameBack | None, needs: Needs
) -> tuple[NativeCall, CallResult]:
    """Return a call and how it ended, by the objects that Cursor wrote."""
    body: dict[str, Any] = {"args": value_of(call.arguments)}
    result = _result(back)
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


def _result(back: CameBack | None) -> Any:
    """Return the object of a result, which is the text of the content."""
    if back is None:
        return None
    try:
        return msgspec.json.decode(text_of(back.content))
    except REFUSED:
        return None
