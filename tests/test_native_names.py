"""The name that an agent has for a tool stays visible, in our words for its kind."""

from __future__ import annotations

import pytest

from convert.errors import ignore
from convert.formats import formats
from convert.model import OK, EndOfLog, collect
from convert.options import Options
from convert.pages import call_row
from convert.show import CallLines
from convert.transcript import Shared, call_section
from support.agent_runs import FAILED as EXIT_1
from support.agent_runs import Step, claude, events_of, shell

READ: Step = ("Read", {"file_path": "a.py"}, OK, {"content": "x = 1\n"})
GLOB: Step = ("Glob", {"pattern": "*.py"}, OK, {"files": [], "totalFiles": 0})


def written(name: str, *steps: Step) -> str:
    events = [*events_of("Claude Code", [*steps], version="2.1.205")]
    events.append(EndOfLog(run=0, line=len(events)))
    writer = formats()[name].writer
    assert writer is not None
    return b"".join(writer.write(iter(events), Options(), ignore)).decode()


@pytest.mark.parametrize(
    ("name", "step", "shown"),
    [
        ("markdown", READ, "<summary><code>Read</code>: content, 6 B</summary>"),
        ("markdown", GLOB, "### 1. Searched for files `*.py` – 0 files, by Glob\n"),
        ("html", READ, "Tool <code>Read</code>. Line 2 of the log."),
        ("html", GLOB, "Tool <code>Glob</code>. Line 2 of the log."),
    ],
)
def test_a_call_says_which_tool_of_the_agent_made_it(
    name: str, step: Step, shown: str
) -> None:
    assert shown in written(name, step)


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_names_of_tools_do_no_harm(name: str) -> None:
    call = ("Read", {"file_path": "a.py"}, OK, {"content": "x"})
    events = events_of("Claude Code", [call])
    for event in events:
        if hasattr(event, "native"):
            event.native = "<b>\x1b[1m`x`\n# x"
    events.append(EndOfLog(run=0, line=len(events)))
    writer = formats()[name].writer
    assert writer is not None

    page = b"".join(writer.write(iter(events), Options(), ignore)).decode()

    assert "<b>\x1b" not in page
    assert "\n# x" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        (READ, "1 read   a.py   1 line, Read"),
        (shell("Bash", "ls x", EXIT_1, "no x"), "1 shell  ls x   exit 1, Bash"),
    ],
)
def test_a_line_of_the_terminal_ends_with_it(step: Step, shown: str) -> None:
    (call,) = next(collect(events_of("Claude Code", [step]))).calls
    section = call_section(call, Shared("", has_thinking=False))

    row = call_row(call, "1", "", section)
    line = next(CallLines(0, has_times=False).of(row, 60)).plain

    assert line.split() == shown.split()


def test_plain_values_hold_it() -> None:
    calls = claude().to_dict()["calls"]

    assert [call["native"] for call in calls] == ["Bash", "Read", "Edit", "Bash"]


def test_the_version_of_the_agent_is_a_fact_of_the_run() -> None:
    assert "- **Agent:** Claude Code 2.1.205\n" in written("markdown", READ)
