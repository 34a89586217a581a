"""Runs of several agents are kept apart, and none is rated by an unrecorded end."""

from __future__ import annotations

import json

import pytest

from convert.scale import Fate, Look, RunSummary, Statistics, report, statistics_of
from support.html_page import HtmlPage

_PROMPT = "Mend the sum of the cart, and add a test that fails without it"


def run_of(agent: str, model: str, fate: Fate, number: int = 1) -> RunSummary:
    return RunSummary(
        number=number,
        log=f"{agent or 'text'}-{number}",
        title=_PROMPT,
        agent=agent,
        model=model,
        fate=fate,
        length=136_000,
    )


RUNS = [
    run_of("Claude Code", "claude-opus-4-6-20260205", "unknown"),
    run_of("Cursor", "Composer 2.5", "success"),
    run_of("Cursor", "Composer 2.5", "unknown", 2),
    run_of("Codex", "gpt-5.5", "error"),
    run_of("", "", "unknown"),
]


def printed(statistics: Statistics, name: str, width: int = 100) -> str:
    return "\n".join(report(name)(statistics, Look(width=width)))


def test_runs_are_grouped_by_agent() -> None:
    (groups,) = statistics_of(RUNS, "agent").groups.values()

    assert [group.name for group in groups] == ["Codex", "Cursor", "Claude Code", None]


def test_programs_get_the_agent_of_each_run() -> None:
    made = json.loads(printed(statistics_of(RUNS), "json"))

    agents = {run["name"]: run["agent"] for run in made["runs"]}
    assert agents["Codex-1"] == "Codex"
    assert agents["text-1"] is None
    assert ",Claude Code,claude-opus-4-6-20260205," in printed(
        statistics_of(RUNS), "csv"
    )


@pytest.mark.parametrize("name", ["table", "markdown", "html"])
def test_the_agent_of_a_run_is_shown_where_there_are_several(name: str) -> None:
    one = statistics_of([run for run in RUNS if run.agent == "Cursor"])

    assert "Claude Code" in printed(statistics_of(RUNS), name)
    assert "Cursor<" not in printed(one, name)
    assert "agent" not in printed(one, name).split("worst first")[-1]


def test_runs_without_a_name_are_no_group_in_the_head() -> None:
    page = HtmlPage(printed(statistics_of(RUNS, "agent"), "html").encode())

    (figures,) = page.text("figures")
    assert "agents 3 (4 of 5 runs)" in figures


@pytest.mark.parametrize("by", ["prompt", "model", "agent"])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_figure_of_a_group_is_cut(by: str, width: int) -> None:
    table = printed(statistics_of(RUNS, by), "table", width)  # type: ignore[arg-type]

    (groups,) = (part for part in table.split("\n\n") if part.startswith(f"{by} "))
    assert [line for line in groups.split("\n") if line.endswith("…")] == []


def test_a_run_without_a_recorded_end_is_not_lost() -> None:
    statistics = statistics_of(RUNS, "agent")

    page = HtmlPage(printed(statistics, "html").encode())
    page.check()
    assert page.text("score") == [
        "1/1, 1 not recorded",
        "1 not recorded",
        "0/1",
        "1 not recorded",
    ]
    (groups,) = page.text("groups")
    assert "Cursor2100 % (21–100), 1 not recorded–" in groups
    assert "Claude Code11 not recorded–" in groups
