"""The rows of many runs: their contents, and the values that other programs read."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import convert
from convert import tables
from convert.model import OK, Start, ToolCall
from convert.scale import (
    METRIC,
    OF_LOGS,
    ROWS,
    SCHEMA,
    KeptRows,
    RunRow,
    Wanted,
    columns,
    csv_pieces,
    every_column,
    fitting,
    moment,
    ndjson_pieces,
    partition_folder,
    text,
)
from convert.scale.engines import local
from convert.scale.tables import log_rows as kept_rows
from convert.scale.tables.files import _groups
from convert.scale.tables.rows import call_rows
from support.conversions import few, logs_to_convert
from support.golden import GOLDEN, RUN
from support.hostile import hostile_logs
from support.in_process import run
from support.libraries import need
from support.many_runs import counted
from support.matrix import each, part
from support.processes import RUNCONV, environment
from support.runs import Batch, tell, trajectories
from test_docs import ROOT

LOGS = few(logs_to_convert(".ndjson", ".jsonl", ".json", ".txt"))
FOLDER = GOLDEN / "tables-of-several-agents" / "logs"
ALL = sorted(map(str, FOLDER.iterdir()))
PAIRS = sorted(each_log.parent for each_log in GOLDEN.glob("diff-*subagent*/b.ndjson"))
OPTIONS = frozenset({"--arguments", "--outputs"})
# The schema and a digest of its columns, which `--update` writes.
KNOWN = 2, "ebf1a9a0dc4d650c"


def made(log: bytes, table: str, options: frozenset[str] = OPTIONS) -> list[Any]:
    """Return the rows of a log; those up to an error."""
    wanted = Wanted(table, options if table == "calls" else frozenset())
    found: list[Any] = []
    try:
        events = convert.read([log])
        found += wanted.rows(events, "a/run.ndjson", lambda *_: None)
    except convert.RunconvError:
        return []
    return found


# The schema


def test_a_changed_schema_has_another_number_in_the_changelog(
    hold: Callable[[Path, str], None],
) -> None:
    whole = [column for table in ROWS for column in every_column(table)]

    digest = hashlib.sha256(msgspec.json.encode(whole)).hexdigest()[:16]

    assert digest == KNOWN[1] or KNOWN[0] < SCHEMA, "raise SCHEMA"
    this = Path(__file__)
    line = f'KNOWN = {SCHEMA}, "{digest}"\n'
    hold(this, re.sub(r"^KNOWN = .*\n", line, this.read_text("utf-8"), flags=re.M))
    assert f"schema {SCHEMA}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_columns_are_those_of_the_page(hold: Callable[[Path, str], None]) -> None:
    page = ROOT / "docs" / "tables.md"
    text = page.read_text("utf-8")

    for table in ROWS:
        above, heading, below = text.partition(f"\n### {table}\n")
        lines = _TABLE.sub(lambda _, table=table: lines_of(table), below, count=1)
        text = above + heading + lines
    text = _NUMBER.sub(rf"\g<1>{SCHEMA}", text)

    hold(page, text)


_NUMBER = re.compile(r"(meanings are schema )\d+")
_TABLE = re.compile(r"^\|.*\|\n(?:\|.*\|\n)+", re.MULTILINE)


def lines_of(table: str) -> str:
    """Return the table of the columns of a table, as its page has it."""
    lines = ["| column | type | unit | means |", "|---|---|---|---|"]
    for column in every_column(table):
        kind = column.type if column.is_nullable else f"{column.type}, not null"
        means = column.meaning + (f" (`{column.option}`)" if column.option else "")
        lines.append(f"| `{column.column}` | {kind} | {column.unit or ''} | {means} |")
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("table", ROWS)
def test_the_schema_is_printed(table: str, tmp_path: Path) -> None:
    printed = run(["table", table, "--schema"], tmp_path, {}).stdout.decode()
    lines = run(["table", table, "--schema", "--format", "ndjson"], tmp_path, {}).stdout

    names = [each.column for each in every_column(table)]
    assert re.findall(r"^  (\w+)", printed, re.MULTILINE) == names
    assert [json.loads(line)["column"] for line in lines.splitlines()] == names


# The contents of the rows


@pytest.mark.exhaustive
@each("path", part(LOGS, 8))
def test_rows_of_golden_logs_agree_with_stats(path: Path) -> None:
    check_figures(path.read_bytes())
    check_calls(path.read_bytes())
    check_files(path.read_bytes())


@given(trajectories)
def test_rows_agree_with_stats(batches: list[Batch]) -> None:
    check_figures(tell(batches))


@given(hostile_logs())
def test_rows_of_hostile_logs_agree_with_stats(log: bytes) -> None:
    check_figures(log)
    check_calls(log)
    check_files(log)
    check_cells(log)


def check_figures(log: bytes) -> None:
    """Check that the rows of a log are as many as `stats` counts, with its figures."""
    runs = counted(log)
    by_run = Counter(row.run for row in made(log, "calls"))
    rows = made(log, "runs")

    assert [row.run for row in rows] == [each.number for each in runs]
    for row, each_run in zip(rows, runs, strict=True):
        assert row.outcome == each_run.fate
        assert row.duration_ms == each_run.length
        assert row.calls == each_run.figures.calls
        tokens = [row.tokens_input, row.tokens_cache_write]
        known = [number for number in tokens if number is not None]
        tokens_in = METRIC["tokens_in"].value(each_run)
        assert tokens_in in (None, sum(known))
        assert (tokens_in is None) == (row.tokens_input is None)
        cost = METRIC["cost_usd"]
        assert row.cost_usd == cost.plain(cost.value(each_run))
        assert row.files_changed == METRIC["files"].value(each_run)
        if row.calls is not None:
            assert by_run[row.run] == row.calls
    ids = [row.call_id for row in made(log, "calls")]
    assert len(ids) == len({*ids})


def check_calls(log: bytes) -> None:
    """Check that no call ends that is open, and that its times are of one clock."""
    began = {row.run: row.started for row in made(log, "runs")}
    for row in made(log, "calls"):
        if row.outcome == "unfinished":
            assert row.ended_line is None
        start = began[row.run]
        if row.started is not None and start is not None:
            since = row.started - start
            assert row.since_start_ms == since // datetime.timedelta(milliseconds=1)


def check_files(log: bytes) -> None:
    """Check that the files of a log are those of its calls, which count for them."""
    done = Counter(
        (row.run, row.path, row.activity, row.outcome == "ok")
        for row in made(log, "calls")
        if row.path is not None
    )
    rows = made(log, "files")

    assert {place[:2] for place in done} <= {(row.run, row.path) for row in rows}
    for row in rows:
        assert row.reads == done[row.run, row.path, "look", True]
        assert row.edits == done[row.run, row.path, "edit", True]
        assert row.failed_edits == done[row.run, row.path, "edit", False]


def check_cells(log: bytes) -> None:
    """Check that every format can hold the rows of a log, and holds the same."""
    for table in OF_LOGS:
        chosen = columns(table, OPTIONS)
        rows = made(log, table)
        lines = [*ndjson_pieces(rows, chosen)]
        b"".join(csv_pieces(rows, chosen)).decode()
        parsed = [json.loads(line) for line in lines]
        assert len(parsed) == len(rows)
        for members in parsed:
            assert [*members] == [each.column for each in chosen]
            assert "" not in members.values()
            nulls = {name for name, value in members.items() if value is None}
            assert nulls <= {each.column for each in chosen if each.is_nullable}
        assert arrow_rows(rows, table) == parsed


def arrow_rows(rows: list[Any], table: str) -> list[dict[str, Any]]:
    """Return rows as Arrow holds them, with times as they are written."""
    need("pyarrow")
    from convert.scale import schema_of, tables_of

    chosen = columns(table, OPTIONS)
    schema = schema_of(chosen)
    found = [
        row for each in tables_of(rows, chosen, schema) for row in each.to_pylist()
    ]
    return [json.loads(json.dumps(row, default=_written)) for row in found]


def _written(value: Any) -> str:
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_step_of_a_subagent_is_a_row_below_its_call() -> None:
    rows = [*tables.calls([FOLDER / "cursor.ndjson"])]

    by_id = {row.call_id: row for row in rows}
    steps = [row for row in rows if row.step is not None]
    assert steps
    for step in steps:
        assert step.parent_call_id is not None
        assert by_id[step.parent_call_id].tool == "task"


def test_a_call_of_a_subagent_names_the_call_that_made_it() -> None:
    task, *inner = tables.calls([FOLDER / "claude-stream.ndjson"])

    assert [row.parent_call_id for row in inner] == [task.call_id, task.call_id]
    assert [(row.call, row.step) for row in inner] == [(1, 1), (1, 2)]
    assert task.parent_call_id is None


@pytest.mark.parametrize("is_step_first", [False, True])
def test_a_call_that_a_log_holds_twice_is_one_row(is_step_first: bool) -> None:
    start = Start(run=1, line=1)
    ok = {"run": 1, "line": 2, "outcome": OK}
    step = ToolCall(number=1, id="s", kind="read", **ok)
    task = ToolCall(number=1, id="t", kind="task", steps=[step], **ok)
    own = ToolCall(number=2, id="s", kind="read", parent="t", **ok)
    calls = [task, own] if is_step_first else [own, task]

    rows = [*call_rows([start, *calls], "log")]

    assert sorted(row.tool for row in rows) == ["read", "task"]


def test_a_call_before_the_clock_was_set_back_is_before_its_run() -> None:
    log = (FOLDER / "codex-rollout.jsonl").read_bytes()
    late = re.sub(rb'"timestamp":"\d{4}', b'"timestamp":"2099', log, count=1)

    check_calls(late)
    assert made(late, "calls")[0].since_start_ms < 0


def test_an_exit_code_of_0_is_recorded_or_null() -> None:
    rows = [*tables.calls([FOLDER / "codex-exec.ndjson"])]

    assert [row.exit_code for row in rows] == [1, 0, None, 0]


def test_a_file_names_the_calls_about_it() -> None:
    [row] = tables.files([FOLDER / "opencode.ndjson"])

    assert (row.first_call, row.last_call, row.reads, row.edits) == (2, 3, 1, 1)


@pytest.mark.parametrize(
    ("raw", "cell"),
    [("", None), ("a", "a"), ("a\0b", "a␀b"), ("\ud83d", "\ufffd"), ("a\nb", "a\nb")],
)
def test_a_text_is_one_that_every_format_holds(raw: str, cell: str | None) -> None:
    assert text(raw) == cell


@given(st.integers())
def test_a_time_is_none_where_no_calendar_has_it(milliseconds: int) -> None:
    found = moment(milliseconds)

    assert found is None or round(found.timestamp() * 1000) == milliseconds


@given(st.integers(min_value=-(2**70), max_value=2**70))
@example(2**63)
@example(2**63 - 1)
@example(-(2**63))
@example(-(2**63) - 1)
def test_a_number_of_more_than_64_bits_is_skipped_and_reported(number: int) -> None:
    [row] = [*tables.runs([RUN])]
    from msgspec.structs import replace

    told: list[str] = []
    [kept] = fitting(
        [replace(row, tokens_output=number)],
        "runs",
        lambda line, reason, action: told.append(f"{reason}, {action}"),
    )

    fits = -(2**63) <= number < 2**63
    assert kept.tokens_output == (number if fits else None)
    assert told == (
        [] if fits else ["tokens_output needs more than 64 bits, left empty"]
    )


@given(hostile_logs(), st.sampled_from(OF_LOGS), st.integers(0, 300))
def test_rows_that_wait_stay_as_they_are(log: bytes, table: str, most: int) -> None:
    import tempfile

    rows = made(log, table)
    with tempfile.TemporaryDirectory() as folder:
        kept, other = KeptRows(table, folder), KeptRows(table, folder)
        for row in rows:
            kept.add(row)
            if len(kept.waiting) > most:
                kept.flush()
        other.take(kept)

        assert [*other.rows()] == rows
        assert not [*kept.rows()]
        other.remove()
        assert not [*Path(folder).iterdir()]


@pytest.mark.parametrize("piece", [1, 7, 100])
def test_rows_are_read_back_from_pieces_of_any_size(
    piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_rows, "_PIECE", piece)
    rows = [*tables.calls(ALL, outputs=True)][:9]
    kept = KeptRows("calls", str(tmp_path))

    for row in rows:
        kept.add(row)
        kept.flush()

    assert [*kept.rows()] == rows


# The files as other programs read them


def written(tmp_path: Path, table: str, suffix: str, *words: str) -> str:
    path = tmp_path / f"{table}{suffix}"
    done = run(["table", table, *ALL, "-q", "-o", str(path), *words], tmp_path, {})
    assert (done.status, done.stderr) == (0, b"")
    return str(path)


def plain(table: str, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return the rows that are expected, as plain values."""
    wanted = {name.removeprefix("--"): True for name in options}
    found = getattr(tables, table)(ALL, **wanted)
    names = [each.column for each in found.columns]
    return [{name: getattr(row, name) for name in names} for row in found]


@pytest.mark.exhaustive
@pytest.mark.parametrize("table", part(OF_LOGS, 3))
def test_parquet_has_the_same_rows_and_types_everywhere(
    table: str, tmp_path: Path
) -> None:
    need("pyarrow", "duckdb", "polars")
    import duckdb
    import polars

    options = ("--arguments", "--outputs") if table == "calls" else ()
    path = written(tmp_path, table, ".parquet", *options)
    expected = plain(table, options)
    kinds = [each.type for each in columns(table, options)]

    from pyarrow import parquet as read

    whole = read.read_table(path)
    assert whole.to_pylist() == expected
    assert whole.schema.equals(getattr(tables, table)([]).to_arrow().schema) or options
    told = whole.schema.field("run").metadata
    assert told == {b"description": every_column(table)[1].meaning.encode()}

    frame = polars.read_parquet(path)
    assert frame.to_dicts() == expected
    of_polars = {"text": "String", "integer": "Int64", "boolean": "Boolean"}
    of_polars["number"] = "Float64"
    of_polars["timestamp"] = "Datetime(time_unit='ms', time_zone='UTC')"
    assert [str(kind) for kind in frame.dtypes] == [of_polars[kind] for kind in kinds]

    duckdb.sql("set timezone = 'UTC'")
    relation = duckdb.sql(f"select * from '{path}'")
    of_duckdb = {"text": "VARCHAR", "integer": "BIGINT", "boolean": "BOOLEAN"}
    of_duckdb["number"] = "DOUBLE"
    of_duckdb["timestamp"] = "TIMESTAMP WITH TIME ZONE"
    assert [str(kind) for kind in relation.types] == [of_duckdb[kind] for kind in kinds]
    assert relation.to_arrow_table().to_pylist() == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("table", part(OF_LOGS, 3))
def test_csv_and_ndjson_have_the_same_rows(table: str, tmp_path: Path) -> None:
    need("pyarrow", "polars")
    import polars

    expected = polars.from_arrow(getattr(tables, table)(ALL).to_arrow())
    kinds = dict(expected.schema)

    of_csv = polars.read_csv(written(tmp_path, table, ".csv"), schema=kinds)
    of_lines = polars.read_ndjson(written(tmp_path, table, ".ndjson"), schema=kinds)

    assert of_csv.equals(expected)
    assert of_lines.equals(expected)


@pytest.mark.parametrize("suffix", [".csv", ".ndjson"])
def test_duckdb_and_pandas_read_text_formats(suffix: str, tmp_path: Path) -> None:
    need("duckdb", "pandas")
    import duckdb
    import pandas

    path = written(tmp_path, "calls", suffix)
    expected = [(row["call_id"], row["duration_ms"]) for row in plain("calls")]

    found = duckdb.sql(f"select call_id, duration_ms from '{path}'").fetchall()
    read = functools.partial(pandas.read_json, lines=True)
    frame = pandas.read_csv(path) if suffix == ".csv" else read(path)

    assert found == expected
    assert [*frame["call_id"]] == [name for name, _ in expected]
    assert [*frame["duration_ms"].dropna()] == [ms for _, ms in expected if ms]


def test_a_partitioned_folder_is_read_as_one_table(tmp_path: Path) -> None:
    need("duckdb", "pyarrow")
    import duckdb

    done = run(["table", "calls", *ALL, "-q", "-o", "rows/"], tmp_path, {})

    assert done.status == 0
    query = (
        f"select date, call_id from read_parquet('{tmp_path}/rows/*/*.parquet',"
        " hive_partitioning = true)"
    )
    days = {row.log: row.started for row in tables.runs(ALL)}
    expected = {
        (str(days[row.log].date()) if days[row.log] else "unknown", row.call_id)
        for row in tables.calls(ALL)
    }
    assert {*duckdb.sql(query).fetchall()} == expected
    assert not [*(tmp_path / "rows").glob(".*")]


@pytest.mark.parametrize("words", [("--format", "csv"), ("--format", "ndjson")])
def test_a_partition_by_a_column_leaves_it_to_the_folders(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    arguments = ["table", "runs", *ALL, "-q", "-o", "rows/", "--partition", "agent"]

    done = run([*arguments, *words], tmp_path, {})

    assert done.status == 0
    folders = sorted(path.name for path in (tmp_path / "rows").iterdir())
    null = "__HIVE_DEFAULT_PARTITION__"
    names = ["Claude Code", "Codex", "Cursor", null, "opencode"]
    assert folders == [f"agent={name}" for name in names]
    [part] = (tmp_path / "rows" / "agent=Cursor").iterdir()
    assert part.name == f"part-00000.{words[1]}"
    assert b"agent," not in part.read_bytes().splitlines()[0]
    assert b'"agent"' not in part.read_bytes().splitlines()[0]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a/b", "model=a%2Fb"),
        ("a=b:%", "model=a%3Db%3A%25"),
        # Hive leaves these as they are.
        (" !$&()+,;@_.-~aZ9", "model= !$&()+,;@_.-~aZ9"),
        ("..", "model=.."),
        ("é\n", "model=%C3%A9%0A"),
        (None, "model=__HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_a_value_is_a_name_of_a_folder(value: str | None, name: str) -> None:
    assert partition_folder("model", value) == name


@pytest.mark.parametrize("value", ["a" * 250, "ab/" * 100, "é" * 60, "😀" * 30])
def test_a_long_value_has_a_folder_of_its_own(value: str) -> None:
    name = partition_folder("path", value)
    shown = unquote(name, errors="strict").removeprefix("path=")
    start, _, digest = shown.rpartition("~")

    assert len(name) == 255
    assert value.startswith(start)
    assert len(digest) >= 16
    # Neither a value with the same start nor one that is spelled so has this folder.
    assert name not in {partition_folder("path", it) for it in (f"{value}b", shown)}
    assert partition_folder("path", "a" * 249) == f"path={'a' * 249}"


def test_a_long_value_leaves_the_rows_of_other_logs(tmp_path: Path) -> None:
    log = RUN.read_bytes()
    [model] = {row.model for row in tables.runs([RUN])}
    assert model
    long = log.replace(model.encode(), b"M" * 400)
    (tmp_path / "in").mkdir()
    for name, content in (("a", log), ("b", long), ("c", log)):
        (tmp_path / "in" / f"{name}.ndjson").write_bytes(content)
    words = ["--partition", "model", "--format", "ndjson"]

    done = run(["table", "runs", "in", "-o", "rows/", *words], tmp_path, {})

    assert done.stderr == b"runconv: 3 logs in the table\n"
    parts = [path.read_text() for path in sorted((tmp_path / "rows").rglob("*.ndjson"))]
    logs = [[json.loads(row)["log"] for row in part.splitlines()] for part in parts]
    assert logs == [["in/a.ndjson", "in/c.ndjson"], ["in/b.ndjson"]]


def test_a_link_to_a_file_stays_one(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").symlink_to("real.csv")

    done = run(["table", "runs", str(RUN), "-q", "-o", "rows.csv"], tmp_path, {})

    assert done.status == 0
    assert (tmp_path / "rows.csv").is_symlink()
    assert (tmp_path / "real.csv").read_bytes().startswith(b"log,")


@pytest.mark.parametrize(("size", "rows"), [(1_500_000, 1), (1, 50_000)])
def test_a_group_of_rows_ends_by_its_bytes_or_its_rows(size: int, rows: int) -> None:
    made = [SimpleNamespace(nbytes=size, num_rows=rows)] * 5

    assert [len(group) for group in _groups(made)] == [2, 2, 1]  # type: ignore[arg-type]


# How they are written


@pytest.mark.exhaustive
@pytest.mark.parametrize("output", part(["rows/", "calls.csv"], 2))
def test_the_bytes_are_the_same_with_any_number_of_workers(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tmp_path / "logs"
    many.mkdir()
    for number in range(60):
        content = Path(ALL[number % len(ALL)]).read_bytes()
        (many / f"{number:02}.log").write_bytes(content)

    found = []
    for workers in (1, 3):
        monkeypatch.setattr(local, "processors", lambda workers=workers: workers)
        place = tmp_path / f"by-{workers}"
        place.mkdir()
        words = ["table", "calls", "../logs", "-q", "--format", "csv"]
        done = run([*words, "--outputs", "-o", output], place, {})
        assert (done.status, done.stderr) == (0, b"")
        found.append(contents(place))

    assert found[0] == found[1]
    assert found[0]


def contents(place: Path) -> dict[str, bytes]:
    files = (path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


def test_parts_of_an_earlier_command_are_not_mixed_with_new_ones(
    tmp_path: Path,
) -> None:
    words = ["table", "runs", str(RUN), "-q", "--format", "csv", "-o", "rows/"]
    run(words, tmp_path, {})

    again = run(words, tmp_path, {})

    assert again.status == 2
    assert b"holds parts of an earlier command" in again.stderr


def test_a_log_that_breaks_off_keeps_its_rows(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text("{")

    done = run(
        ["table", "runs", str(RUN), "torn.json", "-o", "runs.ndjson"], tmp_path, {}
    )

    assert done.status == 2
    assert len((tmp_path / "runs.ndjson").read_bytes().splitlines()) == 1


def test_no_file_stands_for_logs_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text("{")

    done = run(["table", "runs", "torn.json", "-o", "runs.csv"], tmp_path, {})

    assert done.status == 2
    assert not (tmp_path / "runs.csv").exists()


def test_parquet_is_not_for_a_terminal_and_bytes_go_into_a_pipe(
    tmp_path: Path,
) -> None:
    need("pyarrow")

    done = run(["table", "runs", str(RUN), "--format", "parquet"], tmp_path, {})

    assert (done.stdout[:4], done.stdout[-4:]) == (b"PAR1", b"PAR1")


def test_the_rows_of_one_log_come_as_its_runs_end() -> None:
    words = [RUNCONV, "table", "runs", "-"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # A second run begins.
        process.stdin.write(RUN.read_bytes() + RUN.read_bytes().splitlines(True)[0])
        process.stdin.flush()

        first = json.loads(process.stdout.readline())

        assert first["run"] == 1
        assert process.poll() is None
        process.communicate()


def test_secrets_are_in_no_cell(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    log = RUN.read_bytes().replace(b"pytest", f"echo {secret} #".encode())
    (tmp_path / "a.ndjson").write_bytes(log)
    words = ["a.ndjson", "--redact", "-q"]

    for table in OF_LOGS:
        more = [*OPTIONS] if table == "calls" else []
        plain = run(["table", table, *words[:1], *more], tmp_path, {})
        done = run(["table", table, *words, *more], tmp_path, {})
        assert secret.encode() not in done.stdout
        assert len(done.stdout.splitlines()) == len(plain.stdout.splitlines())
        assert table != "calls" or secret.encode() in plain.stdout


def test_a_missing_library_is_named_with_the_extra_that_installs_it(
    tmp_path: Path,
) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None; from convert.cli import run;"
        f" sys.exit(run(['table', 'runs', {str(RUN)!r}, '-o', 'runs.parquet']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )

    assert done.returncode == 2
    assert b"pip install 'runconv[parquet]'" in done.stderr
    assert not (tmp_path / "runs.parquet").exists()


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", part([[str(RUN)], ["table", "calls", str(RUN)]], 2))
def test_no_library_is_loaded_without_parquet(words: list[str]) -> None:
    code = (
        f"import sys; from convert.cli import run; run({[*words, '-q']!r});"
        " print(*sys.modules, file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    modules = {*done.stderr.decode().split()}
    heavy = {"pyarrow", "numpy", "pandas", "duckdb", "polars", "tabulate"}
    assert not modules & heavy
    assert words[0] == "table" or not any(
        m.startswith("convert.tables") for m in modules
    )


# Python


def test_rows_can_be_read_again_and_hold_nothing() -> None:
    rows = tables.runs([RUN])

    assert [*rows] == [*rows]
    assert all(isinstance(row, RunRow) for row in rows)
    assert repr(rows) == "<rows of runs>"


def test_a_log_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    torn = tmp_path / "torn.json"
    torn.write_text("{")

    with pytest.raises(convert.InputError, match=r"torn\.json: "):
        [*tables.runs([torn, RUN])]

    broken: list[Any] = []
    assert len([*tables.runs([torn, RUN], broken=broken)]) == 1
    assert [each.log for each in broken] == [str(torn)]


def test_a_log_that_is_read_again_is_broken_once(tmp_path: Path) -> None:
    broken: list[Any] = []
    rows = tables.runs([tmp_path / "gone", RUN], broken=broken)

    assert [len([*rows]), len([*rows])] == [1, 1]
    assert len(broken) == 1


def test_a_log_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(convert.InputError) as caught:
        [*tables.runs([tmp_path / "gone"])]

    assert str(caught.value).count("gone") == 1


def test_a_log_that_is_named_twice_is_refused() -> None:
    with pytest.raises(convert.UsageError, match="named twice"):
        tables.calls([RUN, str(RUN)])

    with pytest.raises(convert.UsageError) as caught:
        tables.calls(["https://ada:word@localhost/a.ndjson"] * 2)
    assert "word" not in str(caught.value)


def test_a_path_may_be_bytes() -> None:
    [row] = tables.runs([os.fsencode(RUN)])

    assert row.log == str(RUN)


def test_one_path_is_not_several() -> None:
    with pytest.raises(TypeError, match="several paths"):
        tables.calls(str(RUN))


@each("pair", PAIRS)
def test_the_calls_of_findings_are_rows_of_calls(pair: Path) -> None:
    sides = [pair / "a.ndjson", pair / "b.ndjson"]
    calls = {row.call_id: row for row in tables.calls(sides)}

    for found in tables.findings(*sides):
        for call_id, line in (
            (found.call_id_a, found.line_a),
            (found.call_id_b, found.line_b),
        ):
            if call_id is not None:
                call = calls[call_id]
                assert line in (None, call.line, call.ended_line)


def test_findings_are_those_of_diff(tmp_path: Path) -> None:
    for name, word in (("a", []), ("b", ["candidate"])):
        (tmp_path / name).mkdir()
        log = run(["--example", *word], tmp_path, {}).stdout
        (tmp_path / name / "case.ndjson").write_bytes(log)
    (tmp_path / "b" / "new.ndjson").write_bytes(log)
    expected = convert.compare(*sorted(tmp_path.rglob("case.ndjson")))

    of_logs = [*tables.findings(*sorted(tmp_path.rglob("case.ndjson")))]
    of_folders = [*tables.findings(tmp_path / "a", tmp_path / "b")]
    printed = run(["table", "findings", "a", "b", "-q"], tmp_path, {})

    found = Counter((each.category, each.severity) for each in expected.findings)
    assert Counter((row.category, row.severity) for row in of_logs) == found
    assert len(of_folders) == len(of_logs) + 1
    assert ("new", "new") in {(row.case, row.category) for row in of_folders}
    assert len(printed.stdout.splitlines()) == len(of_folders)
    calls = {row.call_id for row in tables.calls([tmp_path / "b" / "case.ndjson"])}
    assert {row.call_id_b for row in of_logs if row.call_id_b} <= calls


@pytest.mark.seldom
@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
@pytest.mark.parametrize("words", [[], ["--outputs"]], ids=["calls", "outputs"])
def test_memory_does_not_grow_with_the_logs(words: list[str], tmp_path: Path) -> None:
    need("pyarrow")
    from benchmarks import logs

    peaks = []
    for size in (25_000_000, 100_000_000):
        log = tmp_path / "log.ndjson"
        logs.write(log, logs.PROFILES[1], size)
        peaks.append(peak_of(["table", "calls", str(log), "-q", *words], tmp_path))

    assert peaks[1] < peaks[0] + 12_000
    assert words or peaks[1] < 50_000


def peak_of(words: list[str], folder: Path) -> int:
    """Return the most memory that a command used, in kB, without that of libraries.

    Their files are mapped, and the system counts those pages that its cache holds in
    one piece: 25 MB more for a pyarrow that has just been installed.
    """
    code = (
        "import gc; from convert.cli import run; gc.set_threshold(50_000, 20);"
        f" assert run({[*words, '-o', 'calls.parquet']!r}) == 0;"
        " print(open('/proc/self/status').read())"
    )
    # The figure that the system reports of a child counts its parent as well.
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=True
    )
    figures = dict(re.findall(rb"(VmHWM|RssFile|RssShmem):\s+(\d+) kB", done.stdout))
    return int(figures[b"VmHWM"]) - int(figures[b"RssFile"]) - int(figures[b"RssShmem"])
