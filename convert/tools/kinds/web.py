"""Pages and addresses on the web."""

from __future__ import annotations

from convert.tools.row import SubjectArguments, Tool

ROWS = {
    "webSearch": Tool(
        subject=SubjectArguments(verb="Searched the web for", words=("searchTerm",)),
        effect="looks",
        lane="look",
        label="web",
        noise=None,
        text_member=None,
        transcript="services.web_search",
    ),
    "webFetch": Tool(
        subject=SubjectArguments(verb="Fetched", words=("url",)),
        effect="looks",
        lane="look",
        label="fetch",
        noise=None,
        text_member="markdown",
        transcript="services.web_fetch",
    ),
    "fetch": Tool(
        subject=SubjectArguments(verb="Fetched", words=("url",)),
        effect="looks",
        lane="look",
        label="fetch",
        noise=None,
        text_member="content",
        transcript="services.fetch",
    ),
}
