"""Texts that are nothing but messages about a run that failed."""

from __future__ import annotations

import pytest

import convert
from convert.formats.failure_messages import LONGEST, is_failure_message


@pytest.mark.parametrize(
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
    ],
)
def test_a_message_alone_is_a_failure(text: str) -> None:
    assert is_failure_message(text)
    assert [run.state for run in convert.read_runs([text.encode()])] == ["error"]


@pytest.mark.parametrize(
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
    ],
)
def test_a_text_that_says_more_is_none(text: str) -> None:
    assert [run.state for run in convert.read_runs([text.encode()])] == [None]


def test_nothing_is_no_message() -> None:
    assert not is_failure_message("")
    assert not is_failure_message(" \n")
