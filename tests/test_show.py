"""A run in the terminal: no line is too wide or controls it, and nothing is lost."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text as RichText
from wcwidth import wcswidth

import convert
from convert.cli import Painter
from convert.errors import RunconvError
from convert.options import Options
from convert.pages import RunPicture, figures_in_words, run_pictures
from convert.show import (
    CallLines,
    at_both_ends,
    cut,
    log_view,
    painted,
    prose_lines,
    styled,
    timeline_lines,
    visible,
    wrapped,
)
from support.conversions import FEW_LOGS
from support.edits import log_of
from support.made_runs import long_run
from support.matrix import each, matrix, part
from support.runs import Made, one_by_one, tell
from support.trial import CONTROL

WIDTHS = [40, 59, 80, 140]
# Wide characters, marks that combine, and signs of Markdown.
_TEXT = st.text("ab é日本́\t\n*_`~#>[]()!|-1.&;<\\\x1b\u202e\u200b", max_size=80)


def pictures(log: bytes) -> list[RunPicture]:
    try:
        events = [*convert.read([log])]
    except RunconvError:
        return []
    return [*run_pictures(events, Options(thinking=True))]


def made(log: bytes, width: int = 80) -> str:
    """Return how a log of this content is shown."""
    lines = log_view(pictures(log), "run.ndjson", width)
    return "".join(f"{line.plain}\n" for line in lines)


def faults(lines: list[str], width: int) -> Iterator[str]:
    """Yield the lines that a terminal of this width cannot show as they are."""
    for line in lines:
        if not 0 <= wcswidth(line) <= width or CONTROL.search(line) or "\n" in line:
            yield line


@matrix(path=part(FEW_LOGS, 4))
def test_no_line_is_wider_than_the_screen_or_controls_it(path: Path) -> None:
    runs = pictures(path.read_bytes())

    for width in WIDTHS:
        shown = [line.plain for line in log_view(runs, path.name, width)]

        assert [*faults(shown, width)] == []


@matrix(path=part(FEW_LOGS, 4))
def test_every_call_has_a_line(path: Path) -> None:
    runs = pictures(path.read_bytes())

    for run in runs:
        shown = "\n".join(line.plain for line in log_view([run], path.name, 100))

        for row in run.rows:
            assert re.search(rf"^ *{row.number} {re.escape(row.label)} ", shown, re.M)


@matrix(path=part(FEW_LOGS, 4))
def test_the_figures_count_the_failures_of_the_verdict(path: Path) -> None:
    for run in pictures(path.read_bytes()):
        failures = run.figures.failed or 0
        added = [more for name, _, more, _ in figures_in_words(run) if name == "calls"]

        counted = re.match(r"([\d,]+) failed", "".join(added))
        assert (counted[1] if counted else "0") == f"{failures:,}"


@given(_TEXT, st.integers(24, 90))
def test_markdown_is_no_wider_than_its_room_and_loses_no_word(
    text: str, width: int
) -> None:
    lines = [line.plain for line in prose_lines(text, width)]

    assert [*faults(lines, width)] == []
    shown = re.sub(r"\s", "", "".join(lines))
    assert shown.count("é") == text.count("é")
    assert shown.count("日") == text.count("日")


def test_markdown_keeps_its_blocks() -> None:
    text = (
        "# Head\n\n- one\n  1. two\n\n     more\n- *three*\n\n> said\n\n"
        "```py\nx = 1\n\n    y\n```\n\n|a|b|\n|-|-|\n|1|22|\n\n***\n\n"
        "a  \nb\nc ~~d~~ ![e](f) [g](http://h.example) <http://i.example>"
    )

    assert [line.plain for line in prose_lines(text, 40)] == [
        "Head",
        "",
        "• one",
        "  1. two",
        "",
        "     more",
        "• three",
        "",
        "│ said",
        "",
        "  x = 1",
        "",
        "      y",
        "",
        "a  b",
        "1  22",
        "",
        "────────────────────────",
        "",
        "a",
        "b c ~~d~~ [image: e] g",
        "(http://h.example) http://i.example",
    ]


def test_a_table_without_room_loses_only_its_columns() -> None:
    text = "|first|second|\n|-|-|\n|" + "long " * 6 + "|" + "words " * 6 + "|"

    assert [line.plain for line in prose_lines(text, 40)] == [
        "first · second",
        "long long long long long long · words",
        "words words words words words",
    ]


@given(_TEXT, _TEXT, st.integers(8, 60))
def test_two_texts_share_a_line(left: str, right: str, width: int) -> None:
    one_line = str.maketrans("\n", " ")
    line = at_both_ends(
        visible(left.translate(one_line)), visible(right.translate(one_line)), width
    )

    assert [*faults([line.plain], width)] == []


def test_a_text_is_cut_with_a_sign_and_wrapped_with_an_indent() -> None:
    assert cut(visible("日本語日本語"), 7).plain == "日本語…"
    assert cut(visible("abc"), 3).plain == "abc"
    assert [line.plain for line in wrapped(visible("a bb ccc"), 5, visible("> "))] == [
        "> a",
        "  bb",
        "  ccc",
    ]


def test_colours_are_the_16_of_the_terminal() -> None:
    line = styled("a", "red") + visible("b[bold]") + styled("c", "bold blue")

    assert painted(line) == "\x1b[31ma\x1b[0mb[bold]\x1b[1;34mc\x1b[0m"


# Words that fill rows, end them and go on in the next ones.
_PIECES = [
    ("a bb ccc dddd eeeeeeeeee f", "red"),
    ("  gg   ", ""),
    ("h i", "dim"),
    ("\n  indented words\n\n", "bold blue"),
    ("日本語 日é…日", "red"),
    ("\nwwwwwwww\nend ", "dim"),
    ("e\u0301 e\u0301e ", ""),
    ("… – narrow", "red"),
    ("  ", "dim"),
]


# In one cell, rich puts an empty line before a wide character that has no room.
@each(
    ("width", "pieces"),
    itertools.product(range(2, 15), [_PIECES, _PIECES[:3], _PIECES[::-1], _PIECES[4:]]),
)
def test_text_is_wrapped_and_painted_as_rich_does_it(
    pieces: list[tuple[str, str]], width: int
) -> None:
    console = Console(color_system="standard", force_terminal=True)
    text, expected = styled("", ""), RichText()
    for piece, style in pieces:
        text += styled(piece, style)
        expected.append(piece, style)

    lines = [painted(line) for line in wrapped(text, width)]

    rich_lines = expected.wrap(console, width, overflow="fold")
    for line in rich_lines:
        line.rstrip()
    assert lines == [
        "".join(
            style.render(part, color_system=ColorSystem.STANDARD) if style else part
            for part, style, _ in line.render(console)
        )
        for line in rich_lines
    ]


@each(
    ("begin", "end"),
    itertools.product(
        [*"-+=>#_", "1.", "10) ", "1", "\t", "    ", "\u3000"],
        ["", " ", "  ", "\n\n", "\n===", "\n\u3000\n"],
    ),
)
def test_paragraphs_are_the_same_without_a_parser(begin: str, end: str) -> None:
    text = f"a\n{begin} b{end}\n\n{begin}c"
    # The sign in the last paragraph takes the parser.
    parsed = prose_lines(f"a\n\n{text}\n\n&amp;", 40)

    lines = prose_lines(f"a\n\n{text}", 40)

    assert [*map(painted, lines)] == [*map(painted, parsed[:-2])]


def test_a_stranger_cannot_name_a_style() -> None:
    shown = made(long_run(3).replace(b"price", b"[red]price[/red] :smile:"))

    assert "[red]price[/red] :smile:" in shown


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", part(WIDTHS, 2))
@pytest.mark.parametrize("calls", [1, 30, 700])
def test_the_timeline_marks_every_place_of_a_failure(calls: int, width: int) -> None:
    [run] = pictures(long_run(calls))
    lines = [line.plain for line in timeline_lines(run, width)]
    names = [line.split(" ")[0] for line in lines]

    failed = sum(row.has_failed for row in run.rows)
    [marks] = [line[7:] for line in lines if line.startswith("Failed")] or [""]

    assert len(set(marks) - {" ", "x", "o"}) == 0
    assert bool(failed) == bool(marks.strip())
    assert len(marks.replace(" ", "")) <= failed
    order = ["Look", "Edit", "Run", "Other", "Failed", ""]
    assert names == [name for name in order if name in names]


@each(("width", "cells"), [(59, 19), (99, 22), (100, 35), (140, 44)])
def test_a_note_on_a_call_has_its_room(width: int, cells: int) -> None:
    [run] = pictures(long_run(1))
    [row] = run.rows
    row.ending = "x" * 60

    line = next(CallLines(3).of(row, width)).plain

    assert wcswidth(line) <= width
    assert f" {'x' * (cells - 1)}… " in line


@each(("width", "has_start"), [(59, False), (60, True)])
def test_a_call_shows_its_start_where_there_is_room(
    width: int, has_start: bool
) -> None:
    [run] = pictures(long_run(1))

    line = next(CallLines(3).of(run.rows[0], width)).plain

    assert (re.search(r" \d:\d\d ", line) is not None) == has_start


def test_a_lane_is_as_high_as_its_share_of_the_time() -> None:
    [run] = pictures(long_run(1))
    [row] = run.rows
    row.lane, row.started, row.ended = "run", 0, 5000
    run.length = 10_000

    lane = next(iter(timeline_lines(run, 27)))

    assert lane.plain == "Run    ██████████"


def test_a_log_without_times_says_so() -> None:
    shown = made(long_run(3, has_times=False))

    assert (
        "The log does not record when calls began: they appear in their order." in shown
    )
    assert not re.search(r"\d:\d\d", shown)


def test_a_long_chapter_is_split() -> None:
    shown = made(long_run(400).replace(b'"assistant"', b'"ignored"'))

    assert re.findall(r"^Calls (.*)$", shown, re.M)[:2] == ["51–100", "101–150"]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("never", b"\xe2\x96\x8c a\n"), ("always", b"\x1b[31m\xe2\x96\x8c \x1b[0ma\n")],
)
def test_a_pipe_gets_utf_8(choice: str, expected: bytes) -> None:
    line = styled("▌ ", "red") + visible("a")

    assert Painter(choice).painted(line) == expected


def test_a_failure_that_prints_only_blank_lines_has_no_output() -> None:
    failed = {"failure": {"exitCode": 1, "stdout": "\n \n\n"}}

    shown = made(log_of(("shell", {"command": "make"}, failed)))

    assert re.search(r"^ +1 shell +make +exit 1 *$", shown, re.M)
    assert "│" not in shown


def test_a_reason_that_a_refusal_repeats_is_shown_once() -> None:
    calls = [Made("shell", name, "rejected") for name in ("a.py", "b.py")]

    shown = made(tell(one_by_one(calls)))

    assert len(re.findall(r"^ +│ no$", shown, re.M)) == 1
