"""A cluster of Dask gives the result of this machine's processes, byte for byte."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import convert
from convert.cli import NamedLog, kept_messages
from convert.errors import RunconvError
from convert.scale import (
    DIED,
    StatsOptions,
    Window,
    engines,
    ranges_of,
    results_of,
    shown_address,
)
from convert.scale.engines import Local, local
from convert.scale.engines import dask as of_dask
from convert.scale.engines import jobs as batches
from convert.version import __version__
from support import full_disk
from support.clusters import Cluster, cluster_in
from support.conversions import GOLDEN_LOGS
from support.golden import RUN
from support.in_process import run
from support.killers import DEADLY, convert_or_die, read_on_and_on
from support.libraries import need
from support.processes import RUNCONV, environment
from support.systems import make_pipe, need_system
from test_command import filter, many_with_pipes, reader_of


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler that a test may do anything to, without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster_in(folder) as started:
        yield started


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 60 logs, some of them damaged, and a file that is none."""
    folder = tmp_path_factory.mktemp("logs")
    fill(folder / "logs", 60)
    return folder


def fill(folder: Path, number: int) -> None:
    """Make logs of golden ones."""
    folder.mkdir()
    (folder / "notes.txt").write_text("no log\n")
    for index in range(number):
        log = log_of(index)
        (folder / f"{index:04}{log.suffix}").write_bytes(log.read_bytes())


def log_of(index: int) -> Path:
    return GOLDEN_LOGS[index % len(GOLDEN_LOGS)]


def everything(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder by their paths, hidden ones as well."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def on(cluster: Cluster) -> list[str]:
    return ["--engine", "dask", "--scheduler", cluster.address]


COMMANDS = [
    ["logs", "-t", "markdown", "-o", "made/"],
    ["stats", "logs", "-o", "made/"],
    ["diff", "logs", "logs", "--redact"],
    ["matrix", "logs", "copy", "--format", "json"],
]


TABLES = [
    ["table", "calls", "logs", "--outputs"],
    ["table", "runs", "logs", "-o", "made/", "--format", "ndjson"],
]


@pytest.mark.parametrize(
    "words",
    [pytest.param(COMMANDS[0], marks=pytest.mark.example), *COMMANDS[1:3], *TABLES],
    ids=["convert", "stats", "diff", "rows", "parts"],
)
def test_a_cluster_has_the_output_of_this_machine(
    words: list[str], logs: Path, cluster: Cluster
) -> None:
    done = []
    for engine in ([], on(cluster)):
        result = run([*words, *engine], logs, environment())
        done.append((result, everything(logs)))
        shutil.rmtree(logs / "made", ignore_errors=True)

    assert done[0] == done[1]
    assert done[0][0].stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["a.ndjson", "--scheduler", "tcp://10.0.0.7:8786"],
            "--scheduler is for a cluster; add --engine dask",
        ),
        (
            ["a.ndjson", "--engine", "dask"],
            "--engine dask writes a file per log; name a folder, as in -o FOLDER/",
        ),
        (
            ["stats", "-", "--engine", "dask"],
            "--engine dask reads only files; name a log in place of standard input",
        ),
        (
            ["stats", "a.ndjson", "--engine", "dask", "--scheduler", ""],
            "--scheduler needs an address, as in tcp://10.0.0.7:8786",
        ),
        (
            ["diff", "a.ndjson", "a.ndjson", "--engine", "dask"],
            "--engine is for folders of logs; name two folders",
        ),
    ],
)
def test_an_engine_that_cannot_be_meant_is_refused(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.ndjson").write_bytes(RUN.read_bytes())

    status, printed, errors = run(arguments, tmp_path, environment())

    assert (status, printed) == (2, b"")
    assert errors.decode().startswith(f"runconv: {message}")


def test_an_address_of_no_cluster_is_refused() -> None:
    need("distributed")

    assert refusal_of("ab://me:pw@h:1").startswith(
        "cannot use the scheduler ab://h:1: unknown address scheme 'ab'"
    )


def refusal_of(address: str, before: Callable[[], object] = lambda: None) -> str:
    """Return why a cluster cannot do some work; `before` is called once it is open."""
    try:
        with engines.opened(on_dask(address)) as engine:
            before()
            return str([*results_of(engine, convert_or_die, jobs(9), died)])
    except RunconvError as error:
        return error.message


def on_dask(address: str) -> StatsOptions:
    """Return the options of a command on the cluster at an address."""
    return StatsOptions(engine="dask", scheduler=address)


def died(log: NamedLog) -> int:
    """Return the result of a log whose worker has died."""
    return 2


def jobs(number: int) -> list[NamedLog]:
    return [NamedLog(str(index), "") for index in range(number)]


def test_dask_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)

    assert refusal_of("tcp://127.0.0.1:9") == (
        "--engine dask needs Dask: pip install 'runconv[dask]'"
    )


def test_a_scheduler_that_does_not_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need("distributed")
    monkeypatch.setattr(of_dask, "_PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        assert refusal_of(f"tcp://127.0.0.1:{port}") == (
            f"no scheduler answers at tcp://127.0.0.1:{port} within 0.2 s; check"
            " --scheduler, or leave it out for a cluster on this machine"
        )


def test_an_address_is_shown_without_its_secrets() -> None:
    assert shown_address("tls://ada:pw@host:1?token=abc is no") == "tls://host:1 is no"


def test_a_folder_that_a_worker_lacks_is_named(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_dask, "_folder", lambda: "/home/ada/logs")

    message = refusal_of(cluster.address)

    assert message.startswith("the worker tcp://127.0.0.1:")
    assert message.endswith(
        " has no folder /home/ada/logs, or a different one; share the folder with all"
        " workers, or name logs and outputs by URLs"
    )


def test_a_folder_of_a_workers_own_gets_no_outputs(
    cluster: Cluster, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def elsewhere(folder: str) -> Iterator[str]:
        yield f"{folder}.runconv-is-not-there"

    monkeypatch.setattr(of_dask, "marked", elsewhere)

    done = run(["logs", "-o", "other/", *on(cluster)], logs, environment())

    assert done.status == 2
    assert b" has no folder other, or a different one; share" in done.stderr
    assert not (logs / "other").exists()


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([], []),
        ([1, 1, 1], [range(3)]),
        ([1] * 7, [range(5), range(5, 7)]),
        ([5, 6, 99, 1, 1], [range(1), range(1, 2), range(2, 3), range(3, 5)]),
        ([99], [range(1)]),
    ],
)
def test_a_group_holds_few_and_small_logs(
    sizes: list[int], groups: list[range]
) -> None:
    assert list(ranges_of(sizes, 10, 5)) == groups


def test_work_goes_only_so_far_ahead_of_a_slow_log() -> None:
    window = Window([300_000_000] * 9)

    assert [window.has(number, 2) for number in range(4)] == [True, True, False, False]
    window.wanted = 2
    assert window.has(3, 2)


def test_results_that_wait_for_a_slow_log_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "processors", lambda: 2)
    monkeypatch.setattr("convert.scale.engines.jobs._AHEAD", 1_000_000)
    most = 0

    for _ in (results := results_of(Local(""), convert_or_die, jobs(66), died)):
        waiting = results.gi_frame.f_locals["waiting"]  # type: ignore[attr-defined]
        most = max(most, len(waiting))

    assert most <= 2 * 1_000_000 / 50_000 + 2 * batches.MOST_FILES


@pytest.mark.seldom
@pytest.mark.parametrize("failures", [0, 1])
def test_a_log_that_kills_its_workers_is_one_row_of_trouble(
    failures: int, tmp_path: Path
) -> None:
    with cluster_in(tmp_path, failures) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        with (
            kept_messages() as lines,
            engines.opened(on_dask(cluster.address)) as engine,
        ):
            statuses = list(results_of(engine, convert_or_die, jobs(300), died))

    odd = {number: f"runconv: {number} is odd\n" for number in range(0, 300, 7)}
    told = odd | {int(DEADLY): f"runconv: {DEADLY}: {DIED}\n"}
    assert b"".join(lines).decode() == "".join(told[at] for at in sorted(told))
    assert [at for at, status in enumerate(statuses) if status] == [int(DEADLY)]


def kill(process: int) -> None:
    """Kill a process, and wait until it is gone."""
    need_system("handles of processes")
    watched = os.pidfd_open(process)
    os.kill(process, signal.SIGKILL)
    select.select([watched], [], [])
    os.close(watched)


@pytest.mark.seldom
def test_a_worker_that_dies_in_the_middle_loses_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    fill(tmp_path / "logs", 600)
    listed = sorted((tmp_path / "logs").iterdir())
    (tmp_path / "list").write_text("".join(f"{path}\n" for path in listed))
    words = ["--files-from", str(tmp_path / "list"), "-t", "markdown"]
    done = run([*words, "-o", "a/"], tmp_path, environment())
    pipe = listed[300]
    pipe.unlink()
    make_pipe(pipe)

    with filter(*words, "-o", f"{tmp_path}/b/", *on(cluster)) as process:
        with pipe.open("wb"):
            kill(reader_of(pipe))
        pipe.write_bytes(log_of(300).read_bytes())
        _, errors = process.communicate()

    assert (process.returncode, errors) == (done.status, done.stderr)
    # A process that is killed cannot remove the file that it had not finished.
    made = everything(tmp_path / "b")
    whole = {path: made[path] for path in made if "/.runconv-" not in path}
    assert whole == everything(tmp_path / "a")


@pytest.mark.seldom
def test_a_disk_that_fills_on_a_worker_costs_the_same_files_as_here(
    own_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "logs", 20)
    fill(tmp_path / "logs/full", 3)
    need_system("/proc")
    own_cluster.add_worker("--preload", "support.full_disk")
    words = ["logs", "-t", "markdown", "-o", "made/"]

    there = run([*words, *on(own_cluster)], tmp_path, environment())
    made = everything(tmp_path / "made")
    shutil.rmtree(tmp_path / "made")
    monkeypatch.setattr(os, "write", full_disk.write)
    here = run(words, tmp_path, environment())

    assert there == here
    assert made == everything(tmp_path / "made")
    assert here.status == 2
    assert here.stderr.count(b": no space left on device; choose another with -o") == 3


@pytest.mark.seldom
@pytest.mark.parametrize("words", COMMANDS[::3], ids=["logs", "matrix"])
def test_a_cluster_of_this_machine_does_the_same(
    words: list[str], logs: Path, tmp_path: Path
) -> None:
    for name in ("logs", "copy"):
        shutil.copytree(logs / "logs", tmp_path / name)
    done = []
    for engine in ("local", "dask"):
        command = [RUNCONV, *words, "--engine", engine]
        result = subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, check=False
        )
        done.append((result.returncode, result.stdout, result.stderr))
        done.append(everything(tmp_path))
        shutil.rmtree(tmp_path / "made", ignore_errors=True)

    assert done[:2] == done[2:]


@pytest.fixture
def other_version(tmp_path: Path) -> dict[str, str]:
    """The variables of a worker on which another version of runconv is installed."""
    package = Path(convert.__file__).parent
    variables = installed(
        tmp_path, f"__version__ = '0.0.9'\n__path__.append({str(package)!r})\n"
    )
    version = tmp_path / "installed/convert/version.py"
    version.write_text("__version__ = '0.0.9'\n")
    return variables


@pytest.fixture
def no_version(tmp_path: Path) -> dict[str, str]:
    """The variables of a worker without runconv."""
    return installed(tmp_path, "raise ModuleNotFoundError(name='convert')\n")


def installed(folder: Path, module: str) -> dict[str, str]:
    (folder / "installed/convert").mkdir(parents=True)
    (folder / "installed/convert/__init__.py").write_text(module)
    return {"PYTHONPATH": str(folder / "installed")}


OTHER_VERSION = (
    f" has runconv 0.0.9, and this command is {__version__}; install the same version"
    " on all"
)
NO_VERSION = f" has no runconv; install {__version__} there"


@pytest.mark.seldom
@pytest.mark.parametrize(
    ("variables", "message", "is_late"),
    [
        ("other_version", OTHER_VERSION, False),
        ("other_version", OTHER_VERSION, True),
        ("no_version", NO_VERSION, True),
    ],
)
def test_a_worker_with_another_version_is_refused(
    variables: str,
    message: str,
    is_late: bool,
    own_cluster: Cluster,
    request: pytest.FixtureRequest,
) -> None:
    first = own_cluster.add_worker()

    def add() -> None:
        own_cluster.add_worker(**request.getfixturevalue(variables))
        first.terminate()
        first.wait()

    if is_late:
        refusal = refusal_of(own_cluster.address, add)
    else:
        own_cluster.add_worker(**request.getfixturevalue(variables))
        refusal = refusal_of(own_cluster.address)

    assert re.fullmatch(r"(a|the) worker( tcp://127.0.0.1:\d+)?" + message, refusal)


@pytest.mark.seldom
def test_a_scheduler_that_ends_is_named(own_cluster: Cluster) -> None:
    own_cluster.add_worker()

    def end() -> None:
        own_cluster.scheduler.kill()
        own_cluster.scheduler.wait()

    assert refusal_of(own_cluster.address, end) == (
        f"the scheduler {own_cluster.address} is gone; finished work is kept, so"
        " start it again and repeat the command"
    )


@pytest.mark.seldom
def test_a_cluster_without_workers_is_waited_for(
    own_cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_dask, "_LONGEST_WITHOUT_WORKERS", 0.5)

    with kept_messages() as lines:
        refusal = refusal_of(own_cluster.address)

    assert refusal == (
        "the cluster has had no workers for 0.5 s; start some, and run the command"
        " again"
    )
    assert lines == [
        b"runconv: notice: the cluster has no workers yet; waiting for one\n"
    ]


def test_a_worker_stops_when_nobody_waits_for_its_work(
    cluster: Cluster, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    make_pipe(pipe)
    works = [NamedLog("quick", ""), NamedLog(str(pipe), "")]

    with engines.opened(on_dask(cluster.address)) as engine:
        results = results_of(engine, read_on_and_on, works, lambda _: "")
        assert next(results) == "quick"
        with pipe.open("wb", buffering=0) as written, suppress(BrokenPipeError):
            results.close()
            # It would never end if the worker read on.
            while True:
                written.write(b"x")


@pytest.mark.seldom
def test_a_command_that_is_stopped_leaves_its_cluster(
    cluster: Cluster, tmp_path: Path
) -> None:
    arguments = many_with_pipes(tmp_path, 59)

    with (
        filter(*arguments, *on(cluster)) as process,
        (tmp_path / "59.ndjson").open("wb"),
    ):
        process.terminate()
        _, errors = process.communicate()

    assert (process.returncode, errors) == (128 + signal.SIGTERM, b"")
    assert not run(["stats", "0.ndjson", *on(cluster)], tmp_path, environment()).status
