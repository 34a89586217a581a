"""A run in GitHub Actions: a group of lines, an annotation, the summary of the step."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from convert.cli.messages import say
from convert.cli.reports import add_to_summary, summary_path
from convert.errors import RunconvError, ignore
from convert.options.conversion import Options, Reading
from convert.runner.log import AgentLog
from convert.wording.escapes import safe_line, truncate

END_OF_GROUP = b"::endgroup::\n"
_LONGEST_TITLE = 100


def group_of(words: list[str]) -> bytes:
    """Return the command that begins the group of an agent's lines."""
    title = truncate(safe_line(shlex.join(words)), _LONGEST_TITLE)
    return f"::group::{title}\n".encode(errors="replace")


def annotation_of(words: str) -> bytes:
    """Return the command that shows how a run failed."""
    data = safe_line(words).replace("%", "%25")
    return f"::error title=runconv run::{data}\n".encode(errors="replace")


def add_summary(log: AgentLog, reading: Reading, is_quiet: bool) -> None:
    """Add the summary of a log to that of the step, if there is one to add."""
    content = log.content()
    if content is None or not summary_path():
        return
    from convert.pipeline import Conversion, convert_log

    conversion = Conversion("auto", "summary", None, reading, Options())

    def texts() -> Iterator[str]:
        yield b"".join(convert_log(content, conversion, ignore)).decode()

    try:
        why_not = add_to_summary(texts())
    except RunconvError as error:
        why_not = error.message
    if why_not and not is_quiet:
        say(f"notice: {why_not}", None)
