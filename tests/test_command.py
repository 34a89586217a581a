"""The command as a process: pipes, signals and terminals."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from convert.cli import refuse_input, run
from convert.errors import UsageError
from convert.scale import processors
from support import in_process
from support.golden import RUN
from support.matrix import part
from support.processes import RUNCONV, environment, on_terminal
from support.systems import make_pipe, need_system, needs_system

TEXT = b"Ran terminal command (exit 1)\nRead file\nEdited file\n"
HAS_WORKERS = processors() > 1


@contextmanager
def filter(
    *arguments: str, folder: Path | None = None, **variables: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A runconv that reads from a pipe and writes to one."""
    with subprocess.Popen(
        [RUNCONV, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=environment(**variables),
        cwd=folder,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def no_longer_than_a_minute() -> Iterator[None]:
    """Let a test fail that would wait for ever."""

    def fail(number: int, frame: FrameType | None) -> NoReturn:
        pytest.fail("still waiting after a minute")

    need_system("signals")
    signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def next_line(process: subprocess.Popen[bytes]) -> bytes:
    """The next line of output; a line that does not come is no reason to hang."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 20)
    return process.stdout.readline() if ready else b"(nothing)"


def test_each_line_appears_before_the_next_event_arrives() -> None:
    with filter("--detail") as process:
        assert process.stdin is not None
        shown = []

        for line in RUN.read_bytes().splitlines(keepends=True):
            process.stdin.write(line)
            if b'"completed","call_id"' in line:
                shown.append(next_line(process))

    assert shown == [
        b"Ran terminal command: pytest -q tests/test_price.py (exit 1)\n",
        b"Read file: src/price.py\n",
        b"Edited file: src/price.py\n",
    ]


@pytest.mark.parametrize("target", ["text", "stream-json"])
def test_an_interrupt_ends_a_live_pipe_quietly(target: str) -> None:
    lines = RUN.read_bytes().splitlines(keepends=True)
    with filter("-t", target) as process:
        assert process.stdin is not None
        process.stdin.write(b"".join(lines[:-3]))
        shown = next_line(process)

        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate()

    assert process.returncode == 130
    assert errors == b""
    assert shown
    assert b"unfinished" not in rest


@needs_system("a shell")
def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    log = tmp_path / "long.ndjson"
    log.write_bytes(RUN.read_bytes() * 2000)

    process = subprocess.run(
        ["sh", "-c", f"{RUNCONV} < {log}; echo $? >&2"],
        stdout=_closed_pipe(),
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )

    assert process.stderr == b"141\n"


def _closed_pipe() -> int:
    ours, theirs = os.pipe()
    os.close(ours)
    return theirs


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_no_file_stays_after_a_signal(tmp_path: Path, stop: signal.Signals) -> None:
    with filter("-o", str(tmp_path / "out" / "run.txt"), "--answer") as process:
        assert process.stdin is not None
        process.stdin.write(RUN.read_bytes())
        while not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir()):
            time.sleep(0)

        # Standard input stays open, so that nothing else ends the command. A signal
        # that comes just before a read is seen when the next one ends the read.
        while process.poll() is None:
            process.send_signal(stop)
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)

    assert process.returncode in (130, 143)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_signal_ends_a_command_that_it_meets_in_a_callback() -> None:
    script = (
        "import os, signal, weakref\n"
        "from convert.cli.output_files import exit_on_signals\n"
        "class Lock: pass\n"
        "exit_on_signals()\n"
        "lock = Lock()\n"
        "end = weakref.ref(lock, lambda _: os.kill(os.getpid(), signal.SIGTERM))\n"
        "del lock\n"
        "signal.pause()\n"
    )

    done = subprocess.run([sys.executable, "-c", script], timeout=60, check=False)

    assert done.returncode == 128 + signal.SIGTERM


def test_what_cannot_be_raised_after_a_command_fails_a_test(tmp_path: Path) -> None:
    hook = sys.unraisablehook

    in_process.run([str(RUN), "-o", "out.txt"], tmp_path, environment())

    assert sys.unraisablehook is hook


def test_a_terminal_is_not_steered(tmp_path: Path) -> None:
    log = tmp_path / "hostile.ndjson"
    text = "\x1b]0;title\x07 \u202egnp.exe \u200b \N{FAMILY}\u200d\N{BOY} a\tb"
    content = [{"type": "text", "text": text}]
    event = {
        "type": "assistant",
        "message": {"role": "assistant", "content": content},
        "model_call_id": "x",
        "note": "\x9b1m \u2066 \U000e0041",
    }
    log.write_text(json.dumps(event, ensure_ascii=False) + "\n", "utf-8")

    answer = on_terminal(str(log), "-t", "answer")
    stream = on_terminal(str(log), "-t", "stream-json")

    assert answer == (
        "\\x1b]0;title\\x07 \\u202egnp.exe \\u200b \N{FAMILY}\u200d\N{BOY} a\tb\n"
    )
    assert "\\u009b1m \\u2066 \\udb40\\udc41" in stream
    assert json.loads(stream) == event


def test_nothing_on_a_terminal_shows_the_short_help() -> None:
    need_system("terminals")
    import pty

    ours, theirs = pty.openpty()

    process = subprocess.run(
        [RUNCONV], stdin=theirs, capture_output=True, env=environment(), check=False
    )

    os.close(ours)
    os.close(theirs)
    assert process.returncode == 2
    assert process.stdout == b""
    assert process.stderr.startswith(b"usage: runconv")


def test_a_log_that_may_not_be_read_is_no_matter_of_its_path(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run.ndjson"
    log.touch(mode=0)
    # The first run imports modules for the second one, whose user has fewer rights.
    run([str(tmp_path / "missing.ndjson")])

    with as_nobody():
        assert run([str(log)]) == 2

    assert capfd.readouterr().err.splitlines()[-1] == (
        f"runconv: {log}: cannot read it: permission denied;"
        " make it readable, as with chmod +r, or run as its owner"
    )


@contextmanager
def as_nobody() -> Iterator[None]:
    """Leave the rights of root, who may read everything."""
    need_system("users")
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.parametrize("name", ["a b.ndjson", "\x1b[31m\n.ndjson", "ü.ndjson"])
def test_the_name_above_a_log_is_one_harmless_line(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = tmp_path / name
    shutil.copy(RUN, log)

    run([str(log), str(RUN)])

    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines[0].startswith("==> ")
    assert lines[0].endswith(".ndjson <==")
    assert lines[0].isprintable()
    assert lines[1] == "Ran terminal command (exit 1)"


@needs_system("a shell")
def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    subprocess.run(
        ["sh", "-c", f"umask 027; {RUNCONV} {RUN} -o {tmp_path}/out.txt"],
        env=environment(),
        check=True,
    )

    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640


def test_a_pipe_with_a_name_is_written_to_and_stays(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    make_pipe(fifo)

    with subprocess.Popen(
        [RUNCONV, str(RUN), "-o", str(fifo)], env=environment()
    ) as process:
        shown = fifo.read_bytes()

    assert process.returncode == 0
    assert shown == TEXT
    assert fifo.is_fifo()


def test_a_pipe_with_a_name_is_not_read_and_written_at_once(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    make_pipe(fifo)
    alias = tmp_path / "alias"
    alias.symlink_to(fifo)

    with pytest.raises(UsageError, match="is one of the logs to read"):
        refuse_input(str(alias), str(alias), [str(fifo)])


def many_with_pipes(folder: Path, *pipes: int) -> list[str]:
    """Return arguments for 60 logs; those with these numbers are pipes."""
    logs = [folder / f"{number}.ndjson" for number in range(60)]
    for number, log in enumerate(logs):
        if number in pipes:
            make_pipe(log)
        else:
            log.write_bytes(RUN.read_bytes())
    return [*map(str, logs), "-o", f"{folder}/out/"]


def reader_of(pipe: Path) -> int:
    """The process that reads from a pipe with a name."""
    while True:
        for file in Path("/proc").glob("[1-9]*/fd/*"):
            process = int(file.parts[2])
            with suppress(OSError):
                if process != os.getpid() and file.samefile(pipe):
                    return process


def test_many_logs_that_are_stopped_leave_no_half_file(tmp_path: Path) -> None:
    pipe = tmp_path / "59.ndjson"

    # It waits for the pipe, in a worker where there are several processors.
    with filter(*many_with_pipes(tmp_path, 59)) as process, pipe.open("wb"):
        process.terminate()
        process.wait(60)

    assert process.returncode == 128 + signal.SIGTERM
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names <= {f"{number}.txt" for number in range(59)}


@pytest.mark.usefixtures("no_longer_than_a_minute")
def test_workers_end_with_a_command_that_is_killed(tmp_path: Path) -> None:
    command = [RUNCONV, *many_with_pipes(tmp_path, 59)]
    held, holds = os.pipe()

    with subprocess.Popen(command, env=environment(), pass_fds=[holds]) as process:
        os.close(holds)
        with (tmp_path / "59.ndjson").open("wb"):
            process.kill()
            # It ends when no process holds the other end any more.
            assert os.read(held, 1) == b""

    names = {path.name for path in (tmp_path / "out").iterdir()}
    hidden = [name for name in names if name.startswith(".")]
    assert not (hidden and HAS_WORKERS)


@pytest.mark.skipif(not HAS_WORKERS, reason="needs two processors")
@pytest.mark.exhaustive
@pytest.mark.parametrize("killed", part([[1, 2, 25, 40], [0], [59]], 3))
@pytest.mark.usefixtures("no_longer_than_a_minute")
def test_a_worker_that_is_killed_costs_one_log(
    tmp_path: Path, killed: list[int]
) -> None:
    arguments = many_with_pipes(tmp_path, *killed)

    with filter(*arguments) as process:
        for number in killed:
            pipe = tmp_path / f"{number}.ndjson"
            with pipe.open("wb"):
                os.kill(reader_of(pipe), signal.SIGKILL)
        _, errors = process.communicate()

    assert process.returncode == 2
    assert errors.decode().splitlines() == [
        f"runconv: {tmp_path}/{number}.ndjson: the worker process died,"
        " possibly out of memory; read this log on its own"
        for number in killed
    ]
    written = sorted((tmp_path / "out").glob("*.txt"))
    assert {path.stem for path in written} == {
        str(number) for number in range(60) if number not in killed
    }
    assert {path.read_bytes() for path in written} == {TEXT}


@needs_system("a shell")
def test_many_logs_convert_where_no_worker_can_start(tmp_path: Path) -> None:
    command = [RUNCONV, *many_with_pipes(tmp_path)]

    # A worker takes more open files than that.
    process = subprocess.run(
        ["sh", "-c", 'ulimit -n 6; exec "$0" "$@"', *command],
        capture_output=True,
        env=environment(),
        check=False,
    )

    assert (process.returncode, process.stderr) == (0, b"")
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == [TEXT] * 60


def test_a_pipe_in_a_folder_is_refused(tmp_path: Path) -> None:
    logs = [tmp_path / "one.ndjson", tmp_path / "two.ndjson"]
    for log in logs:
        log.write_bytes(RUN.read_bytes())
    output = tmp_path / "out" / "one.txt"
    output.parent.mkdir()
    make_pipe(output)
    # Otherwise a program that opens the pipe waits for a reader.
    reader = os.open(output, os.O_RDONLY | os.O_NONBLOCK)

    done = in_process.run([*map(str, logs), "-o", f"{output.parent}/"], tmp_path, {})

    os.close(reader)
    what = f"cannot write {output}: it is a pipe or a device; remove it, or choose"
    assert done == (2, b"", f"runconv: {what} another with -o\n".encode())
    assert (tmp_path / "out" / "two.txt").read_bytes() == TEXT
