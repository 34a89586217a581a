"""Two generators of repeated runs: the runs of a case differ, as those of agents do.

`own` is the project's own: one in ten runs fails, three in ten read another file first,
two in ten test twice, the final text has one of four wordings, and times vary by a
fifth. All cases are alike.

`varied` makes every case anew: the usual calls of its runs, its own rate of success,
and many calls that only some of its runs make. The kinds of variety are those of
real logs and of pairs of runs that reviewers judged:

- Real logs have 8 to 14 calls where the task is more than a question, and of 100 calls
  about 60 run a command, 11 read and 6 edit a file; agents that read by tools of their
  own read more. Here a run has up to 50 calls, since the tasks of suites are longer.
- Judged pairs differ by reads and searches that only one run makes (`ls -la`), in the
  order of reads, by tests that run twice or before the edit, by failed tests with
  another edit and another test, by `cd DIRECTORY &&` and `| tail` in a command, by
  the text of an edit, and by the words of the answer, which hardly ever agree.
- The times of real runs range from seconds to half an hour, with a long tail, and their
  tokens grow with their calls.

The chances themselves are not measured: that a case has 15 to 40 optional calls, each
made with a chance of its own between 0.05 and 0.95, is more than those pairs show, so
that the false alarms are counted under hard conditions.
"""

from __future__ import annotations

import functools
import json
import random
from typing import Any, Literal, NamedTuple

Generator = Literal["own", "varied"]


class Call(NamedTuple):
    """One call: its tool, its subject, the text that it writes, and its status."""

    tool: str
    about: str
    text: str = ""
    status: int = 0


class Logged(NamedTuple):
    """One run, as its log records it."""

    calls: tuple[Call, ...]
    text: str
    is_success: bool
    duration_ms: int
    tokens: int


class _Option(NamedTuple):
    """A call that only some runs of a case make."""

    call: Call
    after: int
    """How many of the usual calls come before it."""

    chance: float


class Case(NamedTuple):
    """A task that has been made up: the calls of its runs, and how they vary."""

    name: str
    rate: float
    """The share of runs that succeed."""

    usual: tuple[Call, ...]
    """The calls that every run makes, if it does not fail early."""

    options: tuple[_Option, ...]
    swaps: tuple[tuple[int, float], ...]
    """The places of usual calls that change places with the next one, with a chance."""

    texts: tuple[str, ...]
    retries: float
    """The chance that the last tests fail first, and another edit follows."""

    gives_up: bool
    """Runs that fail stop early, every second of them."""

    respells: bool
    """The same command and the same edit are not spelled alike in all runs."""

    duration_ms: float
    spread: float
    """The standard deviation of the logarithm of a run's time."""

    tokens: int
    """The tokens that a call takes in all."""

    last: tuple[Call, ...] = ()
    """The calls that every run makes in the end, however it goes."""


@functools.cache
def case_of(generator: Generator, number: int, seed: int) -> Case:
    """Return a case; the same numbers make the same one."""
    name = f"case-{number:03}"
    if generator == "own":
        return _OWN._replace(name=name)
    return _varied_case(name, random.Random(f"{seed} case {number}"))


def run_of(case: Case, number: int, seed: int, *, is_success: bool) -> Logged:
    """Return a run of a case; the same numbers make the same one."""
    dice = random.Random(f"{seed} {case.name} {number}")
    usual = [*case.usual]
    for place, chance in case.swaps:
        if dice.random() < chance:
            usual[place], usual[place + 1] = usual[place + 1], usual[place]
    calls = _with_options(case, usual, dice)
    if dice.random() < case.retries:
        calls = _tested_again(case, calls, dice)
    # A run that fails may do all that others do, or give up on the way.
    stop = dice.random() * 2
    if case.gives_up and not is_success and stop < 1:
        calls = calls[: max(int(stop * len(calls)), 1)]
    if case.respells:
        calls = [_spelled(call, dice) for call in calls]
    calls += case.last
    return Logged(
        calls=tuple(calls),
        text=dice.choice(case.texts),
        is_success=is_success,
        duration_ms=round(case.duration_ms * dice.lognormvariate(0, case.spread)),
        tokens=round(case.tokens * len(calls) * dice.uniform(0.9, 1.1)),
    )


def log_of(run: Logged) -> bytes:
    """Return the log of a run, in Cursor's stream-json without the times of calls."""
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": _DIRECTORY, "model": "Auto"},
        {"type": "user", "message": _message("Do the task")},
    ]
    for number, call in enumerate(run.calls):
        kind, arguments, result = _TOLD[call.tool](call)
        usual = {"type": "tool_call", "call_id": f"call-{number}"}
        begun = {f"{kind}ToolCall": {"args": arguments}}
        ended = {f"{kind}ToolCall": {"args": arguments, "result": result}}
        events += [
            usual | {"subtype": "started", "tool_call": begun},
            usual | {"subtype": "completed", "tool_call": ended},
        ]
    end = {
        "type": "result",
        "subtype": "success" if run.is_success else "error",
        "is_error": not run.is_success,
        "result": run.text,
        "duration_ms": run.duration_ms,
        "usage": {"inputTokens": run.tokens, "outputTokens": 0},
    }
    events += [{"type": "assistant", "message": _message(run.text)}, end]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


_DIRECTORY = "/home/dev/shop"

_OWN = Case(
    name="",
    rate=0.9,
    usual=(
        Call("read", "a.py"),
        Call("read", "b.py"),
        Call("edit", "a.py", "a = 2\n"),
        Call("edit", "b.py", "b = 2\n"),
        Call("shell", "pytest a.py"),
    ),
    options=(
        _Option(Call("read", "c.py"), 0, 0.3),
        _Option(Call("shell", "pytest a.py"), 5, 0.2),
    ),
    swaps=(),
    texts=(
        "Done.",
        "The prices are rounded now.",
        "I rounded the prices, and all tests pass.",
        "Prices have two places. The tests pass.",
    ),
    retries=0.0,
    gives_up=False,
    respells=False,
    duration_ms=20_000,
    spread=0.2,
    tokens=1_000,
)


def _with_options(case: Case, usual: list[Call], dice: random.Random) -> list[Call]:
    """Put the optional calls that a run makes between the usual ones."""
    made = [option for option in case.options if dice.random() < option.chance]
    calls: list[Call] = []
    for place in range(len(usual) + 1):
        calls += [option.call for option in made if option.after == place]
        calls += usual[place : place + 1]
    return calls


def _tested_again(case: Case, calls: list[Call], dice: random.Random) -> list[Call]:
    """Let the last tests fail, and an edit and the same tests follow."""
    tests = next(call for call in reversed(case.usual) if call.tool == "shell")
    at = len(calls) - 1 - calls[::-1].index(tests)
    edit = dice.choice([call for call in calls if call.tool == "edit"])
    return [*calls[:at], tests._replace(status=1), edit, *calls[at:]]


_NAMES = ("cart", "price", "order", "stock", "user", "mail", "tax", "slug", "search")
_LOOKS = ("git status", "git diff", "ls -la", "ls src", "git log -5", "python -V")
_WORDS = ("round", "total", "import", "def", "TODO", "raise", "return", "class")
_SAYINGS = (
    "The {} is fixed.",
    "I changed {} as you asked.",
    "Now {} does what the task says.",
    "Done: {} works.",
    "{} had a wrong condition, which I corrected.",
    "The cause was in {}.",
)
_ADDITIONS = ("", " All tests pass.", " The tests pass now.", " I added a test.")


def _varied_case(name: str, dice: random.Random) -> Case:
    files = dice.sample(_NAMES, dice.randint(3, 6))
    tests = Call("shell", f"pytest -q tests/test_{files[0]}.py")
    size = dice.randint(6, 20)
    usual = [_some_call(files, dice) for _ in range(size - 2)]
    usual += [Call("edit", f"src/{files[0]}.py", "x = 2\n"), tests]
    options = tuple(
        _Option(_optional_call(files, usual, dice), place, dice.uniform(0.05, 0.95))
        for place in (dice.randint(0, size - 1) for _ in range(dice.randint(15, 40)))
    )
    sayings = [dice.choice(_SAYINGS).format(dice.choice(files)) for _ in range(4)]
    return Case(
        name=name,
        # From 0.5 to 1, with a mean of 0.9.
        rate=0.5 + 0.5 * dice.betavariate(4, 1),
        usual=tuple(usual),
        options=options,
        swaps=tuple(
            (place, dice.uniform(0.05, 0.5))
            for place in sorted(dice.sample(range(size - 3), min(4, size - 3)))
        ),
        texts=tuple(one + more for one in sayings for more in _ADDITIONS),
        retries=dice.uniform(0, 0.5),
        gives_up=True,
        respells=True,
        duration_ms=60_000 * dice.lognormvariate(0, 0.8),
        spread=dice.uniform(0.15, 0.6),
        tokens=dice.randint(1_500, 4_000),
    )


def _some_call(files: list[str], dice: random.Random) -> Call:
    """Return a call, with the kinds about as frequent as in logs of agents."""
    file = dice.choice(files)
    match dice.choices(("shell", "tests", "read", "grep", "edit"), (3, 2, 4, 2, 2))[0]:
        case "shell":
            return Call("shell", dice.choice(_LOOKS))
        case "tests":
            return Call("shell", f"pytest -q tests/test_{file}.py")
        case "read":
            return Call(
                "read", dice.choice((f"src/{file}.py", f"tests/test_{file}.py"))
            )
        case "grep":
            return Call("grep", dice.choice(_WORDS))
    return Call("edit", f"src/{file}.py", f"y = {dice.randrange(3)}\n")


def _optional_call(files: list[str], usual: list[Call], dice: random.Random) -> Call:
    """Return a call that only some runs make: a usual one again, or another."""
    chance = dice.random()
    if chance < 0.25:
        return dice.choice(usual)
    if chance < 0.5:
        return Call("read", f"src/{dice.choice(_NAMES)}/{dice.choice(_WORDS)}.py")
    return _some_call(files, dice)


def _spelled(call: Call, dice: random.Random) -> Call:
    """Spell a call as this run does: commands and the texts of edits vary."""
    chance = dice.random()
    if call.tool == "edit" and chance < 0.3:
        return call._replace(text=f"{call.text}# {dice.choice(_WORDS)}\n")
    if call.about.startswith("pytest") and chance < 0.1:
        return call._replace(about=f"{call.about} 2>&1 | tail -20")
    if call.tool == "shell" and chance > 0.9:
        return call._replace(about=f"cd {_DIRECTORY} && {call.about}")
    return call


def _message(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _shell(call: Call) -> tuple[str, dict[str, Any], dict[str, Any]]:
    arm = "failure" if call.status else "success"
    return "shell", {"command": call.about}, {arm: {"exitCode": call.status}}


def _read(call: Call) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return "read", {"path": f"{_DIRECTORY}/{call.about}"}, {"success": {}}


def _grep(call: Call) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return "grep", {"pattern": call.about, "path": _DIRECTORY}, {"success": {}}


def _edit(call: Call) -> tuple[str, dict[str, Any], dict[str, Any]]:
    contents = {"beforeFullFileContent": "", "afterFullFileContent": call.text}
    path = {"path": f"{_DIRECTORY}/{call.about}"}
    return "edit", path, {"success": contents}


_TOLD = {"shell": _shell, "read": _read, "grep": _grep, "edit": _edit}
