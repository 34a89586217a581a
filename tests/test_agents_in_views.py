"""The views of one run say whose log it is, and what that log does not record."""

from __future__ import annotations

import pytest

import convert
from support.golden import GOLDEN
from support.html_page import HtmlPage
from support.made_runs import long_run


def page_of(log: bytes) -> HtmlPage:
    return HtmlPage(b"".join(convert.convert([log], "html")))


@pytest.mark.parametrize(
    ("log", "agent"),
    [
        ("claude-session-bug-fix/claude.jsonl", "Claude Code 2.1.77"),
        ("codex-rollout-bug-fix/codex.jsonl", "Codex 0.130.0"),
        ("codex-exec-bug-fix/codex.ndjson", "Codex"),
        ("opencode-bug-fix/opencode.ndjson", "opencode"),
    ],
)
def test_a_page_names_the_agent_before_its_model(log: str, agent: str) -> None:
    meta = page_of((GOLDEN / log).read_bytes()).text("meta")[0]

    assert meta.split(" · ")[0] == agent


def test_a_log_of_durations_alone_is_not_said_to_record_no_times() -> None:
    log = GOLDEN / "claude-stream-bug-fix/claude.ndjson"

    words = page_of(log.read_bytes()).text("run-page")[0]

    assert (
        "The log does not record when calls began: they stand in their order" in words
    )
    assert "records no times" not in words


def test_a_page_names_cursor_too_but_no_agent_of_a_text() -> None:
    assert page_of(long_run(2)).text("meta")[0].startswith("Cursor · ")

    text = b"Read file\nRan terminal command\n"
    assert "Cursor" not in page_of(text).text("meta")
