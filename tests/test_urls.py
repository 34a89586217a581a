"""The parts of URLs, their names without credentials, and the globs in them."""

from __future__ import annotations

from pathlib import Path

import pytest

import convert
from convert.source import chosen_by, pattern_in
from convert.wording import (
    base_name,
    harmless,
    identity,
    inside,
    is_url,
    joined,
    local_path,
    parts_of,
    scheme_of,
    shared_folder,
    shown,
    words_of_library,
)
from support import in_process
from support.golden import RUN
from support.matrix import each


@each(
    ("path", "expected"),
    [
        ("s3://bucket/a", True),
        ("HTTPS://host/a", True),
        ("a/s3://b", False),
        ("C:\\logs\\a", False),
        ("c://logs", False),
        ("simplecache::https://host/a", True),
        ("simplecache::/srv/a", False),
        ("file://ada:pw@host/a", True),
        ("file:///srv/a", False),
        ("File:///srv/a", False),
        ("", False),
    ],
)
def test_a_url_begins_with_a_scheme(path: str, expected: bool) -> None:
    assert is_url(path) is expected


@each(
    ("path", "name"),
    [
        ("run.ndjson", "run.ndjson"),
        ("s3://bucket/a b.ndjson", "s3://bucket/a b.ndjson"),
        ("https://host:8080/a", "https://host:8080/a"),
        ("https://ada:pw@host/a", "https://…@host/a"),
        ("https://token@host/a", "https://…@host/a"),
        ("https://host/a?X-Amz-Signature=f00&b", "https://host/a?…"),
        ("https://host/a?f00", "https://host/a?…"),
        ("s3://KEY:sec/ret@bucket/a", "s3://…@bucket/a"),
        ("s3://KEY:80/ret@bucket/a", "s3://…@bucket/a"),
        ("s3://bucket/user@host.ndjson", "s3://bucket/user@host.ndjson"),
        ("s3://bucket/why?.ndjson", "s3://bucket/why?.ndjson"),
        ("az://logs/a?sv=2024&sig=f00", "az://logs/a?…"),
        ("abfs://logs@account.dfs.core.windows.net/a", None),
        ("https://ada:p w@host/a", "https://…@host/a"),
        ("https:///ada:pw@host/a", "https://…@host/a"),
        ("https:/ada:pw@host/a", "https:/…@host/a"),
        ("s3:/KEY:sec/ret@bucket/a", "s3:/…@bucket/a"),
        ("https:/host/a?sig=f00", "https:/host/a?…"),
        ("a:/b:c@d", "a:/b:c@d"),
        ("simplecache::https://ada:pw@h:9/a", "simplecache::https://…@h:9/a"),
        ("simplecache::https://h/a?f00", "simplecache::https://h/a?…"),
        ("simplecache::https:/ada:pw@h/a", "simplecache::https:/…@h/a"),
        ("zip://a::https://ada:pw@h/a#access_token=f00", "zip://…@h/a#…"),
        ("https://h:9/a#access_token=f00", "https://h:9/a#…"),
        ("https://h/a;sig=f00", "https://h/a;…"),
        ("https://h/a;sig=f00/b;c?d=e", "https://h/a;…/b;c?…"),
        ("file://ada:pw@h/a", "file://…@h/a"),
        ("s3://bucket/#1/date=1;2", "s3://bucket/#1/date=1;2"),
    ],
)
def test_a_name_shows_no_credentials(path: str, name: str | None) -> None:
    assert shown(path) == (name or path)
    assert shown(shown(path)) == shown(path)


@pytest.mark.parametrize(
    ("text", "harmless_text"),
    [
        ("at https://a:b@h/x?sig=1: gone", "at https://…@h/x?…: gone"),
        ("'https://h/x?sig=1', then", "'https://h/x?…', then"),
        ("at https://h/x;sig=1: gone", "at https://h/x;…: gone"),
        ("at https://h/x#token=1: gone", "at https://h/x#…: gone"),
        ("at a::https://u:p@h/x: gone", "at a::https://…@h/x: gone"),
        ("(see s3://b/x?sig=a/b).", "(see s3://b/x?…)."),
        ("s3://b/x and s3://b/y?a=1", "s3://b/x and s3://b/y?…"),
        ("no://", "no://"),
        ("'https:/a:b@h/x': gone", "'https:/…@h/x': gone"),
    ],
)
def test_a_text_shows_no_credentials(text: str, harmless_text: str) -> None:
    assert harmless(text) == harmless_text


@each(
    ("text", "url", "shown_text"),
    [
        ('no name "KEY:sec@b"', "s3://KEY:sec@b/x", 'no name "…@b"'),
        ('no name "KEY:sec"', "s3://KEY:sec/ret@b/x", ""),
        ("no key 'a/b'", "s3://KEY:a%2Fb@b/x", ""),
        ("bad sig f00", "https://h/x?v=1&sig=f00", ""),
        ("bad sig f00", "https://h/x;sig=f00", ""),
        (
            "no name in https://h/x?sig=f00",
            "https://h/x?sig=f00",
            "no name in https://h/x?…",
        ),
        ("no such region", "s3://KEY:sec@b/x", "no such region"),
        ("no such region", "s3://b/x", "no such region"),
    ],
)
def test_the_words_of_a_library_quote_no_credentials(
    text: str, url: str, shown_text: str
) -> None:
    assert words_of_library(text, url) == shown_text


@pytest.mark.parametrize(
    ("url", "parts", "last"),
    [
        ("s3://b/runs/a.ndjson", ["b", "runs", "a.ndjson"], "a.ndjson"),
        ("https://u:p@h/x/a.ndjson?s=1#f", ["h", "x", "a.ndjson"], "a.ndjson"),
        ("https://h/x/a.ndjson;sig=1", ["h", "x", "a.ndjson"], "a.ndjson"),
        ("s3://b/runs/", ["b", "runs", ""], "runs"),
        ("abfs://c@acc/x", ["c@acc", "x"], "x"),
    ],
)
def test_the_parts_of_a_url_hold_no_credentials(
    url: str, parts: list[str], last: str
) -> None:
    assert parts_of(url) == parts
    assert base_name(url) == last


def test_two_urls_of_one_object_have_one_identity() -> None:
    assert identity("S3A://b/x") == identity("s3://b/x/")
    assert identity("memory:///x") == identity("memory://x")
    assert identity("s3://b/x") != identity("gs://b/x")


def test_a_path_lies_inside_a_url() -> None:
    assert inside("s3://b/runs/out", "s3://b/runs/") == "out"
    assert inside("s3://b/runs", "s3://b/runs/") == ""
    assert inside("s3://b/runs2", "s3://b/runs") is None
    assert inside("/b/runs/out", "s3://b/runs") is None


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["s3://b/x/a", "s3://b/x/b"], "s3://b/x/"),
        (["s3://b/x/a", "s3://b/xy/b"], "s3://b/"),
        (["s3://b/x/a"], "s3://b/x/"),
        (["s3://b/a", "s3://c/a"], ""),
        (["s3://b/a", "/srv/a"], ""),
    ],
)
def test_urls_share_a_folder(paths: list[str], folder: str) -> None:
    assert shared_folder(paths) == folder


def test_a_path_is_joined_to_a_url_as_it_is() -> None:
    assert joined("s3://b/runs/", "a", "", "b") == "s3://b/runs/a//b"
    assert scheme_of(joined("S3://b", "a")) == "s3"


@each(
    ("url", "found"),
    [
        ("s3://b/runs/*.ndjson", ("s3://b/runs/", "/*.ndjson", 1)),
        ("s3://b/r?ns/x/a*", ("s3://b/", "/r?ns/x/a*", 3)),
        ("s3://b/**/a", ("s3://b/", "/**/a", None)),
        ("s3://b/{a,b}/", ("s3://b/", "/{a,b}/", None)),
        ("s3://b/a\\[1]", ("s3://b/", "/a\\[1]", 1)),
        ("s3://b/a", None),
        ("s3://b/a?versionId=x1", None),
        ("https://h/[a]*?b", None),
    ],
)
def test_a_url_may_hold_a_glob(
    url: str, found: tuple[str, str, int | None] | None
) -> None:
    pattern = pattern_in(url)

    assert found == (pattern and (pattern.folder, pattern.glob, pattern.deepest))


def test_a_glob_chooses_below_its_folder() -> None:
    pattern = pattern_in("s3://b/runs/*/a\\[1].{ndjson,gz}")
    assert pattern is not None

    paths = ["x/a[1].ndjson", "x/a1.ndjson", "a[1].gz", "x/y/a[1].gz", "y/a[1].gz"]

    assert chosen_by(pattern, paths) == ["x/a[1].ndjson", "y/a[1].gz"]


def test_the_url_of_a_file_is_a_path(tmp_path: Path) -> None:
    log = tmp_path / "a log.ndjson"
    log.write_bytes(RUN.read_bytes())
    url = log.as_uri()

    done = in_process.run(
        [url, "-o", f"file://localhost{tmp_path}/o.txt"], tmp_path, {}
    )

    assert local_path(url) == str(log)
    assert done == (0, b"", b"")
    assert (tmp_path / "o.txt").read_bytes()
    assert [*convert.read(url)] == [*convert.read(log)]
