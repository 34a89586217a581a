"""The events of a log and the runs that they make.

events      the events of a log, and the parts of them that a writer asks for
run         a run as a fold over its events, the text that its result records, its cost
approved    an approved run, which later runs are compared with
json_lines  the shared parts of writers of JSON lines: values of any kind, the order
            of events, and the facts that a format has no place for

A writer that does not need whole runs does not fold.
"""

from __future__ import annotations

from typing import Literal

from convert.registry import exports

State = Literal["success", "error", "cut", "unfinished"]
# How much of a run its format records: tool calls, the final result, or only text.
Level = Literal["calls", "result", "text"]
# The kind of reason why a run ended without success; "" if it did not.
ReasonKind = Literal["", "quota", "network", "authentication", "cut", "agent", "tool"]

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "events": "CallDetail EVERYTHING End EndOfLog Event Image Incident Needs "
        "OK Outcome OutcomeStatus Prompt Recorded Result Segment Start "
        "Thinking Tokens ToolCall Turn UNFINISHED",
        "json_lines": "json_bytes",
        "run": "Run collect dollars recorded_answer",
    },
)
