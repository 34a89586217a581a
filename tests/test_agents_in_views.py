"""The views of one run name its agent, and the facts that its log does not record."""

from __future__ import annotations

import pytest

import convert
from convert.options import Options
from convert.pages import run_pictures
from convert.show import log_view
from support.golden import GOLDEN, RUN
from support.html_page import HtmlPage
from support.made_runs import long_run
from support.matrix import part


def page_of(log: bytes) -> HtmlPage:
    return HtmlPage(b"".join(convert.convert([log], "html")))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("log", "agent"),
    part(
        [
            ("claude-session-bug-fix/claude.jsonl", "Claude Code 2.1.77"),
            ("codex-rollout-bug-fix/codex.jsonl", "Codex 0.130.0"),
            ("codex-exec-bug-fix/codex.ndjson", "Codex"),
            ("opencode-bug-fix/opencode.ndjson", "opencode"),
        ],
        2,
    ),
)
def test_a_page_names_the_agent_before_its_model(log: str, agent: str) -> None:
    meta = page_of((GOLDEN / log).read_bytes()).text("meta")[0]

    assert meta.split(" · ")[0] == agent


@pytest.mark.parametrize(
    ("has_ends", "said"),
    [
        (False, "The log does not record when calls began: they appear in their order"),
        (True, "each bar marks an end"),
    ],
)
def test_a_log_of_durations_and_ends_is_not_said_to_record_no_times(
    has_ends: bool, said: str
) -> None:
    log = (GOLDEN / "claude-stream-bug-fix/claude.ndjson").read_bytes()
    if not has_ends:
        # As builds before 2.1.174 wrote it.
        log = log.replace(b'"timestamp"', b'"no_timestamp"')

    words = page_of(log).text("run-page")[0]

    assert said in words
    assert "records no times" not in words


@pytest.mark.parametrize(
    ("log", "missing"),
    [
        ("codex-exec-bug-fix/codex.ndjson", "prompt, directory, model, times"),
        ("claude-stream-bug-fix/claude.ndjson", "prompt"),
    ],
)
def test_views_name_once_the_facts_that_a_log_does_not_record(
    log: str, missing: str
) -> None:
    path = GOLDEN / log
    (run,) = run_pictures(convert.read(path, "auto"), Options())

    assert page_of(path.read_bytes()).text("unrecorded") == [
        f"Not recorded: {missing}."
    ]
    shown = [line.plain for line in log_view([run], path.name, 100)]
    assert [line for line in shown if "Not recorded: " in line] == [
        f"▌ Not recorded: {missing}."
    ]


def test_views_say_once_that_a_log_does_not_record_how_the_run_ended() -> None:
    path = GOLDEN / "claude-session-bug-fix/claude.jsonl"
    (run,) = run_pictures(convert.read(path, "auto"), Options())

    page = page_of(path.read_bytes())
    shown = [line.plain for line in log_view([run], path.name, 100)]

    words = "does not record how the run ended"
    assert page.text("unrecorded") == []
    assert page.text("run-page")[0].count(words) == 1
    assert "\n".join(shown).count(words) == 1
    assert not [line for line in shown if "Not recorded: " in line]


def test_a_log_that_records_everything_or_breaks_off_lacks_nothing() -> None:
    whole = RUN.read_bytes()
    head = b"".join(whole.splitlines(keepends=True)[:6])

    for log in (whole, head, b"Read file\nRan terminal command\n"):
        assert page_of(log).text("unrecorded") == []


def test_a_page_names_cursor_too_but_no_agent_of_a_text() -> None:
    assert page_of(long_run(2)).text("meta")[0].startswith("Cursor · ")

    text = b"Read file\nRan terminal command\n"
    assert "Cursor" not in page_of(text).text("meta")
