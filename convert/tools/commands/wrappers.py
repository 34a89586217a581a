"""Programs that run the program which their words name, such as `timeout 5 make`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from convert.tools.commands.rules import read
from convert.tools.commands.syntax import steers
from convert.tools.commands.words import UNKNOWN

SHELLS = {"bash", "sh", "zsh", "dash"}

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class Wrapper(Struct, frozen=True, kw_only=True):
    """How the words of a program come to those of the program that it runs."""

    flags: tuple[str, ...] = ()
    """Options without a value, with which it does nothing but run the other."""

    values: tuple[str, ...] = ()
    """Such options whose value is the next word."""

    operands: int = 0
    """The number of operands before the other program."""

    has_assignments: bool = False
    """Assignments may stand before the other program."""

    adds_words: bool = False
    """It adds words that are read from somewhere."""

    alone: tuple[str, ...] = ()
    """The program that it runs if none is named."""

    looks: tuple[str, ...] = ()
    """Examples that change nothing, for the tests."""

    acts: tuple[str, ...] = ()
    """Examples that may change something, for the tests."""


WRAPPERS: dict[str, Wrapper] = {
    "builtin": Wrapper(looks=("builtin cd x",), acts=("builtin eval x",)),
    "command": Wrapper(
        flags=("-p",), looks=("command ls",), acts=("command rm x", "command")
    ),
    "env": Wrapper(
        flags=("-i", "-0"),
        values=("-u", "-C"),
        has_assignments=True,
        alone=("printenv",),
        looks=("env", "env -u X A=b ls"),
        acts=("env rm x", "env PATH=. ls", "env -S 'rm x'"),
    ),
    "ionice": Wrapper(
        flags=("-t",),
        values=("-c", "-n"),
        looks=("ionice -c 3 du .",),
        acts=("ionice -c 3 rm x", "ionice -p 7"),
    ),
    "nice": Wrapper(
        values=("-n",),
        looks=("nice -n 5 grep x y",),
        acts=("nice make", "nice -n ls rm x"),
    ),
    "nohup": Wrapper(looks=("nohup ls",), acts=("nohup ./run &",)),
    "setsid": Wrapper(flags=("-f", "-w"), looks=("setsid ls",), acts=("setsid ./run",)),
    "stdbuf": Wrapper(
        values=("-o", "-e", "-i"),
        looks=("stdbuf -oL tail x", "stdbuf -o L tail x"),
        acts=("stdbuf -oL make",),
    ),
    "sudo": Wrapper(
        flags=("-n", "-E", "-H", "-S", "-A"),
        values=("-u", "-g", "-p", "-h"),
        has_assignments=True,
        looks=("sudo -n -u root ls", "sudo -nu root cat x"),
        acts=("sudo rm x", "sudo -e x", "sudo -s", "sudo -u ls rm x", "sudo -nu ls rm"),
    ),
    "time": Wrapper(
        flags=("-p", "-v"),
        values=("-f",),
        looks=("time -p ls", "time ls | head"),
        acts=("time make", "time -o x ls", "time"),
    ),
    "timeout": Wrapper(
        flags=("--foreground", "--preserve-status", "-v"),
        values=("-k", "-s", "--signal", "--kill-after"),
        operands=1,
        looks=("timeout 5 ls", "timeout -k 1 --signal=INT 5s ls"),
        acts=("timeout 5 ./run", "timeout -k 5 ls rm x"),
    ),
    "xargs": Wrapper(
        flags=("-0", "-r", "-t", "-x", "--null", "--no-run-if-empty"),
        values=("-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a"),
        adds_words=True,
        alone=("echo",),
        looks=("ls | xargs", "ls | xargs -0 grep -n x", "ls | xargs -I {} head -2 {}"),
        acts=(
            "ls | xargs rm",
            "ls | xargs sort",
            "ls | xargs -I{} {} x",
            "ls | xargs -I % sort % %",
            "ls | xargs -I git git push",
            "ls | xargs -0I % git %",
            "ls | xargs sh -c 'rm \"$@\"'",
        ),
    ),
}


def unwrapped(words: Sequence[str]) -> Sequence[str] | None:
    """Return the words of the program that a wrapper runs; None if it does more."""
    wrapper = WRAPPERS[words[0]]
    found = read(words[1:], wrapper.values, until_operand=True)
    allowed = {*wrapper.flags, *wrapper.values}
    if not {*found.single_options} <= allowed:
        return None
    inner = found.operands[wrapper.operands :]
    while wrapper.has_assignments and inner and _ASSIGNMENT.match(inner[0]):
        assignment, *inner = inner
        if steers(assignment):
            return None
    inner = inner or [*wrapper.alone]
    return _with_added(words, inner) if wrapper.adds_words else inner


def _with_added(words: Sequence[str], inner: Sequence[str]) -> Sequence[str] | None:
    """Return the words of a program with those that `xargs` adds to them."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-I"):
            mark = word[2:] or after
            return [UNKNOWN if mark in each else each for each in inner]
    return [*inner, UNKNOWN]
