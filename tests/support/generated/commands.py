"""Laws that hold for the command: its status, its messages and what it shows."""

from __future__ import annotations

import functools
import os
import random
import re
import tempfile
from pathlib import Path
from typing import Any

from convert.cli import ConvertOptions, DiffOptions, ShowOptions
from convert.diff import REPORTS
from convert.formats import writers
from convert.options import Option, Options, Reading, Settings
from convert.options.option_set import OptionSet
from convert.scale import StatsOptions
from convert.scale.stats import reports as of_runs
from convert.suites import MatrixOptions
from convert.suites import reports as of_suites
from support import in_process
from support.generated import Input, choices
from support.trial import CONTROL, BrokenError, Trial

_CONVERT = (ConvertOptions, Options, Reading)
_SHOW = (ShowOptions, Reading)
_DIFF = (DiffOptions, Settings, Reading)
_STATS = (StatsOptions, Reading)
_MATRIX = (MatrixOptions, Reading)
# A runner executes these in a log. It starts a line at a carriage return, too.
_ORDER = re.compile(r"(?:^|\r)\s*::|##\[", re.MULTILINE)
_ORDER_IN_JSON = re.compile(r"##\[")
_STATUSES = (0, 1, 2)


def converts(made: Input, dice: random.Random) -> Trial:
    """The command ends in order, and its messages are clean."""
    target = choices.target(dice)
    words = ["--to", target, *arguments(_CONVERT, dice)]
    shown_as = writers()[target].shown_as
    return _command(made, [*words, "--", "a.ndjson"], shown_as, dice)


def compares(made: Input, dice: random.Random) -> Trial:
    """The same for `diff`."""
    name = dice.choice([*REPORTS])
    words = ["diff", "--format", name, *arguments(_DIFF, dice)]
    shown_as = REPORTS[name].shown_as
    return _command(made, [*words, "--", "a.ndjson", "b.ndjson"], shown_as, dice)


def shows(made: Input, dice: random.Random) -> Trial:
    """The same for `show`, of a file that nobody writes any more."""
    words = [word for word in arguments(_SHOW, dice) if word != "--follow"]
    return _command(made, ["show", *words, "--", "a.ndjson"], "text", dice)


def counts(made: Input, dice: random.Random) -> Trial:
    """The same for `stats`."""
    name = dice.choice([*of_runs.REPORTS])
    words = ["stats", *arguments(_STATS, dice), "--format", name, "--output=-"]
    shown_as = of_runs.REPORTS[name].shown_as
    return _command(made, [*words, "--", "a.ndjson", "b.ndjson"], shown_as, dice)


def compares_versions(made: Input, dice: random.Random) -> Trial:
    """The same for `matrix`, and for `diff` of two folders of repeated runs."""
    if dice.random() < 0.5:
        name = dice.choice([*of_suites.REPORTS])
        words = ["diff", "--format", name, "--repeat", *arguments(_DIFF, dice)]
        shown_as = of_suites.REPORTS[name].shown_as
    else:
        name = dice.choice([*of_suites.OF_VERSIONS])
        words = ["matrix", "--format", name, *arguments(_MATRIX, dice)]
        shown_as = of_suites.OF_VERSIONS[name].shown_as
    return _command(made, [*words, "--", "v1", "v2"], shown_as, dice)


def arguments(sets: tuple[type[OptionSet], ...], dice: random.Random) -> list[str]:
    """Choose options of some sets, as words of a command line."""
    words = []
    for options in sets:
        rows = options.options()
        for name, value in choices.draw(options, dice, 0.07).items():
            words += words_for(rows[name], value)
    return words


def words_for(row: Option, value: Any) -> list[str]:
    """Return the words that give a value to an option; none for a default."""
    flag = row.flags[-1]
    if row.kind is bool:
        no = [flag.replace("--", "--no-", 1)] if row.is_negatable else []
        return [flag] if value else no
    values = value if isinstance(value, tuple) else (value,)
    return [f"{flag}={_word(item)}" for item in values]


def _word(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value > 1e6 else str(value)


def _command(
    made: Input, words: list[str], shown_as: str, dice: random.Random
) -> Trial:
    other = made.retold()
    in_runner = dice.random() < 0.3
    is_redacted = any(word.startswith("--redact") for word in words)
    is_sure = is_redacted and not made.is_in_context

    def run(log: bytes) -> None:
        folder = _folder()
        (folder / "a.ndjson").write_bytes(log)
        (folder / "b.ndjson").write_bytes(other)
        for version, logs in (("v1", (log, other)), ("v2", (other, log))):
            (folder / version).mkdir(exist_ok=True)
            for number, each in enumerate(logs, 1):
                (folder / version / f"{number}.ndjson").write_bytes(each)
        run_command = in_process.run_in_runner if in_runner else in_process.run
        done = run_command(words, folder, {**os.environ, "GITHUB_ACTIONS": ""})
        printed, messages = done.stdout.decode(errors="replace"), done.stderr.decode()
        if done.status not in _STATUSES:
            raise BrokenError(f"command: exit status {done.status}")
        _check_messages(messages)
        if in_runner:
            _check_orders(shown_as, printed, messages)
        if is_sure and made.shown(log, printed, messages):
            raise BrokenError("command: a secret is shown")

    return Trial(f"runconv {' '.join(words)}, in a runner: {in_runner}", run, other)


@functools.cache
def _folder() -> Path:
    """Return a folder of this process."""
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _check_messages(messages: str) -> None:
    # The colours of `--color always` are our own.
    messages = re.sub(r"\x1b\[(?:0|31|33)m", "", messages)
    if CONTROL.search(messages):
        raise BrokenError("command: a control character in a message")
    for line in messages.splitlines():
        if not line.startswith("runconv: "):
            raise BrokenError(
                "command: something other than messages on standard error"
            )
        if "please report" in line or "Traceback" in line:
            raise BrokenError("command: an unexpected failure")


def _check_orders(shown_as: str, printed: str, messages: str) -> None:
    pattern = {"text": _ORDER, "json": _ORDER_IN_JSON}.get(shown_as)
    if pattern is not None and pattern.search(printed):
        raise BrokenError(f"command: an order for a runner in {shown_as}")
    if _ORDER.search(messages):
        raise BrokenError("command: an order for a runner in a message")
