"""The scripts that complete command lines, in the shells themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from convert.cli import SHELLS, option_sets, script
from convert.cli.commands import command_names
from support.in_process import run
from support.systems import need_system

EXPECTED = {
    "runconv o": {"one.ndjson"},
    "runconv ru": {"run"},
    "runconv dif": {"diff"},
    "runconv one.ndjson o": {"one.ndjson"},
    "runconv one.ndjson --det": {"--detail"},
    "runconv -t markd": {"markdown"},
    "runconv one.ndjson --lang k": {"ko"},
    "runconv -o o": {"one.ndjson"},
    "runconv diff o": {"one.ndjson"},
    "runconv diff --fail-on m": {"minor", "major"},
    "runconv diff --no-o": {"--no-outputs"},
    "runconv show o": {"one.ndjson"},
    "runconv run --sta": {"--stall"},
    "runconv show --fol": {"--follow"},
    "runconv completion z": {"zsh"},
    "runconv help sh": {"show"},
    "runconv hel": {"help"},
}
# Bash shows and inserts the part after the sign, fish the whole word.
WITH_SIGN = {
    "runconv one.ndjson --lang=k": "ko",
    "runconv --lang=ko --tool-output=n": "none",
    "runconv diff --fail-on=ma": "major",
    "runconv diff a b --config=o": "one.ndjson",
    "runconv --to=h": "html",
}
_BASH = """
source ./script
complete_line() {
  echo "= $*"
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _runconv 2> /dev/null
  printf '%s\\n' "${COMPREPLY[@]}"
}
"""
_SECONDS = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.ndjson").touch()
    return tmp_path


def printed_by(shell: str, option: str, code: str, folder: Path) -> dict[str, set[str]]:
    """Return the completions of a shell: the lines that it prints after a `=`."""
    check_installed(shell)
    (folder / "script").write_text(script(shell))
    done = subprocess.run(
        [shell, option, "-c", code],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        capture_output=True,
        check=True,
        text=True,
    )
    parts = re.split(r"^= ", done.stdout, flags=re.MULTILINE)[1:]
    completed = {}
    for line, *words in map(str.splitlines, parts):
        completed[line] = {word.partition("\t")[0] for word in words}
    return completed


def check_installed(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed; scripts/setup --shells installs it")


def test_bash_completes(folder: Path) -> None:
    code = _BASH + "".join(f"complete_line {line}\n" for line in EXPECTED)

    assert printed_by("bash", "--norc", code, folder) == EXPECTED


def test_fish_completes(folder: Path) -> None:
    lines = (f"echo '= {line}'; complete -C '{line}'\n" for line in EXPECTED)
    code = "source ./script\n" + "".join(lines)

    assert printed_by("fish", "--no-config", code, folder) == EXPECTED


def test_fish_completes_the_word_after_a_sign(folder: Path) -> None:
    lines = (f"echo '= {line}'; complete -C '{line}'\n" for line in WITH_SIGN)
    completed = printed_by(
        "fish", "--no-config", "source ./script\n" + "".join(lines), folder
    )

    for line, found in WITH_SIGN.items():
        option = line.rpartition(" ")[2].partition("=")[0]
        assert completed[line] == {f"{option}={found}"}


# How each shell starts without settings, and its first command.
_STARTS = {
    "zsh": (
        ["-f"],
        'autoload -U compinit; compinit -D -u; eval "$(cat script)"; PROMPT=ready:',
    ),
    "bash": (["--norc", "--noprofile", "-i"], "source ./script; PS1=ready:"),
    "bash without =": (
        ["--norc", "--noprofile", "-i"],
        "source ./script; COMP_WORDBREAKS=${COMP_WORDBREAKS//=}; PS1=ready:",
    ),
}


@pytest.mark.parametrize("start", _STARTS)
def test_a_shell_completes_on_a_terminal(start: str, folder: Path) -> None:
    shell = start.partition(" ")[0]
    check_installed(shell)
    (folder / "script").write_text(script(shell))
    options, begin = _STARTS[start]
    need_system("terminals")
    import pty

    process, terminal = pty.fork()
    if not process:
        os.chdir(folder)
        os.environ.update({"TERM": "dumb", "HOME": str(folder), "PS1": "$ "})
        os.execvp(shell, [shell, *options])
    os.write(terminal, f"{begin}\n".encode())
    shown_until(terminal, "\nready:", "\rready:")
    for line, whole in whole_lines().items():
        os.write(terminal, f"{line}\t".encode())
        shown_until(terminal, whole)
        # Control-U clears the line.
        os.write(terminal, b"\x15")
    os.close(terminal)
    os.waitpid(process, 0)


def whole_lines() -> dict[str, str]:
    """The lines that have one completion, and how they read with it."""
    whole = {}
    for line, found in EXPECTED.items():
        if len(found) == 1:
            whole[line] = f"{line.rpartition(' ')[0]} {min(found)}"
    for line, value in WITH_SIGN.items():
        whole[line] = f"{line.rpartition('=')[0]}={value}"
    return whole


def shown_until(terminal: int, *wanted: str) -> None:
    """Read a terminal until it has shown one of the texts; fail if time is over."""
    shown = ""
    end = time.monotonic() + _SECONDS
    while not any(text in shown for text in wanted):
        ready, _, _ = select.select([terminal], [], [], end - time.monotonic())
        assert ready, shown
        piece = os.read(terminal, 4096).decode(errors="replace")
        shown += piece.replace("\a", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_every_command_and_option(shell: str, tmp_path: Path) -> None:
    printed = run(["completion", shell], tmp_path, {}).stdout.decode()

    for command in command_names():
        assert command in printed
        for kind in option_sets(command):
            for row in kind.options().values():
                assert row.flags[-1].removeprefix("--") in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "completion takes one shell: bash, zsh, fish, powershell"),
        (["bash", "zsh"], "completion takes one shell: bash, zsh, fish, powershell"),
        (["fisch"], "no completion for 'fisch' (did you mean fish? choose from"),
        (["FISCH"], "no completion for 'FISCH' (did you mean fish? choose from"),
        (["ksh93"], "no completion for 'ksh93' (choose from bash, zsh, fish,"),
    ],
)
def test_another_shell_is_refused(
    words: list[str], message: str, tmp_path: Path
) -> None:
    done = run(["completion", *words], tmp_path, {})

    assert done.status == 2
    assert message in done.stderr.decode()


@pytest.mark.parametrize("name", ["PowerShell", "powershell", "POWERSHELL"])
def test_a_shell_may_be_spelled_with_capitals(name: str, tmp_path: Path) -> None:
    done = run(["completion", name], tmp_path, {})

    assert done.stdout.decode() == script("powershell")
