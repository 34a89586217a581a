"""A hunt for bugs: inputs by number, the trials of each, and the bugs."""

from __future__ import annotations

import contextlib
import random
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support import generated, mutants, promises, sandbox
from support.generated import growing, laws, shrinking
from support.trial import Bug, Trial, symptom

# One input in so many is damaged instead of generated, if both are asked for: the
# trials of a damaged one take as long as those of thirty generated ones.
_DAMAGED = 30
_IN_SANDBOX = 500
_GROWN = 1000
KINDS = ("both", "structured", "damaged")


class Hunt(NamedTuple):
    """The inputs to try, and how long a trial may take."""

    seed: int
    kind: str
    limit: float
    keep: Path


class Figures:
    """Counts of the work done and of each bug found."""

    def __init__(self) -> None:
        self.inputs = self.trials = self.bytes = 0
        self.slowest = (0.0, 0)
        self.bugs: Counter[str] = Counter()
        self.accounts: list[str] = []

    def add(self, other: Figures) -> None:
        """Add the work of a part."""
        self.inputs += other.inputs
        self.trials += other.trials
        self.bytes += other.bytes
        self.slowest = max(self.slowest, other.slowest)
        self.bugs += other.bugs


def hunt(asked: Hunt, numbers: range) -> Figures:
    """Try inputs; keep the first log that shows a bug, as small as it can be made."""
    figures = Figures()
    for number in numbers:
        log, trials = _input(asked, number)
        figures.inputs += 1
        figures.bytes += len(log)
        started = time.process_time()
        for trial in trials:
            figures.trials += 1
            if bug := symptom(trial, log, asked.limit):
                figures.bugs[bug.what] += 1
                if _is_new(bug, asked.keep):
                    account = _kept(asked, number, trial, log, bug)
                    figures.accounts.append(account)
        seconds = time.process_time() - started
        figures.slowest = max(figures.slowest, (seconds, number))
        if number % _IN_SANDBOX == 0:
            _in_sandbox(asked, number, log, figures)
    return figures


def _input(asked: Hunt, number: int) -> tuple[bytes, Iterator[Trial]]:
    """Return a log and the trials for it."""
    is_damaged = asked.kind == "damaged"
    if is_damaged or (asked.kind == "both" and number % _DAMAGED == 0):
        dice, log, other = mutants.made(asked.seed, number)
        return log, promises.trials(dice, other)
    made = generated.made(asked.seed, number)
    trials = laws.trials(made, made.dice)
    if number % _GROWN == 1:
        trials.append(growing.in_time(made, made.dice))
    return made.log, iter(trials)


def _in_sandbox(asked: Hunt, number: int, log: bytes, figures: Figures) -> None:
    """Convert logs with hostile names by the command, and check the files it writes."""
    dice = random.Random(f"{asked.seed}/{number}/sandbox")
    figures.trials += 1
    with tempfile.TemporaryDirectory() as folder:
        logs = [log, mutants.original(dice), mutants.original(dice)]
        if what := sandbox.broken(Path(folder), logs, dice):
            figures.bugs[what] += 1
            figures.accounts.append(f"input {number}: {what}")


def _is_new(bug: Bug, keep: Path) -> bool:
    """Return True for the first of several processes that finds a bug."""
    with contextlib.suppress(FileExistsError):
        (keep / f"{zlib.crc32(bug.what.encode()):08x}.found").touch(exist_ok=False)
        return True
    return False


def _kept(asked: Hunt, number: int, trial: Trial, log: bytes, bug: Bug) -> str:
    """Keep the smallest log that shows a bug; return an account of it."""

    def is_same(smaller: bytes) -> bool:
        again = symptom(trial, smaller, asked.limit)
        return again is not None and again.what == bug.what

    small = shrinking.smallest(log, is_same)
    name = f"{asked.seed}-{number}"
    (asked.keep / f"{name}.log").write_bytes(small)
    if trial.other is not None:
        (asked.keep / f"{name}.other").write_bytes(trial.other)
    details = f"{bug.what}\n\n{trial.what}\n\n{bug.details}"
    (asked.keep / f"{name}.txt").write_text(details, "utf-8", errors="replace")
    return (
        f"input {number}: {bug.what}\n  {trial.what}\n"
        f"  {len(small)} of {len(log)} bytes kept: {asked.keep / name}.log\n"
        f"  again: scripts/fuzz 1 --seed {asked.seed} --only {asked.kind}"
        f" --first {number}"
    )
