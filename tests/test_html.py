"""Pages of runs: what they say, and that nothing in a log can change them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from jinja2 import Environment

import convert
from convert.formats.html.environment import environment
from convert.formats.html.prose import plain_text, prose
from support.edits import log_of
from support.golden import logs
from support.hostile import hostile_logs
from support.html_page import HtmlPage
from support.made_runs import long_run
from support.runs import Batch, tell, trajectories


def page_of(log: bytes, **options: Any) -> HtmlPage:
    return HtmlPage(b"".join(convert.convert([log], "html", **options)))


@given(hostile_logs())
def test_nothing_in_a_hostile_log_changes_the_page(log: bytes) -> None:
    try:
        page = page_of(log, tool_output="full", thinking=True)
    except convert.RunconvError:
        return

    page.check()


@given(trajectories)
def test_each_call_has_a_row(run: list[Batch]) -> None:
    log = tell(run)
    (read,) = convert.read_runs([log])

    page = page_of(log)

    page.check()
    numbers = [f"c{call.number}" for call in read.calls]
    assert [id_ for id_ in page.ids if id_[:1] == "c" and id_[1:].isdigit()] == numbers


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# A *b*", '<p class="heading">A <em>b</em></p>\n'),
        ("![a](http://x/y.png)", "<p>[image: a]</p>\n"),
        ("[a](javascript:run)", "<p>[a](javascript:run)</p>\n"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>\n"),
        ("[a](/etc/passwd)", "<p>[a](/etc/passwd)</p>\n"),
        (
            "[a](https://x/?b&c)",
            '<p><a href="https://x/?b&amp;c" rel="noopener noreferrer nofollow">a</a>'
            "</p>\n",
        ),
        ("<script>run()</script>", "<p>&lt;script&gt;run()&lt;/script&gt;</p>\n"),
        ("<img src=x onerror=run()>", "<p>&lt;img src=x onerror=run()&gt;</p>\n"),
        ("a\u202eb\u200b", "<p>a\\u202eb\\u200b</p>\n"),
    ],
)
def test_markdown_of_a_log_cannot_leave_its_place(markdown: str, html: str) -> None:
    assert prose(markdown) == html


def test_plain_text_has_no_signs_of_markdown() -> None:
    assert plain_text("# A `b`\n\n- *c*\n- [d](http://x)") == "A b c d"


@pytest.mark.parametrize(("calls", "most"), [(73, 200_000), (2000, 5_000_000)])
def test_a_page_stays_small(calls: int, most: int) -> None:
    page = b"".join(convert.convert([long_run(calls)], "html"))

    assert len(page) < most


def test_the_parts_of_a_page() -> None:
    page = page_of(long_run(73))

    page.check()
    (verdict,) = page.text("verdict")
    assert verdict.startswith("The agent reports success; ")
    for name in ("took", "calls", "changed", "agent", "commands"):
        assert name in page.text("figures")[0].split()
    assert [words.split()[0] for words in page.text("filter")] == ["Show"]
    assert len(page.text("row")) == 73
    assert len(page.text("chapter")) == 2


def test_many_calls_are_drawn_as_columns_and_wrapped_into_rows() -> None:
    page = page_of(long_run(401))

    page.check()
    assert len(page.text("columns")) == 3
    (every,) = page.text("every")
    assert every.startswith("Every call on its own, ")


def test_a_page_without_times_has_no_time_of_the_agent() -> None:
    page = page_of(long_run(20, has_times=False))

    page.check()
    assert "agent" not in page.text("figures")[0].split()
    assert "The log records no times" in page.text("run-page")[0]


def test_controls_of_a_log_are_shown_and_not_written() -> None:
    log = long_run(1).replace(b"Migrate the shop", "Mi\u202egrate\u200b".encode())

    page = b"".join(convert.convert([log], "html")).decode()

    assert "\u202e" not in page
    assert "Mi\\u202egrate\\u200b" in page


def test_the_style_and_the_pages_have_the_same_classes() -> None:
    pages = [*_pages_of_all_kinds()]
    used = {name for page in pages for name in _named(page) if "language-" not in name}

    styled = set(
        re.findall(r"\.([a-z][\w-]*)", re.sub(_COMMENTS_AND_BODIES, "", STYLE))
    )

    # What went well, and an error, look as the tag and the verdict do without a class.
    assert used == styled | {"good", "error"}


STYLE = files("convert.formats.html").joinpath("style.css").read_text("utf-8")
_COMMENTS_AND_BODIES = r"/\*.*?\*/|\{[^{}]*\}"


def _named(page: str) -> list[str]:
    return " ".join(re.findall(r' class="([^"]*)"', page)).split()


def _pages_of_all_kinds() -> Iterator[str]:
    """Yield pages that show all which a page can show."""
    tree = {"success": {"directoryTreeRoot": _nested(4)}}
    made = [log_of(("ls", {"path": "."}, tree)), long_run(401), b"Read file\n"]
    for log in [*made, *(path.read_bytes() for path in logs(".ndjson"))]:
        with contextlib.suppress(convert.RunconvError):
            options = {"thinking": True, "log_name": "run.ndjson"}
            yield b"".join(convert.convert([log], "html", **options)).decode()


def _nested(depth: int) -> dict[str, Any]:
    inner = [_nested(depth - 1)] if depth else []
    return {"absPath": "/d", "childrenDirs": inner, "childrenFiles": []}


def test_every_filter_is_used() -> None:
    folder = files("convert.formats.html").joinpath("templates")
    templates = "".join(each.read_text("utf-8") for each in folder.iterdir())

    own = environment().filters.keys() - Environment().filters.keys()

    assert own == {name for name in own if re.search(rf"\|{name}\b", templates)}
