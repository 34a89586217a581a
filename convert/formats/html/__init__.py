"""html: a page to look at, in one file that needs nothing else.

events -> pictures -> page -> templates -> bytes

page         what the page says of a run; stats_page: of many runs,
             stats_pictures: how their figures spread
prose        Markdown of the log, which cannot leave its place
drawing      the timeline as SVG
environment  the templates, which escape everything, and their filters

`templates/` holds the frame of every page, the page of a log, the run and the parts of
a call, and the same for comparisons and suites; `style.css` says how all this looks,
`comparison.css` what comparisons add, and `suite.css` what suites add. A page has no
script, and its Content-Security-Policy allows nothing but its style. Text of the log
gets into it through the templates, and through the one function of `drawing` that
names a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from convert.errors import Warn
from convert.model.events import Event
from convert.options import Options

_TEXTS_IN_BLOCK = 1000


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the page of all runs of a log, when the log has ended."""
    # The other formats start without all this.
    from convert.formats.html.environment import environment, stylesheet
    from convert.formats.html.page import page_of
    from convert.pictures.run_picture import run_pictures

    runs = sorted(run_pictures(events, options), key=lambda run: run.number)
    if not runs:
        return
    prefixes = [f"r{run.number}-" if len(runs) > 1 else "" for run in runs]
    name, index = options.log_name, options.index
    pages = [
        page_of(run, prefix, name) for run, prefix in zip(runs, prefixes, strict=True)
    ]
    title = pages[0].title if len(pages) == 1 or not name else name
    if index and name and title != name:
        # Pages of one prompt lie side by side.
        title = f"{title} – {name}"
    page = environment().get_template("page.html.j2")
    said = {"pages": pages, "title": title, "name": name, "index": index}
    said["index_name"] = options.index_name
    yield from _blocks(page.generate(said, sheet=stylesheet("style.css")))


def _blocks(texts: Iterator[str]) -> Iterator[bytes]:
    """Yield texts together: the call in a page has twenty, and each write costs."""
    while block := list(islice(texts, _TEXTS_IN_BLOCK)):
        yield "".join(block).encode(errors="replace")
