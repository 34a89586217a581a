"""Prose that tries to break out of the document it is put into, made by hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import convert
from convert.wording import strip_controls
from convert.write import sanitise_markdown

_FRAGMENTS = [
    *("`", "``", "```", "~~~", "\\", "\\\\", "</details>", "<!--", "-->", "<?", "<b>"),
    *("<img src=x onerror=run()>", "<script>", "<a href='`'>", "<![CDATA["),
    *("# ", "## ", "### 9. Read x", "#", "===", "---", "***", "-", "=", "+ ", "* "),
    *("> ", "- ", "1. ", "10. ", ":   ", "::: x", "!!! note", "*[HTML]: x"),
    *("|", "| a | b |", "| --- | --- |", "![a](b)", "![a][b]", "[b]: /x", "[^1]: z"),
    *("[^1]", "[x](javascript:run())", "[x](JaVa\tscript:run())", "&colon;", "&lt;"),
    *("[x](<javascript:run()>)", "<javascript:run()>", "[x](data:text/html,y)"),
    *("[x](java&#x0A;script:run())", "[a]: javascript:x", '](javascript:run() "t")'),
    *("&#106;avascript:", "http://x.y/", "www.x.y", "@x", "%%", "{: onclick=x }"),
    *("{onclick=run()}", "{#x onclick=run()}", "*[Title]: x", ": x", "[TOC]", "[[x]]"),
    *(
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "<http://x/onfocus=run()>",
        "<x@y.z>",
        "x@y.z",
        "xmpp:x@y.z",
    ),
    *("&NewLine;", "&Tab;", "&#x3c;img src=x&gt;", "&lpar;", "[x](&#x6A;avascript:y)"),
    *("<svg/onload=run()>", "<a\nhref=javascript:run()>", "<details open ontoggle=x>"),
    *("<summary>", "</summary>", "> ```", "- ```", "````", "~~~~", "> [!NOTE]"),
    *("[x](\tjavascript:y)", "![a](javascript:y)", "[^1]: ```", "| a\t|", "^[z]"),
    *("$", "$$", "~~", "*", "__", "^", "~", "[", "]", "(", ")", ":", "{", "}", '"'),
    *("\u3000", "\u00a0", "\u2028", "\u0085", "\ufeff", "\u2003", "\u1680", "\u2029"),
    *("\x0b", "\x0c", "\x1c", "\u200b", "a", "word ", "Result"),
    *(
        "[b]",
        "[b][]",
        "[x][b]",
        "[b]: javascript:x",
        "\n[b]: javascript:x\n",
        "- ```\n  ",
        "- a\n\n    ```\n    ",
        "> ```\n> ",
        "\n  ```",
        "\n    ```",
    ),
    *("\n", "\n", "\n", "\n", "\n\n", "    ", "  ", "\t", " "),
]
foreign_texts = st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join)

# The levels and the texts of the headings of a document.
OUTLINE = [(1, "Title"), (2, "Prompt"), (3, "1. Read x")]


def document(text: str) -> str:
    """Return a document with prose of a log between two headings and a paragraph."""
    prose = sanitise_markdown(strip_controls(text))
    return f"# Title\n\n## Prompt\n\n{prose}\n\n### 1. Read `x`\n\nAFTERWARDS\n"


def transcript(log: bytes, **more: Any) -> str:
    """Return the whole transcript of a log; empty if it cannot be read."""
    options = convert.Options(tool_output="full", thinking=True, **more)
    try:
        return b"".join(convert.convert([log], "markdown", options=options)).decode()
    except convert.RunconvError:
        return ""


def summary(log: bytes) -> str:
    """Return the summary of a log; empty if it cannot be read."""
    try:
        return b"".join(convert.convert([log], "summary")).decode()
    except convert.RunconvError:
        return ""


def report(pair: tuple[bytes, bytes], names: tuple[str, str]) -> str:
    """Return the whole report for two logs; empty if one of them cannot be read."""
    try:
        compared = convert.compare(*([log] for log in pair))
    except convert.RunconvError:
        return ""
    return convert.report(compared, "markdown", names=names, full=True, verbose=True)
