"""`runconv run` with agents that misbehave: it ends, says why, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

import convert
from benchmarks import processes
from support import in_process
from support.matrix import each
from support.misbehaving import Ended, Trial, tries
from support.processes import RUNCONV
from support.shell import ENVIRONMENT
from support.systems import need_system, needs_system

need_system("named pipes")

AGENTS = ["cursor", "claude", "codex", "opencode"]
# As many runs at once: most of them wait.
AT_ONCE = 6
# Shorter than usual, so that the tests are.
SOON = ("--grace", "300ms")
# More than the pause of the script that goes on after a result, and less than the rest.
LATER = ("--grace", "1s")


class Case(NamedTuple):
    """An agent that misbehaves, and how its run ends."""

    script: str
    status: int
    head: str
    """How the run ended, as the last line on standard error begins."""
    reason: str
    """Why; or how the agent ended after its result, and "" if it exited with 0."""
    process: dict[str, object]
    """How the agent ended, in the last mark of the log."""
    options: tuple[str, ...] = SOON
    agent: str = "cursor"

    def __str__(self) -> str:
        return f"{self.script} {self.agent}"


STOPPED = "the agent did not exit within 300 ms and was ended"
STALLED = "nothing came for 500 ms (--stall), so the agent was ended"
LIMITED = "it took more than 700 ms (--limit), so the agent was ended"
CLOSED = "the agent closed its output without a result, and was ended"
QUOTA = (
    "ActionRequiredError: You've hit your usage limit. Your limit resets on 1 December."
)
SUCCESS = (0, "the run succeeded")
FAILED = (1, "the run failed")
NO_RESULT = (1, "the run has no result")
RESULT = {"stopped": "result"}
EXITED = {"exit_code": 0}
STALL = ({"stopped": "stall"}, ("--stall", "500ms"))
CASES = [
    Case("goes-silent-after-its-result", *SUCCESS, STOPPED, RESULT),
    Case("stalls-in-a-call", 124, "the run stalled", STALLED, *STALL),
    Case(
        *("prints-nothing", 124, "the run took too long", LIMITED),
        *({"stopped": "limit"}, ("--limit", "700ms")),
    ),
    Case(
        *("kills-itself", *NO_RESULT, "the agent was ended by SIGKILL"),
        {"signal": "SIGKILL"},
    ),
    Case("exits-0-after-an-error", *FAILED, "I could not find the function.", EXITED),
    Case(
        *("succeeds-without-a-word", *NO_RESULT),
        *("the agent exited with status 0 and printed nothing", EXITED),
    ),
    Case("leaves-a-child-with-its-pipe", *SUCCESS, "", EXITED),
    Case("floods-standard-error", *SUCCESS, "", EXITED),
    Case("ends-in-half-a-line", *NO_RESULT, "the agent exited with status 0", EXITED),
    Case("reaches-a-usage-limit", *FAILED, QUOTA, {"exit_code": 1}),
    Case("reports-two-results", *SUCCESS, "", EXITED, LATER),
    Case("closes-its-output", *NO_RESULT, CLOSED, {"stopped": "closed"}),
    Case("ignores-term", *SUCCESS, STOPPED, RESULT),
    Case("prints-all-at-once", *SUCCESS, "", EXITED),
    Case("jumps-in-time", *SUCCESS, STOPPED, RESULT),
    Case(
        *("exits-3-after-a-success", *SUCCESS),
        *("the agent then exited with status 3", {"exit_code": 3}),
    ),
    Case("asks-in-colours", *FAILED, "Trust this folder? [y/N]", {"exit_code": 1}),
    # Twins of some of these.
    Case("succeeds-with-an-empty-answer", *SUCCESS, "", EXITED),
    Case("omits-its-last-line-feed", *SUCCESS, STOPPED, RESULT),
    Case(
        *("fails-after-a-success", *FAILED, "Error: the network is down"),
        {"exit_code": 4},
    ),
    Case("leaves-its-session", 124, "the run stalled", STALLED, *STALL),
]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """How the runs of all cases end, which wait for their agents together."""
    return run_all(CASES, tmp_path_factory)


def run_all(cases: list[Case], factory: pytest.TempPathFactory) -> dict[str, Ended]:
    folders = [factory.mktemp(case.script) for case in cases]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(map(str, cases), pool.map(run, cases, folders), strict=True))


def run(case: Case, folder: Path) -> Ended:
    return Trial(folder, case.script, *case.options, agent=case.agent).end()


@each("case", CASES)
def test_an_agent_that_misbehaves_is_ended(case: Case, ended: dict[str, Ended]) -> None:
    check(case, ended[str(case)])


def check(case: Case, done: Ended) -> None:
    """Check a run: its status, its last line, its log and that nothing is left."""
    assert done.status == case.status, done.stderr
    # Only the last line names the call that was open.
    last, _, call = done.last_line.partition("; a call was open: ")
    assert last == last_line(case.status, case.head, case.reason)
    assert bool(call) == (case.head == "the run stalled")
    assert not done.has_left
    check_log(done)
    (part,) = tries(done.log)
    assert part.end.pop("reason", "") == ("" if part.has_result else case.reason)
    assert part.end == {"type": "runconv", "subtype": "end", **case.process}


def last_line(status: int, head: str, reason: str) -> str:
    """Return how `runconv run` says that a run ended."""
    if status:
        return f"runconv: {head} (exit status {status}): {reason}"
    return f"runconv: {head}; {reason}" if reason else f"runconv: {head}"


def check_log(done: Ended, is_shown: bool = True) -> None:
    """Check that a log holds all that the agent said, and that this was shown."""
    in_log = [*tries(done.log)]
    stdout = b"".join(part.stdout for part in in_log)
    stderr = [line for part in in_log for line in part.stderr]

    written = done.said("stdout")
    # A mark after half a line is on a line of its own.
    assert stdout == written + b"\n" * (written[-1:] not in (b"", b"\n"))
    assert stderr == done.said("stderr").decode().splitlines()
    if is_shown:
        assert done.stdout == b"".join(convert.convert(done.log))


@needs_system("/dev/full")
@each(
    ("script", "line"),
    [
        ("behaves", "the run succeeded (exit status 2), but its log is incomplete"),
        (
            "exits-0-after-an-error",
            "the run failed (exit status 1): I could not find the function.",
        ),
    ],
)
def test_a_full_disk_under_the_log_is_reported_once(
    script: str, line: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp(script)

    done = Trial(folder, script, "--log", "/dev/full").end()

    assert f"(exit status {done.status})" in line
    assert done.last_line == f"runconv: {line}"
    assert done.stderr.count("no space left on device") == 1
    assert done.stdout == b"".join(convert.convert(done.said("stdout")))


def test_a_named_pipe_that_nobody_reads_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    done = Trial(tmp_path, "behaves", "--log", str(tmp_path / "pipe")).end()

    assert done.status == 2
    assert "nobody reads this named pipe" in done.last_line


@each("is_ignored", [False, True])
def test_a_terminal_that_closes_ends_no_run_by_half(
    is_ignored: bool, tmp_path: Path
) -> None:
    # Other systems lack it.
    import pty

    log = tmp_path / "run.log"
    words = [RUNCONV, "run", "--limit", "1s", "--log", str(log), "--", "sleep", "20"]
    process, terminal = pty.fork()
    if not process:
        os.environ["TERM"] = "xterm"
        if is_ignored:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execv(RUNCONV, words)
    os.read(terminal, 1)
    os.close(terminal)

    _, status = os.waitpid(process, 0)

    assert os.waitstatus_to_exitcode(status) == (124 if is_ignored else 129)
    (part,) = tries(log.read_bytes())
    assert part.end["stopped"] == ("limit" if is_ignored else "signal")


def test_a_run_goes_on_without_its_reader(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "waits-for-its-reader", stdout=subprocess.PIPE)
    os.mkfifo(trial.record / "go")

    assert trial.process.stdout is not None
    with trial.process.stdout as pipe:
        shown = pipe.readline()
    (trial.record / "go").write_bytes(b"\n")
    done = trial.end()

    assert done.status == 0
    assert done.last_line == "runconv: the run succeeded"
    assert done.stderr.count("nobody reads the output any more") == 1
    assert b"".join(convert.convert(done.log)).startswith(shown)
    check_log(done, is_shown=False)


NOT_STARTED = {
    "missing": "no such program; check its path",
    "folder": "it is a folder; name a program",
    "plain": "permission denied; make it executable: chmod +x ./plain",
    "no-shebang": "it is no program; does a script lack its first line #!/bin/sh?",
}


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").touch(0o644)
    (tmp_path / "no-shebang").touch(0o755)
    (tmp_path / "no-shebang").write_text("exit 0\n")

    for name, says in NOT_STARTED.items():
        words = ["run", "--log", f"{name}.log", "--", f"./{name}"]
        done = in_process.run(words, tmp_path, ENVIRONMENT)

        message = f"cannot start ./{name}: {says}"
        assert done == (2, b"", f"runconv: {message}\n".encode())
        (in_log,) = tries((tmp_path / f"{name}.log").read_bytes())
        assert in_log.end == {"type": "runconv", "subtype": "end", "reason": message}


@each(
    ("number", "status", "how"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "hung up"),
    ],
)
@pytest.mark.seldom
def test_a_signal_ends_the_agent(
    number: int, status: int, how: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trial = Trial(tmp_path_factory.mktemp("signal"), "stops-when-told")

    trial.wait_for("ready")
    trial.process.send_signal(number)
    done = trial.end()

    assert done.status == status
    assert done.last_line == ended_by_signal(how, status)
    assert done.said("stderr") == b"Stopped by the user\n"
    assert not done.has_left
    check_log(done)


def ended_by_signal(how: str, status: int) -> str:
    return f"runconv: the run was {how} (exit status {status}), and the agent was ended"


def test_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    trial = Trial(tmp_path, "stops-only-when-killed")

    trial.wait_for("ready")
    trial.process.send_signal(signal.SIGINT)
    trial.wait_for("TERM")
    trial.process.send_signal(signal.SIGINT)
    done = trial.end()

    assert done.status == 130
    assert done.last_line == ended_by_signal("interrupted", 130)
    assert not done.has_left
    check_log(done)


@each(("kinds", "status", "number"), [("quota,network", 0, 2), ("network", 1, 1)])
@pytest.mark.seldom
def test_a_limit_is_tried_again(
    kinds: str, status: int, number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("retry")

    done = Trial(folder, "fails-once", "--retries", "3", "--retry-on", kinds).end()

    assert done.status == status
    assert done.stderr.count("retry 1 of 3") == number - 1
    assert [part.end["exit_code"] for part in tries(done.log)] == [1, 0][:number]
    check_log(done)


ENDS_OF_AGENTS = [
    case._replace(agent=agent)
    for agent in AGENTS[1:]
    for case in CASES
    if case.script in ("goes-silent-after-its-result", "reports-two-results")
    # In one session of opencode, nothing makes up for an error.
    if (agent, case.script) != ("opencode", "reports-two-results")
]


@pytest.mark.seldom
def test_the_end_of_each_agent_is_seen(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    done = run_all(ENDS_OF_AGENTS, tmp_path_factory)

    for case in ENDS_OF_AGENTS:
        check(case, done[str(case)])


# Between the result, or a deadline, and the end: KILL comes after 4 with usual times.
MOST_SECONDS = 5


@pytest.mark.seldom
def test_each_end_comes_within_seconds(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """With the usual times; `pytest -m exhaustive -n 0 -rP` shows the table."""
    options = [case.options if case.status == 124 else () for case in CASES]
    cases = [
        case._replace(options=own) for case, own in zip(CASES, options, strict=True)
    ]

    done = run_all(cases, tmp_path_factory)

    for case in cases:
        it = done[str(case)]
        print(f"{case.script:30} {it.status:>3} {it.seconds:.1f} s  {it.last_line}")
    assert [done[str(case)].status for case in cases] == [case.status for case in cases]
    assert max(ended.seconds for ended in done.values()) < MOST_SECONDS


@pytest.mark.seldom
def test_output_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    done = Trial(tmp_path, "leaves-noise-elsewhere", *SOON).end()

    how = "the agent exited with status 0"
    assert done.last_line == last_line(*NO_RESULT, how)
    assert [part.end["exit_code"] for part in tries(done.log)] == [0]


@pytest.mark.seldom
def test_a_reader_that_reads_nothing_does_not_stop_the_limit(tmp_path: Path) -> None:
    idle, pipe = os.pipe()
    options = ("-t", "stream-json", "--limit", "700ms")

    trial = Trial(tmp_path, "prints-all-at-once", *options, stdout=pipe)
    os.close(pipe)
    done = trial.end()
    os.close(idle)

    last, _, call = done.last_line.partition("; a call was open: ")
    assert last == last_line(124, "the run took too long", LIMITED)
    assert call == "shell pytest -q"
    assert not done.has_left


# In kilobytes, above a pipe that reads the same run.
MOST_MEMORY = 5000


@pytest.mark.seldom
def test_a_flood_of_100_megabytes_takes_little_memory(tmp_path: Path) -> None:
    measured = [sys.executable, "-SE", "-c", processes.MEASURED, RUNCONV]

    done = Trial(
        tmp_path, "floods-standard-error", flood=100_000, command=measured
    ).end()
    with (done.record / "stdout").open("rb") as log:
        piped = subprocess.run(measured, stdin=log, capture_output=True, check=True)

    assert done.log.count(b'{"type":"runconv","subtype":"stderr","text":"D') == 100_000
    assert done.log.count(b'0"}\n') == 100_000
    assert int(done.last_line) < int(piped.stderr) + MOST_MEMORY
