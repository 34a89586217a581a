"""runconv reads and converts the logs of Cursor's command-line agent.

    bytes -> lines -> events -> writer -> bytes          live and whole alike
                      events -> run
                      events -> transcript -> markdown
                      events, events -> changes -> table, unified, json, markdown

    model     the events, and the run as a fold over them
    pipeline  the line above, put together
    options   the choices that a user has for readers and writers
    source    the bytes of a log to its lines, and whose log it is: archives, lines,
              unwrap, nesting, embedded; sniff, judge, look_alikes
    formats   a module each: `read` makes events, `write` takes them; one table
    tools     the meaning of a tool call: one row a kind, in `tools.kinds`
    transcript  the pieces of a run that people read, in no notation; kinds: the
              pieces of the calls of each kind
    diff      two runs to the changes between them; reports: changes to lines
    redact    secrets in text, found by their shape and replaced by their kind
    wording   the code that reports and transcripts share: sanitised text, numbers,
              Markdown escaping, the differences between two texts
    cli       the command line: opens files, prints, chooses the exit status

A new format is a module in `formats` with `read` or `write`, a line in the table of
`formats`, and a golden case; a new report is the same in `diff.reports`. A new kind of
tool is one row in `tools.kinds`, which names a function of `transcript.kinds`.

Lines are decoded a block at a time, and of a block only those lines are read one by
one that may change more than a text; `formats.stream_json` says how. What is refused
goes line by line, in the same order and with the same words.

What is deliberately absent: a second path for live input, a dictionary for each line,
wire names outside the format that has them, a reader or writer that prints. Only `cli`
touches the world outside. The members of arguments and outputs are the tools' own
words: `tools` and `transcript.kinds` know them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from convert.errors import NoResultError, RunconvError, Warn, ignore

if TYPE_CHECKING:
    from convert.diff import Comparison, Settings
    from convert.model import Event, Run
    from convert.options import Options, Reading

__all__ = [
    "NoResultError",
    "RunconvError",
    "compare",
    "convert",
    "read",
    "read_runs",
]
__version__ = "0.1.0"


def read(
    log: Iterable[bytes],
    format: str = "auto",
    warn: Warn = ignore,
    reading: Reading | None = None,
) -> Iterator[Event]:
    """Read the events of a log.

    `log` gives the bytes in pieces of any size: an open binary file, or `[data]`.
    `format` is a name from `runconv formats`. `warn` is called with a line (or None),
    the reason of a warning and the action that was taken. `reading` is a
    `convert.options.Reading` with limits. Raises RunconvError for what is no log.
    """
    from convert.model import EVERYTHING
    from convert.options import Reading
    from convert.pipeline import events_of

    return events_of(log, format, EVERYTHING, reading or Reading(), warn)


def read_runs(
    log: Iterable[bytes],
    format: str = "auto",
    warn: Warn = ignore,
    reading: Reading | None = None,
) -> Iterator[Run]:
    """Read the runs of a log, each given when it ends. Takes what `read` takes."""
    from convert.model import collect

    return collect(read(log, format, warn, reading))


def convert(
    log: Iterable[bytes],
    to: str = "text",
    *,
    format: str = "auto",
    run: int | None = None,
    warn: Warn = ignore,
    reading: Reading | None = None,
    options: Options | None = None,
    **changes: Any,
) -> Iterator[bytes]:
    """Convert a log to another format, piece by piece as its events arrive.

    `run` picks the N-th run, from the end if negative. The options are those of the
    command line, `language` is its `--lang`. Raises RunconvError as `read` does, and
    NoResultError for a json object that the log does not hold.
    """
    from convert.options import Options, Reading
    from convert.pipeline import Conversion, convert_log

    options = (options or Options()).replace(**changes)
    conversion = Conversion(format, to, run, reading or Reading(), options)
    return convert_log(log, conversion, warn)


def compare(
    a: Iterable[bytes],
    b: Iterable[bytes],
    format: str = "auto",
    *,
    run: int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    warn: Warn = ignore,
) -> Comparison:
    """Compare the runs of two logs, first with first; `a` is the baseline.

    Takes what `read` takes. `run` picks the N-th run of both, from the end if negative;
    `settings` is a `convert.diff.Settings` with the knobs of the command line. Raises
    RunconvError as `read` does, and where a log lacks what the settings require.
    """
    from convert import diff

    return diff.compare(
        a, b, format, run=run, settings=settings, reading=reading, warn=warn
    )
