"""Tables of logs in buckets, and tables that are written there."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

import convert
from convert import tables
from convert.scale import Broken
from support import in_process
from support.golden import GOLDEN, RUN
from support.in_process import Redirection
from support.processes import RUNCONV, environment
from support.stores import Bucket, files_in
from support.systems import need_system

LOGS = GOLDEN / "tables-of-several-agents" / "logs"
# A run with an output of a megabyte.
LARGE = RUN.read_bytes().replace(b"1 failed", b"1 failed" + b" word" * 200_000)
OTHER = GOLDEN / "transcript-of-a-bug-fix" / "input.ndjson"


def run(bucket: Bucket, folder: Path, *words: str) -> in_process.Done:
    return in_process.run(["table", *words], folder, bucket.environment)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
@pytest.mark.parametrize("is_in_bucket", [True, False])
def test_a_table_in_a_bucket_has_the_bytes_of_one_on_disk(
    bucket: Bucket, tmp_path: Path, suffix: str, is_in_bucket: bool
) -> None:
    bucket.put_folder(LOGS, "logs/")
    logs = f"{bucket.url}/logs/" if is_in_bucket else str(LOGS)

    done = run(bucket, tmp_path, "calls", logs, "-o", f"{bucket.url}/calls.{suffix}")

    local = run(bucket, tmp_path, "calls", logs, "-o", f"calls.{suffix}")
    assert done == local
    assert done.status == 0
    written = (tmp_path / f"calls.{suffix}").read_bytes()
    assert bucket.content(f"calls.{suffix}") == written
    assert bucket.url.encode() in written or not is_in_bucket or suffix == "parquet"


@pytest.mark.parametrize(
    "options",
    [[], ["--format", "csv"], ["--partition", "agent", "--format", "ndjson"]],
)
def test_a_folder_in_a_bucket_has_the_parts_of_one_on_disk(
    bucket: Bucket, tmp_path: Path, options: list[str]
) -> None:
    bucket.put_folder(LOGS, "logs/")
    words = ["runs", f"{bucket.url}/logs/", *options, "-o"]

    done = run(bucket, tmp_path, *words, f"{bucket.url}/runs/")

    local = run(bucket, tmp_path, *words, "runs/")
    parts = bucket.objects("runs/")
    assert done == local
    assert done.status == 0
    assert parts == files_in(tmp_path / "runs")
    assert len({part.partition("=")[0] for part in parts}) == 1


def test_parts_of_an_earlier_command_in_a_bucket_are_not_mixed_with_new_ones(
    bucket: Bucket, tmp_path: Path
) -> None:
    words = ["runs", str(RUN), "-o", f"{bucket.url}/runs"]
    run(bucket, tmp_path, *words[:-1], f"{words[-1]}/", "--format", "csv")
    before = bucket.objects()

    # Without the slash, it is a folder since there are objects below it.
    done = run(bucket, tmp_path, *words)

    (part,) = before
    assert (done.status, done.stderr.decode()) == (
        2,
        f"runconv: {bucket.url}/runs holds parts of an earlier command, as"
        f" {bucket.url}/{part}; remove them, or choose another folder with -o\n",
    )
    assert bucket.objects() == before


@pytest.mark.parametrize("output", ["calls.csv", "calls/"])
def test_a_bucket_that_does_not_exist_is_reported_before_any_work(
    bucket: Bucket, tmp_path: Path, output: str
) -> None:
    words = ["table", "calls", "-", "-o", f"s3://no-such-bucket/{output}"]
    reading, writing = os.pipe()
    # Standard input has not ended.
    from_pipe = [Redirection(0, ">&", str(reading))]

    with open(reading), open(writing, "w"):
        done = in_process.run(words, tmp_path, bucket.environment, from_pipe)

    assert done.status == 2
    assert done.stderr.decode() == (
        f"runconv: cannot write s3://no-such-bucket/{output}: there is no such"
        " bucket; make it, or choose another with -o\n"
    )


def test_a_table_is_not_one_of_its_logs(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put({"a.ndjson": RUN.read_bytes()})
    log = f"{bucket.url}/a.ndjson"

    done = run(bucket, tmp_path, "calls", log, "-o", log)

    assert done.status == 2
    assert b"is one of the logs to read; write to another file" in done.stderr
    assert bucket.objects() == {"a.ndjson": RUN.read_bytes()}


def test_findings_of_folders_in_buckets_are_those_of_a_disk(
    bucket: Bucket, tmp_path: Path
) -> None:
    for key, log in {"a/x.ndjson": RUN, "b/x.ndjson": OTHER}.items():
        bucket.put({key: log.read_bytes()})
        (tmp_path / key).parent.mkdir()
        (tmp_path / key).write_bytes(log.read_bytes())
    a, b = f"{bucket.url}/a", f"{bucket.url}/b"

    done = run(bucket, tmp_path, "findings", a, b, "-o", f"{bucket.url}/found.csv")

    local = run(bucket, tmp_path, "findings", f"{tmp_path}/a", f"{tmp_path}/b", "-qo-")
    pair = run(bucket, tmp_path, "findings", f"{a}/x.ndjson", f"{b}/x.ndjson")
    assert done.status == pair.status == 0
    expected = local.stdout.replace(str(tmp_path).encode(), bucket.url.encode())
    assert pair.stdout == expected
    rows = [row.case for row in tables.findings(a, b)]
    assert len(rows) == len(expected.splitlines())
    assert bucket.content("found.csv").count(b"\nx,") == len(rows)


def test_python_makes_tables_of_urls(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put({"a.ndjson": RUN.read_bytes()})
    url = f"{bucket.url}/a.ndjson"

    rows = [*tables.calls([url])]

    local = [*tables.calls([RUN.as_uri()])]
    assert [(row.tool, row.line) for row in rows] == [
        (row.tool, row.line) for row in local
    ]
    assert {row.log for row in rows} == {url}
    assert {row.log for row in local} == {str(RUN)}
    broken: list[Broken] = []
    assert [*tables.runs([f"{url}.none", url], broken=broken)]
    assert [each.log for each in broken] == [f"{url}.none"]
    with pytest.raises(convert.InputError, match="there is no such object"):
        list(tables.runs([f"{url}.none"]))


def test_no_cell_shows_credentials(bucket: Bucket, tmp_path: Path) -> None:
    import fsspec

    files = fsspec.filesystem("memory")
    for side, log in {"a": RUN, "b": OTHER}.items():
        files.pipe(f"/ada:hunter2@h/{side}/x.ndjson", log.read_bytes())
    place = "memory://ada:hunter2@h"
    commands = [
        ["table", "runs", f"{place}/a/"],
        ["table", "calls", f"{place}/a/x.ndjson"],
        ["table", "findings", f"{place}/a/", f"{place}/b/"],
        ["table", "findings", f"{place}/a/x.ndjson", f"{place}/b/x.ndjson"],
        ["table", "findings", f"{place}/a/", f"{place}/none/"],
        ["diff", f"{place}/a/", f"{place}/b/", "--format", "json"],
        ["diff", f"{place}/a/", f"{place}/none/", "--format", "json"],
        ["matrix", f"{place}/a/", f"{place}/b/", "--format", "json"],
        ["stats", f"{place}/a/", f"{place}/b/", "--format", "json"],
    ]
    for words in commands:
        done = in_process.run(words, tmp_path, bucket.environment)

        assert b"hunter2" not in done.stdout + done.stderr, words
        shown = done.stdout.decode().replace("\\u2026", "…")
        assert "memory://…@h/a" in shown, words
    (row,) = tables.runs([f"{place}/a/x.ndjson"])
    assert row.run_id == "memory://…@h/a/x.ndjson#1"


@pytest.mark.parametrize(
    "name",
    [pytest.param("SIGTERM", marks=pytest.mark.seldom), "SIGKILL"],
)
def test_a_killed_command_leaves_no_half_table(bucket: Bucket, name: str) -> None:
    need_system("signals")
    number = signal.Signals[name]
    bucket.put({"calls.ndjson": b"the one before"})
    words = ["table", "calls", "--outputs", "-", "-o", f"{bucket.url}/calls.ndjson"]
    with subprocess.Popen(
        [RUNCONV, *words], stdin=subprocess.PIPE, env=environment(**bucket.environment)
    ) as process:
        assert process.stdin is not None
        # So much that a part is uploaded; the log goes on.
        process.stdin.write(LARGE * 10)
        process.stdin.flush()
        while not bucket.uploads():
            assert process.poll() is None

        process.send_signal(number)

        assert process.wait(60) in (-number, 128 + number)
    assert bucket.objects() == {"calls.ndjson": b"the one before"}
    # The rest of a command that could do nothing more is no object.
    assert len(bucket.uploads()) == (number == signal.SIGKILL)
