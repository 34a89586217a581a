"""The summary of a step of GitHub Actions, to which reports in Markdown are added."""

from __future__ import annotations

import os
from collections.abc import Iterable

from convert.cli.display import shown_path
from convert.errors import OutputError
from convert.wording.sanitise import repair_surrogates

_VARIABLE = "GITHUB_STEP_SUMMARY"
# GitHub drops the summary of a step that is larger, whoever wrote it.
_MOST_BYTES = 1 << 20


def add_to_summary(texts: Iterable[str]) -> str:
    """Add the first of some texts that there is room for, which get shorter.

    Return why none is added; "" if one is.
    """
    path = os.environ.get(_VARIABLE)
    if not path:
        return f"no summary of the step is written, since {_VARIABLE} is not set"
    try:
        # What other programs wrote in this step stays.
        with open(path, "ab", buffering=0) as file:
            room = _MOST_BYTES - os.fstat(file.fileno()).st_size
            for text in texts:
                # The blank line ends a block of HTML before what others add.
                content = f"{repair_surrogates(text)}\n\n".encode()
                if len(content) <= room:
                    file.write(content)
                    return ""
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        advice = f"check {_VARIABLE}"
        message = f"cannot write {shown_path(path)}: {why}; {advice}"
        raise OutputError(message) from error
    return "no report is in the summary of the step, which has 1 MiB already"
