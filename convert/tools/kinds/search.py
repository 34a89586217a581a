"""Searching the files of the project."""

from __future__ import annotations

from convert.tools.row import Noise, SubjectArguments, Tool

ROWS = {
    "grep": Tool(
        subject=SubjectArguments(
            verb="Searched for", words=("pattern",), paths=("path", "glob")
        ),
        effect="looks",
        lane="look",
        label="grep",
        noise=None,
        text_member=None,
        transcript="search.grep",
    ),
    "glob": Tool(
        subject=SubjectArguments(
            verb="Searched for files",
            words=("globPattern",),
            paths=("targetDirectory",),
        ),
        effect="looks",
        lane="look",
        label="find",
        noise=None,
        text_member=None,
        transcript="search.glob",
    ),
    "semSearch": Tool(
        subject=SubjectArguments(
            verb="Searched codebase for", words=("query",), paths=("targetDirectories",)
        ),
        effect="looks",
        lane="look",
        label="search",
        noise=Noise(arguments=("explanation",)),
        text_member="results",
        transcript="search.sem_search",
    ),
    "readLints": Tool(
        subject=None,
        effect="looks",
        lane="look",
        label="lints",
        noise=None,
        text_member=None,
        transcript="search.read_lints",
    ),
}
