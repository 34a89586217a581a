"""The facts of a run as a whole that its log does not record."""

from __future__ import annotations

from collections.abc import Iterator

from convert.facts.figures import Figures
from convert.model.events import Start, State
from convert.model.run import Run


def unrecorded(
    run: Start | Run,
    figures: Figures,
    *,
    has_prompt: bool,
    state: State | None,
    length: int | None,
) -> Iterator[str]:
    """Yield what a log lacks of a run, in a few words each; `length` is its time."""
    if not has_prompt:
        yield "prompt"
    if not run.directory:
        yield "directory"
    if not run.model:
        yield "model"
    if state is None:
        yield "how the run ended"
    if figures.duration_ms is None and length is None:
        yield "times"
    if figures.used_tokens is None:
        yield "tokens"
