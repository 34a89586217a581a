"""Programs in JavaScript that answer each line of JSON with one: parsers, a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import IO, Any

_HERE = Path(__file__).parent
_PACKAGES = [
    *("commonmark", "katex", "markdown-it", "markdown-it-abbr", "markdown-it-attrs"),
    *("markdown-it-deflist", "markdown-it-footnote", "markdown-it-texmath", "marked"),
    *("micromark", "micromark-extension-gfm", "micromark-extension-math"),
    *("puppeteer-core", "rehype-raw", "rehype-stringify", "remark-gfm", "remark-math"),
    *("remark-parse", "remark-rehype", "unified"),
]
# Each must be noticed at once, or the browser would notice nothing.
_ACTING = [
    "<script>1</script>",
    "<img src=x onerror=1>",
    "<p onclick=1>x</p>",
    "<details open ontoggle=1>x</details>",
    "<svg/onload=1>",
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "<style>@import 'http://x.example/'</style>",
    "<p style='background:url(http://x.example/)'>x</p>",
    "<link rel=stylesheet href=http://x.example/>",
    "<form><input autofocus onfocus=1></form>",
    "<body onload=1>",
    "<script>alert(1)</script>",
    "<video src=x></video>",
]


def install(folder: Path) -> None:
    """Install the packages with npm into a folder, unless it has them."""
    folder.mkdir(exist_ok=True)
    names = [
        name for name in _PACKAGES if not (folder / "node_modules" / name).exists()
    ]
    if names:
        command = ["npm", "install", "--silent", "--prefix", folder, *names]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Program:
    """A program next to this file, which runs in a folder of packages."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        script = shutil.copy(_HERE / name, folder)
        process = subprocess.Popen(
            ["node", script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._to: IO[str] = process.stdin
        self._from: IO[str] = process.stdout

    def ask(self, question: object) -> Any:
        """Return the answer to a question, both as JSON has them."""
        self._to.write(f"{json.dumps(question)}\n")
        self._to.flush()
        return json.loads(self._from.readline())


class Browser:
    """A browser that reports each action of the pages that it loads."""

    def __init__(self, folder: Path, path: str) -> None:
        self._program = Program(folder, "browse.mjs", path)
        self.loaded = 0
        for html in _ACTING:
            if not self._program.ask([html])["deeds"]:
                raise RuntimeError(f"the browser does not notice {html}")

    def load(self, pages: dict[str, str]) -> dict[str, str]:
        """Return the browser's view of pages, which may do nothing."""
        # Many parsers make the same of a text.
        distinct = [*dict.fromkeys(pages.values())]
        answer = self._program.ask(distinct)
        assert answer["deeds"] == [], f"in the browser: {answer['deeds'][:3]}"
        self.loaded += len(distinct)
        made = dict(zip(distinct, answer["pages"], strict=True))
        return {f"{name}, in the browser": made[html] for name, html in pages.items()}
