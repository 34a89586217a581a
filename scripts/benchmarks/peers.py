"""runconv next to other programs that do the same work, each at a named version."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import agent_logs, logs, many
from benchmarks.processes import ENVIRONMENT, Taken, megabytes, spread, table, taken

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(__file__).parent / "peer_programs"
# From PyPI, each with an environment of its own: a library that one of them brings may
# slow another.
_PINNED = {"orjson": "3.13.0", "claude-code-log": "1.7.0", "duckdb": "2.0.1"}
_JQ_MISSING = "jq (install it as apt-get install jq or brew install jq)"
# The median of a command that has the machine for itself exceeds its fastest round by
# less.
_CALM = 0.15
# How long each kind of work is measured, at least.
_LEAST_SECONDS = 5


class Job(NamedTuple):
    """Work on logs that runconv and other programs do."""

    logs: str
    """The logs, as the table names them."""

    source: Path | None
    """The log for standard input, if the commands read that."""

    commands: dict[str, list[str]]
    """The commands by the names of their programs; that of runconv is the first."""

    facts: Callable[[bytes], Any]
    """Return what the outputs of all commands must have in common."""


def compare(folder: Path, rounds: int) -> None:
    """Print a table for each kind of work, after those that take runconv longer."""
    programs = _Programs()
    tables, excesses = [], []
    faster: dict[str, list[str]] = {}
    for title, jobs in _kinds(folder, programs):
        rows = []
        for job in jobs:
            print(f"{title}: {job.logs}", file=sys.stderr)
            _check(job)
            found = _in_turn(job, rounds)
            rows.append([job.logs, *_cells(job, found)])
            for name in _faster(found):
                faster.setdefault(name, []).append(job.logs)
            walls = [one.wall for one in found["runconv"]]
            excesses.append(statistics.median(walls) / min(walls) - 1)
        names = [*job.commands]
        head = [f"{name} {programs.versions[name]}" for name in names]
        tables.append(f"### {title}\n\n{table([['', *head], *rows])}")
    _print_summary(faster, programs.absent, max(excesses))
    print("\n\n".join(tables))


def _print_summary(
    faster: dict[str, list[str]], absent: list[str], excess: float
) -> None:
    """Print where peers are faster, which are absent, and how calm the machine is."""
    for name, where in faster.items():
        print(f"- Faster than runconv: {name} ({'; '.join(where)}).")
    if absent:
        print(f"- Not installed, so not compared: {', '.join(absent)}.")
    noise = "" if excess < _CALM else ": other programs ran, so measure again"
    print(
        "- Medians of runconv exceed its fastest rounds by at most"
        f" {100 * excess:.0f} %{noise}.\n"
    )


class _Programs:
    """The programs that are compared: how to run them, and their versions."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.absent: list[str] = []
        self._folders: dict[str, Path] = {}
        self._install("runconv", str(_ROOT))
        if self.absent:
            sys.exit("runconv cannot be installed: the packages are out of reach")
        runconv = [str(self._folders["runconv"] / "runconv")]
        self.runconv = [*runconv, "-q"]
        self.versions["runconv"] = _printed([*runconv, "--version"]).split()[-1]
        for name, version in _PINNED.items():
            self._install(name, f"{name}=={version}")
            self.versions[name] = version
        if shutil.which("jq"):
            self.versions["jq"] = _printed(["jq", "--version"])[len("jq-") :].strip()
        else:
            self.absent.append(_JQ_MISSING)

    def command(self, name: str, program: str, *arguments: str) -> dict[str, list[str]]:
        """Return how to run a program of a peer; nothing if it is not installed."""
        if name in self._folders:
            return {name: [str(self._folders[name] / program), *arguments]}
        return {name: [program, *arguments]} if name in self.versions else {}

    def _install(self, name: str, requirement: str) -> None:
        """Install a package for the Python that runs this."""
        print(f"installing {name}", file=sys.stderr)
        place = Path(sys.prefix, "peers", name)
        python = place / "bin" / "python"
        if not python.exists():
            venv.create(place, symlinks=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq"]
        if subprocess.run([*pip, requirement], check=False).returncode:
            self.absent.append(f"{name} {_PINNED.get(name, '')}".rstrip())
        else:
            self._folders[name] = python.parent


def _kinds(folder: Path, programs: _Programs) -> Iterator[tuple[str, Iterator[Job]]]:
    """Yield each kind of work with its jobs."""
    yield "A line for each tool call, of a log of Cursor", _lines(folder, programs)
    yield "A page of a session of Claude Code", _pages(folder, programs)
    yield "The tool calls of many logs of Cursor", _calls(folder, programs)


def _lines(folder: Path, programs: _Programs) -> Iterator[Job]:
    program = str(_PROGRAMS / "action_lines")
    commands = {
        "runconv": programs.runconv,
        **programs.command("orjson", "python", f"{program}.py"),
        **programs.command("jq", "jq", "-r", "-f", f"{program}.jq"),
    }
    mixed, tools, deltas = logs.PROFILES
    for what, profile, size in (
        ("50 kB", mixed, 50_000),
        ("4 MB", mixed, 4_000_000),
        ("4 MB of mostly outputs of tools", tools, 4_000_000),
        ("4 MB of mostly pieces of text", deltas, 4_000_000),
        ("50 MB", mixed, 50_000_000),
    ):
        path = folder / "log.ndjson"
        logs.write(path, profile, size)
        yield Job(what, path, commands, bytes.splitlines)


def _pages(folder: Path, programs: _Programs) -> Iterator[Job]:
    for what, size in (("50 kB", 50_000), ("1 MB", 1_000_000)):
        path = str(folder / "session.jsonl")
        agent_logs.write(Path(path), "claude-session", size)
        options = ["--no-cache", "-o", "-"]
        commands = {
            "runconv": [*programs.runconv, path, "-t", "html", "--tool-output", "full"],
            **programs.command("claude-code-log", "claude-code-log", path, *options),
        }
        yield Job(what, None, commands, _commands_in)


def _calls(folder: Path, programs: _Programs) -> Iterator[Job]:
    sources = folder / "many"
    many.write(sources)
    program = [str(_PROGRAMS / "calls.py"), str(sources)]
    runconv, *options = programs.runconv
    rows = [runconv, "table", "calls", str(sources), *options]
    counts = [runconv, "stats", str(sources), *options, "-t", "json"]
    for what, ours, query, facts in (
        ("a row for each call", rows, "calls", _calls_in),
        ("counts by tool", counts, "counts", _counts_in),
    ):
        theirs = programs.command("duckdb", "python", *program, query)
        about = f"{what} of {many.LOGS:,} logs of 60 kB"
        yield Job(about, None, {"runconv": ours, **theirs}, facts)


def _commands_in(page: bytes) -> set[bytes]:
    """Return the commands that a page shows."""
    return set(re.findall(rb"pytest -q \d+", page))


def _calls_in(rows: bytes) -> list[tuple[Any, ...]]:
    """Return the calls in rows of JSON."""
    names = ("log", "id", "tool", "outcome", "exit_code", "duration_ms")
    calls = map(json.loads, rows.splitlines())
    return sorted(tuple(map(str, map(call.get, names))) for call in calls)


def _counts_in(report: bytes) -> dict[str, int]:
    """Return the number of calls by tool, in rows or in a report."""
    counts: dict[str, int] = {}
    for line in map(json.loads, report.splitlines()):
        tools = [run["tools"] for run in line.get("runs", ())]
        for tool in tools or [{line["tool"]: line}]:
            for name, figures in tool.items():
                counts[name] = counts.get(name, 0) + figures["calls"]
    return counts


def _check(job: Job) -> None:
    """Stop unless all programs find the same."""
    source = job.source.read_bytes() if job.source else b""
    found = {
        name: job.facts(subprocess.check_output(command, input=source))
        for name, command in job.commands.items()
    }
    for name, facts in found.items():
        if not facts or facts != found["runconv"]:
            sys.exit(f"{name} does other work than runconv: {job.logs}")


def _in_turn(job: Job, rounds: int) -> dict[str, list[Taken]]:
    """Return what each command takes in each round, run A B A B … after a first one.

    Short commands have more rounds, for a few seconds.
    """
    found: dict[str, list[Taken]] = {name: [] for name in job.commands}
    for command in job.commands.values():
        taken(command, job.source)
    ends = time.monotonic() + _LEAST_SECONDS
    while len(found["runconv"]) < rounds or time.monotonic() < ends:
        for name, command in job.commands.items():
            found[name].append(taken(command, job.source))
    return found


def _cells(job: Job, found: dict[str, list[Taken]]) -> Iterator[str]:
    """Yield the times and the memory of the commands of a job."""
    for name, command in job.commands.items():
        memory = f"{megabytes(command, job.source):.0f} MB"
        if name == "runconv":
            walls = sorted(1000 * one.wall for one in found[name])
            middle = statistics.median(walls)
            time_taken = f"{middle:,.0f} ms ({walls[0]:,.0f} to {walls[-1]:,.0f})"
        else:
            time_taken = spread(_times(found, name), " times")
        yield f"{time_taken}, {memory}"


def _times(found: dict[str, list[Taken]], name: str) -> list[float]:
    """Return how many times as long as runconv a program takes, round by round."""
    pairs = zip(found[name], found["runconv"], strict=True)
    return [theirs.wall / ours.wall for theirs, ours in pairs]


def _faster(found: dict[str, list[Taken]]) -> list[str]:
    """Return the programs that take less time than runconv."""
    return [
        name for name in found if round(statistics.median(_times(found, name)), 2) < 1
    ]


def _printed(command: list[str]) -> str:
    return subprocess.check_output(command, text=True, env=ENVIRONMENT)
