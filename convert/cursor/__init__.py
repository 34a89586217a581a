"""The formats of Cursor's agent.

blocks -> stream_json -> run_reader -> events -> stream_json_writer, result_json, text

recognition  whether a log is one of Cursor's
wire         the structs of a line; only the members that a target needs are decoded
stream_json  from blocks of lines to events
run_reader   how each line changes its run, by its type
runs         which run a line belongs to, what is open in it, when it began and ended
messages     the parts of messages, and the segments of the assistant's text
call_reader  how each line changes a call, queries before calls included
open_calls   the calls that are open, and which of them a line belongs to
tool_calls   the `tool_call` of a line: tool, arguments, outcome, output
text         action lines, and the final message alone

Loaded when a log or a target needs them:

incidents    lost connections, retries, errors, messages on standard error
doubled_log  a log that holds each line twice
redaction    which lines hold parts of one text, for redaction
stream_json_writer  lines of the events of any log
result_json  the `result` object of a run
text_reader  the events of a text, and the line that says how a run ended
"""

from __future__ import annotations

from convert.registry import exports

AGENT = "Cursor"
"""Its name, for titles."""
# The subtype of the last line that a writer makes for a run whose end is not recorded:
# without it, the run would read as cut off.
END_NOT_RECORDED = "end_not_recorded"

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "incidents": "LONGEST is_failure_message message_among_events",
        "messages": "OpenSegment is_delta is_recap significant",
        "stream_json_writer": "write",
        "text_reader": "read_run_end run_end_line",
        "wire": "Arm Arms Body Usage WireEvent",
    },
)
