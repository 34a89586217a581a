"""The command with a fault in it: python faulty.py CALL NUMBER ERRNO SEED ARGUMENT ...

The NUMBER-th CALL of `os` on an output fails with ERRNO; with a SEED other than 0 some
writes are short. A negative ERRNO is that of a signal, which comes before the call.
CALL `limit` lets no file be larger than NUMBER bytes. CALL `none` injects no fault and
prints the calls that were made, and CALL `nothing` prints none.

Other CALLs make the system short of something: `memory` of NUMBER MB, `files` that may
be open at once, `processes` and `threads` from the NUMBER-th on.
"""

from __future__ import annotations

import errno
import functools
import os
import random
import resource
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

CALLS = ("open", "write", "fsync", "fchmod", "chmod", "replace", "close")

_real = {name: getattr(os, name) for name in CALLS}
# The open files that are the output, or its folder, which is synced after a rename.
_files: set[int] = set()
_made: list[str] = []
# Several threads sync files.
_counting = threading.Lock()


def main() -> int:
    """Inject the fault and run the command."""
    call, number, code, seed = sys.argv[1], *map(int, sys.argv[2:5])
    del sys.argv[1:5]
    # Without memory for this, Python ends by itself.
    from convert.__main__ import main

    if call in _SHORTAGES:
        _SHORTAGES[call](number)
    dice = random.Random(seed) if seed else None
    for name in CALLS:
        bad = number if name == call else 0
        setattr(os, name, functools.partial(_call, name, bad, code, dice))
    status = main()
    if call == "none":
        print(*_made)
    return status


def _allow(what: int, number: int) -> None:
    resource.setrlimit(what, (number, number))


def _refuse_processes(number: int) -> None:
    """Let a process start only `number` - 1 others."""
    fork = os.fork
    started: list[int] = []

    def refuse() -> int:
        if len(started) >= number - 1:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        started.append(fork())
        return started[-1]

    os.fork = refuse


def _refuse_threads(number: int) -> None:
    """Let no thread start."""

    def refuse(thread: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    threading.Thread.start = refuse  # type: ignore[method-assign]


_SHORTAGES: dict[str, Callable[[int], None]] = {
    "limit": functools.partial(_allow, resource.RLIMIT_FSIZE),
    "memory": lambda number: _allow(resource.RLIMIT_AS, number << 20),
    "files": functools.partial(_allow, resource.RLIMIT_NOFILE),
    "processes": _refuse_processes,
    "threads": _refuse_threads,
}


def _call(
    name: str,
    bad: int,
    code: int,
    dice: random.Random | None,
    target: Any,
    *arguments: Any,
    **more: Any,
) -> Any:
    """Call a function of `os`; on the output, fail at the call numbered `bad`."""
    call = _real[name]
    if not _is_output(target):
        return call(target, *arguments, **more)
    with _counting:
        _made.append(name)
        is_bad = _made.count(name) == bad
    if is_bad and code < 0:
        os.kill(os.getpid(), -code)
        is_bad = False
    if name == "close":
        _files.discard(target)
        call(target)
    if is_bad:
        raise OSError(code, os.strerror(code))
    if name == "write" and dice and dice.random() < 0.3:
        return call(target, arguments[0][: dice.randint(1, len(arguments[0]))])
    done = None if name == "close" else call(target, *arguments, **more)
    if name == "open":
        _files.add(done)
    return done


def _is_output(target: Any) -> bool:
    """Return True for the output, its temporary file, or its folder."""
    if isinstance(target, int):
        return target in _files
    name = os.path.basename(os.fsdecode(target))
    return name.startswith(".runconv-") or name == "out"


if __name__ == "__main__":
    sys.exit(main())
