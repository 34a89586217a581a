"""Options, markers and settings for all tests."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from support import matrix
from support.libraries import need

if TYPE_CHECKING:
    from support.clusters import Cluster
    from support.stores import Bucket

# Commands start from compiled modules, as where they are installed. To compile them
# and the tests anew each time takes an eighth of the time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The tests write into memory where there is room, so that none waits for a disk.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 2_000_000_000:
    tempfile.tempdir = os.environ.get("TMPDIR", str(_MEMORY))

# Modules and tests stay until the end: no garbage is looked for in them.
gc.disable()

# Its assertions show the difference, as those of a test do.
pytest.register_assert_rewrite("support.comparisons")

# Fixtures whose processes take seconds: the default run has an example of each.
SERVERS = {"bucket", "cluster", "own_cluster", "host"}

# A test has no time limit of its own: a busy machine would break it. The default run
# tries the same examples each time, so that only a change makes a test fail.
settings.register_profile(
    "runconv",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=2,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "exhaustive",
    settings.get_profile("runconv"),
    derandomize=False,
    max_examples=12,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite the files right of > in the golden cases, and what follows from"
        " the code on the pages",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Cross all values and generate more examples with `-m exhaustive`.

    Background jobs of a shell ignore interrupts. The commands that the tests interrupt
    would inherit that, so the default handler is installed here.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    matrix.is_exhaustive = config.option.markexpr == "exhaustive"
    settings.load_profile("exhaustive" if matrix.is_exhaustive else "runconv")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Let each process begin with the tests of other modules, and take over later.

    One process then sets up a module, and none is idle at the end.
    """
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add tests of generated examples, and seldom ones, to those of `-m exhaustive`."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if not item.get_closest_marker("example") and SERVERS & {*item.fixturenames}:
            item.add_marker(pytest.mark.seldom)
        if is_hypothesis_test(item.obj) or item.get_closest_marker("seldom"):
            item.add_marker(pytest.mark.exhaustive)


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection: a tenth of the time.

    Their garbage is collected as seldom as in a command.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20)
    gc.enable()


@pytest.fixture
def hold(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Hold a page to a text that follows from the code; `--update` rewrites it."""

    def check(page: Path, text: str) -> None:
        if request.config.getoption("update"):
            page.write_text(text, "utf-8")
        assert page.read_text("utf-8") == text, "run pytest --update"

    return check


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler of Dask with two workers.

    By default there is one worker, in the process of the scheduler: each process takes
    a second to start. The cluster ends with its module: idle, it takes a tenth of a
    processor.
    """
    from support.clusters import cluster_in, small_cluster_in

    folder = tmp_path_factory.mktemp("cluster")
    if not matrix.is_exhaustive:
        with small_cluster_in(folder) as started:
            yield started
        return
    with cluster_in(folder) as started:
        for _ in range(2):
            started.add_worker()
        yield started


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of a server of S3."""
    from support.stores import s3_server

    with s3_server() as address:
        yield address


@pytest.fixture(scope="module")
def stores() -> Iterator[None]:
    """Stores to which the tests of a module connect."""
    need("fsspec", "aiohttp")
    from support.stores import disconnect

    yield
    disconnect()


@pytest.fixture
def bucket(
    stores: None, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bucket]:
    """A bucket of that server, which the environment leads to."""
    from support.stores import Bucket, forget_objects

    made = Bucket(f"bucket-{next(_BUCKETS)}", endpoint)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    forget_objects()
    yield made
    forget_objects()


_BUCKETS = itertools.count(1)
