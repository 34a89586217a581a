"""A run while it goes on: its lines, its open calls, and a file that grows."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from wcwidth import wcswidth

import convert
from convert.cli import Ending, GrowingFile, pipe_pieces
from convert.cli import live_area as growing
from convert.errors import InputError, RunconvError
from convert.facts import CallsByParent
from convert.model import End, Event, Start, ToolCall
from convert.options import Options
from convert.show import FollowedLog, silence_in_words
from support.conversions import FEW_LOGS
from support.edits import call_of, edited, log_of
from support.golden import GOLDEN
from support.matrix import each, matrix, part
from support.processes import IMPATIENT, environment
from support.systems import make_pipe
from support.trial import CONTROL

RUN = GOLDEN / "show-follows-a-pipe" / "input.ndjson"
LINES = RUN.read_bytes().splitlines(keepends=True)


def events(path: Path) -> list[Event]:
    try:
        return [*convert.read(path)]
    except RunconvError:
        return []


def text_of(log: FollowedLog, event: Event, width: int = 80) -> list[str]:
    return [line.plain for line in log.add(event, width, at=100.0)]


@matrix(path=part(FEW_LOGS, 6))
def test_each_call_appears_when_it_ends(path: Path) -> None:
    """One of a subagent appears with the call that started it, under a number of it."""
    log = FollowedLog(Options(), path.name)
    grouped: dict[int, CallsByParent] = {}
    has_run = False

    for event in events(path):
        lines = text_of(log, event)
        has_run = has_run or isinstance(event, End)
        calls: Iterable[ToolCall] = ()
        if isinstance(event, ToolCall):
            calls = grouped.setdefault(event.run, CallsByParent()).add(event)
        elif isinstance(event, End):
            calls = grouped.pop(event.run, CallsByParent()).rest()
        ended = [
            f"{call.number:>5} "
            for call in calls
            if call.outcome is not None and not call.is_repeated and not call.around
        ]
        if isinstance(event, ToolCall | End):
            assert [line[:6] for line in lines if line[:6].strip().isdigit()] == ended

    assert log.is_complete == has_run
    assert not log.area(80, 100.0) or not has_run


@matrix(path=part(FEW_LOGS, 6))
def test_no_line_is_wider_than_the_screen_or_controls_it(path: Path) -> None:
    for width in (40, 80):
        log = FollowedLog(Options(thinking=True), path.name)
        for event in events(path):
            lines = [*log.add(event, width, 0.0), *log.area(width, 1.0)]
            for line in lines:
                assert 0 <= wcswidth(line.plain) <= width
                assert not CONTROL.search(line.plain)


class WaitingError(Exception):
    """There is nothing more to read for now."""


def live(lines: list[bytes]) -> Iterator[Event]:
    """Yield the events of a log that has these lines so far."""

    def pieces() -> Iterator[bytes]:
        yield from lines
        raise WaitingError

    with contextlib.suppress(WaitingError):
        yield from convert.read(pieces())


def area_after(lines: list[bytes], now: float, width: int = 80) -> list[str]:
    """Return the open calls after lines of a log that were written at 100 seconds."""
    log = FollowedLog(Options(), "run.ndjson")
    for event in live(lines):
        log.add(event, width, at=100.0)
    return [line.plain for line in log.area(width, now)]


def test_nothing_goes_on_before_the_first_run_and_after_the_last() -> None:
    assert area_after([], 100.0) == ["⠋ no run has begun"]
    assert area_after(LINES, 100.0) == []


def test_an_open_call_is_shown_with_the_time_that_it_takes() -> None:
    call, status = area_after(LINES[:9], 140.4)

    assert call.split() == ["2", "shell", "pytest", "-q", "0:01", "40", "s"]
    assert call.endswith("    0:01    40 s")
    assert status.startswith("⠹ 1 call, none failed · 0:42 · 0 files changed  ")
    assert status.endswith("  open 40 s")


def test_an_open_call_has_the_number_that_its_line_will_have() -> None:
    path = GOLDEN / "claude-stream-three-parallel-subagents" / "claude.ndjson"
    log = FollowedLog(Options(), path.name)
    opened, printed = set(), set()

    for event in events(path):
        lines = text_of(log, event)
        printed |= {*map(number_and_kind, lines)}
        area = [line.plain for line in log.area(80, 100.0)[:-1]]
        assert [*map(place, area)] == sorted(map(place, area))
        opened |= {*map(number_and_kind, area)}

    assert ("2.1", "grep") in opened
    assert ("5", "task") in opened
    assert opened <= printed


def number_and_kind(line: str) -> tuple[str, ...]:
    return (*line.split()[:2],)


def place(line: str) -> list[int]:
    return [*map(int, line.split()[0].split("."))]


def test_the_clock_never_goes_back() -> None:
    log = FollowedLog(Options(), "run.ndjson")
    times = []
    for number, event in enumerate(live(LINES)):
        log.add(event, 80, at=100.0 + 20 * number)
        for later in (19.0, 1.0):
            if area := log.area(80, 100.0 + 20 * number + later):
                minutes, seconds = area[-1].plain.split(" · ")[1].split(":")
                times.append(60 * int(minutes) + int(seconds))

    assert len(times) > 20
    assert times == sorted(times)


def test_a_line_is_cut_only_where_there_is_an_end_of_lines() -> None:
    path = GOLDEN / "show-follows-a-pipe" / "long.ndjson"
    printed = {}
    for is_cut in (True, False):
        log = FollowedLog(Options(), path.name, is_cut=is_cut)
        lines = [line for event in events(path) for line in text_of(log, event)]
        printed[is_cut] = "\n".join(lines)

    assert "…" in printed[True]
    assert "…" not in printed[False]
    assert "tests/prices/test_rounding_of_discounts.py" in printed[False]


def test_a_log_that_is_silent_for_long_says_so() -> None:
    def said(minutes: float) -> str:
        return silence_in_words(60 * minutes)

    assert [*map(said, (0, 9.9, 10, 59.9, 60, 1500))] == [
        *("", "", "no new line for 10 min", "no new line for 59 min"),
        *("no new line for 1 h", "no new line for 25 h"),
    ]
    log = FollowedLog(Options(), "run.ndjson")
    for event in live(LINES[:9]):
        log.add(event, 80, at=100.0)
    *_, status = log.area(80, 4000.0, said(65))
    assert status.plain.endswith(" no new line for 1 h")


def test_without_an_open_call_the_agent_is_at_work() -> None:
    # Call 2 has ended at 3.9 s.
    [status] = area_after(LINES[:10], 165.0)

    assert status.startswith("⠴ 2 calls, 1 failed · 1:08 · 0 files changed ")
    assert status.endswith(" agent 1:05")


def test_an_edit_counts_as_a_changed_file() -> None:
    [status] = area_after(LINES[:13], 100.0)

    assert "3 calls, 1 failed · 0:04 · 1 file changed" in status


def test_a_failed_call_shows_the_last_three_lines_of_its_output() -> None:
    failed = {"failure": {"exitCode": 1, "stdout": "one\ntwo\nthree\nfour\nfive\n"}}
    log = FollowedLog(Options(), "run.ndjson")
    events = live([log_of(("shell", {"command": "make"}, failed))])

    shown = [line.strip() for event in events for line in text_of(log, event)]

    output = [line for line in shown if line.startswith("│")]
    assert output == ["│ … 2 lines", "│ three", "│ four", "│ five"]


def test_a_time_that_the_log_records_is_that_of_the_run() -> None:
    log = FollowedLog(Options(), "run.ndjson")
    log.add(Start(run=1, line=1), 80, at=100.0)
    shown = []
    for number, (recorded, at) in enumerate([(5000, 101.0), (2000, 110.0)], 1):
        call = call_of("read", {}, number=number, ended_since_start_ms=recorded)
        log.add(call, 80, at)
        shown.append(log.area(80, at)[-1].plain.split(" · ")[1])

    assert shown == ["0:05", "0:14"]


def test_a_file_that_is_as_before_is_not_changed() -> None:
    there, back = edited("a.py", "1\n", "2\n"), edited("a.py", "2\n", "1\n")
    *lines, _ = log_of(there, back).splitlines(keepends=True)

    assert "1 file changed" in area_after(lines[:2], 100.0)[-1]
    assert "0 files changed" in area_after(lines, 100.0)[-1]


@each(("now", "took"), [(159.4, "59 s"), (160.4, "1:00"), (161.4, "1:01")])
def test_from_a_minute_on_a_time_is_as_on_a_clock(now: float, took: str) -> None:
    assert area_after(LINES[:9], now)[-1].endswith(f" open {took}")


def started(count: int) -> list[bytes]:
    """Return a log with so many calls that are open."""
    ids = [b'"call_id": "x%d"' % number for number in range(count)]
    return [*LINES[:6], *(LINES[6].replace(b'"call_id": "c1"', id) for id in ids)]


def test_four_open_calls_are_shown_and_all_are_counted() -> None:
    *calls, status = area_after(started(6), 107.0)

    assert [call[:6].strip() for call in calls] == ["1", "2", "3", "4"]
    assert status.endswith(" 6 open 7 s")


def test_the_area_is_as_wide_as_the_screen() -> None:
    for width in (40, 100, 140):
        *calls, status = area_after(started(2), 107.0, width)

        assert wcswidth(status) == width
        assert all(wcswidth(call) <= width for call in calls)


def test_a_run_that_interrupts_another_is_announced() -> None:
    other = [line.replace(b"7d0f4a11", b"8e1f5b22") for line in LINES]
    log = FollowedLog(Options(), "")

    lines = [
        line
        for event in live([*LINES[:8], *other[:8], LINES[8], *LINES[9:10]])
        for line in text_of(log, event)
    ]

    assert [line[:8] for line in lines if line.startswith("──")] == [
        "── Run 2",
        "── Run 1",
    ]


class Written:
    """A file that changes while something waits for it, by one step a time."""

    def __init__(self, path: Path, *steps: Callable[[], object]) -> None:
        self.path = path
        self.steps = [*steps]
        self.is_complete = False
        self.file = GrowingFile(
            str(path), self.step, lambda: self.is_complete, lambda _: "; look"
        )

    def step(self) -> None:
        assert self.steps, "waits in vain"
        self.steps.pop(0)()

    def finish(self) -> None:
        self.is_complete = True

    def read(self) -> tuple[bytes, Ending | None]:
        """Return the bytes of one log, and why it ends."""
        return b"".join(self.file.pieces()), self.file.ending

    def add(self, more: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(more)

    def replace(self, content: bytes) -> None:
        other = self.path.with_name("other")
        other.write_bytes(content)
        other.replace(self.path)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """A file of one byte, to which nobody is patient."""
    monkeypatch.setattr(growing, "POLL", 0)
    monkeypatch.setattr(growing, "PATIENCE", 0)
    path = tmp_path / "run.ndjson"
    path.write_bytes(b"a")
    return Written(path)


def test_a_file_is_read_as_it_grows(written: Written) -> None:
    written.steps = [lambda: written.add(b"b"), lambda: None, written.finish]

    assert written.read() == (b"ab", "complete")
    assert written.steps == []


def test_a_file_that_is_emptied_holds_another_log(written: Written) -> None:
    written.steps = [lambda: written.path.write_bytes(b"")]

    assert written.read() == (b"a", "truncated")

    written.steps = [lambda: written.add(b"new"), written.finish]
    assert written.read() == (b"new", "complete")


def test_what_a_file_got_before_it_was_replaced_is_read(written: Written) -> None:
    def rotate() -> None:
        written.add(b"b")
        written.replace(b"new")

    written.steps = [rotate]
    assert written.read() == (b"ab", "replaced")

    written.steps = [written.finish]
    assert written.read() == (b"new", "complete")


def test_a_file_that_is_replaced_while_it_is_empty_holds_no_log(
    written: Written,
) -> None:
    written.path.write_bytes(b"")
    written.steps = [lambda: written.replace(b"new"), written.finish]

    assert written.read() == (b"new", "complete")


def test_a_file_that_vanishes_ends_its_log(written: Written) -> None:
    written.steps = [written.path.unlink]

    assert written.read() == (b"a", "gone")


def test_a_name_without_a_file_waits_for_another(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "PATIENCE", 1000)
    written.steps = [
        written.path.unlink,
        lambda: None,
        lambda: written.path.write_bytes(b"new"),
    ]

    assert written.read() == (b"a", "replaced")


def test_a_file_that_cannot_be_opened_is_an_error(written: Written) -> None:
    written.path.unlink()

    with pytest.raises(InputError, match=r"cannot read it: no such file.*; look"):
        written.read()


def test_a_pipe_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    make_pipe(path)
    writer = os.open(path, os.O_RDWR)
    waits = []

    def wait() -> None:
        waits.append(os.write(writer, b"more"))

    pieces = pipe_pieces(str(path), wait, lambda _: "")

    assert [next(pieces), next(pieces)] == [b"more", b"more"]
    assert len(waits) == 2
    pieces.close()
    os.close(writer)


def follow(*arguments: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*IMPATIENT, "show", "--follow", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(COLUMNS="80"),
    )


def read_until(process: subprocess.Popen[bytes], expected: bytes) -> bytes:
    """Read the output of a process up to a line that has this in it."""
    assert process.stdout is not None
    shown = b""
    for line in process.stdout:
        shown += line
        if expected in line:
            return shown
    raise AssertionError(shown)


def test_lines_appear_while_the_agent_works() -> None:
    with follow(stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for begin, end, expected in ((0, 8, b"1 read"), (8, 10, b"2 shell")):
            process.stdin.writelines(LINES[begin:end])
            process.stdin.flush()
            read_until(process, expected)
        process.stdin.close()

        assert process.wait() == 0


def test_a_reader_that_goes_away_ends_the_command(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"
    log.write_bytes(b"".join(LINES[:9]))

    with follow(str(log)) as process:
        read_until(process, b"1 read")
        assert process.stdout is not None
        process.stdout.close()

        assert process.wait(timeout=30) == 141
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_an_interrupt_ends_the_command_without_a_word(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"
    log.write_bytes(b"".join(LINES[:9]))

    with follow(str(log)) as process:
        read_until(process, b"1 read")
        process.send_signal(signal.SIGINT)

        assert process.wait() == 130
        assert process.communicate() == (b"", b"")


def test_a_log_that_stays_as_it_was_long_ago_is_announced_once(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"
    log.write_bytes(b"".join(LINES[:9]))
    then = time.time() - 9.5 * 3600
    os.utime(log, (then, then))

    with follow(str(log)) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        time_left = 3 * growing.POLL
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(time_left)
        process.send_signal(signal.SIGINT)

        assert line == f"runconv: {log}: notice: no new line for 9 h\n"
        assert process.stderr.read() == b""


def test_a_log_in_place_of_another_is_announced(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"

    with follow(str(log)) as process:
        assert process.stderr is not None
        waiting = process.stderr.readline().decode()
        log.write_bytes(b"".join(LINES[:9]))
        read_until(process, b"1 read")
        log.write_bytes(b"")
        shown = read_until(process, b"has no result")
        log.write_bytes(b"".join(LINES))
        shown += read_until(process, b"stays unresolved")
        _, errors = process.communicate()

    assert process.returncode == 0
    assert b"    2 shell  pytest -q" in shown
    assert waiting == f"runconv: notice: waiting for {log}\n"
    assert errors.decode() == (
        f"runconv: {log}: notice: the file was emptied; another log follows\n"
    )
