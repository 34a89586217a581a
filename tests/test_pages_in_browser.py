"""Pages in a browser: nothing runs or is fetched, and everything can be reached."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import convert
from support.made_runs import long_run

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
WIDTHS = (320, 380, 768, 1280)
# Something of each kind that the policy of the page forbids.
FORBIDDEN = (
    "<style>p { color: red }</style><script>console.log(1)</script>"
    "<img src='https://example.com/a.png'><p style='color: red'>x</p>"
)
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium; scripts/setup --browser installs it")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


class Visit:
    """A page that is open, and what happened on it."""

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

    def go(log: bytes, html: bytes = b"", **options: Any) -> Visit:
        page = html or b"".join(convert.convert([log], "html", thinking=True))
        contexts.append(browser.new_context(**options))
        return Visit(contexts[-1].new_page(), page, tmp_path / "page.html")

    yield go
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", LOGS)
def test_nothing_runs_and_nothing_is_fetched(visit: Any, name: str) -> None:
    visited = visit(LOGS[name]())

    visited.page.evaluate(OPEN_ALL)

    assert visited.events == []
    assert visited.page.evaluate("document.scripts.length") == 0


def test_the_policy_forbids_what_is_put_into_the_page(visit: Any) -> None:
    html = b"".join(convert.convert([long_run(5)], "html"))
    html = html.replace(b"<main>", b"<main>" + FORBIDDEN.encode())

    visited = visit(b"", html)

    violations = [text for text in visited.events if "Content Security Policy" in text]
    assert len(violations) == 4


@pytest.mark.parametrize("name", LOGS)
def test_no_page_scrolls_sideways(visit: Any, name: str) -> None:
    page = visit(LOGS[name]()).page
    page.evaluate(OPEN_ALL)

    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOW) <= 0, width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", LOGS)
def test_pages_are_accessible(visit: Any, name: str, scheme: str) -> None:
    page = visit(LOGS[name](), bypass_csp=True, color_scheme=scheme).page
    # Rows out of sight are measured wrongly.
    page.add_style_tag(content=".chapter { content-visibility: visible }")

    found = axe.Axe().run(page).response["violations"]

    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


@pytest.mark.parametrize("has_script", [True, False])
def test_a_link_to_a_call_opens_it(visit: Any, has_script: bool) -> None:
    page = visit(long_run(73), java_script_enabled=has_script).page
    body = page.locator("#c60")
    assert not body.is_visible()

    page.goto(f"{page.url}#c60")

    body.wait_for(state="visible")


def test_filters_leave_the_calls_that_they_name(visit: Any) -> None:
    page = visit(long_run(73), java_script_enabled=False).page

    for label in page.locator(".filter label").all():
        name, _, total = label.inner_text().rpartition(" ")
        label.click()
        shown = page.locator("li.call:visible").count()
        assert (name, shown) == (name, int(total))


def test_the_keyboard_reaches_the_parts_in_their_order(visit: Any) -> None:
    page = visit(long_run(20)).page
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
    page = visit(long_run(73)).page
    page.emulate_media(media="print")

    assert page.locator("li.call:visible").count() == 73
    assert not page.locator(".filter").is_visible()
