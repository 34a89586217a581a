"""Small logs to try the program on: two runs of one task, by two models.

They are written by hand in the shape of the agent's logs of 2026.09.
"""

from __future__ import annotations

from collections.abc import Sequence

from convert.options.option_set import invalid_value

NAMES = ("baseline", "candidate")


def example(words: Sequence[str]) -> str:
    """Return the log that the words after `--example` name; the baseline for none."""
    name = " ".join(words) or NAMES[0]
    if name not in NAMES:
        raise invalid_value("--example", name, f"choose from {', '.join(NAMES)}")
    from importlib.resources import files

    log = files("convert.cli").joinpath("examples", f"{name}.ndjson")
    return log.read_text("utf-8")
