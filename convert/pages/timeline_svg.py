"""The timeline of a run as SVG: all of it is numbers, but for the names of calls.

A long run has tens of thousands of bars, for which a template takes five times as long.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable, Iterator

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from convert.facts.changed_files import FileChange
from convert.facts.failed_calls import FailureClass
from convert.pages.entries import CallRow
from convert.pages.environment import environment, html_of, percent
from convert.pages.long_timeline import Column, Columns, FailedDot, WrappedRow
from convert.pages.prose import is_safe, prose, prose_line
from convert.pages.timeline_layout import (
    BAR,
    TOP,
    Axis,
    Bar,
    CallTime,
    Dot,
    LaneRows,
    Timeline,
    moment,
)
from convert.wording.escapes import one_line, strip_controls
from convert.wording.numbers import duration

# The class of a call that went wrong.
FAILURE_CLASSES: dict[FailureClass, str] = {
    "failed": "failed",
    "hidden": "failed",
    "rejected": "rejected",
    "unfinished": "unfinished",
}
_WIDEST_LABELS = 56
_WRAPPED = 8
_LONGEST_SUBJECT = 60
# The elements of the lines of a diff, by their signs.
_TAGS = {"+": "ins", "-": "del", "@": "i"}
_SVG = '<svg width="{}" height="{}" aria-hidden="true">'


@functools.cache
def log_environment() -> Environment:
    """Return the environment of the templates of pages that show logs."""
    made = environment().overlay()
    made.globals = made.globals | {"timeline_svg": timeline_svg, "row_svg": row_svg}
    made.filters = made.filters | {
        "clock": moment,
        "diff_lines": _diff_lines,
        "duration": duration,
        "failure_class": FAILURE_CLASSES.__getitem__,
        "is_safe": is_safe,
        "kind": lambda value: type(value).__name__,
        "lines_of": _lines_of,
        "mark_of": mark_of,
        "message": lambda text: strip_controls(text).strip(),
        "one_line": lambda text: one_line(text)[:400],
        "prose": lambda text: Markup(prose(text)),
        "prose_line": lambda text: Markup(prose_line(text)),
    }
    return made


def compile_templates(folder: str) -> None:
    """Write the templates of all pages into a folder, as Python for a wheel."""
    made = copy.copy(log_environment())
    # An installed wheel loads code, in which there is no template to compile.
    made.loader = PackageLoader("convert", "")
    made.compile_templates(folder, ["j2"], zip=None, ignore_errors=False)


def timeline_svg(
    picture: Timeline, columns: Columns | None, rows: list[CallRow], prefix: str
) -> Markup:
    """Return the timeline of a run, with columns in place of bars if there are any."""
    calls = _columns(picture, columns, prefix) if columns else None
    return Markup(
        "".join(
            [
                *_labels(picture),
                _SVG.format("100%", picture.height),
                *_axis(picture),
                *_tracks(picture),
                *(calls or _bars(picture, rows, prefix)),
                *_silence(picture),
                "</svg>",
            ]
        )
    )


def row_svg(row: WrappedRow, prefix: str) -> Markup:
    """Return one row of the timeline that shows every call."""
    bars = "".join(
        f"{_link(bar, prefix)} {_across(bar.x, bar.width)}"
        f' y="1" height="6"{_failure(bar)}/></a>'
        for bar in row.bars
    )
    label = f'<text x="0" y="{_WRAPPED}">{row.label}</text></svg>'
    return Markup(
        f"{_SVG.format(_WIDEST_LABELS, _WRAPPED)}{label}"
        f'{_SVG.format("100%", _WRAPPED)}<g class="bars">{bars}</g></svg>'
    )


def _across(x: float, width: float) -> str:
    return f'x="{percent(x)}" width="{percent(width)}"'


def _link(bar: Bar, prefix: str) -> str:
    """Return the start of a bar, which leads to its call."""
    call = bar.call
    return (
        f'<a class="{call.lane}" href="#{prefix}c{call.number}" tabindex="-1">'
        '<rect fill="#5d6b7e"'
    )


def _failure(bar: Bar) -> str:
    failure = bar.call.failure
    return "" if failure is None else f' class="{FAILURE_CLASSES[failure]}"'


def _labels(picture: Timeline) -> Iterator[str]:
    """Yield the names of the lanes."""
    yield _SVG.format(_WIDEST_LABELS, picture.height)
    for lane in picture.lanes:
        y = lane.y + (lane.height + 8) // 2
        named = {"failed": ' class="bad"', "refused": ' class="warn"'}
        bad = named.get(lane.name, "")
        yield f'<text x="0" y="{y}"{bad}>{lane.name.capitalize()}</text>'
    yield "</svg>"


def _axis(picture: Timeline) -> Iterator[str]:
    """Yield the lines of the grid, and the times below them."""
    yield '<g class="grid">'
    for tick in picture.ticks:
        yield f"<line {_upright(tick.place, TOP, picture.bottom)}/>"
    yield "</g>"
    for number, tick in enumerate(picture.ticks, 1):
        anchor = "end" if tick.place > 97 else "middle" if tick.place > 1 else "start"
        odd = "" if number % 2 else ' class="odd"'
        yield (
            f'<text x="{percent(tick.place)}" y="{picture.height - 4}"'
            f' text-anchor="{anchor}"{odd}>{tick.label}</text>'
        )


def _upright(x: float, top: int, bottom: int) -> str:
    return f'x1="{percent(x)}" x2="{percent(x)}" y1="{top}" y2="{bottom}"'


def _tracks(picture: Timeline) -> Iterator[str]:
    """Yield where no call was open, and where the agent's reasoning is recorded."""
    for spans, name, fill in (
        (picture.agent, "track", "#e4e8ed"),
        (picture.thinking, "thought", "#8893a2"),
    ):
        for x, width in spans:
            across = f'{_across(x, width)} y="{TOP}" height="{BAR}"'
            yield f'<rect class="{name}" fill="{fill}" {across}/>'


def _silence(picture: Timeline) -> Iterator[str]:
    """Yield the marks where the axis is cut."""
    axis = picture.axis
    if not isinstance(axis, Axis) or axis.cut is None:
        return
    begin, end = axis.cut
    places = axis.place(begin), axis.place(end)
    for place in places:
        yield f'<line class="silence" {_upright(place, TOP, picture.bottom)}/>'
    yield (
        f'<text x="{percent(sum(places) / 2)}" y="{picture.bottom - 4}"'
        f' text-anchor="middle">{duration(end - begin)}</text>'
    )


def _bars(picture: Timeline, rows: list[CallRow], prefix: str) -> Iterator[str]:
    """Yield a bar for each call, and the marks of those that failed."""
    yield '<g class="bars">'
    for bar, row in zip(picture.bars, rows, strict=True):
        yield (
            f'{_link(bar, prefix)} {_across(bar.x, bar.width)} y="{bar.y}"'
            f' height="{BAR}"{_failure(bar)}><title>{_hover(row)}</title></rect></a>'
        )
    yield '</g>\n<g class="dots">'
    for dot in picture.dots:
        yield from _dot(dot)
    yield "</g>"


def _dot(dot: Dot) -> Iterator[str]:
    x, y = percent(dot.x), dot.y
    yield f"<line {_upright(dot.x, dot.stem, y)}/>"
    yield f'<circle{mark_of(dot.call)} fill="#b5360f" cx="{x}" cy="{y}" r="4"/>'
    if dot.number:
        at = f'x="{x}" y="{y + 16}" text-anchor="middle"'
        yield f'<text class="bad" {at}>{dot.number}</text>'


def mark_of(call: CallTime) -> Markup:
    """Return the class of the mark of a call: solid if it failed."""
    if call.has_failed:
        return Markup()
    refused = " refused" if call.failure == "rejected" else ""
    return Markup(f' class="hollow{refused}"')


def _hover(row: CallRow) -> str:
    """Return the HTML that is shown when a pointer is over a bar."""
    took = row.section.took if row.section else ""
    about = ", ".join(filter(None, (row.ending, took)))
    subject = row.subject
    if len(subject) > _LONGEST_SUBJECT:
        subject = f"{subject[: _LONGEST_SUBJECT - 1]}…"
    words = f"{row.number} {row.label} {subject}" + (f" – {about}" if about else "")
    return html_of(words)


def _columns(picture: Timeline, columns: Columns, prefix: str) -> Iterator[str]:
    """Yield the columns of each lane, the failures, and links to the calls."""
    for lane in picture.lanes:
        if lane.name in columns.lanes:
            yield from _lane(
                lane.name.partition(" ")[0],
                lane.y,
                lane.height,
                columns.lanes[lane.name],
            )
    yield '<g class="dots">'
    for lane in picture.lanes:
        if lane.name in columns.dots:
            yield from _marks(columns.dots[lane.name], lane)
    yield '</g>\n<g class="links">'
    height = picture.bottom - TOP
    for link in columns.links:
        yield (
            f'<a href="#{prefix}c{link.number}" tabindex="-1"><rect fill="none"'
            f' {_across(link.x, link.width)} y="{TOP}" height="{height}">'
            f"<title>from call {link.number}</title></rect></a>"
        )
    yield "</g>"


def _marks(dots: list[FailedDot], lane: LaneRows) -> Iterator[str]:
    y = lane.y + lane.height // 2
    hollow = ' class="hollow refused"' if lane.name == "refused" else ""
    for dot in dots:
        at = f'cx="{percent(dot.x)}" cy="{y}" r="{dot.radius:.1f}"'
        yield f'<circle{hollow} fill="#b5360f" {at}/>'


def _lane(name: str, y: int, height: int, columns: list[Column]) -> Iterator[str]:
    yield f'<svg class="columns {name}" x="0" y="{y}" width="100%" height="{height}"'
    yield f' viewBox="0 0 {len(columns)} 1" preserveAspectRatio="none">\n'
    heights = [(1.0, column.share) for column in columns]
    yield f'<path fill="#5d6b7e" d="{_area(heights)}"/>'
    failed = [(1 - each.share + each.failed, each.failed) for each in columns]
    yield f'<path class="failed" fill="#b5360f" d="{_area(failed)}"/>\n</svg>'


def _area(columns: Iterable[tuple[float, float]]) -> str:
    """Return the path of columns, each with its lower edge and its height."""
    return "".join(
        f"M{place} {low:.3f}v{-height:.3f}h1v{height:.3f}z"
        for place, (low, height) in enumerate(columns)
        if height > 0
    )


def _diff_lines(text: str) -> Markup:
    """Return the lines of a diff, each as an element of its kind."""
    lines = []
    for line in html_of(text.removesuffix("\n")).split("\n"):
        is_header = line.startswith(("@@", "---", "+++"))
        tag = "i" if is_header else _TAGS.get(line[:1], "span")
        lines.append(f"<{tag}>{line}</{tag}>")
    return Markup("".join(lines))


def _lines_of(change: FileChange | None) -> str:
    """Say how many lines of a file were added and removed."""
    if change is None:
        return ""
    if change.added is None or change.removed is None:
        return change.status
    return f"{change.status} +{change.added:,} −{change.removed:,}".strip()
