"""The calls of a run: a line for each, and their timeline in blocks."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator

from convert.facts.failed_calls import FailureClass
from convert.pages.entries import CallRow, Unresolved
from convert.pages.long_timeline import Column, lane_columns
from convert.pages.run_picture import RunPicture
from convert.pages.timeline_layout import (
    Axis,
    Marks,
    OrderAxis,
    Timeline,
    clock,
    moment,
    timeline,
)
from convert.show.text import (
    INDENT,
    Text,
    at_both_ends,
    cut,
    joined,
    styled,
    visible,
    wrapped,
)
from convert.wording.numbers import count, duration

_NUMBER = 5
_KIND = 6
_TIME = 7
# The most cells of a note on a call, on a narrow screen and on a wide one.
_WIDE = 100
_NARROW_NOTE, _WIDE_NOTE = 22, 44
# Half of the room is for the subject.
_LEAST_SHARE = 2
_STYLES: dict[FailureClass, str] = {
    "failed": "red",
    "hidden": "red",
    "rejected": "yellow",
    "unfinished": "red",
}


class CallLines:
    """The lines of calls that have ended, with their outputs if they failed."""

    def __init__(self, most: int, has_times: bool = True) -> None:
        self._most, self._has_times = most, has_times
        # Why the last refused call was refused; the next line does not repeat it.
        self._reason = ""

    def of(
        self, row: CallRow, cells: int, printing: Container[str] | None = None
    ) -> Iterator[Text]:
        """Yield the lines of a call and of those inside it.

        `printing` are the numbers of the failed calls whose output is shown, else all.
        """
        for each in row.with_inside:
            times = _times(each, _took(each), cells) if self._has_times else ""
            yield _line(each, cells, _note(each), times)
            if each.has_failed and (printing is None or each.number in printing):
                yield from _output_lines(each, cells, self._most)
            elif each.failure == "rejected":
                if each.why not in ("", self._reason):
                    yield cut(_edge() + visible(each.why), cells)
                self._reason = each.why


def open_call_line(row: CallRow, cells: int, took: str) -> Text:
    """Return the line of a call that is open for so long."""
    return _line(row, cells, Text(), _times(row, took, cells))


def cells_uncut(row: CallRow, most: int) -> int:
    """Return the cells of the widest line of a call, if nothing of it is cut."""
    subject = visible(row.subject).cells
    note = min(_note(row).cells, _WIDE_NOTE)
    columns = _NUMBER + _KIND + 2 * _TIME + len("    ")
    # A note takes at most its share of the room, even next to a short subject.
    line = columns + max(subject + 1 + note, _LEAST_SHARE * note)
    edge = len(f"{INDENT}│ ")
    outputs = [edge + visible(each).cells for each in row.last_lines[-most:]]
    return max([line, *outputs])


def _output_lines(row: CallRow, cells: int, most: int) -> Iterator[Text]:
    """Yield the last lines that a failed call printed."""
    lines = row.last_lines[-most:]
    if earlier := row.earlier_lines + len(row.last_lines) - len(lines):
        yield _edge() + styled(f"… {count(earlier, 'line')}", "dim")
    for line in lines:
        yield cut(_edge() + visible(line), cells)


def _edge() -> Text:
    return styled(f"{INDENT}│ ", "dim")


def failure_lines(failure: Unresolved, cells: int) -> Iterator[Text]:
    """Yield a failure in two lines: its subject and how it ended, and why it failed.

    A failure that happened several times names its calls.
    """
    row = failure.row
    left = Text(f"{row.number:>{_NUMBER}} ") + visible(row.subject)
    ending = " ".join(filter(None, (row.ending, failure.times)))
    yield at_both_ends(left, visible(ending, _style(row)), cells)
    if row.why:
        yield cut(Text(INDENT) + visible(row.why, "dim"), cells)


def _line(row: CallRow, cells: int, note: Text, times: str) -> Text:
    style = _style(row)
    kind = "blue" if row.lane == "edit" and not style else style or "dim"
    # A call of a subagent is below the one that started it.
    inset = "  " * row.number.count(".")
    begin = joined(
        (
            styled(f"{row.number:>{_NUMBER}} ", style),
            Text(inset),
            styled(f"{row.label:<{_KIND}} ", kind),
        )
    )
    room = cells - begin.cells - len(times)
    most = _NARROW_NOTE if cells < _WIDE else _WIDE_NOTE
    note = cut(note, min(most, room // _LEAST_SHARE))
    middle = at_both_ends(visible(row.subject), note, room)
    gap = Text(" " * (room - middle.cells))
    line = joined((begin, middle, gap, styled(times, "dim")))
    return cut(line.stripped(), cells)


def _times(row: CallRow, took: str, cells: int) -> str:
    """Return two columns: the start or the end of a call, and its duration."""
    # A narrower screen has no room for the start.
    at = f" {moment(row.at):>{_TIME}}" if cells >= 60 else ""
    return f"{at} {took:>{_TIME}}"


def _took(row: CallRow) -> str:
    """Write how long a call took; minutes as on a clock, to have room."""
    if row.started is not None and row.ended is not None:
        took = row.ended - row.started
        if took >= 60_000:
            return clock(took)
    return row.section.took if row.section is not None else ""


def _style(row: CallRow) -> str:
    # A call that is open has no section.
    if row.failure is None or row.section is None:
        return ""
    return _STYLES[row.failure]


def _note(row: CallRow) -> Text:
    """Return how a call ended, or the notes on one that ended well.

    The agent's own name for the tool comes last, where it is cut first.
    """
    native = row.section.native if row.section is not None else ""
    notes = row.section.notes if row.section is not None and not row.ending else []
    # A command that ended well needs no note on that.
    notes = [note for note in notes if note != "exit 0"]
    named = visible(", ".join(filter(None, [*notes, native])), "dim")
    if not row.ending:
        return named
    ending = visible(row.ending, _style(row))
    return joined((ending, styled(", ", "dim"), named)) if native else ending


_BLOCKS = " ▁▂▃▄▅▆▇█"
_LABEL = 7
_MARKS: dict[Marks, str] = {"failed": "red", "refused": "yellow"}


def timeline_lines(run: RunPicture, cells: int) -> Iterator[Text]:
    """Yield the lines of the picture of a run; none without calls."""
    if not run.rows:
        return
    drawn = timeline(run.times, run.length)
    label = max([_LABEL, *(len(lane.name) + 1 for lane in drawn.lanes)])
    width = cells - label
    for lane, columns in lane_columns(drawn.bars, width).items():
        yield _label(lane, "dim", label) + _lane(columns, lane)
    for name, style in _MARKS.items():
        if marks := _marks(drawn, name, width):
            yield _label(name, style, label) + styled(marks, style)
    yield _label("", "", label) + styled(_axis(drawn, width), "dim")
    note = ""
    if isinstance(drawn.axis, OrderAxis):
        note = "The log does not record when calls began: they appear in their order."
    elif drawn.clock == "ends":
        note = "The log records only when calls ended: marks and times are those of the"
        note += " ends."
    if note:
        yield from wrapped(styled(note, "dim"), cells)


def _label(name: str, style: str, width: int) -> Text:
    return styled(name.capitalize().ljust(width), style)


def _lane(columns: list[Column], lane: str) -> Text:
    """Return the blocks of a lane; a cell in which a call failed is red."""
    usual = "blue" if lane == "edit" else ""
    groups = itertools.groupby(columns, lambda each: each.failed > 0)
    return joined(
        styled(
            "".join(_block(column.share) for column in group),
            "red" if is_failed else usual,
        )
        for is_failed, group in groups
    ).stripped()


def _block(share: float) -> str:
    """Return the block for a share of time; any share above 0 is visible."""
    highest = len(_BLOCKS) - 1
    return _BLOCKS[min(max(round(share * highest), share > 0), highest)]


def _marks(drawn: Timeline, lane: Marks, width: int) -> str:
    """Return a mark for each call: `x` if it failed, or `o` if it was not done."""
    cells = [" "] * width
    for dot in drawn.dots:
        if dot.lane != lane:
            continue
        cell = _cell(dot.x, width)
        if cells[cell] != "x":
            cells[cell] = "x" if dot.call.has_failed else "o"
    return "".join(cells).rstrip()


def _axis(drawn: Timeline, width: int) -> str:
    """Return the times below the lanes, if there is room for them."""
    cells = [" "] * width
    axis = drawn.axis
    if isinstance(axis, Axis) and axis.cut is not None:
        first, last = (_cell(axis.place(moment), width) for moment in axis.cut)
        words = duration(axis.cut[1] - axis.cut[0]).removesuffix(" 0 s")
        room = max(last - first - 1, len(words))
        _put(cells, f"┆{words:^{room}}┆", first)
    for tick in drawn.ticks:
        middle = _cell(tick.place, width)
        _put(cells, tick.label, middle - len(tick.label) // 2)
    return "".join(cells).rstrip()


def _put(cells: list[str], label: str, begin: int) -> None:
    """Write a label if nothing is there or next to it."""
    begin = min(max(begin, 0), len(cells) - len(label))
    end = begin + len(label)
    if begin >= 0 and not "".join(cells[max(begin - 1, 0) : end + 1]).strip():
        cells[begin:end] = label


def _cell(place: float, width: int) -> int:
    return min(int(place * width / 100), width - 1)
