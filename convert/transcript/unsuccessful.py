"""The section of a call that did not succeed: why, who refused it, its arguments."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from convert.model.events import Outcome, ToolCall
from convert.tools.arguments import noise_members
from convert.tools.outcomes import outcome_note, shown_status
from convert.tools.reasons import REASONS
from convert.tools.targets import target_names
from convert.transcript.fields import Fields, Followed
from convert.transcript.section_builder import (
    ARGUMENTS,
    LONGEST_TITLE,
    SectionBuilder,
    without_internal,
)
from convert.wording.sanitise import one_line, strip_controls
from convert.wording.words import Inline, Words

# The arguments that record who asked for an approval, before the call was refused.
_ASKED_BY = {"hookApprovalRequirement": "a hook", "smartModeApproval": "smart mode"}


# The verbs of titles, and what they are called before they are done.
_REQUESTS = {
    "Applied": "Apply",
    "Created": "Create",
    "Deleted": "Delete",
    "Discarded": "Discard",
    "Edited": "Edit",
    "Fetched": "Fetch",
    "Generated": "Generate",
    "Listed": "List",
    "Looked": "Look",
    "Made": "Make",
    "Managed": "Manage",
    "Posted": "Post",
    "Ran": "Run",
    "Read": "Read",
    "Recorded": "Record",
    "Reflected": "Reflect",
    "Replaced": "Replace",
    "Reported": "Report",
    "Resumed": "Resume",
    "Saved": "Save",
    "Searched": "Search",
    "Sent": "Send",
    "Set": "Set",
    "Signed": "Sign",
    "Started": "Start",
    "Switched": "Switch",
    "Updated": "Update",
    "Used": "Use",
    "Waited": "Wait",
}
# A question is asked even if the answer is refused.
_DONE_ANYWAY = {"askQuestion"}


def as_request(kind: str, title: Inline) -> Inline:
    """Return the title of a call as what was to be done: `Delete a.py`."""
    if kind in _DONE_ANYWAY:
        return title
    verb, gap, others = title[0].text.partition(" ")
    text = f"{_REQUESTS.get(verb, verb)}{gap}{others}"
    return [Words(text, title[0].style), *title[1:]]


def add_outcome(outcome: Outcome, arguments: Followed, section: SectionBuilder) -> None:
    """Add an outcome other than ok, and the arguments that nothing shows yet.

    `arguments` know which of them have been read. A message that the note truncates
    stands whole among the parts.
    """
    message = strip_controls(outcome.message).strip("\n")
    section.ending = _note(replace(outcome, message=message), section.call)
    if len(section.ending) > LONGEST_TITLE or message not in section.ending:
        section.begin("message")
        section.code(message, "text", "argument")
    if outcome.status == "rejected":
        _add_approvals(Fields(section.call.arguments or {}, {}), section)
    if all(block.name != ARGUMENTS for block in section.blocks):
        _add_other_arguments(arguments, section)


def _note(outcome: Outcome, call: ToolCall) -> str:
    """Say how a call ended, and whether the log has a reason."""
    note = outcome_note(outcome)
    if note in ("error", "rejected") and call.arm != "success":
        reason = REASONS.get(call.arm)
        note = f"{note}: {reason.en}" if reason else f"{note}, no reason recorded"
    if outcome.status == "rejected":
        done = "" if call.kind in _DONE_ANYWAY else ", not done"
        return f"{shown_status(outcome.status)}{done}{note.removeprefix('rejected')}"
    return note


def _add_approvals(arguments: Fields, section: SectionBuilder) -> None:
    """Say who asked for an approval of the call, and why, where that is recorded."""
    if not section.parts:
        section.begin("request for approval")
    for name, asker in _ASKED_BY.items():
        if reason := one_line(arguments.fields(name).text("reason")):
            section.note(f"{asker} asked for approval: ", reason, "plain")


def _add_other_arguments(arguments: Followed, section: SectionBuilder) -> None:
    """Add the arguments that neither the heading nor the parts show, as JSON."""
    kind = section.call.kind
    shown = arguments.names_read | target_names(kind) | noise_members(kind)
    others = {
        name: value
        for name, value in without_internal(arguments).items()
        if name not in shown and _tells(value)
    }
    section.begin("other arguments" if len(others) < len(arguments) else ARGUMENTS)
    section.json(others, "argument")


def _tells(value: Any) -> bool:
    """Return False for what an argument is unless the agent sets it."""
    return bool(value) and not str(value).endswith("_UNSPECIFIED")
