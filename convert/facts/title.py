"""The title of a run, from what was asked of it."""

from __future__ import annotations

from collections.abc import Sequence

from convert.wording.sanitise import one_line, truncate

# In characters.
_LONGEST = 160


def title_of(prompts: Sequence[str]) -> str:
    """Return the first line of the first prompt with something on it."""
    lines = prompts[0].split("\n") if prompts else []
    first = next(filter(None, (one_line(line).lstrip("# ") for line in lines)), "")
    return truncate(first, _LONGEST)
