"""The matrix of several versions: cells, which logs are of one case, and losses."""

from __future__ import annotations

import csv
import io
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert.diff.reports.appearance import Look
from convert.errors import UsageError
from convert.model.events import ReasonKind, State
from convert.suite.chance import fisher, holm
from convert.suite.matrix import of_folders
from convert.suite.matrix import report as matrix_report
from convert.suite.matrix.cells import Cell, Matrix, Row, cell_of, matrix_of
from convert.suite.matrix.lost import Loss, losses
from convert.suite.matrix.reports import REPORTS, report
from convert.suite.matrix.reports.csv_report import COLUMNS
from convert.suite.matrix.reports.words import fate_of
from convert.suite.matrix.tries import Try, try_of
from convert.wording.columns import columns
from support.hostile import hostile_logs, texts
from support.in_process import run
from support.many_runs import counted
from support.pages import check_report
from support.renderers import RENDERERS
from support.repeated import Told, log_of
from support.trial import CONTROL

FOLDER = resources.files("convert.suite.matrix")
SCHEMA = json.loads(FOLDER.joinpath("matrix.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
STATES: tuple[State | None, ...] = ("success", "error", "cut", "unfinished", None)
cells = st.builds(
    lambda hits, failed, cut, calls: Cell(
        succeeded=hits, ended=hits + failed + cut, cut=cut, calls=calls
    ),
    st.integers(0, 8),
    st.integers(0, 8),
    st.integers(0, 2),
    st.none() | st.integers(0, 99),
)
matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.none() | cells, min_size=width, max_size=width), max_size=6
    ).map(
        lambda found: Matrix(
            columns=tuple(f"v{at}" for at in range(width)),
            rows=tuple(Row(f"case-{at}", tuple(row)) for at, row in enumerate(found)),
            broken=(),
        )
    )
)


def tried(inside: str, state: State | None = "success", **facts: Any) -> Try:
    return Try(log=f"v/{inside}", inside=inside, state=state, title="Do it", **facts)


def rates(*cells: tuple[int, int] | None) -> Matrix:
    """Return a matrix of one case."""
    made = [cell and Cell(succeeded=cell[0], ended=cell[1]) for cell in cells]
    names = tuple(f"v{at}" for at in range(1, len(cells) + 1))
    return Matrix(columns=names, rows=(Row("case", tuple(made)),), broken=())


def lines(matrix: Matrix, name: str, **look: Any) -> list[str]:
    return [line.text for line in report(name)(matrix, Look(**look))]


def test_a_cell_counts_how_runs_ended() -> None:
    states: list[State | None] = [*STATES, "success"]
    tries = [tried(f"{at}", state, calls=at) for at, state in enumerate(states)]
    tries.append(Try(log="x", inside="x", broken="is no log"))

    assert cell_of(tries) == Cell(
        succeeded=2, ended=5, cut=2, unknown=1, broken=1, calls=2.5
    )


@pytest.mark.parametrize("reason_kind", ["quota", "network", "authentication"])
def test_runs_that_were_stopped_count_neither_way(reason_kind: ReasonKind) -> None:
    stopped = [
        tried("a", "error", reason_kind=reason_kind, calls=1),
        tried("b", "cut", reason_kind=reason_kind, calls=1),
    ]

    assert cell_of([tried("c", calls=9), *stopped]) == Cell(
        succeeded=1, ended=1, stopped=2, calls=9
    )


def test_a_log_of_several_runs_is_one_try() -> None:
    log = log_of(Told(state="error"), 1) + log_of(Told(duration_ms=5_000), 2)
    both = try_of("a", "a", counted(log))

    assert (both.state, both.calls, both.time_ms) == ("success", 6, 25_000)


def test_the_last_run_of_a_log_is_the_one_that_began_last() -> None:
    cut = log_of(Told(state="cut"), 1)
    runs = counted(cut + log_of(Told(), 2))
    assert [run.number for run in runs] == [2, 1]

    assert try_of("a", "a", runs).state == "success"


def test_a_run_without_a_prompt_is_among_the_runs_of_its_folder() -> None:
    tries = [tried(f"c/{number}.ndjson") for number in range(4)]
    refused = Try(log="w/c/3.ndjson", inside="c/3.ndjson", state="error")

    matrix = matrix_of(["v1", "v2"], [tries, [*tries[:3], refused]], repeat=None)

    [row] = matrix.rows
    assert row.cells[1] == Cell(succeeded=3, ended=4)


def test_copies_of_a_log_do_not_count() -> None:
    tries = [tried("a.ndjson"), tried("a.ndjson.gz"), tried("b.ndjson")]

    matrix = matrix_of(["v1", "v2"], [tries, tries[:1]], repeat=None)

    assert matrix.rows[0].cells == (Cell(copies=2), Cell(succeeded=1, ended=1))
    assert matrix.tries == 2
    assert [each.inside for each in matrix.broken] == ["a.ndjson", "a.ndjson.gz"]
    assert "2 of one case" in "".join(lines(matrix, "table"))
    assert "2 logs of one case do not count: v/a.ndjson" in "".join(
        lines(matrix, "markdown")
    )
    VALIDATOR.validate(json.loads(lines(matrix, "json")[0]))


def test_a_case_in_a_folder_that_cannot_be_read_is_not_missing() -> None:
    tries = [tried("c/a.ndjson"), tried("b.ndjson"), tried("cb.ndjson")]

    matrix = matrix_of(["v1", "v2"], [tries, tries[1:2]], None, [[], ["c"]])

    assert [row.cells[1] for row in matrix.rows] == [
        Cell(succeeded=1, ended=1),
        Cell(broken=1),
        None,
    ]
    assert [(loss.case, loss.kind) for loss in losses(matrix)] == [("cb", "missing")]
    everything = matrix_of(["v1", "v2"], [tries, []], None, [[], [""]])
    assert not losses(everything)


def test_a_log_without_a_run_is_broken() -> None:
    assert try_of("a", "a", []).broken


@pytest.mark.parametrize(
    ("ones", "others", "expected"),
    [
        (["a.ndjson"], ["a.jsonl.gz"], {"a"}),
        (["c/1.ndjson", "c/2.ndjson"], ["c/1.ndjson", "c/2.ndjson"], {"c"}),
        (
            ["c/run-1.ndjson", "c/run-2.ndjson"],
            ["c/run-1.ndjson", "c/run-2.ndjson"],
            {"c"},
        ),
        (["c/a1f.ndjson", "c/x.ndjson"], ["c/b.ndjson", "c/y.ndjson"], {"c"}),
        (["c/tax.ndjson", "c/vat.ndjson"], ["c/tax.ndjson"], {"c/tax", "c/vat"}),
        (["c/1.ndjson", "c/2.ndjson"], ["c/1.ndjson"], {"c/1", "c/2"}),
        (["1.ndjson", "2.ndjson"], ["1.ndjson", "2.ndjson"], {"1", "2"}),
    ],
)
def test_repeated_runs_are_told_by_their_folder(
    ones: list[str], others: list[str], expected: set[str]
) -> None:
    versions = [[tried(path) for path in paths] for paths in (ones, others)]

    matrix = matrix_of(["v1", "v2"], versions, repeat=None)

    assert {row.name for row in matrix.rows} == expected


def test_runs_of_several_prompts_are_several_cases() -> None:
    tries = [tried("c/1.ndjson"), Try(log="", inside="c/2.ndjson", title="Other")]

    matrix = matrix_of(["v1", "v2"], [tries, tries], repeat=None)

    assert [row.name for row in matrix.rows] == ["c/1", "c/2"]


def test_runs_are_several_cases_on_request() -> None:
    tries = [tried("c/1.ndjson"), tried("c/2.ndjson")]

    matrix = matrix_of(["v1", "v2"], [tries, tries], repeat=False)

    assert [row.name for row in matrix.rows] == ["c/1", "c/2"]


def test_a_log_that_cannot_be_read_is_among_the_runs_of_its_folder() -> None:
    tries = [tried("c/1.ndjson"), tried("c/2.ndjson"), tried("c/3.ndjson")]
    torn = Try(log="w/c/3.ndjson", inside="c/3.ndjson", broken="is empty")

    matrix = matrix_of(["v1", "v2"], [tries, [*tries[:2], torn]], repeat=None)

    [row] = matrix.rows
    assert row.cells[1] == Cell(succeeded=2, ended=2, broken=1)


def test_every_folder_is_a_case_on_request() -> None:
    tries = [tried("a.ndjson"), tried("c/d/tax.ndjson"), tried("c/d/vat.ndjson")]

    matrix = matrix_of(["v1", "v2"], [tries, tries[:1]], repeat=True)

    assert [row.name for row in matrix.rows] == [".", "c/d"]
    assert matrix.rows[1].cells[1] is None


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ((8, 8), (2, 8), "regressed"),
        ((8, 8), (5, 8), "chance"),
        ((8, 8), (7, 8), "chance"),
        ((3, 3), (0, 3), "few"),
        ((8, 8), (0, 3), "few"),
        ((1, 1), (0, 1), "few"),
    ],
)
def test_a_loss_is_told_from_chance(
    before: tuple[int, int], after: tuple[int, int], kind: str
) -> None:
    [loss] = losses(rates(before, after))

    assert (loss.kind, loss.before, loss.at) == (kind, 0, 1)


@pytest.mark.parametrize("after", [(8, 8), (9, 9), (1, 1), None])
def test_no_less_is_no_loss_of_successes(after: tuple[int, int] | None) -> None:
    found = losses(rates((7, 8), after))

    assert [loss.kind for loss in found] == ([] if after else ["missing"])


def test_all_tests_of_a_matrix_are_corrected_together() -> None:
    rows = [((8, 8), (2, 8)), ((8, 8), (3, 8)), ((8, 8), (8, 8)), ((8, 8), (7, 8))]
    matrix = Matrix(
        columns=("v1", "v2"),
        rows=tuple(
            Row(f"{at}", tuple(Cell(succeeded=hits, ended=of) for hits, of in row))
            for at, row in enumerate(rows)
        ),
        broken=(),
    )

    found = {loss.case: loss for loss in losses(matrix)}

    # The last two cannot tell anything, with so few failures.
    expected = [fisher(*rows[0]), fisher(*rows[1])]
    assert [found[case].p for case in "01"] == expected
    assert [found[case].corrected for case in "01"] == holm(expected)
    assert (found["3"].p, found["3"].kind) == (None, "chance")


def test_a_loss_that_stays_says_since_when() -> None:
    matrix = rates((8, 8), (1, 8), (2, 8))

    [loss] = losses(matrix)

    assert fate_of(loss, matrix).endswith(", since v2")


def test_a_loss_that_is_made_good_says_when() -> None:
    matrix = rates((8, 8), (1, 8), (2, 8), (8, 8))

    first, *_ = losses(matrix)

    assert first.until == 3
    assert fate_of(first, matrix).endswith(", as good as before again in v4")


def test_a_version_that_lacks_a_case_is_passed_over() -> None:
    found = losses(rates((8, 8), None, (1, 8)))

    assert [(loss.kind, loss.before, loss.at, loss.until) for loss in found] == [
        ("missing", 0, 1, 2),
        ("regressed", 0, 2, None),
    ]


def test_runs_that_are_all_cut_have_failed() -> None:
    row = Row("case", (Cell(succeeded=8, ended=8), Cell(ended=8, cut=8)))

    [loss] = losses(Matrix(columns=("v1", "v2"), rows=(row,), broken=()))

    assert loss.kind == "regressed"


def test_runs_that_are_all_stopped_are_a_loss() -> None:
    row = Row("case", (Cell(succeeded=3, ended=3), Cell(stopped=3)))

    [loss] = losses(Matrix(columns=("v1", "v2"), rows=(row,), broken=()))

    assert loss.kind == "stopped"


def test_a_version_whose_runs_were_all_stopped_is_passed_over() -> None:
    good, bad = Cell(succeeded=8, ended=8), Cell(succeeded=1, ended=8)
    row = Row("case", (good, Cell(stopped=8), bad))

    found = losses(Matrix(columns=("v1", "v2", "v3"), rows=(row,), broken=()))

    assert [(loss.kind, loss.before, loss.at) for loss in found] == [
        ("stopped", 0, 1),
        ("regressed", 0, 2),
    ]


def test_what_the_correction_leaves_to_chance_is_no_regression() -> None:
    cells = (Cell(succeeded=8, ended=8), Cell(succeeded=3, ended=8))
    alone = Matrix(columns=("v1", "v2"), rows=(Row("a", cells),), broken=())
    rows = (*alone.rows, Row("b", cells))
    both = Matrix(columns=("v1", "v2"), rows=rows, broken=())

    assert [loss.kind for loss in losses(alone)] == ["regressed"]
    assert [loss.kind for loss in losses(both)] == ["chance", "chance"]


@given(matrices)
def test_losses_are_where_less_succeeds(matrix: Matrix) -> None:
    for loss in losses(matrix):
        [row] = [row for row in matrix.rows if row.name == loss.case]
        was, now = row.cells[loss.before], row.cells[loss.at]
        assert was is not None
        assert loss.before < loss.at
        if now is None or loss.kind == "missing":
            assert (now, loss.kind) == (None, "missing")
        elif loss.kind == "cut":
            assert now.cut
            assert not now.ended
        else:
            assert now.succeeded / now.ended < was.succeeded / was.ended
            is_few = min(was.ended, now.ended) < 4
            assert (loss.kind == "few") == is_few
        if loss.kind == "regressed":
            assert loss.corrected is not None
            assert loss.corrected < 0.05


@given(matrices, st.sampled_from([*REPORTS]))
def test_every_case_and_version_is_in_every_report(matrix: Matrix, name: str) -> None:
    text = "\n".join(lines(matrix, name, width=400, is_full=True))

    for word in (row.name for row in matrix.rows):
        assert word in text
    if matrix.rows:
        for version in matrix.columns:
            assert version in text


@given(matrices)
def test_the_json_report_matches_the_schema(matrix: Matrix) -> None:
    (line,) = lines(matrix, "json")

    VALIDATOR.validate(json.loads(line))
    jsonschema_rs.meta.validate(SCHEMA)


def test_a_member_that_the_schema_does_not_name_is_refused() -> None:
    (line,) = lines(rates((8, 8), (1, 8)), "json")
    made = json.loads(line)

    for place in (made, made["cases"][0], made["cases"][0]["cells"][0]):
        place["unheard_of"] = 1
        assert not VALIDATOR.is_valid(made)
        del place["unheard_of"]
    made["losses"][0]["unheard_of"] = 1
    assert not VALIDATOR.is_valid(made)


@given(matrices)
def test_the_csv_report_has_a_row_for_each_case_in_each_version(matrix: Matrix) -> None:
    head, *rows = csv.reader(io.StringIO("\n".join(lines(matrix, "csv"))))

    assert tuple(head) == COLUMNS
    assert len(rows) == len(matrix.rows) * len(matrix.columns)
    assert {len(row) for row in rows} <= {len(COLUMNS)}


def hostile_matrix(log: bytes, name: str) -> Matrix:
    tries = [try_of(name, name, counted(log)), Try(log=name, inside="x", broken=name)]
    return matrix_of([name, "v2"], [tries, tries[:1]], repeat=None)


@given(hostile_logs(), texts)
def test_all_parsers_read_one_markdown_report(log: bytes, name: str) -> None:
    text = "\n".join(lines(hostile_matrix(log, name), "markdown"))

    check_report({name: render(text) for name, render in RENDERERS.items()})


@given(hostile_logs(), texts)
def test_no_cell_of_csv_is_a_formula(log: bytes, name: str) -> None:
    made = "\n".join(lines(hostile_matrix(log, name), "csv"))

    for row in csv.reader(io.StringIO(made, newline="")):
        assert len(row) == len(COLUMNS)
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)


@given(hostile_logs(), texts, st.integers(40, 200))
def test_the_table_has_no_control_characters(log: bytes, name: str, width: int) -> None:
    text = "".join(lines(hostile_matrix(log, name), "table", width=width))

    assert not CONTROL.search(text)


@given(matrices, st.integers(40, 120))
def test_no_row_of_the_table_is_wider_than_the_screen(
    matrix: Matrix, width: int
) -> None:
    made = lines(matrix, "table", width=width)

    rows = [line for line in made if line.startswith(("case", "from", "v"))]
    assert all(columns(line) <= width for line in rows)


def test_versions_without_room_are_told() -> None:
    matrix = rates(*[(1, 1)] * 15)

    narrow, whole = (lines(matrix, "table", width=40, is_full=f) for f in (False, True))

    assert "… no room for all versions; --full shows them all" in narrow
    assert max(map(columns, narrow[:2])) <= 40
    assert whole[1].split() == ["case", *["1/1"] * 15]
    assert not any("no room for all" in line for line in whole)


def test_many_rows_are_counted() -> None:
    rows = tuple(Row(f"{at}", (Cell(succeeded=1, ended=1), None)) for at in range(60))
    matrix = Matrix(columns=("v1", "v2"), rows=rows, broken=())

    made = lines(matrix, "table")

    assert "… 10 more cases; --full shows every row" in made
    assert "… 10 more losses; --full shows every row" in made
    assert len(lines(matrix, "table", is_full=True)) > 120


def test_any_number_of_workers_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        for version in ("v1", "v2"):
            state = "error" if number % 7 == 0 and version == "v2" else "success"
            path = tmp_path / version / f"case-{number % 6}" / f"{number}.ndjson"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(log_of(Told(state=state), number))
    printed = set()
    for workers in (1, 3):
        monkeypatch.setattr("convert.cli.engines.local.processors", lambda n=workers: n)
        done = run(["matrix", "v1", "v2", "--format", "json"], tmp_path, {})
        printed.add(done.stdout)
        assert done.status == 0

    [line] = printed
    assert len(json.loads(line)["cases"]) == 6


def test_python_makes_what_the_command_prints(tmp_path: Path) -> None:
    for version, state in (("v1", "success"), ("v2", "error"), ("v3", "cut")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "a.ndjson").write_bytes(log_of(Told(state=state)))
        (tmp_path / version / "torn.ndjson").write_bytes(b'{"type":"system"')
        (tmp_path / version / "notes.md").write_bytes(b"Prices are in cents.")
        (tmp_path / version / "empty.md").write_bytes(b"")
    versions = ["v1", "v2", "v3"]

    for name in REPORTS:
        done = run(["matrix", *versions, "--format", name], tmp_path, {})
        made = of_folders([tmp_path / version for version in versions])
        text = matrix_report(made, name).replace(f"{tmp_path}{os.sep}", "")
        assert text.encode() == done.stdout


@pytest.mark.parametrize(
    ("folders", "knobs", "error"),
    [
        ("v1", {}, TypeError),
        (["no-such-folder"], {}, UsageError),
        ([], {"repeat": "yes"}, UsageError),
        ([], {"run": 0}, UsageError),
    ],
)
def test_python_refuses_what_the_command_does(
    folders: Any, knobs: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        of_folders(folders, **knobs)


def test_python_refuses_a_report_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="html"):
        matrix_report(rates((1, 1)), "html")


def test_losses_are_told_in_the_order_of_versions() -> None:
    found = losses(rates((8, 8), (7, 8), (6, 8), None))

    assert [loss.at for loss in found] == [1, 2, 3]
    assert isinstance(found[0], Loss)
