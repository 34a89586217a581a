"""The events of a log and the runs that they make.

events      what happened, in the order of the log
needs       the parts of a log that a writer asks for
run         a run as a fold over its events, and the text that its result records
cost        the cost of a run: sums, differences, words
approved    an approved run, which later runs are compared with
json_lines  what writers of JSON lines share: values of any kind, the order of
            events, and the facts that a format has no place for

A writer that does not need whole runs does not fold.
"""

from __future__ import annotations

from typing import Literal

from convert.exports import exports

State = Literal["success", "error", "cut", "unfinished"]
# How much of a run its format records: tool calls, the final result, or text alone.
Level = Literal["calls", "result", "text"]
# The kind of reason why a run ended without success; "" if it did not.
ReasonKind = Literal["", "quota", "network", "authentication", "cut", "agent", "tool"]

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "cost": "dollars",
        "events": "End EndOfLog Event Image Incident OK Outcome OutcomeStatus Prompt "
        "Recorded Result Segment Start Thinking Tokens ToolCall UNFINISHED",
        "json_lines": "json_bytes",
        "needs": "CallDetail EVERYTHING Needs",
        "run": "Run collect recorded_answer",
    },
)
