"""Runs of one task by several agents, as their readers put them together."""

from __future__ import annotations

from typing import Any

from convert.agents import AgentRun, call_of
from convert.model import EVERYTHING, OK, Event, Outcome, Run, State, collect

DIRECTORY = "/home/ada/shop"
FAILED = Outcome("error", exit_code=1)
ANSWER = "It now multiplies, and all 3 tests pass."
OLD = "    return sum(item.price for item in items)\n"
NEW = "    return sum(item.price * item.count for item in items)\n"
PATCH = (
    f"--- a/src/cart.py\n+++ b/src/cart.py\n@@ -3,2 +3,2 @@\n def f():\n-{OLD}+{NEW}"
)

# The name of a tool, its arguments, how the call ended and what it returned; or a text.
Step = tuple[str, dict[str, Any], Outcome, Any] | str


def run_of(agent: str, steps: list[Step], **facts: Any) -> Run:
    """Return the run of an agent, whose facts are those of `events_of`."""
    (made,) = collect(events_of(agent, steps, **facts))
    return made


def events_of(
    agent: str,
    steps: list[Step],
    *,
    prompt: str = "",
    directory: str = DIRECTORY,
    version: str = "",
    state: State | None = "success",
    text: str | None = None,
) -> list[Event]:
    """Return the events of a run; its result is the last text unless it has another."""
    events: list[Event] = []
    run = AgentRun(1, EVERYTHING, events.append, agent)
    run.set_facts(session="s", directory=directory, version=version)
    if prompt:
        run.prompt(1, prompt)
    for line, step in enumerate(steps, 2):
        if isinstance(step, str):
            run.text(line, step)
        else:
            name, arguments, outcome, output = step
            call = run.begin_call(line, f"call-{line}", call_of(name, arguments))
            run.end_call(line, call, outcome, output)
    last = len(steps) + 2
    if state is not None:
        run.result(last, text=text or run.last_text)
    run.finish(last, state, has_result=state is not None)
    return events


def cursor(*, answer: str = ANSWER, after: str = NEW, tests: str = "3 passed") -> Run:
    """Return the run of Cursor, whose result is all that it said."""
    contents = {
        "beforeFullFileContent": f"def f():\n{OLD}",
        "afterFullFileContent": f"def f():\n{after}",
    }
    path = f"{DIRECTORY}/src/cart.py"
    said = "I'll run the tests first."
    steps: list[Step] = [
        said,
        shell("shell", "pytest -q", FAILED, "1 failed, 2 passed in 0.04s"),
        ("read", {"path": path}, OK, {"content": f"def f():\n{OLD}", "totalLines": 2}),
        ("edit", {"path": path, "streamContent": after}, OK, contents),
        shell("shell", "pytest -q", OK, f"{tests} in 0.03s"),
        answer,
    ]
    return run_of("Cursor", steps, prompt="Fix it.", text=said + answer)


def claude(
    *,
    answer: str = ANSWER,
    extra: list[Step] | None = None,
    patch: str = PATCH,
    state: State | None = "success",
    error: Outcome = FAILED,
    directory: str = DIRECTORY,
) -> Run:
    """Return the run of Claude Code, which records no prompt, but diffs of edits."""
    path = {"file_path": f"{directory}/src/cart.py"}
    edit = {**path, "old_string": OLD, "new_string": NEW}
    steps: list[Step] = [
        "I begin with the tests.",
        shell("Bash", "pytest -q", error, "1 failed, 2 passed in 0.05s", "Run tests"),
        ("Read", path, OK, {"content": f"def f():\n{OLD}"}),
        *(extra or []),
        ("Edit", edit, OK, {"diffString": patch}),
        shell("Bash", "pytest -q", OK, "3 passed in 0.04s", "Run them again"),
        answer,
    ]
    facts = {"version": "2.1.205", "state": state, "directory": directory}
    return run_of("Claude Code", steps, **facts)


def codex(*, directory: str = "") -> Run:
    """Return the run of Codex, which records neither directory nor contents."""
    steps: list[Step] = [
        shell("shell", "/bin/zsh -lc 'pytest -q'", FAILED, "1 failed, 2 passed"),
        ("file_change", {"path": f"{DIRECTORY}/src/cart.py"}, OK, None),
        shell("shell", "/bin/zsh -lc 'pytest -q'", OK, "3 passed in 0.04s"),
        ANSWER,
    ]
    return run_of("Codex", steps, directory=directory, version="0.46.0")


def shell(
    name: str, command: str, outcome: Outcome, output: str, why: str = ""
) -> Step:
    """Return a command, with its output and the reason for it."""
    arguments = {"command": command, "description": why}
    return (name, arguments, outcome, {"stdout": output, "stderr": ""})
