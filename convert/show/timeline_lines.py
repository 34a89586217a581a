"""The picture of a run in cells: a line for each lane, and where calls failed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rich.text import Text

from convert.pictures.axis import Axis, OrderAxis
from convert.pictures.columns import Column, lane_columns
from convert.pictures.run_picture import RunPicture
from convert.pictures.timeline import Marks, Timeline, timeline
from convert.show.cells import styled, wrapped
from convert.wording.numbers import duration

BLOCKS = " ▁▂▃▄▅▆▇█"
_LABEL = 7
_MARKS: dict[Marks, str] = {"failed": "red", "refused": "yellow"}
_BY_ORDER = "The log does not record when calls began: they stand in their order."
_BY_ENDS = (
    "The log records only when calls ended: marks and times are those of the ends."
)


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
    if isinstance(drawn.axis, OrderAxis):
        yield from wrapped(styled(_BY_ORDER, "dim"), cells)
    elif drawn.clock == "ends":
        yield from wrapped(styled(_BY_ENDS, "dim"), cells)


def _label(name: str, style: str, width: int) -> Text:
    return styled(name.capitalize().ljust(width), style)


def _lane(columns: list[Column], lane: str) -> Text:
    """Return the blocks of a lane; a cell in which a call failed is red."""
    usual = "blue" if lane == "edit" else ""
    line = Text()
    for is_failed, group in itertools.groupby(columns, lambda each: each.failed > 0):
        blocks = "".join(_block(column.share) for column in group)
        line.append(blocks, "red" if is_failed else usual)
    line.rstrip()
    return line


def _block(share: float) -> str:
    """Return the block for a share of time; one that is not 0 can be seen."""
    highest = len(BLOCKS) - 1
    return BLOCKS[min(max(round(share * highest), share > 0), highest)]


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
    """Return the times below the lanes, as many as there is room for."""
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
    """Write a label if nothing is there or beside it."""
    begin = min(max(begin, 0), len(cells) - len(label))
    end = begin + len(label)
    if begin >= 0 and not "".join(cells[max(begin - 1, 0) : end + 1]).strip():
        cells[begin:end] = label


def _cell(place: float, width: int) -> int:
    return min(int(place * width / 100), width - 1)
