"""Findings in which the candidate is better than the baseline."""

from __future__ import annotations

import json
from typing import Any

import pytest

import convert
from convert.diff import BETTER_PASSES, headline
from convert.pages import verdict_on
from support.matrix import each

ENDINGS: dict[str, dict[str, Any] | None] = {
    "ok": {"success": {"exitCode": 0}},
    "error(1)": {"failure": {"exitCode": 1}},
    "error(2)": {"failure": {"exitCode": 2}},
    "error(timeout)": {"timeout": {}},
    "rejected": {"rejected": {"reason": "no"}},
    "unfinished": None,
}


def log(ending: str, state: str = "success") -> list[bytes]:
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
    ended = {"type": "result", "subtype": state, "result": "Done."}
    return [json.dumps(one).encode() + b"\n" for one in (event, ended)]


@each(
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


@pytest.mark.parametrize(
    ("was", "now", "settings", "begin"),
    [
        (("error(1)",), ("ok",), {}, "different (critical, better): "),
        (("ok",), ("error(1)",), {}, "different (critical): "),
        (("ok", "error"), ("ok",), {}, "different (critical, better): "),
        # One of both is worse.
        (("ok", "error"), ("error(1)",), {}, "different (critical): "),
        (("error(1)",), ("ok",), {"allow_better": True}, "same: "),
    ],
)
def test_the_verdict_says_if_all_that_decides_is_better(
    was: tuple[str, ...], now: tuple[str, ...], settings: dict[str, Any], begin: str
) -> None:
    compared = convert.compare(
        log(*was), log(*now), settings=convert.Settings(**settings)
    )

    for line in (headline(compared), verdict_on(compared).sentence.lower()):
        assert line.startswith(begin)
        assert (BETTER_PASSES in line) == ("better)" in begin)
