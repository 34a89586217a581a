"""The width and the colours of a report, on a terminal and elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convert.wording import cut_distinctly, cut_end, escape_controls
from convert.wording.styles_and_columns import columns
from support.edits import edited, log_of
from support.golden import GOLDEN
from support.in_process import run, run_on_terminal
from support.matrix import part

DIFF = ["diff", "diff-calls-that-moved/a.ndjson", "diff-calls-that-moved/b.ndjson"]
WIDE = ["diff", "diff-noise-in-values/a.ndjson"]
WIDE += ["diff-inside-a-changed-call/a.ndjson"]


@pytest.mark.exhaustive
def test_a_character_is_escaped_in_a_short_text_as_in_a_long_one() -> None:
    codes = [*range(0x10000), *range(0x1BC00, 0x1D200), *range(0xE0000, 0xE1100)]
    for code in part(codes, 8):
        text = f"a{chr(code)}b"

        assert escape_controls(text) == escape_controls(f"{text}é" + "x" * 99)[:-100]


@pytest.mark.parametrize("text", ["abcdef", "日本語日本語", "a\u0301" * 9])
@pytest.mark.parametrize("most", [2, 3, 4, 5])
def test_a_text_that_is_cut_takes_no_more_columns_than_it_may(
    text: str, most: int
) -> None:
    cut = cut_end(text, most)

    assert cut.endswith("…")
    assert columns(cut) <= most


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (["short", "names"], ["short", "names"]),
        (["first of all", "second of all"], ["first of…", "second o…"]),
        (["the task 17", "the task 18"], ["the…k 17", "the…k 18"]),
        (["日本語日本語い", "日本語日本語ろ"], ["日本…語い", "日本…語ろ"]),
    ],
)
def test_texts_are_cut_where_they_are_alike(texts: list[str], cut: list[str]) -> None:
    made = cut_distinctly(texts, 9)

    assert made == cut
    assert all(columns(text) <= 9 for text in made)


def on_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    return run_on_terminal([*arguments], GOLDEN, environment, columns)[1]


def in_pipe(*arguments: str, **environment: str) -> str:
    """Return the output of a command without a terminal."""
    return run([*arguments], GOLDEN, environment).stdout.decode()


def width(shown: str) -> int:
    """The width of the table of calls, the only part with a line of dashes."""
    [table] = [part for part in shown.split("\n\n") if "\n--  ---" in part]
    return max(map(len, table.splitlines()))


@pytest.mark.parametrize("columns", [60, 130])
def test_a_table_is_as_wide_as_the_terminal(columns: int) -> None:
    shown = on_terminal(*WIDE, columns=columns, NO_COLOR="1")

    assert columns - 10 < width(shown) <= columns
    assert shown.split() == in_pipe(*WIDE, "--width", str(columns)).split()


def test_a_table_is_never_narrower_than_40_columns() -> None:
    shown = on_terminal(*WIDE, columns=10, NO_COLOR="1")

    assert shown.split() == in_pipe(*WIDE, "--width", "40").split()


def test_an_explicit_width_overrides_the_terminal() -> None:
    shown = on_terminal(*WIDE, "--width", "60", columns=130, NO_COLOR="1")

    assert shown.split() == in_pipe(*WIDE, "--width", "60").split()


def test_there_is_no_pager_in_ci() -> None:
    printed, shown = (
        on_terminal(*WIDE, PAGER="head -1", NO_COLOR="1", CI=ci) for ci in ("true", "")
    )

    assert len(printed.splitlines()) > 24
    assert len(shown.splitlines()) == 1


def test_a_table_is_100_columns_wide_without_a_terminal() -> None:
    assert in_pipe(*WIDE) == in_pipe(*WIDE, "--width", "100")
    assert in_pipe(*WIDE) != in_pipe(*WIDE, "--width", "104")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("columns", "width"),
    part([("60", "60"), ("10", "40"), ("0", "100"), ("wide", "100")], 2),
)
def test_columns_is_the_width_without_a_terminal(columns: str, width: str) -> None:
    assert in_pipe(*WIDE, COLUMNS=columns) == in_pipe(*WIDE, "--width", width)


def test_a_terminal_without_a_size_counts_as_100_columns() -> None:
    shown = on_terminal(*WIDE, columns=0, COLUMNS="60", NO_COLOR="1")

    assert shown == in_pipe(*WIDE, "--width", "100")


COLOURED = {
    "a terminal": {},
    "one that has a name": {"TERM": "xterm-256color"},
    "NO_COLOR without a value": {"NO_COLOR": ""},
    "TERM=dumb, but forced": {"TERM": "dumb", "FORCE_COLOR": "1"},
    "a force of 0": {"CLICOLOR_FORCE": "0"},
}
PLAIN = {
    "TERM=dumb": {"TERM": "dumb"},
    "NO_COLOR": {"NO_COLOR": "1"},
    "NO_COLOR, although forced": {"NO_COLOR": "1", "FORCE_COLOR": "1"},
}


@pytest.mark.parametrize("name", COLOURED)
def test_a_report_on_a_terminal_is_coloured(name: str) -> None:
    shown = on_terminal(*DIFF, **COLOURED[name])

    assert "\x1b[36m" in shown
    assert re.sub(r"\x1b\[\d*m", "", shown) == on_terminal(*DIFF, NO_COLOR="1")


@pytest.mark.parametrize("name", PLAIN)
def test_a_report_on_a_terminal_may_be_plain(name: str) -> None:
    assert "\x1b" not in on_terminal(*DIFF, **PLAIN[name])


@pytest.mark.parametrize("name", ["CLICOLOR_FORCE", "FORCE_COLOR"])
def test_a_report_in_a_pipe_is_coloured_if_that_is_forced(name: str) -> None:
    assert "\x1b" not in in_pipe(*DIFF)
    assert "\x1b" not in in_pipe(*DIFF, **{name: "0"})
    assert "\x1b" not in in_pipe(*DIFF, **{name: ""})
    assert "\x1b[36m" in in_pipe(*DIFF, **{name: "1"})


def test_the_command_line_overrides_the_environment() -> None:
    always = in_pipe(*DIFF, "--color", "always", NO_COLOR="1")
    never = on_terminal(*DIFF, "--color", "never", FORCE_COLOR="1")

    assert "\x1b[36m" in always
    assert "\x1b" not in never


@pytest.mark.parametrize("report", ["json", "markdown"])
def test_a_report_for_programs_is_never_coloured(report: str) -> None:
    shown = in_pipe(*DIFF, "--format", report, "--color", "always")

    assert "\x1b" not in shown


def test_a_terminal_shows_no_control_of_a_patch(tmp_path: Path) -> None:
    logs = [tmp_path / "a.ndjson", tmp_path / "b.ndjson"]
    for log, after in zip(logs, ("y\n", "\x1b[2J\u202ez\n"), strict=True):
        log.write_bytes(log_of(edited("a", "x\n", after)))
    command = ["diff", *map(str, logs), "--format", "unified"]

    assert "\n+\x1b[2J\u202ez\n" in in_pipe(*command)
    shown = on_terminal(*command, NO_COLOR="1")
    assert "+\\x1b[2J\\u202ez" in shown
    assert "\x1b" not in shown


LOGS = ["every-way-to-fail", "a-run-as-the-agent-writes-it", "runs-without-an-init"]


@pytest.mark.parametrize("name", LOGS)
def test_coloured_text_is_the_plain_one_and_reads_back(
    name: str, tmp_path: Path
) -> None:
    log = str(next((GOLDEN / name).glob("*.ndjson")))
    plain = in_pipe(log, "--detail", "--answer")
    coloured = in_pipe(log, "--detail", "--answer", "--color", "always")
    (tmp_path / "text").write_text(coloured)

    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert in_pipe(str(tmp_path / "text"), "--detail", "--answer") == plain


def test_text_is_coloured_where_a_call_or_a_run_has_failed() -> None:
    log = str(GOLDEN / "every-way-to-fail" / "input.ndjson")
    shown = in_pipe(log, "--color", "always").splitlines()

    assert "Ran terminal command\x1b[31m (exit 1)\x1b[0m" in shown
    assert any(re.search(r"\x1b\[33m \(rejected.*\)\x1b\[0m$", line) for line in shown)
    assert not any("\x1b" in line for line in shown if "(" not in line)


def test_text_on_a_terminal_is_coloured() -> None:
    log = str(GOLDEN / "every-way-to-fail" / "input.ndjson")

    assert "\x1b[31m (exit 1)" in on_terminal(log)
    assert "\x1b" not in on_terminal(log, NO_COLOR="1")
    assert "\x1b" not in on_terminal(log, "-t", "markdown")


@pytest.mark.parametrize("arguments", [[], ["--answer"]])
def test_a_log_controls_no_terminal_through_coloured_text(
    arguments: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Read file: \x1b[2J\u202ea (error: \x1b[31mx)\n\n\x1b[2Jhi\n")
    shown = in_pipe(str(log), "--detail", *arguments, "--color", "always")

    assert set(re.findall(r"\x1b\[[\d;]*\w", shown)) <= {"\x1b[31m", "\x1b[0m"}
    assert "\u202e" not in shown


def test_messages_on_a_terminal_are_coloured() -> None:
    for choice, head in [
        ([], "runconv: "),
        (["--color", "always"], "\x1b[31mrunconv:\x1b[0m "),
    ]:
        done = run(["gone.ndjson", *choice], GOLDEN, {})
        assert done.stderr.decode().startswith(f"{head}gone.ndjson: cannot read it")
    log = str(GOLDEN / "noise-between-the-lines" / "input.ndjson")
    done = run([log, "--color", "always"], GOLDEN, {})
    assert done.stderr.startswith(b"\x1b[33mrunconv:\x1b[0m ")


def test_colours_are_only_for_standard_output(tmp_path: Path) -> None:
    log = str(GOLDEN / "every-way-to-fail" / "input.ndjson")
    run([log, "--color", "always", "-o", "out.txt"], tmp_path, {})

    assert b"\x1b" not in (tmp_path / "out.txt").read_bytes()


def test_only_messages_on_a_terminal_are_coloured() -> None:
    environment = {"TERM": "xterm-256color"}

    _, shown = run_on_terminal(["./missing"], GOLDEN, environment, streams=[2])
    _, printed = run_on_terminal(["./missing"], GOLDEN, environment, streams=[0, 1])

    assert "\x1b[31mrunconv:\x1b[0m ./missing: " in shown
    assert "\x1b" not in printed
