"""The golden cases as data: the commands of a folder in golden/ and their outputs.

golden/README.md says how a case is written.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

GOLDEN = Path(__file__).parent.parent.parent / "golden"
RUN = GOLDEN / "a-run-as-the-agent-writes-it" / "input.ndjson"

# When the inputs of a case changed, unless its commands touch them.
_COPIED = 1_762_000_000
_EXIT = re.compile(r"\s+# exit (\d+)$")
_WRITTEN = re.compile(r"(?<!\S)[12]?>>?\s*([\w./-]+)")


class Command(NamedTuple):
    """One line of `cmd`, with the exit status it should have."""

    line: str
    status: int

    @property
    def written(self) -> list[str]:
        """The files right of `>` in the order of the line, without devices."""
        names = (name for name in _WRITTEN.findall(self.line) if name[0] != "/")
        return list(dict.fromkeys(names))


class Case(NamedTuple):
    """A folder of golden/."""

    folder: Path
    why: str
    commands: list[Command]

    @property
    def written(self) -> set[str]:
        """The files that the commands write, stored here as the expected outputs."""
        return {name for command in self.commands for name in command.written}

    @property
    def files(self) -> set[str]:
        """All files of the case but `cmd`."""
        return files_in(self.folder) - {"cmd"}

    @property
    def inputs(self) -> list[Path]:
        """The files that the commands do not write."""
        return [self.folder / name for name in sorted(self.files - self.written)]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Read every folder of golden/, in order of name."""
    return tuple(_case(path.parent) for path in sorted(GOLDEN.glob("*/cmd")))


def _case(folder: Path) -> Case:
    lines = (folder / "cmd").read_text("utf-8").splitlines()
    why = [line[1:].strip() for line in lines if line.startswith("#")]
    commands = []
    for line in lines:
        if line and not line.startswith("#"):
            match = _EXIT.search(line)
            commands.append(Command(_EXIT.sub("", line), int(match[1]) if match else 0))
    return Case(folder, " ".join(why), commands)


def files_in(folder: Path) -> set[str]:
    """The names of all files in a folder and below it."""
    begin = len(str(folder)) + 1
    return {
        f"{place}/{name}"[begin:]
        for place, _, names in os.walk(folder)
        for name in names
    }


def copy_inputs(case: Case, folder: Path) -> None:
    """Put the inputs of a case into an empty folder; no run still writes to them."""
    for path in case.inputs:
        target = folder / path.relative_to(case.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (_COPIED, _COPIED))


def logs(*suffixes: str, of_pairs: bool = False) -> list[Path]:
    """The inputs of all cases whose names end in one of these.

    The pairs for `diff` differ only in the compared part: they are skipped unless
    they are asked for, and then nothing else is returned. The homes of `list` have logs
    that are cut, of several agents.
    """
    return [
        path
        for path in _inputs()
        if path.suffix in suffixes
        and "home" not in path.parts
        and path.parent.name.startswith("diff-pair-") == of_pairs
    ]


@functools.cache
def _inputs() -> tuple[Path, ...]:
    """The inputs of all cases. Finding them takes a fifth of the time to collect."""
    return tuple(path for case in cases() for path in case.inputs)


def identify(path: Path) -> str:
    """The name of a file for a test: its path in golden/."""
    return path.relative_to(GOLDEN).as_posix()


def difference(name: str, expected: bytes, made: bytes) -> str:
    """Show how a file differs from the expected one, as a unified diff."""
    lines = difflib.unified_diff(
        *map(_shown, (expected, made)),
        fromfile=f"{name} (expected)",
        tofile=f"{name} (made)",
        lineterm="",
    )
    return "\n".join(lines)


def _shown(content: bytes) -> list[str]:
    """Split a file into lines, with invisible characters escaped."""
    text = content.decode(errors="backslashreplace").replace("\r", "\\r")
    *lines, rest = text.split("\n")
    return [*lines, f"{rest} (no line feed at the end)"] if rest else lines
