"""Every json report matches its schema, which a command prints.

The schema of a comparison names every member.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert.diff import Comparison, FileStatus, ReportOptions, report
from convert.options import SEVERITIES, Category, Settings
from support.golden import cases, logs
from support.in_process import run
from support.matrix import each, matrix, part, reject
from support.runs import Batch, Made, noises, tell, trajectories

PACKAGE = Path(convert.__file__).parent
# The words of a command line that prints each schema, and its name and number.
PRINTERS = {
    ("diff",): "diff:2",
    ("matrix",): "suite:2",
    ("stats",): "stats:1",
    ("list",): "list:1",
    ("-t", "trajectory"): "trajectory:1",
    ("-t", "messages"): "messages:1",
}
SCHEMAS = {
    schema["$id"].removeprefix("urn:runconv:"): schema
    for schema in map(json.loads, map(Path.read_text, PACKAGE.rglob("*.schema.json")))
}
VALIDATORS = {
    name: jsonschema_rs.Draft202012Validator(schema)
    for name, schema in SCHEMAS.items()
    if name != "messages:1"
}
REPORTS = [
    path
    for case in cases()
    for path in sorted(case.folder.glob("*.json"))
    if path.name in case.written
    and re.search(rb'"schema": ?\d|"trajectory": ?1,', path.read_bytes())
]
LOGS = logs(".ndjson", ".jsonl", ".json", ".txt")
PAIRS = [
    pair
    for folder, paths in itertools.groupby(LOGS, lambda path: path.parent)
    if folder.name.startswith("diff-")
    for pair in itertools.permutations(paths, 2)
]
LIMITS = Settings(max_calls_ratio=1.0, min_calls=0, min_similarity=0.9, outputs=True)
SETTINGS = [Settings(), LIMITS, Settings(match="superset", ignore=("args",), raw=True)]


def test_every_schema_is_printed_and_has_an_id_of_its_own(tmp_path: Path) -> None:
    files = {path.read_text("utf-8") for path in PACKAGE.rglob("*.schema.json")}

    printed = [run([*words, "--schema"], tmp_path, {}) for words in PRINTERS]

    assert [done.status for done in printed] == [0] * len(PRINTERS)
    assert {done.stdout.decode() for done in printed} == files
    ids = [json.loads(done.stdout)["$id"] for done in printed]
    assert ids == [f"urn:runconv:{name}" for name in PRINTERS.values()]


@each("words", [words for words in PRINTERS if "-t" not in words])
def test_the_id_of_a_schema_has_the_number_in_its_reports(
    words: tuple[str, ...],
) -> None:
    schema = SCHEMAS[PRINTERS[words]]

    jsonschema_rs.meta.validate(schema)
    number = schema["properties"]["schema"]["const"]
    assert schema["$id"].endswith(f":{number}")
    assert "schema" in schema["required"]


def test_the_schema_knows_each_word_and_each_setting() -> None:
    known = SCHEMAS["diff:2"]["$defs"]

    assert known["category"]["enum"] == list(get_args(Category))
    assert known["severity"]["enum"] == list(SEVERITIES)
    files = known["comparison"]["properties"]["files"]
    assert files["items"]["properties"]["status"]["enum"] == [*get_args(FileStatus)]
    settings = known["settings"]["properties"]
    assert {*settings} == {*Settings().as_dict(), "source"}
    for name, setting in settings.items():
        if "enum" in setting:
            assert setting["enum"] == list(Settings.options()[name].choices)


@each("path", REPORTS)
def test_golden_reports_match_the_schema_of_one_command(path: Path) -> None:
    report = json.loads(path.read_bytes())

    matched = [name for name, each in VALIDATORS.items() if each.is_valid(report)]

    assert len(matched) == 1


def test_every_schema_has_a_golden_report() -> None:
    reports = [json.loads(path.read_bytes()) for path in REPORTS]

    for name, validator in VALIDATORS.items():
        assert any(map(validator.is_valid, reports)), name


@matrix(pair=part(PAIRS, 80), settings=SETTINGS)
def test_reports_of_golden_logs_match_the_schema(
    pair: tuple[Path, Path], settings: Settings
) -> None:
    a, b = ([path.read_bytes()] for path in pair)
    try:
        compared = convert.compare(a, b, settings=settings)
    except convert.RunconvError:
        reject()

    VALIDATORS["diff:2"].validate(as_json(compared))


@given(trajectories, trajectories, noises, st.sampled_from(SETTINGS), st.booleans())
def test_reports_of_any_runs_match_the_schema(
    a: list[Batch], b: list[Batch], noise: Any, settings: Settings, has_more: bool
) -> None:
    log_a, log_b = tell(a), tell(b, noise) + tell(a) * has_more

    compared = convert.compare([log_a], [log_b], settings=settings)

    VALIDATORS["diff:2"].validate(as_json(compared))


def test_an_approximate_alignment_is_in_the_schema() -> None:
    compared = convert.compare([tell([])], [tell([])])
    compared.runs[0].is_approximate = True

    made = as_json(compared)

    assert made["approximate"] is True
    VALIDATORS["diff:2"].validate(made)


@each(
    "place", [(), ("facts",), ("settings",), ("counts",), ("findings", 0), ("runs", 0)]
)
def test_a_member_that_the_schema_does_not_name_is_refused(
    place: tuple[str | int, ...],
) -> None:
    call = Batch.of(Made("read", "a.py"))
    log = tell([]) + tell([], text="Other.")
    made = as_json(convert.compare([log], [tell([call]) + tell([], text="Other.")]))
    VALIDATORS["diff:2"].validate(made)

    target: Any = made
    for step in place:
        target = target[step]
    target["unheard_of"] = 1

    assert not VALIDATORS["diff:2"].is_valid(made)


def as_json(compared: Comparison) -> Any:
    [line] = report("json")(compared, ReportOptions())
    return json.loads(line.text)
