"""Nothing in the prose of a log gets out of its place, whichever parser reads it."""

from __future__ import annotations

import json
from itertools import product

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from convert.pages import MOST_BYTES, MOST_LINES
from convert.transcript import Title
from convert.wording import escape_controls
from convert.wording import markdown as escape
from convert.write import FrontMatter, sanitise_markdown
from support.foreign import (
    OUTLINE,
    document,
    foreign_texts,
    report,
    summary,
    transcript,
)
from support.hostile import hostile_logs, hostile_pairs, long_texts, texts
from support.matrix import each
from support.pages import check_harmless, check_report, check_transcript
from support.renderers import RENDERERS, Page


def stays_in_place(text: str, renderer: str) -> None:
    page = Page(RENDERERS[renderer](document(text)))

    assert page.acting == []
    # GitHub adds a heading above footnotes, which the text may have.
    assert [heading for heading in page.outline if heading[1] != "Footnotes"] == (
        OUTLINE
    )
    assert page.around["AFTERWARDS"] == ["p"]


@pytest.mark.parametrize("renderer", RENDERERS)
@given(foreign_texts)
def test_prose_stays_in_its_place(renderer: str, text: str) -> None:
    stays_in_place(text, renderer)


@each(
    ("text", "renderer"),
    product(
        [
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n\t<img src=x onerror=run()>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n    <img src=x onerror=run()>",
            "\u3000Result\n-\n-",
            "\u00a0Result\n-\n-",
            "\u2028Result\n-\n-",
            "[x](javascript:run())",
            "[x](JaVa\tscript:run())",
            "[x](java&#x0A;script:run())",
            "[x](<data:text/html,y>)",
            "http://x.y/[x](javascript:run())",
            "<javascript:run()>",
            "\\<script>",
            "~~~<script>",
            "```***\n<script>",
            "  ~~~\n[x](data:text/html,y)",
            "-     ![a](b)",
            "#*",
            "[x](y)\n===-",
            "* \n---",
            "- a\n---",
            "![a](javascript:run)",
            "`a`{onclick=run()}",
            "- a\n{: onclick=run() }",
            "[a](/b){#c onclick=run()}",
            "http://x.y/*a*{#c onclick=run()}",
            "*[Title]: x",
            ":   # x",
            "`\n*[Title]: x`",
            "- ```\n  *[Title]: x\n  ```",
            "`\n[a]: javascript:x`\n\n[b][a]",
            "- ```\n  [a]: javascript:x\n  ```\n\n[b][a]",
            "- ```\n  [a]:\n  java&#115;cript:x\n  ```\n\n[b][a]",
            "~~~\u2003\n<b>",
            "> ```&NewLine;",
            "- ```\n  |<b>",
            "- ```\n  <summary>\\(",
            "<http:/onfocus=run()>",
            "<mailto:/onfocus=run()>",
            "$a\n`b$[x](javascript:run())`",
            "$a$ `b$[x](javascript:run())`",
            "$a\\$ `b$[x](javascript:run())`",
            "ftp://x/$a `b$[x](javascript:run())`",
            "- ```\n  <javascript:run()>\n\n  ```",
            "- ```\n  <div>\n  ```",
            "- ```\n  a ``` <b>\n  ```",
            "- ```\n  - <b>\n  ```",
            "- ```\n  : <b>\n  ```",
            "- ```\n  ---\n  <b>\n  ```",
            "- ~~~\n  <b>\n  ~~~",
            "- a\n\n    ```\n    # x\n    ```",
            "- a\n\n    ```\n    ---\n    ```",
            "> ```\n> # x\n> ```",
            "- ```\n  > # x\n  ```",
            "- ```\n  - # x\n  ```",
            "  ```\n    ```\n    <details open ontoggle=x>",
            "> ```\na<a href='`'> ```<a\nhref=javascript:run()>",
            "- x> ```\n> - a\n\n    [x](JaVa\tscript:run())",
            "`<a>`{ {#x onclick=run()}",
            "`<a>`{ { { { { { { { { {#x onclick=run()}",
            "!!! note\n\n    [x](javascript:run())",
            "<b>~~`\n|<b>~~`",
            "~~`<b>~~`",
            "~~ `<b>~~ x`",
        ],
        RENDERERS,
    ),
)
def test_what_broke_out_once(text: str, renderer: str) -> None:
    stays_in_place(text, renderer)


@each(
    ("text", "shown"),
    [
        ("$$", "\\$\\$"),
        ("`\n$$`", "\\`\n\\$\\$\\`"),
        ("It costs $5 or $6.", "It costs $5 or $6."),
        ("It costs $5 by `pay`.",) * 2,
        ("$5 and `$6`", "\\$5 and `$6`"),
        ("#12 is done", "\\#12 is done"),
        ("see #12", "see #12"),
        ("[a](https://x.y) [b](src/a.py#L3) [c](mailto:d@e.f)",) * 2,
        ("[a](file:///etc/passwd)", "[a\\](file:///etc/passwd)"),
        ("1. x\n   ```js\n   const a = <T>(b) => b\n   ```\n2. y",) * 2,
        ("- ```sh\n  # install\n  pip install a\n\n  pip list\n  ```",) * 2,
        ("```js title=x\na\n```", "**`js title=x`**\n\n```js\na\n```"),
        (" ```js\n a\n  b\n ```", "```js\na\n b\n```"),
        ("- a\n- b\n---\nc", "- a\n- b\n\n---\nc"),
        ("[`a``](b)<i>`", "[\\`a\\`\\`](b)&lt;i>\\`"),
        ("``a`b`` and `f[i](a, b)`",) * 2,
        ("[a ``](javascript:b)``", "[a \\`\\`\\](javascript:b)\\`\\`"),
        ("a\n~ # b", "a\n\\~ # b"),
        (
            "<i> <https://x.y/?a=b> <mailto:a@b>",
            "&lt;i> <https://x.y/?a=b> <mailto:a@b>",
        ),
        ("- ```ts\n  [key: string]: unknown;\n  ```",) * 2,
        ("{ a = 1 }, {a}, {'a': 1}",) * 2,
    ],
)
def test_prose_changes_no_more_than_it_must(text: str, shown: str) -> None:
    assert sanitise_markdown(text) == shown


@given(hostile_logs())
def test_all_parsers_read_one_outline_in_a_transcript(log: bytes) -> None:
    text = transcript(log)

    check_transcript({name: render(text) for name, render in RENDERERS.items()})


@given(hostile_logs(long_texts))
def test_all_parsers_read_one_outline_in_a_transcript_that_is_cut(log: bytes) -> None:
    text = transcript(log, max_bytes=4096)

    check_transcript({name: render(text) for name, render in RENDERERS.items()})


@given(st.lists(hostile_logs(texts | long_texts | foreign_texts), max_size=5))
def test_a_summary_keeps_its_size_and_one_outline(logs: list[bytes]) -> None:
    text = summary(b"".join(logs))

    assert len(text.encode()) <= MOST_BYTES
    assert text.count("\n") <= MOST_LINES
    pages = {name: render(text) for name, render in RENDERERS.items()}
    check_transcript(pages)


@given(hostile_logs())
def test_parsers_without_front_matter_find_nothing_acting_in_it(log: bytes) -> None:
    text = transcript(log, front_matter=True)

    check_harmless({name: render(text) for name, render in RENDERERS.items()})


def test_attributes_after_an_address_in_a_heading_are_text() -> None:
    assert escape.text("http://x.y/{: onclick=x }") == "http://x.y/&#123;: onclick=x }"
    assert escape.text("{a} { b = c }") == "{a} { b = c }"


def test_attributes_after_code_with_html_are_text() -> None:
    shown = escape.code("<b>{onclick=x}")

    assert shown == "<code>&lt;b&gt;&#123;onclick=x}</code>"


@given(texts)
def test_front_matter_keeps_its_values(text: str) -> None:
    front_matter = FrontMatter()
    front_matter.add(Title(text))

    read = [*yaml.safe_load_all(front_matter.write())]

    assert read == [{"title": escape_controls(text)}, None]


@given(hostile_pairs(), st.tuples(texts, texts))
def test_all_parsers_read_one_report(
    pair: tuple[bytes, bytes], names: tuple[str, str]
) -> None:
    text = report(pair, names)

    check_report({name: render(text) for name, render in RENDERERS.items()})


@each(
    ("text", "renderer"),
    product(
        [
            "see `</details><img src=x onerror=run()>`",
            "see `</details>\n<script>`",
            "<http://x/onfocus=run()>",
            "a\n\n    </details><script>\n\nb",
            "- ```\n  </details><script>\n  ```",
            "```\n</details><script>\n```",
            "| `</details>` | b |\n|---|---|",
        ],
        RENDERERS,
    ),
)
def test_text_stays_in_its_fold(text: str, renderer: str) -> None:
    steps = {"conversationSteps": [{"assistantMessage": {"text": text}}]}
    body = {"args": {"prompt": text}, "result": {"success": steps}}
    call = {"subtype": "completed", "call_id": "c", "tool_call": {"taskToolCall": body}}
    events = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        {"type": "thinking", "subtype": "completed", "text": text, "session_id": "s"},
        {"type": "tool_call", **call, "session_id": "s"},
        {"type": "result", "subtype": "success", "result": "", "session_id": "s"},
    ]

    log = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    page = Page(RENDERERS[renderer](transcript(log)))

    assert page.acting == []
    assert [level for level, _ in page.outline] == [1, 2, 3, 2]
