"""Lines that a program printed between events, many at a time or one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import convert
from convert.errors import InputError
from convert.source import damaged_lines as noise

_EVENT = b'{"type":"assistant","session_id":"s"}\n'
_PIECES = st.sampled_from(
    [
        *("x", "npm", "warn", " ", "  ", "\t", "\r", "\0", "\x0b", "\x1b[1m", "\x7f"),
        *("Error: ", "FooError", ":", ": ", "T", "T: ", "[internal] ", "stderr: "),
        *("You've hit", " your", " limit", "Connection failed repeatedly", "."),
        *("Aborting operation...", "Warning: The provided API key is invalid"),
        *("2026-09-20T08:00:00Z ", "é", "\x9b", "⚠", "\u2028", "\ufffd", "##[error]"),
        *('"', '"a"', "\\", '\\"', "1", "0", "-", ".5", "e9", "true", "null", "NaN"),
        *("{", "}", "[", "]", ",", '{"a":1}', '{"type":"x"}', '{"type":', "[info]"),
        *("[[", "[true", "[]", "[1]"),
    ]
)
_LINES = st.lists(_PIECES, max_size=4).map("".join)


def _read(log: bytes) -> tuple[list[tuple[int | None, str, str]], list[convert.Run]]:
    warnings: list[tuple[int | None, str, str]] = []

    def warn(line: int | None, reason: str, action: str) -> None:
        warnings.append((line, reason, action))

    try:
        runs = list(convert.read_runs([log], "stream-json", warn=warn))
    except InputError as error:
        return [*warnings, (None, error.message, "")], []
    return warnings, runs


@given(st.lists(_LINES, max_size=6))
@example(["{", "{ ", '{"a', "{,}"])
@example(['"a"', '"\\u"', '"', '"a" b', "1", "01", "1e5", "-", "true", "truex"])
@example(["null", "false", "[null]", "[false]", "[true]"])
@example(["[a]", "[true, 1] x", "[nullx]", "[[", "[ 1]", "[1] x"])
def test_noise_is_named_alike_many_at_a_time_and_one_by_one(lines: list[str]) -> None:
    log = _EVENT + "".join(f"{line}\n" for line in lines).encode() + _EVENT

    together = _read(log)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise, "skip_noise", _skip_none)
        assert together == _read(log)


def _skip_none(raws: list[bytes], at: int, *_: object) -> int:
    return at


@pytest.mark.parametrize(
    "line", ["x", "", "}", "1", '"a"', "{x", "npm warn deprecated", "[info] done"]
)
def test_noise_is_decoded_once_however_much_of_it_there_is(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from convert.source import damaged_lines

    decoded: list[bytes] = []
    decode: Callable[..., object] = damaged_lines.decode_line
    monkeypatch.setattr(
        damaged_lines,
        "decode_line",
        lambda raw, *rest: decoded.append(raw) or decode(raw, *rest),
    )

    _read(_EVENT + f"{line}\n".encode() * 500 + _EVENT)

    assert decoded == []
