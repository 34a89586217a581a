"""Every json report of a comparison matches its schema, which names every member."""

from __future__ import annotations

import itertools
import json
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import Comparison, FileStatus, ReportOptions, report
from convert.options import SEVERITIES, Category, Settings
from support.golden import cases, logs
from support.matrix import each, matrix, part, reject
from support.runs import Batch, Made, noises, tell, trajectories

SCHEMA = json.loads(
    resources.files("convert.diff").joinpath("report.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
LOGS = logs(".ndjson", ".jsonl", ".json", ".txt")
PAIRS = [
    pair
    for folder, paths in itertools.groupby(LOGS, lambda path: path.parent)
    if folder.name.startswith("diff-")
    for pair in itertools.permutations(paths, 2)
]
LIMITS = Settings(max_calls_ratio=1.0, min_calls=0, min_similarity=0.9, outputs=True)
SETTINGS = [Settings(), LIMITS, Settings(match="superset", ignore=("args",), raw=True)]


def test_the_schema_is_valid() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


def test_the_schema_knows_each_word_and_each_setting() -> None:
    known = SCHEMA["$defs"]

    assert known["category"]["enum"] == list(get_args(Category))
    assert known["severity"]["enum"] == list(SEVERITIES)
    files = known["comparison"]["properties"]["files"]
    assert files["items"]["properties"]["status"]["enum"] == [*get_args(FileStatus)]
    settings = known["settings"]["properties"]
    assert {*settings} == {*Settings().as_dict(), "source"}
    for name, setting in settings.items():
        if "enum" in setting:
            assert setting["enum"] == list(Settings.options()[name].choices)


@each(
    "path",
    [
        path
        for case in cases()
        for path in sorted(case.folder.glob("*.json"))
        if path.name in case.written and b'"first_divergence"' in path.read_bytes()
    ],
)
def test_golden_reports_match_the_schema(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_bytes()))


@matrix(pair=part(PAIRS, 80), settings=SETTINGS)
def test_reports_of_golden_logs_match_the_schema(
    pair: tuple[Path, Path], settings: Settings
) -> None:
    a, b = ([path.read_bytes()] for path in pair)
    try:
        compared = convert.compare(a, b, settings=settings)
    except convert.RunconvError:
        reject()

    VALIDATOR.validate(as_json(compared))


@given(trajectories, trajectories, noises, st.sampled_from(SETTINGS), st.booleans())
def test_reports_of_any_runs_match_the_schema(
    a: list[Batch], b: list[Batch], noise: Any, settings: Settings, has_more: bool
) -> None:
    log_a, log_b = tell(a), tell(b, noise) + tell(a) * has_more

    compared = convert.compare([log_a], [log_b], settings=settings)

    VALIDATOR.validate(as_json(compared))


def test_an_approximate_alignment_is_in_the_schema() -> None:
    compared = convert.compare([tell([])], [tell([])])
    compared.runs[0].is_approximate = True

    made = as_json(compared)

    assert made["approximate"] is True
    VALIDATOR.validate(made)


@each(
    "place", [(), ("facts",), ("settings",), ("counts",), ("findings", 0), ("runs", 0)]
)
def test_a_member_that_the_schema_does_not_name_is_refused(
    place: tuple[str | int, ...],
) -> None:
    call = Batch.of(Made("read", "a.py"))
    log = tell([]) + tell([], text="Other.")
    made = as_json(convert.compare([log], [tell([call]) + tell([], text="Other.")]))
    VALIDATOR.validate(made)

    target: Any = made
    for step in place:
        target = target[step]
    target["unheard_of"] = 1

    assert not VALIDATOR.is_valid(made)


def as_json(compared: Comparison) -> Any:
    [line] = report("json")(compared, ReportOptions())
    return json.loads(line.text)
