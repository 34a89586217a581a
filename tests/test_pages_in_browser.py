"""Pages in a browser: nothing runs or is fetched, and everything can be reached."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import convert
from support.edits import log_of
from support.made_runs import long_run, many_runs, retold
from support.many_runs import page_of_many
from support.suites_to_show import (
    falling,
    of_every_standing,
    page_of_suite,
    stopped,
    versions,
)

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).parent.parent / "golden"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
HOSTILE = "transcript-of-a-hostile-log"
LOGS = {
    "a run": lambda: long_run(73),
    "a long run": lambda: long_run(450),
    "a run without times": lambda: long_run(40, has_times=False),
    "a hostile log": lambda: (GOLDEN / HOSTILE / "input.ndjson").read_bytes(),
    "subagents": lambda: (GOLDEN / "transcript-subagents/input.ndjson").read_bytes(),
    "several runs": lambda: (
        GOLDEN / "transcript-of-several-runs/input.ndjson"
    ).read_bytes(),
}
# The pages of two logs, and those of one.
PAIRS = {
    "two runs": lambda: in_case("page-of-a-comparison", "a.ndjson", "b.ndjson"),
    "two long runs": lambda: (long_run(73), retold(long_run(73))),
    "two very long runs": lambda: (long_run(450), retold(long_run(450))),
    "two hostile logs": lambda: in_case("diff-of-hostile-logs", "a.ndjson", "b.ndjson"),
    "a run and a text": lambda: in_case(
        "diff-formats-that-record-less", "stream.ndjson", "fewer.txt"
    ),
    "logs of several runs": lambda: in_case(
        "diff-logs-of-several-runs", "a.ndjson", "shorter.ndjson"
    ),
}
# Logs for a page of many runs.
MANY = {
    "many runs": lambda: [*many_runs(60).values()],
    "more runs than dots": lambda: [*many_runs(20).values()] * 21,
    "hostile runs": lambda: [LOGS["a hostile log"](), LOGS["several runs"]()],
}
# The pages of suites.
SUITES = {
    "a suite": falling,
    "a suite of eight runs": lambda: falling(30, 8),
    "excluded runs": stopped,
    "three versions": lambda: versions(3),
    "ten versions": lambda: versions(10),
    "a hostile suite": lambda: of_every_standing("<b>" + 30 * "long" + "\u202e"),
}
PAGES = (
    {name: lambda log=log: page_of(log()) for name, log in LOGS.items()}
    | {name: lambda pair=pair: page_of_both(*pair()) for name, pair in PAIRS.items()}
    | {name: lambda logs=logs: page_of_all(logs()) for name, logs in MANY.items()}
    | {name: lambda made=made: page_of_suite(made()) for name, made in SUITES.items()}
)
# Pages whose parts and colours are all on a shorter one as well.
LONG = {"a long run", "two very long runs", "more runs than dots"}
LONG_NAME = "results/claude-sonnet-4-5-20250929__fix-long-words-in-tables"
WIDTHS = (320, 380, 768, 1280)
# Something of each kind that the policy of the page forbids.
FORBIDDEN = (
    "<style>p { color: red }</style><script>console.log(1)</script>"
    "<img src='https://example.com/a.png'><p style='color: red'>x</p>"
)
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
# The words that end in an ellipsis because they have no room.
CUT = """[...document.querySelectorAll('main *')]
    .filter(each => getComputedStyle(each).textOverflow === 'ellipsis'
        && each.clientWidth && each.scrollWidth > each.clientWidth)
    .map(each => each.outerHTML)"""
# A sheet of A4 within its margins, in pixels.
PAPER = {"width": 688, "height": 1017}
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


def page_of(log: bytes) -> bytes:
    return b"".join(convert.convert([log], "html", thinking=True))


def page_of_all(logs: list[bytes]) -> bytes:
    return page_of_many({f"a/{at}": log for at, log in enumerate(logs)})


def page_of_both(a: bytes, b: bytes) -> bytes:
    return convert.report(convert.compare([a], [b]), "html", verbose=True).encode()


def in_case(case: str, *names: str) -> list[bytes]:
    return [(GOLDEN / case / name).read_bytes() for name in names]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium; scripts/setup --browser installs it")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


class Visit:
    """A page that is open, and the events on it."""

    def __init__(self, page: Any, html: bytes, path: Path) -> None:
        path.write_bytes(html)
        self.page = page
        self.events: list[str] = []
        page.on("console", lambda message: self.events.append(message.text))
        page.on("pageerror", lambda error: self.events.append(str(error)))
        page.on("dialog", lambda dialog: self.events.append("dialog"))
        page.on("request", lambda request: self._note(request.url, path.as_uri()))
        page.goto(path.as_uri())

    def _note(self, url: str, own: str) -> None:
        if url.partition("#")[0] != own:
            self.events.append(url)


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    contexts = []

    def go(html: bytes, **options: Any) -> Visit:
        contexts.append(browser.new_context(**options))
        return Visit(contexts[-1].new_page(), html, tmp_path / "page.html")

    yield go
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_and_nothing_is_fetched(visit: Any, name: str) -> None:
    visited = visit(PAGES[name]())

    visited.page.evaluate(OPEN_ALL)

    assert visited.events == []
    assert visited.page.evaluate("document.scripts.length") == 0


def test_the_policy_forbids_a_script_that_is_put_into_the_page(visit: Any) -> None:
    html = b"".join(convert.convert([long_run(5)], "html"))
    html = html.replace(b"<main>", b"<main>" + FORBIDDEN.encode())

    visited = visit(html)

    violations = [text for text in visited.events if "Content Security Policy" in text]
    assert len(violations) == 4


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(visit: Any, name: str) -> None:
    page = visit(PAGES[name]()).page
    page.evaluate(OPEN_ALL)

    # A long page takes half a minute to lay out at each width.
    for width in WIDTHS[::3] if name in LONG else WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOW) <= 0, width


@pytest.mark.parametrize("width", WIDTHS)
def test_failures_that_repeat_keep_their_columns(visit: Any, width: int) -> None:
    failed = {"failure": {"stdout": "1 failed", "exitCode": 1}}
    calls = [("shell", {"command": f"make {20 * name}"}, failed) for name in "abb"]
    page = visit(page_of(log_of(*calls)), viewport={"width": width, "height": 900}).page

    boxes = {
        part: [each.bounding_box() for each in page.locator(f".failures {part}").all()]
        for part in ("b", ".small", "i", ".tag")
    }

    starts = {box["x"] for part in ("b", ".small", "i") for box in boxes[part]}
    assert len(starts) == len(boxes[".small"]) == 1
    assert {box["height"] for box in boxes[".tag"]} == {20}


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *((name, "light") for name in PAGES),
        *((name, "dark") for name in PAGES if name not in LONG),
    ],
)
def test_pages_are_accessible(visit: Any, name: str, scheme: str) -> None:
    page = visit(PAGES[name](), bypass_csp=True, color_scheme=scheme).page
    # Rows out of sight are measured wrongly.
    page.add_style_tag(content=".chapter { content-visibility: visible }")

    found = axe.Axe().run(page).response["violations"]

    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


@pytest.mark.parametrize(("calls", "most"), [(450, 0), (1100, 0.1)])
def test_a_page_is_as_long_as_all_its_chapters(
    visit: Any, calls: int, most: float
) -> None:
    page = visit(page_of(long_run(calls)), bypass_csp=True).page
    height = page.evaluate("document.documentElement.scrollHeight")

    page.add_style_tag(content=".chapter { content-visibility: visible }")

    whole = page.evaluate("document.documentElement.scrollHeight")
    assert abs(height - whole) <= most * whole


@pytest.mark.parametrize("has_script", [True, False])
def test_a_link_to_a_call_opens_it(visit: Any, has_script: bool) -> None:
    page = visit(page_of(long_run(73)), java_script_enabled=has_script).page
    body = page.locator("#c60")
    assert not body.is_visible()

    page.goto(f"{page.url}#c60")

    body.wait_for(state="visible")


def test_filters_leave_the_calls_that_they_name(visit: Any) -> None:
    page = visit(page_of(long_run(73)), java_script_enabled=False).page

    *labels, story = page.locator(".filter label").all()
    assert story.inner_text() == "As it reads"
    for label in labels:
        name, _, total = label.inner_text().rpartition(" ")
        label.click()
        shown = page.locator("li.call:visible").count()
        assert (name, shown) == (name, int(total))


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_as_it_reads_has_its_diffs_open_and_its_looks_in_lines(
    visit: Any, width: int, media: str
) -> None:
    log = GOLDEN / "show-a-run" / "input.ndjson"
    html = b"".join(convert.convert(log, "html", thinking=True))
    size = {"width": width, "height": 900}
    page = visit(html, viewport=size).page
    page.locator(".filter input").first.focus()

    page.keyboard.press("ArrowLeft")

    assert page.locator(".show-story").is_checked()
    page.emulate_media(media=media)
    diffs, thoughts = page.locator(".edit pre.diff"), page.locator(".thinking .prose")
    assert diffs.locator("visible=true").count() == diffs.count() > 0
    assert thoughts.locator("visible=true").count() == thoughts.count() > 0
    looks = page.locator("li.look > details")
    assert looks.count() > 2
    assert not page.locator("li.look .body:visible").count()
    looks.first.locator("summary").click()
    assert page.locator("li.look .body:visible").count() == 1
    assert page.evaluate(OVERFLOW) <= 0


def test_filters_leave_the_runs_that_they_name(visit: Any) -> None:
    page = visit(page_of_all(MANY["many runs"]()), java_script_enabled=False).page

    for label in page.locator(".filter label").all():
        name, _, total = label.inner_text().rpartition(" ")
        label.click()
        shown = page.locator(".runs tbody tr:visible").count()
        assert (name, shown) == (name, int(total))


def test_a_phone_shows_every_figure_of_many_runs(visit: Any) -> None:
    page = visit(page_of_all(MANY["many runs"]())).page
    page.locator("summary").click()
    cells = page.locator(".sheet :is(td, tbody th):not(.picture):not(:empty)")
    total = cells.count()

    page.set_viewport_size({"width": 380, "height": 900})

    assert page.locator(".sheet .outcomes:visible").count() > 0
    assert cells.locator("visible=true").count() == total > 500


@pytest.mark.parametrize("width", [641, 768, 880, 1001, 1280])
def test_long_names_of_runs_keep_their_words(visit: Any, width: int) -> None:
    html = page_of_many(
        {f"{LONG_NAME}/{name}": log for name, log in many_runs(60).items()}
    )
    page = visit(html, viewport={"width": width, "height": 900}).page

    names = [row.bounding_box() for row in page.locator("tbody th:visible").all()]

    assert len(names) > 50
    assert max(box["height"] for box in names) <= 110
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("folder", ["runs", LONG_NAME])
def test_paper_has_the_worst_of_200_runs_on_ten_pages(visit: Any, folder: str) -> None:
    runs = {f"{folder}/{name}": log for name, log in many_runs(200).items()}
    page = visit(page_of_many(runs)).page
    page.locator(".show-success + span").click()

    page.emulate_media(media="print")
    successes = page.locator(".runs tbody tr:visible").count()
    page.emulate_media(media="screen")
    page.locator(".show-all + span").click()
    page.emulate_media(media="print")
    pages = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))

    assert len(pages) <= 10
    assert page.locator(".runs tbody tr:visible").count() == 100
    assert successes == page.locator(".runs tr.success").count()


def test_the_keyboard_reaches_the_parts_in_their_order(visit: Any) -> None:
    page = visit(page_of(long_run(20))).page
    tops = []

    for _ in range(12):
        page.keyboard.press("Tab")
        tops.append(
            page.evaluate(
                "document.activeElement.getBoundingClientRect().top + scrollY"
            )
        )

    assert page.evaluate("document.activeElement.tagName") != "BODY"
    assert tops[1:] == sorted(tops[1:])


def test_print_shows_everything_of_a_short_run(visit: Any) -> None:
    page = visit(page_of(long_run(73))).page
    page.emulate_media(media="print")

    assert page.locator("li.call:visible").count() == 73
    assert not page.locator(".filter").is_visible()


@pytest.mark.parametrize("name", PAIRS)
def test_print_shows_the_rows_of_a_comparison(visit: Any, name: str) -> None:
    page = visit(page_of_both(*PAIRS[name]()), viewport=PAPER).page
    rows = page.locator(".pair:visible").count()

    page.emulate_media(media="print")

    assert page.locator(".pair:visible").count() == rows > 0
    assert not page.locator(".filter:visible").count()


@pytest.mark.parametrize("name", PAGES)
def test_print_cuts_no_words(visit: Any, name: str) -> None:
    page = visit(PAGES[name](), viewport=PAPER).page
    page.emulate_media(media="print")

    assert page.evaluate(CUT) == []
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("has_script", [True, False])
def test_a_link_to_a_row_opens_it(visit: Any, has_script: bool) -> None:
    html = page_of_both(*PAIRS["two runs"]())
    page = visit(html, java_script_enabled=has_script).page
    body = page.locator("#a6")
    assert not body.is_visible()

    page.goto(f"{page.url}#b5")

    body.wait_for(state="visible")


def test_a_link_to_an_equal_call_unfolds_it(visit: Any) -> None:
    page = visit(page_of_both(*PAIRS["two long runs"]())).page
    folded = page.locator(".pairs .pairs .pair").first
    assert not folded.is_visible()

    page.goto(f"{page.url}#{folded.get_attribute('id')}")

    folded.wait_for(state="visible")


@pytest.mark.parametrize("name", ["two runs", "two long runs"])
def test_filters_leave_the_rows_that_they_name(visit: Any, name: str) -> None:
    page = visit(page_of_both(*PAIRS[name]()), java_script_enabled=False).page

    labels = page.locator(".filter:not(.axis) label").all()

    assert len(labels) > 2
    for label in labels[1:]:
        kind, _, total = label.inner_text().rpartition(" ")
        label.click()
        rows = page.locator(".pair:visible").count()
        moved = 2 if kind == "Moved" else 1
        assert (kind, rows) == (kind, moved * int(total))


def test_the_picture_is_by_order_or_by_time(visit: Any) -> None:
    html = page_of_both(*PAIRS["two runs"]())
    page = visit(html, java_script_enabled=False).page
    by_order, by_time = page.locator(".by-order"), page.locator(".by-time")
    assert (by_order.is_visible(), by_time.is_visible()) == (True, False)

    page.get_by_text("Time", exact=True).click()

    assert (by_order.is_visible(), by_time.is_visible()) == (False, True)


def test_a_phone_shows_equal_calls_once(visit: Any) -> None:
    page = visit(page_of_both(*PAIRS["two runs"]())).page

    page.set_viewport_size({"width": 380, "height": 900})

    assert not page.locator(".same .side.b").first.is_visible()
    assert page.locator(".changed .side.b").first.is_visible()


@pytest.mark.parametrize("name", SUITES)
def test_open_cases_are_accessible(visit: Any, name: str) -> None:
    page = visit(PAGES[name](), bypass_csp=True).page
    page.evaluate(OPEN_ALL)

    found = axe.Axe().run(page).response["violations"]

    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_paper_shows_the_worst_cases_of_a_suite(visit: Any) -> None:
    page = visit(page_of_suite(falling(100)), viewport=PAPER).page
    cases = page.locator(".case:visible").count()

    page.emulate_media(media="print")

    assert cases > 40
    assert page.locator(".case:visible").count() == 40
    assert not page.locator(".case > .fold:visible").count()
    assert "40 worst of 100 cases" in page.locator(".on-paper").inner_text()


def test_paper_shows_the_details_that_are_open(visit: Any) -> None:
    page = visit(page_of_suite(falling(3)), viewport=PAPER).page
    page.locator(".case summary").first.click()

    page.emulate_media(media="print")

    assert page.locator(".case > .fold:visible").count() == 1
    assert page.locator(".by-version:visible").count() == 1


def test_a_phone_shows_the_first_case_at_once(visit: Any) -> None:
    page = visit(page_of_suite(stopped()), viewport={"width": 380, "height": 800}).page

    box = page.locator(".case").first.bounding_box()

    assert box["y"] + box["height"] <= 800


def test_a_phone_shows_every_figure_of_a_suite(visit: Any) -> None:
    page = visit(page_of_suite(falling())).page
    cells = page.locator(
        ".versions td, .case .score, .case .figure, .case .marks, .case .state"
    )
    shown = cells.locator("visible=true").count()

    page.set_viewport_size({"width": 380, "height": 900})

    assert cells.locator("visible=true").count() == shown > 300
