"""`show` in a real terminal: its width, colours, pager and updates; `diff` likewise."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from wcwidth import wcswidth

from convert.cli.pager import _words_of_pager
from support.golden import GOLDEN
from support.in_process import run
from support.matrix import part
from support.processes import IMPATIENT, environment
from support.tmux import Terminal, needs_tmux, terminal

pytestmark = needs_tmux

CASE = GOLDEN / "show-a-run"
RUN = GOLDEN / "show-follows-a-pipe" / "input.ndjson"
LINES = RUN.read_bytes().splitlines(keepends=True)
# Sizes of the screen, and if it has colours.
SCREENS = part(itertools.product([(80, 24), (140, 40)], [True, False]), 4)
_SEQUENCE = re.compile(r"\x1b\[([\d;]*)m")
# Without any, bold, dim, inverse, the eight colours, and the usual colours.
_ALLOWED = {"", "0", "1", "2", "7", *map(str, range(30, 38)), "39", "49"}
_STATUS = r"^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \d"


@pytest.fixture
def screen() -> Iterator[Terminal]:
    with terminal() as made:
        yield made


def widths(shown: str) -> set[int]:
    return {wcswidth(line) for line in shown.split("\n")}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("size", "is_coloured"), SCREENS)
def test_a_run_fits_on_the_screen(
    size: tuple[int, int], is_coloured: bool, screen: Terminal
) -> None:
    colours = {} if is_coloured else {"NO_COLOR": "1"}
    screen.start("runconv show input.ndjson", CASE, size, PAGER="", **colours)

    assert screen.wait_for_end() == 0
    shown = screen.shown(scrolled=True)

    assert max(widths(shown)) == size[0]
    expected = (CASE / f"{size[0]}.txt").read_text("utf-8")
    assert shown.partition("\nexit status")[0] == expected.rstrip("\n")
    codes = {
        code
        for match in _SEQUENCE.findall(screen.coloured())
        for code in match.split(";")
    }
    assert codes <= _ALLOWED
    assert bool(codes & {"31", "33", "34"}) == is_coloured


def test_a_longer_run_goes_to_the_pager(screen: Terminal) -> None:
    screen.start("runconv show input.ndjson", CASE, (80, 24))

    first = screen.wait_for(":")
    assert "Keep prices in cents" in first
    assert "mypy: not found" not in first.splitlines()[-2:]
    screen.press("G")
    screen.wait_for("(END)")
    screen.press("q")

    assert screen.wait_for_end() == 0


def test_the_pager_can_be_left_before_the_end(screen: Terminal, tmp_path: Path) -> None:
    from support.made_runs import long_run

    (tmp_path / "run.ndjson").write_bytes(long_run(1200))
    screen.start("runconv show run.ndjson", tmp_path, (80, 24))

    screen.wait_for("Migrate the shop")
    screen.press("q")

    assert screen.wait_for_end() == 0


def test_a_comparison_is_paged_between_words_and_keeps_its_status(
    screen: Terminal, tmp_path: Path
) -> None:
    from support.made_runs import long_run

    for name, calls in (("a", 40), ("b", 70)):
        (tmp_path / name).write_bytes(long_run(calls))
    whole = run(["diff", "a", "b", "--full"], tmp_path, environment())
    screen.start("runconv diff a b", tmp_path, (60, 24))

    shown = screen.wait_for("\n:").removesuffix("\n:")
    screen.press("q")

    assert screen.wait_for_end() == whole.status == 1
    words = {word for word in shown.split() if "…" not in word}
    assert words <= {*whole.stdout.decode().split()}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("pager", "is_whole"),
    part([("head -1", False), ("no-such-pager", True), ("'unbalanced", True)], 3),
)
def test_another_pager_or_none(pager: str, is_whole: bool, screen: Terminal) -> None:
    screen.start("runconv show input.ndjson", CASE, (80, 24), PAGER=pager)

    assert screen.wait_for_end() == 0
    shown = screen.shown(scrolled=True).partition("\nexit status")[0]

    assert shown.startswith("Keep prices in cents")
    assert ("mypy: not found" in shown) == ("\n" in shown) == is_whole


@pytest.mark.parametrize(
    ("pager", "words"),
    [("cat -n", ["cat", "-n"]), ("'cat", []), ("", []), ("no-such-program", [])],
)
def test_the_pager_has_words(
    pager: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", pager)

    assert _words_of_pager() == words


def test_a_run_that_fits_needs_no_pager(screen: Terminal) -> None:
    command = "runconv show input.ndjson"
    screen.start(command, CASE, (80, 90), PAGER="head -1")

    assert screen.wait_for_end() == 0
    assert "mypy: not found" in screen.shown()


def test_signs_that_the_encoding_lacks_are_replaced(screen: Terminal) -> None:
    command = "runconv show input.ndjson"
    screen.start(command, CASE, (80, 90), PYTHONIOENCODING="ascii")

    assert screen.wait_for_end() == 0
    shown = screen.shown()

    assert shown.isascii()
    assert re.search(r"^Run +#{19,}", shown, re.M)
    assert "\n| The agent reports success; 2 of 4" in shown
    assert max(widths(shown)) == 80


def test_without_a_log_there_is_a_word_on_help(screen: Terminal) -> None:
    screen.start("runconv show", CASE, (80, 24))

    assert screen.wait_for_end() == 2
    assert "show needs a log; runconv show @1 shows the newest run" in screen.shown()


def test_a_terminal_as_the_input_is_named(screen: Terminal) -> None:
    screen.start("runconv show -", CASE, (80, 24))

    screen.wait_for("notice: reading from the terminal, up to Ctrl-D")
    screen.press("C-d")

    assert screen.wait_for_end() == 2


class Growing:
    """A log that a terminal follows."""

    def __init__(self, screen: Terminal, folder: Path) -> None:
        self.screen = screen
        self.path = folder / "run.ndjson"
        self.path.write_bytes(b"")

    def follow(
        self,
        size: tuple[int, int],
        lines: int,
        command: str = "runconv",
        **environment: str,
    ) -> None:
        """Follow the log after this number of lines is written."""
        self.grow(0, lines)
        words = f"{command} show -F run.ndjson"
        self.screen.start(words, self.path.parent, size, **environment)

    def grow(self, begin: int, end: int) -> None:
        with self.path.open("ab") as file:
            file.writelines(LINES[begin:end])


@pytest.fixture
def log(screen: Terminal, tmp_path: Path) -> Growing:
    return Growing(screen, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("size", "is_coloured"), SCREENS)
def test_a_run_is_followed_to_its_end(
    size: tuple[int, int], is_coloured: bool, log: Growing
) -> None:
    colours = {} if is_coloured else {"NO_COLOR": "1"}
    log.follow(size, 9, shlex.join(IMPATIENT), **colours)

    shown = log.screen.wait_for("open")
    assert re.search(r"^    2 shell  pytest -q +0:01 +\d+ s$", shown, re.M)
    assert len(re.findall(_STATUS, shown, re.M)) == 1
    assert max(widths(shown)) == size[0]
    is_inverse = re.search(r"\x1b\[(?:\d+;)*7m", log.screen.coloured())
    assert bool(is_inverse) == is_coloured

    log.grow(9, 10)
    shown = log.screen.wait_for("2 calls, 1 failed")
    assert "      │ 1 failed, 1 passed in 0.03s" in shown

    log.grow(10, len(LINES))
    assert log.screen.wait_for_end() == 0
    shown = log.screen.shown(scrolled=True)
    assert not re.findall(_STATUS, shown, re.M)
    assert max(widths(shown)) <= size[0]
    end = shown.index("▌ The agent reports success")
    assert shown.index("    6 shell  git push") < end


def test_what_is_redrawn_does_not_scroll(log: Growing) -> None:
    log.follow((80, 6), 9)
    first = log.screen.wait_for("open")

    before = log.screen.run("display-message", "-p", "#{history_size}")
    shown = log.screen.wait_for(lambda text: text[-5:] != first[-5:])

    assert log.screen.run("display-message", "-p", "#{history_size}") == before
    assert len(re.findall(r"^    2 shell", shown, re.M)) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("columns", part([30, 41, 120], 3))
def test_a_resized_terminal_keeps_one_status_line(columns: int, log: Growing) -> None:
    log.follow((80, 24), 9)
    log.screen.wait_for("open")

    log.screen.resize(columns, 24)

    first = log.screen.wait_for(lambda text: last_status(text, columns))
    shown = log.screen.wait_for(
        lambda text: last_status(text, columns) not in ("", last_status(first, columns))
    )
    assert len(re.findall(_STATUS, shown, re.M)) == 1
    assert len(re.findall(r"^    2 shell", shown, re.M)) == 1


def last_status(shown: str, columns: int) -> str:
    """Return the status line if it is as wide as the screen."""
    last = shown.rpartition("\n")[2]
    is_status = re.match(_STATUS, last) and wcswidth(last) == columns
    return last if is_status else ""


def test_after_an_interrupt_the_lines_stay_on_the_screen(log: Growing) -> None:
    log.follow((80, 24), 9)
    log.screen.wait_for("open")

    log.screen.press("C-c")

    assert log.screen.wait_for_end() == 130
    shown = log.screen.shown()
    assert "    1 read   src/price.py" in shown
    *_, call, status, end = shown.split("\n")
    assert call.startswith("    2 shell  pytest -q")
    assert re.match(_STATUS, status)
    assert end == "exit status 130"


def test_a_message_is_above_the_lines_that_are_redrawn(log: Growing) -> None:
    log.follow((80, 24), 9)
    log.screen.wait_for("open")

    with log.path.open("ab") as file:
        file.write(b"npm warn\n")

    shown = log.screen.wait_for("not JSON, skipped")
    shown = log.screen.wait_for(
        lambda text: re.search(rf"skipped\n    2 shell .*\n{_STATUS[1:]}", text)
    )
    assert len(re.findall(_STATUS, shown, re.M)) == 1


def test_a_terminal_without_sequences_gets_only_lines(log: Growing) -> None:
    log.follow((80, 24), 10, TERM="dumb")

    shown = log.screen.wait_for("1 failed, 1 passed")
    log.screen.press("C-c")

    assert log.screen.wait_for_end() == 130
    assert not re.findall(_STATUS, shown, re.M)
