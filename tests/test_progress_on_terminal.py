"""The bar of long work in a real terminal, which may become narrower meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.matrix import part
from support.tmux import Terminal, needs_tmux, terminal

pytestmark = needs_tmux

# Reads a megabyte for each line that is typed, and prints a message for an `m` on it.
WORK = """
import itertools, sys
from convert.cli import progress
from convert.cli.messages import hide_for_messages, say

seconds = itertools.count(1)
bar = progress.Bar()
done = progress.Progress(40_000_000, 400, bar, clock=lambda: float(next(seconds)))
with hide_for_messages(bar.hide):
    for line in sys.stdin:
        if line.startswith("m"):
            say("a.ndjson: a message")
        bar.due = 0
        done.add(1_000_000)
bar.hide()
"""


@pytest.fixture
def screen() -> Iterator[Terminal]:
    with terminal() as made:
        yield made


def bars(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if "of 4" in line or "MB" in line]


@pytest.mark.exhaustive
@pytest.mark.parametrize("narrow", part([40, 50, 70], 3))
def test_nothing_of_a_bar_stays_when_the_terminal_changes(
    narrow: int, screen: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "work.py").write_text(WORK)
    screen.start("stty -echo; echo ready; python work.py", tmp_path, (100, 24))
    screen.wait_for("ready")

    def is_redrawn(shown: str) -> bool:
        # The size may have been asked for before it changed, and a terminal that became
        # narrower shows the old bar in two rows until it is drawn again.
        screen.press("Enter")
        return len(bars(shown)) == 1 and "of 400 logs" in bars(shown)[0]

    for columns in (100, narrow, 120, narrow):
        screen.resize(columns, 24)
        screen.press("m", "Enter")
        [bar] = bars(screen.wait_for(is_redrawn))
        assert len(bar) <= columns
    screen.resize(narrow // 2, 24)
    screen.press("C-d")

    assert screen.wait_for_end() == 0
    # Text that tmux has moved above the screen when it wrapped lines is out of reach.
    assert bars(screen.shown()) == []
    everything = screen.shown(scrolled=True)
    assert everything.replace("\n", "").count("a message") == 4
