"""The summary of a run: its limits, and mentions of people and issues as code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import convert
from convert.pages import MOST_BYTES, MOST_LINES
from convert.wording import markdown
from support.logs import SESSION

_WORDS = (
    "a",
    "word ",
    "\n",
    "<b>",
    "`",
    "{x=y}",
    "😀",
    "@me ",
    "::",
    "\\",
    "漢字",
    "# ",
)
_long_words = st.tuples(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5).map("".join),
    st.sampled_from([1, 9, 400]),
).map(lambda drawn: drawn[0] * drawn[1])


@given(
    st.lists(st.tuples(_long_words, st.integers(0, 2)), max_size=9),
    st.sampled_from([1, 30]),
    _long_words,
    st.integers(1, 5),
)
@example([], 1, "a\n" * 400, 1)
@example([("<" * 99, 1), (">" * 99, 0)], 30, "a\n" * 400, 5)
def test_a_summary_of_long_runs_keeps_its_size(
    calls: list[tuple[str, int]], times: int, text: str, runs: int
) -> None:
    log = _log(calls * times, text) * runs

    made = b"".join(convert.convert([log], "summary"))

    assert len(made) + made.count(b"::") <= MOST_BYTES
    assert made.count(b"\n") <= MOST_LINES
    assert made.startswith(b"**")
    assert made.endswith(b"\n\n</details>\n" if calls else b"\n")


def _log(calls: list[tuple[str, int]], text: str) -> bytes:
    """Return the log of a run with commands and their exit codes."""
    head = [
        {"type": "system", "subtype": "init", "session_id": SESSION, "model": text},
        {"type": "user", "message": {"role": "user", "content": [_text(text)]}},
    ]
    tools = [
        {
            "type": "tool_call",
            "subtype": "completed",
            "call_id": str(number),
            "tool_call": {
                "shellToolCall": {
                    "args": {"command": command},
                    "result": {"success": {"exitCode": code, "stdout": command}},
                }
            },
        }
        for number, (command, code) in enumerate(calls)
    ]
    tail = [
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [_text(text)]},
        },
        {"type": "result", "subtype": "success", "is_error": False, "result": text},
    ]
    lines = [json.dumps(each) for each in (*head, *tools, *tail)]
    return "\n".join([*lines, ""]).encode()


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Thanks, @octo-cat.", "Thanks, `@octo-cat`."),
        ("Fixes #12, GH-3 and org/repo#4!", "Fixes `#12`, `GH-3` and `org/repo#4`!"),
        ("@org/team and !5", "`@org/team` and `!5`"),
        ("`@a` ``@b ` #1``", "`@a` ``@b ` #1``"),
        ("```\n@a\n```\n@b", "```\n@a\n```\n`@b`"),
        ("~~~\n@a", "~~~\n@a"),
        ("[x](http://x.y/#1) http://x.y/@a", "[x](http://x.y/#1) http://x.y/@a"),
        ("me@x.y, a#b and # 1", "me@x.y, a#b and # 1"),
    ],
)
def test_mentions_in_markdown_are_code(text: str, shown: str) -> None:
    assert markdown.without_mentions(text) == shown


def test_words_with_links_are_code() -> None:
    shown = markdown.unlinked("see http://x.y/ and *@me*, not `a`")

    assert shown == "see `http://x.y/` and `*@me*,` not \\`a\\`"
