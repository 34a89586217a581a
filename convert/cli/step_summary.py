"""The summary of a step of GitHub Actions, to which reports in Markdown are added."""

from __future__ import annotations

import os
from collections.abc import Iterable

from convert.cli.display import shown_path
from convert.errors import OutputError
from convert.wording.sanitise import repair_surrogates

VARIABLE = "GITHUB_STEP_SUMMARY"
# The report whose readers look at the summary of the step as well.
WITH_SUMMARY = "github"
# GitHub drops the summary of a step that is larger, whoever wrote it.
_MOST_BYTES = 1 << 20


def summary_path() -> str:
    """Return the file that is the summary of the step; "" if there is none."""
    return os.environ.get(VARIABLE, "")


def add_to_summary(texts: Iterable[str]) -> str:
    """Add the first of some texts that there is room for, which get shorter.

    Return why none is added; "" if one is.
    """
    path = summary_path()
    if not path:
        return f"no summary of the step is written, since {VARIABLE} is not set"
    try:
        # The file keeps what other programs wrote in this step.
        with open(path, "ab", buffering=0) as file:
            before = "" if _ends_in_line(path) else "\n"
            room = _MOST_BYTES - os.fstat(file.fileno()).st_size
            for text in texts:
                # The blank line ends a block of HTML before what others add.
                content = f"{before}{repair_surrogates(text)}\n\n".encode()
                if len(content) <= room:
                    file.write(content)
                    return ""
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        advice = f"check {VARIABLE}"
        message = f"cannot write {shown_path(path)}: {why}; {advice}"
        raise OutputError(message) from error
    return "no report is in the summary of the step, which has 1 MiB already"


def _ends_in_line(path: str) -> bool:
    """Tell if a file is empty or ends in a line feed; a pipe always does."""
    # One that may not be read may be written to all the same.
    if os.path.isfile(path) and os.access(path, os.R_OK):
        with open(path, "rb") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
    return True
