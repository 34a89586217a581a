"""Files of small logs are synced and renamed together, as if each were on its own."""

from __future__ import annotations

import errno
import functools
import os
import shutil
import signal
from pathlib import Path

import pytest

from convert.cli import NamedLog, NewFile, kept_messages, named_output, say
from convert.scale import DIED, Steps, in_batches, results_of
from convert.scale.engines import Local, local
from convert.scale.engines import jobs as batches
from support.conversions import GOLDEN_LOGS
from support.in_process import run
from support.matrix import part
from support.processes import environment
from support.systems import make_pipe

DEADLY = "66"


def write(folder: Path, log: NamedLog) -> Steps[str]:
    """Stand in for a conversion: one log kills its process, some are odd."""
    name = Path(log.path).name
    path = str(folder / f"{name}.txt")
    with named_output(path, follows_link=False) as output:
        if name == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        if int(name.removesuffix(".gz")) % 7 == 0:
            say(f"{name} is odd")
        output.write(b"whole\n")
        output.is_wanted = True
        assert isinstance(output, NewFile)
        output.complete()
        yield output
    return name


def jobs(folder: Path, number: int) -> list[NamedLog]:
    """Lay small logs in a folder."""
    folder.mkdir()
    for index in range(number):
        (folder / str(index)).write_bytes(b"{}\n")
    return [NamedLog(str(folder / str(index)), "") for index in range(number)]


def made(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_files_get_their_names_together(tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = []

    for results in in_batches(
        functools.partial(write, out), jobs(tmp_path / "logs", 40)
    ):
        names = [name for name in made(out) if not name.startswith(".runconv-")]
        found.append((len(results), len(names)))

    assert found == [*[(0, 0)] * 31, (32, 32), *[(0, 32)] * 8, (8, 40)]


def test_nothing_waits_for_a_log_that_may_take_long(tmp_path: Path) -> None:
    out = tmp_path / "out"
    logs = jobs(tmp_path / "logs", 6)
    os.unlink(logs[1].path)
    make_pipe(logs[1].path)
    os.truncate(logs[2].path, 1_000_001)
    os.rename(logs[4].path, compressed := f"{tmp_path}/logs/44.gz")
    logs[4] = NamedLog(compressed, "")

    results = [
        [name for name, _ in each]
        for each in in_batches(functools.partial(write, out), logs)
    ]

    assert results == [[], ["0"], ["1"], ["2"], [], ["3"], ["44.gz"], [], ["5"]]


@pytest.mark.parametrize(
    ("name", "value"),
    [("_LONGEST", 0), ("_most_descriptors", lambda: 0), ("_ROOM", 1 << 100)],
)
def test_no_file_waits_for_long_or_takes_the_last_of_the_system(
    name: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, name, value)

    each = in_batches(
        functools.partial(write, tmp_path / "out"), jobs(tmp_path / "logs", 3)
    )

    assert [len(results) for results in each] == [1, 1, 1]


def test_files_wait_where_the_system_tells_no_room_and_has_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int) -> os.statvfs_result:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "fstatvfs", refuse)
    monkeypatch.setattr(os, "sysconf", lambda _: -1)
    monkeypatch.setattr(
        batches, "_most_descriptors", batches._most_descriptors.__wrapped__
    )

    each = in_batches(
        functools.partial(write, tmp_path / "out"), jobs(tmp_path / "logs", 3)
    )

    assert [len(results) for results in each] == [0, 0, 0, 3]


def test_work_that_is_given_up_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    each = in_batches(functools.partial(write, out), jobs(tmp_path / "logs", 3))
    assert [next(each), next(each)] == [[], []]
    assert len(made(out)) == 2

    each.close()

    assert made(out) == []


def test_a_log_that_kills_its_worker_costs_no_file_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "processors", lambda: 2)
    out = tmp_path / "out"
    logs = jobs(tmp_path / "logs", 80)

    with kept_messages() as lines:
        work = functools.partial(write, out)
        results = list(results_of(Local(str(out)), work, logs, lambda _: "died"))

    names = [str(number) for number in range(80)]
    assert results == ["died" if name == DEADLY else name for name in names]
    whole = [name for name in made(out) if not name.startswith(".runconv-")]
    assert whole == sorted(f"{name}.txt" for name in names if name != DEADLY)
    odd = {number: f"runconv: {number} is odd\n" for number in range(0, 80, 7)}
    told = odd | {int(DEADLY): f"runconv: {logs[int(DEADLY)].path}: {DIED}\n"}
    assert b"".join(lines).decode() == "".join(told[at] for at in sorted(told))


@pytest.mark.exhaustive
@pytest.mark.parametrize("call", part(["fsync", "replace"], 2))
def test_an_error_of_one_file_is_only_that_of_its_log(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "logs").mkdir()
    for number, log in enumerate(GOLDEN_LOGS[:40]):
        (tmp_path / "logs" / f"{number:02}{log.suffix}").write_bytes(log.read_bytes())
    real, sync = getattr(os, call), NewFile.sync
    paths: dict[int, str] = {}

    def note(file: NewFile) -> None:
        paths[file.number] = file._path
        sync(file)

    def refuse(target: int | str, *to: str) -> None:
        path = paths[target] if isinstance(target, int) else to[0]
        if path.endswith(("/07.md", "/12.md", "/31.md")):
            raise OSError(errno.EDQUOT, "Disk quota exceeded")
        real(target, *to)

    monkeypatch.setattr(NewFile, "sync", note)
    monkeypatch.setattr(os, call, refuse)
    words = ["logs", "-t", "markdown", "-o", "out/"]
    done = []
    for most in (1, batches.MOST_FILES):
        monkeypatch.setattr(batches, "MOST_FILES", most)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        done.append((run(words, tmp_path, environment()), made(tmp_path / "out")))

    assert done[0] == done[1]
    (status, _, errors), files = done[1]
    assert status == 2
    assert errors.count(b": disk quota exceeded; choose another with -o\n") == 3
    assert {"06.md", "13.md", "32.md"} <= {*files}
    assert not {"07.md", "12.md", "31.md"} & {*files}


def test_a_file_that_fails_as_a_pipe_does_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def refuse(file: int, content: bytes) -> int:
        if file > 2:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        return write(file, content)

    monkeypatch.setattr(os, "write", refuse)

    done = run([str(GOLDEN_LOGS[0]), "-o", "out.txt"], tmp_path, environment())

    message = b"runconv: cannot write out.txt: broken pipe; choose another with -o\n"
    assert done == (2, b"", message)
