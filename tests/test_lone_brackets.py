"""Lines of a single bracket, a million of which a log may hold, are read at once."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

import convert

_EVENT = {"type": "user", "message": {"role": "user", "content": "Do it."}}
_SPREAD = json.dumps(_EVENT, indent=2)
_LINE = json.dumps(_EVENT)
_parts = st.sampled_from(
    [_SPREAD, _LINE, f"[\n{_LINE},", "]", '"a": [', '"a": 1,', "}", "x", "", "  {"]
)
_runs = st.integers(0, 40).map(lambda count: "\n".join(["{"] * count))


def outcome(log: str) -> tuple[str, list[tuple[int | None, str]]]:
    """Return the conversion of a log, and the warnings or the error."""
    said: list[tuple[int | None, str]] = []

    def warn(line: int | None, what: str, *rest: str) -> None:
        said.append((line, what))

    try:
        events = [*convert.read([log.encode()], warn=warn)]
    except convert.RunconvError as error:
        return str(error), said
    return repr(events), said


@given(st.lists(st.one_of(_parts, _runs), max_size=8))
def test_brackets_are_read_as_they_are_with_blanks_after_them(parts: list[str]) -> None:
    lines = "\n".join([_LINE, *parts, _LINE, ""])
    # These are read one by one.
    blanks = "\n".join("{ " if line == "{" else line for line in lines.split("\n"))

    assert outcome(lines) == outcome(blanks)
