"""Pages of runs: their words, and that nothing in a log can change them."""

from __future__ import annotations

import contextlib
import html
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from jinja2 import Environment

import convert
from convert.pages import plain_text
from convert.pages.environment import html_of
from convert.pages.prose import _parsed_words, _parser, prose, prose_line
from convert.pages.timeline_svg import log_environment
from support import matrix
from support.conversions import FEW_LOGS, few
from support.edits import log_of
from support.golden import GOLDEN, logs
from support.hostile import (
    ACTING,
    ACTING_MARKDOWN,
    hostile_copy,
    hostile_logs,
    hostile_pairs,
    texts,
)
from support.html_page import HtmlPage, foreign_parts
from support.made_runs import long_run, retold
from support.matrix import each, part
from support.runs import Batch, Made, one_by_one, tell, trajectories


def page_of(log: bytes, **options: Any) -> HtmlPage:
    return HtmlPage(b"".join(convert.convert([log], "html", **options)))


def comparison_of(a: bytes, b: bytes, **options: Any) -> HtmlPage:
    settings = options.pop("settings", None)
    compared = convert.compare([a], [b], settings=settings)
    return HtmlPage(convert.report(compared, "html", **options).encode())


@given(hostile_logs())
def test_nothing_in_a_hostile_log_changes_the_page(log: bytes) -> None:
    try:
        page = page_of(log, tool_output="full", thinking=True)
    except convert.RunconvError:
        reject()

    page.check()


@given(hostile_pairs(), texts, st.booleans())
def test_nothing_in_hostile_logs_changes_the_page_of_both(
    pair: tuple[bytes, bytes], name: str, is_full: bool
) -> None:
    settings = convert.Settings(outputs=True, fail_on="info")
    try:
        page = comparison_of(
            *pair, names=(name, name), full=is_full, verbose=True, settings=settings
        )
    except convert.RunconvError:
        reject()

    page.check()


# A log of each agent, and those whose pages have parts of their own.
SHOWN = [
    GOLDEN / name
    for name in (
        "every-kind-of-tool/input.ndjson",
        "page-of-several-runs/input.ndjson",
        "page-of-a-comparison/a.ndjson",
        "failures-that-are-answers/input.ndjson",
        "transcript-links-and-failures-inside/input.ndjson",
        "transcript-plans/input.ndjson",
        "claude-stream-bug-fix/claude.ndjson",
        "claude-session-bug-fix/claude.jsonl",
        "codex-exec-bug-fix/codex.ndjson",
        "codex-rollout-bug-fix/codex.jsonl",
        "opencode-bug-fix/opencode.ndjson",
        "atif-bug-fix/run.json",
    )
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [ACTING, ACTING_MARKDOWN], ids=["line", "Markdown"])
def test_no_text_of_a_log_acts_on_its_page(text: str) -> None:
    paths = [*SHOWN, *(FEW_LOGS[::2] if matrix.is_exhaustive else ())]
    pages = 0
    for path in paths:
        log = hostile_copy(path.read_bytes(), text)
        options = {"thinking": True, "tool_output": "full", "log_name": text}
        with contextlib.suppress(convert.RunconvError):
            page = b"".join(convert.convert([log], "html", **options)).decode()
            assert foreign_parts(page) == [], path
            pages += 1

    assert 4 * pages >= 3 * len(paths)


def test_no_long_text_of_a_log_acts_on_its_page() -> None:
    failure = {"stdout": "1 failed", "exitCode": 1}
    log = log_of(("shell", {"command": "pytest"}, {"failure": failure}))
    # Each text is longer than the page shows, and words have too many signs.
    log = hostile_copy(log, f"{ACTING_MARKDOWN}\n\n" * 300)

    page = b"".join(convert.convert([log], "html")).decode()

    assert foreign_parts(page) == []
    assert "Shown as it is written" in page
    assert "omitted from this page" in page


@pytest.mark.parametrize("text", [ACTING, ACTING_MARKDOWN], ids=["line", "Markdown"])
def test_no_text_of_two_logs_acts_on_their_page(text: str) -> None:
    a, b = (log.read_bytes() for log in PAIR)
    settings = convert.Settings(outputs=True, fail_on="info")
    hostile = hostile_copy(b, text)

    for one, other in ((a, hostile), (hostile, b), (hostile_copy(a, text), hostile)):
        compared = convert.compare([one], [other], settings=settings)
        page = convert.report(compared, "html", names=(text, text), full=True)
        assert foreign_parts(page) == []


@given(trajectories)
def test_each_call_has_a_row(run: list[Batch]) -> None:
    log = tell(run)
    (read,) = convert.read_runs([log])

    page = page_of(log)

    page.check()
    numbers = [f"c{call.number}" for call in read.calls]
    assert [id_ for id_ in page.ids if id_[:1] == "c" and id_[1:].isdigit()] == numbers


@given(trajectories, trajectories)
def test_each_call_of_two_runs_has_one_row(
    one: list[Batch], other: list[Batch]
) -> None:
    a, b = tell(one), tell(other)
    numbers = [
        f"{side}{call.number}"
        for side, log in (("a", a), ("b", b))
        for run in convert.read_runs([log])
        for call in run.calls
    ]

    page = comparison_of(a, b)

    page.check()
    found = [id_ for id_ in page.ids if id_[:1] in "ab" and id_[1:].isdigit()]
    assert sorted(found) == sorted(numbers)


@each(
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


@pytest.mark.parametrize("sign", ["[", "!", "*a", "a\n", "<&"])
def test_a_text_of_signs_is_shown_as_it_is_written(sign: str) -> None:
    text = sign * 20_001

    begin, _, rest = prose(text).partition("<pre><code>")

    assert "Shown as it is written" in begin
    assert rest == f"{html.escape(text)}</code></pre>"
    assert "Shown" not in prose("*" * 20_000)


@given(st.lists(st.sampled_from([*"ab1é中. \n`\"'>(*-_#\u00a0", "`c`", "\n\n", "1. "])))
@example(["`c`", "`c`"])
@example(["` c `"])
@example(["a \nb"])
@example(["a", "\n", "1. ", "b"])
@example(["a", "\n\n", "`c`", "\n", "b"])
def test_a_text_without_the_parser_is_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert prose(text) == _parser().render(text)
    assert prose_line(text) == _parser().renderInline(text)
    assert plain_text(text) == _parsed_words(text)


@each("sign", [*"<>&\"'"])
def test_each_sign_of_html_is_escaped_on_its_own(sign: str) -> None:
    assert html_of(f"a{sign}") == html.escape(f"a{sign}").replace(
        "&quot;", "&#34;"
    ).replace("&#x27;", "&#39;")


def test_plain_text_has_no_signs_of_markdown() -> None:
    assert plain_text("# A `b`\n\n- *c*\n- [d](http://x)") == "A b c d"
    assert plain_text("a\u202eb") == "a\\u202eb"


@each(("length", "end"), [(60, "xxx"), (61, "xx…")])
def test_a_bar_names_its_call_by_60_characters(length: int, end: str) -> None:
    log = log_of(("shell", {"command": "x" * length}, {"success": {"exitCode": 0}}))

    page = b"".join(convert.convert([log], "html")).decode()

    (named,) = re.findall("<title>1 shell (x.*?)</title>", page)
    assert (len(named), named[-3:]) == (60, end)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("calls", "most"), part([(73, 200_000), (2000, 5_000_000)], 2))
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


def test_a_page_lists_the_same_failure_once_and_one_that_is_hidden() -> None:
    log = (GOLDEN / "failed-tests-behind-a-pipe" / "input.ndjson").read_bytes()

    page = b"".join(convert.convert([log], "html")).decode()

    listed = page.partition("Unresolved failures")[2].partition("</ul>")[0]
    assert listed.count("<li>") == 3
    assert "×2: calls 6 and 7" in listed
    assert '<span class="tag error">hid 3 failed</span>' in listed
    assert "Failure 1 of 4" in page


def test_the_verdict_leads_to_the_last_unresolved_failure() -> None:
    failed = {"failure": {"exitCode": 2, "stdout": "no"}}
    refused = {"rejected": {"reason": "no"}}
    calls = [("a", failed), ("b", failed), ("push", refused), ("c", {"success": {}})]
    log = log_of(*(("shell", {"command": name}, result) for name, result in calls))

    page = page_of(log, log_name="run.ndjson")

    (words,) = page.text("last")
    assert words == "Last unresolved failure: call 2, b, exit 2"
    assert page_of(log_of()).text("last") == []
    cut = (GOLDEN / "transcript-of-a-run-that-breaks-off/input.ndjson").read_bytes()
    (words,) = page_of(cut).text("last")
    assert words == "Last unresolved failure: call 7, npm start, unfinished"


def test_the_last_ten_failures_are_open() -> None:
    failed = {"failure": {"exitCode": 1, "stdout": "no"}}
    log = log_of(*(("shell", {"command": f"make {n}"}, failed) for n in range(12)))

    page = b"".join(convert.convert([log], "html")).decode()

    opened = re.findall(r'unresolved"><details open>.*?"number">(\d+)<', page)
    assert opened == [str(number) for number in range(3, 13)]


def test_a_page_says_where_a_status_is_an_answer() -> None:
    log = (GOLDEN / "failures-that-are-answers" / "input.ndjson").read_bytes()

    page = b"".join(convert.convert([log], "html")).decode()

    assert page.count("No failure: its status is an answer") == 4
    assert "its status is an answer, false or no match." in page


def test_400_calls_are_drawn_on_their_own() -> None:
    several, many = (
        b"".join(convert.convert([long_run(calls)], "html")).decode()
        for calls in (400, 401)
    )

    assert 'class="columns' not in several
    assert many.count('class="columns') == 3


@pytest.mark.seldom
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
    assert "The log does not record when calls began" in page.text("run-page")[0]


def test_controls_of_a_log_are_shown_and_not_written() -> None:
    log = long_run(1).replace(b"Migrate the shop", "Mi\u202egrate\u200b".encode())

    page = b"".join(convert.convert([log], "html")).decode()

    assert "\u202e" not in page
    assert "Mi\\u202egrate\\u200b" in page


@pytest.mark.seldom
def test_the_style_and_the_pages_have_the_same_classes() -> None:
    pages = [*_pages_of_all_kinds()]
    used = {name for page in pages for name in _named(page) if "language-" not in name}

    styled = set(
        re.findall(r"\.([a-z][\w-]*)", re.sub(_COMMENTS_AND_BODIES, "", STYLE))
    )

    # A success and an error look as the tag and the verdict do without a class.
    assert used == styled | {"good", "error"}


STYLE = "".join(
    files("convert.pages").joinpath("templates", name).read_text("utf-8")
    for name in ("style.css", "comparison.css")
)
_COMMENTS_AND_BODIES = r"/\*.*?\*/|\{[^{}]*\}"


def _named(page: str) -> list[str]:
    return " ".join(re.findall(r' class="([^"]*)"', page)).split()


# Calls of it fail, and yet answer the question.
ANSWERED = GOLDEN / "refusals-that-change-nothing" / "clean.ndjson"
# A call of it completes once more.
REPEATED = GOLDEN / "transcript-calls-that-end-twice" / "input.ndjson"


def _pages_of_all_kinds() -> Iterator[str]:
    """Yield pages that show all which a page can show."""
    tree = {"success": {"directoryTreeRoot": _nested(4)}}
    # Chapters of 37, 11 and 2 calls.
    long = long_run(1010) + long_run(39)
    made = [log_of(("ls", {"path": "."}, tree)), long, b"Read file\n"]
    paths = [*few(logs(".ndjson")), REPEATED, ANSWERED]
    for log in [*made, *(path.read_bytes() for path in paths)]:
        with contextlib.suppress(convert.RunconvError):
            options = {"thinking": True, "log_name": "run.ndjson"}
            yield b"".join(convert.convert([log], "html", **options)).decode()
    one, other = (log.read_bytes() for log in PAIR)
    several, long = (one + one, other + one), (long_run(401), retold(long_run(401)))
    cut_off = one, one[: one.rindex(b'{"type"')]
    for a, b in [(one, other), (other, one), cut_off, several, long]:
        yield convert.report(convert.compare([a], [b]), "html")


def _nested(depth: int) -> dict[str, Any]:
    inner = [_nested(depth - 1)] if depth else []
    return {"absPath": "/d", "childrenDirs": inner, "childrenFiles": []}


def test_every_filter_is_used() -> None:
    folder = files("convert.pages").joinpath("templates")
    paths = [path for path in folder.iterdir() if path.name.endswith(".j2")]
    templates = "".join(path.read_text("utf-8") for path in paths)

    own = log_environment().filters.keys() - Environment().filters.keys()

    assert own == {name for name in own if re.search(rf"\|{name}\b", templates)}


PAIR = [GOLDEN / "page-of-a-comparison" / name for name in ("a.ndjson", "b.ndjson")]
FORMATS = GOLDEN / "diff-formats-that-record-less"


@pytest.mark.seldom
def test_a_page_of_2000_calls_a_side_stays_small() -> None:
    log = long_run(2000)

    made = convert.report(convert.compare([log], [retold(log)]), "html")

    assert len(made.encode()) < 4_000_000


@pytest.mark.seldom
def test_details_are_skipped_where_a_page_would_grow_too_long() -> None:
    def log(side: str) -> bytes:
        lines = [f"{side}{n} " * 20 for n in range(60)]
        bodies = ["\n".join(f"{n} {line}" for line in lines) for n in range(250)]
        return tell(one_by_one([Made("mint", body) for body in bodies]))

    compared = convert.compare([log("a")], [log("b")])

    made = convert.report(compared, "html")

    assert len(made.encode()) < 4_000_000
    assert "… details skipped: " in made
    assert "skipped" not in convert.report(compared, "html", full=True)


def test_the_parts_of_a_page_of_two_runs() -> None:
    page = comparison_of(*(log.read_bytes() for log in PAIR))

    page.check()
    (verdict,) = page.text("verdict")
    assert verdict.startswith(
        "Different (critical): 2 calls ended worse, 1 added, 1 removed, 2 changed,"
        " 1 moved, 3 files differ, the answer differs."
    )
    assert page.text("bad")[0] == verdict
    assert [words.split("→ ")[-1] for words in page.text("worse")[:2]] == [
        "exit 2",
        "refused",
    ]
    assert "The runs diverge at call 3." in page.text("pair-page")[0]
    axis, show = page.text("filter")
    assert axis.split()[0] == "Axis"
    assert show.split("\n")[1:-1] == [
        "All 12",
        "Ended differently 2",
        "Changed 2",
        "Removed 1",
        "Added 1",
        "Moved 1",
    ]


@pytest.mark.parametrize(
    ("settings", "begin", "tone"),
    [
        ({}, "Different (critical): 2 calls ended worse, ", "bad"),
        ({"ignore": ("outcome",)}, "Different (major): 1 call added, ", "warning"),
        (
            {"ignore": ("outcome",), "fail_on": "critical"},
            "Passes (--fail-on critical): 1 call added, ",
            "warning",
        ),
        (
            {"judge": ("status",), "fail_on": "info"},
            "Different (info): the model differs.",
            "warning",
        ),
        ({"judge": ("status",)}, "Same: 11 calls, success, result differs", "good"),
    ],
)
def test_the_verdict_on_two_runs(
    settings: dict[str, Any], begin: str, tone: str
) -> None:
    a, b = (log.read_bytes() for log in PAIR)

    page = comparison_of(a, b, settings=convert.Settings(**settings))

    page.check()
    (verdict,) = page.text("verdict")
    assert verdict.startswith(begin)
    assert verdict in page.text(tone)


def test_a_better_end_is_marked() -> None:
    b, a = (log.read_bytes() for log in PAIR)

    page = comparison_of(a, b)

    assert page.text("verdict")[0].startswith(
        "Different (critical): 1 call ended better, 1 ended differently, "
    )
    assert page.text("warning") == page.text("verdict")


@pytest.mark.parametrize(
    ("one", "other", "rows", "missing"),
    [
        ("stream.ndjson", "fewer.txt", True, "files and status"),
        ("stream.ndjson", "summary.json", False, "calls and files"),
        ("summary.json", "answer.txt", False, "calls, files and status"),
    ],
)
def test_what_logs_do_not_record_is_named(
    one: str, other: str, rows: bool, missing: str
) -> None:
    a, b = ((FORMATS / name).read_bytes() for name in (one, other))

    page = comparison_of(a, b)

    page.check()
    assert bool(page.text("pairs")) == bool(page.text("joined")) == rows
    assert f"Not compared: {missing}," in page.text("pair-page")[0]


def test_a_pair_without_times_is_shown_only_by_order() -> None:
    log, timeless = long_run(20), long_run(20, has_times=False)

    page = comparison_of(log, timeless)

    page.check()
    assert len(page.text("joined")) == 1
    assert (
        "Only the order is shown, since B does not record when calls began."
        in page.text("pair-page")[0]
    )


@pytest.mark.seldom
def test_a_long_pair_is_drawn_as_paths() -> None:
    log = long_run(401)

    page = comparison_of(log, retold(log))

    page.check()
    assert len(page.text("blocks")) == 4
    assert len(page.text("joined")) == 2


def test_the_regions_of_several_runs_have_names_of_their_own() -> None:
    page = page_of(3 * long_run(12))

    page.check()
    labels = [each.get("aria-label") for each in page.root.iter("section")]
    assert [f"Calls of run {number}" for number in (1, 2, 3)] == [
        label for label in labels if label and "Calls" in label
    ]


def test_several_runs_have_a_section_each_and_a_list() -> None:
    a, b = (log.read_bytes() for log in PAIR)

    page = comparison_of(a + a, b + b + a)

    page.check()
    assert len(page.text("pair-page")) == 3
    listed = page.text("failures")[0]
    assert "no run 3 in A; 11 calls" in listed
    assert "Different (critical): 2 calls ended worse" in listed


def test_a_link_leads_to_a_call_inside_a_call_at_another_place() -> None:
    first = call_line("first", 0)
    a = call_line("task", 0) + call_line("inside", 0, parent="task")
    b = call_line("task", 0) + call_line("inside", 1, parent="task")

    page = comparison_of(a, first + b)

    page.check()
    assert "b2.1" in page.ids
    links = [link.attrib["href"] for link in page.root.iter("a")]
    assert "#b2.1" in links


def call_line(id_: str, code: int, parent: str = "") -> bytes:
    """Write a shell command that may be made inside of another call."""
    body = {"args": {"command": id_}, "result": {"success": {"exitCode": code}}}
    line = {"type": "tool_call", "subtype": "completed", "call_id": id_}
    call = {"shellToolCall": body, "parentToolCallId": parent}
    return json.dumps(line | {"tool_call": call}).encode() + b"\n"


def test_a_failure_leads_to_the_ones_next_to_it() -> None:
    calls = [Made("shell", name, "error") for name in ("a.py", "b.py", "c.py", "d.py")]

    made = b"".join(convert.convert([tell(one_by_one(calls))], "html")).decode()

    lines = re.findall(r"Failure (\d) of 4(.*?)\. ", made)
    found = [(number, re.findall('#c(.)">', links)) for number, links in lines]
    assert found == [("1", ["2"]), ("2", ["1", "3"]), ("3", ["2", "4"]), ("4", ["3"])]
