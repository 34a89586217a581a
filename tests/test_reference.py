"""The tables in docs/ agree with the code."""

from __future__ import annotations

import ast
import contextlib
import itertools
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest

import convert
from convert.cli import help_of
from convert.diff import Finding, noise
from convert.errors import ExitStatus
from convert.facts import Figures
from convert.formats import formats
from convert.options import (
    GROWTH_LIMITS,
    MATCHES,
    Category,
    Options,
    Settings,
    SuiteSettings,
)
from convert.redact import every_rule
from convert.scale import FATES, METRICS, REPORTS
from convert.source import _LOOK_ALIKES
from convert.suites import WORDS, Word
from convert.suites import reports as suite_reports
from convert.tools import PROGRAMS, SHELLS, WRAPPERS, phrase, tools
from support.actions import action
from support.golden import GOLDEN, cases
from support.matrix import is_exhaustive, part
from support.shell import run_line
from test_docs import ROOT


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


def section(name: str, heading: str) -> str:
    return page(name).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the tables of a text, without heads."""
    lines = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    table = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    heads = {at - 1 for at, line in enumerate(lines) if set(line) <= set("-|: ")}
    return [
        row for at, row in enumerate(table) if at not in heads and at - 1 not in heads
    ]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


_NEGATED = {"--no-allow-better", "--no-outputs", "--no-raw", "--no-repeat"}


def flags(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text.replace("[no-]", "")))


def described(help: str) -> set[str]:
    """Return the options that a help describes."""
    lines = re.findall(r"^  (-.*?)(?:  |$)", help, re.MULTILINE)
    return set().union(*map(flags, lines))


def test_the_options_are_those_of_the_help() -> None:
    of_convert = rows(section("command-line", "Converting"))
    of_show = rows(section("command-line", "Showing"))
    of_diff = section("command-line", "Comparing")

    assert flags("".join(row[0] for row in of_convert)) == described(help_of("convert"))
    assert flags("".join(row[0] for row in of_show)) == described(help_of("show"))
    assert flags(of_diff) - _NEGATED == described(help_of("diff"))


def test_the_formats_of_an_option_are_those_of_the_code() -> None:
    names = {"markdown": "Markdown", "html": "HTML"}
    table = rows(section("command-line", "Converting"))

    for option in Options.options().values():
        [meaning] = [row[1] for row in table if option.flags[-1] in flags(row[0])]
        of = " and ".join(names.get(name, name) for name in option.formats)
        assert meaning.startswith(f"{of}: ")


def test_the_options_of_stats_are_those_of_the_help() -> None:
    of_stats = rows(section("command-line", "Counting"))

    assert flags("".join(row[0] for row in of_stats)) == described(help_of("stats"))


def test_the_options_of_table_are_those_of_the_help() -> None:
    of_table = rows(section("command-line", "Tables"))

    assert flags("".join(row[0] for row in of_table)) == described(help_of("table"))


def test_the_options_of_matrix_are_those_of_the_help() -> None:
    of_matrix = rows(section("command-line", "Versions"))

    assert flags("".join(row[0] for row in of_matrix)) == described(help_of("matrix"))


def test_the_options_of_approve_are_those_of_the_help() -> None:
    of_approve = rows(section("command-line", "Approving"))

    assert flags("".join(row[0] for row in of_approve)) == described(help_of("approve"))


def test_the_reports_of_versions_are_those_of_the_code() -> None:
    text = section("suites", "Several versions")
    [sentence] = re.findall(r"^The reports are .*", text, re.MULTILINE)

    names = [name for name in code(sentence) if not name.startswith(".")]

    assert sorted(names) == sorted(suite_reports.OF_VERSIONS)
    assert code(sentence)[-1] in suite_reports.OF_VERSIONS["csv"].suffixes


def test_the_verdicts_are_those_of_the_code() -> None:
    words = [code(row[0])[0] for row in rows(section("suites", "The verdict"))]

    assert sorted(words) == sorted(get_args(Word))


def test_the_inputs_and_outputs_of_the_action_are_those_of_its_file() -> None:
    table = [code(row[0])[0] for row in rows(section("ci", "GitHub Actions"))]

    assert table == [*action()["inputs"], *action()["outputs"]]


def test_the_figures_of_many_runs_are_those_of_the_code() -> None:
    described = [(row[0], *code(row[1])) for row in rows(section("stats", "Figures"))]

    assert described == [(metric.heading, metric.name) for metric in METRICS]


def test_the_outcomes_of_runs_are_those_of_the_code() -> None:
    table = rows(section("stats", "How a run turned out"))

    assert [code(row[0])[0] for row in table] == [*FATES]


def test_the_reports_of_stats_are_those_of_the_code() -> None:
    table = rows(section("stats", "Reports"))

    assert {code(row[0])[0]: tuple(code(row[1])) for row in table} == {
        name: row.suffixes for name, row in REPORTS.items()
    }


def test_the_words_for_cases_are_those_of_the_code() -> None:
    words = [
        name
        for row in rows(section("suites", "Cases and runs"))
        for name in code(row[0])
    ]

    # No case is listed whose findings have no severity.
    expected = [word for word in WORDS if word != "none"]
    assert [word for word in words if word in WORDS] == expected


def test_the_limits_of_a_suite_are_those_of_the_code() -> None:
    table = rows(section("suites", "Settings"))
    described = [name for row in table for name in code(row[0])]

    settings = [row.long_name for row in SuiteSettings.options().values()]
    of_logs = [Settings.options()[name].long_name for name in GROWTH_LIMITS]
    assert sorted(described) == sorted([*settings, *of_logs])


def test_the_reports_of_a_suite_are_those_of_the_code() -> None:
    table = rows(section("suites", "Options and reports"))

    assert {code(row[0])[0]: tuple(code(row[1])) for row in table} == {
        name: row.suffixes for name, row in suite_reports.REPORTS.items()
    }


def test_the_exit_statuses_are_those_of_the_code() -> None:
    statuses = [int(row[0]) for row in rows(section("command-line", "Exit status"))]

    named = {
        number
        for name, number in vars(ExitStatus).items()
        if isinstance(number, int) and not name.startswith("_")
    }
    assert statuses == sorted(named)


def test_the_matrix_is_the_output_of_the_command() -> None:
    shown = run_line("runconv formats", ROOT).stdout.decode()
    targets = re.findall(r"^([a-z-]+): .*\n((?:  +\S.*\n)*)", shown, re.MULTILINE)
    kept = r"^  from (.+?)(?:\n|  ) *(\S.*)$"
    printed = [
        (name, source, what)
        for name, text in targets
        for source, what in re.findall(kept, text, re.MULTILINE)
    ]

    table = rows(section("formats", "Facts that each conversion keeps"))
    names = itertools.accumulate((row[0] for row in table), lambda a, b: b or a)

    assert printed == [
        (code(name)[0], row[1].replace("`", ""), row[2])
        for name, row in zip(names, table, strict=True)
    ]


def test_the_page_of_agents_names_tested_builds_and_the_facts_of_each_log() -> None:
    text = page("agents")
    table = rows(text[text.index("| agent | `-f` |") :].split("\n\n")[0])
    recorded = {code(row[1])[0]: [row[3], *row[5:11]] for row in table}
    of_agents = {
        name
        for name, row in formats().items()
        if row.agent and row.reader and row.reader.recognise
    }

    assert of_agents <= {*recorded}
    assert {code(row[1])[0]: row[2] for row in table} == {
        name: "; ".join(
            " ".join(filter(None, [agent != row.agent and agent, " to ".join(builds)]))
            for agent, builds in row.reader.tested.items()
        )
        for name, row in formats().items()
        if row.reader and row.reader.tested
    }
    for name in of_agents:
        inputs = [
            case.inputs for case in cases() if case.folder.name == f"{name}-bug-fix"
        ]
        for log, *_ in inputs:
            assert [cell != "–" for cell in recorded[name]] == recorded_in(log), name


def recorded_in(log: Path) -> list[bool]:
    """Return which facts the log of a run records, in the order of the table."""
    (run,) = convert.read_runs(log)
    shells = [call for call in run.calls if call.kind == "shell"]
    facts = [
        run.prompts,
        [call for call in shells if call.output],
        [call for call in shells if call.outcome and call.outcome.exit_code],
        [call for call in run.calls if {call.started_ms, call.ended_ms} != {None}],
        run.result and run.result.tokens,
        run.result and run.result.cost_usd is not None,
        run.state,
    ]
    return [bool(fact) for fact in facts]


def test_the_command_names_each_format_by_its_agent() -> None:
    shown = run_line("runconv formats", ROOT).stdout.decode()
    block = shown.partition("\n\n")[2].partition("\n\n")[0]
    lines = re.findall(r"^  (\w[\w ]*?)?  +([a-z-]+)  +(\S.*)$", block, re.MULTILINE)
    agents = itertools.accumulate((line[0] for line in lines), lambda a, b: b or a)

    found = {
        name: (agent, what)
        for agent, (_, name, what) in zip(agents, lines, strict=True)
    }

    assert found == {
        name: (row.agent or "any agent", row.description)
        for name, row in formats().items()
        if row.reader
    }
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.exhaustive
def test_the_categories_have_these_severities() -> None:
    table = rows(section("diff", "Categories and severities"))
    words = ("info", "minor", "major", "critical")
    said = {
        code(row[0])[0]: {word for word in words if word in row[2]} for row in table
    }
    found = defaultdict(set)

    for finding in findings_of_golden_pairs():
        found[finding.category].add(finding.severity)

    assert [code(row[0])[0] for row in table] == [*get_args(Category)]
    assert all(severities <= said[name] for name, severities in found.items())
    assert said == found or not is_exhaustive


def findings_of_golden_pairs() -> Iterator[Finding]:
    limits = {
        "max_duration_ratio": 0.1,
        "max_tokens_ratio": 0.1,
        "max_calls_ratio": 0.1,
        "max_errors": 0,
    }
    for folder in part(sorted(GOLDEN.glob("diff-*")), 24):
        logs = [
            path
            for path in sorted(folder.iterdir())
            if path.suffix in (".ndjson", ".json", ".log")
        ]
        for a, b in itertools.permutations(logs, 2):
            # Each direction has settings of its own.
            more = {"outputs": True, "min_similarity": 0.5} if a < b else {}
            settings = Settings(**limits, min_calls=0, min_duration_ms=0, **more)
            with contextlib.suppress(convert.InputError):
                yield from convert.compare(a, b, settings=settings).findings


def test_the_settings_are_those_of_the_code() -> None:
    options = {row.long_name: row for row in Settings.options().values()}
    listed = rows(section("diff", "Settings"))[: len(options)]
    table = {code(row[0])[0]: row[1] for row in listed}

    assert table.keys() == options.keys()
    for name, option in options.items():
        for choice in option.choices if name != "ignore" else ():
            assert choice in re.findall(r"[\w-]+", table[name]), name
        if option.choices and option.default:
            assert f"{option.default} (default)" in table[name]
        if isinstance(option.default, int) and option.default > 1:
            assert table[name] == str(option.default)


def test_the_modes_of_match_are_those_of_the_code() -> None:
    modes = rows(section("diff", "Settings"))[len(Settings.options()) :][: len(MATCHES)]

    assert [code(row[0])[0] for row in modes] == [*MATCHES]


def test_the_values_of_text_are_those_of_the_code() -> None:
    values = rows(section("diff", "Settings"))[len(Settings.options()) + len(MATCHES) :]

    assert tuple(code(row[0])[0] for row in values) == (
        Settings.options()["text"].choices
    )


def test_the_rules_for_noise_are_those_of_the_code() -> None:
    rules = [code(row[0])[0] for row in rows(section("diff", "Noise"))]

    assert rules == [*noise.RULES]


def test_the_tools_are_those_of_the_table() -> None:
    table = rows(section("diff", "Kinds of tools"))

    assert {code(row[0])[0]: (row[1], row[2], code(row[3])) for row in table} == {
        kind: (
            phrase(kind),
            tool.effect,
            [*tool.subject.words, *tool.subject.paths] if tool.subject else [],
        )
        for kind, tool in tools().items()
    }


def test_the_programs_that_look_are_those_of_the_table() -> None:
    conditions = {
        name: [*rule.needs, *rule.acts_with, *sorted(rule.subcommands)]
        for name, rule in PROGRAMS.items()
    }
    table = [
        (code(programs), code(looks))
        for programs, looks in rows(section("diff", "Shell commands"))
    ]

    described = [(name, looks) for programs, looks in table for name in programs]

    wrapping = [(name, []) for name in (*WRAPPERS, *SHELLS)]
    expected = [*conditions.items(), *wrapping]
    shells = ["-c"]
    assert sorted(described) == sorted(
        (name, shells if name in SHELLS else looks) for name, looks in expected
    )


def test_the_kinds_of_secrets_are_those_of_the_rules(
    hold: Callable[[Path, str], None],
) -> None:
    above, rest = page("secrets").split("The message names these kinds,")
    [kinds] = re.findall(r"^.*, .*, .*\.$", rest.split("\n\n")[1], re.MULTILINE)
    names = sorted({rule.name for rule in every_rule()}, key=str.lower)

    current = rest.replace(kinds, f"{', '.join(names)}.")
    hold(
        ROOT / "docs" / "secrets.md", f"{above}The message names these kinds,{current}"
    )


def test_every_figure_of_speed_is_in_the_output_of_the_benchmark(
    hold: Callable[[Path, str], None],
) -> None:
    printed = (ROOT / "scripts" / "benchmarks" / "peers.txt").read_text("utf-8")
    above, rest = page("speed").split("\n## Measured\n")
    below = rest.partition("\n## ")[2]
    numbers = re.compile(r"\d[\d.,]*\d|\d")

    hold(
        ROOT / "docs" / "speed.md",
        f"{above}\n## Measured\n\n{printed}\n## {below}",
    )
    assert {*numbers.findall(above + below)} <= {*numbers.findall(printed)}


def test_the_other_tools_that_are_recognised_are_named() -> None:
    answer = section("faq", "Which agents' logs can it read?")
    listed = "\n".join(re.findall("^- .*", answer, re.MULTILINE))

    # The list says once what it is that begins with "logs of".
    log_of = "^(a log|a session|a session file) of (the )?"
    names = {re.sub(log_of, "", row.name) for row in _LOOK_ALIKES}
    for name in sorted(names, key=len, reverse=True):
        assert name in listed
        listed = re.sub(rf"{re.escape(name)}(?=,|\n|$| and )", "", listed)

    # Nothing else is in the list but the words that join the names.
    joins = {
        "logs",
        "of",
        "the",
        "and",
        "other",
        "records",
        "Cursor",
        "session",
        "files",
    }
    assert set(re.findall(r"[\w-]+", listed)) - {"-"} == joins


def test_the_fields_of_a_run_are_those_of_the_code() -> None:
    table = rows(section("python", "Read the runs of a log"))
    [begin] = [at for at, row in enumerate(table) if row[0] == "`number`"]
    [end] = [at for at, row in enumerate(table) if row[0] == "`number`, `id`"]

    described = {name for row in table[begin:end] for name in code(row[0])}

    assert described == {*convert.Run.__struct_fields__, "text", "answer", "has_result"}


def test_the_figures_are_those_of_the_code() -> None:
    table = rows(section("python", "Compare two runs"))

    described = [name for row in table for name in code(row[0]) if name != "field"]

    assert {*described} == {*Figures.__struct_fields__, "failed"}


PACKAGES = sorted(
    path.parent
    for path in (ROOT / "convert").rglob("__init__.py")
    if path.parent.name != "examples"
)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_the_map_of_a_package_names_its_modules(package: Path) -> None:
    paths = [*package.glob("*.py"), *(p.parent for p in package.glob("*/__init__.py"))]
    module = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    described = ast.get_docstring(module) or ""

    heads = re.findall(r"^ *(\w+) {2,}\S", described, re.MULTILINE)
    beside = re.findall(r"[;,]\s+(\w+):", described)

    modules = {path.stem for path in paths} - {"__init__", "__main__"}
    assert sorted([*heads, *beside]) == sorted(modules)


def test_the_order_of_the_parts_is_that_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract, *_ = settings["tool"]["importlinter"]["contracts"]
    layers = [{*re.findall(r"\w+", layer)} for layer in contract["layers"]]

    described = re.findall(r"^(\w+) {2,}\S", convert.__doc__ or "", re.MULTILINE)
    placed = re.findall(r"^\| `convert/(\w+)", page("../CONTRIBUTING"), re.MULTILINE)

    for names in (described, placed):
        depths = [at for name in names for at, of in enumerate(layers) if name in of]
        assert depths == sorted(depths)
        assert {*depths} == {*range(len(layers))}


def test_the_paths_in_the_guide_exist() -> None:
    paths = re.findall(
        r"`((?:convert|scripts|tests)/[\w./-]+)", page("../CONTRIBUTING")
    )

    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_page_names_the_libraries_of_an_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    first = [row[0] for row in rows(section("faq", "What does an installation bring?"))]

    named = re.findall(r"`(.+?)`", "".join(first))

    needed = [line.partition(">")[0] for line in project["dependencies"]]
    assert sorted(named) == sorted(needed)
