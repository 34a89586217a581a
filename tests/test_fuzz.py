"""Generated and damaged logs convert safely: a short, fixed part of `scripts/fuzz`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from convert.cli import ConvertOptions, DiffOptions, ShowOptions
from convert.cursor import Arm, Body, Usage, WireEvent, call_reader, stream_json, wire
from convert.cursor import runs as clocks
from convert.diff import ReportLine
from convert.diff.reports import unified
from convert.formats import readers, writers
from convert.options import Options, Reading, Settings
from convert.options.option_set import OptionSet, option
from convert.redact import Redactor
from convert.scale import StatsOptions
from convert.suites import MatrixOptions
from convert.tools import tools
from support import generated, hunting, matrix, sandbox
from support.generated import choices, frames, growing, planted, shrinking, steps
from support.generated import values as values_
from support.generated.specimens import kinds, members
from support.hunting import Hunt, hunt
from support.matrix import each
from support.mutants import made, original
from support.promises import is_nested_to_the_limit, trials
from support.systems import need_system
from support.trial import BrokenError, Trial, symptom

# An alarm ends what hangs.
need_system("signals")

OPTIONS = [
    *(Options, Reading, Settings),
    *(ConvertOptions, ShowOptions, DiffOptions, StatsOptions, MatrixOptions),
]
# The inputs among which a planted bug is found. They begin after the one that grows,
# which takes as long as hundreds.
PLANTED = range(2, 300)


def bugs(folder: Path, numbers: range) -> Iterator[str]:
    """Yield the bugs of generated logs, one log after the other."""
    for number in numbers:
        yield from hunt(
            Hunt(1, "structured", 10, folder), range(number, number + 1)
        ).bugs


@pytest.mark.exhaustive
def test_damaged_logs_break_no_promise() -> None:
    found = {}

    for number in range(60 if matrix.is_exhaustive else 5):
        dice, log, other = made(seed=1, number=number)
        for trial in trials(dice, other):
            if bug := symptom(trial, log, limit=10):
                found[bug.what] = bug.details

    assert found == {}


@pytest.mark.exhaustive
def test_generated_logs_break_no_promise(tmp_path: Path) -> None:
    numbers = range(150) if matrix.is_exhaustive else range(2, 3)

    figures = hunt(Hunt(1, "structured", 10, tmp_path), numbers)

    assert figures.accounts == []
    assert figures.inputs == len(numbers)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", matrix.part(range(5), 3))
def test_hostile_names_lead_nowhere_else(number: int, tmp_path: Path) -> None:
    dice = random.Random(number)

    bug = sandbox.broken(tmp_path, [original(dice) for _ in range(3)], dice)

    assert bug is None


def test_every_member_is_changed_in_every_way() -> None:
    rows, ways = members(), values_.WAYS

    changes = [generated.change_of(number) for number in range(2 * len(rows))]

    assert {change[0] for change in changes if change} == {*rows}
    assert {change[1] for change in changes if change} == {*ways}
    # The next round begins with another way.
    again = generated.change_of(2 * len(rows))
    assert again is not None
    assert again != changes[0]
    assert again[0] == rows[0]


def test_every_kind_of_call_and_member_that_is_read_has_a_specimen() -> None:
    names = {key for member in members() for key in member.path}
    keys = {word for kind in kinds() for word in kind.split(" ")[1:]}
    types = {kind.split("/")[0].split(" ")[0] for kind in kinds()}

    assert keys >= {f"{name}ToolCall" for name in tools()}
    assert types >= stream_json._TYPES.keys() - {wire.STANDARD_ERROR}
    for struct in (WireEvent, Body, Arm, Usage):
        assert names >= {*struct.__struct_fields__}


@pytest.mark.seldom
def test_every_step_frame_and_hiding_place_has_its_turn() -> None:
    dice = random.Random(1)
    parts: set[str] = set()

    for number in range(150):
        parts |= generated.made(1, number).parts
        parts.add(f"frame {frames.choose(number, dice)}")

    assert parts >= {f"step {name}" for name in steps.STEPS}
    assert parts >= {f"frame {name}" for name in frames.FRAMES}
    assert parts >= {f"secret {name}" for name in planted.WAYS}


@each("options", OPTIONS)
def test_every_value_of_an_option_is_one(options: type[OptionSet]) -> None:
    rows = choices.rows(options)

    assert {*options.options()} - {*rows} <= choices._LEFT_OUT
    for name, values in rows.items():
        assert values
        for value in values:
            options(**{name: value})


def test_an_option_that_holds_a_word_needs_a_row() -> None:
    class More(OptionSet):
        novelty: str = option(default="", help="a word")

    with pytest.raises(KeyError, match="novelty"):
        choices.rows(More)


def test_every_format_is_chosen() -> None:
    dice = random.Random(1)

    targets = {choices.target(dice) for _ in range(200)}
    sources = {choices.conversion(dice).get("format") for _ in range(2000)}

    assert targets == {*writers()}
    assert sources == {*readers(), None}


# Each plants a bug of another kind; a few hundred inputs must find it.


@pytest.mark.seldom
def test_a_crash_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def crash(*arguments: Any) -> None:
        raise IndexError("planted")

    monkeypatch.setattr(call_reader, "_read_query", crash)

    assert any(bug.startswith("IndexError") for bug in bugs(tmp_path, PLANTED))


def test_a_secret_that_is_shown_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Those that have been found may be known already.
    planted.free_standing(), planted.in_context()
    monkeypatch.setattr(Redactor, "find", lambda redactor, text: [])

    assert any("a secret in" in bug for bug in bugs(tmp_path, PLANTED))


@pytest.mark.seldom
def test_output_that_depends_on_pieces_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(clocks.Clocks, "next_block", lambda self: None)

    assert any("other pieces" in bug for bug in bugs(tmp_path, PLANTED))


@pytest.mark.seldom
def test_a_control_character_in_a_report_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = unified.report

    def with_bell(compared: Any, look: Any) -> Any:
        return [*made(compared, look), ReportLine("\a")]

    monkeypatch.setattr(unified, "report", with_bell)

    found = bugs(tmp_path, PLANTED)

    assert "diff: a control character in the unified" in found


def test_time_that_grows_too_fast_is_found() -> None:
    assert growing.grows_too_fast([(40_000, 0.1), (160_000, 1.6)])
    assert not growing.grows_too_fast([(40_000, 0.1), (160_000, 0.4)])
    assert not growing.grows_too_fast([(160_000, 9.0)])


def test_a_step_to_a_way_of_reading_that_is_as_fast_as_promised_is_no_finding() -> None:
    assert not growing.grows_too_fast([(960_000, 0.03), (3_840_000, 0.47)])


def test_the_pieces_matter_only_where_values_are_as_deep_as_can_be_decoded() -> None:
    for depth, callers, is_near in [(100, 0, False), (950, 0, True), (100, 900, True)]:
        log = b'{"a":' * depth + b"1" + b"}" * depth

        assert is_nested_to_the_limit(log, callers) == is_near


def test_events_members_and_bytes_that_do_not_matter_are_removed() -> None:
    events = [{"type": "x", "a": [1, {"b": "long text", "c": 2}]}] * 3
    log = b"noise\n" + b"".join(json.dumps(it).encode() + b"\n" for it in events)

    small = shrinking.smallest(log, lambda smaller: b'"c":' in smaller)

    assert small == b'"c":'


def test_a_finding_is_kept_with_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(log: bytes) -> None:
        if b"session_id" in log:
            raise BrokenError("planted")

    monkeypatch.setattr(hunting.laws, "trials", lambda *_: [Trial("try", broken)])

    figures = hunt(Hunt(1, "structured", 10, tmp_path), range(5, 9))

    assert figures.bugs == {"planted": 4}
    (account,) = figures.accounts
    assert "again: scripts/fuzz 1 --seed 1 --only structured --first 5" in account
    assert (tmp_path / "1-5.log").read_bytes() == b"session_id"
