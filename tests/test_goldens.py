"""Goldens of earlier versions, and several goldens of a case.

`goldens/VERSION/` has goldens that a version wrote, each next to logs that match it. No
later version changes these files, and every later version must find the logs the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convert import compare, convert
from convert.diff import Comparison, further_goldens, goldens_beside, noise
from convert.diff.approved import goldens, writing
from convert.diff.approved.goldens import nearest
from convert.diff.noise import Normaliser
from convert.errors import InputError
from support.golden import GOLDEN, RUN
from support.in_process import run
from support.matrix import each

VERSIONS = Path(__file__).parent / "goldens"
KEPT = sorted(VERSIONS.glob("*/*/golden.json"))
KEPT_PAIRS = {
    str(log.relative_to(VERSIONS)): (golden, log)
    for golden in KEPT
    for log in sorted(golden.parent.iterdir())
    if log != golden
}
# Of version 0.1; those for outputs and for what a setting keeps are in no golden.
KEPT_RULES = (
    "agent ansi cd crlf cwd default hash home id nfc path port process space terminal"
    " time tmp"
)

OTHER = GOLDEN / "diff-more-rounds-of-tests" / "more-rounds.ndjson"
BASELINE = GOLDEN / "diff-more-rounds-of-tests" / "a.ndjson"
FILES = [
    *("case.10.json", "case.2.json", "case.3.json.gz", "case.1.json", "case.02.json"),
    *("case.2.ndjson", "other.2.json", "case.x.json", "case.2.2.json"),
]


@each("log", KEPT_PAIRS)
def test_a_golden_of_an_earlier_version_matches_its_logs(
    log: str, tmp_path: Path
) -> None:
    done = run(["diff", *map(str, KEPT_PAIRS[log])], tmp_path, {})

    assert done.status == 0, done.stdout.decode() + done.stderr.decode()


def test_a_golden_of_an_earlier_version_passes_the_hook_for_pre_commit() -> None:
    for golden in KEPT:
        written = b"".join(convert(golden, "trajectory", partial=True))

        assert written == golden.read_bytes(), golden.parent.name


def test_the_kept_goldens_need_every_rule() -> None:
    used = set()
    for golden, log in KEPT_PAIRS.values():
        for compared in compare(golden, log).runs:
            used |= compared.equal_by_rules.counts.keys()

    assert len(KEPT) >= 12
    assert used >= {*KEPT_RULES.split()}


def test_a_golden_is_compared_by_the_rules_that_it_was_made_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = b"".join(convert(RUN, "trajectory"))
    _change_a_rule(monkeypatch)
    new = b"".join(convert(RUN, "trajectory"))
    shouted = RUN.read_bytes().replace(b"pytest", b"PYTEST")

    assert not any(compare(*pair).is_different for pair in KEPT_PAIRS.values())
    assert b'"rules"' not in old
    assert compare([old], [shouted]).is_different
    assert json.loads(new)["settings"] == {"rules": 2}
    assert not compare([new], [shouted]).is_different
    assert not compare([shouted], [new]).is_different
    for pair in ([old], [new]), ([new], [old]):
        with pytest.raises(InputError, match="were made by the rules"):
            compare(*pair)


def _change_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change a rule as a later version may: for goldens of its own only."""
    spelled = Normaliser.spelled

    def in_lower_case(self: Normaliser, text: str) -> str:
        text = spelled(self, text)
        return text.lower() if self.number >= 2 else text

    monkeypatch.setattr(Normaliser, "spelled", in_lower_case)
    for module in (noise, goldens, writing):
        monkeypatch.setattr(module, "NEWEST_RULES", 2)


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a golden with others in its folder, and files that look like them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.ndjson").write_bytes(BASELINE.read_bytes())
    (tmp_path / "case.json").write_bytes(b"".join(convert(BASELINE, "trajectory")))
    for name in FILES:
        (tmp_path / name).write_bytes((tmp_path / "case.json").read_bytes())
    (tmp_path / "case.4.json").write_text('{"type": "result", "result": "Done."}')
    return tmp_path / "case.json"


def test_further_goldens_have_numbers_and_are_trajectories(golden: Path) -> None:
    names = [Path(path).name for path in goldens_beside(str(golden))]

    assert names == ["case.2.json", "case.10.json"]
    assert goldens_beside("case.json") == names
    assert goldens_beside(str(golden.with_name("run.ndjson"))) == []
    assert goldens_beside("missing/case.json") == []


@pytest.mark.parametrize("mark", ["<<<<<<< a\n", "<<<<<<< a\n||||||| b\n=======\n"])
@pytest.mark.parametrize("at", [0, 2])
def test_the_markers_of_a_merge_hide_no_trajectory(
    golden: Path, mark: str, at: int
) -> None:
    text = golden.read_text()
    golden.write_text(text[:at] + mark + text[at:])

    with pytest.raises(InputError, match="a conflict that a merge has left") as error:
        compare(golden, "run.ndjson")

    assert error.value.line == at // 2 + 1


@pytest.mark.parametrize(
    "content", ["", " \n", "<<<<<<< HEAD\n", "<<<<<<< a\n=======\n"]
)
def test_a_further_golden_that_is_damaged_still_is_one(
    golden: Path, content: str
) -> None:
    whole = golden.read_text() if content.strip() else ""
    golden.with_name("case.4.json").write_text(content + whole)
    golden.with_name("case.5.json").symlink_to("case.2.json")
    names = ["case.2.json", "case.4.json", "case.10.json"]

    assert goldens_beside("case.json") == names
    files = {name: name for name in ["case.json", *names]}
    assert [*further_goldens(files, [])] == names


def test_further_goldens_of_a_folder_belong_to_the_first(golden: Path) -> None:
    files = {str(path): path.name for path in golden.parent.iterdir()}

    found = further_goldens(files, ["run.ndjson"])
    with_partner = further_goldens(files, ["case.10.ndjson.gz"])

    assert {Path(path).name: first for path, first in found.items()} == {
        "case.2.json": "case.json",
        "case.10.json": "case.json",
        "case.2.2.json": "case.2.json",
    }
    assert {Path(path).name for path in with_partner} == {
        "case.2.json",
        "case.2.2.json",
    }


def test_the_nearest_golden_is_the_one_that_matches_else_the_least_different() -> None:
    same, far, cut = compare(RUN, RUN), compare(RUN, OTHER), _cut()

    assert nearest({"a": far, "b": same}) == "b"
    assert nearest({"a": cut, "b": far}) == "b"
    assert nearest({"b": far, "a": far}) == "a"
    assert nearest({f"t.{n}.json": far for n in (10, 2)} | {"t.json": far}) == "t.json"
    assert nearest({f"t.{n}.json": far for n in (10, 2)}) == "t.2.json"


def test_of_differences_as_severe_the_most_similar_is_the_nearest() -> None:
    one, other = compare(BASELINE, OTHER), compare(OTHER, RUN)
    assert one.severity == other.severity == "major"
    assert one.similarity > other.similarity

    assert nearest({"a": other, "b": one}) == "b"


def _cut() -> Comparison:
    """Compare a run with its beginning, which is critical."""
    lines = RUN.read_bytes().splitlines(keepends=True)
    found = compare(RUN, b"".join(lines[:-1]))
    assert found.severity == "critical"
    return found
