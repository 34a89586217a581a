"""The line of a tool call in `text`: its phrase, its subject and how it ended.

The phrases are in the rows of tools/kinds/. They are read back in any language.
"""

from __future__ import annotations

import functools

from convert.model.events import OK, ToolCall
from convert.tools.outcomes import outcome_note
from convert.tools.row import LANGUAGES
from convert.tools.subjects import target_line
from convert.tools.table import TOOLS, UNKNOWN, tool_of
from convert.wording.escapes import one_line, repair_surrogates


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


# The phrases themselves are in the rows of tools/kinds/.
# Stands for the name of a tool that a log does not name.
UNNAMED = "unnamed"


def phrase(kind: str, name: str, language: str, *, is_done: bool = True) -> str:
    """Return the phrase of a kind; one without a row is called by its name.

    That of a call which is not done says what was to be done.
    """
    tool = tool_of(kind)
    phrases = tool.phrases if is_done else tool.request or tool.phrases
    text: str = getattr(phrases, language)
    # A function without a name is not called by the name of its kind.
    named = name or (kind if kind != "function" else "")
    return text if kind in TOOLS else text.format(named or UNNAMED)


def read_phrase(text: str, *, is_done: bool = True) -> tuple[str, str] | None:
    """Return the kind and the tool's name that a phrase stands for, in any language.

    A phrase that says what was to be done is read only for a call that is not done.
    """
    kind = _kinds(True).get(text) or (None if is_done else _kinds(False).get(text))
    if kind is not None:
        return kind, ""
    for prefix, suffix in _around_names(is_done):
        name = text.removeprefix(prefix).removesuffix(suffix)
        if prefix + name + suffix == text and name and not set(name) & set(" \t{}"):
            return "function", "" if name == UNNAMED else name
    return None


@functools.cache
def _kinds(is_done: bool) -> dict[str, str]:
    """Map each phrase, in any language, to its kind."""
    phrases = {
        kind: tool.phrases if is_done else tool.request for kind, tool in TOOLS.items()
    }
    return {
        getattr(each, language): kind
        for kind, each in phrases.items()
        for language in LANGUAGES
        if each is not None
    }


@functools.cache
def _around_names(is_done: bool) -> list[list[str]]:
    """Return the text before and after the name of an unknown tool, by language."""
    phrases = [UNKNOWN.phrases, *([] if is_done else [UNKNOWN.request])]
    return [getattr(each, lang).split("{}") for each in phrases for lang in LANGUAGES]
