"""The changes in calls, files and final texts of two runs, with marks."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from convert.diff.calls.trajectory import Trajectory
from convert.diff.comparison import Comparison, Finding, RunComparison
from convert.diff.details import Detail, ValueChange, details_of
from convert.diff.file_changes import file_change, has_known_contents
from convert.diff.files import NO_DIFFERENCE, Change, FileComparison
from convert.diff.reports import ReportOptions
from convert.diff.reports.detail_lines import (
    EVERYTHING,
    Bounds,
    around,
    elided,
    extent,
    first_changes,
    first_hunks,
    subtle_notes,
)
from convert.diff.reports.finding_lines import with_details
from convert.diff.reports.summary import judgement_lines, result_words
from convert.diff.reports.verdict import (
    done_in_words,
    file_words,
    in_order,
    may_have_changed,
    omitted,
    other_commands,
    select,
)
from convert.diff.text_changes import (
    Contents,
    Kind,
    LineChange,
    LoneArgument,
    Rewording,
    Span,
    WordChange,
    words_changed,
)
from convert.wording.escapes import safe_line, strip_controls, truncate
from convert.wording.numbers import count

# The most that a page shows of each detail, and of all of them in characters.
_BOUNDS = Bounds(values=40, lines=60, changes=80, longest=400, command=2000)


def marked_details(
    compared: Comparison, options: ReportOptions
) -> tuple[dict[int, list[SimpleNamespace]], str]:
    """Return the changes inside calls, by the identity of their comparisons.

    The most severe come first; the second value counts those without room.
    """
    bounds = EVERYTHING if options.is_full else _BOUNDS

    def show(finding: Finding) -> list[SimpleNamespace]:
        assert finding.comparison is not None
        return list(_marked(details_of(finding.comparison, compared.settings), bounds))

    found = [each for each in with_details(compared) if each.comparison is not None]
    selected = select(found, show, _size, None if options.is_full else 1_500_000)
    shown_of = {id(finding.comparison): marked for finding, marked in selected.shown}
    return shown_of, omitted(selected, "details ")


def _size(details: list[SimpleNamespace]) -> int:
    """Return about how many characters details take on a page."""
    size = 0
    for marked in details:
        spans = [*marked.words, *(span for line in marked.lines for span in line.spans)]
        texts = [marked.path, marked.old or "", marked.new or ""]
        size += sum(map(len, texts)) + sum(len(span.text) for span in spans)
        # The markup of a line takes about this much.
        size += 60 * (2 + len(spans))
    return size


def _marked(details: list[Detail], most: Bounds) -> Iterator[SimpleNamespace]:
    """Yield the first details of a call, and how many more there are."""
    for detail in details[: most.values]:
        path = truncate(safe_line(detail.path), most.longest)
        match detail:
            case ValueChange():
                yield _values(path, detail, most)
            case LoneArgument():
                yield _member(path, new=truncate(safe_line(detail.value), most.command))
            case WordChange():
                words, more = _words(detail.spans, most)
                yield _member(path, words=words, left_out=more)
            case LineChange():
                yield _hunks(path, detail, most)
            case Contents():
                yield _contents(path, detail, most)
    if len(details) > most.values:
        more = f"… {count(len(details) - most.values, 'more change')}"
        yield _member("", left_out=more)


def _member(path: str, **parts: object) -> SimpleNamespace:
    """Return a member of a call, with the parts that only one side has.

    `old` and `new` are two values, None for a side without one; `words` are two
    wordings as one, or `lines` those of a text. `note` says how much changed, and
    `left_out` how much is omitted; both are empty if the page shows that.
    """
    values: dict[str, object] = {"old": None, "new": None, "words": (), "lines": ()}
    return SimpleNamespace(path=path, **values | {"note": "", "left_out": ""} | parts)


def _marked_line(kind: str, spans: list[Span]) -> SimpleNamespace:
    """Return a line of a text: removed, added, the same, a head or reworded."""
    return SimpleNamespace(kind=kind, spans=spans)


def _values(path: str, change: ValueChange, most: Bounds) -> SimpleNamespace:
    if change.old is not None and change.new is not None:
        old, new = map(safe_line, around(change.old, change.new, most.longest))
        return _member(path, old=old, new=new)
    old_or_none, new_or_none = (
        None if side is None else truncate(safe_line(side), most.longest)
        for side in (change.old, change.new)
    )
    return _member(path, old=old_or_none, new=new_or_none, note="absent")


def _words(spans: list[Span], most: Bounds) -> tuple[list[Span], str]:
    """Return the first changes of a wording, and how many more there are."""
    if most is EVERYTHING:
        return spans, ""
    first, more = first_changes(list(elided(spans)), most.changes)
    cut = [span._replace(text=_ends_of(span.text, most.longest)) for span in first]
    return cut, f"… {count(more, 'more change')}" if more else ""


def _ends_of(text: str, longest: int) -> str:
    """Return the start and the end of a long text."""
    if len(text) <= 4 * longest:
        return text
    return f"{text[: 2 * longest]} … {text[-2 * longest :]}"


def _hunks(path: str, change: LineChange, most: Bounds) -> SimpleNamespace:
    hunks, more = first_hunks(change, most)
    lines = []
    for hunk in hunks:
        lines.append(_marked_line("head", [Span("same", f"@@ line {hunk.line} @@")]))
        lines += [_line(line, most) for line in hunk.lines]
        notes = subtle_notes(hunk, most)
        lines += [_marked_line("head", [Span("same", f"! {note}")]) for note in notes]
    return _member(path, lines=lines, note=extent(change), left_out=more)


def _line(line: Span | Rewording, most: Bounds) -> SimpleNamespace:
    if isinstance(line, Rewording):
        return _marked_line("reworded", _words(line.spans, most)[0])
    return _marked_line(
        line.kind, [line._replace(text=truncate(line.text, most.longest))]
    )


def _contents(path: str, contents: Contents, most: Bounds) -> SimpleNamespace:
    lines = [_line(line, most) for line in contents.lines[: most.lines]]
    more = len(contents.lines) - len(lines)
    return _member(
        path,
        lines=lines,
        note=count(len(contents.lines), "line"),
        left_out=f"… {count(more, 'more line')}" if more else "",
    )


MOST_FILES = 12
"""The number of files that are not folded, with the lines that differ."""


def file_rows(run: RunComparison, options: ReportOptions) -> Iterator[SimpleNamespace]:
    """Yield the files that a run changed, those that differ first."""
    for place, file in enumerate(in_order(run.files)):
        has_room = place < MOST_FILES or options.is_full
        yield SimpleNamespace(
            path=file.path,
            a=_done(file.a),
            b=_done(file.b),
            words=_words_on_file(file, has_room),
            contents=_contents_at_end(file, run, options) if has_room else None,
        )


def file_notes(run: RunComparison, options: ReportOptions) -> Iterator[str]:
    """Yield how files are compared, and which commands may have changed others."""
    if any(file.status in ("same", "differs") for file in run.files):
        yield (
            "Same: the file is equal at the end, or both runs made the same changes to"
            " different contents."
        )
    if run.level != "calls":
        return
    # Asked once: a parser examines each command.
    commands = run.commands
    if (run.files and any(commands)) or other_commands(commands):
        words = may_have_changed(commands, options.is_full)
        yield f"{words[:1].upper()}{words[1:]}."


def _words_on_file(file: FileComparison, has_room: bool) -> str:
    """Return how the changes of a file compare, and their lines in the logs."""
    differs = file.status not in NO_DIFFERENCE
    where = lines_in_words(*file.lines) if differs else ""
    words = ", ".join(filter(None, (file_words(file), where)))
    if not has_room and has_known_contents(file):
        words += "; --full shows the lines"
    return words


def _done(change: Change | None) -> str:
    """Return the action of a run on a file, with the numbers of lines."""
    if change is None:
        return ""
    counts = change.counts
    lines = f" +{counts[0]:,} −{counts[1]:,}" if counts else ""
    return f"{done_in_words(change)}{lines}"


def _contents_at_end(
    file: FileComparison, run: RunComparison, options: ReportOptions
) -> SimpleNamespace | None:
    """Return the lines that differ in a file; None if they are not known."""
    found = file_change(file, run)
    most = EVERYTHING if options.is_full else _BOUNDS
    return _hunks(file.path, found.change, most) if found else None


def answers_of(run: RunComparison, options: ReportOptions) -> SimpleNamespace:
    """Return how the final texts of a pair of runs compare, in words and with marks.

    If they are the same, `both` is the text in Markdown; else `a` and `b` have their
    texts as spans, and `where` has the lines of both logs; or `whole` has both in
    Markdown, if they are too different for a diff.
    """
    words = result_words(run)
    made = SimpleNamespace(
        words=f"{words[:1].upper()}{words[1:]}.",
        judged=[" ".join(line.split()) for line in judgement_lines(run, options)][1:],
        where="",
        both="",
        whole=[],
        a=[],
        b=[],
    )
    text = run.text
    if text is None:
        return made
    if text.is_equal:
        made.both = _in_markdown(text.recorded[0], run.a)
        return made
    about = [finding for finding in run.findings if finding.is_about_text]
    made.where = lines_in_words(*about[0].lines)
    if not text.has_diff:
        texts = zip(text.recorded, (run.a, run.b), strict=True)
        made.whole = [_in_markdown(*each) for each in texts]
        return made
    spans = words_changed("", text.a, text.b).spans
    made.a = list(_side_of_answer(spans, "added"))
    made.b = list(_side_of_answer(spans, "removed"))
    return made


def _in_markdown(text: str, run: Trajectory | None) -> str:
    """Return a text with a blank line between the messages that it joins."""
    messages = run.run.texts if run else []
    if "".join(messages) == text:
        text = "\n\n".join(message for message in messages if message.strip())
    return strip_controls(text).strip()


def _side_of_answer(spans: list[Span], other: Kind) -> Iterator[Span]:
    """Yield the text of one side; white space before a word is not marked."""
    for span in spans:
        text = span.text.lstrip()
        if span.kind == other:
            continue
        yield Span("same", span.text[: len(span.text) - len(text)])
        if text:
            yield Span(span.kind, text)


def lines_in_words(line_a: int | None, line_b: int | None) -> str:
    """Return lines of both logs as `line 3 of A, line 4 of B`; empty for none."""
    lines = (("A", line_a), ("B", line_b))
    return ", ".join(f"line {line:,} of {name}" for name, line in lines if line)
