"""An unexpected error ends the command with status 2 and one line, never a verdict."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

import convert
from convert import __main__ as main
from convert import cli
from convert.cli import (
    Destination,
    LogResult,
    NamedLog,
    failure_in_words,
    messages,
)
from convert.cli import output_files as new_files
from convert.scale import conversion
from convert.scale.engines import Local, local, results_of
from convert.write import ended
from support import shortages
from support.golden import RUN
from support.matrix import matrix, part
from support.processes import RUNCONV, environment
from support.systems import need_system, needs_system
from test_speed import convert_or_say


def raises(error: BaseException) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep changes of the command to its process out of that of the tests."""
    monkeypatch.setattr("sys.unraisablehook", None)
    # An earlier test may have asked for colours.
    monkeypatch.setattr(messages, "_choice", ["auto"])
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            MemoryError(),
            "out of memory; convert parts of the log, or allow more memory",
        ),
        (
            OSError(errno.EMFILE, "Too many open files"),
            "too many open files; allow more, as with ulimit -n",
        ),
        (
            RuntimeError("can't start new thread"),
            "the system allows no more processes or threads",
        ),
        (OSError(errno.EIO, "I/O error", "a.txt"), "'a.txt': i/o error"),
    ],
)
def test_a_shortage_is_said_in_one_line(
    error: Exception,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cli, "run", raises(error))

    status = main.main()

    assert (status, capfd.readouterr()) == (2, ("", f"runconv: {words}\n"))


@pytest.mark.usefixtures("quiet")
def test_a_bug_is_said_in_one_line_that_names_its_place(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "run", raises(KeyError("a\nb")))

    status = main.main()

    assert status == 2
    assert capfd.readouterr().err.startswith(
        "runconv: unexpected failure in __main__.py, line "
    )


def test_the_place_of_a_bug_is_in_our_code_whoever_raises() -> None:
    def pieces() -> Iterator[bytes]:
        yield json.loads("{")

    with pytest.raises(json.JSONDecodeError) as raised:
        list(convert.read(pieces()))

    words = failure_in_words(raised.value)
    assert re.match(r"unexpected failure in pipeline\.py, line \d+: JSON", words)
    assert words.endswith("with the output of python -X dev -m convert")


@pytest.mark.usefixtures("quiet")
def test_no_memory_for_the_words_is_said_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "run", raises(MemoryError()))
    monkeypatch.setattr("convert.cli.messages.say", raises(MemoryError()))

    assert (main.main(), capfd.readouterr().err) == (2, "runconv: out of memory\n")


def test_a_full_disk_has_a_name_in_words() -> None:
    error = OSError(errno.ENOSPC, "No space left on device")

    assert failure_in_words(error) == "no space left on device"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on device"),
        (
            FileNotFoundError(errno.ENOENT, "No usable temporary directory"),
            "there is none",
        ),
    ],
)
def test_a_temporary_folder_without_room_is_named(
    error: OSError, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", raises(error))
    monkeypatch.setattr(ended, "_MOST_BUFFERED", 100)
    log = RUN.read_bytes()

    with pytest.raises(convert.RunconvError, match=f"temporary folder: {why}; name"):
        list(convert.convert(log, "markdown", front_matter=True))


def converted_by_workers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setattr(local, "processors", lambda: 3)
    logs = [NamedLog(str(number), "") for number in range(150)]
    return list(results_of(Local(""), convert_or_say, logs, lambda _: 2))


def test_logs_convert_where_no_process_can_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "fork", raises(BlockingIOError(errno.EAGAIN, "no more")))

    assert converted_by_workers(monkeypatch).count(0) == 149


def test_logs_convert_where_no_thread_can_start(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    refuse = raises(RuntimeError("can't start new thread"))
    monkeypatch.setattr(threading.Thread, "start", refuse)

    assert converted_by_workers(monkeypatch).count(0) == 149
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.exhaustive
@pytest.mark.parametrize("files", part([7, 12, 16], 3))
def test_logs_convert_where_few_files_can_be_open(tmp_path: Path, files: int) -> None:
    logs = [tmp_path / f"{number}.ndjson" for number in range(60)]
    for log in logs:
        log.write_bytes(RUN.read_bytes())

    need_system("limits of a process")
    import resource

    done = subprocess.run(
        [RUNCONV, *map(str, logs), "-o", f"{tmp_path}/out/"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
        env=environment(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert len([*(tmp_path / "out").iterdir()]) == 60


def test_one_log_that_fails_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = [tmp_path / f"{name}.ndjson" for name in "ab"]
    for log in logs:
        log.write_bytes(RUN.read_bytes())
    convert_log_to = conversion.convert_log_to

    def fail_once(to: Destination, log: NamedLog, *more: Any) -> LogResult:
        if log.path.endswith("a.ndjson"):
            raise MemoryError
        return convert_log_to(to, log, *more)

    monkeypatch.setattr(conversion, "convert_log_to", fail_once)

    status = cli.run([*map(str, logs), "-o", f"{tmp_path}/out/"])

    assert status == 2
    assert capfd.readouterr().err.startswith(f"runconv: {logs[0]}: out of memory")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.txt"]


@needs_system("streams that do not block")
def test_standard_streams_that_do_not_block_are_waited_for() -> None:
    log = RUN.read_bytes() * 300
    with subprocess.Popen(
        [RUNCONV, "-t", "stream-json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: [os.set_blocking(file, False) for file in range(3)],
        env=environment(),
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # It has found nothing to read by then, or will at once.
        select.select([], [process.stdin], [])
        writer = threading.Thread(target=lambda: write(process, log))
        writer.start()
        shown = process.stdout.read()
        while piece := process.stdout.read():
            shown = (shown or b"") + piece
        writer.join()
        errors = process.stderr.read() if process.stderr else b""

    assert (process.returncode, errors, shown == log) == (0, b"", True)


def write(process: subprocess.Popen[bytes], log: bytes) -> None:
    assert process.stdin is not None
    rest = memoryview(log)
    while rest:
        try:
            rest = rest[process.stdin.write(rest) or 0 :]
        except BlockingIOError:
            select.select([], [process.stdin], [])
    process.stdin.close()


@needs_system("the rights of root")
def test_root_keeps_the_owner_of_a_file_that_it_replaces(tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.touch()
    output.chmod(0o640)
    os.chown(output, 1234, 5678)

    subprocess.run([RUNCONV, str(RUN), "-o", str(output)], check=True)

    state = output.stat()
    assert (state.st_uid, state.st_gid, state.st_mode & 0o777) == (1234, 5678, 0o640)


def test_the_group_of_a_file_is_kept_where_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = []
    state = os.stat_result((0,) * 4 + (9, 9) + (0,) * 4)
    monkeypatch.setattr(os, "fstat", lambda _: state)

    def change(file: int, *owner: int) -> None:
        given.append(owner)

    monkeypatch.setattr(os, "fchown", change, raising=False)

    new_files._give(1, 5, 6)

    assert given == [(-1, 6), (5, -1)]


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> list[shortages.Work]:
    return shortages.works(tmp_path_factory.mktemp("logs"))


@matrix(
    kind=["memory 20", "memory 28", "memory 36", "files 4", "limit 1000", "threads 1"],
    place=range(shortages.WORKS),
)
@pytest.mark.seldom
def test_a_shortage_is_no_result(
    kind: str, place: int, works: list[shortages.Work], tmp_path: Path
) -> None:
    what, number = kind.split()
    short = shortages.Shortage(what, int(number))

    done = shortages.attempt(works[place], short, tmp_path / f"{what}-{number}-{place}")

    assert done.bug is None
