"""The calls of a run as blocks of Claude Code's messages."""

from __future__ import annotations

from typing import Any

from convert.agents.claude.names import (
    claude_call,
    has_fragment,
    input_as_made,
    says_what_changed,
)
from convert.agents.claude.objects import object_of
from convert.agents.claude.outcomes import outcome_of_text
from convert.agents.output_texts import text_of_result
from convert.formats.losses import Losses
from convert.model.events import ToolCall

Members = dict[str, Any]

# How many refused calls of a run are kept: memory must not grow with the log.
_MOST_KEPT = 10_000


class WrittenCalls:
    """The blocks of the calls of a run, and which calls were refused."""

    def __init__(self, losses: Losses) -> None:
        self.denials: list[Members] = []
        self._losses = losses

    def note(self, call: ToolCall) -> None:
        """Note what the blocks of a call have no place for."""
        if call.native and call.native != claude_call(call)[0]:
            self._losses.add("the names of its tools")
        if call.about:
            self._losses.add("the targets of calls")

    def tool_use(self, call: ToolCall, id: str) -> Members:
        """Return the block with which a call begins."""
        name, input = self._named(call)
        return {"type": "tool_use", "id": id, "name": name, "input": input}

    def result(self, call: ToolCall, id: str) -> tuple[Members, Any]:
        """Return the block with which a call ends, and the object of its tool."""
        name, input = self._named(call)
        is_done = call.outcome is not None and call.outcome.status == "ok"
        if is_done and not says_what_changed(call, input):
            self._losses.lack("what edits changed")
        block: Members = {"tool_use_id": id, "type": "tool_result"}
        text = _told(call, name, input)
        if call.outcome is None or call.outcome.status == "ok":
            details: Any = object_of(call, name, input)
            return {**block, "content": text, "is_error": False}, details
        if call.outcome.signal:
            self._losses.add("signals")
        if call.outcome.status == "rejected":
            self._deny(name, id, input)
        return {**block, "content": text, "is_error": True}, f"Error: {text}"

    def amend(self, call: ToolCall, id: str) -> None:
        """Note what a later line says of a call: the end of the run lists refusals."""
        if call.outcome is not None and call.outcome.status == "rejected":
            name, input = self._named(call)
            self._deny(name, id, input)
        else:
            self._losses.add("calls that end twice")

    def _named(self, call: ToolCall) -> tuple[str, Members]:
        name, input = input_as_made(call)
        if not has_fragment(call, input):
            self._losses.add("the fragments of edits")
        return name, input

    def _deny(self, name: str, id: str, input: Members) -> None:
        denial = {"tool_name": name, "tool_use_id": id, "tool_input": input}
        if denial not in self.denials and len(self.denials) < _MOST_KEPT:
            self.denials.append(denial)


def _told(call: ToolCall, name: str, input: Members) -> str:
    """Return the text of a result, from which it is read how the call ended."""
    text = text_of_result(call)
    outcome = call.outcome
    if outcome is not None and outcome.status == "rejected":
        if outcome_of_text(call.kind, text, is_error=True).status == "rejected":
            return text
        denied = f"Permission to use {name} has been denied"
        return f"{denied}: {text}" if text else f"{denied}."
    if name == "Write" and call.is_new_file:
        return f"File created successfully at: {input.get('file_path', '')}"
    return text
