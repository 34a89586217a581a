"""Properties of comparisons: a log equals itself, and both directions agree."""

from __future__ import annotations

import contextlib
import random
from typing import Any, get_args

import convert
from convert.diff import REPORTS, Comparison, ReportOptions, report
from convert.options import Category, Settings
from convert.wording import repair_surrogates
from support.trial import CONTROL, BrokenError, Trial

# These settings treat baseline and candidate alike.
_FAIR_CATEGORIES = sorted({*get_args(Category)} - {"added", "removed"})
_FAIR: dict[str, list[Any]] = {
    "fail_on": ["info", "major", "critical"],
    "order": ["strict", "any"],
    "args": ["subject", "ignore"],
    "match": ["unordered"],
    "text": ["full", "last", "exact", "ignore"],
    "outputs": [True],
    "raw": [True],
    "ignore_arg": [("*.path",), ("shell.*",), ("mcp:*.a.b",)],
    "keep_arg": [("*.toolCallId",)],
    "scrub": [("[0-9]+=>N",), ("(a)(b)?=>\\2",)],
    "require": [("calls",), ("result", "status")],
    "level": ["text"],
    "min_similarity": [0.0, 0.5, 1.0],
}
# Limits for only the candidate may distinguish a log from itself.
_UNFAIR: dict[str, list[Any]] = {
    "match": ["in-order", "superset", "subset"],
    "allow_extra": [("read",), ("mcp:*", "she*")],
    "max_duration_ratio": [1.0, 2.0],
    "max_tokens_ratio": [1.0],
    "max_calls_ratio": [1.0],
    "min_calls": [0],
    "allow_better": [True],
}


def comparison(other: bytes, dice: random.Random) -> Trial:
    """Compare a log with another, in both directions, and with itself."""
    settings, is_fair = _settings(dice)
    looks = {
        "is_full": dice.random() < 0.5,
        "is_verbose": dice.random() < 0.5,
        "width": dice.choice([40, 100, 10_000]),
    }
    run = dice.choice([None, None, 1, 2, -1])

    def compare(a: bytes, b: bytes) -> Comparison | None:
        with contextlib.suppress(convert.RunconvError):
            return convert.compare([a], [b], run=run, settings=settings)
        return None

    def check(log: bytes) -> None:
        same = compare(log, log)
        if same is not None and same.is_different:
            raise BrokenError("diff: a log differs from itself")
        there, back = compare(log, other), compare(other, log)
        if is_fair and _verdict(there) != _verdict(back):
            raise BrokenError("diff: another verdict the other way round")
        for compared in filter(None, (same, there, back)):
            _report(compared, ReportOptions(**looks))

    return Trial(f"compare, run={run}, {settings}, {looks}", check, other)


def _verdict(compared: Comparison | None) -> bool | None:
    return None if compared is None else compared.is_different


def _report(compared: Comparison, options: ReportOptions) -> None:
    for name in REPORTS:
        for line in report(name)(compared, options):
            repair_surrogates(line.text).encode()
        if REPORTS[name].shown_as == "text":
            lines = (line.text for line in report(name)(compared, options))
            check_for_people(name, "\n".join(lines))


def check_for_people(name: str, text: str) -> None:
    """Check that a report has no control characters, but for the bytes of a patch.

    Another program applies that; a line of a Windows file ends in a carriage return.
    """
    above, _, _ = text.partition("\nchanged in candidate, as a patch:\n")
    if CONTROL.search(above):
        raise BrokenError(f"diff: a control character in the {name}")


def _settings(dice: random.Random) -> tuple[Settings, bool]:
    """Draw settings, and a flag that is set if they treat both sides alike."""
    fair = _FAIR | {"ignore": [tuple(dice.sample(_FAIR_CATEGORIES, 2))]}
    is_fair = dice.random() < 0.7
    knobs = fair if is_fair else fair | _UNFAIR
    chosen = {k: dice.choice(v) for k, v in knobs.items() if dice.random() < 0.2}
    return Settings(**chosen), is_fair
