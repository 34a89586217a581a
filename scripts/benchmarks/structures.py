"""Logs that grow in only one structure: n texts, n calls with one id, n sessions …

A hostile or broken log may hold any number of anything. Whatever it is, time grows like
the size, at 1 MB a second or more.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks import hostile_lines as of
from benchmarks.processes import ENVIRONMENT, RUNCONV, megabytes, table

TEXT, ANSWER, MARKDOWN, HTML, PATCH, STREAM, ATIF = (
    ["-t", name]
    for name in ("text", "answer", "markdown", "html", "patch", "stream-json", "atif")
)
DIFF = ["diff", "--exit-zero"]
# The sizes of the logs, and for diff of both together.
_MEGABYTES = (1.0, 4.0, 16.0)
# A structure is well if it runs at this speed, in MB a second, and grows like its size.
_SLOWEST = 1.0


class Structure(NamedTuple):
    """A structure that a log can hold any number of times.

    `make` returns the events of a log that holds it `n` times; the second argument is 0
    for a baseline and 1 for a candidate.
    """

    name: str
    arguments: list[str]
    make: Callable[[int, int], Iterable[of.Event | bytes]]

    def write(self, folder: Path, size: float) -> list[Path]:
        """Write logs of so many MB together, and return their paths."""
        sides = 2 if self.arguments is DIFF else 1
        few, more = (sum(map(len, self._lines(n, 0))) for n in (200, 400))
        n = int(size / sides * 1e6 / ((more - few) / 200))
        paths = [folder / f"{side}.ndjson" for side in range(sides)]
        for side, path in enumerate(paths):
            with path.open("wb") as log:
                log.writelines(self._lines(n, side))
        return paths

    def _lines(self, n: int, side: int) -> Iterator[bytes]:
        for event in self.make(n, side):
            is_line = isinstance(event, bytes)
            yield event if is_line else msgspec.json.encode(event) + b"\n"


def each(event: Callable[[int], of.Event]) -> Callable[[int, int], Iterator[of.Event]]:
    """Return a function that makes a run of n such events."""
    return lambda n, side: of.run(map(event, range(n)))


def groups(
    events: Callable[[int], Iterable[of.Event]], result: str = "Done."
) -> Callable[[int, int], Iterator[of.Event]]:
    """Return a function that makes a run of n such groups of events."""
    return lambda n, side: of.run(
        (event for i in range(n) for event in events(i)), result
    )


def noise(line: Callable[[int], str]) -> Callable[[int, int], Iterator[Any]]:
    """Return a function that makes a log with n such lines after its first event."""
    return lambda n, side: (
        of.asked("Do it.") if i < 0 else f"{line(i)}\n".encode() for i in range(-1, n)
    )


def one(event: Callable[[int, int], of.Event]) -> Callable[[int, int], Any]:
    """Return a function that makes a run with one event that holds n parts."""
    return lambda n, side: of.run([event(n, side)])


def each_side(event: Callable[[int, int], of.Event]) -> Callable[[int, int], Any]:
    """Return a function that makes a run of n events, a third of which differ."""
    return lambda n, side: of.run(event(i, side * (i % 3 == 0)) for i in range(n))


def _halved(n: int, side: int) -> Iterator[of.Event]:
    """Return halved segments with a result that none of their readings makes."""
    halved = [of.said("a"), of.said("a"), of.read(0)]
    others = (event for i in range(n) for event in (of.said("a"), of.read(i)))
    return of.run([*halved * 900, *others], "a" * (n + 1350))


def _pauses(n: int, side: int) -> Iterator[of.Event]:
    texts = [of.said("é" * 60 * n), of.said("è" * 60 * n)]
    pause = of.line("connection", subtype="reconnecting")
    return of.run([*texts, *[pause] * n])


def _unrelated(n: int, side: int) -> Iterator[of.Event]:
    deltas = [of.said(f"delta {i}") for i in range(n)]
    return of.run([*deltas, of.said("ab " * 50 * n, model_call_id="m"), of.read(1)])


def _doubled(n: int, side: int) -> Iterator[of.Event]:
    for event in of.run(map(of.read, range(n))):
        yield event
        yield event


def _side_by_side(n: int, side: int) -> Iterator[of.Event]:
    """Return calls of one response, all of which begin before the first one ends."""
    begun = (of.started(i, "read", {}, model_call_id="m") for i in range(n))
    ended = (of.read(i, model_call_id="m") for i in range(n))
    return of.run(itertools.chain(begun, ended))


STRUCTURES = [
    Structure("halved segments", ANSWER, _halved),
    Structure("pauses after two texts", ANSWER, _pauses),
    Structure("pauses between deltas", ANSWER, groups(lambda i: [
        of.said(f"{i}"), of.line("connection", subtype="reconnecting")])),
    Structure("deltas before an unrelated flush", ANSWER, _unrelated),
    Structure("deltas", MARKDOWN, each(lambda i: of.said(f"a{i} "))),
    Structure("flushes", ANSWER, each(lambda i: of.said(f"{i}", model_call_id="m"))),
    Structure("recaps", MARKDOWN, groups(lambda i: [
        of.said("ab"), of.said("ab"), of.read(i)])),
    Structure("parts of a message", MARKDOWN, one(
        lambda n, side: of.said(*map(str, range(n))))),
    Structure("blocks of reasoning", [*MARKDOWN, "--thinking"], groups(lambda i: [
        of.line("thinking", subtype="delta", text=f"{i}"),
        of.line("thinking", subtype="completed")])),
    Structure("prompts", MARKDOWN, each(lambda i: of.asked(f"Do {i}."))),
    Structure("calls", MARKDOWN, each(of.read)),
    Structure("calls, with front matter", [*MARKDOWN, "--front-matter"], each(of.read)),
    Structure("calls, limited", [*MARKDOWN, "--max-bytes", "65536"], each(of.read)),
    Structure("calls of one response", MARKDOWN, each(
        lambda i: of.read(i, model_call_id="m"))),
    *(Structure("calls side by side", arguments, _side_by_side)
      for arguments in (ATIF, HTML, DIFF, MARKDOWN)),
    Structure("calls that never end", MARKDOWN, each(
        lambda i: of.started(i, "read", {"path": f"{i}.py"}))),
    Structure("starts of calls without an id", MARKDOWN, each(
        lambda i: of.started(i, "read", {"path": f"{i}.py"}, call_id=""))),
    Structure("starts of calls with one id", MARKDOWN, each(
        lambda i: of.started(1, "read", {"path": f"{i}.py"}))),
    Structure("ends of one call", DIFF, each(lambda i: of.read(1, f"{i}.py"))),
    Structure("lines of one call", MARKDOWN, each(
        lambda i: of.started(1, "read", {f"a{i}": i}, subtype="progress"))),
    Structure("queries without an answer", MARKDOWN, each(
        lambda i: of.query(i, is_named=True))),
    Structure("queries with an answer", MARKDOWN, groups(
        lambda i: [of.query(i, is_named=True), of.answered(i)])),
    Structure("queries without an id", MARKDOWN, groups(
        lambda i: [of.query(i, is_named=False), of.answered(i)])),
    Structure("texts of one result", MARKDOWN, one(lambda n, side: of.served(
        {"content": [{"text": {"text": f"part {i}"}} for i in range(n)]}))),
    Structure("members of one result", MARKDOWN, one(
        lambda n, side: of.served({f"m{i}": i for i in range(n)}))),
    Structure("steps of a subagent", MARKDOWN, one(lambda n, side: of.steps(n))),
    Structure("tasks of a list", MARKDOWN, one(of.to_dos)),
    Structure("edits of one file", MARKDOWN, each(
        lambda i: of.edit(i, "a.py", f"{i}\n", f"{i + 1}\n"))),
    Structure("edits of many files", PATCH, each(
        lambda i: of.edit(i, f"{i}.py", f"{i}\n", f"{i + 1}\n"))),
    Structure("lines of an edit", MARKDOWN, one(lambda n, side: of.edit(
        1, "a.py", of.lines_that_differ(n, 0), of.lines_that_differ(n, 1)))),
    Structure("errors", MARKDOWN, each(lambda i: of.line("error", message=f"{i}"))),
    Structure("retries", MARKDOWN, each(lambda i: of.line("retry", attempt=i))),
    Structure("lines of a program", TEXT, noise(lambda i: f"npm warn {i} deprecated")),
    Structure("lines of one letter", TEXT, noise(lambda i: "x")),
    Structure("lines of a bracket", TEXT, noise(lambda i: "{")),
    Structure("empty lines", TEXT, noise(lambda i: "")),
    Structure("messages on standard error", TEXT, noise(lambda i: f"Error: file {i}")),
    Structure("members of another type", TEXT, each(
        lambda i: of.line(f"type{i % 9}", cwd=i))),
    Structure("unknown types", TEXT, each(lambda i: of.line(f"type{i}"))),
    Structure("runs without a result", TEXT, lambda n, side: (
        of.of_session(i, of.init()) for i in range(n))),
    Structure("runs of one session", STREAM, lambda n, side: [of.init()] * n),
    Structure("runs in turn", TEXT, lambda n, side: (
        of.of_session(i % 300, of.read(i)) for i in range(n))),
    Structure("results", TEXT, each(lambda i: of.ended(f"{i}"))),
    Structure("lines that occur twice", TEXT, _doubled),
    Structure("runs of two lines", DIFF, lambda n, side: (
        of.of_session(i, line)
        for i in range(n) for line in (of.init(), of.read(i, f"{i}{side}")))),
    Structure("runs of an init and a result", DIFF, lambda n, side: (
        of.of_session(i, line)
        for i in range(n) for line in (of.init(), of.ended(f"{i}{side}")))),
    Structure("calls on a page", HTML, each(of.read_at)),
    Structure("failed commands on a page", HTML, each(of.failed)),
    Structure("calls on a page that never end", HTML, each(
        lambda i: of.started(i, "read", {"path": f"{i % 9}.py"}, **of.at(i)))),
    Structure("edits of files on a page", HTML, each(
        lambda i: of.edit(i, f"{i}.py", f"{i}\n", f"{i + 1}\n"))),
    Structure("texts between calls on a page", HTML, groups(
        lambda i: [of.said(f"Part *{i}*.", model_call_id=f"m{i}"), of.read_at(i)])),
    Structure("reasoning between texts on a page", [*HTML, "--thinking"], groups(
        lambda i: [of.line("thinking", subtype="delta", text=f"{i}"),
                   of.line("thinking", subtype="completed"),
                   of.said(f"{i}", model_call_id=f"m{i}")])),
    Structure("steps of a subagent on a page", HTML, one(lambda n, side: of.steps(n))),
    Structure("subagents in subagents on a page", HTML, each(of.nested_steps)),
    Structure("prompts on a page", HTML, each(lambda i: of.asked(f"Do {i}."))),
    Structure("words of a prompt on a page", HTML, one(
        lambda n, side: of.asked(" ".join(of.words(n, side))))),
    Structure("lines of a prompt on a page", HTML, one(
        lambda n, side: of.asked("\n\n".join(of.words(n, side))))),
    Structure("brackets of a prompt on a page", HTML, one(
        lambda n, side: of.asked("![" * n))),
    Structure("letters of a prompt on a page", HTML, one(
        lambda n, side: of.asked("a\n" * n))),
    Structure("runs on a page", HTML, lambda n, side: (
        of.of_session(i, line) for i in range(n)
        for line in (of.init(), of.asked(f"Do {i}."), of.read_at(i)))),
    Structure("incidents on a page", HTML, each(
        lambda i: of.line("error", message=f"{i}"))),
    Structure("other calls", DIFF, each_side(lambda i, side: of.read(i, f"{i}{side}"))),
    Structure("equal calls", DIFF, each(lambda i: of.shell(i, "make"))),
    Structure("other commands", DIFF, each_side(
        lambda i, side: of.shell(i, f"make {i} --side {side}"))),
    Structure("nested lists of a result", DIFF, one(
        lambda n, side: of.served({"x": of.nested_lists(n, side)}))),
    Structure("nested lists of arguments", DIFF, one(lambda n, side: of.called(
        1, "mcp", {"name": "x", "args": {"v": of.nested_lists(n, side)}}, {}))),
    Structure("objects of a list", DIFF, one(lambda n, side: of.called(1, "mcp", {
        "name": "x",
        "args": {"v": [{"a": i, "b": [i, side * (i % 3)]} for i in range(n)]}}, {}))),
    Structure("tasks that differ", DIFF, one(of.to_dos)),
    Structure("files that differ", DIFF, each_side(
        lambda i, side: of.edit(i, f"{i}.py", f"{i}\n", f"{i + 1 + side}\n"))),
    Structure("segments that differ", DIFF, each_side(
        lambda i, side: of.said(f"Text {i} {side}", model_call_id="m"))),
    Structure("errors that differ", DIFF, each_side(
        lambda i, side: of.line("error", message=f"{i} {side}"))),
    Structure("words of an answer", DIFF, lambda n, side: of.run(
        [], " ".join(of.words(n, side)))),
    Structure("short lines of an edit", DIFF, one(lambda n, side: of.edit(
        1, "a.py", of.digits(n, 7, side), of.digits(n, 3, side)))),
    Structure("lines of an answer", DIFF, lambda n, side: of.run(
        [], "\n".join(" ".join(of.words(8, 9 * i + side)) for i in range(n // 8)))),
    Structure("lines of an output", DIFF, one(
        lambda n, side: of.shell(1, "make", of.lines_that_differ(n, side)))),
    Structure("commands in a line", DIFF, one(lambda n, side: of.shell(
        1, " && ".join(f"make part-{i}" for i in range(n + side))))),
]  # fmt: skip


def compare(folder: Path, only: str = "") -> None:
    """Print for each structure the seconds, MB a second and MB of memory at each size.

    Ends with the names of those that are slow, or slower the larger the log is.
    """
    rows = [["seconds; MB/s; MB of memory", *(f"{size:g} MB" for size in _MEGABYTES)]]
    slow = []
    for structure in STRUCTURES:
        if only not in structure.name:
            continue
        figures = [_measured(structure, folder, size) for size in _MEGABYTES]
        cells = [
            f"{taken:.2f}; {speed:.1f}; {mega:.0f}" for taken, speed, mega in figures
        ]
        rows.append([f"{structure.name}: `{' '.join(structure.arguments)}`", *cells])
        speeds = [speed for _, speed, _ in figures]
        if speeds[-1] < max(_SLOWEST, speeds[0] / 2):
            slow.append(structure.name)
    print(table(rows))
    print(f"\nslow: {', '.join(slow)}" if slow else "\nnone is slow")


def _measured(
    structure: Structure, folder: Path, size: float
) -> tuple[float, float, float]:
    """Return the seconds of the processor, MB a second, and MB of memory."""
    paths = structure.write(folder, size)
    command = [*RUNCONV, *structure.arguments, *map(str, paths)]
    written = sum(path.stat().st_size for path in paths) / 1e6
    before = os.times()
    subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        check=False,
    )
    after = os.times()
    taken = sum(after[2:4]) - sum(before[2:4])
    return taken, written / taken, megabytes(command)
