"""Findings in which the candidate is better than the baseline."""

from __future__ import annotations

import json
from typing import Any

import pytest

import convert

ENDINGS: dict[str, dict[str, Any] | None] = {
    "ok": {"success": {"exitCode": 0}},
    "error(1)": {"failure": {"exitCode": 1}},
    "error(2)": {"failure": {"exitCode": 2}},
    "error(timeout)": {"timeout": {}},
    "rejected": {"rejected": {"reason": "no"}},
    "unfinished": None,
}


def log(ending: str) -> list[bytes]:
    result = ENDINGS[ending]
    call: dict[str, Any] = {"args": {"command": "make"}}
    if result is not None:
        call["result"] = result
    event = {
        "type": "tool_call",
        "subtype": "started" if result is None else "completed",
        "call_id": "1",
        "tool_call": {"shellToolCall": call},
    }
    ended = {"type": "result", "subtype": "success", "result": "Done."}
    return [json.dumps(one).encode() + b"\n" for one in (event, ended)]


@pytest.mark.parametrize(
    ("was", "now", "better"),
    [
        ("error(1)", "ok", True),
        ("error(timeout)", "ok", True),
        ("error(2)", "error(1)", False),
        ("ok", "error(1)", False),
        # A call that was rejected may have been rejected for a reason.
        ("rejected", "ok", False),
        ("unfinished", "ok", False),
    ],
)
def test_only_an_error_that_is_gone_is_better(was: str, now: str, better: bool) -> None:
    for is_allowed in (False, True):
        settings = convert.Settings(allow_better=is_allowed)
        [found] = convert.compare(log(was), log(now), settings=settings).findings

        assert (found.category, found.better) == ("outcome", better)
        is_waived = better and is_allowed
        assert found.waived == ("--allow-better" if is_waived else None)
        assert found.severity == ("info" if is_waived else "critical")
