"""Values nested deeply never stop a conversion, wherever they are.

How deep is too deep for Python depends on its version and on the stack of the caller,
so the depths around that limit are tried one by one.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest

import convert
from convert.diff import digest
from convert.formats import writers
from convert.options import Reading
from support.deep_logs import LAYOUTS, POSITIONS, VALUES, deep_log
from support.matrix import matrix, part
from support.trial import from_deep_stack, stack

Way = Callable[[bytes], object]

_FULL = {"tool_output": "full", "thinking": True, "partial": True, "detail": True}
_PATTERN = Reading(redact=True, redact_patterns=("b+y",))
_REPORTS = ("table", "unified", "json", "markdown", "html")
# Levels below the limit of the stack, which the program itself takes up in part.
_BELOW = part(range(30), 3)
# Depths, and levels below the limit, each with the frames that the caller has. Those
# make no difference where levels are counted from the frames that are left.
DEPTHS = [
    *(
        (depth, False, frames)
        for depth in (1, 15, 16, 17, 48, 60, 199, 200, 201, 300, 3000)
        for frames in (0, 900)
    ),
    *((below, True, below % 2 * 900) for below in _BELOW),
]


def _to(target: str, **options: object) -> Way:
    return lambda log: b"".join(convert.convert(log, target, **_FULL | options))  # type: ignore[arg-type]


def _compared(log: bytes) -> None:
    comparison = convert.compare(log, log)
    for name in _REPORTS:
        convert.report(comparison, name)
    assert not comparison.is_different


def _compared_with_another(log: bytes) -> None:
    other = log.replace(b'"path":"x"', b'"path":"y"').replace(b"[[]]", b"[[2]]")
    comparison = convert.compare(log, other.replace(b":1}", b":3}"))
    for name in _REPORTS:
        convert.report(comparison, name, full=True)


WAYS: dict[str, Way] = {
    **{target: _to(target) for target in writers()},
    "forced": _to("markdown", format="stream-json"),
    "redacted transcript": _to("markdown", reading=_PATTERN),
    "redacted stream": _to("stream-json", reading=Reading(redact=True)),
    "diff": _compared,
    "diff of two": _compared_with_another,
}


@pytest.fixture(autouse=True, scope="module")
def _import_everything() -> None:
    """Import the modules of the ways, which takes frames of its own, but only once."""
    layout = next(iter(LAYOUTS))
    for number, position in enumerate(POSITIONS):
        value = [*VALUES.values()][number % len(VALUES)]
        for way in [*WAYS.values()][number % 12 :: 12]:
            with contextlib.suppress(convert.RunconvError):
                way(deep_log(position, layout, value(17)))


@matrix(depth=part(DEPTHS, 5), layout=LAYOUTS, position=POSITIONS)
def test_no_depth_stops_a_conversion(
    depth: tuple[int, bool, int], layout: str, position: str
) -> None:
    number, is_below_limit, frames = depth
    more = max(0, frames - stack())
    if is_below_limit:
        number = max(1, sys.getrecursionlimit() - stack() - more - number)
    places = [*POSITIONS].index(position) + [*LAYOUTS].index(layout) + number
    value = VALUES[[*VALUES][places % len(VALUES)]](number)
    log = deep_log(position, layout, value)

    for name in [*WAYS][places % 12 :: 12]:
        try:
            from_deep_stack(more, functools.partial(WAYS[name], log))
        except convert.RunconvError:
            pass
        except RecursionError as error:
            pytest.fail(f"{name}: {error}")


@matrix(
    below=_BELOW,
    position=["argument", "query", "unknown event"],
    name=["text", "redacted transcript"],
)
def test_events_that_share_a_line_are_distinguished_at_each_depth(
    below: int, position: str, name: str
) -> None:
    """They are decoded once as events and once for their bytes, deeper in the stack."""
    value = VALUES["lists"](sys.getrecursionlimit() - stack() - below)
    log = deep_log(position, "all on one line before empty ones", value)

    WAYS[name](log)


def test_values_deeper_than_marshal_goes_have_digests_of_their_own() -> None:
    def nested(inner: Any) -> Any:
        for _ in range(5000):
            inner = [inner, {"a": 1}]
        return inner

    assert digest(nested(1)) == digest(nested(1))
    assert digest(nested(1)) != digest(nested(2))
    assert digest(nested([])) != digest(nested({}))
