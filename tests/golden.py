"""The golden cases as data: what a folder in golden/ says is to be run and to come out.

golden/README.md says how a case is written.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

GOLDEN = Path(__file__).parent.parent / "golden"
SCRIPTS = sysconfig.get_path("scripts")

_EXIT = re.compile(r"\s+# exit (\d+)$")
_WRITTEN = re.compile(r"(?<![<>&])[12]?>\s*([\w./-]+)")


class Command(NamedTuple):
    """One line of `cmd`, with the exit status it should have."""

    line: str
    status: int

    @property
    def written(self) -> list[str]:
        """The files right of `>`; what goes to another command is not one of them."""
        return [name for name in _WRITTEN.findall(self.line) if name[0] != "/"]


class Case(NamedTuple):
    """A folder of golden/."""

    folder: Path
    why: str
    commands: list[Command]

    @property
    def written(self) -> set[str]:
        """The files that the commands write and that stand here as expected."""
        return {name for command in self.commands for name in command.written}

    @property
    def files(self) -> set[str]:
        """All files of the case but `cmd`."""
        names = (
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if not path.is_dir()
        )
        return set(names) - {"cmd"}

    @property
    def inputs(self) -> list[Path]:
        """The files that the commands do not write."""
        return [self.folder / name for name in sorted(self.files - self.written)]


def cases() -> list[Case]:
    """Every folder of golden/, in order of name."""
    return [_case(path.parent) for path in sorted(GOLDEN.glob("*/cmd"))]


def _case(folder: Path) -> Case:
    lines = (folder / "cmd").read_text("utf-8").splitlines()
    why = [line[1:].strip() for line in lines if line.startswith("#")]
    commands = []
    for line in lines:
        if line and not line.startswith("#"):
            match = _EXIT.search(line)
            commands.append(Command(_EXIT.sub("", line), int(match[1]) if match else 0))
    return Case(folder, " ".join(why), commands)


def run(command: Command, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a person would, in an environment that holds nothing else."""
    return subprocess.run(
        ["sh", "-c", command.line],
        cwd=folder,
        env={"PATH": f"{SCRIPTS}:/usr/bin:/bin", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def copy_inputs(case: Case, folder: Path) -> None:
    """Put what a case reads into an empty folder."""
    for path in case.inputs:
        target = folder / path.relative_to(case.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
