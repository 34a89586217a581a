"""How Sphinx makes the site of the docs: the pages of the project, as they are.

README.md is the first page, and its list "Read more" is the navigation. The pages are
read in place and by a parser of CommonMark, so that links and lists mean the same here
and on a code host. A page of the site fetches nothing from another host.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
# A script, an image, a style or a font of another host; links may lead there.
FETCHED = re.compile(
    r"""(?:\bsrc(?:set)?=|<link\b[^>]*\bhref=|url\(|@import )["']?(?:https?:)?//\S*"""
)

project = "runconv"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "golden/README.md"]
# Folders without pages, which are not walked.
exclude_patterns = [".*", "build", "convert", "dist", "docs/man", "golden/[!R]*"]
exclude_patterns += ["scripts", "tests"]
# As deep as any heading that a code host gives a name.
myst_heading_anchors = 6

# Quotes and dashes stay as they are written.
smartquotes = False

html_theme = "furo"
html_title = "runconv"
# All that furo has but advertisements and a choice of versions.
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_show_copyright = html_use_index = html_domain_indices = False


def navigation() -> dict[str, list[str]]:
    """Return the pages below each heading, in the order of the README.

    They are those of its list, and those of its section for developers. Sphinx warns of
    a page that has no place.
    """
    sections = _read(ROOT / "README.md").split("\n## ")
    [listed] = [text for text in sections if text.startswith("Read more\n")]
    [develop] = [text for text in sections if text.startswith("Develop\n")]
    lines = dict(re.findall(r"^- ([^:]+): (.*)", listed, re.MULTILINE))
    lines["Develop"] = f"{develop} [](golden/README.md)"
    return {name: re.findall(r"\]\((.+?\.md)\)", line) for name, line in lines.items()}


def _add_navigation(app: Any, name: str, source: list[str]) -> None:
    if name == root_doc:
        for caption, pages in navigation().items():
            lines = [f":caption: {caption}", ":hidden:", "", *pages]
            source[0] += "\n".join(["\n```{toctree}", *lines, "```", ""])


def _check_and_begin_at_the_readme(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    from sphinx.errors import SphinxError

    for path in app.outdir.rglob("*.*"):
        if path.suffix in (".html", ".css") and (found := FETCHED.search(_read(path))):
            raise SphinxError(f"{path} fetches from another host: {found[0]}")
    shutil.copy(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def setup(app: Any) -> None:
    """Let Sphinx read the navigation, and begin the site at the README."""
    app.connect("source-read", _add_navigation)
    app.connect("build-finished", _check_and_begin_at_the_readme)
