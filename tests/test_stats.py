"""The figures of many runs: worked examples, and properties of every log."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import itertools
import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
import convert.stats
from convert.facts import Figures, TimedCall, figures_of_run, quantile, rate, spread_of
from convert.reports import bar
from convert.scale import (
    COLUMNS,
    FATES,
    METRIC,
    METRICS,
    REPORTS,
    Broken,
    Group,
    RunSummary,
    Statistics,
    ToolCalls,
    distribution,
    dots,
    fate_words,
    grouped,
    headline,
    heights,
    kinds_of,
    shares,
    statistics_of,
    strip_of,
)
from convert.scale.engines import local
from convert.wording.styles_and_columns import columns
from support.conversions import few, logs_to_convert
from support.edits import log_of
from support.golden import RUN
from support.hostile import hostile_logs, texts
from support.html_page import HtmlPage
from support.in_process import run
from support.made_runs import long_run, many_runs, one_of_many
from support.many_runs import counted, lines, statistics
from support.matrix import matrix, part, reject
from support.pages import check_report
from support.renderers import RENDERERS
from support.runs import Batch, tell, trajectories

LOGS = few(logs_to_convert(".ndjson", ".jsonl", ".json", ".txt"))
FOLDER = resources.files("convert.scale.stats")
SCHEMA = json.loads(FOLDER.joinpath("stats.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
VALUES = st.lists(st.integers(0, 10**7), min_size=1, max_size=60)


@functools.cache
def golden() -> Statistics:
    logs = {f"{path.parent.name}/{path.name}": path.read_bytes() for path in LOGS}
    return statistics(logs)


@functools.cache
def many(total: int) -> Statistics:
    return statistics_of(
        [made for number in range(total) for made in one_counted(number)], logs=total
    )


@functools.cache
def one_counted(number: int) -> list[RunSummary]:
    name, log = one_of_many(number)
    return counted(log, name)


# Quantiles and rates


@given(VALUES, st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_a_quantile_is_the_least_value_that_a_share_does_not_exceed(
    values: list[int], share: float
) -> None:
    found = quantile(sorted(values), share)

    assert found in values
    assert sum(value <= found for value in values) >= round(share * len(values), 9)
    assert sum(value < found for value in values) < round(share * len(values), 9)


def test_the_spread_of_nothing_is_not_recorded() -> None:
    spread = spread_of([])

    assert (spread.recorded, spread.total, spread.median) == (0, None, None)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(87, 100, 79, 92), (95, 100, 89, 98), (0, 5, 0, 43), (5, 5, 57, 100)],
)
def test_the_interval_is_that_of_wilson(
    hits: int, of: int, low: int, high: int
) -> None:
    found = rate(hits, of)

    assert found is not None
    assert (round(100 * found.low), round(100 * found.high)) == (low, high)


@given(st.integers(0, 500), st.integers(1, 500))
def test_a_rate_is_inside_of_its_interval(hits: int, more: int) -> None:
    found = rate(hits, hits + more)

    assert found is not None
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert rate(0, 0) is None


# Pictures


@given(VALUES, st.booleans(), st.integers(5, 50))
def test_each_value_has_one_place_and_places_are_in_order(
    values: list[int], is_time: bool, places: int
) -> None:
    made = distribution([(value, value) for value in values], is_time, places)

    assert sorted(value for place in made.places for value in place) == sorted(values)
    full = [place for place in made.places if place]
    assert all(max(one) <= min(other) for one, other in itertools.pairwise(full))
    assert len(made.places) <= places + 1
    assert all(0 < made.middle(value) < 100 for value in values)


@given(VALUES, st.booleans())
def test_no_two_dots_are_in_one_place(values: list[int], is_time: bool) -> None:
    made = distribution([(value, value) for value in values], is_time)

    found = dots(made, 240, 6, 15)

    if found is None:
        assert max(map(len, made.places)) > 15
        return
    assert len(found) == len(values)
    assert len({(dot.x, dot.row) for dot in found}) == len(found)
    assert all(0 <= dot.x <= 100 and 0 <= dot.row < 15 for dot in found)


@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from(FATES)), min_size=1))
def test_bars_are_as_high_as_their_parts(items: list[tuple[int, Any]]) -> None:
    made = distribution(items, False)

    bars = heights(made.places, FATES)

    assert max(sum(height for _, _, height in parts) for parts in bars) == (
        pytest.approx(1)
    )
    for parts, place in zip(bars, made.places, strict=True):
        assert {fate for fate, _, _ in parts} == set(place)


@given(
    st.lists(
        st.tuples(
            st.builds(
                TimedCall,
                st.sampled_from(["look", "edit", "run"]),
                st.integers(0, 5000),
                st.none() | st.integers(0, 5000),
            ),
            st.booleans(),
        )
    ),
    st.integers(1, 5000),
)
def test_the_marks_of_a_strip_are_inside_and_apart(
    calls: list[tuple[TimedCall, bool]], length: int
) -> None:
    strip = strip_of(calls, length)

    for marks in (strip.edits, strip.commands, strip.failed):
        flat = [moment for mark in marks for moment in mark]
        assert flat == sorted(flat)
        assert all(0 <= moment <= length for moment in flat)
        assert len(marks) <= 301
    assert bool(strip.failed) == any(has_failed for _, has_failed in calls)


@given(st.dictionaries(st.sampled_from(FATES), st.integers(1, 999), min_size=1))
def test_a_bar_of_outcomes_fills_the_width(counts: dict[Any, int]) -> None:
    widths = shares(counts, 80)

    assert sum(widths.values()) == 80
    assert all(width >= 1 for width in widths.values())


@given(st.floats(0, 1), st.integers(6, 48), st.booleans())
def test_a_bar_has_a_sliver_for_a_little(
    share: float, width: int, has_blocks: bool
) -> None:
    drawn = bar(share, width, has_blocks)

    assert bool(drawn) == bool(share)
    assert columns(drawn) <= width


# One run


@matrix(path=part(LOGS, 2))
def test_the_figures_are_those_of_the_run(path: Path) -> None:
    log = path.read_bytes()
    try:
        runs = {made.number: made for made in convert.read_runs([log])}
    except convert.RunconvError:
        reject()

    for made in counted(log):
        # A page shows a call as it ended first, and a comparison as it ended last.
        figures = figures_of_run(runs[made.number]).figures
        assert made.figures.calls == figures.calls
        assert made.figures.tools == figures.tools
        assert made.state == runs[made.number].state
        assert sum(tool.calls for tool in made.tools) == (figures.calls or 0)
        assert sum(tool.failed for tool in made.tools) == (made.figures.failed or 0)


@given(trajectories)
def test_a_run_after_itself_counts_twice(made: list[Batch]) -> None:
    log = tell(made)

    once, twice = counted(log), counted(log + log)

    assert [each.figures for each in twice] == [each.figures for each in once] * 2


def test_what_is_not_recorded_is_not_zero() -> None:
    (of_text,) = counted(b"Read file\nEdited file (error: no)\n\nDone.\n")
    (of_summary,) = counted(b'{"type":"result","subtype":"success","result":"x"}\n')

    values = {metric.name: metric.value(of_text) for metric in METRICS}
    assert values | {"calls": 2, "failed": 1} == values
    assert {*values.values()} == {None, 0, 1, 2}
    assert {metric.value(of_summary) for metric in METRICS} == {None}


def test_a_sum_is_not_recorded_where_a_part_is_not() -> None:
    text = {"beforeFullFileContent": "a\n", "afterFullFileContent": "b\n"}
    edit = ("edit", {"path": "a.py"}, {"success": text})
    delete = ("delete", {"path": "b.py"}, {"success": {}})
    (one,), (both,) = counted(log_of(edit)), counted(log_of(edit, delete))

    names = ("files", "lines_added", "lines_removed")
    assert [METRIC[name].value(one) for name in names] == [1, 1, 1]
    assert [METRIC[name].value(both) for name in names] == [2, None, None]


# Many runs


def test_groups_divide_the_runs() -> None:
    counts = golden()

    for by in ("folder", "model", "day", "prompt"):
        groups = grouped(counts.runs, by)
        names = [made.name for group in groups for made in group.runs]
        assert sorted(names) == sorted(made.name for made in counts.runs)


def test_the_worst_runs_come_first() -> None:
    fates = [made.fate for made in many(60).runs]

    assert fates == sorted(fates, key=["error", "cut", "unresolved", "success"].index)
    assert {*fates} == {"error", "cut", "unresolved", "success"}


def test_a_run_is_clean_if_it_succeeded_with_no_failure_unresolved() -> None:
    failed = ("shell", {"command": "pytest"}, {"failure": {"exitCode": 1}})
    passed = ("shell", {"command": "pytest"}, {"success": {"exitCode": 0}})
    end = b'{"type":"result","subtype":"success","result":"x"}\n'
    logs = {"left": log_of(failed), "good": log_of(failed, passed)}

    group = statistics(logs).total
    with_summary = statistics({**logs, "summary": end}).total

    assert (group.success, group.clean) == (rate(2, 2), rate(1, 2))
    # A summary does not record its calls.
    assert (with_summary.success, with_summary.clean) == (rate(3, 3), rate(1, 2))
    assert statistics({"summary": end}).total.clean is None


@pytest.mark.parametrize(
    ("fates", "sentence"),
    [
        ([], "0 runs."),
        (["success", "unresolved"], "2 runs: 2 succeeded, 1 of them clean."),
        (
            ["unresolved", "cut"],
            "2 runs: 1 succeeded, none of them clean; 1 broke off.",
        ),
        (["success", "error"], "2 runs: 1 succeeded, 1 of them clean; 1 error."),
        (["unknown"], "1 run: 1 end not recorded."),
    ],
)
def test_runs_that_succeeded_are_counted_once(fates: list[Any], sentence: str) -> None:
    figures = Figures(unresolved=0)
    runs = [RunSummary(number=1, fate=fate, figures=figures) for fate in fates]

    assert headline(statistics_of(runs)) == sentence


def test_a_run_without_recorded_failures_is_not_called_clean() -> None:
    recorded = RunSummary(number=1, fate="success", figures=Figures(unresolved=0))
    other = RunSummary(number=1, fate="success")

    both = statistics_of([recorded, other])
    assert headline(both) == (
        "2 runs: 2 succeeded, 1 of them clean and 1 without a record of failures."
    )
    words = [fate_words(Group(None, runs))["success"] for runs in ([other], both.runs)]
    assert words == ["succeeded", "succeeded, clean where recorded"]


def test_shares_of_time_add_up_and_end_with_the_agent() -> None:
    rows = kinds_of(golden()).rows

    assert sum(row["share"].number for row in rows) == pytest.approx(1)
    assert [row["kind"].text for row in rows if "calls" not in row] == ["agent"]
    assert rows[-1]["time"].number == golden().total.spread("agent_ms").total


def test_the_agent_is_no_row_where_no_log_records_its_time() -> None:
    tool = ToolCalls(tool="read", calls=1)
    runs = [RunSummary(number=1, tools=[tool])]

    rows = kinds_of(statistics_of(runs)).rows
    assert [row["kind"].text for row in rows] == ["read"]


def test_a_time_that_no_log_records_has_no_share() -> None:
    tools = [ToolCalls(tool="read", calls=1), ToolCalls(tool="edit", calls=1)]
    tools[0].times = [5]

    rows = kinds_of(statistics_of([RunSummary(number=1, tools=tools)])).rows

    shown = {row["kind"].text: (row["time"].text, row["share"].text) for row in rows}
    assert shown == {"read": ("5 ms", "100 %"), "edit": ("–", "")}


def test_the_worst_groups_come_first() -> None:
    figures = Figures(unresolved=0)
    fates: dict[str, list[Any]] = {
        "good": ["success", "success", "success"],
        "half": ["success", "error"],
        "unclean": ["unresolved", "unresolved"],
        "silent": ["unknown"],
    }
    runs = [
        RunSummary(number=1, model=model, fate=fate, figures=figures)
        for model, ends in fates.items()
        for fate in ends
    ]

    (groups,) = statistics_of(runs, "model").groups.values()

    assert [group.name for group in groups] == ["half", "unclean", "good", "silent"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["a/1", "a/2", "b/1"], ["a/1/", "a/2/", "b/1/"]),
        ([f"{top}/{at}" for top in "ab" for at in range(10)], ["a/", "b/"]),
        ([f"a/{at:02}" for at in range(13)], [f"a/{at:02}/" for at in range(13)]),
        ([f"{at:02}/a" for at in range(13)], [f"{at:02}/a/" for at in range(13)]),
    ],
)
def test_many_folders_are_compared_by_the_first_part(
    folders: list[str], names: list[str]
) -> None:
    runs = [RunSummary(number=1, log=f"{folder}/log") for folder in folders]

    made = statistics_of(runs, "folder")

    assert [group.name for group in made.groups["folder"]] == names


def test_tasks_are_in_the_columns_of_all_runs() -> None:
    runs = [
        RunSummary(number=1, title="Mend it", log=f"{top}/{at}/log")
        for top in "ab"
        for at in range(10)
    ]
    runs.append(RunSummary(number=1, title="Try it", log="a/1/log"))

    tasks = statistics_of(runs, "folder").tasks

    assert tasks is not None
    assert tasks.heads == ["a/", "b/"]
    cells = {name: [len(cell) for cell in cells] for name, cells in tasks.rows}
    assert cells == {"Mend it": [10, 10], "Try it": [1, 0]}


def test_two_runs_of_a_prompt_are_compared() -> None:
    log = tell([])

    assert statistics({"a/1.ndjson": log}).tasks is None
    tasks = statistics({"a/1.ndjson": log, "b/1.ndjson": log}).tasks
    assert tasks is not None
    assert tasks.heads == ["a/", "b/"]


def test_tasks_are_compared_where_prompts_come_again() -> None:
    tasks = many(20).tasks

    assert tasks is not None
    assert tasks.heads == ["Composer A", "Composer B"]
    assert [[len(cell) for cell in cells] for _, cells in tasks.rows] == [[5, 5]] * 2
    assert statistics_of(counted(long_run(3))).tasks is None


# Reports


@given(hostile_logs(), st.integers(40, 150), st.booleans(), texts)
def test_no_line_of_the_table_is_too_wide(
    log: bytes, width: int, has_blocks: bool, name: str
) -> None:
    runs = counted(log, name) + many(8).runs
    counts = statistics_of(runs, logs=9, broken=[Broken(name, "x")])

    printed = lines(counts, "table", width=width, has_blocks=has_blocks)

    assert [line for line in printed if columns(line) > width] == []
    assert all(line.isprintable() for line in printed)


def test_the_table_has_only_plain_signs_where_there_are_no_blocks() -> None:
    signs = set("".join(lines(many(30), "table", has_blocks=False)))

    assert signs - set(map(chr, range(32, 127))) <= set("–…")


@given(hostile_logs())
def test_any_json_report_matches_the_schema(log: bytes) -> None:
    (line,) = lines(statistics_of(counted(log)), "json")

    VALIDATOR.validate(json.loads(line))


def test_the_json_report_matches_the_schema() -> None:
    for counts in (golden(), many(60), statistics_of([])):
        (line,) = lines(counts, "json", pages={"a/task-0/1.ndjson": "x.html"})

        made = json.loads(line)

        VALIDATOR.validate(made)
        assert len(made["runs"]) == len(counts.runs)


def test_a_member_that_the_schema_does_not_name_is_refused() -> None:
    (line,) = lines(many(3), "json")
    made = json.loads(line)

    for place in (made, made["total"], made["runs"][0], made["tools"][0]):
        place["unheard_of"] = 1
        assert not VALIDATOR.is_valid(made)
        del place["unheard_of"]
    jsonschema_rs.meta.validate(SCHEMA)


@given(hostile_logs(), texts)
def test_each_run_is_a_row_of_csv_without_formulas(log: bytes, name: str) -> None:
    runs = counted(log, name)

    head, *rows = csv.reader(
        io.StringIO("\n".join(lines(statistics_of(runs), "csv")), newline="")
    )

    assert tuple(head) == COLUMNS
    assert len(rows) == len(runs)
    for row in rows:
        assert len(row) == len(head)
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)


@given(hostile_logs(), texts)
def test_all_parsers_read_one_markdown_report(log: bytes, name: str) -> None:
    counts = statistics_of(counted(log, name), "prompt", broken=[Broken(name, "")])

    text = "\n".join(lines(counts, "markdown"))

    check_report({name: render(text) for name, render in RENDERERS.items()})


@given(hostile_logs(), texts, st.sampled_from(["prompt", "model", "folder"]))
def test_nothing_in_a_log_changes_the_page(log: bytes, name: str, by: Any) -> None:
    runs = counted(log, name) + counted(log, name)
    counts = statistics_of(runs, by, broken=[Broken(name, name)])

    page = HtmlPage("\n".join(lines(counts, "html")).encode())

    page.check()
    assert [id_ for id_ in page.ids if id_[1:].isdigit()] == [
        f"r{number}" for number in range(1, len(runs) + 1)
    ]


def test_the_page_of_golden_logs() -> None:
    HtmlPage("\n".join(lines(golden(), "html")).encode()).check()


@pytest.mark.seldom
@pytest.mark.parametrize(("total", "circles"), [(200, True), (401, False)])
def test_a_page_of_many_runs_stays_small(total: int, circles: bool) -> None:
    page = "\n".join(lines(many(total), "html")).encode()

    assert len(page) < 1_000_000
    assert (b"<circle" in page) == circles
    HtmlPage(page).check()


def test_the_parts_of_the_page() -> None:
    page = HtmlPage("\n".join(lines(many(60), "html")).encode())

    (verdict,) = page.text("verdict")
    assert verdict.startswith("60 runs: ")
    assert [words.split()[0] for words in page.text("filter")] == ["Show"]
    assert len(page.text("strip")) == 61
    assert len(page.text("squares")) == 12


def test_runs_of_a_task_without_a_square_are_counted() -> None:
    figures = Figures(calls=1)
    runs = [RunSummary(number=1, title="Mend it", figures=figures) for _ in range(28)]

    page = HtmlPage("\n".join(lines(statistics_of(runs), "html")).encode())

    (tasks,) = page.text("tasks")
    assert tasks.endswith(" 8 more · 1 call\n")


# Python


def test_python_has_the_figures_of_the_command(folder: Path) -> None:
    (folder / "torn.ndjson").write_bytes(b'{"type":')
    logs = named(folder)
    done = stats(folder, *logs, "--format", "json", "--by", "model")

    with contextlib.chdir(folder):
        counts = convert.stats.of_logs(map(Path, logs), by="model")

    assert convert.stats.report(counts, "json").encode() == done.stdout
    assert [each.log for each in counts.broken] == ["torn.ndjson"]
    assert convert.stats.report(counts, "md").startswith("**12 runs: ")


def test_python_counts_one_run_of_each_log(folder: Path) -> None:
    log = (folder / "a/task-0/1.ndjson").read_bytes()
    (folder / "two.ndjson").write_bytes(log * 2)

    counts = convert.stats.of_logs([folder / "two.ndjson"], run=-1)

    assert [made.number for made in counts.runs] == [2]
    assert convert.stats.of_logs([folder / "gone.ndjson"]).broken != []


def test_python_refuses_arguments_that_cannot_be_counted() -> None:
    with pytest.raises(TypeError, match="several paths"):
        convert.stats.of_logs("a.ndjson")
    with pytest.raises(convert.UsageError, match="invalid value for by"):
        convert.stats.of_logs([], by="colour")  # type: ignore[arg-type]
    with pytest.raises(convert.UsageError, match="invalid value for format"):
        convert.stats.report(statistics_of([]), "pdf")


# The command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, log in many_runs(12).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log)
    return tmp_path


def named(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*.ndjson")
    )


def stats(folder: Path, *words: str) -> Any:
    return run(["stats", *words], folder, os.environ)


def test_a_log_that_cannot_be_read_does_not_stop_the_others(folder: Path) -> None:
    (folder / "empty.ndjson").write_bytes(b"")

    done = stats(folder, "missing.ndjson", *named(folder), "--format", "json")

    made = json.loads(done.stdout)
    assert done.status == 2
    assert [each["log"] for each in made["broken"]] == [
        "missing.ndjson",
        "empty.ndjson",
    ]
    assert (made["logs"], made["total"]["runs"]) == (14, 12)
    assert len(done.stderr.splitlines()) == 2


def test_pages_are_linked_and_each_link_leads_to_a_page(folder: Path) -> None:
    both = (folder / "a/task-0/1.ndjson").read_bytes() * 2
    (folder / "a/two runs #1.ndjson").write_bytes(both)

    done = stats(folder, *named(folder), "-o", "pages/")

    assert done == (0, b"", b"")
    index = HtmlPage((folder / "pages/index.html").read_bytes())
    links = [link for link in index.links if not link.startswith("#")]
    assert len(links) == 14
    for link in links:
        path, _, place = link.replace("%20", " ").replace("%23", "?").partition("#")
        at = folder / "pages" / path.replace("?", "#")
        ids, found = ids_and_links(at)
        assert not place or place in ids
        back = next(link for link in found if not link.startswith("#"))
        assert (at.parent / back).resolve() == folder / "pages/index.html"


def ids_and_links(path: Path) -> tuple[list[str], list[str]]:
    """Return those of a page, without the checks of its HTML, which take longer."""
    page = path.read_text("utf-8")
    links = re.findall(r'<a [^>]*?href="([^"]*)"', page)
    return re.findall(r' id="([^"]*)"', page), links


def test_many_logs_are_counted_alike_by_one_process_and_by_several(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = named(folder) * 1
    alone = stats(folder, *logs, "--format", "json")
    monkeypatch.setattr(local, "_FEW", 2)
    monkeypatch.setattr(local, "processors", lambda: 2)

    together = stats(folder, *logs, "--format", "json")

    assert together == alone


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-", "-o", "pages/"], "standard input has no name"),
        (["a/task-0/1.ndjson", "-o", "x.pdf"], "no report has the suffix .pdf"),
        (["a/task-0/1.ndjson", "-o", "pages/", "--format", "csv"], "gets pages"),
        (["a/task-0/1.ndjson", "-o", "a/task-0/1.ndjson"], "no report has the suffix"),
        (
            ["a/task-0/1.ndjson", "-o", "a/task-0/1.ndjson", "--format", "csv"],
            "is one of the logs to read",
        ),
        (["a/task-0/1.ndjson", "a/task-0/1.ndjson", "-o", "p/"], "is named twice"),
        (["b.ndjson", "a/../b.ndjson", "-o", "p/"], "are the same log"),
        (["a/task-0/1.ndjson", "--by", "colour"], "invalid value for --by"),
    ],
)
def test_what_cannot_be_written_is_refused(
    folder: Path, words: list[str], message: str
) -> None:
    done = stats(folder, *words)

    assert done.status == 2
    assert message in done.stderr.decode()
    assert not (folder / "p").exists()


def test_no_page_is_written_through_a_link(folder: Path, tmp_path: Path) -> None:
    (folder / "pages").mkdir()
    (folder / "elsewhere").mkdir()
    (folder / "pages/a").symlink_to(folder / "elsewhere")

    done = stats(folder, *named(folder), "-o", "pages/")

    assert done.status == 2
    assert b"would be outside of pages/" in done.stderr
    assert not list((folder / "elsewhere").iterdir())


def test_secrets_are_redacted_in_every_report(tmp_path: Path) -> None:
    secret = b"ghp_" + b"a1B2" * 9
    log = RUN.read_bytes().replace(b'"text":"', b'"text":"' + secret + b" ", 1)
    (tmp_path / "a.ndjson").write_bytes(log)
    assert secret in stats(tmp_path, "a.ndjson", "--format", "json", "-q").stdout

    for name in REPORTS:
        done = stats(tmp_path, "a.ndjson", "--format", name, "-q", "--redact")
        assert done.status == 0
        assert secret not in done.stdout


def test_a_report_loads_only_the_libraries_that_it_needs() -> None:
    """One process makes them all; each loads nothing but its own."""
    own = {"table": "", "json": "", "csv": "", "markdown": "tabulate", "html": "jinja2"}
    code = (
        "import sys; from convert.cli import run\n"
        "for name in sys.argv[2:]:\n"
        "    run(['stats', sys.argv[1], '--format', name, '-q'])\n"
        "    print(*sys.modules, file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, str(RUN), *own]

    done = subprocess.run(words, capture_output=True, check=True, text=True)

    heavy = {"jinja2", "tabulate", "deepdiff", "markdown_it"}
    heavy |= {"tree_sitter"}
    before: set[str] = set()
    for name, line in zip(own, done.stderr.splitlines(), strict=True):
        loaded = {*line.split()} & heavy
        assert {*own[name].split()} <= loaded - before
        if name != "html":
            assert loaded - before == {*own[name].split()}, name
        before = loaded


def test_metrics_are_in_the_schema_by_their_names() -> None:
    names = [metric.name for metric in METRICS]

    assert [*SCHEMA["$defs"]["figures"]["properties"]] == names
    assert [*SCHEMA["$defs"]["run"]["properties"]["figures"]["properties"]] == names
