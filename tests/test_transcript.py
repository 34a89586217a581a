"""Properties of every transcript, however hostile the log is."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from cmarkgfm.cmark import Options, markdown_to_html_with_extensions
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

import convert
from benchmarks import logs
from convert.errors import ignore
from convert.facts import by_parent, figures_of_run
from convert.formats import writers
from convert.model import (
    OK,
    End,
    Event,
    Outcome,
    Prompt,
    Run,
    Segment,
    Start,
    Thinking,
    ToolCall,
    recorded_answer,
)
from convert.tools import tool_of
from convert.transcript import (
    ReadOutput,
    ShellOutput,
    clip,
    fields,
    formatted_json,
    json_text,
    kind_of,
    whole,
    without_internal,
)
from convert.wording import (
    Styled,
    harmless_line,
    one_line,
    resolve_overwrites,
    size,
    strip_controls,
    unified_diff,
)
from convert.wording import markdown as escape
from convert.write import sanitise_markdown
from support.conversions import few, logs_to_convert
from support.hostile import hostile_logs, texts
from support.logs import Call, Manner, Step, Story, manners, stories, tell
from support.matrix import each, matrix, part

LOGS = few(logs_to_convert(".ndjson", ".jsonl", ".json", ".txt", ".log"))
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ELEMENT = re.compile(r"</?[A-Za-z!?][^>]*>?")
OURS = {
    *("<details>", "<details open>", "</details>", "<summary>", "</summary>"),
    *("<code>", "</code>"),
}
# The elements of Markdown without raw HTML and images.
MARKDOWN = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr"),
    *("pre", "code", "em", "strong", "del", "a", "br", "input"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
# A call with much output.
OUTPUT = {
    "success": {"content": "a line of some sixty bytes, as programs print them\n" * 900}
}
LOUD = Call("readToolCall", {"path": "a.md"}, OUTPUT, "Read file")


def transcript(log: bytes, **options: Any) -> str:
    """Return the whole transcript; empty if the log cannot be read."""
    try:
        return b"".join(convert.convert([log], "markdown", **options)).decode()
    except convert.RunconvError:
        return ""


@pytest.mark.parametrize(
    ("is_error", "heading"), [(False, "Answer"), (True, "What went wrong")]
)
def test_a_recorded_result_of_another_text_is_the_answer_or_the_trouble(
    is_error: bool, heading: str
) -> None:
    half = {"type": "assistant", "message": {"content": [{"text": "Half of it."}]}}
    ended = {"type": "result", "is_error": is_error, "result": "All of it."}
    events = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        {**half, "session_id": "s"},
        {**ended, "session_id": "s"},
    ]

    text = transcript("".join(f"{json.dumps(event)}\n" for event in events).encode())

    assert text.count("All of it.") == 1
    assert f"## {heading}\n\nAll of it." in text


def test_a_recorded_result_that_is_the_last_text_is_not_shown_again() -> None:
    said = ["Half of it.", "The rest."]
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        *({"type": "assistant", "message": {"content": [{"text": t}]}} for t in said),
        {"type": "result", "is_error": False, "result": said[-1]},
    ]
    events.insert(2, {"type": "tool_call", "tool_call": {"readToolCall": {}}})
    log = "".join(f"{json.dumps({**each, 'session_id': 's'})}\n" for each in events)

    text = transcript(log.encode())

    assert text.count("The rest.") == 1


@pytest.mark.parametrize(
    ("success", "is_empty"), [({}, False), ({"afterFullFileContent": ""}, True)]
)
def test_a_new_file_is_empty_only_if_its_content_is_recorded(
    success: dict[str, str], is_empty: bool
) -> None:
    call = ToolCall(run=1, line=1, number=1, id="", kind="edit", outcome=OK)
    call.arguments, call.output, call.is_new_file = {"path": "a.py"}, success, True
    run: list[Event] = [Start(run=1, line=1), call, End(run=1, line=1, state="success")]

    write = writers()["markdown"].write
    shown = b"".join(write(run, convert.Options(), ignore)).decode()

    assert "Created a.py" in shown
    assert ("empty" in shown) == is_empty


def test_many_outputs_of_one_call_that_have_no_room_leave_no_empty_blocks() -> None:
    content = [{"text": {"text": f"{n}\\n" * 60}} for n in range(30)]
    body = {"args": {"toolName": "x"}, "result": {"success": {"content": content}}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}
    log = json.dumps({**call, "tool_call": {"mcpToolCall": body}})

    text = transcript(f"{log}\n".encode())

    assert "\n\n… 180 B omitted from this page …\n\n" in text
    assert "```text\n```" not in text


@each(
    ("number", "written"),
    [
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9949, "9.9 kB"),
        (9950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (999_500_000, "1.0 GB"),
        (1_234_000_000_000, "1,234 GB"),
    ],
)
def test_a_size_has_two_or_three_digits(number: int, written: str) -> None:
    assert size(number) == written


@pytest.mark.parametrize(
    ("first", "last", "extent"),
    [(1, 9, "2 lines"), (8, 9, "lines 8 to 9 of 9"), (1, 2, "lines 1 to 2 of 9")],
)
def test_a_file_that_is_read_in_part_says_which_lines(
    first: int, last: int, extent: str
) -> None:
    output = {
        "content": "a\nb\n",
        "totalLines": 9,
        "readRange": {"startLine": first, "endLine": last},
    }
    body = {"args": {"path": "a.py"}, "result": {"success": output}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}
    log = json.dumps({**call, "tool_call": {"readToolCall": body}})

    text = transcript(f"{log}\n".encode())

    assert f"### 1. Read a.py – {extent}\n" in text


def walk(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield token
        yield from token.children or ()


def check_well_formed(text: str) -> None:
    """Check that only our elements occur, each closed, and no image or definition."""
    env: dict[str, Any] = {}
    PARSER.parse(text, env)
    assert not env.get("references")
    depth = 0
    for token in walk(text):
        assert token.type != "image"
        assert token.type != "html_inline" or token.content in ("<code>", "</code>")
        if token.type == "html_block":
            assert token.level == 0
            elements = ELEMENT.findall(token.content)
            assert set(elements) <= OURS
            depth += elements.count("<details>") + elements.count("<details open>")
            depth -= elements.count("</details>")
            assert depth >= 0
    assert depth == 0


def outline(text: str) -> list[str]:
    """Return the headings down to `###`, those of calls by number only."""
    tokens = PARSER.parse(text)
    found = []
    for token, inner in pairwise(tokens):
        if token.type == "heading_open" and token.tag in ("h1", "h2", "h3"):
            number = re.match(r"\d+\.", inner.content)
            label = number[0] if number else inner.content
            found.append(f"{token.markup} {'' if token.tag == 'h1' else label}".strip())
    return found


def expected_outline(run: Run, events: list[Event], thinking: bool) -> Iterator[str]:
    """Yield the headings of a run; `events` are its own."""
    yield "#"
    if any(strip_controls(prompt).strip() for prompt in run.prompts):
        yield "## Prompt"
    last, shown = "", False
    for event in events:
        match event:
            case Segment(text=text) if strip_controls(text).strip():
                shown, last = shown or bool(last), text
            case Prompt():
                shown, last = shown or bool(last), ""
            case Thinking(text=text) if thinking:
                shown = shown or bool(last) or bool(strip_controls(text).strip())
                last = ""
            case ToolCall(outcome=None):
                shown, last = True, ""
    is_failure = run.result is not None and run.result.is_error
    texts = [each.text for each in run.segments if strip_controls(each.text).strip()]
    said = texts[-1] if texts else ""
    recorded = recorded_answer(run.result, said, run.ends_in_call) or ""
    is_recorded = recorded != said and bool(strip_controls(recorded).strip())
    is_recorded = is_recorded and run.state == "success"
    shown = shown or (is_recorded and bool(last))
    is_answer = run.state == "success" and (bool(last) or is_recorded)
    if shown or run.calls or (last and not is_answer):
        yield "## Run"
    yield from (f"### {call.number}." for call in run.calls)
    if is_answer:
        yield "## Answer"
    is_cut = run.state in ("cut", "unfinished")
    is_open = any(each.outcome == Outcome("unfinished") for each in run.calls)
    if is_cut or (is_failure and (is_open or shows_words_of_result(run))):
        yield "## What went wrong"
    yield "## Result"


def shows_words_of_result(run: Run) -> bool:
    recorded = (run.result and run.result.text) or ""
    is_other = recorded != "".join(segment.text for segment in run.segments)
    return bool(strip_controls(recorded).strip()) and is_other


@given(hostile_logs(), st.sampled_from(["none", "preview", "full"]), st.booleans())
def test_no_log_breaks_out(log: bytes, tool_output: str, thinking: bool) -> None:
    text = transcript(log, tool_output=tool_output, thinking=thinking)

    check_well_formed(text)
    runs = list(convert.read_runs([log]))
    expected = []
    for run in runs:
        own = [event for event in convert.read([log]) if event.run == run.number]
        expected += expected_outline(run, own, thinking)
    assert outline(text) == expected


@given(
    hostile_logs(texts.map(lambda text: text * 15)),
    st.integers(4096, 10_000),
    st.sampled_from(["preview", "full"]),
)
def test_a_limit_is_kept(log: bytes, most: int, tool_output: str) -> None:
    text = transcript(log, max_bytes=most, tool_output=tool_output)
    below = transcript(log, max_bytes=most, tool_output=tool_output, front_matter=True)

    assert len(text.encode()) <= most
    assert len(below.encode()) <= most
    check_well_formed(text)
    whole = transcript(log, tool_output=tool_output, at_end=True)
    if len(whole.encode()) > most:
        assert re.search("omitted (from this page )?…|To keep to [0-9,]+ bytes", text)
    elif len(whole.encode()) < most - 1000:
        assert text == whole


@given(st.lists(hostile_logs(), min_size=1, max_size=3))
def test_a_transcript_written_at_the_end_only_moves_blocks(logs: list[bytes]) -> None:
    live, late = (transcript(b"".join(logs), at_end=at_end) for at_end in (False, True))

    blocks, moved = (Counter(text.rstrip("\n").split("\n\n")) for text in (live, late))
    assert blocks - moved == Counter()
    assert {block[:2] for block in moved - blocks} == {"**"}
    title, verdict, *_ = late.split("\n\n")
    assert live.startswith(f"{title}\n\n")
    assert verdict.startswith("**")


@given(hostile_logs())
def test_output_comes_back_out_of_its_fence(log: bytes) -> None:
    text = transcript(log, tool_output="full")

    fences = [token.content for token in walk(text) if token.type == "fence"]
    for run in convert.read_runs([log]):
        for call in run.calls:
            for shown in filter(None, fenced_output(call)):
                assert (shown if shown.endswith("\n") else f"{shown}\n") in fences


def fenced_output(call: ToolCall) -> list[str]:
    """Return the outputs of a call that are shown in fences of their own."""
    output = call.output if isinstance(call.output, dict) else {}
    match call.kind:
        case "read" | "fetch" | "blameByFilePath":
            return [strip_controls(output.get("content", ""))]
        case "webFetch":
            return [strip_controls(output.get("markdown", ""))]
        case "delete":
            return [strip_controls(output.get("prevContent", ""))]
        case "edit" if "diffString" in output and not call.is_new_file:
            # The headers are our own.
            return []
        case "shell" if output.get("interleavedOutput"):
            return [resolve_overwrites(output["interleavedOutput"])]
        case "shell":
            return [
                resolve_overwrites(output.get("stdout", "")),
                resolve_overwrites(output.get("stderr", "")),
            ]
        case "mcp":
            items = output.get("content", [])
            texts = [strip_controls(i["text"]["text"]) for i in items if "text" in i]
            return [formatted_json(text) or text for text in texts]
        case "webSearch":
            return [
                strip_controls(page.get("chunk", ""))
                for page in output.get("references", [])
            ]
        case "applyAgentDiff":
            changes = output.get("appliedChanges", [])
            return [strip_controls(change.get("error", "")) for change in changes]
        case _ if (
            tool_of(call.kind).transcript == "services.as_json" and call.arguments
        ):
            return [json_text(without_internal(call.arguments))]
    return []


STAMP = {"session_id": "s", "timestamp_ms": 1_772_445_600_000}
QUESTION = {"type": "interaction_query", "subtype": "request", "query": {}, **STAMP}
READING = {
    "type": "tool_call",
    "subtype": "started",
    "call_id": "c",
    "tool_call": {"readToolCall": {"args": {"path": "a"}}},
    **STAMP,
}


def said(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"text": text}]}, **STAMP}


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        ([READING], ["## Run", "TIMES", "### 1. Read a"]),
        ([said("A"), READING], ["## Run", "TIMES", "A", "### 1. Read a"]),
        (
            [said("A"), QUESTION, said("B"), READING],
            ["## Run", "A", "---", "TIMES", "B", "### 1. Read a"],
        ),
    ],
)
def test_the_first_call_with_a_time_names_the_start_of_times(
    events: list[dict[str, Any]], shown: list[str]
) -> None:
    log = "".join(f"{json.dumps(event)}\n" for event in [*events, READING])

    text = transcript(log.encode())

    times = "*Times such as +0:12 count from the first timestamp of the run, "
    times += "2026-03-02 10:00:00 UTC, and appear where they change.*"
    assert "\n\n".join(shown).replace("TIMES", times) in text
    assert text.count("Times such as") == 1


def test_a_time_after_the_year_9999_has_no_date() -> None:
    events = [READING | {"timestamp_ms": 253_402_300_800_000}]

    text = transcript("".join(f"{json.dumps(event)}\n" for event in events).encode())

    times = "count from the first timestamp of the run, and appear where they change."
    assert f"*Times such as +0:12 {times}*" in text


def test_much_output_makes_a_short_transcript() -> None:
    story = Story([Step("", "Go.", [LOUD] * 3, [0, 1, 2], False)] * 33, "Done.")
    log = b"".join(tell(story, Manner(0)))

    assert len(log) > 4_000_000
    assert len(transcript(log)) < 300_000


ODD = st.sampled_from(
    [None, True, 0, 7, 10**18, 2**70, 2.0, 1e17, "", "7", "a\x1b", []]
)
FOUND = st.lists(
    st.one_of(
        st.dictionaries(
            st.sampled_from(
                ["lineNumber", "content", "isContextLine", "contentTruncated", "new"]
            ),
            ODD,
        ),
        ODD,
    ),
    max_size=30,
)


def refused(*_: Any) -> None:
    raise msgspec.ValidationError


@given(FOUND, st.sampled_from(["preview", "full"]))
@example([{"lineNumber": 10**18, "content": "a"}], "full")
@example([{"lineNumber": 7}] * 28 + [{"lineNumber": True}], "preview")
def test_lines_that_were_found_read_the_same_member_by_member(
    found: list[Any], tool_output: str
) -> None:
    content = {"matches": [{"file": "a.py", "matches": found}]}
    result = {"success": {"workspaceResults": {"/app": {"content": content}}}}
    call = Call("grepToolCall", {"pattern": "a"}, result, "Searched")
    story = Story([Step("", "Go.", [call], [0], False)], "Done.")
    log = b"".join(tell(story, Manner(0)))

    at_once = transcript(log, tool_output=tool_output)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fields, "convert", refused)
        one_by_one = transcript(log, tool_output=tool_output)

    assert at_once == one_by_one


@pytest.mark.parametrize(
    ("arguments", "is_shown"),
    [
        ({"path": "a.py", "streamContent": "a.py"}, False),
        ({"path": "a.py", "streamContent": "\n"}, False),
        ({"path": "a.py", "streamContent": "b.py"}, True),
        # The title has no subject, and so no blank.
        ({"streamContent": "\n"}, True),
    ],
)
def test_a_part_that_says_no_more_than_the_title_is_skipped(
    arguments: dict[str, str], is_shown: bool
) -> None:
    call = Call("editToolCall", arguments, {"success": {}}, "Edited")
    lines = tell(Story([Step("", "", [call], [0], False)], ""), Manner(0))

    text = transcript(b"".join([line for line in lines if b"completed" not in line]))

    assert "unfinished" in text
    assert ("<details" in text) == is_shown


@given(st.one_of(texts, st.text(" \t\n\r\v\x1b[m\x85\xa0\u3000\ud83da")))
@example("\tif a:\n")
@example("\r\tb  c")
def test_a_line_is_made_harmless_as_a_text_is(text: str) -> None:
    assert harmless_line(text) == one_line(strip_controls(text))


@given(st.sampled_from(["read", "shell", "glob"]), st.data())
def test_common_kinds_read_the_same_member_by_member(
    kind: str, data: st.DataObject
) -> None:
    _, *types = kind_of(kind)
    arguments, output = (data.draw(members_of(each)) for each in types)
    call = Call(f"{kind}ToolCall", arguments, {"success": output}, "Did")
    log = b"".join(tell(Story([Step("", "Go.", [call], [0], False)], ""), Manner(0)))

    at_once = transcript(log)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fields, "convert", refused)
        one_by_one = transcript(log)

    assert at_once == one_by_one


def members_of(kind: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw members of a struct; some have another type than expected."""
    names = [member.encode_name for member in msgspec.structs.fields(kind)]
    values = texts | st.sampled_from([None, True, False, 0, 7, 10**18, "12", 1.5, {}])
    inner = st.sampled_from(["startLine", "endLine", "filePath", "lineCount"])
    objects = st.dictionaries(inner, values)
    lists = st.lists(texts) | st.lists(values)
    return st.dictionaries(st.sampled_from(names), values | objects | lists)


def test_members_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[Any] = []

    def noted(members: dict[str, Any], kind: type[Struct]) -> Struct:
        read.append(None)
        read[-1] = msgspec.convert(members, kind)
        return read[-1]

    monkeypatch.setattr(fields, "convert", noted)
    transcript(b"".join(logs.lines(logs.PROFILES[0], 300_000)))

    assert {type(members) for members in read} >= {ReadOutput, ShellOutput}
    assert None not in read


@given(hostile_logs())
def test_front_matter_holds_the_facts(log: bytes) -> None:
    whole = transcript(log, front_matter=True)

    _, head, body = whole.split("---\n", 2)
    (run,) = convert.read_runs([log])
    facts = yaml.safe_load(head)
    assert body == "\n" + transcript(log, at_end=True)
    assert facts["state"] == run.state
    assert facts["tool_calls"] == figures_of_run(run).figures.calls >= len(run.calls)
    assert facts["title"]


@given(texts)
def test_only_the_markup_of_prose_changes(text: str) -> None:
    words = " ".join(["x", *re.findall(r"\w+", strip_controls(text)), "*y* `<b>`"])

    assert sanitise_markdown(f"# {words}\n\n{words}") == f"#### {words}\n\n{words}"


@given(texts.map(strip_controls))
def test_prose_does_not_affect_the_markdown_below_it(text: str) -> None:
    once = sanitise_markdown(text)

    check_well_formed(f"{once}\n\n### 1. Read x\n")
    assert outline(f"{once}\n\n### 1. Read x\n") == ["### 1."]


@given(
    st.text("ab\n€", max_size=60),
    st.integers(0, 9),
    st.integers(0, 40),
    st.integers(0, 9),
)
def test_a_clip_is_no_longer_than_asked_and_counts_the_rest(
    text: str, lines: int, size: int, fewer: int
) -> None:
    clipped = clip(whole(text), lines, size)

    left = clipped.head + clipped.tail
    assert clipped.bytes <= size or not clipped.omitted_bytes
    assert clipped.lines <= lines or not clipped.omitted_bytes
    if not clipped.omitted_bytes:
        assert clipped.bytes <= size + 160
        assert clipped.lines <= lines + 4
    assert len(text.encode()) == len(left.encode()) + clipped.omitted_bytes
    assert text.count("\n") == left.count("\n") + clipped.omitted_lines
    assert text.startswith(clipped.head)
    assert text.endswith(clipped.tail)
    assert clip(clipped, fewer, size) == clip(whole(text), min(fewer, lines), size)


def test_of_an_odd_number_of_lines_the_head_gets_one_more() -> None:
    clipped = clip(whole("1\n2\n3\n4\n5\n5\n5\n6\n7\n"), 5, 1000)

    assert (clipped.head, clipped.tail) == ("1\n2\n3\n", "6\n7\n")


def test_a_list_that_just_fits_is_whole() -> None:
    files = [f"{n:099}" for n in range(20)]
    body = {"args": {"globPattern": "*"}, "result": {"success": {"files": files}}}
    call = {"type": "tool_call", "subtype": "completed", "call_id": "x"}
    log = json.dumps({**call, "tool_call": {"globToolCall": body}})

    text = transcript(f"{log}\n".encode())

    assert files[-1] in text
    assert "omitted" not in text


def test_changes_that_are_near_are_in_one_hunk_of_an_edit() -> None:
    """Each has three lines around it, so six lines between two leave no gap."""
    old = [f"{n}\n" for n in range(20)]
    near = ["a\n", *old[1:7], "b\n", *old[8:]]
    apart = ["a\n", *old[1:8], "b\n", *old[9:]]

    for new, hunks in ((near, 1), (apart, 2)):
        diff = unified_diff("".join(old), "".join(new), "x")

        expected = difflib.unified_diff(old, new, "a/x", "b/x")
        assert diff == "".join(expected)
        assert diff.count("@@ -") == hunks


def test_a_line_that_takes_more_than_half_of_the_room_is_cut() -> None:
    clipped = clip(whole("a\n" + "b" * 200), 4, 20)

    assert (clipped.head, clipped.tail) == ("a\n" + "b" * 8, "b" * 10)


@matrix(path=part(LOGS, 6), tool_output=["none", "preview", "full"])
def test_a_golden_transcript_is_well_formed(path: Path, tool_output: str) -> None:
    text = transcript(path.read_bytes(), tool_output=tool_output, thinking=True)

    check_well_formed(text)
    if text:
        runs = convert.read_runs([path.read_bytes()])
        calls = [
            f"### {call.number}."
            for run in sorted(runs, key=lambda run: run.number)
            for call in by_parent([*run.calls, End(run=run.number, line=0, state=None)])
            if isinstance(call, ToolCall) and not call.around
        ]
        assert [line for line in outline(text) if line.startswith("###")] == calls


def shown_by_github(text: str) -> set[str]:
    """Return the names of elements that GitHub's parser makes, with raw HTML."""
    html = markdown_to_html_with_extensions(
        text,
        options=Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES,
        extensions=["table", "strikethrough", "autolink", "tasklist"],
    )
    assert html.count("<details") == html.count("</details>")
    return set(re.findall(r"</?([a-zA-Z!?][a-zA-Z0-9]*)", html))


@matrix(path=part(LOGS, 6))
def test_a_golden_transcript_is_well_formed_on_github(path: Path) -> None:
    text = transcript(path.read_bytes(), tool_output="full", thinking=True)

    assert shown_by_github(text) <= MARKDOWN | {"details", "summary"}


@each(
    "text",
    [
        "see http://x.y/<script>",
        "www.<script>",
        "http://x.y\\\\![a](b)",
        "``` ``<script>`` `",
        "[a](b```c) ```<script>",
        "x\n`\n<script>`",
    ],
)
def test_an_address_lets_no_html_through_on_github(text: str) -> None:
    log = json.dumps({"type": "user", "message": {"role": "user", "content": text}})

    assert shown_by_github(transcript(log.encode())) <= MARKDOWN


@given(stories, manners)
def test_the_outline_lists_every_call(story: Story, manner: Manner) -> None:
    log = b"".join(tell(story, manner))

    calls = [line for line in outline(transcript(log)) if line.startswith("###")]
    assert calls == [f"### {number}." for number in range(1, len(story.lines) + 1)]


@each(
    ("text", "expected"),
    [
        ("- Title\n  ===\n  text", "- #### Title\n  text"),
        ("> A\n> B #\n> ---", "> ##### A B \\#"),
        ("~~~ py\n# <b>", "~~~ py\n# <b>\n~~~"),
        ("a <b> `<b>` \\<b> 1 < 2", "a &lt;b> `<b>` &lt;b> 1 < 2"),
        ("![a](b) !![](c) x![0]", "[a](b) \\![image](c) x\\![0]"),
        ("[a]: http://x.y\n[^1]: z", "\\[a]: http://x.y\n\\[^1]: z"),
        ("<https://x.y> a@b.c", "<https://x.y> a@b.c"),
        ("| `<b>` | <b> |\n|---|---|", "| `<b>` | &lt;b> |\n|---|---|"),
        # Some parsers make a heading of a table and the line after it.
        ("|# | b |\n|---|---|\n---", "|# | b |\n|---|---|\n\n---"),
        # GitHub ignores code spans after backticks that are never closed.
        ("# a ``` `<b>`", "#### a \\`\\`\\` `<b>`"),
        # A line in backticks that begins with HTML is HTML.
        ("# x\n`\n<b>`", "#### x\n\\`\n&lt;b>\\`"),
        # A link of a code host swallows a backtick.
        ("http://x.y`<b>` z", "http://x.y\\`&lt;b>\\` z"),
        # Some parsers read no more than 20 levels.
        ("- " * 10 + "a", f"```markdown\n{'- ' * 10}a\n```"),
        (">>>\nx", "```markdown\n>>>\nx\n```"),
        ("$a`$ ![x](y) `", "\\$a`$ ![x](y) `"),
        # The agent cites lines of a file.
        ("```2:3:a.py\nx\n```", "**`a.py`, lines 2 to 3**\n\n```python\nx\n```"),
        ("x\n```2:2:a b\nc", "x\n\n**`a b`, line 2**\n\n```text\nc\n```"),
        ("> ```2:3:a.py\n> x\n> ```", "> ```2:3:a.py\n> x\n> ```"),
        ("~~~\n```2:3:a.py\n~~~", "~~~\n```2:3:a.py\n~~~"),
        # Parsers differ on a fence in a quotation that is indented as code.
        ("> a\n    > ~~~<b>", "```markdown\n> a\n    > ~~~<b>\n```"),
    ],
)
def test_foreign_markdown_is_sanitised(text: str, expected: str) -> None:
    assert sanitise_markdown(text) == expected


@each(
    ("text", "expected"),
    [
        ("a\\b", "a\\\\b"),
        ("a`b", "a\\`b"),
        ("2*3", "2\\*3"),
        ("[x", "\\[x"),
        ("x]", "x\\]"),
        ("a|b", "a\\|b"),
        ("_a b_", "\\_a b\\_"),
        ("a_b", "a_b"),
        ("&lt;", "\\&lt;"),
        ("a & b", "a & b"),
        ("%%x%%", "\\%%x\\%%"),
        ("5 %", "5 %"),
        ("~a~", "\\~a\\~"),
        ("~5", "~5"),
        ("$a$", "\\$a\\$"),
        ("$5", "$5"),
        ("a<b", "a&lt;b"),
    ],
)
def test_words_of_a_log_mean_themselves(text: str, expected: str) -> None:
    assert escape.text(text) == expected


@each(
    ("text", "expected"),
    [
        ("# a", "\\# a"),
        ("#a", "#a"),
        ("- a", "\\- a"),
        ("+ a", "\\+ a"),
        ("> a", "\\> a"),
        ("==", "\\=="),
        ("--", "\\--"),
        ("/close", "\\/close"),
        ("/usr/bin", "/usr/bin"),
        ("12. a", "12\\. a"),
        ("12) a", "12\\) a"),
        ("1.5", "1.5"),
    ],
)
def test_words_that_begin_a_line_begin_no_block(text: str, expected: str) -> None:
    assert escape.inline([Styled(text)], is_start=True) == expected
    assert escape.inline([Styled("a "), Styled(text)]).endswith(text)


def of_one_call(kind: str, success: dict[str, Any]) -> str:
    call = Call(kind, {"pattern": "x"}, {"success": success}, "")
    story = Story([Step("", "Go.", [call], [0], False)], "Done.")
    return transcript(b"".join(tell(story, Manner(0))))


@given(
    st.lists(
        st.sampled_from(["x", "error: no", "", "… 3 lines omitted from this page …"]),
        max_size=90,
    )
)
def test_only_output_is_in_a_fence(lines: list[str]) -> None:
    """A note on dropped lines could be taken for output there."""
    output = "".join(f"{number} {line}\n" for number, line in enumerate(lines))

    text = of_one_call("readToolCall", {"content": output})

    shown = [token.content for token in walk(text) if token.type == "fence"]
    rest = output.splitlines(keepends=True)
    for line in "".join(shown).splitlines(keepends=True):
        rest = rest[rest.index(line) + 1 :]


@pytest.mark.parametrize(
    ("command", "is_folded"),
    [
        ("make", False),
        ("make\n", False),
        ("make\nmake", True),
        ("echo 'a  b'", True),
        ("make " + "x" * 80, True),
    ],
)
def test_a_fold_holds_more_than_its_heading(command: str, is_folded: bool) -> None:
    body = {"shellToolCall": {"args": {"command": command}}}
    event = {"type": "tool_call", "subtype": "started", "call_id": "x"}

    text = transcript(json.dumps({**event, "tool_call": body}).encode())

    assert ("<details open>" in text) == is_folded


tasks = st.text("ab c*", min_size=1, max_size=60).filter(str.strip)


@given(st.lists(tasks, min_size=1, max_size=9, unique=True))
def test_a_heading_names_some_changes_to_do_and_the_list_all(names: list[str]) -> None:
    def updated(status: str, number: int) -> list[dict[str, Any]]:
        todos = [{"id": n, "content": n, "status": status} for n in names]
        body = {"args": {"todos": todos}, "result": {"success": {"todos": todos}}}
        event = {"type": "tool_call", "subtype": "completed", "call_id": f"{number}"}
        return [{**event, "tool_call": {"updateTodosToolCall": body}}]

    events = updated("TODO_STATUS_PENDING", 1) + updated("TODO_STATUS_COMPLETED", 2)
    text = transcript("".join(f"{json.dumps(event)}\n" for event in events).encode())

    head, _, below = text.partition("### 2. Updated to-do list – ")[2].partition("\n")
    assert head.startswith(f"{len(names)} of {len(names)} done (finished: ")
    more = re.search(r"; (\d+) more changes?\)$", head)
    named = head.partition("finished: ")[2].removesuffix(more[0] if more else ")")
    assert len(named.replace("\\", "")) <= 42 or named.count(", ") == 0
    assert below.count("- [x] ") == len(names)


def test_skipped_findings_are_counted() -> None:
    lines = [{"lineNumber": number, "content": "x" * 300} for number in range(30)]
    matches = {"matches": [{"file": "a.py", "matches": lines}]}

    text = of_one_call(
        "grepToolCall", {"workspaceResults": {"/": {"content": matches}}}
    )

    note = re.search(
        r"^- … (\d+) entries omitted from this page …$", text, re.MULTILINE
    )
    assert note is not None
    assert text.count("xxx`") + int(note[1]) == len(lines)


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"type": "image", "data": "YWJj", "mimeType": "image/png"}, "image/png, 3 B"),
        (
            {"type": "image", "image": {"data": "YWI=", "mimeType": "a/*b*"}},
            "a/\\*b\\*, 2 B",
        ),
        ({"type": "image", "source": {"media_type": "image/gif"}}, "image/gif"),
        ({"type": "image", "data": 5, "mimeType": []}, "image"),
    ],
)
def test_a_picture_of_a_prompt_is_named(part: dict[str, Any], named: str) -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": [part]}}

    assert f"\n\n*picture: {named}*\n\n" in transcript(json.dumps(prompt).encode())


@pytest.mark.parametrize("value", [True, 1.5, "many", [1], {"a": 1}])
def test_a_value_that_is_not_a_number_is_shown_as_it_is(value: object) -> None:
    text = of_one_call("globToolCall", {"totalFiles": value})

    assert f'"totalFiles": {json.dumps(value, indent=2)[:3]}' in text


@pytest.mark.parametrize("value", [True, 5, ["a"], {"a": 1}])
def test_a_value_that_is_not_a_text_is_shown_as_it_is(value: object) -> None:
    text = of_one_call("readToolCall", {"content": value})

    assert f'"content": {json.dumps(value, indent=2)[:3]}' in text


def test_a_tail_names_its_run() -> None:
    story = Story([Step("", "Go.", [LOUD] * 3, [0, 1, 2], False)] * 4, "Done.")
    runs = [tell(story, Manner(0), f"session-{number}") for number in range(9)]
    log = b"".join(line for run in runs for line in run)

    text = transcript(log, max_bytes=4096)

    tail = text.partition("omitted from this page …\n\n")[2]
    assert len(text.encode()) <= 4096
    assert tail.startswith("# ")
