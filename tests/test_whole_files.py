"""A small file that a command keeps for itself, on this machine or at a URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from convert.cli import write_whole
from convert.errors import InputError, OutputError
from convert.scale import content_of
from support.stores import Bucket, forget_objects


@pytest.fixture(params=["file", pytest.param("s3", marks=pytest.mark.seldom), "memory"])
def place(request: pytest.FixtureRequest, stores: None, tmp_path: Path) -> str:
    """A folder, at which there is nothing yet."""
    match request.param:
        case "file":
            return f"{tmp_path}/out"
        case "s3":
            bucket: Bucket = request.getfixturevalue("bucket")
            return f"{bucket.url}/out"
    forget_objects()
    return "memory://out"


def test_a_content_is_replaced_whole(place: str) -> None:
    path = f"{place}/kept.ndjson"
    assert content_of(path) is None

    for content in (b"one\n", b"", b"two\n" * 4_000_000):
        write_whole(path, [content])

        assert content_of(path) == content


def test_a_place_that_cannot_be_used_is_an_error(
    bucket: Bucket, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")

    for path in ("s3://no-such-bucket/a", "https://h/a", f"{tmp_path}/file/a"):
        with pytest.raises(OutputError, match="cannot write"):
            write_whole(path, [b""])
    for path in ("ftp://h/a", f"{tmp_path}"):
        with pytest.raises(InputError, match="cannot read"):
            content_of(path)


def test_an_error_leaves_what_was_there(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError("the store is full")

    write_whole(f"{bucket.url}/a", [b"before"])
    monkeypatch.setattr("s3fs.core.S3File.commit", refuse)

    with pytest.raises(OutputError, match="the store is full"):
        write_whole(f"{bucket.url}/a", [b"x" * 9_000_000])

    assert content_of(f"{bucket.url}/a") == b"before"
    assert bucket.uploads() == []
