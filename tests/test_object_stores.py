"""Logs and outputs in a bucket: the same bytes as on disk, whole or not at all."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import convert
from convert import stats
from convert.scale.storage import objects as reading
from support import in_process
from support.golden import GOLDEN, RUN
from support.processes import RUNCONV, environment
from support.stores import Bucket, files_in

_MORE_THAN_WORKERS_NEED = 60


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of logs, some of them in folders, with files that are skipped."""
    folder = tmp_path_factory.mktemp("logs")
    for name, log in {
        "a.ndjson": RUN,
        "deep/er/b.jsonl": GOLDEN / "cut-off-mid-line" / "input.ndjson",
        "deep/c.txt": GOLDEN / "text-action-lines" / "input.txt",
        ".hidden/d.ndjson": RUN,
        "README.md": GOLDEN / "README.md",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, folder / name)
    (folder / "deep" / "e.ndjson.gz").write_bytes(gzip.compress(RUN.read_bytes()))
    return folder


def run(bucket: Bucket, folder: Path, *arguments: str) -> in_process.Done:
    return in_process.run([*arguments], folder, bucket.environment)


def same_but(text: bytes, url: str, path: str) -> bytes:
    """Return a text with a path instead of a URL."""
    return text.replace(url.encode(), path.encode())


@pytest.mark.parametrize(
    "target",
    ["markdown", pytest.param("stream-json", marks=pytest.mark.example), "html"],
)
def test_a_folder_in_a_bucket_is_converted_as_one_on_disk(
    bucket: Bucket, logs: Path, tmp_path: Path, target: str
) -> None:
    bucket.put_folder(logs, "in/")
    local = run(bucket, tmp_path, str(logs), "-t", target, "-o", "out/")

    done = run(
        bucket, tmp_path, f"{bucket.url}/in/", "-t", target, "-o", f"{bucket.url}/out/"
    )

    assert bucket.objects("out/") == files_in(tmp_path / "out")
    assert same_but(done.stderr, f"{bucket.url}/in", str(logs)) == local.stderr
    assert done.status == local.status


@pytest.mark.parametrize(
    ("glob", "places"),
    [
        ("in/*.ndjson", {"a.txt"}),
        ("in/**/*.jsonl", {"deep/er/b.txt"}),
        ("in/deep/{c,e}*", {"c.txt", "e.txt"}),
        ("in/d*/?.txt", {"deep/c.txt"}),
        ("in/deep/[!c].ndjson.gz", {"e.txt"}),
    ],
)
def test_a_glob_in_a_url_chooses_objects(
    bucket: Bucket, logs: Path, tmp_path: Path, glob: str, places: set[str]
) -> None:
    bucket.put_folder(logs, "in/")

    done = run(bucket, tmp_path, f"{bucket.url}/{glob}", "-o", "out/")

    assert done.status == 0
    assert {*files_in(tmp_path / "out")} == places


@pytest.mark.parametrize("name", ["run[1].ndjson", "r?n*.ndjson", "{a,b}.ndjson"])
def test_an_object_may_have_the_characters_of_globs_in_its_name(
    bucket: Bucket, tmp_path: Path, name: str
) -> None:
    bucket.put({name: RUN.read_bytes()})
    escaped = "".join(f"\\{sign}" if sign in "[?*{" else sign for sign in name)

    as_it_is = run(bucket, tmp_path, f"{bucket.url}/{name}")
    as_glob = run(bucket, tmp_path, f"{bucket.url}/{escaped}")

    assert as_it_is == run(bucket, tmp_path, str(RUN))
    head = f"==> {bucket.url}/{name} <==\n".encode()
    assert as_glob == (0, head + as_it_is.stdout, b"runconv: 1 log converted\n")


@pytest.mark.seldom
def test_many_logs_are_converted_by_worker_processes(
    bucket: Bucket, tmp_path: Path
) -> None:
    numbers = range(_MORE_THAN_WORKERS_NEED)
    bucket.put({f"in/{number}.ndjson": RUN.read_bytes() for number in numbers})
    bucket.put({"in/damaged.ndjson": RUN.read_bytes()[:-20]})

    done = subprocess.run(
        [RUNCONV, f"{bucket.url}/in/", "-o", f"{bucket.url}/out/"],
        env=environment(**bucket.environment),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    out = bucket.objects("out/")
    expected = run(bucket, tmp_path, str(RUN)).stdout
    assert done.returncode == 0
    assert f"{len(numbers) + 1} logs converted, 1 with warnings" in done.stderr.decode()
    assert [out[f"{number}.txt"] for number in numbers] == [expected] * len(numbers)


def test_secrets_are_found_in_a_log_that_is_read_twice(
    bucket: Bucket, tmp_path: Path
) -> None:
    log = GOLDEN / "secrets-are-redacted" / "input.ndjson"
    bucket.put({"a.ndjson": log.read_bytes()})

    done = run(bucket, tmp_path, f"{bucket.url}/a.ndjson", "--redact", "-t", "markdown")

    local = run(bucket, tmp_path, str(log), "--redact", "-t", "markdown")
    assert done.stdout.replace(b"a.ndjson", b"input.ndjson") == local.stdout


@pytest.mark.parametrize(
    "command",
    [
        "stats {}/in/ --format json",
        "stats {}/in/ {}/other/ --by folder --full",
        "diff {}/in {}/other --format json",
        "diff {}/in/a.ndjson {}/other/a.ndjson --format json",
        "matrix {}/in/ {}/other/ --format json",
        "show {}/in/a.ndjson",
    ],
)
def test_figures_and_differences_are_those_of_a_disk(
    bucket: Bucket, logs: Path, tmp_path: Path, command: str
) -> None:
    shutil.copytree(logs, tmp_path / "in")
    shutil.copytree(logs, tmp_path / "other")
    other = GOLDEN / "transcript-of-a-bug-fix" / "input.ndjson"
    shutil.copy(other, tmp_path / "other" / "a.ndjson")
    bucket.put_folder(tmp_path)

    done = run(bucket, tmp_path, *command.format(bucket.url, bucket.url).split())

    local = run(bucket, tmp_path, *command.format(tmp_path, tmp_path).split())
    shown = [same_but(text, bucket.url, str(tmp_path)) for text in done[1:]]
    assert [done.status, *shown] == [*local]


def test_a_folder_on_disk_is_compared_with_one_in_a_bucket(
    bucket: Bucket, logs: Path, tmp_path: Path
) -> None:
    bucket.put_folder(logs, "in/")

    done = run(bucket, tmp_path, "diff", str(logs), f"{bucket.url}/in", "--quiet")

    assert done == (0, b"", b"")


def test_pages_of_stats_are_written_to_a_bucket(
    bucket: Bucket, logs: Path, tmp_path: Path
) -> None:
    bucket.put_folder(logs, "in/")

    done = run(bucket, tmp_path, "stats", f"{bucket.url}/in/", "-o", f"{bucket.url}/p/")
    run(bucket, tmp_path, "stats", str(logs), "-o", "p/")

    pages, local = bucket.objects("p/"), files_in(tmp_path / "p")
    assert done.status == 0
    assert pages.keys() == local.keys()
    assert pages["a.html"] == local["a.html"]


def test_a_golden_may_be_in_a_bucket_next_to_others(
    bucket: Bucket, tmp_path: Path
) -> None:
    case = GOLDEN / "several-goldens-of-a-case"
    for name, log in {"fix.json": "fix.ndjson", "fix.2.json": "fix-2.ndjson"}.items():
        log = str(case / "old" / log)
        run(bucket, tmp_path, log, "-t", "trajectory", "-o", f"{bucket.url}/g/{name}")

    new = str(case / "new" / "fix.ndjson")
    done = run(bucket, tmp_path, "diff", f"{bucket.url}/g/fix.json", new)

    matched = f"compared with {bucket.url}/g/fix.2.json"
    assert done.status == 0
    assert done.stderr.decode() == f"runconv: matches one of 2 goldens; {matched}\n"


def test_python_takes_urls(bucket: Bucket) -> None:
    bucket.put({"in/a.ndjson": RUN.read_bytes(), "in/b.ndjson": RUN.read_bytes()})
    a, b = f"{bucket.url}/in/a.ndjson", f"{bucket.url}/in/b.ndjson"

    (read,) = convert.read_runs(a)
    (local,) = convert.read_runs(RUN)

    assert read == local
    assert [*convert.read(a)] == [*convert.read(RUN)]
    assert [*convert.convert(a, to="markdown")]
    assert not convert.compare(a, b).is_different
    assert [run.log for run in stats.of_logs([a, b]).runs] == ["a", "b"]


def large_log(size: int) -> bytes:
    """Return a log of at least this size, of one run."""
    first, *rest = RUN.read_bytes().splitlines(keepends=True)
    event = json.loads(rest[0])
    event["message"]["content"] = [{"type": "text", "text": "word " * 20_000}]
    line = json.dumps(event).encode() + b"\n"
    return b"".join([first, *[line] * (size // len(line) + 1), *rest[1:]])


def test_objects_of_several_parts_are_read_and_written(
    bucket: Bucket, tmp_path: Path
) -> None:
    log = tmp_path / "large.ndjson"
    log.write_bytes(large_log(18_000_000))
    with log.open("rb") as file:
        bucket.client.upload_fileobj(file, bucket.name, "large.ndjson")

    arguments = f"{bucket.url}/large.ndjson", "-t", "stream-json", "-o"
    done = run(bucket, tmp_path, *arguments, f"{bucket.url}/out.ndjson")
    run(bucket, tmp_path, "large.ndjson", "-t", "stream-json", "-o", "out.ndjson")

    assert done == (0, b"", b"")
    assert bucket.content("out.ndjson") == (tmp_path / "out.ndjson").read_bytes()
    assert (
        "-" in bucket.client.head_object(Bucket=bucket.name, Key="out.ndjson")["ETag"]
    )


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_an_object_of_any_size_is_read_whole(bucket: Bucket, more: int) -> None:
    content = b"0123456789" * 200_000
    content = content[: reading._SMALL + more]
    bucket.put({"a": content, "empty": b""})

    assert b"".join(reading.object_pieces(f"{bucket.url}/a")) == content
    assert b"".join(reading.object_pieces(f"{bucket.url}/empty")) == b""


def test_a_small_object_of_a_folder_is_one_request(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from s3fs import S3FileSystem

    asked: list[str] = []
    ask = S3FileSystem._call_s3

    async def call(
        files: S3FileSystem, method: str, *arguments: Any, **more: Any
    ) -> Any:
        asked.append(method)
        return await ask(files, method, *arguments, **more)

    monkeypatch.setattr(S3FileSystem, "_call_s3", call)
    bucket.put({f"in/{number}.ndjson": RUN.read_bytes() for number in range(9)})

    done = run(bucket, tmp_path, f"{bucket.url}/in/", "-o", "out/")

    assert done == (0, b"", b"runconv: 9 logs converted\n")
    assert asked == ["list_objects_v2", *["get_object"] * 9]


def test_an_object_that_changes_while_it_is_read_is_an_error(
    bucket: Bucket,
) -> None:
    log = large_log(18_000_000)
    bucket.put({"a.ndjson": log})
    events = convert.read(f"{bucket.url}/a.ndjson")
    next(events)

    bucket.put({"a.ndjson": log + b"\n"})

    with pytest.raises(convert.InputError, match="it was changed while it was read"):
        list(events)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("{}/in/ -t stream-json -o {}/out/", 1),
        ("{}/in/a.ndjson -t stream-json -o {}/out/a.ndjson", 0),
        ("table calls {}/in/ -o {}/out/", 1),
    ],
)
def test_a_command_names_an_object_that_changed_and_writes_the_others(
    bucket: Bucket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    written: int,
) -> None:
    log = large_log(9_000_000)
    bucket.put({"in/a.ndjson": log, "in/b.ndjson": RUN.read_bytes()})
    opened = reading._opened

    def change(url: str) -> Any:
        file = opened(url)
        if url.endswith("/a.ndjson"):
            bucket.put({"in/a.ndjson": log + b"\n"})
        return file

    monkeypatch.setattr(reading, "_opened", change)

    done = run(bucket, tmp_path, *command.format(bucket.url, bucket.url).split())

    why = "it was changed while it was read; read it again"
    name = f"{bucket.url}/in/a.ndjson"
    assert done.status == 2
    assert f"runconv: {name}: cannot read it: {why}\n" in done.stderr.decode()
    assert len(bucket.objects("out/")) == written
    assert "out/a.ndjson" not in bucket.objects()
    assert bucket.uploads() == []


@pytest.mark.example
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.seldom)],
)
def test_nothing_stays_after_a_killed_upload(
    bucket: Bucket, tmp_path: Path, number: signal.Signals
) -> None:
    bucket.put({"out.ndjson": b"the one before"})
    arguments = [RUNCONV, "-", "-t", "stream-json", "-o", f"{bucket.url}/out.ndjson"]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, env=environment(**bucket.environment)
    ) as process:
        assert process.stdin is not None
        # So much that a part is uploaded; the log goes on.
        process.stdin.write(large_log(12_000_000))
        process.stdin.flush()
        while not bucket.uploads():
            assert process.poll() is None

        process.send_signal(number)

        assert process.wait(60) == 128 + number
    assert bucket.uploads() == []
    assert bucket.objects() == {"out.ndjson": b"the one before"}


def test_a_log_that_fails_leaves_the_object_that_was_there(
    bucket: Bucket, tmp_path: Path
) -> None:
    bucket.put({"in.ndjson": large_log(20_000_000) + b"{torn\n{}\n"})
    bucket.put({"out.ndjson": b"the one before"})
    arguments = [f"{bucket.url}/in.ndjson", "-t", "stream-json", "--strict"]

    done = run(bucket, tmp_path, *arguments, "-o", f"{bucket.url}/out.ndjson")

    assert done.status == 2
    assert bucket.uploads() == []
    assert bucket.content("out.ndjson") == b"the one before"


def test_an_output_that_is_a_log_to_read_is_refused(
    bucket: Bucket, tmp_path: Path
) -> None:
    bucket.put({"in/a.ndjson": RUN.read_bytes()})
    log = f"{bucket.url}/in/a.ndjson"

    to_itself = run(bucket, tmp_path, log, "-o", log.replace("s3:", "s3a:"))
    beside = run(bucket, tmp_path, log, "-o", f"{bucket.url}/in/", "-t", "stream-json")

    version = f"{log}?versionId=null"
    from_version = run(bucket, tmp_path, version, "-o", log)
    to_version = run(bucket, tmp_path, log, "-t", "markdown", "-o", version)
    other = run(bucket, tmp_path, log, "-t", "text", "-o", f"{log}2?versionId=null")

    for done in (to_itself, beside, from_version, to_version):
        assert done.status == 2
        assert b"is one of the logs to read; write to another" in done.stderr
    assert b"an output has no query" in other.stderr
    assert bucket.objects() == {"in/a.ndjson": RUN.read_bytes()}


def test_the_output_folder_inside_the_input_is_skipped(
    bucket: Bucket, tmp_path: Path
) -> None:
    bucket.put({"a.ndjson": RUN.read_bytes(), "out/b.ndjson": RUN.read_bytes()})

    done = run(bucket, tmp_path, f"{bucket.url}/", "-o", f"{bucket.url}/out/")

    left_out = b"runconv: 1 log converted; 1 file in the output folder skipped\n"
    assert done == (0, b"", left_out)


def test_a_list_may_be_in_a_bucket_and_hold_urls(
    bucket: Bucket, tmp_path: Path
) -> None:
    bucket.put({"in/a*.ndjson": RUN.read_bytes()})
    bucket.put({"list": f"{bucket.url}/in/a*.ndjson\n{RUN}\n".encode()})

    done = run(
        bucket, tmp_path, "--files-from", f"{bucket.url}/list", "-o", f"{tmp_path}/out/"
    )

    assert done == (0, b"", b"runconv: 2 logs converted\n")
    place = f"{bucket.name}/in/a*.txt"
    assert {place} < {*files_in(tmp_path / "out")}
