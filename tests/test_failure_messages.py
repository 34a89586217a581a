"""Texts that are nothing but messages about a run that failed."""

from __future__ import annotations

import convert
from convert.cursor import LONGEST, is_failure_message, message_among_events
from support.matrix import each


@each(
    "text",
    [
        "Error: Authentication required. Please run 'agent login' first.\n",
        "\x1b[33m⚠ Warning: The provided API key is invalid.\x1b[0m",
        'Failed to claim persistent session for chat "0b51c1de"',
        "Connection failed repeatedly",
        "Aborting operation...",
        "ActionRequiredError: You've hit your usage limit for this month.",
        "Error: ActionRequiredError: You've hit your usage limit",
        "RetriableError: [unavailable] try again",
        "⚠ Workspace Trust Required\n\n  /srv\n\nPass --trust, --yolo, or -f",
        "Cannot use this model: large-9. Available models:\n  small-1\n  small-2",
        "\nRetriableError: [aborted]\n\nConnection failed repeatedly\n",
        "T: [internal] Failed to run step, exceeded max retries",
        "Error: no such model",
        "Error: first\n\nTypeError: fetch failed\n",
        "2026-11-20T11:31:02.123Z stderr: S: [resource_exhausted] Too many requests",
        "b: You've hit your usage limit. Your limit resets on 1 December.",
        "You have reached your monthly usage limit.",
    ],
)
def test_an_answer_that_is_a_message_of_an_error_is_a_failure(text: str) -> None:
    assert is_failure_message(text)
    assert [run.state for run in convert.read_runs([text.encode()])] == ["error"]


@each(
    "text",
    [
        "I fixed the error: Authentication required.",
        "Connection failed repeatedly, so I raised the limit.",
        "Aborting operation... failed. I tried again, and it works.",
        "Connection failed repeatedly\nThe tests pass now.",
        "Read file\nConnection failed repeatedly\n",
        "RetriableError: " + "x" * LONGEST,
        "\n" * LONGEST + "RetriableError: x",
        "RetriableError: x" + "\n" * LONGEST,
        "T: [Internal] notes",
        "Error: it is in line 3.\nI fixed it.",
        "error: unknown option",
        "Errors: none",
        "x: [done] Write the tests",
        "You have reached your goal, and no limit was in the way.",
        "I fixed it.\nYou've hit your usage limit.",
    ],
)
def test_a_text_that_says_more_is_none(text: str) -> None:
    assert [run.state for run in convert.read_runs([text.encode()])] == [None]


@each(
    ("line", "message"),
    [
        ("T: You have reached the limit", "T: You have reached the limit"),
        ("\x1b[31mError: no such model\x1b[0m", "Error: no such model"),
        ("stderr: ConnectError: [aborted] x", "ConnectError: [aborted] x"),
        ("Error: ActionRequiredError: x", "ActionRequiredError: x"),
        ("npm warn deprecated inflight", ""),
        ("##[error]Process completed with exit code 1", ""),
        ("error: unknown option", ""),
        ("To: you", ""),
        ("W: Failed to fetch https://deb.example.com/dists/stable/InRelease", ""),
        ("E: Unable to locate package frobnicate", ""),
        ("C: 12, 0: Missing docstring", ""),
        ("Error: " + "x" * LONGEST, ""),
    ],
)
def test_a_line_between_events_may_be_a_message(line: str, message: str) -> None:
    assert message_among_events(line) == message


def test_nothing_is_no_message() -> None:
    assert not is_failure_message("")
    assert not is_failure_message(" \n")
