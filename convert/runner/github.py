"""A run in GitHub Actions: a group of lines, an annotation, the summary of the step."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from convert.cli.messages import say
from convert.cli.reports import add_to_summary, summary_path
from convert.errors import RunconvError, ignore
from convert.options.conversion import Options
from convert.runner.log import AgentLog
from convert.runner.request import Request
from convert.wording.escapes import safe_line, truncate
from convert.wording.markdown import code

_LONGEST_TITLE = 100
# A comma or a colon ends the title of an annotation.
_IN_TITLE = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})


class Step:
    """A step of a workflow that runs an agent; `name` is that of the log.

    `redact` replaces secrets in the words of the command.
    """

    def __init__(
        self, name: str, words: list[str], redact: Callable[[str], str]
    ) -> None:
        self._name = name
        title = truncate(safe_line(redact(shlex.join(words))), _LONGEST_TITLE)
        self.begin = f"::group::{title}\n".encode(errors="replace")
        """The command that begins the group of the agent's lines."""

        self.end = b"::endgroup::\n"

    def annotation(self, words: str) -> bytes:
        """Return the command that shows how the run failed."""
        title = safe_line(self._name).translate(_IN_TITLE)
        data = safe_line(words).replace("%", "%25")
        return f"::error title={title}::{data}\n".encode(errors="replace")

    def add_summary(self, log: AgentLog, asked: Request) -> None:
        """Add the summary of the log to that of the step, if there is one to add."""
        content = log.content()
        if content is None or not summary_path():
            return
        from convert.pipeline import Conversion, convert_log

        source = asked.command.source
        conversion = Conversion(source, "summary", None, asked.reading, Options())

        def texts() -> Iterator[str]:
            summary = b"".join(convert_log(content, conversion, ignore)).decode()
            yield f"### {code(safe_line(self._name))}\n\n{summary}"

        try:
            why_not = add_to_summary(texts())
        except RunconvError as error:
            why_not = error.message
        if why_not and not asked.command.quiet:
            say(f"notice: {why_not}", None)
