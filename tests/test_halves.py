"""Halves of an emoji in long lines, which are not decoded by the standard library."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.source import damaged_lines as halves

_HALVES = (r"\ud83d", r"\ude00", r"\uD83D", r"\uDE00", "ud83d", "ude00")
_OTHERS = (r"\\", r"\"", r"\n", "a", "é", "\U0001f600", r"\u0041", r"\ufffd")
_PIECES = st.sampled_from([*_HALVES, *_OTHERS])


@given(st.lists(st.lists(_PIECES, max_size=6).map("".join), min_size=2, max_size=2))
def test_a_half_in_a_long_line_shows_as_in_a_short_one(texts: list[str]) -> None:
    lines = (
        f'{{"type":"assistant","session_id":"s","message":"{text}"}}\n'
        for text in texts
    )
    log = "".join(lines).encode()

    with pytest.MonkeyPatch.context() as patch:
        short = _answers(log)
        patch.setattr(halves, "SHORTEST", 0)
        assert _answers(log) == short


def _answers(log: bytes) -> list[bytes]:
    return [*convert.convert([log], "answer", format="stream-json", partial=True)]


def test_a_long_line_with_a_half_is_decoded_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "\ud83d " + "a" * halves.SHORTEST
    line = {"type": "assistant", "session_id": "s", "message": text}
    monkeypatch.setattr(halves, "_decode_values", None)

    (shown,) = _answers(json.dumps(line).encode() + b"\n")

    assert shown.decode() == text.replace("\ud83d", "\ufffd") + "\n"
