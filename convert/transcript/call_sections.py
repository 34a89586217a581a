"""A tool call as a section: its title, its ending, and the parts to open."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from convert.facts.edits import EDITING, edits_of
from convert.model.events import OK, UNFINISHED, Outcome, ToolCall
from convert.tools.phrases_and_outcomes import (
    outcome_note,
    phrase,
    phrases_in,
    status_word,
)
from convert.tools.subjects import PROSE, target_names, target_of
from convert.tools.table import noise_members, tool_of, tools
from convert.transcript.builder import (
    ARGUMENTS,
    LONGEST_TITLE,
    SectionBuilder,
    Shared,
    json_text,
    ours,
    without_internal,
)
from convert.transcript.fields import Fields, Followed, read_as
from convert.transcript.pieces import CallSection, Code, Label, Part, Prose
from convert.transcript.shortened_texts import Clip, whole
from convert.transcript.timing import longest_duration, numbers_in_words
from convert.wording.escapes import one_line, strip_controls, truncate
from convert.wording.numbers import duration, in_words
from convert.wording.paths import shorten_path
from convert.wording.styles_and_columns import Inline, Style, Styled

# The summary of parts without another one.
_DETAILS = Styled("details", "ours")
# Between the words of a title. As a blank is one of them, a part with nothing but white
# space says no more than the title.
_BLANK, _IN = Styled(" ", "ours"), Styled(" in ", "ours")


def call_section(
    call: ToolCall,
    shared: Shared,
    started: str = "",
    parallel: list[int] | None = None,
    requested: list[int] | None = None,
) -> CallSection:
    """Make the section of a call that has ended.

    `started` says when, `parallel` are the numbers of the calls that were made at the
    same time, and `requested` those that the same response made at other times.
    """
    if call.around:
        shared = replace(shared, prefix=f"{'.'.join(map(str, call.around))}.")
    section = SectionBuilder(call, shared, call_section)
    outcome = call.outcome
    # Most calls have the constant itself, which takes less to see.
    if outcome is OK or outcome is None or outcome == OK:
        _add_arguments_and_output(call.arguments or {}, section)
    else:
        arguments = Followed(call.arguments or {})
        _add_arguments_and_output(arguments, section)
        add_outcome(outcome, arguments, section)
    if section.blocks:
        _add_labels(section)
    title = section.title
    if call.about or not title:
        title = _title(call, shared.directory)
    if outcome is not OK and (outcome or OK).status in ("rejected", "unfinished"):
        title = as_request(call.kind, title)
    shown = _truncated(title)
    if shown is not title:
        _add_truncated_words(title, section)
    if len(section.parts) == 1 and _is_in_heading(section.parts[0], title, section):
        section.parts = []
    native = call.native and _native_name(call.native)
    named = [Styled(native, "code"), Styled(": ", "ours")] if native else []
    if call.longest_ms is not None:
        section.notes.append(longest_duration(call))
    return CallSection(
        number=call.number,
        prefix=shared.prefix,
        title=shown,
        ending=section.ending and _short(section.ending),
        notes=[_short(note) for note in section.notes if note],
        took=_took(section),
        when=_when(started, parallel, requested) if parallel or requested else started,
        native=native,
        summary=[*named, *(_truncated(section.summary) or [_DETAILS])],
        parts=section.parts,
        outcome=call.outcome or UNFINISHED,
        has_changed_files=call.kind in EDITING and bool(edits_of(call)),
        has_failed_inside=section.has_failed_inside,
        kind=call.kind,
    )


def _add_arguments_and_output(
    arguments: dict[str, Any], section: SectionBuilder
) -> None:
    """Add the parts of the kind, then the members that no kind expects."""
    call = section.call
    members = call.output if isinstance(call.output, dict) else {}
    recorded = None
    tool = tools().get(call.kind)
    if tool and tool.text_member is None and isinstance(members.get("content"), str):
        # A text that the kind does not show; without members, it counts nothing in it.
        members = {**members}
        recorded = strip_controls(members.pop("content"))
        section.call = call = replace(call, output=members or None)
    fill, taken, returned = kind_of(call.kind)
    unexpected: dict[str, Any] = {}
    named = read_as(taken, arguments, unexpected)
    fill(named, read_as(returned, members, unexpected), section)
    if members is not call.output and call.output is not None:
        section.begin("result")
        if isinstance(call.output, str):
            section.code(strip_controls(call.output), "text")
        else:
            section.json(call.output)
    if recorded is not None:
        extent = f"result, {section.extent(recorded)}"
        section.begin("result", extent).code(recorded, "text")
    if unexpected:
        texts = json_text(unexpected)
        section.begin("members of another type than expected").code(texts, "json")
    if call.steps and call.kind != "task":
        from convert.transcript.kinds.plans import add_steps

        add_steps(section)


_Fill = Callable[[Any, Any, SectionBuilder], None]


@functools.lru_cache(maxsize=256)
def kind_of(kind: str) -> tuple[_Fill, type[Struct], type[Struct]]:
    """Return the function that fills in the sections of a kind of calls.

    Its arguments and its output are of the two types.
    """
    theme, _, name = tool_of(kind).transcript.partition(".")
    module = importlib.import_module(f"convert.transcript.kinds.{theme}")
    fill = getattr(module, name)
    # The names of types in its module, which would take long to compile.
    names = fill.__annotations__
    return fill, getattr(module, names["arguments"]), getattr(module, names["output"])


def _add_labels(section: SectionBuilder) -> None:
    """Put the name of each block in the summary and, if there are several, above it."""
    blocks, parts = section.blocks, section.parts
    ends = [block.place for block in blocks[1:]] + [len(parts)]
    filled = [
        block for block, end in zip(blocks, ends, strict=True) if block.place < end
    ]
    if names := [block.extent for block in filled]:
        section.summary += ours(f"{', ' if section.summary else ''}{in_words(names)}")
    if len(filled) > 1 or (filled and filled[0].place > 0):
        for block in reversed(filled):
            parts.insert(block.place, Label(ours(block.name)))


# The arguments that record who asked for an approval, before the call was refused.
_ASKED_BY = {"hookApprovalRequirement": "a hook", "smartModeApproval": "smart mode"}
# The verbs of titles, and the same verbs in requests.
_VERBS = (
    "Applied Apply, Created Create, Deleted Delete, Discarded Discard, Edited Edit,"
    " Fetched Fetch, Generated Generate, Listed List, Looked Look, Made Make,"
    " Managed Manage, Posted Post, Ran Run, Recorded Record, Reflected Reflect,"
    " Replaced Replace, Reported Report, Resumed Resume, Saved Save, Searched Search,"
    " Sent Send, Signed Sign, Started Start, Switched Switch, Updated Update, Used Use,"
    " Waited Wait"
)
_REQUESTS = dict(pair.split() for pair in _VERBS.split(", "))
# A question is asked even if the answer is refused.
_DONE_ANYWAY = {"askQuestion"}


def as_request(kind: str, title: Inline) -> Inline:
    """Return the title of a call as a request: `Delete a.py`."""
    if kind in _DONE_ANYWAY:
        return title
    verb, gap, others = title[0].text.partition(" ")
    text = f"{_REQUESTS.get(verb, verb)}{gap}{others}"
    return [Styled(text, title[0].style), *title[1:]]


def add_outcome(outcome: Outcome, arguments: Followed, section: SectionBuilder) -> None:
    """Add an outcome other than ok, and the arguments that nothing shows yet.

    `arguments` know which of them have been read. A message that the note truncates
    is whole among the parts.
    """
    message = strip_controls(outcome.message).strip("\n")
    section.ending = _ending_note(replace(outcome, message=message), section.call)
    if len(section.ending) > LONGEST_TITLE or message not in section.ending:
        section.begin("message").code(message, "text", "argument")
    if outcome.status == "rejected":
        _add_approvals(Fields(section.call.arguments or {}, {}), section)
    if all(block.name != ARGUMENTS for block in section.blocks):
        _add_other_arguments(arguments, section)


def _ending_note(outcome: Outcome, call: ToolCall) -> str:
    """Say how a call ended, and why, or that the log has no reason."""
    note = outcome_note(outcome)
    if note in ("error", "rejected") and call.arm != "success":
        reason = phrases_in("en")["reasons"].get(call.arm)
        note = f"{note}: {reason}" if reason else f"{note}, no reason recorded"
    if outcome.status == "rejected":
        done = "" if call.kind in _DONE_ANYWAY else ", not done"
        return f"{status_word(outcome.status)}{done}{note.removeprefix('rejected')}"
    return note


def _add_approvals(arguments: Fields, section: SectionBuilder) -> None:
    """Say who asked for an approval of the call, and why, where that is recorded."""
    if not section.parts:
        section.begin("request for approval")
    for name, asker in _ASKED_BY.items():
        reason = one_line(arguments.fields(name).text("reason"))
        section.mention(f"{asker} asked for approval: ", reason, "plain")


def _add_other_arguments(arguments: Followed, section: SectionBuilder) -> None:
    """Add the arguments that neither the heading nor the parts show, as JSON."""
    kind = section.call.kind
    shown = arguments.names_read | target_names(kind) | noise_members(kind)
    others = {
        name: value
        for name, value in without_internal(arguments).items()
        # Some arguments have such a value unless the agent sets them.
        if name not in shown and value and not str(value).endswith("_UNSPECIFIED")
    }
    name = "other arguments" if len(others) < len(arguments) else ARGUMENTS
    section.begin(name).json(others, "argument")


def _is_in_heading(part: Part, title: Inline, section: SectionBuilder) -> bool:
    """Return True if a part and the summary say nothing that the title does not."""
    if not isinstance(part, (Code, Prose)) or not isinstance(part.text, Clip):
        return False
    text = part.text.head.strip()
    return (
        part.text.lines <= 1
        and len(text) <= LONGEST_TITLE
        and text == one_line(text)
        and text in [words.text.strip() for words in title]
        and all(words.style == "ours" for words in section.summary)
    )


def _title(call: ToolCall, directory: str) -> Inline:
    """Name the action of a call and its subject: `Searched for x in src`."""
    if call.kind == "mcp" and call.name:
        return [Styled("Used ", "ours"), Styled(strip_controls(call.name), "code")]
    if (tool := tools().get(call.kind)) is None:
        name = strip_controls(call.name or call.kind)
        used = ours(phrases_in("en")["unknown tools"]["call"].format("").rstrip())
        return [*used, _BLANK, Styled(name, "code")] if name else used
    words, paths = _about(call, directory)
    line: Inline = []
    if words and (text := strip_controls(" ".join(words)).strip()):
        style: Style = "plain" if call.kind in PROSE else "code"
        line = [_BLANK, Styled(text, style)]
    gap = _IN if words else _BLANK
    for path in paths:
        if text := strip_controls(path):
            line += [gap, Styled(text, "path")]
            gap = _BLANK
    if not line:
        return ours(phrase(call.kind))
    lead = tool.subject.verb if tool.subject else f"{phrase(call.kind)}:"
    return [Styled(lead, "ours"), *line]


def _about(call: ToolCall, directory: str) -> tuple[list[str], list[str]]:
    """Return the words and the paths that are the subject of a call of a known kind."""
    if call.about:
        names = tools()[call.kind].subject
        return ([call.about], []) if names and names.words else ([], [call.about])
    target = target_of(call.kind, call.arguments or {}, directory)
    # "." is all of the run's directory.
    is_everywhere = target.words and target.paths == ["."]
    return target.words, [] if is_everywhere else target.paths


@functools.lru_cache(maxsize=256)
def _native_name(recorded: str) -> str:
    """Return the agent's own name for a tool on one line; a run has few of them."""
    return _short(strip_controls(recorded))


def _truncated(line: Inline) -> Inline:
    """Truncate each text of the log in a line; of a path, the name stays."""
    for words in line:
        if words.style != "ours" and _short(words.text) is not words.text:
            return [
                words
                if words.style == "ours"
                else Styled(shorten_path(one_line(words.text), LONGEST_TITLE), "path")
                if words.style == "path"
                else Styled(_short(words.text), words.style)
                for words in line
            ]
    # Most lines are short, and stay as they are.
    return line


def _short(text: str) -> str:
    """Return a text on one line, truncated."""
    line = one_line(text)
    return line if len(line) <= LONGEST_TITLE else truncate(line, LONGEST_TITLE)


def _add_truncated_words(title: Inline, section: SectionBuilder) -> None:
    """Put the whole of a text that the title truncates above the other parts."""
    # Most titles are short, and hashing all parts takes longer than all else here.
    if max([len(words.text) for words in title]) <= LONGEST_TITLE:
        return
    texts = {
        part.text.head
        for part in section.parts
        if isinstance(part, Code) and isinstance(part.text, Clip)
    }
    for words in reversed(title):
        text = strip_controls(words.text)
        is_truncated = words.style != "ours" and len(one_line(text)) > LONGEST_TITLE
        if is_truncated and text not in texts:
            section.parts.insert(0, Code(whole(text), "text", "command"))


def _when(started: str, parallel: list[int] | None, requested: list[int] | None) -> str:
    """Say when a call started, and which calls were made with it."""
    others = {"in parallel with ": parallel, "requested with ": requested}
    words = [lead + numbers_in_words(calls) for lead, calls in others.items() if calls]
    return ", ".join(filter(None, [started, *words]))


def _took(section: SectionBuilder) -> str:
    """Say how long a call took: by the clock of the log, else as its tool reports."""
    took = section.call.duration_ms
    took = section.milliseconds if took is None else took
    return "" if took is None or took < 0 else duration(took)
