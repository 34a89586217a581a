"""The action line of a tool call: its phrase, its subject and how it ended."""

from __future__ import annotations

from convert.model.events import OK, ToolCall
from convert.tools.outcomes import outcome_note
from convert.tools.phrase_lookup import phrase
from convert.tools.targets import target_line
from convert.wording.sanitise import one_line, repair_surrogates


def action_line(
    call: ToolCall, directory: str, language: str = "en", has_subject: bool = False
) -> str:
    """Return the line of a call that has ended: `Read file: app.py (rejected)`.

    Paths inside `directory`, the directory of the run, become relative to it.
    """
    return "".join(action_parts(call, directory, language, has_subject))


def action_parts(
    call: ToolCall, directory: str, language: str = "en", has_subject: bool = False
) -> tuple[str, str]:
    """Return the two parts of an action line: the call, and how it ended."""
    kind = "write" if call.is_new_file else call.kind
    outcome = call.outcome or OK
    # A command that ended was run, however it ended.
    is_done = outcome == OK or outcome.exit_code is not None or bool(outcome.signal)
    parts = [one_line(phrase(kind, call.name, language, is_done=is_done))]
    if has_subject and (target := target_line(call, directory)):
        parts.append(f": {target}")
    note = ""
    if outcome != OK:
        note = f" ({outcome_note(outcome, language)})"
    return repair_surrogates("".join(parts)), repair_surrogates(note)
