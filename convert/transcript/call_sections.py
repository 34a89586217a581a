"""A tool call as a reader meets it: a line that says what came of it, and its parts."""

from __future__ import annotations

from msgspec.structs import replace

from convert.model import OK, UNFINISHED, ToolCall
from convert.tools.outcomes import outcome_note
from convert.tools.subjects import subject
from convert.tools.table import NAMED, TOOLS
from convert.transcript.clips import whole
from convert.transcript.fields import Fields
from convert.transcript.kinds import KINDS
from convert.transcript.kinds.servers import odd_members, unknown
from convert.transcript.pieces import CallSection, Code
from convert.transcript.section_builder import SectionBuilder
from convert.wording.numbers import duration
from convert.wording.sanitise import one_line, strip_controls, truncate
from convert.wording.words import Inline, Style, Words

_LONGEST = 80


def call_section(
    call: ToolCall, directory: str, has_thinking: bool, most_items: int | None = None
) -> CallSection:
    """Show a call that has ended, in a run with a given directory.

    Of a list of findings no more than `most_items` entries are made.
    """
    arguments = Fields(call.arguments or {}, {})
    members = call.output if isinstance(call.output, dict) else {}
    output = Fields(members, arguments.odd)
    shown = SectionBuilder(call, directory, has_thinking, most_items)
    KINDS.get(call.kind, unknown)(arguments, output, shown)
    match call.output:
        case dict() | None:
            pass
        case str(text):
            shown.code(strip_controls(text), "text")
        case other:
            # A result that is no object is none that a kind could read.
            shown.json(other)
    if arguments.odd:
        odd_members(arguments.odd, shown)
    _add_outcome(shown)
    milliseconds = call.duration_ms
    if milliseconds is None:
        milliseconds = shown.milliseconds
    if milliseconds is not None and milliseconds >= 0:
        shown.notes.append(duration(milliseconds))
    title = shown.title
    if call.about or not title:
        title = _title(call, directory)
    _add_what_was_cut(title, shown)
    return CallSection(
        number=call.number,
        title=_shortened(title),
        notes=[truncate(one_line(note), _LONGEST) for note in shown.notes if note],
        summary=_shortened(shown.summary) or [Words("details", "ours")],
        parts=shown.parts,
        outcome=call.outcome or UNFINISHED,
        changes=shown.changes,
    )


def _title(call: ToolCall, directory: str) -> Inline:
    """What a call did, in a sentence: `Searched for x in src`."""
    tool = TOOLS.get(call.kind)
    if call.kind == "mcp" and call.name:
        return [Words("Used ", "ours"), Words(strip_controls(call.name), "code")]
    if tool is None:
        name = strip_controls(call.name or call.kind)
        return [Words(NAMED.format("").rstrip(), "ours"), *_behind(" ", name, "code")]
    words, paths = subject(call, directory)
    if call.about:
        words, paths = ([call.about], []) if tool.words else ([], [call.about])
    line = (
        _behind(" ", strip_controls(" ".join(words)).strip(), "code") if words else []
    )
    gap = " in " if words else " "
    for path in paths:
        if said := strip_controls(path):
            line += [Words(gap, "ours"), Words(said, "path")]
            gap = " "
    if not line:
        return [Words(tool.phrase, "ours")]
    if not tool.verb:
        return [Words(f"{tool.phrase}:", "ours"), *line]
    return [Words(tool.verb, "ours"), *line]


def _behind(gap: str, text: str, style: Style) -> Inline:
    return [Words(gap, "ours"), Words(text, style)] if text else []


def _shortened(line: Inline) -> Inline:
    """A line of which no words of the log are too long."""
    return [
        words
        if words.style == "ours"
        else Words(truncate(one_line(words.text), _LONGEST), words.style)
        for words in line
    ]


def _add_what_was_cut(title: Inline, shown: SectionBuilder) -> None:
    """Show whole, above all else, what is too long for the title and not shown yet."""
    # As a rule nothing is, and to hash what is shown takes longer than all else here.
    if max([len(words.text) for words in title]) <= _LONGEST:
        return
    shown_texts = {part.text.head for part in shown.parts if isinstance(part, Code)}
    for words in reversed(title):
        text = strip_controls(words.text)
        is_cut = words.style != "ours" and len(one_line(text)) > _LONGEST
        if is_cut and text not in shown_texts:
            shown.parts.insert(0, Code(whole(text), "text", "command"))


def _add_outcome(shown: SectionBuilder) -> None:
    """Say how a call ended that is not ok, all of it where a line is too short."""
    outcome = shown.call.outcome
    if outcome is None or outcome == OK:
        return
    message = strip_controls(outcome.message).strip("\n")
    note = outcome_note(replace(outcome, message=message))
    shown.notes.insert(0, note)
    if len(note) > _LONGEST or "\n" in message:
        shown.code(message, "text", "argument")
