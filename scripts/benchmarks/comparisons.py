"""`runconv diff` of two logs, and only the comparison against DeepDiff."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from benchmarks.processes import RUNCONV, megabytes, seconds, spread, table

_WORDS = ("def", "return", "value", "price", "tax", "total", "net", "gross", "assert")
# The time to read is excluded: runs are read and lists decoded before.
_GIVEN = """\
import json, sys, time
from convert.diff import Settings, compare_sides, read_side
from convert.options import Reading
from deepdiff import DeepDiff
def side(path):
    with open(path, "rb") as log:
        return read_side(log, "auto", None, Reading(), Settings(), lambda *_: None)
def calls(path):
    with open(path) as log:
        lines = [json.loads(line) for line in log]
    return [line["tool_call"] for line in lines if line.get("subtype") == "completed"]
def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
a, b = sys.argv[1:3]
ours = seconds(lambda one=side(a), two=side(b): compare_sides(one, two, Settings()))
one, two = calls(a), calls(b)
by_place = seconds(lambda: DeepDiff(one, two))
in_any_order = seconds(lambda: DeepDiff(one, two, ignore_order=True))
print(ours, by_place, in_any_order)
"""


def compare(folder: Path, rounds: int) -> None:
    """Print the time and memory of comparisons."""
    for calls, size in ((200, 5_000), (2000, 30_000)):
        a, b = folder / f"a-{calls}", folder / f"b-{calls}"
        write(a, calls, size, is_changed=False)
        write(b, calls, size, is_changed=True)
        mega = max(a.stat().st_size, b.stat().st_size) / 1e6
        rows = [[f"{calls} calls, {mega:.0f} MB a side", "seconds", "MB"]]
        for what, other in (("equal", a), ("one call in 20 differs", b)):
            # A comparison that finds a difference ends with status 1.
            command = [*RUNCONV, "diff", "--exit-zero", str(a), str(other)]
            taken = [seconds(command) for _ in range(rounds)]
            rows.append([what, spread(taken), f"{megabytes(command):.0f}"])
        print(table(rows), end="\n\n")
    _compare_given(folder / "a-2000", folder / "b-2000", rounds)


def write(
    path: Path, calls: int, size: int, is_changed: bool, seed: int = 2, run: str = "s"
) -> None:
    """Write a log of one run, each call with about `size` bytes of output.

    Logs of one seed are the same but for the `run`, which is the id of its session.
    """
    dice = random.Random(seed)
    changes = random.Random(seed + 1)
    with path.open("w") as log:
        for number in range(calls):
            tool = dice.choice(("read", "edit", "shell", "grep"))
            about = f"src/m{dice.randrange(80)}.py"
            text = "\n".join(
                " ".join(dice.choices(_WORDS, k=8)) for _ in range(size // 42)
            )
            if is_changed and changes.random() < 0.05:
                kind = changes.randrange(3)
                if kind == 0:
                    continue
                about = f"src/new{number}.py" if kind == 1 else about
                text += "\nmore"
            for line in _lines(number, tool, about, text, run):
                log.write(json.dumps(line, separators=(",", ":")) + "\n")
        result = {"type": "result", "subtype": "success", "is_error": False}
        log.write(json.dumps(result | {"result": "Done."}) + "\n")


def _lines(
    number: int, tool: str, about: str, text: str, run: str
) -> list[dict[str, object]]:
    names = {"shell": "command", "grep": "pattern"}
    args = {names.get(tool, "path"): about}
    if tool == "edit":
        args["streamContent"] = text[:2000]
    call = {"type": "tool_call", "call_id": f"{run}{number}", "session_id": run}
    key = f"{tool}ToolCall"
    ended = {"args": args, "result": {"success": {"content": text}}}
    return [
        call | {"subtype": "started", "tool_call": {key: {"args": args}}},
        call | {"subtype": "completed", "tool_call": {key: ended}},
    ]


def _compare_given(a: Path, b: Path, rounds: int) -> None:
    """Print the ratios to DeepDiff, in one process each."""
    command = [sys.executable, "-c", _GIVEN, str(a), str(b)]
    found = [
        [float(figure) for figure in subprocess.check_output(command).split()]
        for _ in range(rounds)
    ]
    rows = [["the comparison alone, 2000 calls", "times as long"]]
    for place, name in ((1, "DeepDiff"), (2, "DeepDiff, ignore_order")):
        rows.append([name, spread([figures[place] / figures[0] for figures in found])])
    print(table(rows))
