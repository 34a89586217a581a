"""Run the steps of `action.yml` as a runner does, in a made up environment."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from support.shell import SCRIPTS

ROOT = Path(__file__).parent.parent.parent
_EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
_CONDITION = re.compile(r"([\w.-]+) != ''")


@functools.cache
def action() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return made


def steps() -> list[dict[str, Any]]:
    """Return the steps that run a script."""
    return [step for step in action()["runs"]["steps"] if "run" in step]


class Done(NamedTuple):
    """The outcome of the action."""

    status: int
    """The exit status of the last step that ran."""

    log: str
    """The output of all steps to both streams."""

    outputs: dict[str, str]
    summary: str


class Runner:
    """A runner whose files are below a folder."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        (folder / "temporary").mkdir()
        self.event: dict[str, Any] = {
            "pull_request": {"number": 17, "head": {"sha": "c0ffee"}}
        }
        self.url = url
        self._values: dict[str, str] = {}

    def run(self, **inputs: str) -> Done:
        """Run the action except for its installation; names have `_` for `-`."""
        stated = {name.replace("_", "-"): value for name, value in inputs.items()}
        known = action()["inputs"]
        assert stated.keys() <= known.keys()
        (self.folder / "event.json").write_text(json.dumps(self.event))
        self._values = {
            "github.token": "sesame",
            "steps.install.outputs.runconv": str(Path(SCRIPTS) / "runconv"),
            # The step may be skipped.
            "steps.run.outputs.status": "",
        }
        for name, row in known.items():
            value = stated.get(name, row.get("default", ""))
            self._values[f"inputs.{name}"] = self._evaluated(value)
        log, status = [], 0
        for step in steps():
            if step.get("id") == "install" or not self._is_due(step):
                continue
            status, printed = self.step(step)
            log.append(printed)
            if status:
                break
        return Done(status, "".join(log), self._outputs(), self._summary())

    def step(
        self, step: Mapping[str, Any], more: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Run a step; `more` are values of expressions."""
        self._values |= more or {}
        output = self.folder / "output.txt"
        output.write_text("")
        stated = {
            name: self._evaluated(value) for name, value in step.get("env", {}).items()
        }
        # `shell: bash` is this for a runner.
        assert step["shell"] == "bash"
        script = self.folder / "step.sh"
        script.write_text(step["run"], "utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={**self._environment(), **stated},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            encoding="utf-8",
        )
        for line in output.read_text("utf-8").splitlines():
            name, value = line.split("=", 1)
            self._values[f"steps.{step.get('id')}.outputs.{name}"] = value
        return done.returncode, done.stdout

    def _is_due(self, step: Mapping[str, Any]) -> bool:
        if "if" not in step:
            return True
        condition = _CONDITION.fullmatch(step["if"])
        assert condition
        return self._values[condition[1]] != ""

    def _environment(self) -> dict[str, str]:
        files = {
            "GITHUB_OUTPUT": "output.txt",
            "GITHUB_STEP_SUMMARY": "summary.md",
            "GITHUB_EVENT_PATH": "event.json",
            "RUNNER_TEMP": "temporary",
        }
        return {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": self.url,
            "GITHUB_SERVER_URL": "https://code.example",
            "GITHUB_REPOSITORY": "ours/agent",
            "GITHUB_RUN_ID": "4711",
            "GITHUB_SHA": "decade",
            "GITHUB_WORKSPACE": str(self.workspace),
            **{name: str(self.folder / file) for name, file in files.items()},
        }

    def _evaluated(self, value: str, default: str | None = None) -> str:
        """Return a value with its expressions evaluated, once, as a runner does."""
        known = self._values
        return _EXPRESSION.sub(
            lambda match: (
                known[match[1]] if default is None else known.get(match[1], default)
            ),
            value,
        )

    def _outputs(self) -> dict[str, str]:
        stated = {name: row["value"] for name, row in action()["outputs"].items()}
        # A step that did not set an output has an empty one.
        value_of = functools.partial(self._evaluated, default="")
        return {name: value_of(value) for name, value in stated.items()}

    def _summary(self) -> str:
        path = self.folder / "summary.md"
        return path.read_text("utf-8") if path.exists() else ""


def needed_programs() -> list[str]:
    """Return the programs of the steps that this machine lacks."""
    return [name for name in ("bash", "curl", "jq") if not shutil.which(name)]
