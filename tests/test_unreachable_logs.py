"""URLs that cannot be read or written: one line each, and the others are converted."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import convert
from convert import suite
from convert.errors import InputError, OutputError
from convert.scale import Upload, in_words, paths_below, resume
from convert.scale.storage import stores as errors
from support import in_process
from support.golden import RUN
from support.matrix import part
from support.processes import environment
from support.stores import Bucket, files_in, forget_filesystems

_NO_EXTRA = "a library is missing; install it with pip install 'runconv[remote]'"
_TEXT = b"Ran terminal command (exit 1)\nRead file\nEdited file\n"


class Server(http.server.BaseHTTPRequestHandler):
    """Knows no ranges, sends others elsewhere, and refuses or fails for some."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        statuses = {"/denied": 403, "/failing": 500}
        if path.startswith("/denied/"):
            path = "/denied"
        if path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/run.ndjson")
            self.end_headers()
        elif path == "/run.ndjson":
            content = RUN.read_bytes()
            self.send_response(200)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)
        else:
            self.send_response(statuses.get(path, 404))
            self.end_headers()

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def fresh(stores: None) -> Iterator[None]:
    forget_filesystems()
    yield
    forget_filesystems()


def run(folder: Path, *arguments: str) -> in_process.Done:
    return in_process.run([*arguments], folder, {**os.environ})


def test_a_manifest_that_cannot_be_read_is_named_without_credentials() -> None:
    with pytest.raises(InputError) as error:
        resume.content_of("http://ada:hunter22@127.0.0.1:1/.runconv-manifest")

    assert "hunter22" not in str(error.value)
    assert "127.0.0.1:1/.runconv-manifest" in str(error.value)


def test_nothing_shows_that_a_log_without_a_version_is_unchanged(
    address: str,
) -> None:
    assert resume.known_state(f"{address}/run.ndjson") is None


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "ftp://host/a",
            "'ftp://' is not a known scheme; choose from s3://, gs://, az://,"
            " https://, memory://",
        ),
        ("s3://{bucket}/none", "there is no such object; check the URL"),
        ("s3://no-such-bucket/a", "there is no such bucket; check the URL"),
        ("https:///a?b", "it names no host; write it as in https://HOST/NAME"),
        ("memory://none", "there is no such object; check the URL"),
        ("{http}/none", "there is no such object; check the URL"),
        (
            "{http}/denied?sig=f00",
            "the server denies access; check the credentials and their permissions",
        ),
        ("{http}/failing", "the server fails with status 500; try again later"),
        (
            "http://ada:secret@127.0.0.1:1/a",
            "the connection fails; check the address and the network",
        ),
    ],
)
def test_a_log_that_cannot_be_read_does_not_stop_the_others(
    bucket: Bucket, address: str, tmp_path: Path, url: str, message: str
) -> None:
    url = url.format(bucket=bucket.name, http=address)
    name = url.replace("ada:secret", "…").replace("sig=f00", "…").replace("?b", "?…")

    done = run(tmp_path, url, str(RUN), "-o", "out/")

    expected = f"runconv: {name}: cannot read it: {message}\n"
    assert done == (2, b"", expected.encode())
    assert [*files_in(tmp_path / "out").values()] == [_TEXT]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["s3://{bucket}/none/"],
            "cannot read the folder s3://{bucket}/none/: there is nothing below it;"
            " check the URL",
        ),
        (
            ["s3://{bucket}/*.ndjson"],
            "cannot read the folder s3://{bucket}/*.ndjson: no object matches; check"
            " the URL",
        ),
        (
            ["s3://no-such-bucket/"],
            "cannot read the folder s3://no-such-bucket/: there is no such bucket;"
            " check the URL",
        ),
        (
            ["{http}/"],
            "cannot read the folder {http}/: no folder can be listed over http; name"
            " each log",
        ),
    ],
)
def test_a_folder_that_cannot_be_read_does_not_stop_the_others(
    bucket: Bucket, address: str, tmp_path: Path, words: list[str], message: str
) -> None:
    words = [word.format(bucket=bucket.name, http=address) for word in words]

    done = run(tmp_path, *words, str(RUN), "-o", "out/")

    message = message.format(bucket=bucket.name, http=address)
    end = "runconv: 1 log converted\n"
    assert done == (2, b"", f"runconv: {message}\n{end}".encode())


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            "s3://no-such-bucket/a.md",
            "there is no such bucket; make it, or choose another with -o",
        ),
        (
            "s3://no-such-bucket/out/",
            "there is no such bucket; make it, or choose another with -o",
        ),
        ("{http}/a.md", "nothing is written over http; choose another with -o"),
        (
            "ftp://host/a.md",
            "'ftp://' is not a known scheme; choose from s3://, gs://, az://,"
            " https://, memory://",
        ),
        ("s3:///a.md", "it names no bucket; write it as in s3://BUCKET/NAME"),
    ],
)
def test_an_output_that_cannot_be_written_is_named(
    bucket: Bucket, address: str, tmp_path: Path, output: str, message: str
) -> None:
    output = output.format(http=address)

    done = run(tmp_path, str(RUN), "-o", output)

    expected = f"runconv: cannot write {output}: {message}\n"
    assert done == (2, b"", expected.encode())


def test_credentials_that_are_missing_are_asked_for(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    read = run(tmp_path, f"{bucket.url}/a.ndjson")
    written = run(tmp_path, str(RUN), "-o", f"{bucket.url}/out/")

    why = "there are no usable credentials; set AWS_ACCESS_KEY_ID and"
    more = "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    assert read.status == written.status == 2
    assert read.stderr.decode() == (
        f"runconv: {bucket.url}/a.ndjson: cannot read it: {why} {more}\n"
    )
    assert written.stderr.decode() == (
        f"runconv: cannot write {bucket.url}/out/: {why} {more}, or choose another"
        " with -o\n"
    )


def test_wrong_credentials_are_denied(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put({"in/a.ndjson": RUN.read_bytes()})
    log, folder = f"{bucket.url}/in/a.ndjson", f"{bucket.url}/in/"
    commands = {
        f"{log}: cannot read it": [log],
        f"cannot read the folder {folder}": ["stats", folder],
        f"cannot write {bucket.url}/a.md": [str(RUN), "-o", f"{bucket.url}/a.md"],
        f"cannot write {bucket.url}/out/input.txt": [
            str(RUN),
            *("-o", f"{bucket.url}/out/"),
        ],
    }
    with bucket.closed_to_strangers():
        for what, words in commands.items():
            done = run(tmp_path, *words)

            why = (
                "the server denies access; check the credentials and their permissions"
            )
            assert done.status == 2
            assert f"runconv: {what}: {why}" in done.stderr.decode()
            assert b"of-a-test" not in done.stderr
    assert {*bucket.objects()} == {"in/a.ndjson"}


def test_a_store_may_deny_access(
    bucket: Bucket, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{address}/denied")

    done = run(tmp_path, f"{bucket.url}/a.ndjson")

    why = "the server denies access; check the credentials and their permissions"
    what = f"runconv: {bucket.url}/a.ndjson: cannot read it: {why}\n"
    assert done == (2, b"", what.encode())


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("url", "module", "message"),
    part(
        [
            ("s3://b/a", "fsspec", _NO_EXTRA),
            ("s3://b/a", "s3fs", _NO_EXTRA),
            ("https://h/a", "aiohttp", _NO_EXTRA),
            ("gs://b/a", "gcsfs", f"{_NO_EXTRA} gcsfs"),
            ("gcs://b/a", "gcsfs", f"{_NO_EXTRA} gcsfs"),
            ("az://b/a", "adlfs", f"{_NO_EXTRA} adlfs"),
            ("abfs://b@account.dfs.core.windows.net/a", "adlfs", f"{_NO_EXTRA} adlfs"),
        ],
        9,
    ),
)
def test_a_library_that_is_missing_is_named(
    tmp_path: Path, url: str, module: str, message: str
) -> None:
    code = (
        "import sys; sys.modules[sys.argv.pop(1)] = None;"
        " from convert.__main__ import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, module]

    read = subprocess.run(
        [*command, url, str(RUN), "-o", "out/"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert read.stderr == f"runconv: {url}: cannot read it: {message}\n"
    assert read.returncode == 2
    assert [*files_in(tmp_path / "out").values()] == [_TEXT]


def test_a_log_over_http_is_read_from_any_server(address: str, tmp_path: Path) -> None:
    for name in ("run.ndjson", "moved", "run.ndjson?X-Amz-Signature=f00"):
        assert run(tmp_path, f"{address}/{name}") == (0, _TEXT, b"")


def test_no_report_shows_credentials(address: str, tmp_path: Path) -> None:
    log = address.replace("//", "//ada:hunter2@") + "/run.ndjson?sig=hunter2"
    commands = [
        [log, "-t", "html"],
        [log, str(RUN), "-t", "markdown"],
        [log, "-t", "json"],
        ["show", log],
        *(["stats", log, "--format", name] for name in ("json", "csv", "html")),
        *(
            ["diff", log, log, "--format", name]
            for name in ("json", "junit", "github", "gitlab", "html", "unified")
        ),
        ["diff", log, str(RUN), "--format", "table", "--verbose"],
        [log, "-o", f"{tmp_path}/out/"],
        ["stats", log, log.replace("run.", "none."), "-o", f"{tmp_path}/pages/"],
    ]
    for command in commands:
        done = run(tmp_path, *command)

        assert done.status in (0, 1, 2 if "/none." in " ".join(command) else 0), command
        assert b"hunter2" not in done.stdout + done.stderr, command
    written = files_in(tmp_path)
    assert {*written} == {"out/run.txt", "pages/index.html", "pages/run.html"}
    assert b"hunter2" not in b"".join(written.values())
    with pytest.raises(convert.InputError) as caught:
        next(convert.read(log.replace("run.", "none.")))
    assert "hunter2" not in str(caught.value)


def test_the_words_of_a_library_show_no_secrets() -> None:
    key = "AKIA" + "IOSFODNN7" + "ABCDEFG"
    error = OSError(f"cannot use {key}\nat https://u:hunter2@h/x?sig=hunter2, sorry.")

    words = in_words(error, "s3://b/x")

    assert words == (
        "cannot use [redacted AWS key] at https://…@h/x?…, sorry; check the URL"
    )


@pytest.mark.parametrize("secret", ["hunter2secret", "hunter2/secret"])
def test_a_store_that_refuses_a_url_quotes_no_secret(
    bucket: Bucket, tmp_path: Path, secret: str
) -> None:
    url = f"s3://KEY:{secret}@{bucket.name}/run.ndjson"

    done = run(tmp_path, url)
    written = run(tmp_path, str(RUN), "-o", url)

    assert done.status == written.status == 2
    assert b"check the URL" in done.stderr
    assert b"hunter2" not in done.stderr + written.stderr


def test_a_path_that_was_meant_as_a_url_shows_no_secret(tmp_path: Path) -> None:
    done = run(tmp_path, "https:/ada:hunter2@host/run.ndjson")

    assert done.stderr.startswith(b"runconv: https:/\xe2\x80\xa6@host/run.ndjson: ")
    assert b"hunter2" not in done.stderr


class RefusalError(Exception):
    """An error as the library of Azure raises it."""

    status_code = 403


def test_a_library_may_tell_an_error_in_its_own_way() -> None:
    denied = "the server denies access; check the credentials and their permissions"
    assert in_words(RefusalError("no"), "az://c/x") == denied
    with (
        pytest.raises(OutputError, match=denied),
        errors.writing("az://c/x", "-o"),
    ):
        raise RuntimeError("cannot upload") from PermissionError("no")
    # One of nobody else is ours.
    with pytest.raises(RuntimeError, match="a bug"), errors.writing("az://c/x", "-o"):
        raise RuntimeError("a bug")


def test_a_store_may_list_nothing_where_there_is_no_bucket(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "convert.scale.storage.stores.below", lambda *arguments: iter(())
    )

    assert paths_below("s3://no-such-bucket/a/") == (
        [],
        "there is no such bucket; check the URL",
    )
    assert paths_below(f"{bucket.url}/a/") == ([], "")


def test_follow_and_approve_refuse_urls(tmp_path: Path) -> None:
    followed = run(tmp_path, "show", "--follow", "https://u:p@h/a")
    approved = run(tmp_path, "approve", str(RUN), "-o", "s3://b/golden/", "--yes")

    assert followed.status == approved.status == 2
    assert followed.stderr.decode() == (
        "runconv: --follow reads a file or a pipe, and https://…@h/a is a URL, which"
        " does not grow; remove --follow\n"
    )
    assert (
        b"s3://b/golden/ is a URL, and goldens are written on this" in approved.stderr
    )


class TestInMemory:
    def test_logs_and_outputs_may_be_in_memory(self, tmp_path: Path) -> None:
        import fsspec

        files = fsspec.filesystem("memory")
        # So many that worker processes would do it, which share no memory.
        for number in range(60):
            files.pipe(f"/in/{number}.ndjson", RUN.read_bytes())

        done = run(tmp_path, "memory://in/", "-o", "memory://out/")
        twice = run(tmp_path, "memory://in/1.ndjson", "--redact", "-o", "memory://x")

        assert done == (0, b"", b"runconv: 60 logs converted\n")
        assert files.cat_file("/out/59.txt") == _TEXT
        assert twice.status == 0
        assert files.cat_file("/x") == _TEXT

    def test_a_failure_leaves_the_object_that_was_there(self, tmp_path: Path) -> None:
        import fsspec

        files = fsspec.filesystem("memory")
        files.pipe("/in.ndjson", RUN.read_bytes() + b"{torn\n{}\n")
        files.pipe("/out.txt", b"the one before")

        done = run(tmp_path, "memory://in.ndjson", "--strict", "-o", "memory://out.txt")

        assert done.status == 2
        assert files.cat_file("/out.txt") == b"the one before"

    def test_a_cluster_does_not_see_it(self, tmp_path: Path) -> None:
        done = run(tmp_path, str(RUN), "-o", "memory://out/", "--engine", "dask")

        assert done.status == 2
        assert (
            b"is in the memory of this process, which no other process sees"
            in done.stderr
        )


def test_an_upload_that_is_not_committed_leaves_no_object(bucket: Bucket) -> None:
    given_up = Upload(f"{bucket.url}/a", "-o")
    given_up.write(b"x" * 9_000_000)
    assert bucket.uploads() == ["a"]

    given_up.discard()
    del given_up

    assert bucket.uploads() == []
    assert bucket.objects() == {}


def test_a_commit_that_fails_gives_up_the_parts(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError("the store is full")

    bucket.put({"a": b"the one before"})
    upload = Upload(f"{bucket.url}/a", "-o")
    upload.write(b"x" * 9_000_000)
    monkeypatch.setattr("s3fs.core.S3File.commit", refuse)

    with pytest.raises(OutputError, match="the store is full; check the URL"):
        upload.commit()
    upload.discard()

    assert bucket.uploads() == []
    assert bucket.objects() == {"a": b"the one before"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "words",
    part(
        [
            [],
            [str(RUN), "-o", "out/"],
            ["stats", str(RUN)],
            ["diff", str(RUN), str(RUN)],
            ["table", "calls", str(RUN), "-o", "calls/", "--format", "csv"],
        ],
        9,
    ),
    ids=part(["filter", "convert", "stats", "diff", "table"], 9),
)
def test_paths_of_this_machine_load_no_library(
    words: list[str], tmp_path: Path
) -> None:
    code = (
        "import sys; from convert.cli import run; assert run(sys.argv[1:]) == 0;"
        " print(*sys.modules, file=sys.stderr)"
    )
    with RUN.open("rb") as log:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            stdin=log,
            capture_output=True,
            check=True,
            cwd=tmp_path,
            env=environment(),
        )

    loaded = {*done.stderr.decode().split()}
    assert not any(name.startswith("convert.scale.storage.") for name in loaded)
    assert not loaded & {"fsspec", "aiohttp", "s3fs", "asyncio", "dask", "pyarrow"}


def test_an_output_out_of_reach_is_tried_once(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from s3fs import S3FileSystem

    tried: list[str] = []

    async def info(
        files: object, path: str, *arguments: object, **more: object
    ) -> None:
        tried.append(path)
        raise ConnectionError(path)

    monkeypatch.setattr(S3FileSystem, "_info", info)
    output = f"{bucket.url}/calls.csv"

    done = run(tmp_path, "table", "calls", str(RUN), "-o", output)

    why = "the connection fails; check the address and the network"
    what = f"runconv: cannot write {output}: {why}, or choose another with -o\n"
    assert done == (2, b"", what.encode())
    assert tried == [f"{bucket.name}/calls.csv"]


def test_python_looks_again_at_what_was_missing(bucket: Bucket) -> None:
    a, b = f"{bucket.url}/a", f"{bucket.url}/b"
    with pytest.raises(convert.InputError, match="is no folder"):
        suite.compare_folders(a, b)

    bucket.put({"a/x.ndjson": RUN.read_bytes(), "b/x.ndjson": RUN.read_bytes()})

    assert len(suite.compare_folders(a, b).cases) == 1
