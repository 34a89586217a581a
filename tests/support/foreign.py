"""Prose that tries to break out of the document it is put into, made by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

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
    *("$", "$$", "~~", "*", "__", "^", "~", "[", "]", "(", ")", ":", "{", "}", '"'),
    *("\u3000", "\u00a0", "\u2028", "\u0085", "\ufeff", "a", "word ", "Result"),
    *("\n", "\n", "\n", "\n", "\n\n", "    ", "  ", "\t", " "),
]
foreign_texts = st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join)
