"""The figures that people feel, of this tree and of an earlier one in turn."""

from __future__ import annotations

import itertools
import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import logs, many
from benchmarks.comparisons import write as write_side
from benchmarks.processes import BEFORE, IMPORT, spread, table, taken, trees

_MIXED = logs.PROFILES[0]
# The sizes of logs, in bytes.
_SMALL, _USUAL, _LARGE = 50_000, 4_000_000, 20_000_000
_WARM = 1


class Figure(NamedTuple):
    """One figure, for which a command is run."""

    what: str
    unit: str
    measure: Callable[[list[str]], float]
    """Run runconv, whose command is given, and return the figure."""


def compare(folder: Path, rounds: int, before: Path | None, only: str) -> None:
    """Print each figure whose name holds `only`, and its ratio to that before."""
    commands = trees(before)
    head = ["figure", "now", "before", "now to before"]
    rows = [head[: 2 * len(commands)]]
    figures = itertools.chain(_alone(folder), _together(folder))
    for figure in (figure for figure in figures if only in figure.what):
        found: dict[str, list[float]] = {tree: [] for tree in commands}
        for turn in range(-_WARM, rounds):
            for tree, command in commands.items():
                value = figure.measure(command)
                if turn >= 0:
                    found[tree].append(value)
        row = [figure.what, *(spread(found[tree], figure.unit) for tree in commands)]
        if before is not None:
            pairs = zip(found[""], found[BEFORE], strict=True)
            row.append(spread([now / old for now, old in pairs]))
        rows.append(row)
    print(table(rows))
    print("\nms are of the processor; imports are those of msgspec, in turn")


def _alone(folder: Path) -> Iterator[Figure]:
    """Yield the figures of commands that read a log or two."""
    line = folder / "line.ndjson"
    line.write_bytes(next(logs.lines(_MIXED, 0)))
    small, usual, large = (folder / f"{size}.ndjson" for size in (1, 2, 3))
    for path, size in ((small, _SMALL), (usual, _USUAL), (large, _LARGE)):
        logs.write(path, _MIXED, size)
    a, b = folder / "a.ndjson", folder / "b.ndjson"
    write_side(a, 20, 2_000, is_changed=False)
    write_side(b, 20, 2_000, is_changed=True)
    findings = ["diff", "--exit-zero", str(a), str(b)]
    yield Figure("a log of one line to `text`", " imports", _imports([str(line)]))
    for target in ("text", "json", "stream-json", "markdown", "html"):
        arguments = [str(small), "-t", target]
        what = f"a log of 50 kB to `{target}`"
        yield Figure(what, " imports", _imports(arguments))
    yield Figure("`diff` with findings", " imports", _imports(findings))
    for target in ("text", "markdown", "html"):
        arguments = [str(usual), "-t", target]
        yield Figure(f"a log of 4 MB to `{target}`", " ms", _processor(arguments))
    for target in ("stream-json", "text", "markdown"):
        arguments = [str(large), "--redact", "-q", "-t", target]
        what = f"`--redact` to `{target}`"
        yield Figure(what, " MB/s", _rate(arguments, large.stat().st_size))
    arguments = [str(large), "--redact", "-q", "-t", "stream-json"]
    without = _rate(arguments, large.stat().st_size, _without_library)
    yield Figure("`--redact` to `stream-json`, without the library", " MB/s", without)


def _together(folder: Path) -> Iterator[Figure]:
    """Yield the figures of commands that read 2,000 logs."""
    sources = folder / "many"
    many.write(sources)
    for target in ("text", "json", "markdown"):
        arguments = [str(sources), "-q", "-t", target]
        out = folder / f"out-{target}"
        what = f"2,000 logs of 60 kB to `{target}`"
        yield Figure(f"{what}, a log", " ms", _each(arguments, out))
        yield Figure(f"{what}, all", " s", _whole(arguments, out))


def _imports(arguments: list[str]) -> Callable[[list[str]], float]:
    """Measure in imports of msgspec, the median of a few in turn."""

    def measure(command: list[str]) -> float:
        pairs = [
            (taken([*command, *arguments]).processor, taken(IMPORT).processor)
            for _ in range(5)
        ]
        return statistics.median(ours / imports for ours, imports in pairs)

    return measure


def _processor(arguments: list[str]) -> Callable[[list[str]], float]:
    """Measure in milliseconds of the processor."""
    return lambda command: 1000 * taken([*command, *arguments]).processor


def _rate(
    arguments: list[str],
    size: int,
    changed: Callable[[list[str]], list[str]] = lambda command: command,
) -> Callable[[list[str]], float]:
    """Measure in MB of a log a second of the processor."""
    return lambda command: size / 1e6 / taken([*changed(command), *arguments]).processor


def _without_library(command: list[str]) -> list[str]:
    """Return how to run runconv where the extra `redact` is not installed."""
    hidden = "import sys; sys.modules['ahocorasick_rs'] = None"
    python = Path(command[0]).parent / "python"
    return [
        str(python),
        "-P",
        "-c",
        f"{hidden}; from convert.__main__ import main; main()",
    ]


def _each(arguments: list[str], out: Path) -> Callable[[list[str]], float]:
    """Measure in milliseconds of the processor a log, with its share of the start."""
    return lambda command: (
        1000 * taken([*command, *arguments, "-o", _fresh(out)]).processor / many.LOGS
    )


def _whole(arguments: list[str], out: Path) -> Callable[[list[str]], float]:
    """Measure in seconds from start to end, once earlier files are on the disk."""

    def measure(command: list[str]) -> float:
        os.sync()
        return taken([*command, *arguments, "-o", _fresh(out)]).wall

    return measure


def _fresh(out: Path) -> str:
    """Return a folder that is new: some file systems are slow after files have gone."""
    numbers = (out.with_name(f"{out.name}-{number}") for number in itertools.count())
    folder = next(folder for folder in numbers if not folder.exists())
    return f"{folder}/"
