"""answer: the final message alone, as `--output-format text` prints it today.

It is read as `text`: nothing tells the two apart but the action lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from convert.errors import Warn
from convert.model.events import Event
from convert.model.run import collect
from convert.options import Options
from convert.wording.sanitise import repair_surrogates

NO_ANSWER = "the run that ends here has no final message"


def write(events: Iterable[Event], options: Options, warn: Warn) -> Iterator[bytes]:
    """Write the final message of each run when it ends, an empty line between two."""
    follows = options.follows
    for run in collect(events):
        if run.answer is None:
            why = f": {run.reason}" if run.reason else ""
            warn(run.last_line, NO_ANSWER, f"left out{why}")
            continue
        yield paragraph(run.answer, follows)
        follows = True


def paragraph(answer: str, follows: bool) -> bytes:
    """Return an answer that ends in one newline, after an empty line if it follows."""
    text = repair_surrogates(answer).rstrip("\n")
    above = "\n" if follows else ""
    return f"{above}{text}\n".encode()
