"""The words of a transcript that people misread."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import convert
from convert.tools import phrase, tools
from convert.transcript import CallTimes, as_request
from convert.wording import Styled
from support.edits import call_of
from support.logs import Call, Manner, Step, Story, tell
from support.matrix import each

READ = call_of("read", {})
DIFF = "@@ -1 +1 @@\n-a\n+b"


def of_calls(*calls: Call) -> str:
    story = Story([Step("", "Go.", [*calls], [*range(len(calls))], False)], "Done.")
    return b"".join(convert.convert(tell(story, Manner(0)), "markdown")).decode()


def of_one_call(kind: str, success: dict[str, Any]) -> str:
    return of_calls(Call(kind, {"prompt": "x"}, {"success": success}, ""))


@pytest.mark.parametrize("files", range(1, 6))
def test_few_changed_files_are_named_and_more_are_folded(files: int) -> None:
    calls = [
        Call("editToolCall", {"path": f"{n}.py"}, {"success": {"diffString": DIFF}}, "")
        for n in range(files)
    ]

    text = of_calls(*calls)

    named = "; ".join(f"`{n}.py`, +1 −1" for n in range(files))
    assert (f"- **Changed:** {named}\n" in text) == (files < 4)
    assert ("<summary>changed files</summary>" in text) == (files > 3)


@each("kind", sorted(tools()))
def test_the_heading_of_a_refused_call_does_not_say_that_it_was_done(kind: str) -> None:
    tool = tools()[kind]
    leads = [phrase(kind), *([tool.subject.verb] if tool.subject else [])]
    past = re.compile(r"\w+ed |Ran |Sent |Made ")

    for lead in leads:
        [words] = as_request(kind, [Styled(f"{lead} x", "ours")])
        assert bool(past.match(words.text)) == (kind == "askQuestion")


@given(st.lists(st.integers(1, 5) | st.none(), max_size=12))
def test_the_time_of_a_call_stands_where_it_changes(seconds: list[int | None]) -> None:
    times = CallTimes()
    calls = [
        replace(READ, since_start_ms=second and second * 1000 + 7) for second in seconds
    ]

    shown = [times.offset(call) for call in calls]

    before = None
    for second, offset in zip(seconds, shown, strict=True):
        is_new = second is not None and second != before
        assert offset == (f"+0:0{second}" if is_new else "")
        before = second


def searched(chunk: str) -> str:
    page = {"title": "Web search results", "url": "", "chunk": chunk}
    return of_one_call("webSearchToolCall", {"references": [page]})


@pytest.mark.parametrize(
    ("chunk", "note", "is_shown"),
    [
        ("Links:\n1. [A](https://a.org)\n\n2. [B](https://b.org)\n", "2 pages", False),
        ("Links:\n1. [A](https://a.org)\nB is another.", "1 page", True),
        ("1. [A](https://a.org)\n2. [B](https://a.org)", "2 links to 1 page", True),
        ("No results", "0 pages", True),
        ("Links:", "0 pages", True),
    ],
)
def test_a_text_that_only_lists_links_again_is_not_shown(
    chunk: str, note: str, is_shown: bool
) -> None:
    text = searched(chunk)

    assert f" – {note}" in text
    assert (f"```markdown\n{chunk}" in text) == is_shown


@pytest.mark.parametrize(
    ("steps", "others", "has_note"),
    [
        ([], {}, True),
        ([{"assistantMessage": {"text": "Yes."}}], {}, False),
        ([], {"isBackground": True}, False),
        ([], {"resultSuffix": "Yes."}, False),
        ([{"stepOfAKindToCome": {"text": "Yes."}}], {}, False),
    ],
)
def test_a_subagent_without_an_answer_says_so(
    steps: list[Any], others: dict[str, Any], has_note: bool
) -> None:
    text = of_one_call("taskToolCall", {"conversationSteps": steps, **others})

    assert ("no answer" in text) == has_note
