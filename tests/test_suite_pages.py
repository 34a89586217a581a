"""The pages that the page of a suite links to, next to it."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

import pytest

from convert.suites import run_pages as suite_pages
from support.golden import GOLDEN
from support.hostile import ACTING, ACTING_MARKDOWN, hostile_copy
from support.html_page import HtmlPage, foreign_parts
from support.in_process import Done, Redirection, run
from support.runs import Made, one_by_one, tell

READ, EDIT = Made("read", "a.py"), Made("edit", "b.py")
NAMES = ("one", "two", "three")


def log(*calls: Made, text: str = "Done.") -> bytes:
    return tell(one_by_one([*calls]), text=text)


def write(folder: Path, logs: dict[str, bytes]) -> None:
    for name, content in logs.items():
        path = folder / f"{name}.ndjson"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def versions(place: Path, names: Iterable[str] = NAMES) -> None:
    """Write two versions, whose runs differ in each case but one that is the same."""
    names = [*names]
    write(place / "a", dict.fromkeys([*names, "same"], log(READ)))
    write(place / "b", dict.fromkeys(names, log(READ, EDIT)) | {"same": log(READ)})


def diff(place: Path, *options: str) -> Done:
    return run(["diff", "a", "b", *options], place, {})


def links_of(page: Path) -> list[str]:
    found = HtmlPage(page.read_bytes())
    found.check()
    return [unquote(link) for link in found.links if not link.startswith("#")]


def files_in(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    )


def test_a_page_in_a_file_links_to_pages_next_to_it(tmp_path: Path) -> None:
    versions(tmp_path)

    done = diff(tmp_path, "-o", "out/night 1.html")

    links = links_of(tmp_path / "out/night 1.html")
    pages = files_in(tmp_path / "out/night 1.pages")
    assert done.status in (0, 1)
    assert sorted(links) == [f"night 1.pages/{page}" for page in pages]
    assert pages == sorted(
        f"{name}/{page}.html" for name in NAMES for page in ("a", "b", "diff")
    )
    for page in pages:
        HtmlPage((tmp_path / "out/night 1.pages" / page).read_bytes()).check()


def test_the_page_of_a_run_leads_back(tmp_path: Path) -> None:
    versions(tmp_path)

    diff(tmp_path, "-o", "night 1.html")

    page = tmp_path / "night 1.pages/one/a.html"
    assert links_of(page) == ["../../night 1.html"]
    assert ">Back to the comparison</a>" in page.read_text("utf-8")


def test_the_page_of_two_runs_leads_back_and_to_both_runs(tmp_path: Path) -> None:
    versions(tmp_path)

    diff(tmp_path, "-o", "suite.html")

    page = tmp_path / "suite.pages/one/diff.html"
    assert links_of(page) == ["../../suite.html", "a.html", "b.html"]
    text = page.read_text("utf-8")
    assert ">Back to the comparison</a>" in text
    assert ">run of a (succeeded)</a>" in text


def test_each_page_shows_its_logs(tmp_path: Path) -> None:
    versions(tmp_path, ["one"])

    diff(tmp_path, "-o", "suite.html")

    texts = {
        page: (tmp_path / f"suite.pages/one/{page}.html").read_text("utf-8")
        for page in ("a", "b", "diff")
    }
    assert [page for page in texts if "b.py" in texts[page]] == ["b", "diff"]
    assert [page for page in texts if "a/one.ndjson" in texts[page]] == ["a", "diff"]
    assert [page for page in texts if "b/one.ndjson" in texts[page]] == ["b", "diff"]


@pytest.mark.parametrize("options", [("--format", "html"), ("-o", "-")])
def test_standard_output_gets_no_pages_and_no_links(
    tmp_path: Path, options: tuple[str, str]
) -> None:
    versions(tmp_path)

    done = diff(tmp_path, *options)

    assert ".pages/" not in done.stdout.decode()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_a_page_on_standard_output_has_no_links_of_one_in_a_file(
    tmp_path: Path,
) -> None:
    versions(tmp_path)

    done = diff(tmp_path, "--report", "html=suite.html", "--format", "html")

    assert links_of(tmp_path / "suite.html")
    page = HtmlPage(done.stdout)
    assert page.links == ["#cases"]
    assert "runconv diff a/one.ndjson b/one.ndjson -o diff.html" in done.stdout.decode()


def test_a_file_that_is_open_already_gets_no_pages(tmp_path: Path) -> None:
    versions(tmp_path)
    output = Redirection(1, ">", "out.html")

    run(
        ["diff", "a", "b", "-o", "/dev/stdout", "--format", "html"],
        tmp_path,
        {},
        [output],
    )

    assert links_of(tmp_path / "out.html") == []
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "out.html"}


def test_two_pages_of_a_suite_have_pages_of_their_own(tmp_path: Path) -> None:
    versions(tmp_path, ["one"])

    diff(tmp_path, "--report", "html=x/one.html", "-o", "other.html")

    for page in ("x/one.html", "other.html"):
        links = links_of(tmp_path / page)
        assert len(links) == 3
        assert all((tmp_path / page).parent.joinpath(link).exists() for link in links)


def test_only_the_worst_cases_have_pages_unless_all_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite_pages, "_MOST", 2)
    versions(tmp_path)

    diff(tmp_path, "-o", "short.html")
    diff(tmp_path, "-o", "full.html", "--full")

    assert len([*(tmp_path / "short.pages").iterdir()]) == 2
    assert len([*(tmp_path / "full.pages").iterdir()]) == 3
    assert len(links_of(tmp_path / "short.html")) == 6
    text = (tmp_path / "short.html").read_text("utf-8")
    assert text.count("-o diff.html") == 1


HOSTILE = [
    "x y",
    "x?y",
    "x#y",
    "X-Y",
    "a!b",
    "a-B",
    "-",
    "con",
    "é",
    "e\u0301",
    "<b>",
    "%2e",
]


@pytest.mark.skipif(sys.platform == "win32", reason="it forbids such names")
def test_no_two_cases_share_a_page(tmp_path: Path) -> None:
    names = [*HOSTILE, "z" * 200, "z" * 201, os.fsdecode(b"\xff")]
    versions(tmp_path, names)

    diff(tmp_path, "-o", "suite.html")

    folders = [path.name for path in (tmp_path / "suite.pages").iterdir()]
    # Some systems confuse small letters with capitals, and two spellings of one name.
    alike = {unicodedata.normalize("NFKC", name).casefold() for name in folders}
    assert len(folders) == len(alike) == len(names)
    assert "con" not in folders
    assert not any(name.startswith(".") or len(name) > 70 for name in folders)
    links = links_of(tmp_path / "suite.html")
    assert len(links) == len({*links}) == 3 * len(folders)
    assert all((tmp_path / link).is_file() for link in links)


@pytest.mark.seldom
@pytest.mark.skipif(sys.platform == "win32", reason="it forbids such names")
def test_no_text_of_logs_acts_on_the_pages_of_many_runs(tmp_path: Path) -> None:
    name = ACTING.replace("/", "")
    folders = f"a{name}", "b", "c"
    for version, log in zip(folders, "aab", strict=True):
        content = (GOLDEN / "page-of-a-comparison" / f"{log}.ndjson").read_bytes()
        texts = {name: ACTING, f"x/{name}": ACTING_MARKDOWN}
        write(
            tmp_path / version,
            {case: hostile_copy(content, text) for case, text in texts.items()},
        )

    run(["matrix", *folders, "-o", "matrix.html"], tmp_path, {})
    run(["stats", *folders, "-o", "stats/"], tmp_path, {})

    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) == 1 + 8 + 1 + 6
    assert not any(foreign_parts(page.read_text("utf-8")) for page in pages)


def test_a_secret_of_one_log_shows_on_no_page(tmp_path: Path) -> None:
    secret = "Zx81-Vq20-Lm77"
    write(tmp_path / "a", {"x": log(READ, text=f"export SHOP_PASSWORD={secret}")})
    write(tmp_path / "b", {"x": log(EDIT, text=f"It is {secret}.")})

    diff(tmp_path, "--redact", "-o", "suite.html")
    diff(tmp_path, "-o", "plain.html")

    pages = [*tmp_path.glob("suite*/*/*.html"), tmp_path / "suite.html"]
    assert len(pages) == 4
    assert not any(secret in page.read_text("utf-8") for page in pages)
    assert secret in (tmp_path / "plain.pages/x/b.html").read_text("utf-8")


def test_pages_of_an_earlier_report_are_replaced_and_no_logs(tmp_path: Path) -> None:
    versions(tmp_path, ["one"])
    diff(tmp_path, "-o", "b/suite.html")
    first = (tmp_path / "b/suite.html").read_bytes()
    page = tmp_path / "b/suite.pages/one/diff.html"
    page.write_text("old")

    done = diff(tmp_path, "-o", "b/suite.html")

    assert b"2 cases, 4 runs compared; 4 reports skipped:" in done.stderr
    assert (tmp_path / "b/suite.html").read_bytes() == first
    assert page.read_text("utf-8") != "old"


def test_a_log_in_the_place_of_a_page_is_not_overwritten(tmp_path: Path) -> None:
    versions(tmp_path, ["one"])
    place = tmp_path / "b/suite.pages/one/a.html"
    place.parent.mkdir(parents=True)
    place.write_bytes(log(READ))

    done = diff(tmp_path, "-o", "b/suite.html")

    assert done.status == 2
    assert b"a.html is one of the logs to read; write to another file" in done.stderr
    assert place.read_bytes() == log(READ)
    assert not (tmp_path / "b/suite.html").exists()


def test_no_page_of_a_suite_is_written_if_a_page_cannot_be(tmp_path: Path) -> None:
    versions(tmp_path, ["one"])
    (tmp_path / "suite.pages").write_text("in the way")

    done = diff(tmp_path, "-o", "suite.html")

    assert done.status == 2
    assert b"suite.pages" in done.stderr
    assert not (tmp_path / "suite.html").exists()


def test_a_case_that_is_only_in_one_version_has_the_page_of_its_run(
    tmp_path: Path,
) -> None:
    versions(tmp_path, ["one"])
    write(tmp_path / "a", {"gone": log(READ, EDIT)})

    diff(tmp_path, "-o", "suite.html")

    assert files_in(tmp_path / "suite.pages/gone") == ["a.html"]
    assert "suite.pages/gone/a.html" in links_of(tmp_path / "suite.html")


def test_of_several_versions_each_has_the_page_of_a_run(tmp_path: Path) -> None:
    for version, calls in (("v1", [READ]), ("v2", [READ]), ("v3", [READ, EDIT])):
        write(tmp_path / version, {"one": log(*calls)})

    run(["matrix", "v1", "v2", "v3", "-o", "suite.html"], tmp_path, {})

    pages = files_in(tmp_path / "suite.pages/one")
    assert pages == ["diff.html", *(f"version-{at}.html" for at in (1, 2, 3))]
    assert len(links_of(tmp_path / "suite.html")) == 4
