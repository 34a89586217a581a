"""A tool call as a reader meets it: a line that says what came of it, and its parts."""

from __future__ import annotations

from convert.display import cut, one_line, plain
from convert.model import OK, UNFINISHED, ToolCall
from convert.tools import NAMED, TOOLS, outcome_note, subject
from convert.transcript.fields import Fields
from convert.transcript.figures import duration
from convert.transcript.kinds import KINDS
from convert.transcript.kinds.servers import odd_members, unknown
from convert.transcript.pieces import Call, Line, Style, Words
from convert.transcript.shown import Shown

_LONGEST = 80


def show(call: ToolCall, directory: str, has_thinking: bool) -> Call:
    """Show a call that has ended, in a run with a given directory."""
    arguments, output = Fields(call.arguments), Fields(call.output, {})
    output.odd = arguments.odd
    shown = Shown(call, directory, has_thinking)
    KINDS.get(call.kind, unknown)(arguments, output, shown)
    if call.output is not None and not isinstance(call.output, dict | list):
        shown.code(plain(str(call.output)), "text")
    elif isinstance(call.output, list) and call.kind in KINDS:
        shown.json(call.output)
    if arguments.odd:
        odd_members(arguments.odd, shown)
    _add_outcome(shown)
    milliseconds = call.duration_ms
    if milliseconds is None:
        milliseconds = shown.milliseconds
    if milliseconds is not None and milliseconds >= 0:
        shown.notes.append(duration(milliseconds))
    return Call(
        number=call.number,
        title=_shortened(shown.title or _title(call, directory)),
        notes=[cut(one_line(note), _LONGEST) for note in shown.notes if note],
        summary=_shortened(shown.summary) or [Words("details", "ours")],
        parts=shown.parts,
        outcome=call.outcome or UNFINISHED,
        changes=shown.changes,
    )


def _title(call: ToolCall, directory: str) -> Line:
    """What a call did, in a sentence: `Searched for x in src`."""
    tool = TOOLS.get(call.kind)
    if call.kind == "mcp" and call.name:
        return [Words("Used ", "ours"), Words(one_line(call.name), "code")]
    if tool is None:
        name = one_line(call.name or call.kind)
        return [Words(NAMED.format("").rstrip(), "ours"), *_behind(" ", name, "code")]
    words, paths = subject(call, directory)
    if call.about:
        words, paths = ([call.about], []) if tool.words else ([], [call.about])
    line = _behind(" ", one_line(" ".join(words)), "code")
    for number, path in enumerate(filter(None, map(one_line, paths))):
        line += _behind(" in " if words and not number else " ", path, "path")
    if not line:
        return [Words(tool.phrase, "ours")]
    if not tool.verb:
        return [Words(f"{tool.phrase}:", "ours"), *line]
    return [Words(tool.verb, "ours"), *line]


def _behind(gap: str, text: str, style: Style) -> Line:
    return [Words(gap, "ours"), Words(text, style)] if text else []


def _shortened(line: Line) -> Line:
    """A line of which no words are too long."""
    return [Words(cut(one(words), _LONGEST), words.style) for words in line]


def one(words: Words) -> str:
    """Words on one line; blanks of ours at the ends stay."""
    return words.text if words.style == "ours" else one_line(words.text)


def _add_outcome(shown: Shown) -> None:
    """Say how a call ended that is not ok, all of it where a line is too short."""
    outcome = shown.call.outcome
    if outcome is None or outcome == OK:
        return
    note = outcome_note(outcome)
    shown.notes.insert(0, note)
    message = plain(outcome.message).strip("\n")
    if len(note) > _LONGEST or "\n" in message:
        shown.code(message, "text", "command")
