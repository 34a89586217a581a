"""A call in words: its phrase in each language, how it ended, and why it failed.

Each language has a file. A conversion reads one of them, and reading a text back needs
all of them. `text` is read back by its phrases, so no two kinds of tools share one.
"""

from __future__ import annotations

import functools
import os
import re
from typing import get_args

from convert.model.events import OK, Outcome, OutcomeStatus, ToolCall
from convert.wording import compiled
from convert.wording.escapes import one_line, repair_surrogates
from convert.wording.sections import read_sections

LANGUAGES = ("en", "es", "fr", "de", "ko", "ja", "zh", "tr")

# The name of a tool that a log does not name.
_UNNAMED = "unnamed"


@functools.cache
def phrases_in(language: str) -> dict[str, dict[str, str]]:
    """Return the sections of a language: `["calls"]["read"]` is `Read file`."""
    return {
        heading: {name: values[0] for name, values in cells.items()}
        for heading, cells in read_sections(
            os.path.join(os.path.dirname(__file__), "languages"), f"{language}.ini"
        )
    }


def in_all_languages(section: str, name: str) -> list[str]:
    """Return a phrase in each language."""
    return [phrases_in(language)[section][name] for language in LANGUAGES]


def phrase(
    kind: str, name: str = "", language: str = "en", *, is_done: bool = True
) -> str:
    """Return the phrase of a kind; one without a phrase is called by its name.

    The phrase of a call that was not done names the request.
    """
    phrases = phrases_in(language)
    if kind in phrases["calls"]:
        done = phrases["calls"][kind]
        return done if is_done else phrases["requests"].get(kind, done)
    # A function without a name is not called by the name of its kind.
    named = name or (kind if kind != "function" else "")
    unknown = phrases["unknown tools"]["call" if is_done else "request"]
    return unknown.format(named or _UNNAMED)


def read_phrase(text: str, *, is_done: bool = True) -> tuple[str, str] | None:
    """Return the kind and the tool's name of a phrase in any language.

    The phrase of a request is read only for a call that was not done.
    """
    for section in ("calls",) if is_done else ("calls", "requests"):
        if kind := _kinds(section).get(text):
            return kind, ""
    for prefix, suffix in _around_names(is_done):
        name = text.removeprefix(prefix).removesuffix(suffix)
        if prefix + name + suffix == text and name and not set(name) & set(" \t{}"):
            return "function", "" if name == _UNNAMED else name
    return None


@functools.cache
def _kinds(section: str) -> dict[str, str]:
    """Map each phrase of a section, in any language, to its kind."""
    return {
        text: kind
        for language in LANGUAGES
        for kind, text in phrases_in(language)[section].items()
    }


@functools.cache
def _around_names(is_done: bool) -> list[list[str]]:
    """Return the text before and after the name of an unknown tool, by language."""
    return [
        text.split("{}")
        for name in (("call",) if is_done else ("call", "request"))
        for text in in_all_languages("unknown tools", name)
    ]


# `PreToolUse:Bash hook error: [pwsh -File guard.ps1]: ` before the message of the hook.
_HOOK = (
    r"\w+(?::\S+)? hook (?:blocking )?error(?: from command)?: "
    r"(?:\[.*?\]|\".*?\"): (?=\S)"
)


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
    if has_subject:
        # Imported here: action lines show no subject unless a command asks for it.
        from convert.tools.subjects import target_line

        if target := target_line(call, directory):
            parts.append(f": {target}")
    note = "" if outcome == OK else f" ({outcome_note(outcome, language)})"
    return repair_surrogates("".join(parts)), repair_surrogates(note)


def outcome_note(outcome: Outcome, language: str = "en") -> str:
    """Return an outcome other than ok with its reason: `exit 1`, `error: …`."""
    if outcome.exit_code is not None and not outcome.signal:
        text = phrases_in(language)["ends of commands"]["exit"]
        return text.format(outcome.exit_code)
    reason = without_hook_name(reason_of(outcome, language))
    status = phrases_in(language)["statuses"].get(outcome.status, outcome.status)
    return f"{status}: {reason}" if reason else status


def without_hook_name(reason: str) -> str:
    """Return a reason without the name and the command of the hook that gives it."""
    if " hook " not in reason:
        return reason
    lead = compiled(_HOOK).match(reason)
    return reason[lead.end() :] if lead else reason


def status_word(status: OutcomeStatus) -> str:
    """Return the word that people read for a status: `refused` for `rejected`."""
    return "refused" if status == "rejected" else status


def parse_outcome(name: str, message: str = "") -> Outcome:
    """Return an outcome by its name; raises ValueError for any other text."""
    for status in get_args(OutcomeStatus):
        if name == status:
            return Outcome(status, message=message)
    if (match := re.fullmatch(r"error\((.*)\)", name, re.DOTALL)) is None:
        raise ValueError(f"{name} is no outcome")
    if re.fullmatch(r"-?[0-9]{1,10}", match[1]):
        return Outcome("error", exit_code=int(match[1]))
    if re.fullmatch(r"SIG[A-Z0-9+-]+", match[1]):
        return Outcome("error", signal=match[1], message=message)
    return Outcome("error", arm=match[1], message=message)


def outcome_name(outcome: Outcome) -> str:
    """Return an outcome without its message: `ok`, `error(1)`, `error(timeout)`.

    Two outcomes are equal when their names are.
    """
    if outcome.exit_code is not None:
        return f"error({outcome.exit_code})"
    if outcome.signal:
        return f"error({one_line(outcome.signal)})"
    if outcome.status == "error" and outcome.arm not in ("", "failure"):
        return f"error({one_line(outcome.arm)})"
    return outcome.status


def outcome_in_words(name: str) -> str:
    """Return an outcome as people read it, by its name: `exit 1`, `refused`.

    Any other text is returned as it is.
    """
    try:
        outcome = parse_outcome(name)
    except ValueError:
        return name
    if outcome.status == "rejected":
        return status_word(outcome.status)
    return outcome_note(outcome)


def reason_of(outcome: Outcome, language: str = "en") -> str:
    """Return why a call failed, on one line; "" if the log does not say it."""
    if outcome.signal:
        text = phrases_in(language)["ends of commands"]["signal"]
        return text.format(one_line(outcome.signal))
    if outcome.message or outcome.arm in ("", "failure"):
        return one_line(outcome.message)
    if known := phrases_in(language)["reasons"].get(outcome.arm):
        return known
    # The name of a new kind of error as words: `tooLarge` is "too large".
    arm = one_line(outcome.arm).replace("_", " ")
    return " ".join("".join(f" {c.lower()}" if c.isupper() else c for c in arm).split())


def read_reason(text: str) -> Outcome:
    """Return the error of a reason in any language."""
    if arm := _arms().get(text):
        return Outcome("error", arm=arm)
    for ending in in_all_languages("ends of commands", "signal"):
        before, after = ending.split("{}")
        signal = text.removeprefix(before).removesuffix(after)
        if signal.startswith("SIG") and before + signal + after == text:
            return Outcome("error", signal=signal)
    return Outcome("error", message=text)


@functools.cache
def _arms() -> dict[str, str]:
    """Map each reason, in any language, to its arm."""
    return {
        reason: arm
        for language in LANGUAGES
        for arm, reason in phrases_in(language)["reasons"].items()
    }
